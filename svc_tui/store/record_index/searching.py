"""What an index is asked: records that may fit, those of one collection, what changed, and what it holds."""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import cast

from svc_tui.domain.data.field_path import path_steps
from svc_tui.domain.model.absent import ABSENT
from svc_tui.domain.model.jsontext import Json, loads
from svc_tui.domain.model.records import Record
from svc_tui.domain.search.record_index import (
    Candidates,
    Comparison,
    Conditions,
    IndexedCollection,
    IndexedRecord,
    IndexStatus,
)
from svc_tui.domain.search.seen_changes import ChangeKind, SeenChange
from svc_tui.store.record_index.texts import match_expression, storable

_WINDOW = 10_000
"""Records that are looked through at once where no text is asked for: so long nothing else can be asked."""

_PLAIN = re.compile(r"[ !#-\[\]-~]+")
"""Texts that stand in the JSON of a record as they stand in its text, but for capitals."""

_WILDCARD = re.compile("[%_=]")

_LAST = chr(0x10FFFF)
"""What comes after all that an id may go on with."""

_MARGIN = 1e-9
"""By how much of it a number is compared more loosely than asked: SQLite rounds, and whoever asked looks again."""


def read_status(connection: sqlite3.Connection) -> IndexStatus:
    """What the index holds."""
    rows = connection.execute(
        "SELECT key, records, fields, total, completed_at, next_page, without_id, repeated_ids, problem, page_size "
        "FROM collections ORDER BY number"
    )
    collections = {
        key: IndexedCollection(
            key,
            records,
            tuple(json.loads(fields)),
            total,
            _moment(completed_at),
            next_page,
            without_id,
            repeated_ids,
            problem,
            page_size,
        )
        for key, records, fields, total, completed_at, next_page, without_id, repeated_ids, problem, page_size in rows
    }
    (began_at,) = connection.execute("SELECT value FROM about WHERE name = 'began_at'").fetchone()
    pages, bytes_each = (connection.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "page_size"))
    return IndexStatus(collections, pages * bytes_each, datetime.fromtimestamp(float(began_at), UTC))


def find(connection: sqlite3.Connection, conditions: Conditions, before: int | None, most: int) -> Candidates:
    """Records that fit the conditions, or nearly, the newest first, from the one before `before` on."""
    matching = match_expression(conditions.texts)
    numbers = _numbers(connection, conditions.collections)
    marks = ", ".join("?" * len(numbers))
    # The sign keeps SQLite from going by the table of ids, and sorting all of a collection for each part of the answer.
    where: list[str] = [f"{'' if conditions.id_begins else '+'}records.collection IN ({marks})"]
    values: list[str | float] = [*numbers]
    for comparison in conditions.comparisons:
        condition, asked = _comparison(comparison)
        where.append(condition)
        values += asked
    if conditions.id_begins:
        condition, asked = _beginning(conditions.id_begins)
        where.append(condition)
        values += asked
    conditions_of_texts, texts = _plain_texts(conditions.texts)
    where += conditions_of_texts
    values += texts
    if before is None:
        (before,) = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM records").fetchone()
        assert before is not None
    if conditions.id_begins:
        # By the table of ids: whatever else is asked, they are few.
        source, row, end, order = "records INDEXED BY records_by_id", "records.number", 0, ""
    elif matching:
        source, row, end = "texts JOIN records ON records.number = texts.rowid", "texts.rowid", 0
        order = f"ORDER BY {row} DESC"
        where.append("texts MATCH ?")
        values.append(matching)
    else:
        source, row, end = "records", "records.number", max(0, before - _WINDOW)
        order = f"ORDER BY {row} DESC"
    rows = connection.execute(
        # Nothing but the names above is put into it.
        f"SELECT records.number, collections.key, body, read_at FROM {source} "  # noqa: S608
        "JOIN readings ON readings.number = records.number "
        "JOIN collections ON collections.number = records.collection "
        f"WHERE {' AND '.join(where)} AND {row} < ? AND {row} >= ? {order} LIMIT ?",
        (*values, before, end, most),
    ).fetchall()
    if len(rows) == most:
        rest = rows[-1][0]
    else:
        rest = end or None
    return Candidates([_record(key, body, read_at) for _, key, body, read_at in rows], rest)


