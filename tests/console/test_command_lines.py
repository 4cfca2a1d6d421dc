"""Command lines for a shell: run with a real one, against the real service; whatever is in them is one word."""

import os
import shlex
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.console.copy_as import (
    MAX_BODY_BYTES,
    CommandLineError,
    Headers,
    curl_line,
    headers_line,
    python_code,
    svc_tui_line,
)
from svc_tui.core.jsontext import loads
from svc_tui.core.requests import SignedRequest
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.service.routes import target_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a Unix shell")

LOTS = "/v1/operations/lots"
TARGET = "/v1/operations/lots/lot-000002"
TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=20) | st.text(
    alphabet="'\"`$\\!&|;<>()*?[]{}~# -", max_size=12
)


@pytest.fixture(scope="module")
def service() -> Iterator[RunningService]:
    with running_service(SandboxOptions(records=20)) as service:
        yield service


def asked(target: str = TARGET, base_url: str = "https://api.example.com") -> SignedRequest:
    return SignedRequest("GET", base_url + target, target, (("Authorization", "Bearer ••••"),), b"")


def asked_with(
    method: str, path: str, body: bytes, service: RunningService, query: tuple[tuple[str, str], ...] = ()
) -> SignedRequest:
    target = target_of(path, query)
    return SignedRequest(method, service.base_url + target, target, (("Authorization", "Bearer ••••"),), body)


