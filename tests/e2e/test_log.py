"""The log of a real run: what went over the wire is in it, and neither key nor secret."""

import stat
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import quiet_environment, terminal

pytestmark = pytest.mark.terminal


def test_a_run_leaves_its_traffic_in_the_log_and_no_secret(service: RunningService, tmp_path: Path) -> None:
    variables = steps.connection(service, "live")
    with terminal(["--log-level", "debug"], quiet_environment(tmp_path, **variables)) as user:
        user.sees(r"lot-000001")
        steps.quits(user)
    (log,) = tmp_path.rglob("svc-tui.log")
    text = log.read_text()
    assert "GET /v1/operations/lots?" in text
    assert " 200 answered in " in text
    for name in ("SVC_API_KEY", "SVC_SIGNING_SECRET"):
        assert variables[name] not in text


def test_the_first_request_of_all_is_in_it_where_nothing_was_ever_kept(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001")
        user.sees(r"200 ·")
        assert "can't be written" not in user.text
        steps.quits(user)
    (log,) = tmp_path.rglob("svc-tui.log")
    assert "#1 GET /v1/operations/lots?page=1&limit=50, attempt 1" in log.read_text()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (log.parent, log)] == [0o700, 0o600]


def test_where_nothing_can_be_kept_that_is_told_and_nothing_of_the_log(service: RunningService, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no directory")
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001")
        user.sees(r"READ ONLY")
        user.sees(r"read-only")
        assert "The log" not in user.text
        steps.quits(user)
    pages = [attempt.target for attempt in service.attempts if "page=1&" in attempt.target]
    assert pages == ["/v1/operations/lots?page=1&limit=50"]


def test_where_it_is_switched_off_there_is_none(service: RunningService, tmp_path: Path) -> None:
    variables = steps.connection(service, "sandbox")
    with terminal(["--log-level", "off"], quiet_environment(tmp_path, **variables)) as user:
        user.sees(r"lot-000001")
        steps.quits(user)
    assert list(tmp_path.rglob("svc-tui.log*")) == []
