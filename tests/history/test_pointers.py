"""Pointers are grouped by collection and field, each record once, and a large group leaves room for the others."""

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.jsontext import Json
from svc_tui.core.records import Place, Record
from svc_tui.history.pointers import PointerGroups, pointer_words, share_out
from svc_tui.search.referring import Pointer

BY_NAME = {collection.name: collection for collection in COLLECTIONS}
WORKER = Place(BY_NAME["workers"], "wrk-1")


def pointer(collection: str, record_id: str | None, path: str = "workerId", **fields: Json) -> Pointer:
    """A record that points at the worker."""
    return Pointer(BY_NAME[collection], Record({"id": record_id, path: "wrk-1", **fields}), path)


def listed(groups: PointerGroups) -> list[tuple[str, str, int, list[str]]]:
    """What the groups list."""
    return [
        (group.collection.name, group.path, group.count, [pointer.place.id for pointer in group.pointers])
        for group in groups.groups()
    ]


def test_records_stand_by_collection_and_field_and_in_the_order_of_their_ids() -> None:
    groups = PointerGroups(10)
    groups.add([pointer("incidents", "inc-2"), pointer("custody", "cus-1", "toWorkerId")])
    groups.add([pointer("incidents", "inc-1"), pointer("custody", "cus-2", "fromWorkerId")])
    assert listed(groups) == [
        ("custody", "fromWorkerId", 1, ["cus-2"]),
        ("custody", "toWorkerId", 1, ["cus-1"]),
        ("incidents", "workerId", 2, ["inc-1", "inc-2"]),
    ]


def test_a_record_counts_once_as_it_was_given_first_and_one_without_an_id_never() -> None:
    groups = PointerGroups(10)
    groups.add([pointer("incidents", "inc-1", note="new"), pointer("incidents", None)])
    groups.add([pointer("incidents", "inc-1", "reporterId", note="old")])
    (group,) = groups.groups()
    assert (group.path, group.count) == ("workerId", 1)
    assert group.pointers[0].record.fields["note"] == "new"


def test_no_more_are_listed_than_there_is_room_for_and_all_are_counted() -> None:
    groups = PointerGroups(5)
    groups.add([pointer("custody", f"cus-{at:03}", "fromWorkerId") for at in range(100)])
    groups.add([pointer("incidents", "inc-1")])
    assert listed(groups) == [
        ("custody", "fromWorkerId", 100, ["cus-000", "cus-001", "cus-002", "cus-003"]),
        ("incidents", "workerId", 1, ["inc-1"]),
    ]


@pytest.mark.parametrize(
    ("most", "wanted", "shares"),
    [
        (10, [], []),
        (10, [3, 4], [3, 4]),
        (10, [99, 2, 99], [4, 2, 4]),
        (10, [9, 9, 9], [3, 3, 4]),
        (1, [5, 5], [0, 1]),
    ],
)
def test_small_groups_are_listed_whole_and_the_others_share_the_rest(
    most: int, wanted: list[int], shares: list[int]
) -> None:
    assert share_out(most, wanted) == shares


def test_a_record_is_told_by_its_label_or_its_first_words() -> None:
    assert pointer_words(WORKER, pointer("workers", "wrk-2", name="Ada")) == "Ada"
    assert pointer_words(WORKER, pointer("incidents", "inc-1", description="A slip on the stairs")) == (
        "A slip on the stairs"
    )
