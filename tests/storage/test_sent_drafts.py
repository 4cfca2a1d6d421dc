"""Drafts that were sent before the program ended: what of them is let go of at the next start."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Json
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.storage.drafts import SavedDraft
from svc_tui.storage.journal_entries import Outcome
from svc_tui.storage.store import Store
from tests.storage.conftest import LOTS, NOW, SHELF, an_intent

PLACE = Place(LOTS, "lot-1")
SENT = replace(an_intent(), before={"name": "Was", "note": None}, after={"name": "Sent", "note": "Sent too"})
DRAFT = Draft(Record({"id": "lot-1", "name": "Was", "note": None}), {"name": "Sent", "note": "Sent too"})
LATER = NOW + timedelta(seconds=1)


async def left_by(path: Path, result: str, draft: Draft = DRAFT, *, changed_later: bool = False) -> Mapping[str, Json]:
    """The edits that a start finds, takes up and keeps, after a write of them that ended so."""
    earlier = NOW - timedelta(seconds=1)
    async with Store.open(path) as store:
        drafts, journal = store.drafts(SHELF), store.journal(SHELF)
        await drafts.keep(SavedDraft(LOTS, "lot-1", DRAFT, earlier))
        number = await journal.intend(SENT, PLACE)
        if result:
            await journal.conclude(number, Outcome(LATER, result, 200))
        await drafts.keep(SavedDraft(LOTS, "lot-1", draft, LATER if changed_later else earlier))
    async with Store.open(path) as store:
        taken_up = Drafts(store.drafts(SHELF), lambda: LATER)
        await taken_up.load()
        await taken_up.remove_sent(store.journal(SHELF))
        held = taken_up.draft(PLACE)
        assert [saved.draft for saved in await store.drafts(SHELF).all()] == ([held] if held else [])
    return held.edits if held else {}


@pytest.mark.parametrize("result", ["refused", "unknown", "not sent", ""])
async def test_what_is_not_known_to_be_done_stays(path: Path, result: str) -> None:
    assert await left_by(path, result) == DRAFT.edits


async def test_what_is_done_is_let_go_of(path: Path) -> None:
    assert await left_by(path, "done") == {}


@pytest.mark.parametrize("later", [False, True])
async def test_another_value_of_a_field_is_another_edit(path: Path, later: bool) -> None:
    assert await left_by(path, "done", DRAFT.with_value("name", "Typed"), changed_later=later) == {"name": "Typed"}


async def test_what_the_service_answered_with_another_value_stays(path: Path) -> None:
    assert await left_by(path, "done", replace(DRAFT, untaken=frozenset({"name"}))) == {"name": "Sent"}


async def test_the_same_value_typed_again_on_a_record_that_others_changed_stays(path: Path) -> None:
    again = replace(DRAFT, base=Record({"id": "lot-1", "name": "Others' since", "note": None}))
    assert await left_by(path, "done", again, changed_later=True) == {"name": "Sent"}
