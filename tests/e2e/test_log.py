"""The log of a real run: what went over the wire is in it, and neither key nor secret."""

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


def test_where_it_is_switched_off_there_is_none(service: RunningService, tmp_path: Path) -> None:
    variables = steps.connection(service, "sandbox")
    with terminal(["--log-level", "off"], quiet_environment(tmp_path, **variables)) as user:
        user.sees(r"lot-000001")
        steps.quits(user)
    assert list(tmp_path.rglob("svc-tui.log*")) == []
