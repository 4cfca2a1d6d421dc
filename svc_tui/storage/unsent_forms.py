"""Unsent forms, which are written a moment after they change, as drafts are.

`form_rows` is loaded with the first form: at the start there is usually none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from svc_tui.core.values import replace
from svc_tui.storage.database import transaction
from svc_tui.storage.database_thread import DatabaseThread, on_thread
from svc_tui.storage.debounce import DebouncedSaves
from svc_tui.storage.key_fingerprints import KeyInUse, fingerprint_of, is_other_key
from svc_tui.storage.scope import StorageScope, scope_key

if TYPE_CHECKING:
    from svc_tui.core.field_forms import FormTarget, SavedForm


class FormStore:
    """Forms of one scope, kept until they are sent or discarded. Every call raises StoreError.

    A row that can't be read stays in the database and is left out; `unreadable_forms` counts such rows.
    Another program may fill in a form for the same purpose in the same store. This one replaces and removes the rows
    that it last read or wrote itself; a form whose row has another form gets a row and a number of its own.
    """

    def __init__(self, worker: DatabaseThread, scope: StorageScope) -> None:
        self._database = worker
        self._scope = scope_key(scope)
        self._saves: DebouncedSaves[SavedForm] = DebouncedSaves(self._write)
        self._known: dict[str, tuple[str, str]] = {}
        """The row of the form for a purpose, and the form as this program last read or wrote it there."""
        self.key: KeyInUse | None = None
        """The key in use, with which new forms are stored."""

    async def all(self) -> list[SavedForm]:
        """Return every form of this scope, the one changed last first; their numbers are used from then on."""
        await self.flush()
        return await self._read()

    async def find(self, purpose: FormTarget) -> SavedForm | None:
        """Return the form for this purpose as it is on the disk now; None if another program sent or discarded it."""
        from svc_tui.storage.form_rows import target_text

        await self.flush()
        return await self._find(purpose, target_text(purpose))

    async def keep(self, kept: SavedForm) -> None:
        """Store this state of a form in place of the one before; it is on the disk after a moment."""
        from svc_tui.storage.form_rows import target_text

        self._saves.keep(target_text(kept.purpose), replace(kept, key_fingerprint=fingerprint_of(self.key)))

    async def drop(self, purpose: FormTarget) -> None:
        """Delete a form that was sent or discarded; it is gone from the disk when this returns."""
        from svc_tui.storage.form_rows import target_text

        await self._saves.drop(target_text(purpose))

    async def flush(self) -> None:
        """Write all pending changes."""
        await self._saves.flush()

    async def is_of_other_key(self, purpose: FormTarget) -> bool:
        """Return whether a form was begun with another key than the one in use."""
        from svc_tui.storage.form_rows import target_text

        await self.flush()
        return await self._is_of_other_key(target_text(purpose))

    @on_thread
    def _is_of_other_key(self, connection: sqlite3.Connection, purpose: str) -> bool:
        row, _ = self._known.get(purpose, (purpose, ""))
        stored = connection.execute(
            "SELECT key_fingerprint FROM forms WHERE shelf = ? AND purpose = ?", (self._scope, row)
        ).fetchone()
        return stored is not None and is_other_key(self.key, stored[0])

    async def aclose(self) -> None:
        """Write all pending changes, and start no more delayed writes."""
        await self._saves.aclose()

    def mark_sent(self, connection: sqlite3.Connection, purpose: str, entry: int) -> None:
        """Note in the caller's transaction that a form is sent with a journal entry."""
        if (known := self._known.get(purpose)) is not None:
            connection.execute(
                "UPDATE forms SET intent = ? WHERE shelf = ? AND purpose = ? AND form = ?",
                (entry, self._scope, *known),
            )

    @on_thread
    def _write(self, connection: sqlite3.Connection, changes: Mapping[str, SavedForm | None]) -> None:
        rows: dict[str, tuple[str, str]] = {}
        with transaction(connection):
            for purpose, kept in changes.items():
                if kept is None:
                    self._remove(connection, purpose)
                else:
                    rows[purpose] = self._put(connection, purpose, kept)
        self._known = {purpose: row for purpose, row in self._known.items() if purpose not in changes} | rows

    def _remove(self, connection: sqlite3.Connection, purpose: str) -> None:
        if (known := self._known.get(purpose)) is not None:
            connection.execute("DELETE FROM forms WHERE shelf = ? AND purpose = ? AND form = ?", (self._scope, *known))

    def _put(self, connection: sqlite3.Connection, purpose: str, kept: SavedForm) -> tuple[str, str]:
        """Write a form; return its row, and its text there."""
        from svc_tui.storage.form_rows import form_text, target_text

        text, changed = form_text(kept.form), kept.changed.isoformat()
        if (known := self._known.get(purpose)) is not None:
            replaced = connection.execute(
                "UPDATE forms SET form = ?, changed = ?, "
                "key_fingerprint = coalesce(nullif(key_fingerprint, ''), ?) "
                "WHERE shelf = ? AND purpose = ? AND form = ?",
                (text, changed, kept.key_fingerprint, self._scope, *known),
            )
            if replaced.rowcount:
                return known[0], text
        row, number = purpose, kept.purpose.number or 1
        while connection.execute("SELECT 1 FROM forms WHERE shelf = ? AND purpose = ?", (self._scope, row)).fetchone():
            number += 1
            row = target_text(replace(kept.purpose, number=number))
        connection.execute(
            "INSERT INTO forms (shelf, purpose, form, changed, key_fingerprint) VALUES (?, ?, ?, ?, ?)",
            (self._scope, row, text, changed, kept.key_fingerprint),
        )
        return row, text

    @on_thread
    def _find(self, connection: sqlite3.Connection, purpose: FormTarget, text: str) -> SavedForm | None:
        row, _ = self._known.get(text, (text, ""))
        rows = connection.execute(f"{_SELECT_FORMS} WHERE shelf = ? AND purpose = ?", (self._scope, row))
        found = next(_read_forms(rows), None)
        return None if found is None else replace(found, purpose=purpose)

    @on_thread
    def _read(self, connection: sqlite3.Connection) -> list[SavedForm]:
        from svc_tui.storage.form_rows import target_text

        rows = connection.execute(f"{_SELECT_FORMS} WHERE shelf = ?", (self._scope,)).fetchall()
        forms, self._known = [], {}
        for row, form in zip(rows, _read_forms(rows), strict=True):
            if form is not None:
                self._known[target_text(form.purpose)] = (row[0].decode(), row[1].decode())
                forms.append(form)
        return sorted(forms, key=lambda form: form.changed, reverse=True)


def unreadable_forms(connection: sqlite3.Connection) -> int:
    """Return how many forms of all scopes can't be read."""
    return sum(form is None for form in _read_forms(connection.execute(_SELECT_FORMS)))


def _read_forms(rows: Iterable[tuple[bytes, bytes, bytes, int]]) -> Iterator[SavedForm | None]:
    """Yield the form of each row; None if it is not as the store wrote it."""
    for row in rows:
        from svc_tui.storage.form_rows import read_form

        yield read_form(*row)


_SELECT_FORMS = """
    SELECT CAST(purpose AS BLOB), CAST(form AS BLOB), CAST(changed AS BLOB), coalesce(intent, 0) FROM forms
"""
"""As bytes: one text that is not UTF-8 would end the reading of all."""
