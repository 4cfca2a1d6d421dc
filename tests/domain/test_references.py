"""A field's name tells where it points."""

import pytest

from svc_tui.domain.catalog import COLLECTIONS
from svc_tui.domain.records import Record
from svc_tui.domain.references import home_of, points_elsewhere, target_of


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("tunnelId", "operations/tunnels"),
        ("tunnel_id", "operations/tunnels"),
        ("lotIds", "operations/lots"),
        ("parentLotId", "operations/lots"),
        ("lotID", "operations/lots"),
        ("productionLogId", "operations/productionLogs"),
        ("licenseId", "compliance/licenses"),
        ("stockId", "inventory/stock"),
        ("custodyId", "operations/custody"),
        ("workerId", "workforce/workers"),
        ("supervisorId", "workforce/workers"),
        ("reportedById", "workforce/workers"),
    ],
)
def test_references_are_followed_by_name(name: str, key: str) -> None:
    target = target_of(name)
    assert target is not None
    assert target.key == key


@pytest.mark.parametrize("name", ["requestId", "externalId", "batchUuid"])
def test_an_unknown_target_is_a_reference_to_nowhere(name: str) -> None:
    assert points_elsewhere(name)
    assert target_of(name) is None


@pytest.mark.parametrize("name", ["id", "ID", "_id", "uuid", "paid", "grid", "valid", "lots", "tunnel", "", "№"])
def test_what_is_no_reference_points_nowhere(name: str) -> None:
    assert not points_elsewhere(name)
    assert target_of(name) is None


LOT = Record({"id": "lot-000001", "tunnelId": "tun-12", "workerId": "wrk-0007", "note": "see inv-3"})


@pytest.mark.parametrize(
    ("record_id", "name"), [("lot-004711", "lots"), ("LOT-9", "lots"), ("tun-1", "tunnels"), ("wrk-0100", "workers")]
)
def test_an_id_finds_its_home_by_the_ids_seen(record_id: str, name: str) -> None:
    home = home_of(record_id, COLLECTIONS[0], [LOT])
    assert home is not None
    assert home.name == name


@pytest.mark.parametrize("record_id", ["inv-000003", "lots", "4711", "lot", "", "lot-1/x", "lot- 1"])
def test_what_looks_like_no_id_seen_has_no_home(record_id: str) -> None:
    assert home_of(record_id, COLLECTIONS[0], [LOT]) is None
