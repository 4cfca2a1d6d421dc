"""Stores in directories that go with the test, and the values kept in them."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import Environment
from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Record
from svc_tui.storage.drafts import SavedDraft
from svc_tui.storage.journal_entries import Intent
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store

NOW = datetime(2026, 11, 20, 5, 12, 7, 123456, tzinfo=UTC)
SHELF = StorageScope("default", Environment.LIVE, "https://api.example.com")
OTHER_SHELF = StorageScope("default", Environment.SANDBOX, "https://sandbox.example.com")
LOTS = Collection("operations", "lots")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "svc-tui.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    async with Store.open(path) as store:
        yield store


def an_intent(ticket: str = "T-1", **after: Json) -> Intent:
    """A PATCH of one lot."""
    return Intent(
        at=NOW,
        method="PATCH",
        target="/v1/operations/lots/lot-1",
        place="operations/lots/lot-1",
        idempotency_key="6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
        before={"massKg": Number("1.50"), "note": None},
        after=after or {"massKg": Number("1.5000")},
        ticket=ticket,
    )


def a_draft(record_id: str = "lot-1", collection: Collection = LOTS, **edits: Json) -> SavedDraft:
    """An edited lot whose numbers and texts are hard to keep."""
    base = Record(
        {
            "id": record_id,
            "massKg": Number("12345678901234567890.10"),
            "tiny": Number("1E-400"),
            "name": "Łódź 🚂 \ud800 [/x]",
            "nested": {"b": [Number("0.0"), None, True], "a": ""},
        },
        etag='W/"7"',
    )
    return SavedDraft(collection, record_id, Draft(base, edits or {"massKg": Number("2.0")}), NOW)
