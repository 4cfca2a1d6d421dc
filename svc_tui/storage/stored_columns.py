"""Columns: the values at one path of the stored records, as SQLite compares and searches them."""

import sqlite3
from collections.abc import Iterable, Iterator

from svc_tui.core.field_path import value_at
from svc_tui.core.folded_text import fold_value
from svc_tui.core.jsontext import Absent, Json, encode_json, loads
from svc_tui.storage.filter_sql import Condition, storable
from svc_tui.storage.sort_keys import EXACT_DIGITS, TEXT, TIME, key_of, to_bytes

_IS_NUMBER = f"value GLOB '[-0-9]*' AND length(value) <= {EXACT_DIGITS} AND NOT value GLOB '*[eE]*'"
_IS_TEXT = "value GLOB '\"[^0-9]*' AND NOT value GLOB '*[^ -~]*' AND NOT instr(value, char(92))"
_IS_TIME = """value GLOB '"[12][0-9][0-9][0-9]-[01][0-9]-[0-2][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z"'
    AND substr(value, 7, 2) BETWEEN '01' AND '12' AND substr(value, 10, 2) BETWEEN '01' AND '28'
    AND substr(value, 13, 2) < '24'"""
_PLAIN_KEY = f"""CASE WHEN value IS NULL OR value IN ('null', '""') THEN NULL
    WHEN {_IS_NUMBER} THEN CAST(value AS REAL)
    WHEN {_IS_TEXT} THEN CAST('{TEXT.decode()}' || lower(substr(value, 2, length(value) - 2)) AS BLOB)
    WHEN {_IS_TIME} THEN CAST('{TIME.decode()}' || substr(value, 2, 19) AS BLOB)
    ELSE x'' END"""
"""The sort key of a plain value, as `key_of` makes it; x'' where Python has to make it."""

_SLICE = 500
"""Records that take 1 to 8 ms, by how many values Python has to read."""


class StoredColumn:
    """The values at one path of a collection's records, with keys and folded texts, up to record `filled`.

    They are in a table of their own: `value` is JSON, `key` and `rest` are those of `sort_keys`, `folded` is the text
    that a filter searches, NULL for the value in lower case.
    """

    def __init__(
        self, db: sqlite3.Connection, table: str, collection: int, path: str, *, is_temporary: bool = False
    ) -> None:
        """Create the table; it is empty. In a temporary one, values of deleted records stay: nothing asks for them."""
        self._db, self.table, self.collection, self.path = db, table, collection, path
        self.filled = 0
        temporary = "TEMP " if is_temporary else ""
        db.execute(f"CREATE {temporary}TABLE {table} (record INTEGER PRIMARY KEY, value TEXT, key, rest BLOB, folded)")
        if is_temporary:
            return
        db.execute(
            f"CREATE TRIGGER {table}_deleted AFTER DELETE ON records "
            f"BEGIN DELETE FROM {table} WHERE record = OLD.number; END"
        )

    @property
    def delete_statements(self) -> tuple[str, str]:
        """What deletes the table; its trigger goes first, which would look for it."""
        return f"DROP TRIGGER IF EXISTS {self.table}_deleted", f"DROP TABLE IF EXISTS {self.table}"

    def fill(self, needed: int) -> Iterator[None]:
        """Add the records that were read since, in slices, up to number `needed`."""
        while self.filled < needed:
            (last,) = self._db.execute(
                "SELECT max(number) FROM (SELECT number FROM records WHERE collection = ? AND number > ? "
                "ORDER BY number LIMIT ?)",
                (self.collection, self.filled, _SLICE),
            ).fetchone()
            if last is None:
                self.filled = needed
                return
            self._add_cells(self.filled, last)
            self.filled = last
            yield

    def _add_cells(self, after: int, last: int) -> None:
        """Add the cells of the records after one up to another: SQLite makes the plain ones, Python the others."""
        value = _value_sql(self.path)
        self._db.execute(
            # Materialized, or SQLite would read the JSON again for each mention of the value.
            f"WITH cells AS MATERIALIZED (SELECT number, {value.sql} AS value FROM records "
            f"WHERE +collection = ? AND number > ? AND number <= ?) INSERT INTO {self.table} "
            f"SELECT number, value, {_PLAIN_KEY}, x'02', iif(value = 'null', '', NULL) FROM cells",
            (*value.values, self.collection, after, last),
        )
        odd = self._db.execute(
            f"SELECT record, value FROM {self.table} WHERE record > ? AND record <= ? AND key = x''",
            (after, last),
        ).fetchall()
        cells = ((number, text, loads(text, keep_repeated=True)) for number, text in odd)
        self._db.executemany(
            f"REPLACE INTO {self.table} VALUES (?, ?, ?, ?, ?)",
            [(number, text, *key_of(value), storable(fold_value(value))) for number, text, value in cells],
        )

    def refill(self, changed: Iterable[int]) -> None:
        """Add the cells of changed records again."""
        for number in changed:
            if number <= self.filled:
                self._db.execute(f"DELETE FROM {self.table} WHERE record = ?", (number,))
                self._add_cells(number - 1, number)


def add_functions(db: sqlite3.Connection) -> None:
    """Add the functions of SQL that columns and filters need, for the few values that SQLite would read otherwise."""
    for function in (value_json, casefolds_to):
        db.create_function(function.__name__, -1, function, deterministic=True)


def value_json(body: str, path: bytes) -> str | None:
    """Return the JSON of the value at a path, None if it is missing."""
    fields = loads(body, keep_repeated=True)
    assert isinstance(fields, dict)
    value: Json | Absent = value_at(fields, path.decode("utf-8", "surrogatepass"))
    return None if isinstance(value, Absent) else encode_json(value).decode()


def casefolds_to(key: bytes, folded: bytes) -> bool:
    """Return if two keys are of the same text but for case; `folded` is casefolded."""
    return to_bytes(key.decode("utf-8", "surrogatepass").casefold()) == folded


def _value_sql(path: str) -> Condition:
    """Return the SQL for the JSON of the value at `path` in `body`, with every digit; NULL if it is missing."""
    in_python = Condition("value_json(body, ?)", (to_bytes(path),))
    # SQLite ends a path at a NUL, and quotes the names in it.
    if not path or not path.isprintable() or '"' in path or "\\" in path or sqlite3.sqlite_version_info < (3, 38):
        return in_python
    steps = path.split(".")
    # A name with points in it comes before a path of several names, at every step.
    candidates = [
        "$" + "".join(f'."{name}"' for name in (*steps[:at], ".".join(steps[at:]))) for at in range(len(steps))
    ]
    plain = ", ".join(["body -> ?"] * len(candidates))
    sql = f"iif(has_escapes, {in_python.sql}, {f'coalesce({plain})' if len(candidates) > 1 else plain})"
    return Condition(sql, (*in_python.values, *candidates))
