"""What is understood of a list's answer."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.jsontext import loads, to_plain
from svc_tui.core.records import Page
from svc_tui.service.pages import parse_page


def page(meta: str, *, items: int = 3, number: int = 1, limit: int = 3) -> Page:
    listed = ",".join(f'{{"id": {at}}}' for at in range(items))
    return parse_page(loads(f'{{"items": [{listed}], "meta": {meta}}}'), number, limit)


@pytest.mark.parametrize(
    ("meta", "total"),
    [
        ('{"total": 7}', 7),
        ('{"totalCount": 7}', 7),
        ('{"total_items": 7}', 7),
        ('{"TOTAL-RECORDS": 7}', 7),
        ('{"totalElements": "7"}', 7),
        ('{"pagination": {"total": 7}}', 7),
        ('{"page": {"totalResults": 7}}', 7),
        ('{"total": 9, "pagination": {"total": 7}}', 9),
        ('{"count": 7}', 7),
        ('{"count": 3}', None),
        ('{"total": 2}', None),
        ('{"total": -7}', None),
        ('{"total": 7.0}', None),
        ('{"total": 7e0}', None),
        ('{"total": true}', None),
        ('{"total": null}', None),
        ('{"total": "many"}', None),
        ('{"total": "٧"}', None),
        ('{"total": 99999999999999999999}', None),
        ('{"total": {"value": 7}}', None),
        ("{}", None),
        ("null", None),
        ("[]", None),
        ("7", None),
    ],
)
def test_a_total_is_taken_where_it_is_believable(meta: str, total: int | None) -> None:
    assert page(meta).total == total


def test_a_total_below_what_was_passed_is_not_believed() -> None:
    assert page('{"total": 8}', number=3).total is None
    assert page('{"total": 9}', number=3).total == 9
    assert page('{"total": 5}', number=9, items=0).total == 5
    assert page('{"total": 0}', items=0).total == 0


@pytest.mark.parametrize(
    ("meta", "last"),
    [
        ('{"hasMore": true}', False),
        ('{"has_more": false}', True),
        ('{"hasNextPage": false}', True),
        ('{"last": true}', True),
        ('{"isLast": false}', False),
        ('{"pages": 1}', True),
        ('{"totalPages": 2}', False),
        ('{"pages": 0}', None),
        ('{"next": null}', True),
        ('{"next": ""}', True),
        ('{"next": "/v1/x?page=2"}', False),
        ('{"nextPage": 2}', False),
        ('{"total": 3}', True),
        ('{"total": 4}', False),
        ('{"total": 4, "hasMore": false}', None),
        ('{"hasMore": "no"}', None),
        ("{}", None),
    ],
)
def test_the_last_page_is_the_one_that_meta_calls_so_without_contradiction(meta: str, last: bool | None) -> None:
    assert page(meta).last is last


def test_a_short_page_is_not_the_end_and_an_empty_one_is() -> None:
    assert page("{}", items=1).last is None
    assert page('{"total": 5}', items=1, number=2, limit=4).last is None
    assert page('{"hasMore": true, "total": 50}', items=0).last is True


def test_pages_reckoned_from_a_total_that_is_wrong_are_wrong_too() -> None:
    assert page('{"total": 4, "pages": 2}', number=2).last is None
    assert page('{"pages": 2}', number=2).last is True


@pytest.mark.parametrize(
    ("meta", "pages"),
    [
        ('{"pages": 4}', 4),
        ('{"totalPages": "4", "total": 12}', 4),
        ('{"page": {"page_count": 4}}', 4),
        ('{"pages": 1}', None),
        ('{"pages": 4, "total": 5}', None),
        ('{"pages": null}', None),
        ("{}", None),
    ],
)
def test_the_number_of_pages_is_taken_where_it_is_believable(meta: str, pages: int | None) -> None:
    assert page(meta, number=2).pages == pages


@pytest.mark.parametrize("more", ['"hasMore": true', '"isLast": false', '"next": "/v1/x?page=3"'])
def test_a_total_that_is_reached_is_not_the_end_where_a_page_is_said_to_follow(more: str) -> None:
    ceiling = page(f'{{"total": 6, "pages": 2, {more}}}', number=2)
    assert (ceiling.total, ceiling.pages, ceiling.last) == (None, None, False)


def test_a_total_that_is_reached_stands_where_it_is_not_clear_that_a_page_follows() -> None:
    assert page('{"total": 6, "hasMore": true, "isLast": true}', number=2).total == 6
    assert page('{"total": 0, "hasMore": true}', items=0).total == 0


@pytest.mark.parametrize(
    ("meta", "limit"),
    [
        ('{"limit": 20}', 20),
        ('{"page_size": "20"}', 20),
        ('{"perPage": 20}', 20),
        ('{"paging": {"pageSize": 20}}', 20),
        ('{"limit": 2}', 50),
        ('{"limit": 0}', 50),
        ('{"limit": -1}', 50),
        ("{}", 50),
    ],
)
def test_the_limit_really_used_is_the_services(meta: str, limit: int) -> None:
    assert page(meta, limit=50).limit == limit


@pytest.mark.parametrize(
    ("body", "ids", "total"),
    [
        ('[{"id": "a"}, {"id": "b"}]', ["a", "b"], None),
        ('{"Items": [{"id": "a"}], "Meta": {"Total": 1}}', ["a"], 1),
        ('{"data": [{"id": "a"}], "total": 1}', ["a"], 1),
        ('{"data": {"items": [{"id": "a"}], "meta": {"total": 1}}}', ["a"], 1),
        ('{"items": null, "meta": {"total": 0}}', [], 0),
        ('{"items": [{"id": "a"}], "data": [{"id": "b"}]}', ["a"], None),
        ("[]", [], None),
    ],
)
def test_other_shapes_of_a_list(body: str, ids: Sequence[str], total: int | None) -> None:
    made = parse_page(loads(body), 1, 50)
    assert [record.id for record in made.records] == ids
    assert made.total == total


@pytest.mark.parametrize("body", ["{}", '{"items": 7}', '{"items": "x"}', '{"items": [7]}', '{"items": {}}', "[[]]"])
def test_what_is_no_list_is_said(body: str) -> None:
    with pytest.raises(ValueError, match="item"):
        parse_page(loads(body), 1, 50)


@pytest.mark.parametrize("body", ["null", "7", '"x"', "true"])
def test_what_is_neither_object_nor_array_is_said(body: str) -> None:
    with pytest.raises(ValueError, match="not an object or a list"):
        parse_page(loads(body), 1, 50)


Values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["items", "meta", "total", "pages", "limit", "data", "page", "next"]), inner)
    ),
    max_leaves=12,
)


Listed = st.builds(
    lambda items, meta: {"items": items, "meta": meta},
    st.lists(st.just({"id": 1}), max_size=9),
    st.dictionaries(
        st.sampled_from(["total", "count", "limit", "pageSize", "pages", "hasMore", "next"]),
        st.none() | st.booleans() | st.integers(-1, 100) | st.sampled_from(["7", "x"]),
    ),
)


@given(Values | Listed, st.integers(1, 9), st.integers(1, 200))
def test_no_answer_breaks_it_and_none_is_believed_against_reason(value: object, number: int, limit: int) -> None:
    try:
        made = parse_page(to_plain(value), number, limit)
    except ValueError:
        return
    if made.limit != limit:
        assert made.limit >= max(1, len(made.records))
    if made.total is not None:
        assert made.total >= ((number - 1) * made.limit + len(made.records) if made.records else 0)
    if not made.records:
        assert made.last is True
