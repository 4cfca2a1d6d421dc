"""Asks the index in SQL for the command line; nothing is sent, and nothing is written."""

import math
from collections.abc import Callable, Mapping, Sequence

from svc_tui.bootstrap.index.located_index import LocatedIndex, index_command, locate_index, open_reader
from svc_tui.bootstrap.start import Options
from svc_tui.core.jsontext import Json, Number
from svc_tui.platform.event_loops import run_on_loop

RowsListener = Callable[[Sequence[str], Sequence[Mapping[str, Json]]], None]
"""Takes the names of the columns and some rows; called at least once, with no rows where there are none."""


def query_index(statement: str, options: Options, variables: Mapping[str, str], on_rows: RowsListener) -> int:
    """Give the rows of a SELECT over the collections, some at a time, and how many; raises CommandFailure."""
    with index_command():
        return run_on_loop(_query(statement, locate_index(options, variables), on_rows))


async def _query(statement: str, located: LocatedIndex, on_rows: RowsListener) -> int:
    count = 0
    async with open_reader(located) as reader:
        answer = await reader.query(statement)
        columns = _distinct(answer.columns)
        on_rows(columns, ())
        async for rows in answer.batches():
            on_rows(columns, [dict(zip(columns, map(_json, row), strict=True)) for row in rows])
            count += len(rows)
    return count


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names, those told apart that stand twice: `id`, `id_2`."""
    distinct: dict[str, None] = {}
    for name in names:
        unique, number = name, 1
        while unique in distinct:
            number += 1
            unique = f"{name}_{number}"
        distinct[unique] = None
    return tuple(distinct)


def _json(value: object) -> Json:
    """A value of SQLite as JSON has it; bytes as hexadecimal digits, what is no number in JSON as text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return Number(str(value))
    if isinstance(value, float):
        return Number(repr(value)) if math.isfinite(value) else str(value)
    return value.hex() if isinstance(value, bytes) else str(value)
