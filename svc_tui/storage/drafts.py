"""Drafts, which are written to the disk a moment after they change, so that a keystroke does not wait for it."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct, field

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft, FieldChange
from svc_tui.core.jsontext import ABSENT, Absent, Json, dumps
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.storage.database import transaction
from svc_tui.storage.database_thread import DatabaseThread, on_thread
from svc_tui.storage.debounce import DebouncedSaves
from svc_tui.storage.errors import StoreError
from svc_tui.storage.key_fingerprints import KeyInUse, fingerprint_of, is_other_key
from svc_tui.storage.process_lock import ProcessLock
from svc_tui.storage.row_values import describe_unreadable, place_key, place_of, read_json, read_object, read_time


class SavedDraft(Struct, frozen=True):
    """A draft as the store holds it: where it belongs and when it was last changed.

    `intent` is the number of the journal entry that it was last sent with, 0 for none. `others` are edits of the same
    fields to other values, by other programs.
    `key_fingerprint` is that of the key in use when it was handed to the store.
    """

    collection: Collection
    record_id: str
    draft: Draft
    changed: datetime
    intent: int = 0
    others: tuple[FieldChange, ...] = ()
    key_fingerprint: str = ""


class DraftOnDisk(Struct, frozen=True):
    """What other programs did to a draft: the edits that they `removed`, and their own edits of its fields."""

    removed: Mapping[str, Json] = field(default_factory=dict)
    others: tuple[FieldChange, ...] = ()


class DraftStore:
    """Drafts of one scope: edits that are kept until they are sent or discarded. Every call raises StoreError.

    A row that can't be read stays in the database and is left out; `unreadable_drafts` counts such rows.
    Changes are written a moment later, see `DebouncedSaves`.
    Another program may edit the same record in the same store. This one replaces and removes the edits that it last
    read or wrote itself, by field and value, except those of a program that still runs: `edits_by_program`. If two
    programs edit one field, both edits stay on the disk: the one written last in `edits`, the other in `others`.
    """

    def __init__(self, worker: DatabaseThread, scope: str, process_lock: ProcessLock) -> None:
        self._database = worker
        self._process_lock = process_lock
        self._scope = scope
        self._saves: DebouncedSaves[SavedDraft] = DebouncedSaves(self._write)
        self._known: dict[str, Mapping[str, Json]] = {}
        self.key: KeyInUse | None = None
        """The key in use, with which new drafts are stored."""

    async def all(self) -> list[SavedDraft]:
        """Return every draft of this scope, the one changed last first."""
        await self.flush()
        return await self._read()

    def take_up(self, drafts: Iterable[SavedDraft], held: Iterable[Place]) -> None:
        """Start from these drafts, just read, and from what this program last wrote of the records in `held`."""
        held_keys = {place_key(place.collection, place.id) for place in held}
        self._known = {place: edits for place, edits in self._known.items() if place in held_keys} | {
            place_key(saved.collection, saved.record_id): saved.draft.edits for saved in drafts
        }

    async def keep(self, draft: SavedDraft) -> None:
        """Store this state of a draft in place of the one before; it is on the disk after a moment."""
        key = fingerprint_of(self.key)
        self._saves.keep(place_key(draft.collection, draft.record_id), replace(draft, key_fingerprint=key))

    async def drop(self, collection: Collection, record_id: str) -> None:
        """Delete a draft that was sent or discarded; it is gone from the disk when this returns."""
        await self._saves.drop(place_key(collection, record_id))

    async def on_disk(self, collection: Collection, record_id: str) -> DraftOnDisk:
        """Return what other programs changed in the draft of a record since this one last read or wrote it."""
        await self.flush()
        return await self._compare(place_key(collection, record_id))

    async def is_of_other_key(self, collection: Collection, record_id: str) -> bool:
        """Return whether a draft was begun with another key than the one in use."""
        await self.flush()
        return await self._is_of_other_key(place_key(collection, record_id))

    @on_thread
    def _is_of_other_key(self, connection: sqlite3.Connection, place: str) -> bool:
        row = connection.execute(
            "SELECT key_fingerprint FROM drafts WHERE shelf = ? AND place = ?", (self._scope, place)
        ).fetchone()
        return row is not None and is_other_key(self.key, row[0])

    async def flush(self) -> None:
        """Write all pending changes."""
        await self._saves.flush()

    async def aclose(self) -> None:
        """Write all pending changes, and start no more delayed writes."""
        await self._saves.aclose()

    def mark_sent(self, connection: sqlite3.Connection, place: str, entry: int) -> None:
        """Note in the caller's transaction that a draft is sent with a journal entry."""
        connection.execute("UPDATE drafts SET intent = ? WHERE shelf = ? AND place = ?", (entry, self._scope, place))

    @on_thread
    def _write(self, connection: sqlite3.Connection, changes: Mapping[str, SavedDraft | None]) -> None:
        with transaction(connection):
            for place, change in changes.items():
                if (stored := self._stored(connection, place)) is not None or change is not None:
                    self._join(connection, place, stored, change)
        # On this thread, where writes are in order: the next may begin before the caller knows of this one.
        for place, change in changes.items():
            self._known[place] = change.draft.edits if change is not None else {}

    def _join(
        self, connection: sqlite3.Connection, place: str, stored: SavedDraft | None, change: SavedDraft | None
    ) -> None:
        known = self._known.get(place, {})
        programs = {} if stored is None else self._edits_by_running_program(connection, place)
        own = programs.pop(self._process_lock.name, {})
        joined = _joined(stored, known, change, own, list(programs.values()))
        edits = {} if change is None else change.draft.edits
        self._put(connection, place, joined, {**programs, self._process_lock.name: _own_edits(own, known, edits)})

    def _edits_by_running_program(self, connection: sqlite3.Connection, place: str) -> dict[str, Mapping[str, Json]]:
        (text,) = connection.execute(
            "SELECT edits_by_program FROM drafts WHERE shelf = ? AND place = ?", (self._scope, place)
        ).fetchone()
        own, programs = self._process_lock.name, _read_edits_by_program(text)
        return {name: edits for name, edits in programs.items() if name == own or self._process_lock.is_alive(name)}

    def _put(
        self,
        connection: sqlite3.Connection,
        place: str,
        joined: SavedDraft | None,
        edits_by_program: Mapping[str, Mapping[str, Json]],
    ) -> None:
        if joined is None:
            connection.execute("DELETE FROM drafts WHERE shelf = ? AND place = ?", (self._scope, place))
            return
        draft = joined.draft
        connection.execute(
            """
            INSERT INTO drafts (
                shelf, place, base, etag, edits, changed, untaken, others, edits_by_program, key_fingerprint
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (shelf, place) DO UPDATE SET
                base = excluded.base, etag = excluded.etag, edits = excluded.edits, changed = excluded.changed,
                untaken = excluded.untaken, others = excluded.others, edits_by_program = excluded.edits_by_program,
                key_fingerprint = coalesce(nullif(drafts.key_fingerprint, ''), excluded.key_fingerprint)
            """,
            (
                self._scope,
                place,
                dumps(draft.base.fields, ascii_only=True),
                draft.base.etag,
                dumps(draft.edits, ascii_only=True),
                joined.changed.isoformat(),
                dumps(sorted(draft.untaken), ascii_only=True),
                dumps([_write_other(other) for other in joined.others], ascii_only=True),
                dumps({name: dict(edits) for name, edits in edits_by_program.items() if edits}, ascii_only=True),
                joined.key_fingerprint,
            ),
        )

    def _stored(self, connection: sqlite3.Connection, place: str) -> SavedDraft | None:
        row = connection.execute(f"{_SELECT_DRAFTS} WHERE shelf = ? AND place = ?", (self._scope, place)).fetchone()
        return None if row is None else _read_draft(*row)

    @on_thread
    def _compare(self, connection: sqlite3.Connection, place: str) -> DraftOnDisk:
        stored, known = self._stored(connection, place), self._known.get(place, {})
        changes = () if stored is None else (*stored.draft.changes, *stored.others)
        removed = {
            name: value
            for name, value in known.items()
            if not any(change.name == name and change.new == value for change in changes)
        }
        # Typed once more, it is a new edit.
        self._known[place] = {name: value for name, value in known.items() if name not in removed}
        return DraftOnDisk(
            removed, tuple(change for change in changes if change.name in known and change.new != known[change.name])
        )

    @on_thread
    def _read(self, connection: sqlite3.Connection) -> list[SavedDraft]:
        rows = connection.execute(f"{_SELECT_DRAFTS} WHERE shelf = ?", (self._scope,))
        drafts = [draft for row in rows if (draft := _read_draft(*row)) is not None]
        return sorted(drafts, key=lambda draft: draft.changed, reverse=True)


