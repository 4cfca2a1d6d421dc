"""Sparse rows against a plain list, served whole, capped, counted rightly, wrongly or not at all."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.jsontext import number
from svc_tui.core.records import Page, Record
from svc_tui.records.sparse_rows import SparseRows, split_page
from svc_tui.storage.record_store import RecordStore


def record(row: int, note: str = "") -> Record:
    return Record({"id": f"lot-{row:06d}", "note": note})


@dataclass
class Service:
    """A list endpoint: `total` added to the true count (None: not said), `cap` on limit, what is past the end."""

    records: list[Record]
    lie: int | None = 0
    cap: int = 1000
    says_limit: bool = True
    says_last: bool = False
    past: str = "empty"
    asked: int = 0

    def page(self, number: int, limit: int) -> Page:
        self.asked += 1
        real = min(limit, self.cap)
        pages = max(1, -(-len(self.records) // real))
        place = min(number, pages) if self.past == "last page again" else number
        found = tuple(self.records[(place - 1) * real : place * real])
        total = None if self.lie is None else max(0, len(self.records) + self.lie)
        last = number >= pages if self.says_last else None
        return Page(found, number, real if self.says_limit else limit, total, last)


def serve(rows: SparseRows, service: Service) -> None:
    """Read whatever is wanted until nothing is."""
    for _ in range(500):
        wanted = rows.queue.next_page()
        if wanted is None:
            return
        numbers = ask(rows, wanted)
        assert rows.queue.next_page() != wanted
        if len(numbers) == 1:
            rows.add(service.page(wanted, rows.limit))
        else:
            added(rows, block(rows, service, numbers), numbers)
    pytest.fail("reading never comes to rest")


def ask(rows: SparseRows, number: int) -> list[int]:
    """Ask for the pages that one request asks for with page `number`."""
    numbers = rows.queue.pages_with(number)
    for each in numbers:
        rows.queue.started(each)
    return numbers


def block(rows: SparseRows, service: Service, numbers: list[int]) -> Page:
    """The answer to a request for several pages."""
    return service.page((numbers[0] - 1) // rows.block_pages + 1, rows.block_pages * rows.limit)


def added(rows: SparseRows, answer: Page, numbers: list[int]) -> list[int]:
    """Take in a block; gives the pages that were taken in."""
    return [page.number for page, _ in rows.add_block(answer, numbers)]


def begun(service: Service, *, held: int = 1, limit: int = 2, block_pages: int = 4) -> SparseRows:
    """Rows whose first `held` pages are read, and whose rest is requested in blocks."""
    rows = SparseRows(RecordStore(), "lots", limit, bulk_limit=block_pages * limit)
    rows.queue.set_viewport(0, held * limit)
    for at in range(1, held + 1):
        rows.queue.started(at)
        rows.add(service.page(at, limit))
    rows.queue.set_viewport(0, 0)
    rows.queue.request(rows.missing(), in_blocks=True)
    service.asked = 0
    return rows


services = st.builds(
    Service,
    records=st.integers(0, 400).map(lambda n: [record(i) for i in range(n)]),
    lie=st.sampled_from([None, 0, 1, 37, 900, -1, -60]),
    cap=st.sampled_from([1000, 20, 7, 3]),
    says_limit=st.booleans(),
    says_last=st.booleans(),
    past=st.sampled_from(["empty", "last page again"]),
)


@given(services, st.integers(1, 60), st.lists(st.tuples(st.integers(0, 1500), st.integers(1, 40)), max_size=8))
def test_rows_are_those_of_the_list_wherever_one_looks(
    service: Service, limit: int, views: list[tuple[int, int]]
) -> None:
    rows = SparseRows(RecordStore(), "lots", limit)
    for first, height in [(0, 10), *views]:
        rows.queue.set_viewport(first, first + height)
        serve(rows, service)
        for row in range(first, min(first + height, rows.count)):
            got = rows.get(row)
            assert got is None or service.past != "empty" or got == service.records[row]
        if service.lie == 0:
            assert rows.count >= len(service.records) or rows.total is not None


@given(services, st.integers(1, 60))
def test_the_end_is_found(service: Service, limit: int) -> None:
    rows = SparseRows(RecordStore(), "lots", limit)
    rows.queue.set_viewport(0, 10)
    serve(rows, service)
    for _ in range(40):  # a total that lies is corrected by what is read where it points
        rows.queue.seek_end()
        serve(rows, service)
        rows.queue.set_viewport(rows.count - 5, rows.count)
        serve(rows, service)
        if (
            rows.end_known
            and rows.queue.next_page() is None
            and (rows.count == 0 or rows.get(rows.count - 1) is not None)
        ):
            break
    two_lies = service.lie and service.past != "empty"
    if not two_lies and (service.lie is None or service.lie >= 0):
        assert rows.total == len(service.records)
        assert [rows.get(row) for row in range(max(0, rows.count - 1), rows.count)] == service.records[-1:]


@given(services, st.integers(1, 60))
def test_scrolling_down_reads_every_record(service: Service, limit: int) -> None:
    rows = SparseRows(RecordStore(), "lots", limit)
    seen: list[Record] = []
    for row in range(2000):
        rows.queue.set_viewport(row, row + 1)
        serve(rows, service)
        if row >= rows.count:
            break
        found = rows.get(row)
        assert found is not None
        seen.append(found)
    if service.lie is None or service.lie >= 0:
        assert seen == service.records
        assert rows.total == len(service.records)


def test_with_a_total_the_last_of_ten_million_is_one_page_away() -> None:
    rows = SparseRows(RecordStore(), "lots", 50)
    rows.queue.set_viewport(0, 30)
    rows.add(Page(tuple(record(i) for i in range(50)), 1, 50, 10_000_000))
    assert rows.count == 10_000_000
    rows.queue.set_viewport(9_999_970, 10_000_000)
    assert rows.queue.next_page() == 200_000
    rows.queue.started(200_000)
    rows.add(Page(tuple(record(9_999_950 + i) for i in range(50)), 200_000, 50, 10_000_000))
    assert rows.get(9_999_999) == record(9_999_999)


def test_without_a_total_the_end_of_many_is_found_in_few_requests() -> None:
    count = 123_456
    rows = SparseRows(RecordStore(), "lots", 50)
    rows.queue.set_viewport(0, 30)
    asked = 0
    rows.queue.seek_end()
    while (wanted := rows.queue.next_page()) is not None:
        asked += 1
        start = (wanted - 1) * 50
        rows.queue.started(wanted)
        rows.add(Page(tuple(record(i) for i in range(start, min(start + 50, count))), wanted, 50))
    assert rows.total == count
    assert not rows.queue.seeking
    assert asked < 30


def test_what_is_in_view_goes_first_then_one_page_in_the_direction_of_travel() -> None:
    service = Service([record(i) for i in range(1000)])
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.set_viewport(0, 5)
    serve(rows, service)
    rows.queue.set_viewport(495, 515, -1)
    order = []
    while (wanted := rows.queue.next_page()) is not None:
        order.append((wanted, rows.queue.awaited(wanted)))
        rows.queue.started(wanted)
    assert order == [(50, True), (51, True), (52, True), (49, False)]


def test_the_cache_is_bounded() -> None:
    service = Service([record(i) for i in range(5000)])
    rows = SparseRows(RecordStore(), "lots", 10, max_records=50)
    for first in range(0, 5000, 10):
        rows.queue.set_viewport(first, first + 10)
        serve(rows, service)
    assert rows.cached <= 50
    assert rows.get(0) is None
    rows.queue.set_viewport(0, 10)
    serve(rows, service)
    assert rows.get(0) == record(0)


def test_a_failed_page_waits_for_a_retry() -> None:
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.set_viewport(0, 5)
    rows.queue.started(1)
    rows.queue.failed(1, "no route to host")
    assert rows.failure(3) == "no route to host"
    assert rows.queue.next_page() is None
    rows.queue.retry()
    assert rows.failure(3) is None
    assert rows.queue.next_page() == 1


def test_a_refresh_keeps_what_is_seen_until_it_is_read_again() -> None:
    service = Service([record(i) for i in range(95)])
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.set_viewport(0, 10)
    serve(rows, service)
    service.records = [record(i, "new") for i in range(3, 95)]
    rows.queue.started(3)
    rows.invalidate()
    assert rows.get(0) == record(0)
    assert rows.total == 95
    assert rows.queue.next_page() == 1
    serve(rows, service)
    assert rows.get(0) == record(3, "new")
    assert rows.total == 92
    rows.queue.set_viewport(20, 30)
    rows.add(Page(tuple(record(i) for i in range(20, 30)), 3, 10, 92))
    assert rows.queue.next_page() == 3, "an answer asked for before the refresh is shown, and read again"


def test_rows_that_come_twice_are_noticed() -> None:
    rows = SparseRows(RecordStore(), "lots", 3)
    seen = []
    for place, ids in enumerate([(0, 1, 2), (3, 4, 5), (5, 6, 7)], start=1):
        rows.add(Page(tuple(map(record, ids)), place, 3))
        seen.append(rows.shifted)
    rows.invalidate()
    assert [*seen, rows.shifted] == [False, False, True, False]


def test_a_total_that_changes_while_reading_is_noticed() -> None:
    rows = SparseRows(RecordStore(), "lots", 3)
    rows.add(Page(tuple(record(i) for i in (0, 1, 2)), 1, 3, 9))
    rows.add(Page(tuple(record(i) for i in (3, 4, 5)), 2, 3, 8))
    assert rows.shifted
    assert rows.total == 8


def test_a_changed_record_takes_its_row() -> None:
    rows = SparseRows(RecordStore(), "lots", 3)
    rows.add(Page(tuple(record(i) for i in (0, 1, 2)), 1, 3, 9))
    rows.add(Page(tuple(record(i) for i in (3, 4, 5)), 2, 3, 9))
    changed = record(4, "split")
    assert rows.replace(changed) == 4
    assert rows.get(4) == changed
    assert rows.replace(record(77)) is None
    assert rows.index_of("lot-000004") == 4
    assert rows.index_of("lot-000077") is None


def test_a_page_that_was_overtaken_by_a_record_in_it_is_not_read_again() -> None:
    rows = SparseRows(RecordStore(), "lots", 3)
    rows.queue.set_viewport(0, 6)
    rows.queue.started(1)
    changed, nameless = record(1, "split"), Record({"grade": "none"})
    assert rows.replace(changed) is None, "its row has not come"
    rows.add(rows.queue.with_newer_records(Page((record(0), record(1), nameless), 1, 3, 6)))
    assert rows.get(1) == changed
    assert rows.queue.next_page() == 2
    rows.queue.started(2)
    rows.add(rows.queue.with_newer_records(Page((record(3), record(4), record(1)), 2, 3, 6)))
    assert rows.get(5) == record(1), "that was asked for later, and may be newer"


def test_a_service_that_caps_limit_is_understood_from_its_first_page() -> None:
    rows = SparseRows(RecordStore(), "lots", 50)
    rows.queue.set_viewport(90, 100)
    assert rows.queue.next_page() == 1, "only the first page tells how many records a page holds"
    rows.add(Page(tuple(record(i) for i in range(20)), 1, 50, 1000))
    assert rows.page_size == 20
    assert rows.queue.next_page() == 5


def test_a_service_that_ignores_limit_gives_all_at_once() -> None:
    everything = tuple(record(i) for i in range(120))
    rows = SparseRows(RecordStore(), "lots", 50)
    rows.queue.set_viewport(110, 130)
    rows.add(Page(everything, 1, 50))
    assert rows.queue.next_page() == 2
    rows.add(Page(everything, 2, 50))
    assert rows.total == 120
    assert rows.get(119) == record(119)


def test_numbers_are_ids_too() -> None:
    rows = SparseRows(RecordStore(), "lots", 3)
    rows.add(Page((Record({"id": number(7)}),), 1, 3, 1))
    assert rows.index_of("7") == 0


def test_a_page_that_holds_others_than_before_is_noticed() -> None:
    service = Service([record(i) for i in range(60)], lie=None)
    rows = SparseRows(RecordStore(), "lots", 10, max_records=30)
    for first in (0, 40):
        rows.queue.set_viewport(first, first + 10)
        serve(rows, service)
    del service.records[5]
    rows.queue.set_viewport(20, 30)
    serve(rows, service)
    assert not rows.shifted, "nothing tells a gap from the outside"
    rows.queue.set_viewport(0, 10)
    serve(rows, service)
    assert rows.shifted


def test_a_record_that_comes_again_far_away_is_noticed() -> None:
    service = Service([record(i) for i in range(600)])
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.set_viewport(0, 10)
    serve(rows, service)
    service.records.insert(500, service.records.pop(3))
    rows.queue.set_viewport(495, 505)
    serve(rows, service)
    assert rows.shifted


def test_an_answer_that_was_overtaken_tells_an_older_total() -> None:
    rows = SparseRows(RecordStore(), "lots", 3)
    rows.queue.started(1)
    rows.add(Page(tuple(record(i) for i in (0, 1, 2)), 1, 3, 9))
    rows.queue.started(2)
    rows.queue.started(3)
    rows.add(Page(tuple(record(i) for i in (6, 7, 8)), 3, 3, 12))
    rows.add(Page(tuple(record(i) for i in (3, 4, 5)), 2, 3, 9))
    assert rows.total == 12


def test_after_a_refresh_the_end_is_found_in_few_requests_wherever_it_went() -> None:
    for count in (5_000, 19_000, 21_000, 90_000):
        service = Service([record(i) for i in range(20_000)], lie=None)
        rows = SparseRows(RecordStore(), "lots", 50)
        rows.queue.set_viewport(19_960, 20_000)
        serve(rows, service)
        rows.queue.seek_end()
        serve(rows, service)
        assert rows.total == 20_000
        service.records = [record(i) for i in range(count)]
        rows.invalidate()
        before = service.asked
        for _ in range(5):
            rows.queue.seek_end()
            rows.queue.set_viewport(rows.count - 30, rows.count)
            serve(rows, service)
        assert rows.total == count
        assert service.asked - before < 40


def test_a_search_for_the_end_that_is_stopped_asks_for_nothing_more() -> None:
    service = Service([record(i) for i in range(5000)], lie=None)
    rows = SparseRows(RecordStore(), "lots", 50)
    rows.queue.set_viewport(0, 10)
    serve(rows, service)
    rows.queue.seek_end()
    probe = rows.queue.next_page()
    assert probe is not None
    rows.queue.started(probe)
    rows.queue.stop_seeking()
    rows.add(service.page(probe, 50))
    assert not rows.queue.seeking
    assert rows.queue.next_page() is None
    assert rows.known >= probe * 50, "what was learned on the way stays known"


def test_a_total_of_zero_with_records_is_no_total() -> None:
    service = Service([record(i) for i in range(120)], lie=-120)
    rows = SparseRows(RecordStore(), "lots", 50)
    rows.queue.set_viewport(0, 10)
    serve(rows, service)
    assert rows.count > 50
    rows.queue.seek_end()
    serve(rows, service)
    assert rows.total == 120


def test_a_cap_that_shows_only_once_there_is_more_is_understood() -> None:
    service = Service([record(i) for i in range(5)], cap=20, says_limit=False)
    rows = SparseRows(RecordStore(), "lots", 50)
    rows.queue.set_viewport(0, 10)
    serve(rows, service)
    assert rows.total == 5
    service.records = [record(i) for i in range(100)]
    rows.invalidate()
    rows.queue.set_viewport(0, 5)
    serve(rows, service)
    rows.queue.set_viewport(70, 80)
    serve(rows, service)
    assert [rows.get(row) for row in (70, 79)] == [record(70), record(79)]


def test_pages_of_changing_length_come_to_rest() -> None:
    """As where a service takes records away from a page after counting them off."""
    lengths = [18, 20, 17, 20, 19]
    rows = SparseRows(RecordStore(), "lots", 20)
    for first in (0, 25, 50, 0):
        rows.queue.set_viewport(first, first + 10)
        for _ in range(10):
            if (wanted := rows.queue.next_page()) is None:
                break
            rows.queue.started(wanted)
            start = (wanted - 1) * 20
            rows.add(Page(tuple(record(start + i) for i in range(lengths[wanted - 1])), wanted, 20))
    assert rows.queue.next_page() is None
    assert rows.page_size == 20
    assert [rows.get(0), rows.get(18)] == [record(0), None]


def test_pages_read_again_quietly_are_shown_meanwhile_and_awaited_by_nobody() -> None:
    service = Service([record(i) for i in range(100)])
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.set_viewport(0, 25)
    serve(rows, service)
    service.records[12] = record(12, "new")
    rows.queue.refresh([2, 9])
    assert rows.get(12) == record(12)
    assert rows.queue.refreshing([1, 2])
    assert (rows.queue.next_page(), rows.queue.awaited(2)) == (2, False), "page 9 is not held, so nothing of it is old"
    serve(rows, service)
    assert rows.get(12) == record(12, "new")
    assert not rows.queue.refreshing([2])
    assert not rows.shifted


def test_pages_that_are_renewed_again_meanwhile_are_read_once() -> None:
    service = Service([record(i) for i in range(100)])
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.set_viewport(0, 10)
    serve(rows, service)
    rows.queue.refresh([1])
    rows.queue.started(1)
    rows.queue.refresh([1])
    rows.add(service.page(1, 10))
    assert not rows.queue.refreshing([1])
    assert rows.fresh(0)


def test_what_is_asked_for_by_hand_goes_before_what_is_read_again_quietly() -> None:
    service = Service([record(i) for i in range(100)])
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.set_viewport(0, 10)
    serve(rows, service)
    rows.queue.refresh([1])
    rows.queue.request([7])
    assert [rows.queue.next_page(), rows.queue.awaited(1)] == [7, False]
    rows.queue.set_viewport(5, 55)
    assert rows.queue.next_page() == 3
    rows.invalidate()
    assert [rows.queue.next_page(), rows.queue.awaited(1)] == [1, True], "a refresh by hand makes it awaited"


def test_a_quiet_reading_that_finds_others_in_a_page_says_so() -> None:
    service = Service([record(i) for i in range(100)], lie=None)
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.set_viewport(0, 10)
    serve(rows, service)
    del service.records[3]
    rows.queue.refresh([1])
    serve(rows, service)
    assert rows.shifted


def test_what_failed_can_be_tried_again_quietly() -> None:
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.set_viewport(0, 5)
    rows.queue.started(1)
    rows.queue.failed(1, "no route to host")
    rows.queue.retry(awaited=False)
    assert [rows.queue.next_page(), rows.queue.awaited(1)] == [1, False]
    rows.queue.started(1)
    rows.queue.failed(1, "no route to host")
    rows.queue.retry()
    assert [rows.queue.next_page(), rows.queue.awaited(1)] == [1, True]


def test_a_refresh_by_hand_is_not_lost_to_a_quiet_try_that_is_under_way() -> None:
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.set_viewport(0, 5)
    rows.queue.started(1)
    rows.queue.failed(1, "no route to host")
    rows.queue.retry(awaited=False)
    rows.queue.started(1)
    rows.queue.retry()
    rows.queue.failed(1, "no route to host")
    assert [rows.queue.next_page(), rows.queue.awaited(1), rows.failure(0)] == [1, True, None]
    rows.queue.started(1)
    rows.queue.failed(1, "no route to host")
    assert rows.queue.next_page() is None
    assert rows.failure(0) == "no route to host"


def test_a_page_that_was_to_be_read_once_more_is_when_its_first_reading_fails() -> None:
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.set_viewport(0, 5)
    rows.add(Page(tuple(record(i) for i in range(10)), 1, 10, 100))
    rows.queue.set_viewport(10, 15)
    rows.queue.started(2)
    rows.invalidate()
    rows.queue.failed(2, "no route to host")
    assert rows.queue.next_page() == 2


def test_a_total_that_shrinks_cuts_the_page_that_reached_past_it() -> None:
    rows = SparseRows(RecordStore(), "lots", 10)
    rows.queue.started(1)
    rows.add(Page(tuple(Record({"id": f"lot-{n}"}) for n in range(10)), 1, 10, 30))
    rows.queue.set_viewport(20, 30)
    rows.queue.started(3)
    rows.add(Page(tuple(Record({"id": f"lot-{n}"}) for n in range(20, 30)), 3, 10, 30))
    rows.queue.set_viewport(10, 20)
    rows.queue.started(2)
    rows.add(Page(tuple(Record({"id": f"lot-{n}"}) for n in range(12, 22)), 2, 10, 28))
    assert rows.count == 28
    assert rows.get(28) is None
    assert rows.shifted
    rows.queue.set_viewport(20, 28)
    assert rows.queue.next_page() == 3, "what moved there is read again"


@pytest.mark.parametrize("others", [[record(-1)], []], ids=["one more", "one fewer"])
def test_an_end_that_was_found_follows_the_last_page_when_that_is_read_again(others: list[Record]) -> None:
    service = Service([record(i) for i in range(19)], lie=5, says_last=True)
    rows = SparseRows(RecordStore(), "lots", 2 if others else 5)
    rows.queue.set_viewport(18, 19)
    serve(rows, service)
    assert rows.total == 19
    service.records = others + service.records if others else service.records[1:]
    rows.invalidate()
    rows.queue.set_viewport(rows.count - 1, rows.count)
    serve(rows, service)
    rows.queue.seek_end()
    serve(rows, service)
    assert rows.total == len(service.records)
    assert rows.get(rows.count - 1) == service.records[-1]


def test_rows_from_elsewhere_fill_what_is_missing_and_never_say_how_many_there_are() -> None:
    rows = SparseRows(RecordStore(), "lots", 2)
    rows.add(Page((record(0), record(1)), 1, 2, 5))
    # Held already; not as many as the service counts; and those that fit.
    assert not rows.fill(Page((record(8), record(9)), 1, 2))
    assert not rows.fill(Page((record(2),), 2, 2, last=True))
    assert rows.fill(Page((record(2), record(3)), 2, 2, last=True))
    assert rows.fill(Page((record(4),), 3, 2, last=True))
    assert not rows.fill(Page((record(6),), 4, 2, last=True))
    assert (rows.total, rows.cached, rows.missing()) == (5, 5, [])


# The rest, in blocks of pages


@pytest.mark.parametrize(
    ("number", "records", "last", "parts"),
    [
        (1, 6, None, [(1, 2, None), (2, 2, None), (3, 2, None)]),
        (3, 6, False, [(7, 2, False), (8, 2, False), (9, 2, False)]),
        (2, 3, True, [(4, 2, False), (5, 1, True)]),
        (2, 0, True, []),
    ],
)
def test_a_page_is_split_into_smaller_ones(
    number: int, records: int, last: bool | None, parts: list[tuple[int, int, bool | None]]
) -> None:
    page = Page(tuple(record(row) for row in range(records)), number, 6, 20, last, 4)
    split = split_page(page, 2)
    assert [(part.number, len(part.records), part.last) for part in split] == parts
    assert [one for part in split for one in part.records] == list(page.records)
    assert all((part.limit, part.total, part.pages) == (2, 20, None) for part in split)


@given(services, st.integers(1, 60), st.integers(2, 5))
def test_the_rest_is_read_in_blocks_whatever_the_service_makes_of_them(
    service: Service, limit: int, block_pages: int
) -> None:
    rows = SparseRows(RecordStore(), "lots", limit, bulk_limit=block_pages * limit)
    rows.queue.set_viewport(0, 1)
    serve(rows, service)
    rows.queue.set_viewport(0, 0)
    rows.queue.request(rows.missing(), in_blocks=True)
    requests, asked = rows.missing_requests, service.asked
    assert rows.queue.requests_left == requests
    serve(rows, service)
    if service.past == "empty":
        assert all(one == service.records[row] for row, one in rows.held(range(rows.count)))
    if service.lie == 0:
        assert rows.records_once() == service.records
    if service.lie == 0 and service.cap >= limit * block_pages:
        assert service.asked - asked == requests


def test_the_requests_for_the_rest_are_counted_by_the_blocks_that_lack_a_page() -> None:
    service = Service([record(row) for row in range(21)])
    rows = begun(service, held=3)
    # Rows 7 and 8 alone are one request, as are rows 9 to 16, and 17 to 21.
    assert (rows.missing_requests, rows.queue.requests_left) == (3, 3)
    assert ask(rows, 4) == [4]
    assert ask(rows, 5) == [5, 6, 7, 8]
    rows.queue.set_viewport(16, 18)
    # What is in view is not waited for behind a block.
    assert ask(rows, 9) == [9]
    assert ask(rows, 10) == [10, 11]


@pytest.mark.parametrize("says_limit", [True, False])
@pytest.mark.parametrize(("cap", "held"), [(6, 1), (4, 4), (4, 1)])
def test_a_service_that_gives_fewer_than_a_block_is_asked_for_pages(cap: int, held: int, says_limit: bool) -> None:
    # Capped at 4, the last block has as many records as it should have, and others.
    service = Service([record(row) for row in range(12)], cap=cap, says_limit=says_limit)
    rows = begun(service, held=held)
    numbers = ask(rows, held + 1)
    if held == 1:
        assert rows.queue.next_page() is None, "the last block waits for the one before it"
    assert added(rows, block(rows, service, numbers), numbers) == []
    assert rows.queue.requests_left == rows.missing_requests == 6 - held
    serve(rows, service)
    assert rows.records_once() == service.records
    assert not rows.shifted


def test_of_a_block_only_the_pages_that_were_asked_for_are_taken_in() -> None:
    service = Service([record(row) for row in range(16)])
    rows = begun(service, held=2)
    numbers = ask(rows, 3)
    assert numbers == [3, 4]
    assert added(rows, block(rows, service, numbers), numbers) == [3, 4]


def test_a_block_on_its_way_when_blocks_are_given_up_is_not_taken_in() -> None:
    service = Service([record(row) for row in range(22)])
    rows = begun(service)
    first, second = ask(rows, 2), ask(rows, 5)
    answer = block(rows, service, second)
    rows.refuse_block(first)
    assert added(rows, answer, second) == []
    serve(rows, service)
    assert rows.records_once() == service.records


def test_a_record_read_while_its_block_is_on_its_way_is_kept() -> None:
    service = Service([record(row) for row in range(16)])
    rows = begun(service)
    numbers = ask(rows, 5)
    answer = block(rows, service, numbers)
    rows.replace(record(11, "newer"))
    assert added(rows, answer, numbers) == [5, 6, 7, 8]
    assert rows.get(11) == record(11, "newer")


def test_pages_that_are_gone_when_their_block_comes_are_no_longer_on_their_way() -> None:
    service = Service([record(row) for row in range(16)])
    rows = begun(service)
    numbers = ask(rows, 5)
    del service.records[11:]
    assert added(rows, block(rows, service, numbers), numbers) == [5, 6]
    assert not any(rows.queue.under_way(number) for number in numbers)
    serve(rows, service)
    assert rows.records_once() == service.records


def test_records_that_move_between_two_blocks_are_noticed() -> None:
    service = Service([record(row) for row in range(16)], lie=None, says_last=True)
    rows = begun(service)
    rows.queue.seek_end()
    serve(rows, service)
    rows.queue.request(rows.missing(), in_blocks=True)
    assert not rows.shifted
    service.records.insert(0, record(-1))
    serve(rows, service)
    assert rows.shifted
