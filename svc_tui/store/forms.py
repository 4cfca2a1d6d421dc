"""The forms that were begun and not sent, gathered and filed as drafts are."""

import sqlite3
from collections.abc import Mapping

from svc_tui.domain.catalog import Route
from svc_tui.domain.draft import ABSENT, Absent
from svc_tui.domain.forms import Blank, Deed, Form, KeptForm, Line, Purpose
from svc_tui.domain.gateway import Shelf, StoreError
from svc_tui.domain.jsontext import Json, dumps
from svc_tui.domain.values import Kind
from svc_tui.store.database import transaction
from svc_tui.store.gathering import Gathering
from svc_tui.store.shelves import place_key, place_of, read_json, read_moment, shelf_key
from svc_tui.store.worker import Worker


class SqliteForms:
    """The forms of one shelf; see `domain.gateway.Forms`. Every call raises StoreError.

    A row that can't be read is left where it is and left out; `unreadable_forms` counts such rows.
    """

    def __init__(self, worker: Worker, shelf: Shelf) -> None:
        self._worker = worker
        self._shelf = shelf_key(shelf)
        self._gathering: Gathering[KeptForm] = Gathering(self._written)

    async def all(self) -> list[KeptForm]:
        """Every form of this shelf, the one changed last first."""
        await self._gathering.flush()
        return await self._worker.run(self._read)

    async def keep(self, kept: KeptForm) -> None:
        """Keep this state of a form in place of the one before; it is on the disk after a moment."""
        self._gathering.keep(_purpose_said(kept.purpose), kept)

    async def drop(self, purpose: Purpose) -> None:
        """Forget a form that was sent or thrown away; it is gone from the disk when this returns."""
        await self._gathering.drop(_purpose_said(purpose))

    async def aclose(self) -> None:
        """Write everything that waits, and gather no more."""
        await self._gathering.aclose()

    async def _written(self, changes: Mapping[str, KeptForm | None]) -> None:
        await self._worker.run(lambda connection: self._write(connection, changes))

    def _write(self, connection: sqlite3.Connection, changes: Mapping[str, KeptForm | None]) -> None:
        with transaction(connection):
            for purpose, kept in changes.items():
                if kept is None:
                    connection.execute("DELETE FROM forms WHERE shelf = ? AND purpose = ?", (self._shelf, purpose))
                    continue
                connection.execute(
                    "INSERT OR REPLACE INTO forms (shelf, purpose, form, changed) VALUES (?, ?, ?, ?)",
                    (self._shelf, purpose, _form_said(kept.form), kept.changed.isoformat()),
                )

    def _read(self, connection: sqlite3.Connection) -> list[KeptForm]:
        rows = connection.execute(f"{_ROWS} WHERE shelf = ?", (self._shelf,))
        kept = [form for row in rows if (form := _kept(*row)) is not None]
        return sorted(kept, key=lambda form: form.changed, reverse=True)


def unreadable_forms(connection: sqlite3.Connection) -> int:
    """How many forms of all shelves can't be read."""
    return sum(_kept(*row) is None for row in connection.execute(_ROWS))


_ROWS = "SELECT CAST(purpose AS BLOB), CAST(form AS BLOB), CAST(changed AS BLOB) FROM forms"
"""As bytes: one text that is not UTF-8 would end the reading of all."""


def _kept(purpose: bytes, form: bytes, changed: bytes) -> KeptForm | None:
    """The form of one row; None where somebody else has been at it."""
    try:
        return KeptForm(_purpose_of(purpose), _form_of(form), read_moment(changed.decode()))
    except (StoreError, UnicodeDecodeError):
        return None


def _purpose_said(purpose: Purpose) -> str:
    route = purpose.route
    said: list[Json] = [purpose.deed.value, place_key(purpose.collection, purpose.record_id)]
    if route is not None:
        said.append([route.name, route.method, route.path, [list(pair) for pair in route.query], route.body])
    return dumps(said, ascii_only=True)


def _purpose_of(said: bytes) -> Purpose:
    match read_json(said):
        case [str(deed), str(place)]:
            route = None
        case [str(deed), str(place), [str(name), str(method), str(path), list(query), str(body)]]:
            route = Route(name, method, path, tuple(map(_pair, query)), body)
        case _:
            raise _unreadable()
    if deed not in {known.value for known in Deed}:
        raise _unreadable()
    return Purpose(Deed(deed), *place_of(place), route)


def _pair(said: Json) -> tuple[str, str]:
    match said:
        case [str(name), str(value)]:
            return name, value
    raise _unreadable()


def _form_said(form: Form) -> str:
    return dumps([_line_said(line) for line in form.lines], ascii_only=True)


def _line_said(line: Line) -> dict[str, Json]:
    said: dict[str, Json] = {
        "name": line.name,
        "kind": line.kind.value,
        "text": line.text,
        "blank": line.blank.name,
        "needed": line.needed,
        "takes": line.takes,
    }
    return said if isinstance(line.source, Absent) else {**said, "source": line.source}


def _form_of(said: bytes) -> Form:
    lines = read_json(said)
    if not isinstance(lines, list):
        raise _unreadable()
    return Form(tuple(map(_line, lines)))


def _line(said: Json) -> Line:
    match said:
        case {
            "name": str(name),
            "kind": str(kind),
            "text": str(text),
            "blank": str(blank),
            "needed": bool(needed),
            "takes": str(takes),
        } if kind in {known.value for known in Kind} and blank in Blank.__members__:
            source = said.get("source", ABSENT) if isinstance(said, dict) else ABSENT
            return Line(name, Kind(kind), text, Blank[blank], needed, source, takes)
    raise _unreadable()


def _unreadable() -> StoreError:
    return StoreError("the store holds a form that can't be read; move its database away")
