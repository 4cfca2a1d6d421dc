"""What points at a record, in records held and in what the service counts."""

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Page, Place, Record
from svc_tui.writes.referrers import ReferringRecords, count_by_service, find_referrers

LOTS, TUNNELS, LOGS = COLLECTIONS[:3]
PLACE = Place(TUNNELS, "tun-1")
HELD = [
    (LOTS, [Record({"id": "l1", "tunnelId": "tun-1"}), Record({"id": "l2", "tunnelId": "tun-2", "note": "tun-1"})]),
    (LOGS, [Record({"id": "p1", "tunnelIds": ["tun-2", "tun-1"]}), Record({"id": "p2", "lotId": "tun-1"})]),
    (TUNNELS, []),
]


def test_records_are_counted_by_the_fields_that_name_the_collection() -> None:
    found, looked = find_referrers(PLACE, HELD)
    assert found == (ReferringRecords(LOTS, "tunnelId", 1, 2), ReferringRecords(LOGS, "tunnelIds", 1, 2))
    assert looked == (LOTS, LOGS)


def test_the_service_counts_where_it_chose_by_the_field() -> None:
    known = ReferringRecords(LOTS, "tunnelId", 1, 2)
    chosen = Page((Record({"id": "l1", "tunnelId": "tun-1"}),), 1, 1, total=40)
    assert count_by_service(known, PLACE, chosen) == ReferringRecords(LOTS, "tunnelId", 40, 2, True)
    assert count_by_service(known, PLACE, Page((), 1, 1)) == ReferringRecords(LOTS, "tunnelId", 0, 2, True)


def test_a_service_that_ignores_the_field_is_not_believed() -> None:
    known = ReferringRecords(LOTS, "tunnelId", 1, 2)
    anything = Page((Record({"id": "l9", "tunnelId": "tun-9"}),), 1, 1, total=5_000)
    assert count_by_service(known, PLACE, anything) == known
    without_total = Page((Record({"id": "l1", "tunnelId": "tun-1"}),), 1, 1)
    assert count_by_service(known, PLACE, without_total) == known
