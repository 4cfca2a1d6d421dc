"""`svc-tui sandbox ctl`: what is told to a running service, and what it tells, by hand and by script."""

import contextlib
import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.cli.conftest import Run
from tests.sandbox.raw_client import LOT, RawClient

TOKEN = "a token of the test"
CLOSED = "http://127.0.0.1:1"
"""Where nothing listens."""


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningService]:
    """A service with control routes, which the environment names."""
    with running_service(SandboxOptions(records=5, control_token=TOKEN)) as service:
        monkeypatch.setenv("SVC_SANDBOX_URL", service.base_url)
        monkeypatch.setenv("SVC_SANDBOX_TOKEN", TOKEN)
        yield service


@pytest.fixture
def ctl(run: Run, service: RunningService, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command on words; what it prints is its lines."""
    monkeypatch.setenv("SVC_SANDBOX_URL", service.base_url)
    monkeypatch.setenv("SVC_SANDBOX_TOKEN", TOKEN)
    return lambda *words: run("sandbox", "ctl", *words)


def lines(ctl: Run, *words: str) -> list[str]:
    ended = ctl(*words)
    assert (ended.status, ended.err) == (0, "")
    return list(ended.out.decode().splitlines())


def test_health_tells_how_the_service_is(ctl: Run, service: RunningService) -> None:
    first, clock, faults = lines(ctl, "health")
    assert re.fullmatch(rf"ok: svc-tui \S+ at {service.base_url}, started with 5 lots, seed 0", first)
    assert re.fullmatch(r"the clock shows \S+Z \(real time\)", clock)
    assert faults == "0 active faults, 0 responses on hold"
    assert json.loads(lines(ctl, "health", "--json")[0])["status"] == "ok"


def test_health_waits_for_a_service_that_is_still_to_start(run: Run, service: RunningService) -> None:
    port = int(service.base_url.rpartition(":")[2])
    with running_service(SandboxOptions(records=5)) as probe:
        free = int(probe.base_url.rpartition(":")[2])
    assert free != port
    started = threading.Event()

    def serve() -> None:
        time.sleep(0.3)
        with running_service(SandboxOptions(records=5, port=free, control_token=TOKEN)):
            started.wait(60)

    with ThreadPoolExecutor(1) as pool:
        serving = pool.submit(serve)
        try:
            ended = run(
                "sandbox", "ctl", "health", "--wait", "60", "--url", f"http://127.0.0.1:{free}", "--token", TOKEN
            )
        finally:
            started.set()
        serving.result()
    assert ended.status == 0


def test_faults_are_armed_listed_and_cleared(ctl: Run, service: RunningService) -> None:
    client = RawClient(service.base_url, service.key("sandbox"))
    assert lines(ctl, "faults") == ["no faults are active"]
    assert lines(ctl, "arm", "429", "--count", "2", "--retry-after", "7", "--path", "/v1/operations/lots/") == []
    assert lines(ctl, "arm", "slow", "--every", "9", "--after", "1", "--method", "patch", "--delay", "0.5") == []
    assert client.say("GET", LOT).headers["retry-after"] == "7"
    assert client.say("GET", "/v1/operations/lots").status == 200
    assert lines(ctl, "faults") == [
        "429           1 more, affected 1 of 1 /v1/operations/lots/",
        "slow          1 in 9 after 1, affected 0 of 0 PATCH",
    ]
    assert [fault["name"] for fault in json.loads(lines(ctl, "faults", "--json")[0])["faults"]] == ["429", "slow"]
    assert lines(ctl, "clear", "429") == []
    assert len(lines(ctl, "faults")) == 1
    assert lines(ctl, "clear") == []
    assert lines(ctl, "faults") == ["no faults are active"]


def test_a_held_answer_is_told_and_released(ctl: Run, service: RunningService) -> None:
    assert lines(ctl, "arm", "hold") == []
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(RawClient(service.base_url, service.key("sandbox")).say, "GET", LOT)
        while service.faults.held == 0:
            assert not held.done()
        assert lines(ctl, "faults")[-1] == "1 response on hold; release them with: svc-tui sandbox ctl release"
        assert lines(ctl, "release") == []
        assert held.result(60).status == 200


def test_attempts_tell_why_a_signature_was_wrong(ctl: Run, service: RunningService) -> None:
    assert lines(ctl, "attempts") == ["no requests received"]
    live = RawClient(service.base_url, service.key("live"))
    live.say("GET", LOT, timestamp=str(int(time.time())), signed_target="/v1/other")
    RawClient(service.base_url, None).say("GET", "/v1/x?y=%1b")
    first, why, signed, second, missing = lines(ctl, "attempts")
    assert first == f"   1 GET    {LOT} · live · signature wrong · 401 signature_mismatch"
    assert why.strip() == "the digest is different from the one that the service computed"
    assert re.fullmatch(rf" +string to sign: \d+\.GET\.{LOT}\.[0-9a-f]{{64}}", signed)
    assert second == "   2 GET    /v1/x?y=%1b · no key · signature absent · 401 api_key_missing"
    assert missing.strip().startswith("send the header Authorization")
    assert len(lines(ctl, "attempts", "--after", "1")) == 2
    assert [one["number"] for one in json.loads(lines(ctl, "attempts", "--json")[0])["attempts"]] == [1, 2]
    assert lines(ctl, "forget") == []
    assert lines(ctl, "attempts") == ["no requests received"]


def test_a_record_is_printed_as_it_is_stored(ctl: Run, service: RunningService) -> None:
    stored = service.record("operations/lots", "lot-000001")
    assert lines(ctl, "record", "lots", "lot-000001") == [stored]
    assert lines(ctl, "record", "operations/lots", "lot-000001") == [stored]
    ended = ctl("record", "lots", "none")
    assert (ended.status, ended.err) == (1, "svc-tui: no record 'none' in operations/lots\n")


def test_a_key_is_rotated_and_the_new_pair_is_printed(ctl: Run, service: RunningService) -> None:
    old = RawClient(service.base_url, service.key("live"))
    [line] = lines(ctl, "rotate", "live")
    new = RawClient(service.base_url, IssuedKey(**json.loads(line)))
    assert (old.say("GET", LOT).code, new.say("GET", LOT).status) == ("api_key_revoked", 200)
    assert ctl("rotate", "nobody").status == 1


def test_the_clock_is_told_and_set(ctl: Run, service: RunningService) -> None:
    assert lines(ctl, "clock")[0].endswith("(real time)")
    assert lines(ctl, "clock", "--offset", "-400")[0].endswith(", 400 s behind")
    assert RawClient(service.base_url, service.key("live")).say("GET", LOT).code == "timestamp_stale"
    assert lines(ctl, "clock", "--advance", "500.5")[0].endswith(", 100.5 s ahead")
    assert json.loads(lines(ctl, "clock", "--json")[0])["offset_seconds"] == 100.5
    assert ctl("clock", "--offset", "1", "--advance", "1").status == 2


def test_data_is_kept_and_comes_back_and_a_reset_is_the_start(ctl: Run, service: RunningService) -> None:
    client = RawClient(service.base_url, service.key("sandbox"))
    seeded = client.say("GET", LOT).json["name"]
    client.say("PATCH", LOT, '{"name":"kept"}')
    assert lines(ctl, "snapshot") == []
    client.say("PATCH", LOT, '{"name":"later"}')
    assert lines(ctl, "restore") == []
    assert client.say("GET", LOT).json["name"] == "kept"
    assert lines(ctl, "health")[-1] == "snapshots: default"
    assert lines(ctl, "reset") == []
    assert client.say("GET", LOT).json["name"] == seeded
    ended = ctl("restore", "other")
    assert (ended.status, ended.err) == (1, "svc-tui: unknown snapshot 'other'; the snapshots are: default\n")


@pytest.mark.parametrize(
    ("words", "variables", "status", "message"),
    [
        (
            ("health",),
            {"SVC_SANDBOX_URL": ""},
            2,
            "the URL of the local sandbox is missing; set SVC_SANDBOX_URL or add --url URL",
        ),
        (("health",), {"SVC_SANDBOX_TOKEN": ""}, 2, "the control token is missing; set SVC_SANDBOX_TOKEN"),
        (
            ("health",),
            {"SVC_SANDBOX_TOKEN": "another token"},
            1,
            "the header x-svc-control does not contain the control",
        ),
        (("health",), {"SVC_SANDBOX_URL": "sandbox:8000"}, 2, "sandbox:8000 is not a URL such as"),
        (
            ("health",),
            {"SVC_SANDBOX_URL": "http://127.0.0.1:1"},
            3,
            "http://127.0.0.1:1 can't be reached: Connection ref",
        ),
        (
            ("reset",),
            {"SVC_SANDBOX_URL": "http://127.0.0.1:1"},
            3,
            "http://127.0.0.1:1 can't be reached: Connection ref",
        ),
        (("arm", "flood"), {}, 1, "unknown fault 'flood'; choose from 429, 500"),
        (("arm", "429", "--count", "1", "--every", "2"), {}, 2, "--count and --every can't be used together"),
        (("arm", "429", "--method", "FETCH"), {}, 1, "method must be 'GET'"),
    ],
)
def test_what_can_t_be_done_is_told_in_one_line(
    ctl: Run,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    variables: dict[str, str],
    status: int,
    message: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    ended = ctl(*words)
    assert (ended.status, ended.out) == (status, b"")
    assert ended.err.startswith(f"svc-tui: {message}")
    assert ended.err.count("\n") == 1
    assert TOKEN not in ended.err


PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<html>hi</html>"
DOCUMENT = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes], list[bytes]]]:
    """Puts something else in the place of the sandbox, with one answer to all; b"" for none. What it was asked."""
    with contextlib.ExitStack() as opened:

        def begin(answer: bytes) -> list[bytes]:
            listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
            heard: list[bytes] = []

            def serve() -> None:
                # Ends when the listener is shut down; a client may be gone before it is answered.
                with contextlib.suppress(OSError), contextlib.ExitStack() as kept:
                    while True:
                        connection = kept.enter_context(listener.accept()[0])
                        heard.append(connection.recv(65_536))
                        if answer:
                            with connection:
                                connection.sendall(answer)

            thread = threading.Thread(target=serve)
            thread.start()
            opened.callback(thread.join)
            opened.callback(listener.shutdown, socket.SHUT_RDWR)
            monkeypatch.setenv("SVC_SANDBOX_URL", f"http://127.0.0.1:{listener.getsockname()[1]}")
            monkeypatch.setenv("SVC_SANDBOX_TOKEN", TOKEN)
            return heard

        yield begin


@pytest.mark.parametrize("answer", [PAGE, DOCUMENT])
@pytest.mark.parametrize(
    "words",
    [("health",), ("faults",), ("reset",), ("clock", "--advance", "1"), ("rotate", "live"), ("record", "a", "b")],
)
def test_what_is_no_sandbox_has_done_nothing(
    run: Run, stranger: Callable[[bytes], list[bytes]], answer: bytes, words: tuple[str, ...]
) -> None:
    stranger(answer)
    ended = run("sandbox", "ctl", *words)
    assert (ended.status, ended.out) == (3, b"")
    assert ended.err.endswith(" is not a sandbox: it returned 200\n")


@pytest.mark.parametrize("status", [b"302 Found", b"303 See Other", b"307 Temporary Redirect"])
@pytest.mark.parametrize("words", [("faults",), ("reset",)])
def test_the_token_goes_nowhere_else(
    run: Run, stranger: Callable[[bytes], list[bytes]], status: bytes, words: tuple[str, ...]
) -> None:
    elsewhere = stranger(DOCUMENT)
    url = os.environ["SVC_SANDBOX_URL"].encode()
    stranger(b"HTTP/1.1 " + status + b"\r\nLocation: " + url + b"/there\r\nContent-Length: 0\r\n\r\n")
    ended = run("sandbox", "ctl", *words)
    assert (ended.status, elsewhere) == (3, [])
    assert ended.err.endswith(f" is not a sandbox: it returned {status[:3].decode()}\n")


def test_a_wait_is_over_in_time_though_something_listens(run: Run, stranger: Callable[[bytes], list[bytes]]) -> None:
    stranger(b"")
    began = time.monotonic()
    assert run("sandbox", "ctl", "health", "--wait", "0.3").status == 3
    assert time.monotonic() - began < 5


def test_an_address_that_is_none_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_SANDBOX_URL", "http://[::1")
    ended = run("sandbox", "ctl", "faults", "--token", TOKEN)
    assert ended.status == 2
    assert "is not a URL such as" in ended.err


def test_a_service_without_control_routes_is_told(ctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with running_service(SandboxOptions(records=5)) as closed:
        monkeypatch.setenv("SVC_SANDBOX_URL", closed.base_url)
        ended = ctl("health")
    assert ended.status == 3
    assert "has no control routes; start it with --control-token" in ended.err
