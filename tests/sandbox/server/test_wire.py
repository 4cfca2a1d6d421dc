"""The wire itself: targets on a shared connection, addresses to listen on, delayed answers."""

import contextlib
import http.client
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import h11
import pytest

from svc_tui.sandbox.data import records
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.http_protocol import RawTargetConnection
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.sandbox.raw_client import LOT, HandClock, RawClient, signature


def test_a_query_that_can_be_read_in_many_ways_holds_nobody_up(sandbox: RawClient) -> None:
    began = time.monotonic()
    assert sandbox.say("GET", f"/v1/operations/lots?{'page=' * 26}&x").status == 400
    assert time.monotonic() - began < 2


def test_each_request_on_one_connection_has_its_own_target(service: RunningService, clock: HandClock) -> None:
    key, at = service.key("live"), str(int(clock.now))
    assert key.signing_secret is not None
    targets = [LOT, "/v1/inventory/stock?", "/v1/inventory/stock?limit=1", LOT]
    requests = "".join(
        f"GET {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key.api_key}\r\nx-svc-timestamp: {at}\r\n"
        f"x-svc-signature: {signature(key.signing_secret, at, 'GET', target, b'')}\r\n"
        + ("Connection: close\r\n\r\n" if number == len(targets) else "\r\n")
        for number, target in enumerate(targets, 1)
    )
    host, _, port = service.base_url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(requests.encode())
        received = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert received.count(b"HTTP/1.1 200 OK\r\n") == len(targets)
    assert [attempt.target for attempt in service.attempts] == targets


@pytest.mark.parametrize("host", ["HTTP://other.test:8080", "https://[::1]"])
def test_a_target_in_absolute_form_is_answered(service: RunningService, sandbox: RawClient, host: str) -> None:
    # The signature covers the path from /v1 on, whatever stands before it.
    live = RawClient(service.base_url, service.key("live"), sandbox.clock)
    assert live.say("GET", f"{host}{LOT}?x=1", signed_target=f"{LOT}?x=1").json["id"] == LOT.rpartition("/")[2]
    assert sandbox.say("GET", host).code == "not_found"
    assert [attempt.target for attempt in service.attempts] == [f"{LOT}?x=1", "/"]


def test_the_host_of_a_target_in_absolute_form_is_its_own() -> None:
    connection = RawTargetConnection(h11.SERVER)
    connection.receive_data(b"GET http://other.test/control/health HTTP/1.1\r\nHost: localhost\r\nA: b\r\n\r\n")
    request = connection.next_event()
    assert list(request.headers) == [(b"host", b"other.test"), (b"a", b"b")]


def test_an_answer_is_written_at_once() -> None:
    connection = RawTargetConnection(h11.SERVER)
    connection.receive_data(b"GET /v1?a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n")
    connection.next_event()
    assert connection.target == b"/v1?a"
    assert connection.send(h11.InformationalResponse(status_code=100, headers=[])).startswith(b"HTTP/1.1 100 ")
    assert connection.send(h11.Response(status_code=200, headers=[("Content-Length", "2")])) == b""
    written = connection.send(h11.Data(data=b"{}"))
    assert written.startswith(b"HTTP/1.1 200 ")
    assert written.endswith(b"\r\n\r\n{}")
    assert connection.send(h11.EndOfMessage()) == b""


def test_a_client_that_does_not_read_is_let_go_when_the_service_ends() -> None:
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(60)
        with running_service(SandboxOptions(records=500)) as service:
            host, _, port = service.base_url.removeprefix("http://").partition(":")
            connection.connect((host, int(port)))
            head = f"Host: x\r\nAuthorization: Bearer {service.key('sandbox').api_key}\r\n\r\n"
            connection.sendall(f"GET /v1/operations/lots?limit=200 HTTP/1.1\r\n{head}".encode() * 100)
            last = 0
            while not last or len(service.attempts) > last:
                last = len(service.attempts)
                time.sleep(0.3)
            assert last < 100
        with contextlib.suppress(ConnectionResetError):
            while connection.recv(65_536):
                pass


def test_a_connection_stays_open_between_requests(service: RunningService) -> None:
    connection = http.client.HTTPConnection(service.base_url.removeprefix("http://"), timeout=60)
    headers = {"Authorization": f"Bearer {service.key('sandbox').api_key}"}
    ports = set()
    for body in (b'{"note":"one"}', b'{"massKg":"refused"}', b'{"note":"two"}'):
        connection.request("PATCH", LOT, body, headers)
        ports.add(connection.sock.getsockname())
        connection.getresponse().read()
    connection.close()
    assert len(ports) == 1


@pytest.mark.parametrize(("host", "shown"), [("localhost", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_it_listens_where_it_is_told(host: str, shown: str) -> None:
    if host == "::1":
        with socket.socket(socket.AF_INET6) as probe:
            try:
                probe.bind((host, 0))
            except OSError:
                pytest.skip("this machine has no IPv6 loopback")
    with running_service(SandboxOptions(host, records=1)) as service:
        assert service.base_url.startswith(f"http://{shown}:")
        assert RawClient(service.base_url, service.key("sandbox")).say("GET", LOT).status == 200


def test_latency_delays_every_answer() -> None:
    with running_service(SandboxOptions(records=1, latency_ms=40)) as service:
        for key in (service.key("sandbox"), None):
            started = time.monotonic()
            RawClient(service.base_url, key).say("GET", LOT)
            assert time.monotonic() - started >= 0.04


@pytest.mark.parametrize("fault", [None, "slow", "hold"])
def test_it_ends_at_once_under_open_connections(fault: str | None) -> None:
    with running_service(SandboxOptions(records=1)) as service:
        headers = {"Authorization": f"Bearer {service.key('sandbox').api_key}"}
        idle, busy = (http.client.HTTPConnection(service.base_url.removeprefix("http://"), timeout=60) for _ in "ib")
        idle.request("GET", LOT, headers=headers)
        assert idle.getresponse().read()
        if fault:
            service.faults.next(fault, delay=3600)
            busy.request("PATCH", LOT, b'{"note":"under way"}', headers)
            while '"under way"' not in str(service.record("operations/lots", "lot-000001")):
                assert busy.sock is not None
    for connection in (idle, busy):
        connection.close()
    assert service.attempts[0].status == 200


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/v1/operations/lots?status=open"),
        ("GET", "/v1/operations/lots?page=1&limit=5&st%61tus=open"),
        ("HEAD", "/v1/operations/lots?limit=5&status=open"),
        ("GET", "/v1/operations/hash-chain/verify?tunnelId=tun-01"),
    ],
)
def test_who_searches_among_all_records_holds_up_nobody(
    service: RunningService, sandbox: RawClient, monkeypatch: pytest.MonkeyPatch, method: str, target: str
) -> None:
    searching, go_on, search = threading.Event(), threading.Event(), records._search

    def waiting_search(*arguments: Any) -> Any:
        searching.set()
        assert go_on.wait(60)
        return search(*arguments)

    monkeypatch.setattr(records, "_search", waiting_search)
    with ThreadPoolExecutor(1) as other:
        found = other.submit(sandbox.say, method, target)
        assert searching.wait(60)
        said = [
            sandbox.say(*request)
            for request in (("GET", LOT), ("GET", "/v1/operations/lots?page=2&limit=5"), ("PATCH", LOT, '{"note":"n"}'))
        ]
        assert not found.done()
        go_on.set()
        assert [answer.status for answer in (found.result(), *said)] == [200] * 4
