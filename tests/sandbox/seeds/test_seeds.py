"""The seeded data: the same each time, plausible, and as hostile as promised."""

import hashlib
import re

from svc_tui.domain.model import jsontext
from svc_tui.domain.model.catalog import COLLECTIONS
from svc_tui.domain.model.jsontext import Json, Number
from svc_tui.sandbox.data.resources import LOTS, Resources
from svc_tui.sandbox.seeds.hostile import HOSTILE, HOSTILE_LOT

RESOURCES = Resources()

REFERENCES = {
    "lotId": "operations/lots",
    "parentLotId": "operations/lots",
    "tunnelId": "operations/tunnels",
    "workerId": "workforce/workers",
    "fromWorkerId": "workforce/workers",
    "toWorkerId": "workforce/workers",
    "acknowledgedBy": "workforce/workers",
}


def sample(key: str, count: int = 400) -> list[dict[str, Json]]:
    resource = RESOURCES[key]
    return [resource.seeded(position) for position in range(min(count, resource.size))]


def test_the_data_never_change() -> None:
    digest = hashlib.sha256()
    for collection in COLLECTIONS:
        digest.update(jsontext.dumps(sample(collection.key, 50)).encode())
    assert digest.hexdigest() == "a99ec6aa2fa1a54e97de62053f53cb558967c2cfc2987f6f9d23addf227da36a"


def test_the_usual_sizes() -> None:
    sizes = {collection.key: RESOURCES[collection.key].size for collection in COLLECTIONS}
    assert (sizes["operations/lots"], sizes["operations/productionLogs"]) == (5_000, 20_000)
    assert sizes["operations/tunnels"] == 64
    assert min(sizes.values()) >= 40


def test_asking_for_a_size_sets_the_two_big_ones() -> None:
    sizes = {collection.key: Resources(7)[collection.key].size for collection in COLLECTIONS}
    assert {key for key, size in sizes.items() if size == 7} == {"operations/lots", "operations/productionLogs"}


def test_every_record_keeps_its_own_rules_and_names_its_id_first() -> None:
    for collection in COLLECTIONS:
        resource = RESOURCES[collection.key]
        for position, record in enumerate(sample(collection.key)):
            assert next(iter(record)) == "id"
            assert record["id"] == resource.id_at(position)
            assert resource.position_of(resource.id_at(position)) == position
            for name, value in record.items():
                rule = resource.rules[name]
                assert rule.read_only or rule.problem(value) is None, (collection.key, record["id"], name)


def test_references_lead_somewhere() -> None:
    for resources in (RESOURCES, Resources(3)):
        for collection in COLLECTIONS:
            resource = resources[collection.key]
            for position in range(min(300, resource.size)):
                for name, value in resource.seeded(position).items():
                    if name in REFERENCES and isinstance(value, str):
                        target = resources[REFERENCES[name]]
                        place = target.position_of(value)
                        assert place is not None
                        assert place < target.size


def test_an_empty_mine_has_no_lots_to_refer_to() -> None:
    assert Resources(0)["finance/invoices"].seeded(0)["lotId"] is None


def test_ids_are_read_strictly() -> None:
    lots = RESOURCES[LOTS]
    for text in ("lot-1", "lot-0000001", "LOT-000001", "lot-000000", "lot--00001", "lot-00000١", "tun-000001", ""):
        assert lots.position_of(text) is None
    assert lots.position_of("lot-1000000") == 999_999


def test_lots_are_varied() -> None:
    lots = sample(LOTS, 1_000)
    assert {lot["status"] for lot in lots} == {"open", "in_transit", "closed", "rejected"}
    assert any("note" not in lot for lot in lots)
    assert any(lot.get("note") is None for lot in lots if "note" in lot)
    masses = [str(lot["massKg"]) for lot in lots]
    assert any(mass.endswith("0") for mass in masses)
    assert all(re.fullmatch(r"\d+\.\d\d", mass) for mass in masses)
    assert all(isinstance(lot["assay"], dict) and isinstance(lot["assay"]["auPpm"], Number) for lot in lots)


def test_names_come_in_many_scripts() -> None:
    names = "".join(str(record["name"]) for record in sample("workforce/workers"))
    for first, last in (("\u4e00", "\u9fff"), ("\u0400", "\u04ff"), ("\u0600", "\u06ff"), ("\u05d0", "\u05ea")):
        assert any(first <= character <= last for character in names)
    assert "👩‍🏭" in names
    assert "é" in names


def test_the_hostile_lot_holds_everything_at_once() -> None:
    position = RESOURCES[LOTS].position_of(HOSTILE_LOT)
    assert position is not None
    text = jsontext.dumps(RESOURCES[LOTS].seeded(position))
    decoded = str(jsontext.loads(text))
    for wild in ("[/x]", "[bold]", "\\x1b]52;c;", "\\x07", "\\x1b[2J", "\\u202e", "\\u200b", "\\n", '"', "\\x00"):
        assert wild in decoded


def test_hostile_texts_stand_in_several_collections_and_near_the_start() -> None:
    assert len({key for key, _ in HOSTILE}) >= 5
    for (key, position), fields in HOSTILE.items():
        assert position < 30
        assert RESOURCES[key].seeded(position).items() >= fields.items()
