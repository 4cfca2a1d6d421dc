"""A run that was begun with another key of the profile goes on only where that is asked for."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.plans.conftest import Corrections
from tests.tenants import NORTH, SOUTH, port_of, serving

CHANGES = "id,massKg\nlot-000001,1.10\nlot-000002,2.20\nlot-000003,3.30\n"


def test_a_run_of_another_key_is_resumed_only_when_asked(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(NORTH) as service:
        monkeypatch.setenv("SVC_SANDBOX_BASE_URL", service.base_url)
        monkeypatch.setenv("SVC_API_KEY", NORTH.api_key)
        northern, port = Corrections(home, service, run), port_of(service)
        northern.plan(CHANGES)
        northern.run("request", "PATCH", "lots/lot-000002", "-d", '{"massKg": 77}')
        assert northern.apply().status == 1
    monkeypatch.setenv("SVC_API_KEY", SOUTH.api_key)
    with serving(SOUTH, port) as service:
        southern = Corrections(home, service, run)
        ran = southern.apply("--resume")
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err == (
            f"svc-tui: {southern.plan_file} was started with another key of this profile, possibly of another "
            "tenant; use that key again, or add --other-key to continue with the current key\n"
        )
        assert southern.writes() == []
        assert southern.apply("--resume", "--other-key", "--max-failures", "9").status != 2
    monkeypatch.setenv("SVC_API_KEY", NORTH.api_key)
    with serving(NORTH, port):
        assert "is not finished; add --resume to continue it" in northern.apply().err
