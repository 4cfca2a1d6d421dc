"""The command line and changes that want a second person: it sends none, and says who asks for one."""

from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.cli.conftest import Run

LOT = "operations/lots/lot-000001"


@pytest.fixture
def profile(home: Path, service: RunningService, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a profile with a live key, and rules."""
    key = service.key("live")
    monkeypatch.setenv("REAL_KEY", key.api_key)
    monkeypatch.setenv("REAL_SECRET", key.signing_secret or "")
    profiles = home / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True)
    (profiles / "real.toml").write_text(
        'api_key = { env = "REAL_KEY" }\nsigning_secret = { env = "REAL_SECRET" }\n'
        f'base_url = "{service.base_url}"\n'
        'team = "postgresql:///journal"\napprove = ["delete", "batch>1"]\n'
    )
    (profiles / "real.toml").chmod(0o600)
    return "real"


def writes(service: RunningService) -> list[str]:
    """The methods of the writes that arrived."""
    return [attempt.method for attempt in service.attempts if attempt.method != "GET"]


def test_a_request_that_a_rule_names_is_not_sent(run: Run, service: RunningService, profile: str) -> None:
    ran = run("request", "DELETE", LOT, "--live", "--profile", profile)
    assert ran.status != 0
    assert "requires approval (rule delete of this profile)" in ran.err
    assert "open svc-tui and request approval there" in ran.err
    assert writes(service) == []
    assert run("request", "PATCH", LOT, "-d", '{"massKg": 2}', "--live", "--profile", profile).status == 0
    assert writes(service) == ["PATCH"]


def test_a_plan_that_a_rule_names_is_not_begun(run: Run, service: RunningService, profile: str, home: Path) -> None:
    file, plan = home / "lots.csv", home / "lots.plan"
    file.write_text("id,massKg\nlot-000001,1.5\nlot-000002,1.5\n")
    assert run("plan", "lots", str(file), "-o", str(plan), "--profile", profile).status == 4
    ran = run("apply", str(plan), "--live", "--profile", profile)
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "this plan requires approval (rule batch>1 of the profile real)" in ran.err
    assert writes(service) == []
