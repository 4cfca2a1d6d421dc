"""Methods that run on the thread of a database."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from svc_tui.storage.database import DatabaseLayout
from svc_tui.storage.database_thread import DatabaseThread, on_thread
from svc_tui.storage.errors import StoreError

NUMBERS = DatabaseLayout((("CREATE TABLE numbers (number INTEGER)",),))


class Numbers:
    def __init__(self, database: DatabaseThread) -> None:
        self._database = database
        self.hold = threading.Event()
        self.thread = ""

    @on_thread
    def add(self, connection: sqlite3.Connection, number: int, *, times: int = 1) -> int:
        """Add a number."""
        self.thread = threading.current_thread().name
        connection.executemany("INSERT INTO numbers VALUES (?)", [(number,)] * times)
        return number * times

    @on_thread
    def add_after_hold(self, connection: sqlite3.Connection, number: int) -> None:
        self.hold.wait(10)
        connection.execute("INSERT INTO numbers VALUES (?)", (number,))

    @on_thread
    def all(self, connection: sqlite3.Connection) -> list[int]:
        return [number for (number,) in connection.execute("SELECT number FROM numbers")]

    @on_thread
    def fail(self, connection: sqlite3.Connection) -> None:
        connection.execute("SELECT * FROM nothing")


@pytest.fixture
async def numbers(tmp_path: Path) -> AsyncIterator[Numbers]:
    database = DatabaseThread(tmp_path / "state" / "numbers.db", NUMBERS)
    yield Numbers(database)
    await database.aclose()


async def test_a_method_is_called_without_the_connection_and_runs_on_the_thread(numbers: Numbers) -> None:
    assert await numbers.add(3) == 3
    assert await numbers.add(4, times=2) == 8
    assert await numbers.all() == [3, 4, 4]
    assert numbers.thread.startswith("svc-tui-store")
    assert Numbers.add.__doc__ == "Add a number."


async def test_an_error_of_sqlite_is_a_store_error(numbers: Numbers) -> None:
    with pytest.raises(StoreError, match="can't be used"):
        await numbers.fail()


async def test_work_is_done_in_order_even_if_its_caller_is_cancelled(numbers: Numbers) -> None:
    cancelled = asyncio.ensure_future(numbers.add_after_hold(1))
    await asyncio.sleep(0)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    numbers.hold.set()
    assert await numbers.add(2) == 2
    assert await numbers.all() == [1, 2]