def run(line: str, service: RunningService | None, key: str = "live", folder: Path = Path()) -> tuple[int, str, str]:
    """What bash makes of the line, with the key in the environment, and `python3` and `svc-tui` on the way."""
    environ = {"PATH": f"{folder}:{os.environ['PATH']}"}
    if service is not None:
        offered = service.key(key)
        environ["SVC_API_KEY"] = offered.api_key
        environ["SVC_BASE_URL"] = environ["SVC_SANDBOX_BASE_URL"] = service.base_url
        if offered.signing_secret:
            environ["SVC_SIGNING_SECRET"] = offered.signing_secret
    bash = shutil.which("bash") or "bash"
    ran = subprocess.run([bash, "-c", line], env=environ, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("key", ["live", "sandbox"])
def test_the_curl_line_gets_the_record_signed_where_there_is_a_secret(service: RunningService, key: str) -> None:
    status, out, errors = run(curl_line(asked(base_url=service.base_url)), service, key)
    assert (status, errors) == (0, "")
    assert isinstance(record := loads(out), dict)
    assert record["id"] == "lot-000002"
    last = service.attempts[-1]
    assert (last.target, last.status) == (TARGET, 200)
    assert last.signed is bool(service.key(key).signing_secret)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_sends_brackets_and_dots_as_they_are_signed(service: RunningService) -> None:
    target = "/v1/operations/lots?q=[1-3]{a,b}&x=a/../b"
    status, _, errors = run(curl_line(asked(target, service.base_url)), service)
    assert (status, errors) == (0, "")
    last = service.attempts[-1]
    # The service takes the signature, and then refuses a parameter that it does not know.
    assert (last.target, last.status, last.signed) == (target, 400, True)


@pytest.mark.parametrize("key", ["live", "sandbox"])
def test_the_headers_are_those_that_the_service_takes(service: RunningService, key: str) -> None:
    status, out, errors = run(headers_line(asked()), service, key)
    assert (status, errors) == (0, "")
    headers = dict(line.split(": ", 1) for line in out.splitlines())
    with urllib.request.urlopen(urllib.request.Request(service.base_url + TARGET, headers=headers)) as answer:
        assert answer.status == 200
    assert ("x-svc-signature" in headers) is bool(service.key(key).signing_secret)


def test_without_a_key_the_headers_say_what_is_missing() -> None:
    status, out, errors = run(headers_line(asked()), None)
    assert (status, out, errors) == (1, "", "SVC_API_KEY is not set\n")


def test_the_request_line_gets_the_record(service: RunningService, tmp_path: Path) -> None:
    program = tmp_path / "svc-tui"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m svc_tui "$@"\n')
    program.chmod(0o700)
    status, out, _ = run(f"HOME={shlex.quote(str(tmp_path))} {svc_tui_line(asked())}", service, folder=tmp_path)
    assert status == 0
    assert isinstance(record := loads(out), dict)
    assert record["id"] == "lot-000002"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with `svc-tui` in it."""
    program = tmp_path / "svc-tui"
    program.write_text(f'#!/bin/sh\nHOME={shlex.quote(str(tmp_path))} exec {sys.executable} -m svc_tui "$@"\n')
    program.chmod(0o700)
    return tmp_path


WRITES = [
    pytest.param(
        "PATCH", f"{LOTS}/lot-000002", b'{"grade": 7.50, "name": "it\'s $HOME `x` \\\\"}', (), 200, id="quotes"
    ),
    pytest.param("PATCH", f"{LOTS}/lot-000003", b'{\n\t"name": "two\\nlines"\r\n}\n', (), 200, id="lines"),
    pytest.param("PATCH", f"{LOTS}/lot-000004", '{"name": "Çağ \x85\u202e 🪨"}'.encode(), (), 200, id="unseen"),
    pytest.param("POST", LOTS, b'{"name": "made"}', (("X-Trace", "it's 7"), ("X-Empty", "")), 201, id="headers"),
    pytest.param("POST", f"{LOTS}/lot-000005/split", b"", (), 400, id="empty"),
    pytest.param("PUT", LOTS, b"@file", (("Content-Type", "text/plain"),), 405, id="at"),
    pytest.param("PUT", LOTS, b"\xff\xfe=\x01\x7f", (("Content-Type", "image/png"),), 405, id="bytes"),
    pytest.param("GET", f"{LOTS}?page=2&limit=5", b"", (("Accept", "application/json"),), 200, id="get"),
    pytest.param("HEAD", f"{LOTS}/lot-000001", b"", (), 200, id="head"),
]


def came(service: RunningService, request: SignedRequest, before: int) -> int | None:
    """The status of the one attempt that came since, which was this request, signed."""
    (attempt,) = (attempt for attempt in service.attempts[before:] if attempt.method == request.method)
    assert (attempt.method, attempt.target, attempt.signed) == (request.method, request.target, True)
    return attempt.status


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(("method", "path", "body", "headers", "status"), WRITES)
def test_curl_makes_the_same_request_signed(
    service: RunningService, method: str, path: str, body: bytes, headers: Headers, status: int
) -> None:
    request, before = asked_with(method, path, body, service), len(service.attempts)
    code, _, errors = run(curl_line(request, headers), service)
    assert (code, errors) == (0, "")
    assert came(service, request, before) == status


@pytest.mark.parametrize(("method", "path", "body", "headers", "status"), WRITES)
def test_the_python_program_makes_the_same_request_signed(
    service: RunningService, method: str, path: str, body: bytes, headers: Headers, status: int, tmp_path: Path
) -> None:
    request, before = asked_with(method, path, body, service), len(service.attempts)
    file = tmp_path / "made.py"
    file.write_text(python_code(request, headers), "ascii")
    code, out, errors = run(f"{shlex.quote(sys.executable)} {shlex.quote(str(file))}", service)
    assert (code, errors) == (0, "")
    assert out.startswith(str(status))
    assert came(service, request, before) == status


@pytest.mark.parametrize(("method", "path", "body", "headers", "status"), WRITES)
def test_the_request_line_makes_the_same_request_signed(
    service: RunningService, program: Path, method: str, path: str, body: bytes, headers: Headers, status: int
) -> None:
    request, before = asked_with(method, path, body, service), len(service.attempts)
    run(svc_tui_line(request, headers), service, "test-signed", program)
    assert came(service, request, before) == status


@given(st.binary(max_size=30).filter(lambda body: 0 not in body) | TEXT.map(str.encode))
def test_a_body_is_one_word_of_just_its_bytes_and_nothing_in_it_is_unseen(body: bytes) -> None:
    request = SignedRequest("POST", "https://h/v1/x", "/v1/x", (), body or b"x")
    line = curl_line(request)
    assert line.isprintable()
    ran = subprocess.run(
        ["bash", "-c", f"printf %s {line[5 : line.index('; python3')]}"], capture_output=True, check=True
    )
    assert ran.stdout == request.body


@pytest.mark.parametrize("body", [b"a\0b", b"x" * (MAX_BODY_BYTES + 1)])
def test_a_body_that_no_command_line_takes_is_refused_with_the_reason(body: bytes) -> None:
    request = SignedRequest("POST", "https://h/v1/x", "/v1/x", (), body)
    for write in (svc_tui_line, curl_line):
        with pytest.raises(CommandLineError, match="command line"):
            write(request)
    assert repr(body) in python_code(request)


@given(TEXT)
def test_whatever_is_asked_for_is_one_word_to_the_shell(text: str) -> None:
    request = asked(f"/v1/lots/{text}")
    assert shlex.split(svc_tui_line(request)) == ["svc-tui", "request", "GET", request.target]
    words = shlex.split(curl_line(request))
    assert words[-1] == request.url
    assert words[3:6] == ["GET", request.target, "|"]


@pytest.mark.parametrize("text", ["a\nb", "\x1b[2J", "\x7f", "\x9b", "\r"])
def test_a_control_character_stands_in_no_line(text: str) -> None:
    for write in (svc_tui_line, headers_line, curl_line):
        with pytest.raises(CommandLineError):
            write(asked(f"/v1/lots/{text}"))


def test_no_line_holds_a_header() -> None:
    request = SignedRequest("GET", "https://h/v1/x", "/v1/x", (("Authorization", "Bearer svc_live_x"),), b"")
    assert "svc_live_x" not in svc_tui_line(request) + curl_line(request)
    assert "\n" not in curl_line(request)
