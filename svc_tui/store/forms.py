"""The forms that were begun and not sent, gathered and filed as drafts are.

How a form is written is loaded with the first one: at the start there mostly is none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from svc_tui.domain.editing.ports import StorageScope
from svc_tui.store.database import transaction
from svc_tui.store.database_thread import DatabaseThread
from svc_tui.store.debounce import DebouncedSaves
from svc_tui.store.row_values import scope_key

if TYPE_CHECKING:
    from svc_tui.domain.editing.forms import FormTarget, SavedForm


class SqliteForms:
    """The forms of one scope; see `domain.editing.ports.FormStore`. Every call raises StoreError.

    A row that can't be read is left where it is and left out; `unreadable_forms` counts such rows.
    """

    def __init__(self, worker: DatabaseThread, scope: StorageScope) -> None:
        self._database = worker
        self._scope = scope_key(scope)
        self._saves: DebouncedSaves[SavedForm] = DebouncedSaves(self._written)

    async def all(self) -> list[SavedForm]:
        """Every form of this scope, the one changed last first."""
        await self._saves.flush()
        return await self._database.run(self._read)

    async def keep(self, kept: SavedForm) -> None:
        """Keep this state of a form in place of the one before; it is on the disk after a moment."""
        from svc_tui.store.form_rows import target_text

        self._saves.keep(target_text(kept.purpose), kept)

    async def drop(self, purpose: FormTarget) -> None:
        """Forget a form that was sent or thrown away; it is gone from the disk when this returns."""
        from svc_tui.store.form_rows import target_text

        await self._saves.drop(target_text(purpose))

    async def aclose(self) -> None:
        """Write everything that waits, and gather no more."""
        await self._saves.aclose()

    async def _written(self, changes: Mapping[str, SavedForm | None]) -> None:
        await self._database.run(lambda connection: self._write(connection, changes))

    def _write(self, connection: sqlite3.Connection, changes: Mapping[str, SavedForm | None]) -> None:
        from svc_tui.store.form_rows import form_text

        with transaction(connection):
            for purpose, kept in changes.items():
                if kept is None:
                    connection.execute("DELETE FROM forms WHERE shelf = ? AND purpose = ?", (self._scope, purpose))
                    continue
                connection.execute(
                    "INSERT OR REPLACE INTO forms (shelf, purpose, form, changed) VALUES (?, ?, ?, ?)",
                    (self._scope, purpose, form_text(kept.form), kept.changed.isoformat()),
                )

    def _read(self, connection: sqlite3.Connection) -> list[SavedForm]:
        forms = [
            form for form in _read_forms(connection.execute(f"{_SELECT_FORMS} WHERE shelf = ?", (self._scope,))) if form
        ]
        return sorted(forms, key=lambda form: form.changed, reverse=True)


def unreadable_forms(connection: sqlite3.Connection) -> int:
    """How many forms of all scopes can't be read."""
    return sum(form is None for form in _read_forms(connection.execute(_SELECT_FORMS)))


def _read_forms(rows: Iterable[tuple[bytes, bytes, bytes]]) -> Iterator[SavedForm | None]:
    """The form of each row; None where it is not as the store wrote it."""
    for row in rows:
        from svc_tui.store.form_rows import read_form

        yield read_form(*row)


_SELECT_FORMS = "SELECT CAST(purpose AS BLOB), CAST(form AS BLOB), CAST(changed AS BLOB) FROM forms"
"""As bytes: one text that is not UTF-8 would end the reading of all."""
