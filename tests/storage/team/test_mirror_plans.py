"""How SQLite goes about what is looked up in the copy of a team's lines: by one value of an index, however many."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from svc_tui.storage.team.mirror import MIRROR, SELECT_WRITES, WRITES_TO_PLACE


@pytest.fixture
def copy() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for step in MIRROR.steps:
            for statement in step:
                connection.execute(statement)
        yield connection


def steps(copy: sqlite3.Connection, statement: str, *values: str) -> list[str]:
    """What SQLite does for it, in its words."""
    return [row[3] for row in copy.execute(f"EXPLAIN QUERY PLAN {statement}", values)]


def test_what_a_write_made_is_found_by_its_place(copy: sqlite3.Connection) -> None:
    found = steps(copy, WRITES_TO_PLACE, "service", "place", "service", "place")
    assert "SEARCH outcome USING INDEX lines_by_made (service=? AND made=?)" in found


def test_the_writes_of_a_run_are_found_by_its_name(copy: sqlite3.Connection) -> None:
    for order in ("", "ORDER BY intent.id DESC LIMIT 9"):
        statement = f"{SELECT_WRITES} AND intent.run <> '' AND intent.run = ? {order}"
        found = steps(copy, statement, "service", "own", "run")
        assert "SEARCH intent USING INDEX lines_by_run (service=? AND run=?)" in found
