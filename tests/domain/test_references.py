"""A field's name tells where it points."""

import pytest

from svc_tui.domain.references import points_elsewhere, target_of


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
