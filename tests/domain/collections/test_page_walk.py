"""A walk writes each record once, and says when the collection moved under it."""

import pytest

from svc_tui.domain.collections.page_walk import PageWalk
from svc_tui.domain.model.jsontext import Json, number
from svc_tui.domain.model.records import Record


def page(*ids: str) -> list[Record]:
    return [Record({"id": record_id}) for record_id in ids]


def test_a_record_that_comes_again_is_not_new() -> None:
    walked = PageWalk()
    assert walked.new(page("a", "b"), None) == page("a", "b")
    assert walked.new(page("b", "c"), None) == page("c")
    assert (walked.count, walked.repeats) == (3, 1)
    assert walked.notice(whole=True) == (
        "1 record came twice, since the collection changed while it was read; each was written once, "
        "and others may be missing: export again when it is quiet"
    )


def test_a_record_that_changed_meanwhile_is_the_same_one() -> None:
    walked = PageWalk()
    walked.new([Record({"id": number(1), "grade": "A"})], None)
    assert walked.new([Record({"ID": "1", "grade": "B"})], None) == []


@pytest.mark.parametrize("fields", [{}, {"name": "x"}, {"id": None}, {"id": ""}, {"id": ["a"]}, {"code": "daily"}])
def test_records_without_an_id_of_their_own_are_all_kept(fields: dict[str, Json]) -> None:
    walked = PageWalk()
    assert len(walked.new([Record(fields), Record(fields)], None)) == 2
    assert len(walked.new([Record(fields)], None)) == 1
    assert walked.notice(whole=True) == ""


def test_no_more_records_are_taken_than_are_wanted_and_those_that_came_twice_do_not_count() -> None:
    walked = PageWalk(most=3)
    full = [walked.full]
    assert len(walked.new(page("a", "b"), None)) == 2
    assert walked.new(page("b", "c", "d"), None) == page("c")
    full.append(walked.full)
    assert full == [False, True]
    assert walked.new(page("e"), None) == []


def test_a_total_that_moved_is_said_though_nothing_came_twice() -> None:
    walked = PageWalk()
    walked.new(page("a", "b"), 1200)
    walked.new(page("c"), None)
    walked.new(page("d"), 1199)
    assert walked.total == 1199
    assert walked.notice(whole=False) == (
        "the collection went from 1,200 to 1,199 records while it was read; "
        "some may be missing: export again when it is quiet"
    )


def test_fewer_records_than_the_service_speaks_of_are_said_at_the_end() -> None:
    walked = PageWalk()
    walked.new(page("a", "b"), 4)
    assert walked.notice(whole=False) == ""
    assert walked.notice(whole=True) == "the service speaks of 4 records and gave 2; some may be missing"


def test_a_quiet_walk_says_nothing() -> None:
    walked = PageWalk()
    assert walked.notice(whole=True) == ""
    walked.new(page("a", "b"), 3)
    walked.new(page("c"), 3)
    assert walked.notice(whole=True) == ""
