"""Another key of the same profile and URL: what the first one made is shown, and asked about before it goes."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS, SPLIT
from svc_tui.core.credentials import Environment
from svc_tui.core.draft import Draft
from svc_tui.core.field_forms import FieldForm, FormAction, FormLine, FormTarget, SavedForm
from svc_tui.core.kinds import Kind
from svc_tui.core.records import Record
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.search.session_index import SessionIndex
from svc_tui.storage.drafts import SavedDraft
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.storage.key_fingerprints import KeyInUse
from svc_tui.storage.plan import Plan, PlanRow
from svc_tui.storage.record_index.record_index import RecordIndex
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from tests.browser import User, browser
from tests.flows.steps import RECORD, at_name, chosen, commanded, heard, renamed, stored_field
from tests.flows.test_finding import finder
from tests.flows.test_index import indexed
from tests.flows.test_rotating import asked as asked_for_pair
from tests.flows.test_rotating import fills_in, kept, opened, replaced
from tests.flows.test_switching import made
from tests.tenants import NORTH, SOUTH, port_of, serving

LOTS = COLLECTIONS[0]
SCOPE = StorageScope("test", Environment.SANDBOX, "test-service")
PLACE = f"operations/lots/{RECORD}"
NOW = datetime.now(UTC)


@pytest.fixture
def southern() -> Iterator[RunningService]:
    """The service of the other tenant."""
    with serving(SOUTH) as service:
        yield service


def intent_of(service: RunningService, run: str = "") -> Intent:
    """A write of the name that the southern record has now, so that its undo would change it."""
    now_there = {"name": str(stored_field(service, "name"))}
    return Intent(NOW, "PATCH", f"/v1/{PLACE}", PLACE, "key-1", {"name": "Northern"}, now_there, batch=run, row=1)


async def asked(user: User, what: str) -> None:
    """See the question, its safe answer in focus, and take that."""
    await user.sees(r"Another key was used")
    await user.sees(what)
    assert user.app.screen.focused is not None
    assert user.app.screen.focused.id == "no"
    await user.press("enter")
    await user.loses(r"Another key was used")


def used(index: SessionIndex) -> RecordIndex | None:
    """The index that is used now."""
    return index.index


def writes(service: RunningService) -> list[str]:
    """The methods of the writes that arrived."""
    return [attempt.method for attempt in service.attempts if attempt.method != "GET"]


async def test_the_finder_finds_nothing_of_the_other_keys_index(tmp_path: Path) -> None:
    with serving(NORTH, records=40) as northern:
        async with browser(northern, tmp_path, place="lots", index=True) as user:
            await indexed(user)
            await finder(user)
            await user.types("lot-000040")
            await user.sees(r"lots +lot-000040 ")
        port = port_of(northern)
    with serving(SOUTH, port, records=30) as service:
        async with browser(service, tmp_path, place="lots", index=True) as user:
            await heard(
                user, r"was created with another key of this profile. A second index is created for the current key"
            )
            await indexed(user)
            screen = await finder(user)
            await user.types("lot-000030")
            await user.sees(r"lots +lot-000030 ")
            await user.press("ctrl+u")
            await user.types("lot-000040")
            await user.settled()
            assert "lot-000040" not in {match.place.record_id for match in screen.results.matches}
            await user.press("escape")
            await commanded(user, "changes by others", "What changed?")
            await user.sees(r"No changes by others since")
    assert len(list((tmp_path / "indexes").glob("*.db"))) == 2


@pytest.mark.parametrize("own", [False, True])
async def test_a_draft_of_another_key_is_asked_about_before_its_card(
    southern: RunningService, tmp_path: Path, own: bool
) -> None:
    async with Store.open(tmp_path / "svc-tui.db") as store:
        key = KeyInUse(store.fingerprints, lambda: SOUTH.api_key if own else NORTH.api_key)
        name = str(stored_field(southern, "name"))
        draft = Draft(Record({"id": RECORD, "name": name}), {"name": "Northern"})
        await store.drafts(SCOPE, key).keep(SavedDraft(LOTS, RECORD, draft, NOW))
    async with browser(southern, tmp_path, place=f"lots/{RECORD}") as user:
        await user.sees(r"Northern\*")
        await user.press("ctrl+s")
        if not own:
            await asked(user, rf"The draft of {RECORD} was created with another key of this profile")
            assert writes(southern) == []
            await user.press("ctrl+s")
            await user.sees(r"y Continue")
            await user.press("y")
        await user.sees(rf"Change {RECORD}")
        await user.sees(r"y Send")
        await user.press("y")
        await user.sees(rf"Saved {RECORD}")
    assert stored_field(southern, "name") == "Northern"


async def test_a_write_sent_with_another_key_is_asked_about_before_its_undo(
    southern: RunningService, tmp_path: Path
) -> None:
    async with Store.open(tmp_path / "svc-tui.db") as store:
        journal = store.journal(SCOPE, "", KeyInUse(store.fingerprints, lambda: NORTH.api_key))
        await journal.conclude(await journal.intend(intent_of(southern)), Outcome(NOW, "done", 200))
    async with browser(southern, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("u")
        await user.sees(r"other API key · name")
        await user.press("enter")
        await asked(user, r"Change 1 was sent with another key of this profile")
        assert writes(southern) == []
        await user.press("u")
        await user.sees(r"other API key · name")
        await user.press("enter")
        await user.sees(r"y Continue")
        await user.press("y")
        await user.sees(r"\+ Northern")
        await user.sees(r"y Send")
        await user.press("y")
        await heard(user, rf"Undone: change of {RECORD}")
    assert stored_field(southern, "name") == "Northern"


async def test_a_write_of_another_key_whose_outcome_is_unknown_is_not_taken_for_done(
    southern: RunningService, tmp_path: Path
) -> None:
    async with Store.open(tmp_path / "svc-tui.db") as store:
        journal = store.journal(SCOPE, "", KeyInUse(store.fingerprints, lambda: NORTH.api_key))
        await journal.conclude(await journal.intend(intent_of(southern)), Outcome(NOW, "unknown"))
    async with browser(southern, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("j", "l", "e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+u")
        await user.types("Other")
        await user.press("enter", "ctrl+s")
        await user.sees(rf"Change {RECORD} ")
        await user.puts_away_notices()
        await user.sees(r"y Send")
        await user.press("y")
        await heard(user, rf"Saved {RECORD}")
        entries = await user.store.journal(user.scope).entries()
    assert [entry.outcome.result for entry in entries if entry.outcome] == ["done", "unknown"]


async def test_a_form_of_another_key_is_asked_about_before_its_card(southern: RunningService, tmp_path: Path) -> None:
    async with Store.open(tmp_path / "svc-tui.db") as store:
        form = FieldForm((FormLine("name", Kind.TEXT, "Northern"),))
        key = KeyInUse(store.fingerprints, lambda: NORTH.api_key)
        await store.forms(SCOPE, key).keep(SavedForm(FormTarget(FormAction.NEW, LOTS), form, NOW))
    async with browser(southern, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("a")
        await user.sees(r"Northern")
        await user.press("ctrl+s")
        await asked(user, r"The form was filled in with another key of this profile")
        assert writes(southern) == []
        await user.press("ctrl+s")
        await user.sees(r"y Continue")
        await user.press("y")
        await user.sees(r"y Send")
        await user.press("y")
        await heard(user, r"Created lot-000031")
    assert writes(southern) == ["POST"]


async def test_the_second_form_of_an_action_is_asked_about_where_it_is_of_another_key(
    southern: RunningService, tmp_path: Path
) -> None:
    purpose = FormTarget(FormAction.ACTION, LOTS, RECORD, SPLIT)
    for api_key in (SOUTH.api_key, NORTH.api_key):
        async with Store.open(tmp_path / "svc-tui.db") as store:
            forms = store.forms(SCOPE, KeyInUse(store.fingerprints, lambda api_key=api_key: api_key))  # type: ignore[misc]
            await forms.keep(SavedForm(purpose, FieldForm((FormLine("parts", Kind.NUMBER, "2"),)), NOW))
    async with browser(southern, tmp_path, place="lots") as user:
        await heard(user, r"2 forms are not sent")
        await commanded(user, "not sent 2", "Form: Split a lot · lot-000002 (2)")
        await user.sees(r"Started (a moment|\d+ min) ago\.")
        await user.press("ctrl+s")
        await asked(user, r"The form was filled in with another key of this profile")
        assert writes(southern) == []


async def test_a_run_of_another_key_is_asked_about_before_it_goes_on_or_is_undone(
    southern: RunningService, tmp_path: Path
) -> None:
    now = str(stored_field(southern, "name", "lot-000003"))
    rows = (
        PlanRow(1, record_id=RECORD, base={"name": "Northern"}, edits={"name": "x"}, fields=("name",)),
        PlanRow(2, record_id="lot-000003", base={"name": now}, edits={"name": "Resumed"}, fields=("name",)),
    )
    async with Store.open(tmp_path / "svc-tui.db") as store:
        key = KeyInUse(store.fingerprints, lambda: NORTH.api_key)
        runs, journal = store.runs(SCOPE, key), store.journal(SCOPE, "", key)
        await runs.keep(Plan("b-1", LOTS, rows, NOW))
        await runs.let_go("b-1")
        await journal.conclude(await journal.intend(intent_of(southern, "b-1")), Outcome(NOW, "done", 200))
    async with browser(southern, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        for choice, what in (("Resume: ", "The run was started"), ("Undo 1 changed record", "The run was sent")):
            await commanded(user, "runs", "Runs…")
            await chosen(user, choice)
            await asked(user, f"{what} with another key of this profile")
        assert writes(southern) == []
        await commanded(user, "runs", "Runs…")
        await chosen(user, "Resume: ")
        await user.sees(r"y Continue")
        await user.press("y")
        await user.sees(r"Resumed")
        await user.press("y")
        await user.until(lambda: stored_field(southern, "name", "lot-000003") == "Resumed", "it did not go on")


@pytest.mark.parametrize("by_hand", [False, True])
async def test_a_new_pair_takes_index_and_edits_along_but_a_key_put_there_by_hand_does_not(
    service: RunningService, tmp_path: Path, by_hand: bool
) -> None:
    made(tmp_path, "work", service, "sandbox")
    async with browser(service, tmp_path, place="lots") as user:
        await opened(user)
        index = user.app.main.context.session.index
        index.wanted = True
        assert await index.open()
        await at_name(user)
        await renamed(user, "Before")
        before = used(index)
        assert before is not None
        new = service.key("test-signed")
        if by_hand:
            kept(tmp_path, "api_key").write_text(new.api_key)
            client = index.gateway
            assert isinstance(client, SignedClient)
            assert await client.reread_keys()
            assert used(index) is None
            await index.look()
            # Another look may be opening it.
            await user.until(lambda: used(index) not in (None, before), "the index of the new key was not opened")
            await user.press("ctrl+s")
            await asked(user, rf"The draft of {RECORD} was created with another key of this profile")
        else:
            await asked_for_pair(user)
            await fills_in(user, new.api_key, None)
            await replaced(user)
            assert used(index) is before
            await user.press("ctrl+s")
            await user.sees(rf"Change {RECORD}")
    assert len(list((tmp_path / "indexes").glob("*.db"))) == (2 if by_hand else 1)
