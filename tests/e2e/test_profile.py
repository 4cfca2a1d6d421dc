"""The browser on a profile's file: its columns, query, spelling, references and routes, and no way to write."""

from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import quiet_environment, terminal

pytestmark = pytest.mark.terminal

PROFILE = """\
api_key = {{ env = "WORK_KEY" }}
signing_secret = {{ file = "work.secret" }}
base_url = "{url}"
page_size = 20
read_only = true

[collections."operations/lots"]
query = {{ status = "open" }}
columns = ["id", "assay.goldPpm", "grade"]
references = {{ grade = "workforce/workers" }}

[collections."operations/analytics"]
segment = "kpis"

[[routes]]
name = "Weigh the lot anew"
method = "POST"
path = "/v1/operations/lots/{{id}}/weigh"
"""


@pytest.fixture
def environment(tmp_path: Path, service: RunningService) -> dict[str, str]:
    """A home with the profile called work, whose key is in a variable and whose secret is in a file."""
    directory = tmp_path / "config" / "svc-tui" / "profiles"
    directory.mkdir(parents=True)
    key = service.key("live")
    for name, text in (("work.toml", PROFILE.format(url=service.base_url)), ("work.secret", key.signing_secret or "")):
        (directory / name).write_text(text)
        (directory / name).chmod(0o600)
    return quiet_environment(tmp_path, WORK_KEY=key.api_key)


def targets(service: RunningService) -> list[str]:
    """What was asked of the service so far."""
    return [attempt.target for attempt in service.attempts]


@pytest.mark.parametrize("named", ["option", "variable"])
def test_the_browser_opens_on_a_profile_as_its_file_says(
    service: RunningService, environment: dict[str, str], named: str
) -> None:
    words = ["--profile", "work"] if named == "option" else []
    if named == "variable":
        environment["SVC_TUI_PROFILE"] = "work"
    with terminal([*words, "lots"], environment) as user:
        user.sees(r"LIVE +work · 127\.0\.0\.1:\d+ +signed +READ ONLY")
        user.sees(r"│ id +assay\.goldPpm +grade +│")
        user.sees(r"lot-\d+ +[\d.]+ ")
        assert "/v1/operations/lots?page=1&limit=20&status=open" in targets(service)
        assert all(attempt.signed for attempt in service.attempts)
        user.sees(r"› Weigh the lot an… +POST")
        user.press("enter")
        user.sees(r" grade +\S+ →")
        user.press("x")
        user.sees(r"Weigh the lot anew")
        user.press("esc")
        user.loses(r"Weigh the lot anew")
        steps.quits(user)


@pytest.mark.parametrize("place", ["lots", "/v1/operations/lots", "lots/lot-000003", ""])
def test_the_first_page_is_asked_for_once_as_the_table_wants_it(
    service: RunningService, environment: dict[str, str], tmp_path: Path, place: str
) -> None:
    state = tmp_path / "state" / "svc-tui" / "state.toml"
    state.parent.mkdir(parents=True)
    state.write_text('[[collections."operations/lots".query]]\nname = "grade"\nvalue = "A"\n')
    with terminal(["--profile", "work", *filter(None, [place])], environment) as user:
        user.sees(r"[─·] \?grade=A ✕ [─·]")
        user.sees(r"200 ·|404 ·")
        steps.quits(user)
    pages = [target for target in targets(service) if "page=1&" in target]
    assert pages == ["/v1/operations/lots?page=1&limit=20&status=open&grade=A"]


def test_a_spelling_of_the_users_own_is_what_is_asked_for(service: RunningService, environment: dict[str, str]) -> None:
    with terminal(["--profile", "work", "analytics"], environment) as user:
        user.sees(r"─ operations / analytics ─")
        # The service has no such place, and says so.
        user.sees(r"not_found|404 ·")
        steps.quits(user)
    assert "/v1/operations/kpis?page=1&limit=20" in targets(service)
    assert not [target for target in targets(service) if "analytics" in target]


def test_a_profile_that_is_read_only_is_locked_for_good(service: RunningService, environment: dict[str, str]) -> None:
    with terminal(["--profile", "work", "tunnels"], environment, 160) as user:
        user.sees(r"READ ONLY")
        user.sees(r"tun-01 ")
        steps.opens_record(user, "tun-01")
        steps.edits(user, "tun-01", "name", "Renamed", ("id", "name"))
        user.press("ctrl+s")
        user.press("ctrl+q")
        user.sees(r"Quit|not sent yet")
        assert "Change tun-01" not in user.text
    assert {attempt.method for attempt in service.attempts} == {"GET"}
