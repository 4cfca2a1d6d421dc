"""A field's name tells where it points."""

from collections.abc import Mapping

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.jsontext import Json, loads
from svc_tui.core.outline import at_path
from svc_tui.core.records import Record
from svc_tui.core.references import ReferenceResolver, home_of, points_elsewhere, target_of
from svc_tui.core.settings import CollectionSettings, Profile


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
    home = home_of(record_id, [(COLLECTIONS[0], [LOT])])
    assert home is not None
    assert home.name == name


@pytest.mark.parametrize("record_id", ["inv-000003", "lots", "4711", "lot", "", "lot-1/x", "lot- 1"])
def test_what_looks_like_no_id_seen_has_no_home(record_id: str) -> None:
    assert home_of(record_id, [(COLLECTIONS[0], [LOT])]) is None


def test_an_id_finds_its_home_among_all_the_collections_held() -> None:
    tunnels, workers = COLLECTIONS[1], COLLECTIONS[10]
    held = [(tunnels, [Record({"id": "tun-1"})]), (workers, [Record({"id": "wrk-1"})])]
    assert home_of("wrk-0300", held) == workers
    assert home_of("lot-1", held) is None


SHIPMENT = loads("""{
    "id": "lot-1", "tunnel_id": "tun-07", "workerId": 4711, "lots": ["lot-2", "lot-3", "lot-2"], "lotIds": [4, 5],
    "tunnel": {"id": "tun-08", "name": "West"}, "assay": {"labWorkerId": "wrk-9", "lab": "Kolwezi"},
    "parts": [{"lot": {"id": "lot-7"}, "kg": 1}], "custodian": "wrk-12", "note": "see lot-9", "requestId": "r-1",
    "parent": "lot-5", "site": "S-4", "empty": "", "workers": [], "stock": "plenty", "workerIds": null,
    "deep": [["lot-8"]], "flags": {"lotId": true}
}""")


def names(path: tuple[str | int, ...], **given: str) -> list[str]:
    assert isinstance(SHIPMENT, Mapping)
    fields: Mapping[str, Json] = SHIPMENT
    posts = ReferenceResolver(
        COLLECTIONS[0],
        configured=given,
        home_of=lambda text: home_of(text, [(COLLECTIONS[0], [Record({"id": "lot-1", "workerId": "wrk-1"})])]),
    )
    return [place.key for place in posts.references(path, at_path(fields, path))]


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        (("tunnel_id",), ["operations/tunnels/tun-07"]),
        (("workerId",), ["workforce/workers/4711"]),
        (("lots",), ["operations/lots/lot-2", "operations/lots/lot-3"]),
        (("lots", 1), ["operations/lots/lot-3"]),
        (("lotIds",), ["operations/lots/4", "operations/lots/5"]),
        (("tunnel",), ["operations/tunnels/tun-08"]),
        (("tunnel", "id"), ["operations/tunnels/tun-08"]),
        (("assay", "labWorkerId"), ["workforce/workers/wrk-9"]),
        (("parts", 0, "lot"), ["operations/lots/lot-7"]),
        (("custodian",), ["workforce/workers/wrk-12"]),
        (("parent",), ["operations/lots/lot-5"]),
    ],
)
def test_values_at_any_path_name_the_records_they_point_at(path: tuple[str | int, ...], keys: list[str]) -> None:
    assert names(path) == keys


@pytest.mark.parametrize(
    "path",
    [
        ("id",), ("note",), ("requestId",), ("site",), ("empty",), ("workers",), ("stock",), ("workerIds",), ("deep",),
        ("assay",), ("assay", "lab"), ("parts",), ("parts", 0, "kg"), ("tunnel", "name"), ("flags", "lotId"), ("gone",),
    ],
)  # fmt: skip
def test_what_names_no_record_leads_nowhere(path: tuple[str | int, ...]) -> None:
    assert names(path) == []


def test_what_is_configured_counts_before_name_and_ids() -> None:
    assert names(("site",), site="operations/tunnels") == ["operations/tunnels/S-4"]
    assert names(("tunnel_id",), tunnel_id="finance/invoices") == ["finance/invoices/tun-07"]
    assert names(("assay", "lab"), **{"assay.lab": "workforce/workers"}) == ["workforce/workers/Kolwezi"]
    assert names(("parts", 0, "kg"), **{"parts.kg": "inventory/stock"}) == ["inventory/stock/1"]
    assert names(("site",), site="operations/nothing") == []


def test_a_profile_tells_where_the_fields_of_a_collection_point() -> None:
    told = {"site": "operations/tunnels"}
    profile = Profile("p", collections={"operations/lots": CollectionSettings(references=told)})
    assert profile.references(COLLECTIONS[0]) == told
    assert profile.references(COLLECTIONS[1]) == {}
