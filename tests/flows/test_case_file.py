"""The case file: what was looked at and changed for a ticket, as Markdown, without secrets and masked where wanted."""

import stat
from pathlib import Path

from svc_tui.core.kinds import MASKED
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import at_name, renamed


async def asked(user: User) -> None:
    """Choose it from the palette."""
    await user.press("ctrl+p")
    await user.types("case file")
    await user.sees(r"Case file…")
    await user.press("enter")
    await user.sees(r"─ Case file ─")


async def written_to(user: User, file: Path, ticket: str) -> None:
    await user.press("ctrl+u")
    await user.types(ticket)
    await user.press("tab", "ctrl+u")
    await user.types(str(file))
    await user.press("enter")
    await user.until(lambda: any(r.title == "Case file saved" for r in user.app.main.reports), "it was not written")


async def test_it_holds_what_was_opened_changed_and_asked(service: RunningService, tmp_path: Path) -> None:
    file = tmp_path / "case.md"
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await user.press("enter")
        await user.sees(r"╭─ lot-000002 ")
        await user.until(lambda: len(user.app.main.features.session_log.log.viewed) == 1, "it was not noted")
        await user.press("1", "2")
        await renamed(user, "Tailings")
        await user.press("ctrl+s")
        await user.sees(r"Change lot-000002")
        await user.press("t")
        await user.types("SUP-4711")
        await user.press("enter", "y")
        await user.sees(r"Saved lot-000002")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await user.press("ctrl+u")
        await user.types("/operations/lots/lot-000003")
        await user.press("ctrl+j")
        await user.sees(r"200 OK")
        await asked(user)
        await user.sees(r"1 record viewed, 1 change, 2 requests\.")
        await written_to(user, file, "SUP-4711")
    text = file.read_text()
    assert text.startswith("# Case file: SUP-4711\n")
    assert "environment: **SANDBOX**" in text
    assert "### PATCH `operations/lots/lot-000002`" in text
    assert '| `name` | `"Cobalt doré 2"` | `"Tailings"` |' in text
    assert "- outcome: done (200)" in text
    assert "- ticket: `SUP-4711`" in text
    assert "## Viewed (1)" in text
    assert "The record changed afterwards:" in text
    assert "### GET `/v1/operations/lots/lot-000003`" in text
    assert 'Request body:\n\n```json\n{\n  "name": "Tailings"\n}\n```' in text
    key = service.key("sandbox")
    assert key.api_key not in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_masked_fields_are_masked_in_it(service: RunningService, tmp_path: Path) -> None:
    file = tmp_path / "case.md"
    async with browser(service, tmp_path, place="workers/wrk-0001") as user:
        await user.until(lambda: len(user.app.main.features.session_log.log.viewed) == 1, "it was not noted")
        await user.press("ctrl+o")
        await user.sees(r"MASKED")
        await asked(user)
        await written_to(user, file, "")
    text = file.read_text()
    assert "wrk-0001" in text
    assert f'"email": "{MASKED}"' in text
    assert "worker1@mine.example" not in text
    assert "personal data is masked" in text


async def test_it_can_be_copied_instead(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        await user.until(lambda: len(user.app.main.features.session_log.log.viewed) == 1, "it was not noted")
        await asked(user)
        await user.press("ctrl+y")
        await user.until(lambda: user.app.clipboard.startswith("# Case file: no ticket"), "it was not copied")
