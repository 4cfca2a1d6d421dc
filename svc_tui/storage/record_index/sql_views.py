"""The index as tables for SELECT: a view for each collection, with its fields as columns, nested ones as JSON."""

import json
import sqlite3
from collections.abc import Iterator, Sequence

from msgspec import Struct

from svc_tui.storage.record_index.index_values import IndexProblem

_MAX_COLUMNS = 200
"""Columns of a view at most."""

_ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, 33}  # 33: SQLITE_RECURSIVE
)
"""What a statement may do: look."""


class SqlResult(Struct, frozen=True):
    """The names of the columns, and the rows: text, numbers, None."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


def answer_query(connection: sqlite3.Connection, statement: str) -> SqlResult:
    """What a SELECT gives; raises IndexProblem for what is none, and for what it can't name."""
    cursor = begin_query(connection, statement)
    return SqlResult(column_names(cursor), fetch_rows(cursor))


def begin_query(connection: sqlite3.Connection, statement: str) -> sqlite3.Cursor:
    """The rows that a SELECT gives, one after the other; raises IndexProblem as `answer_query` does."""
    _make_views(connection)
    # SQLite reads its schema when a table-valued function is first named, which the authorizer would refuse.
    connection.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')").fetchall()
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
    try:
        cursor = connection.execute(statement)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        # A ValueError is a statement with a NUL, or with half a character, in it.
        if _is_interrupt(error):
            raise
        raise IndexProblem(_explained(error, view_names(connection))) from None
    finally:
        connection.set_authorizer(None)
    if cursor.description is None:
        raise IndexProblem("only SELECT statements are allowed")
    return cursor


def column_names(cursor: sqlite3.Cursor) -> list[str]:
    """The names of the columns of an answer."""
    return [column[0] for column in cursor.description]


def fetch_rows(cursor: sqlite3.Cursor, most: int | None = None) -> list[Sequence[object]]:
    """The next rows of an answer, at most so many; raises IndexProblem."""
    try:
        return cursor.fetchall() if most is None else cursor.fetchmany(most)
    except sqlite3.Error as error:
        if _is_interrupt(error):
            raise
        raise IndexProblem(_explained(error, ())) from None


def _is_interrupt(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT


def view_names(connection: sqlite3.Connection) -> list[str]:
    """The names of the views."""
    return [name for (name,) in connection.execute("SELECT name FROM temp.sqlite_schema WHERE type = 'view'")]


def _make_views(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = OFF")
    try:
        for name in view_names(connection):
            connection.execute(f"DROP VIEW temp.{_quoted(name)}")
        rows = connection.execute("SELECT number, key, fields FROM collections ORDER BY number").fetchall()
        for number, key, fields in rows:
            columns = ", ".join(_columns(json.loads(fields)))
            connection.execute(
                # The names of fields are the service's: each is quoted.
                f"CREATE TEMP VIEW {_quoted(key.rpartition('/')[2])} AS SELECT {columns} FROM main.records "
                f"JOIN main.readings USING (number) WHERE collection = {number:d}"
            )
    finally:
        connection.execute("PRAGMA query_only = ON")


def _columns(paths: Sequence[str]) -> Iterator[str]:
    """The fields of the records themselves; those inside others are in the JSON of these."""
    seen = {"_read_at"}
    for name in paths:
        # A path that leads through another field is not one of the record's own.
        nested = any(name.startswith(f"{other}{mark}") for other in paths for mark in (".", "["))
        if nested or name.casefold() in seen or len(seen) > _MAX_COLUMNS:
            continue
        seen.add(name.casefold())
        place = f'$."{name}"'.replace("'", "''")
        yield f"json_extract(body, '{place}') AS {_quoted(name)}"
    yield "strftime('%Y-%m-%dT%H:%M:%SZ', read_at, 'unixepoch') AS \"_read_at\""


def _explained(error: Exception, names: Sequence[str]) -> str:
    text = str(error)
    if not isinstance(error, sqlite3.Error | sqlite3.Warning) or "null character" in text:
        return "the statement contains a null character"
    if "one statement at a time" in text:
        return "only one statement is allowed"
    if text.startswith("no such table"):
        return f"{text}; available tables: {', '.join(names)}"
    if "authorized" in text or "prohibited" in text:
        return f"only SELECT statements on these tables are allowed: {', '.join(names)}"
    return f"SQL error: {text}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