def _joined(
    stored: SavedDraft | None,
    known: Mapping[str, Json],
    mine: SavedDraft | None,
    own_edits: Mapping[str, Json],
    running: Sequence[Mapping[str, Json]],
) -> SavedDraft | None:
    """Return the draft to store: the stored edits, in which those `known` to this program are replaced by its own.

    An edit that this program has not changed since stays as it is stored, even if another program removed it.
    `own_edits` are the stored edits that this program made itself, `running` those of each other program that still
    runs: they stay.
    """
    wanted = {} if mine is None else {change.name: change for change in mine.draft.changes}
    there = () if stored is None else (*stored.draft.changes, *stored.others)
    first: dict[str, FieldChange] = {}
    others: list[FieldChange] = []
    for name in dict.fromkeys([*wanted, *(change.name for change in there)]):
        own, before = wanted.get(name), known.get(name, ABSENT)
        value = ABSENT if own is None else own.new
        changes = [change for change in there if change.name == name]
        if value != before:
            replaced = (before, own_edits.get(name, ABSENT))
            stays = [edits[name] for edits in running if name in edits]
            changes = [
                change
                for change in changes
                if change.new != value and (change.new not in replaced or change.new in stays)
            ]
            changes[:0] = [] if own is None else [own]
        elif own is not None:
            # The same edit, maybe of a newer version of the record.
            changes = [own if change.new == value else change for change in changes]
        if changes:
            first[name], others[len(others) :] = changes[0], changes[1:]
    newest = mine or stored
    if newest is None or not first:
        return None
    return replace(newest, draft=_draft_of(first, mine, stored), others=tuple(others))


