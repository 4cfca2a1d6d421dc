"""Numbered rows, as a table draws them."""

from collections.abc import Callable, Iterator
from typing import Protocol

from svc_tui.core.records import Record

MAX_RECORDS = 20_000
"""Records held of one collection: what a person looks through."""


class Rows(Protocol):
    """Numbered rows, from 0, as a table draws them."""

    @property
    def count(self) -> int:
        """The number of rows to offer."""

    @property
    def end_known(self) -> bool:
        """Whether that is all."""

    def get(self, row: int) -> Record | None:
        """The record in `row`, if it is held."""

    def held(self, span: range) -> Iterator[tuple[int, Record]]:
        """The rows of `span` (counting up by one) that are held, and their records, in order."""

    def waiting(self, row: int) -> bool:
        """Whether the record in `row` is still to come."""

    def failure(self, row: int) -> str | None:
        """Why it could not be read; None where nothing failed."""

    def page_of(self, row: int) -> int:
        """The page that holds `row`: what failed, failed for all of it."""

    def index_of(self, record_id: str) -> int | None:
        """The row of the record with that id, among those held."""


class HeldRows:
    """A known number of rows, each made by `make` when it is drawn; see `Rows`."""

    def __init__(self, count: int = 0, make: Callable[[int], Record] = lambda _: Record({})) -> None:
        self.count, self._make = count, make

    @property
    def end_known(self) -> bool:
        """True: all are here."""
        return True

    def get(self, row: int) -> Record | None:
        """The cells of a row."""
        return self._make(row) if 0 <= row < self.count else None

    def held(self, span: range) -> Iterator[tuple[int, Record]]:
        """The rows of `span` and their cells."""
        return ((row, self._make(row)) for row in span if 0 <= row < self.count)

    def waiting(self, row: int) -> bool:
        """False: no row is awaited."""
        return False

    def failure(self, row: int) -> str | None:
        """None: nothing is read here, so nothing fails."""
        return None

    def page_of(self, row: int) -> int:
        """1: they come all at once."""
        return 1

    def index_of(self, record_id: str) -> int | None:
        """The first row of a record with that id."""
        return next((row for row in range(self.count) if self._make(row).id == record_id), None)
