"""The forms that were begun and not sent, gathered and filed as drafts are.

How a form is written is loaded with the first one: at the start there mostly is none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from svc_tui.domain.editing.ports import StorageScope
from svc_tui.store.database import transaction
from svc_tui.store.database_thread import DatabaseThread
from svc_tui.store.debounce import DebouncedSaves
from svc_tui.store.key_fingerprints import KeyInUse, fingerprint_of, is_other_key
from svc_tui.store.row_values import scope_key

if TYPE_CHECKING:
    from svc_tui.domain.editing.forms import FormTarget, SavedForm


class SqliteForms:
    """The forms of one scope; see `domain.editing.ports.FormStore`. Every call raises StoreError.

    A row that can't be read is left where it is and left out; `unreadable_forms` counts such rows.
    Another program may fill in a form for the same purpose in the same store. This one replaces and removes the rows
    that it last read or wrote itself; a form that meets another one in its row gets a row and a number of its own.
    """

    def __init__(self, worker: DatabaseThread, scope: StorageScope) -> None:
        self._database = worker
        self._scope = scope_key(scope)
        self._saves: DebouncedSaves[SavedForm] = DebouncedSaves(self._written)
        self._known: dict[str, tuple[str, str]] = {}
        """By purpose the row of its form, and the form as this program last read or wrote it there."""
        self.key: KeyInUse | None = None
        """The key that forms are filled in with now."""

    async def all(self) -> list[SavedForm]:
        """Every form of this scope, the one changed last first; from then on this program goes by their numbers."""
        await self.flush()
        return await self._database.run(self._read)

    async def find(self, purpose: FormTarget) -> SavedForm | None:
        """The form for this purpose as it is on the disk now; None where another program sent it or threw it away."""
        from svc_tui.store.form_rows import target_text

        await self.flush()
        text = target_text(purpose)
        return await self._database.run(lambda connection: self._find(connection, purpose, text))

    async def keep(self, kept: SavedForm) -> None:
        """Keep this state of a form in place of the one before; it is on the disk after a moment."""
        from svc_tui.store.form_rows import target_text

        self._saves.keep(target_text(kept.purpose), replace(kept, key_fingerprint=fingerprint_of(self.key)))

    async def drop(self, purpose: FormTarget) -> None:
        """Forget a form that was sent or thrown away; it is gone from the disk when this returns."""
        from svc_tui.store.form_rows import target_text

        await self._saves.drop(target_text(purpose))

    async def flush(self) -> None:
        """Write everything that waits."""
        await self._saves.flush()

    async def is_of_other_key(self, purpose: FormTarget) -> bool:
        """Return whether a form was begun with another key than the one in use."""
        from svc_tui.store.form_rows import target_text

        await self.flush()
        text = target_text(purpose)
        return await self._database.run(lambda connection: self._is_of_other_key(connection, text))

    def _is_of_other_key(self, connection: sqlite3.Connection, purpose: str) -> bool:
        row, _ = self._known.get(purpose, (purpose, ""))
        stored = connection.execute(
            "SELECT key_fingerprint FROM forms WHERE shelf = ? AND purpose = ?", (self._scope, row)
        ).fetchone()
        return stored is not None and is_other_key(self.key, stored[0])

    async def aclose(self) -> None:
        """Write everything that waits, and gather no more."""
        await self._saves.aclose()

    def mark_sent(self, connection: sqlite3.Connection, purpose: str, entry: int) -> None:
        """Note in the caller's transaction that a form is sent with a journal entry."""
        if (known := self._known.get(purpose)) is not None:
            connection.execute(
                "UPDATE forms SET intent = ? WHERE shelf = ? AND purpose = ? AND form = ?",
                (entry, self._scope, *known),
            )

    async def _written(self, changes: Mapping[str, SavedForm | None]) -> None:
        await self._database.run(lambda connection: self._write(connection, changes))

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
        """Write a form; gives its row, and its text there."""
        from svc_tui.store.form_rows import form_text, target_text

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

    def _find(self, connection: sqlite3.Connection, purpose: FormTarget, text: str) -> SavedForm | None:
        row, _ = self._known.get(text, (text, ""))
        rows = connection.execute(f"{_SELECT_FORMS} WHERE shelf = ? AND purpose = ?", (self._scope, row))
        found = next(_read_forms(rows), None)
        return None if found is None else replace(found, purpose=purpose)

    def _read(self, connection: sqlite3.Connection) -> list[SavedForm]:
        from svc_tui.store.form_rows import target_text

        rows = connection.execute(f"{_SELECT_FORMS} WHERE shelf = ?", (self._scope,)).fetchall()
        forms, self._known = [], {}
        for row, form in zip(rows, _read_forms(rows), strict=True):
            if form is not None:
                self._known[target_text(form.purpose)] = (row[0].decode(), row[1].decode())
                forms.append(form)
        return sorted(forms, key=lambda form: form.changed, reverse=True)


def unreadable_forms(connection: sqlite3.Connection) -> int:
    """How many forms of all scopes can't be read."""
    return sum(form is None for form in _read_forms(connection.execute(_SELECT_FORMS)))


def _read_forms(rows: Iterable[tuple[bytes, bytes, bytes, int]]) -> Iterator[SavedForm | None]:
    """The form of each row; None where it is not as the store wrote it."""
    for row in rows:
        from svc_tui.store.form_rows import read_form

        yield read_form(*row)


_SELECT_FORMS = """
    SELECT CAST(purpose AS BLOB), CAST(form AS BLOB), CAST(changed AS BLOB), coalesce(intent, 0) FROM forms
"""
"""As bytes: one text that is not UTF-8 would end the reading of all."""
