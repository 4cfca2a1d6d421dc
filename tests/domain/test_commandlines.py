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

from svc_tui.domain.commandlines import Unwritable, curl_line, headers_line, request_line
from svc_tui.domain.jsontext import loads
from svc_tui.domain.requests import SignedRequest
from svc_tui.sandbox.inprocess import RunningService, running_service
from svc_tui.sandbox.options import SandboxOptions

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
    status, out, _ = run(f"HOME={shlex.quote(str(tmp_path))} {request_line(asked())}", service, folder=tmp_path)
    assert status == 0
    assert isinstance(record := loads(out), dict)
    assert record["id"] == "lot-000002"


@given(TEXT)
def test_whatever_is_asked_for_is_one_word_to_the_shell(text: str) -> None:
    request = asked(f"/v1/lots/{text}")
    assert shlex.split(request_line(request)) == ["svc-tui", "request", "GET", request.target]
    words = shlex.split(curl_line(request))
    assert words[-1] == request.url
    assert words[3:6] == ["GET", request.target, "|"]


@pytest.mark.parametrize("text", ["a\nb", "\x1b[2J", "\x7f", "\x9b", "\r"])
def test_a_control_character_stands_in_no_line(text: str) -> None:
    for write in (request_line, headers_line, curl_line):
        with pytest.raises(Unwritable):
            write(asked(f"/v1/lots/{text}"))


def test_no_line_holds_a_header() -> None:
    request = SignedRequest("GET", "https://h/v1/x", "/v1/x", (("Authorization", "Bearer svc_live_x"),), b"")
    assert "svc_live_x" not in request_line(request) + curl_line(request)
    assert "\n" not in curl_line(request)