def _own_edits(own: Mapping[str, Json], known: Mapping[str, Json], edits: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the edits that this program made itself: its `own` so far, and those of `edits` that `known` has not."""
    changed = {name for name in {*known, *edits} if edits.get(name, ABSENT) != known.get(name, ABSENT)}
    return {name: value for name, value in own.items() if name not in changed} | {
        name: value for name, value in edits.items() if name in changed
    }


def _draft_of(first: Mapping[str, FieldChange], mine: SavedDraft | None, stored: SavedDraft | None) -> Draft:
    """Return the draft of these changes; each field has the old value that its edit started from."""
    bases = [saved.draft.base for saved in (mine, stored) if saved is not None]
    fields = dict(bases[0].fields)
    for name, change in first.items():
        if isinstance(change.old, Absent):
            fields.pop(name, None)
        else:
            fields[name] = change.old
    own = mine is not None and first.items() <= {change.name: change for change in mine.draft.changes}.items()
    etag = bases[0].etag if own or bases[0].etag == bases[-1].etag else ""
    return Draft(
        Record(fields, etag),
        {name: change.new for name, change in first.items()},
        frozenset(name for name, change in first.items() if change.untaken),
    )


def _write_other(change: FieldChange) -> list[Json]:
    """Return an edit of a field as a list: name, value, and the old value if there was one."""
    return [change.name, change.new, *([] if isinstance(change.old, Absent) else [change.old])]


def _read_other(stored: Json) -> FieldChange:
    match stored:
        case [str(name), new]:
            return FieldChange(name, ABSENT, new)
        case [str(name), new, old]:
            return FieldChange(name, old, new)
    raise StoreError(_UNREADABLE)


def unreadable_drafts(connection: sqlite3.Connection) -> int:
    """Return how many drafts of all scopes can't be read."""
    return sum(_read_draft(*row) is None for row in connection.execute(_SELECT_DRAFTS))


_UNREADABLE = describe_unreadable("a draft")
_SELECT_DRAFTS = """
    SELECT CAST(place AS BLOB), CAST(base AS BLOB), CAST(etag AS BLOB), CAST(edits AS BLOB), CAST(changed AS BLOB),
           CAST(untaken AS BLOB), CAST(others AS BLOB), CAST(edits_by_program AS BLOB), coalesce(intent, 0)
    FROM drafts
"""
"""As bytes: one text that is not UTF-8 would end the reading of all."""


def _read_draft(
    place: bytes,
    base: bytes,
    etag: bytes,
    edits: bytes,
    changed: bytes,
    untaken: bytes,
    others: bytes,
    edits_by_program: bytes,
    intent: int,
) -> SavedDraft | None:
    """Return the draft of one row; None if it is not as the store wrote it."""
    try:
        collection, record_id = place_of(place)
        draft = Draft(Record(read_object(base), etag.decode()), read_object(edits), _read_names(read_json(untaken)))
        other_edits = tuple(map(_read_other, _read_list(others)))
        _read_edits_by_program(edits_by_program)
        return SavedDraft(collection, record_id, draft, read_time(changed.decode()), intent, other_edits)
    except (StoreError, UnicodeDecodeError):
        return None


def _read_edits_by_program(text: str | bytes) -> dict[str, dict[str, Json]]:
    """Return the edits of each program; raises StoreError."""
    stored = read_object(text)
    programs = {name: edits for name, edits in stored.items() if isinstance(edits, dict)}
    if len(programs) != len(stored):
        raise StoreError(_UNREADABLE)
    return programs


def _read_list(text: bytes) -> list[Json]:
    value = read_json(text)
    if not isinstance(value, list):
        raise StoreError(_UNREADABLE)
    return value


def _read_names(value: Json) -> frozenset[str]:
    """Return the names in a stored list; raises StoreError."""
    names = frozenset(name for name in value if isinstance(name, str)) if isinstance(value, list) else frozenset()
    if not isinstance(value, list) or len(names) != len(value):
        raise StoreError(_UNREADABLE)
    return names
