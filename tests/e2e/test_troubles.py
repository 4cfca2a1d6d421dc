"""Troubles on the way to the service, as the screen tells them; after each, the program goes on."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.e2e import steps
from tests.fixed_keys import fixed
from tests.terminal import quiet_environment, terminal

pytestmark = pytest.mark.terminal


def test_a_rate_limit_is_counted_down_and_survived(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        service.faults.next("429", retry_after=3)
        user.press("G")
        user.until(lambda: re.search(r"429 · retry in [1-3] s", user.printed) is not None, "no wait was told")
        user.sees(r"lot-000300 ")
        user.loses(r"retry in")
        user.sees(r"200 · [\d.]+ m?s")
        steps.quits(user)
    assert [attempt.status for attempt in service.attempts].count(429) == 1


def test_a_service_that_stops_and_comes_back_costs_nothing(tmp_path: Path) -> None:
    database = tmp_path / "service.db"
    with ExitStack() as first:
        service = first.enter_context(running_service(SandboxOptions(records=60, database=database)))
        with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
            user.sees(r"lot-000001 ")
            steps.opens_record(user, "lot-000001")
            steps.edits(user, "lot-000001", "name", "Kept")
            first.close()

            steps.reviews(user, "lot-000001")
            user.press("y")
            user.sees(r"lot-000001 was not sent|lot-000001 was not changed")
            user.sees(r"connection refused")
            user.sees(r"no response")
            user.sees(r"─ • lot-000001 ─")

            again = SandboxOptions(
                port=urlsplit(service.base_url).port or 0, records=60, database=database, keys=fixed(*service.keys)
            )
            with running_service(again) as returned:
                steps.reviews(user, "lot-000001")
                user.press("y")
                user.sees(r"Saved lot-000001")
                user.sees(r"─ lot-000001 ─")
                assert '"Kept"' in (returned.record("operations/lots", "lot-000001") or "")
                steps.quits(user)


def test_a_wrong_secret_is_named_and_is_not_the_clock(service: RunningService, tmp_path: Path) -> None:
    variables = steps.connection(service, "live", secret="svcsec_of_the_key_before_the_rotation")
    with terminal([], quiet_environment(tmp_path, **variables)) as user:
        user.sees(r"signature_mismatch")
        user.sees(r"rotation[\s\S]+changes both")
        user.sees(r"LIVE .*signature refused")
        assert "clock" not in user.text
        user.press("?")
        user.sees(r"─ (Keys|Help)")
        steps.closes(user, r"─ (Keys|Help)")
        steps.quits(user)
    assert b"svcsec_of_the_key" not in user.raw


@pytest.mark.parametrize(("fault", "shown"), [("clock-ahead", r"\+"), ("clock-behind", "-")])
def test_a_clock_that_is_off_is_said_and_mended(tmp_path: Path, fault: str, shown: str) -> None:
    with (
        running_service(SandboxOptions(records=60, faults=(fault,))) as service,
        terminal([], quiet_environment(tmp_path, **steps.connection(service, "live"))) as user,
    ):
        user.sees(r"lot-000001 ")
        # An answer tells whole seconds, to half of what it was under way for.
        user.sees(rf"clock {shown}(19 min 59 s|20 min)")
        assert "refused" not in user.text
        steps.opens_record(user, "lot-000001")
        steps.edits(user, "lot-000001", "name", "In time")
        steps.unlocks(user)
        steps.reviews(user, "lot-000001")
        user.press("y")
        user.sees(r"Saved lot-000001")
        steps.quits(user)


def test_a_clock_that_can_not_be_mended_is_said_to_be_the_clock(tmp_path: Path) -> None:
    with (
        running_service(SandboxOptions(records=60, faults=("clock-ahead",))) as service,
        without_dates(service.base_url) as base_url,
    ):
        variables = {**steps.connection(service, "live"), "SVC_BASE_URL": base_url}
        with terminal([], quiet_environment(tmp_path, **variables)) as user:
            user.sees(r"this is a clock problem, not a wrong secret")
            user.sees(r"timestamp_stale")
            service.faults.clear()
            user.press("r")
            user.sees(r"lot-000001 ")
            steps.quits(user)


@contextmanager
def without_dates(base_url: str) -> Iterator[str]:
    """A gateway in front of the service that takes the Date out of every answer; gives its base URL."""

    class Gateway(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            service = HTTPConnection(urlsplit(base_url).netloc)
            service.request("GET", self.path, headers=dict(self.headers.items()))
            answer = service.getresponse()
            body = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("date", "connection", "transfer-encoding"):
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            service.close()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