def listed_numbers(connection: sqlite3.Connection, key: str, most: int) -> list[int]:
    """The records of a collection, by the numbers that the index gives them, in the order of the list.

    Those whose place is not known come last.
    """
    rows = connection.execute(
        "SELECT records.number FROM readings JOIN records USING (number) "
        "JOIN collections ON collections.number = records.collection "
        "WHERE collections.key = ? ORDER BY position IS NULL, position, records.number LIMIT ?",
        (key, most),
    )
    return [number for (number,) in rows]


def read_numbers(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[IndexedRecord]:
    """The records of these numbers, in this order; those that are gone by now are left out."""
    marks = ", ".join("?" * len(numbers))
    rows = connection.execute(
        "SELECT records.number, collections.key, body, read_at FROM records JOIN readings USING (number) "  # noqa: S608
        f"JOIN collections ON collections.number = records.collection WHERE records.number IN ({marks})",
        numbers,
    )
    by_number = {number: (key, body, read_at) for number, key, body, read_at in rows}
    return [_record(*by_number[number]) for number in numbers if number in by_number]


def read_changes(
    connection: sqlite3.Connection, since: float, key: str, record_id: str, most: int = -1
) -> list[SeenChange]:
    """What others changed, found since then, the newest first, at most so many (-1: all); of all records, or of one."""
    which, values = ("AND key = ? AND changes.id = ?", (key, record_id)) if record_id else ("", ())
    rows = connection.execute(
        # Nothing but the condition above is put into it.
        "SELECT key, changes.id, label, kind, path, said, read_before, read_after FROM changes "  # noqa: S608
        "JOIN collections ON collections.number = changes.collection "
        f"WHERE read_after >= ? {which} ORDER BY read_after DESC, changes.number LIMIT ?",
        (since, *values, most),
    )
    return list(_changes(rows))


def _changes(rows: sqlite3.Cursor) -> Iterator[SeenChange]:
    for key, record_id, label, kind, path, said, read_before, read_after in rows:
        values = cast("dict[str, Json]", loads(said))
        yield SeenChange(
            ChangeKind(kind),
            datetime.fromtimestamp(read_before, UTC),
            datetime.fromtimestamp(read_after, UTC),
            path,
            values.get("before", ABSENT),
            values.get("after", ABSENT),
            key,
            record_id,
            label,
        )


def _numbers(connection: sqlite3.Connection, keys: frozenset[str]) -> list[int]:
    rows = connection.execute("SELECT number, key FROM collections")
    return [number for number, key in rows if key in keys]


def _comparison(comparison: Comparison) -> tuple[str, Sequence[str | float]]:
    """A condition that every record fits whose value does, and its parameters; texts are left to whoever asked."""
    steps = path_steps({}, comparison.path)
    places = dict.fromkeys((_json_path([comparison.path]), _json_path(comparison.path.split(".")), _json_path(steps)))
    looser = abs(comparison.number) * _MARGIN
    bound = comparison.number - looser if comparison.operator.startswith(">") else comparison.number + looser
    sign = f"{comparison.operator[0]}="
    # Of unlike things SQLite takes texts for greater: more than fits, never less.
    one = f"json_extract(body, ?) {sign} ?"
    return f"({' OR '.join([one] * len(places))})", [value for place in places for value in (place, bound)]


def _beginning(text: str) -> tuple[str, Sequence[str]]:
    """A condition that ids fit which begin with the text, as it is or in capitals, and its parameters."""
    spellings = list(dict.fromkeys((storable(text), storable(text.upper()))))
    condition = " OR ".join(["(records.id >= ? AND records.id < ?)"] * len(spellings))
    return f"({condition})", [value for spelling in spellings for value in (spelling, spelling + _LAST)]


def _plain_texts(texts: Iterable[str]) -> tuple[list[str], list[str]]:
    """Conditions that SQLite can judge by itself, and their parameters: all trigrams may be there, and not the text."""
    plain = [_WILDCARD.sub(r"=\g<0>", text) for text in texts if _PLAIN.fullmatch(text)]
    return ["(folds = 1 OR body LIKE ? ESCAPE '=')"] * len(plain), [f"%{text}%" for text in plain]


def _json_path(steps: Sequence[str]) -> str:
    return "$" + "".join(f'."{step}"' for step in steps)


def _record(key: str, body: str, read_at: float) -> IndexedRecord:
    record = Record(cast("dict[str, Json]", loads(body)))
    return IndexedRecord(key, record, datetime.fromtimestamp(read_at, UTC))


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
