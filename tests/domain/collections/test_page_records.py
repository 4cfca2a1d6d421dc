"""Records of a page come back from their bytes as they were, and are asked about without that."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.domain.collections.page_records import PageRecords, RecentPages
from svc_tui.domain.data.field_path import paths, value_at
from svc_tui.domain.data.search_text import search_text
from svc_tui.domain.model.absent import ABSENT
from svc_tui.domain.model.jsontext import MAX_DEPTH, Json, RepeatedNames, loads, number
from svc_tui.domain.model.records import Record

NAMES = st.sampled_from(["id", "note", "a", "a.b", "b", "", 'a["b"]', "é\n", "\ud800"])
NUMBERS = st.sampled_from(["0", "-0", "1.50", "1e5", "1E+05", "12345678901234567890.10", "1e99999999999999999999"])
TEXTS = st.one_of(st.text(max_size=5), st.sampled_from(["", '"\\\n\t\x00\x7f\u2028', "\ud800", "ẞ İ", "-1.50", "null"]))


def repeated(fields: dict[str, Json]) -> RepeatedNames:
    """An object in which `id` stood twice."""
    odd = RepeatedNames(fields)
    odd.repeated = ("id",)
    return odd


VALUES: st.SearchStrategy[Json] = st.recursive(
    st.one_of(st.none(), st.booleans(), TEXTS, NUMBERS.map(number)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(NAMES, inner, max_size=3),
        st.dictionaries(NAMES, inner, max_size=2).map(repeated),
    ),
    max_leaves=6,
)
FIELDS = st.dictionaries(NAMES, VALUES, max_size=5)
RECORDS = st.builds(Record, st.one_of(FIELDS, FIELDS.map(repeated)), st.sampled_from(["", "", "", '"7"']))
PAGES = st.lists(RECORDS, max_size=6).map(tuple)


def packed(records: tuple[Record, ...]) -> PageRecords:
    page = PageRecords(records)
    page.pack()
    return page


def kinds(value: Json) -> object:
    """The types and the order of all there is in a value, which `==` takes no notice of."""
    if isinstance(value, dict):
        told = value.repeated if isinstance(value, RepeatedNames) else ()
        return type(value), told, [(name, kinds(inner)) for name, inner in value.items()]
    return (list, [kinds(inner) for inner in value]) if isinstance(value, list) else (type(value), value)


@given(PAGES)
def test_a_page_comes_back_as_it_was(records: tuple[Record, ...]) -> None:
    page = packed(records)
    for _ in range(2):
        assert tuple(page) == records
        assert [kinds(one.fields) for one in page] == [kinds(one.fields) for one in records]
        assert [one.etag for one in page] == [one.etag for one in records]
        assert len(page) == len(records)
        assert [page[at] for at in range(len(page))] == list(records)
        assert page[1:3] == records[1:3]
        # Unpacked, looked at and packed once more, nothing changes.
        page.unpack()
        assert tuple(page) == records
        page.pack()


@given(PAGES, st.one_of(NAMES, st.sampled_from(["a.b.a", 'a.b["note"]', "a.", "x"])))
def test_what_is_packed_is_searched_and_read_by_a_path_as_it_was(records: tuple[Record, ...], path: str) -> None:
    for asked in {path, *(path for record in records for path in paths(record.fields))}:
        values = packed(records).values(asked)
        assert values == PageRecords(records).values(asked) == [value_at(record.fields, asked) for record in records]
        assert [value is ABSENT for value in values] == [value_at(one.fields, asked) is ABSENT for one in records]
    ids, texts = packed(records).searchable()
    assert ids == [record.id for record in records]
    assert texts == [search_text(record.fields) for record in records]


def nested(depth: int) -> Json:
    return loads('{"a":' * depth + "1" + "}" * depth)


@pytest.mark.parametrize("depth", [MAX_DEPTH - 1, MAX_DEPTH])
def test_as_deep_as_a_record_can_be_it_comes_back(depth: int) -> None:
    fields = nested(depth)
    assert isinstance(fields, dict)
    assert tuple(packed((Record(fields),))) == (Record(fields),)


def lots(count: int) -> tuple[Record, ...]:
    return tuple(Record({"id": f"lot-{at}", "note": "of the north face"}) for at in range(count))


def test_packed_records_are_let_go_of_and_made_anew_unless_they_are_looked_at() -> None:
    page = packed(lots(3))
    assert page[0] is not page[0]
    page.unpack()
    assert page[0] is page[0]


def test_what_was_read_by_itself_stays_the_same_object() -> None:
    own, tagged = Record({"id": "lot-1", "note": "alone"}), Record({"id": "lot-2"}, '"7"')
    page = PageRecords((*lots(2), tagged)).replaced(1, own)
    page.pack()
    assert page[1] is own
    assert page[2] is tagged
    assert page.cut(2)[1] is own
    assert [one.id for one in page] == ["lot-0", "lot-1", "lot-2"]
    first = page.cut(1)
    first.pack()
    assert tuple(first) == lots(1)


def test_an_other_kind_of_mapping_or_sequence_stays_what_it_is() -> None:
    fields: dict[str, Json] = {"id": "lot-1", "parts": ("x", "y")}
    assert packed((Record(fields),))[0].fields["parts"] == ("x", "y")


def unpacked(pages: Sequence[PageRecords]) -> list[int]:
    """Which of the pages hold their records."""
    return [at for at, page in enumerate(pages) if page[0] is page[0]]


def test_the_pages_looked_at_last_are_unpacked() -> None:
    pages, recent = [PageRecords(lots(2)) for _ in range(5)], RecentPages(2)
    for page in pages:
        recent.look(page)
    assert unpacked(pages) == [3, 4]
    recent.look(pages[3])
    recent.look(pages[0])
    assert unpacked(pages) == [0, 3]
    assert tuple(pages[4]) == lots(2)
