"""A walk writes each record once, and says when the collection moved under it."""

import pytest

from svc_tui.core.jsontext import Json, number
from svc_tui.core.records import Page, Record
from svc_tui.records.page_walk import PageWalk


def records(*ids: str) -> list[Record]:
    return [Record({"id": record_id}) for record_id in ids]


def page(number: int, *ids: str, total: int | None = None) -> Page:
    return Page(tuple(records(*ids)), number, 3, total)


def test_a_record_that_comes_again_is_not_new() -> None:
    walked = PageWalk()
    assert walked.new(page(1, "a", "b")) == records("a", "b")
    assert walked.new(page(2, "b", "c")) == records("c")
    assert (walked.count, walked.repeats) == (3, 1)
    assert walked.notice(whole=True) == (
        "the collection changed during the export: 1 record appeared on two pages, saved once. "
        "Other records may be missing. Export again to be sure"
    )


def test_a_page_that_is_read_again_adds_what_was_missed_and_repeats_nothing() -> None:
    walked = PageWalk()
    walked.new(page(1, "a", "b"))
    walked.new(Page((Record({"id": "d"}), Record({"note": "x"})), 2, 3))
    read_again = Page((Record({"id": "c"}), Record({"id": "d"}), Record({"note": "x"})), 2, 3)
    assert walked.new(read_again, again=True) == records("c")
    assert (walked.count, walked.repeats, walked.notice(whole=True)) == (5, 0, "")


def test_a_record_that_changed_meanwhile_is_the_same_one() -> None:
    walked = PageWalk()
    walked.new(Page((Record({"id": number(1), "grade": "A"}),), 1, 1))
    assert walked.new(Page((Record({"ID": "1", "grade": "B"}),), 2, 1)) == []


@pytest.mark.parametrize("fields", [{}, {"name": "x"}, {"id": None}, {"id": ""}, {"id": ["a"]}, {"code": "daily"}])
def test_records_without_an_id_of_their_own_are_all_kept(fields: dict[str, Json]) -> None:
    walked = PageWalk()
    assert len(walked.new(Page((Record(fields), Record(fields)), 1, 2))) == 2
    assert len(walked.new(Page((Record(fields),), 2, 2))) == 1
    assert walked.notice(whole=True) == ""


def test_no_more_records_are_taken_than_are_wanted_and_those_that_came_twice_do_not_count() -> None:
    walked = PageWalk(most=3)
    full = [walked.full]
    assert len(walked.new(page(1, "a", "b"))) == 2
    assert walked.new(page(2, "b", "c", "d")) == records("c")
    full.append(walked.full)
    assert full == [False, True]
    assert walked.new(page(3, "e")) == []


def test_a_total_that_moved_is_said_though_nothing_came_twice() -> None:
    walked = PageWalk()
    walked.new(page(1, "a", "b", total=1200))
    walked.new(page(2, "c"))
    walked.new(page(3, "d", total=1199))
    assert walked.total == 1199
    assert walked.notice(whole=False) == (
        "the collection changed from 1,200 to 1,199 records during the export. "
        "Other records may be missing. Export again to be sure"
    )


def test_fewer_records_than_the_service_speaks_of_are_said_at_the_end() -> None:
    walked = PageWalk()
    walked.new(page(1, "a", "b", total=4))
    assert walked.notice(whole=False) == ""
    assert walked.notice(whole=True) == "the service reports 4 records but returned 2; some may be missing"


def test_a_quiet_walk_says_nothing() -> None:
    walked = PageWalk()
    assert walked.notice(whole=True) == ""
    walked.new(page(1, "a", "b", total=3))
    walked.new(page(2, "c", total=3))
    assert walked.notice(whole=True) == ""
