"""Drafts, gathered for a moment before they go to the disk, so that a keystroke costs nothing."""

import sqlite3
from collections.abc import Mapping
from dataclasses import replace

from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.editing.ports import SavedDraft, StorageScope, StoreError
from svc_tui.domain.model.absent import ABSENT
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.domain.model.records import Record
from svc_tui.store.database import transaction
from svc_tui.store.database_thread import DatabaseThread
from svc_tui.store.debounce import DebouncedSaves
from svc_tui.store.row_values import place_key, place_of, read_json, read_object, read_time, scope_key


class SqliteDrafts:
    """The drafts of one scope; see `domain.editing.ports.DraftStore`. Every call raises StoreError.

    A row that can't be read is left where it is and left out; `unreadable` counts such rows.
    What was changed is written a moment later, see `DebouncedSaves`.
    Another program may edit the same record in the same store: what it changed since this one last read or wrote the
    draft stays on the disk.
    """

    def __init__(self, worker: DatabaseThread, scope: StorageScope) -> None:
        self._database = worker
        self._scope = scope_key(scope)
        self._saves: DebouncedSaves[SavedDraft] = DebouncedSaves(self._written)
        self._known: dict[str, Mapping[str, Json]] = {}

    async def all(self) -> list[SavedDraft]:
        """Every draft of this scope, the one changed last first."""
        await self.flush()
        return await self._database.run(self._read)

    async def keep(self, draft: SavedDraft) -> None:
        """Keep this state of a draft in place of the one before; it is on the disk after a moment."""
        self._saves.keep(place_key(draft.collection, draft.record_id), draft)

    async def drop(self, collection: Collection, record_id: str) -> None:
        """Forget a draft that was sent or thrown away; it is gone from the disk when this returns."""
        await self._saves.drop(place_key(collection, record_id))

    async def flush(self) -> None:
        """Write everything that waits."""
        await self._saves.flush()

    async def aclose(self) -> None:
        """Write everything that waits, and gather no more."""
        await self._saves.aclose()

    async def _written(self, changes: Mapping[str, SavedDraft | None]) -> None:
        await self._database.run(lambda connection: self._write(connection, changes))

    def _write(self, connection: sqlite3.Connection, changes: Mapping[str, SavedDraft | None]) -> None:
        with transaction(connection):
            for place, change in changes.items():
                joined = self._joined(connection, place, change)
                if joined is None:
                    connection.execute("DELETE FROM drafts WHERE shelf = ? AND place = ?", (self._scope, place))
                    continue
                draft = joined.draft
                connection.execute(
                    """
                    INSERT OR REPLACE INTO drafts (shelf, place, base, etag, edits, changed, untaken)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                    (
                        self._scope,
                        place,
                        dumps(draft.base.fields, ascii_only=True),
                        draft.base.etag,
                        dumps(draft.edits, ascii_only=True),
                        joined.changed.isoformat(),
                        dumps(sorted(draft.untaken), ascii_only=True),
                    ),
                )
        # Here, where one writing comes after the other: the next may begin before the caller knows of this one.
        for place, change in changes.items():
            self._known[place] = change.draft.edits if change is not None else {}

    def _joined(self, connection: sqlite3.Connection, place: str, mine: SavedDraft | None) -> SavedDraft | None:
        """What is to be on the disk: this program's draft, and the fields that only another program edited there."""
        row = connection.execute(f"{_SELECT_DRAFTS} WHERE shelf = ? AND place = ?", (self._scope, place)).fetchone()
        stored = None if row is None else _read_draft(*row)
        if stored is None:
            return mine
        known, wanted = self._known.get(place, {}), mine.draft.edits if mine is not None else {}
        theirs = {
            name: value
            for name, value in stored.draft.edits.items()
            if known.get(name, ABSENT) != value and wanted.get(name, ABSENT) == known.get(name, ABSENT)
        }
        if not theirs:
            return mine
        if mine is None:
            return replace(stored, draft=_with_edits(stored.draft, theirs))
        return replace(mine, draft=_merged(mine.draft, _with_edits(stored.draft, theirs)))

    def _read(self, connection: sqlite3.Connection) -> list[SavedDraft]:
        rows = connection.execute(f"{_SELECT_DRAFTS} WHERE shelf = ?", (self._scope,))
        drafts = [draft for row in rows if (draft := _read_draft(*row)) is not None]
        for draft in drafts:
            self._known.setdefault(place_key(draft.collection, draft.record_id), draft.draft.edits)
        return sorted(drafts, key=lambda draft: draft.changed, reverse=True)


def _with_edits(draft: Draft, edits: Mapping[str, Json]) -> Draft:
    """The draft with these of its edits alone."""
    return replace(draft, edits=edits, untaken=draft.untaken & edits.keys())


def _merged(mine: Draft, theirs: Draft) -> Draft:
    """Both drafts in one; each field edited keeps the old value that its edit was made on."""
    base = {name: value for name, value in mine.base.fields.items() if name not in theirs.edits}
    base |= {name: value for name, value in theirs.base.fields.items() if name in theirs.edits}
    etag = mine.base.etag if mine.base.etag == theirs.base.etag else ""
    return Draft(Record(base, etag), {**mine.edits, **theirs.edits}, mine.untaken | theirs.untaken)


def unreadable_drafts(connection: sqlite3.Connection) -> int:
    """How many drafts of all scopes can't be read."""
    return sum(_read_draft(*row) is None for row in connection.execute(_SELECT_DRAFTS))


_SELECT_DRAFTS = """
    SELECT CAST(place AS BLOB), CAST(base AS BLOB), CAST(etag AS BLOB), CAST(edits AS BLOB), CAST(changed AS BLOB),
           CAST(untaken AS BLOB)
    FROM drafts
"""
"""As bytes: one text that is not UTF-8 would end the reading of all."""


def _read_draft(
    place: bytes, base: bytes, etag: bytes, edits: bytes, changed: bytes, untaken: bytes
) -> SavedDraft | None:
    """The draft of one row; None where it is not as the store wrote it."""
    try:
        collection, record_id = place_of(place)
        draft = Draft(Record(read_object(base), etag.decode()), read_object(edits), _read_names(read_json(untaken)))
        return SavedDraft(collection, record_id, draft, read_time(changed.decode()))
    except (StoreError, UnicodeDecodeError):
        return None


def _read_names(value: Json) -> frozenset[str]:
    """The names in a list of them; raises StoreError."""
    names = frozenset(name for name in value if isinstance(name, str)) if isinstance(value, list) else frozenset()
    if not isinstance(value, list) or len(names) != len(value):
        raise StoreError("the store holds a draft that can't be read; move its database away")
    return names
