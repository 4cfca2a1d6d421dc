"""The forms that were begun and not sent, gathered and filed as drafts are.

How a form is written is loaded with the first one: at the start there mostly is none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from svc_tui.domain.editing.ports import StorageScope
from svc_tui.store.database import transaction
from svc_tui.store.debounce import DebouncedSaves
from svc_tui.store.keys import shelf_key
from svc_tui.store.worker import DatabaseThread

if TYPE_CHECKING:
    from svc_tui.domain.editing.forms import FormTarget, KeptForm


class SqliteForms:
    """The forms of one shelf; see `domain.gateway.Forms`. Every call raises StoreError.

    A row that can't be read is left where it is and left out; `unreadable_forms` counts such rows.
    """

    def __init__(self, worker: DatabaseThread, shelf: StorageScope) -> None:
        self._worker = worker
        self._shelf = shelf_key(shelf)
        self._gathering: DebouncedSaves[KeptForm] = DebouncedSaves(self._written)

    async def all(self) -> list[KeptForm]:
        """Every form of this shelf, the one changed last first."""
        await self._gathering.flush()
        return await self._worker.run(self._read)

    async def keep(self, kept: KeptForm) -> None:
        """Keep this state of a form in place of the one before; it is on the disk after a moment."""
        from svc_tui.store.form_rows import purpose_text

        self._gathering.keep(purpose_text(kept.purpose), kept)

    async def drop(self, purpose: FormTarget) -> None:
        """Forget a form that was sent or thrown away; it is gone from the disk when this returns."""
        from svc_tui.store.form_rows import purpose_text

        await self._gathering.drop(purpose_text(purpose))

    async def aclose(self) -> None:
        """Write everything that waits, and gather no more."""
        await self._gathering.aclose()

    async def _written(self, changes: Mapping[str, KeptForm | None]) -> None:
        await self._worker.run(lambda connection: self._write(connection, changes))

    def _write(self, connection: sqlite3.Connection, changes: Mapping[str, KeptForm | None]) -> None:
        from svc_tui.store.form_rows import form_text

        with transaction(connection):
            for purpose, kept in changes.items():
                if kept is None:
                    connection.execute("DELETE FROM forms WHERE shelf = ? AND purpose = ?", (self._shelf, purpose))
                    continue
                connection.execute(
                    "INSERT OR REPLACE INTO forms (shelf, purpose, form, changed) VALUES (?, ?, ?, ?)",
                    (self._shelf, purpose, form_text(kept.form), kept.changed.isoformat()),
                )

    def _read(self, connection: sqlite3.Connection) -> list[KeptForm]:
        kept = [form for form in _forms(connection.execute(f"{_ROWS} WHERE shelf = ?", (self._shelf,))) if form]
        return sorted(kept, key=lambda form: form.changed, reverse=True)


def unreadable_forms(connection: sqlite3.Connection) -> int:
    """How many forms of all shelves can't be read."""
    return sum(form is None for form in _forms(connection.execute(_ROWS)))


def _forms(rows: Iterable[tuple[bytes, bytes, bytes]]) -> Iterator[KeptForm | None]:
    """The form of each row; None where somebody else has been at it."""
    for row in rows:
        from svc_tui.store.form_rows import kept_form

        yield kept_form(*row)


_ROWS = "SELECT CAST(purpose AS BLOB), CAST(form AS BLOB), CAST(changed AS BLOB) FROM forms"
"""As bytes: one text that is not UTF-8 would end the reading of all."""
