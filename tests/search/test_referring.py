"""What points at a record is found by its fields, whatever holds the id; what only looks like it is not."""

from collections import Counter

import pytest

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.jsontext import Json, number
from svc_tui.core.records import Page, Place, Record
from svc_tui.core.references import ReferenceResolver
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.search.record_search import MAX_REFERENCES, Match, RecordSearch
from svc_tui.search.referring import Referring
from svc_tui.search.sources import ListedRecords, LoadedRows, Origin
from svc_tui.storage.record_store import RecordStore

BY_NAME = {collection.name: collection for collection in COLLECTIONS}
TUNNEL = Place(BY_NAME["tunnels"], "tun-1")


def searched(
    place: Place, records: dict[str, list[dict[str, Json]]], text: str = "", most: int = MAX_REFERENCES
) -> RecordSearch:
    """A search for what points at a place, in the records of some collections."""
    sources = [
        ListedRecords(BY_NAME[name], Origin.READ, records=[Record(fields) for fields in held])
        for name, held in records.items()
    ]
    search = RecordSearch(sources, text, Referring(place, ReferenceResolver), most=most)
    while search.step():
        pass
    return search


def pointing(place: Place, records: dict[str, list[dict[str, Json]]], text: str = "") -> list[Match]:
    """What points at a place."""
    return searched(place, records, text).best()


def test_a_reference_alone_in_a_list_or_nested_points_and_a_longer_id_does_not() -> None:
    records: dict[str, list[dict[str, Json]]] = {
        "lots": [
            {"id": "a", "tunnelId": "tun-1"},
            {"id": "b", "tunnelId": "tun-18"},
            {"id": "c", "tunnelIds": ["tun-2", "tun-1"]},
            {"id": "d", "tunnel": {"id": "tun-1"}},
            {"id": "e", "note": "near tun-1"},
            {"id": "f", "stops": [{"kg": number("1")}, {"kg": number("2"), "tunnelId": "tun-1"}]},
            {"id": "g", "stops": [{"tunnelId": "tun-18", "note": "tun-1 is full"}]},
        ],
    }
    assert [(match.place.id, match.path) for match in pointing(TUNNEL, records)] == [
        ("f", "stops"),
        ("d", "tunnel"),
        ("a", "tunnelId"),
        ("c", "tunnelIds"),
    ]


def test_the_record_itself_and_one_of_another_collection_with_its_id_do_not_point_at_it() -> None:
    records: dict[str, list[dict[str, Json]]] = {"tunnels": [{"id": "tun-1"}], "lots": [{"id": "tun-1"}]}
    assert pointing(TUNNEL, records) == []


def test_a_number_points_only_where_its_field_is_a_reference_to_that_collection() -> None:
    place = Place(BY_NAME["tunnels"], "7")
    records: dict[str, list[dict[str, Json]]] = {
        "lots": [
            {"id": "a", "massKg": number("7")},
            {"id": "b", "tunnelId": number("7")},
            {"id": "c", "workerId": number("7")},
        ],
    }
    assert [match.place.id for match in pointing(place, records)] == ["b"]


def test_words_narrow_what_points_there() -> None:
    records: dict[str, list[dict[str, Json]]] = {
        "lots": [
            {"id": "a", "tunnelId": "tun-1", "status": "open"},
            {"id": "b", "tunnelId": "tun-1", "status": "done"},
        ],
    }
    assert [match.place.id for match in pointing(TUNNEL, records, "status:open")] == ["a"]


def test_a_word_that_begins_the_name_of_a_collection_matches_its_records() -> None:
    records: dict[str, list[dict[str, Json]]] = {
        "lots": [{"id": "a", "tunnelId": "tun-1"}, {"id": "b", "tunnelId": "tun-1", "note": "shift"}],
        "shiftLogs": [{"id": "c", "tunnelId": "tun-1"}],
    }
    assert [match.place.id for match in pointing(TUNNEL, records, "lot")] == ["a", "b"]
    assert {match.place.id for match in pointing(TUNNEL, records, "shift")} == {"b", "c"}


def test_only_ids_that_may_refer_to_it_are_looked_up() -> None:
    asked: list[str] = []

    def resolver(collection: Collection) -> ReferenceResolver:
        return ReferenceResolver(collection, home_of=lambda text: asked.append(text))

    records = [Record({"id": f"a-{n}", "tunnelId": number("7"), "batch": f"bat-{n}"}) for n in range(50)]
    source = ListedRecords(BY_NAME["lots"], Origin.READ, records=records)
    search = RecordSearch([source], "", Referring(Place(BY_NAME["tunnels"], "7"), resolver))
    while search.step():
        pass
    assert search.count == 50
    assert set(asked) <= {"bat-7", "bat-17", "bat-27", "bat-37", "bat-47"}


def test_what_is_held_is_looked_through_page_by_page_as_it_was_read_last() -> None:
    rows = SparseRows(RecordStore(), "lots", 2)
    records: list[Record] = [Record({"id": f"lot-{at}", "tunnelId": f"tun-{at % 2}"}) for at in range(6)]
    for at in range(0, 6, 2):
        rows.add(Page(tuple(records[at : at + 2]), at // 2 + 1, 2, 6))
    # It was read again in another row, and points elsewhere since.
    moved = Record({"id": "lot-1", "tunnelId": "tun-0"})
    rows.add(Page((records[4], moved), 3, 2, 6))
    steps = list(Referring(TUNNEL, ReferenceResolver).pointers(LoadedRows(BY_NAME["lots"], Origin.LOADED, rows=rows)))
    assert [(pointer.record.id, pointer.path) for step in steps for pointer in step] == [("lot-3", "tunnelId")]


@pytest.mark.parametrize(
    ("most", "sizes", "listed"),
    [
        (10, [3, 4], [3, 4]),
        (10, [99, 2, 99], [4, 2, 4]),
        (10, [9, 9, 9], [3, 3, 4]),
        (1, [5, 5], [0, 1]),
    ],
)
def test_all_references_are_counted_by_field_and_many_of_one_kind_leave_room_for_the_others(
    most: int, sizes: list[int], listed: list[int]
) -> None:
    fields = [("lots", "tunnelId"), ("shiftLogs", "tunnelId"), ("workers", "homeTunnelId")][: len(sizes)]
    records: dict[str, list[dict[str, Json]]] = {
        name: [{"id": f"{name}-{at:02}", field: "tun-1"} for at in range(size)]
        for (name, field), size in zip(fields, sizes, strict=True)
    }
    search = searched(TUNNEL, records, most=most)
    assert [search.references[BY_NAME[name], field] for name, field in fields] == sizes
    found = Counter((match.place.collection.name, match.path) for match in search.best())
    assert [found[field] for field in fields] == listed


def test_a_reference_that_two_sources_hold_is_counted_once() -> None:
    record = Record({"id": "lot-1", "tunnelId": "tun-1"})
    sources = [ListedRecords(BY_NAME["lots"], origin, records=[record]) for origin in (Origin.READ, Origin.INDEX)]
    search = RecordSearch(sources, "", Referring(TUNNEL, ReferenceResolver))
    while search.step():
        pass
    assert search.references == {(BY_NAME["lots"], "tunnelId"): 1}
