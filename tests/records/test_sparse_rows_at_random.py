"""Sparse rows against a plain list that others write to, through random scripts of everything that can happen."""

from collections import defaultdict
from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from svc_tui.core.records import Page, Record
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.storage.record_store import RecordStore
from tests.budget import share_of

PLACES = st.integers(0, 300)


@dataclass
class ListEndpoint:
    """A list endpoint over `records`: `lie` is added to the true count (None: not said), `cap` bounds `limit`."""

    records: list[Record]
    cap: int
    lie: int | None
    says_last: bool
    made: int = field(init=False)

    def __post_init__(self) -> None:
        self.made = len(self.records)

    def new(self) -> Record:
        self.made += 1
        return Record({"id": f"lot-{self.made}", "note": ""})

    def page(self, number: int, limit: int) -> Page:
        size = min(limit, self.cap)
        pages = max(1, -(-len(self.records) // size))
        records = tuple(self.records[(number - 1) * size : number * size])
        total = None if self.lie is None else max(0, len(self.records) + self.lie)
        return Page(records, number, size, total, number >= pages if self.says_last else None)


class SparseRowsMachine(RuleBasedStateMachine):
    """Somebody scrolls, refreshes, seeks the end and gives up, while others write and the service lies and fails."""

    @initialize(
        count=PLACES,
        limit=st.integers(1, 40),
        cap=st.sampled_from([1000, 20, 7]),
        lie=st.sampled_from([None, 0, 0, 5, 400, -30]),
        says_last=st.booleans(),
        most=st.sampled_from([10_000, 60]),
        block_pages=st.sampled_from([1, 4]),
    )
    def open(
        self, *, count: int, limit: int, cap: int, lie: int | None, says_last: bool, most: int, block_pages: int
    ) -> None:
        self.mine = ListEndpoint(
            [Record({"id": f"lot-{at}", "note": ""}) for at in range(1, count + 1)], cap, lie, says_last
        )
        self.rows = SparseRows(RecordStore(), "lots", limit, most, block_pages * limit)
        self.most = most
        self.under_way: dict[tuple[int, ...], Page] = {}
        self.once_more: set[int] = set()
        self.changed: set[str | None] = set()
        self.given: defaultdict[int, set[str | None]] = defaultdict(set)
        self.rows.queue.set_viewport(0, 10)
        if block_pages > 1:
            # The rest can be read from the start: without this, few scripts come so far.
            self.come_to_rest()
            self.rows.queue.request(self.rows.missing(), in_blocks=True)

    # What somebody does

    @rule(first=PLACES, height=st.integers(1, 30), direction=st.sampled_from([1, -1]))
    def look(self, first: int, height: int, direction: int) -> None:
        self.rows.queue.set_viewport(first, first + height, direction)

    @rule()
    def refresh(self) -> None:
        self.rows.queue.retry()
        self.rows.invalidate()
        self.once_more |= self.numbers_under_way

    @rule(first=PLACES, height=st.integers(1, 30))
    def watch(self, first: int, height: int) -> None:
        numbers = {self.rows.page_of(row) for row in range(first, first + height)}
        self.rows.queue.refresh(numbers)
        self.once_more |= self.numbers_under_way & numbers

    @rule()
    def try_again_quietly(self) -> None:
        self.rows.queue.retry(awaited=False)

    @rule()
    def seek(self) -> None:
        self.rows.queue.seek_end()

    @rule(in_order=st.booleans())
    def read_the_rest(self, in_order: bool) -> None:
        self.rows.queue.request(self.rows.missing(), in_order=in_order, in_blocks=True)
        assert self.rows.queue.requests_left == self.rows.missing_requests

    # What comes of it

    @property
    def numbers_under_way(self) -> set[int]:
        return {number for numbers in self.under_way for number in numbers}

    @rule(meanwhile=st.booleans())
    def ask(self, meanwhile: bool) -> None:
        """A request leaves; what it will be answered is known now, or only `meanwhile`."""
        number = self.rows.queue.next_page()
        if number is None or len(self.under_way) == 2:
            return
        assert number >= 1
        numbers = tuple(self.rows.queue.pages_with(number))
        assert number in numbers
        assert self.numbers_under_way.isdisjoint(numbers)
        for each in numbers:
            self.rows.queue.started(each)
        answer = self.page(numbers)
        if meanwhile:
            self.answer(numbers, answer)
        else:
            self.under_way[numbers] = answer

    def page(self, numbers: tuple[int, ...]) -> Page:
        """The answer to the request for these pages, as it is now."""
        size, pages = self.rows.page_size, 1 if len(numbers) == 1 else self.rows.block_pages
        for number in numbers:
            records = self.mine.records[(number - 1) * size : number * size]
            self.given[number] |= {record.id for record in records}
        return self.mine.page((numbers[0] - 1) // pages + 1, pages * self.rows.limit)

    @precondition(lambda self: self.under_way)
    @rule(data=st.data())
    def arrive(self, data: st.DataObject) -> None:
        numbers = data.draw(st.sampled_from(sorted(self.under_way)))
        self.answer(numbers, self.under_way.pop(numbers))

    @precondition(lambda self: self.under_way)
    @rule(data=st.data())
    def fail(self, data: st.DataObject) -> None:
        numbers = data.draw(st.sampled_from(sorted(self.under_way)))
        del self.under_way[numbers]
        for number in numbers:
            self.rows.queue.failed(number, "no route to host")
        assert self.rows.queue.next_page() not in numbers or self.once_more.intersection(numbers)
        self.once_more.difference_update(numbers)

    def answer(self, numbers: tuple[int, ...], answer: Page) -> None:
        self.once_more.difference_update(numbers)
        if len(numbers) > 1:
            for page, changed in self.rows.add_block(answer, numbers):
                self.check_added(page, changed)
        else:
            self.given[answer.number] |= {record.id for record in answer.records}
            page = self.rows.queue.with_newer_records(answer)
            self.check_added(page, self.rows.add(page))
        assert not any(self.rows.queue.under_way(number) for number in numbers)

    def check_added(self, page: Page, changed: range) -> None:
        assert all(record.fields["note"] == "changed" for record in page.records if record.id in self.changed)
        start = (page.number - 1) * self.rows.page_size
        assert {row for row in range(start, start + len(page.records)) if self.rows.get(row)} <= set(changed)

    # What others do

    @rule(at=PLACES, count=st.integers(1, 45))
    def insert(self, at: int, count: int) -> None:
        self.mine.records[at:at] = [self.mine.new() for _ in range(count)]

    @rule(at=PLACES, count=st.integers(1, 90))
    def delete(self, at: int, count: int) -> None:
        del self.mine.records[at : at + count]

    @rule(at=PLACES)
    def change(self, at: int) -> None:
        if at < len(self.mine.records):
            record = Record({**self.mine.records[at].fields, "note": "changed"})
            self.mine.records[at] = record
            self.changed.add(record.id)
            row = self.rows.replace(record)
            assert row is None or self.rows.get(row) is record

    # What always holds

    @invariant()
    def what_is_held_came_for_that_page(self) -> None:
        if not hasattr(self, "rows"):
            return
        for number in self.rows.pages:
            records = self.rows.page_records(number)
            assert {record.id for record in records} <= self.given[number]
            assert (number - 1) * self.rows.page_size + len(records) <= self.rows.count
        assert self.rows.cached <= max(self.most, 3 * self.rows.page_size)

    def teardown(self) -> None:
        """At rest, after a refresh, what one sees is the list: wherever one looks, and at its end."""
        if not hasattr(self, "rows"):
            return
        rows, mine = self.rows, self.mine
        for numbers, answer in self.under_way.items():
            self.answer(numbers, answer)
        rows.queue.retry()
        rows.queue.request(())
        rows.invalidate()
        if mine.lie is not None:
            mine.lie = 0
        for first in (0, 3 * rows.page_size, 0):
            rows.queue.set_viewport(first, first + 10)
            self.come_to_rest()
            seen = [rows.get(row) for row in range(first, min(first + 10, rows.count))]
            assert seen == mine.records[first : min(first + 10, rows.count)]
        rows.queue.set_viewport(0, 0)
        rows.queue.seek_end()
        asked = self.come_to_rest()
        while True:
            rows.queue.set_viewport(rows.count - 1, rows.count)
            rows.queue.seek_end()
            more = self.come_to_rest()
            if not more:
                break
            asked += more
        assert rows.total == len(mine.records)
        assert not rows.count or rows.get(rows.count - 1) == mine.records[-1]
        assert asked <= 30

    def come_to_rest(self) -> int:
        for asked in range(200):
            number = self.rows.queue.next_page()
            if number is None:
                return asked
            self.rows.queue.started(number)
            self.answer((number,), self.page((number,)))
        raise AssertionError("reading never comes to rest")


TestScripts = SparseRowsMachine.TestCase
# The same scripts at each run: a failure is of the change that is being tested. More are tried by raising the number.
TestScripts.settings = settings(max_examples=share_of(400), stateful_step_count=30, deadline=None, derandomize=True)
