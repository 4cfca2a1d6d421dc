"""Another key of the same profile and URL: what was made with the first one is asked about before it is read out."""

from datetime import UTC, datetime
from pathlib import Path

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.core.draft import Draft
from svc_tui.core.records import Record
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.drafts import SavedDraft
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.storage.key_fingerprints import KeyInUse
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from tests.reader.talking import session_on, talk
from tests.reader.test_writes import LOT, stored
from tests.tenants import NORTH

SCOPE = StorageScope("test", Environment.SANDBOX, "test-service")
NOW = datetime.now(UTC)


def writes(service: RunningService) -> list[str]:
    """The methods of the writes that arrived."""
    return [attempt.method for attempt in service.attempts if attempt.method != "GET"]


async def test_a_draft_of_another_key_is_asked_about(service: RunningService, tmp_path: Path) -> None:
    async with Store.open(tmp_path / "svc-tui.db") as store:
        draft = Draft(Record({"id": LOT, "name": stored(service)["name"]}), {"name": "Northern"})
        key = KeyInUse(store.fingerprints, lambda: NORTH.api_key)
        await store.drafts(SCOPE, key).keep(SavedDraft(COLLECTIONS[0], LOT, draft, NOW))
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [f":lots/{LOT}", "review", "no", "send"])).said
        assert any(
            line.startswith(f"The draft of {LOT} was created with another key of this profile.") for line in said
        )
        assert "Nothing was sent." in said
        assert writes(service) == []
        await talk(session, [f":lots/{LOT}", "review", "yes", "send"])
    assert stored(service)["name"] == "Northern"


async def test_a_write_sent_with_another_key_is_asked_about_before_its_undo(
    service: RunningService, tmp_path: Path
) -> None:
    place = f"operations/lots/{LOT}"
    intent = Intent(NOW, "PATCH", f"/v1/{place}", place, "k", {"name": "Northern"}, {"name": stored(service)["name"]})
    async with Store.open(tmp_path / "svc-tui.db") as store:
        journal = store.journal(SCOPE, "", KeyInUse(store.fingerprints, lambda: NORTH.api_key))
        await journal.conclude(await journal.intend(intent), Outcome(NOW, "done", 200))
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, ["journal", "undo 1", "no", "send"])).said
        assert any(line.endswith("with another key of this profile") for line in said)
        assert any(line.startswith("Change 1 was sent with another key of this profile.") for line in said)
        assert writes(service) == []
        await talk(session, ["undo 1", "yes", "send"])
    assert stored(service)["name"] == "Northern"
