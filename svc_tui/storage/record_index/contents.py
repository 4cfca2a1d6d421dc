"""Queries of an index besides a search: its status, the records of one collection, and changes."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import cast

from svc_tui.core.jsontext import ABSENT, Json, loads
from svc_tui.core.records import Record
from svc_tui.storage.record_index.index_values import IndexedCollection, IndexedRecord, IndexStatus
from svc_tui.storage.record_index.seen_changes import ChangeKind, SeenChange


def read_status(connection: sqlite3.Connection) -> IndexStatus:
    """Return the status of the index: its collections, size and age."""
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


def listed_numbers(connection: sqlite3.Connection, key: str, most: int) -> list[int]:
    """Return the numbers of a collection's records in the index, in the order of the list.

    Those whose position is not known come last.
    """
    rows = connection.execute(
        "SELECT records.number FROM readings JOIN records USING (number) "
        "JOIN collections ON collections.number = records.collection "
        "WHERE collections.key = ? ORDER BY position IS NULL, position, records.number LIMIT ?",
        (key, most),
    )
    return [number for (number,) in rows]


def read_numbers(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[IndexedRecord]:
    """Return the records with these numbers, in this order; those deleted meanwhile are left out."""
    marks = ", ".join("?" * len(numbers))
    rows = connection.execute(
        "SELECT records.number, collections.key, body, read_at FROM records JOIN readings USING (number) "
        f"JOIN collections ON collections.number = records.collection WHERE records.number IN ({marks})",
        numbers,
    )
    by_number = {number: (key, body, read_at) for number, key, body, read_at in rows}
    return [_record(*by_number[number]) for number in numbers if number in by_number]


def read_changes(
    connection: sqlite3.Connection, since: float, key: str, record_id: str, most: int = -1
) -> list[SeenChange]:
    """Return changes by others found since then, of all records or one, the newest first, at most `most` (-1: all)."""
    which, values = ("AND key = ? AND changes.id = ?", (key, record_id)) if record_id else ("", ())
    rows = connection.execute(
        # Only the condition above is put into the statement.
        "SELECT key, changes.id, label, kind, path, said, read_before, read_after FROM changes "
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


def _record(key: str, body: str, read_at: float) -> IndexedRecord:
    record = Record(cast("dict[str, Json]", loads(body)))
    return IndexedRecord(key, record, datetime.fromtimestamp(read_at, UTC))


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
