"""The seeded data: the same each time, plausible, and as hostile as promised."""

import hashlib
import re
from collections.abc import Iterable
from uuid import UUID

import pytest

from svc_tui.core import jsontext
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.jsontext import Json, Number
from svc_tui.sandbox.data.resources import LOTS, Resource, Resources
from svc_tui.sandbox.seeds.hostile import HOSTILE, HOSTILE_LOT
from svc_tui.sandbox.seeds.ids import ID_SHAPES
from svc_tui.sandbox.seeds.seeded_random import SeededRandom
from svc_tui.sandbox.seeds.settings import SeedSettings

RESOURCES = Resources(SeedSettings.sized())

REFERENCES = {
    "lotId": "operations/lots",
    "parentLotId": "operations/lots",
    "tunnelId": "operations/tunnels",
    "workerId": "workforce/workers",
    "fromWorkerId": "workforce/workers",
    "toWorkerId": "workforce/workers",
    "acknowledgedBy": "workforce/workers",
}


DIGESTS = {
    "operations/lots": ("4f90100563e910c5", "8775f74cb4067753"),
    "operations/tunnels": ("68fe45e010c0251a", "68fe45e010c0251a"),
    "operations/productionLogs": ("290aa96116b28e82", "912e2faf447338f9"),
    "operations/shiftLogs": ("623005b39a952de8", "623005b39a952de8"),
    "operations/custody": ("15b9d1416ea48e21", "38c29dc0d1877c6f"),
    "operations/analytics": ("df2bdf7bd2df6546", "df2bdf7bd2df6546"),
    "compliance/licenses": ("cc3bee367cd2d8f9", "cc3bee367cd2d8f9"),
    "inventory/stock": ("9e2c10125d35fea0", "9e2c10125d35fea0"),
    "environment/monitoring": ("17edf6a057cb99d6", "17edf6a057cb99d6"),
    "finance/invoices": ("d828674baf38e0b4", "bb2e7a3ff572035c"),
    "workforce/workers": ("0d0839e79bc476ad", "0d0839e79bc476ad"),
    "safety/incidents": ("23ddff0f1592cbd1", "84099717f037dedf"),
}
"""SHA-256 of records from the whole of each collection, in the usual sizes and with a million lots."""

ATTACHMENTS_DIGEST = "accefef3e61eea30"
"""The same of the attachments of 400 lots."""


def sample(key: str, count: int = 400) -> list[dict[str, Json]]:
    resource = RESOURCES[key]
    return [resource.seeded(position) for position in range(min(count, resource.size))]


def digest_of(records: Iterable[tuple[Resource, int]]) -> str:
    digest = hashlib.sha256()
    for resource, position in records:
        digest.update(jsontext.dumps(resource.seeded(position)).encode())
    return digest.hexdigest()[:16]


def test_the_data_never_change() -> None:
    digest = hashlib.sha256()
    for collection in COLLECTIONS:
        digest.update(jsontext.dumps(sample(collection.key, 50)).encode())
    assert digest.hexdigest() == "f93e21e6c677ec6082efd63da7052561a5559c578b249b6111ccc1c1f4010824"


@pytest.mark.parametrize("key", DIGESTS)
def test_no_record_changes_wherever_it_lies(key: str) -> None:
    for records, digest in zip((None, 1_000_000), DIGESTS[key], strict=True):
        resource = Resources(SeedSettings.sized(records))[key]
        spread = range(0, resource.size, max(1, resource.size // 400))
        assert digest_of((resource, position) for position in spread) == digest


def test_no_attachment_changes() -> None:
    lots = [RESOURCES[f"{LOTS}/lot-{number:06d}/attachments"] for number in range(1, 401)]
    assert digest_of((lot, position) for lot in lots for position in range(lot.size)) == ATTACHMENTS_DIGEST


def test_every_collection_has_its_digests() -> None:
    assert DIGESTS.keys() == {collection.key for collection in COLLECTIONS}


def test_more_can_be_drawn_than_one_hash_holds() -> None:
    draws = SeededRandom(RESOURCES[LOTS].stream, 7)
    drawn = [draws.below(1_000_000) for _ in range(100)]
    assert (drawn[0], drawn[-1], sum(drawn)) == (677_383, 778_816, 46_587_059)


def test_the_usual_sizes() -> None:
    sizes = {collection.key: RESOURCES[collection.key].size for collection in COLLECTIONS}
    assert (sizes["operations/lots"], sizes["operations/productionLogs"]) == (5_000, 20_000)
    assert sizes["operations/tunnels"] == 64
    assert min(sizes.values()) >= 40


def test_asking_for_a_size_sets_the_two_big_ones() -> None:
    sizes = {collection.key: Resources(SeedSettings.sized(7))[collection.key].size for collection in COLLECTIONS}
    assert {key for key, size in sizes.items() if size == 7} == {"operations/lots", "operations/productionLogs"}


def test_every_record_keeps_its_own_rules_and_names_its_id_first() -> None:
    for collection in COLLECTIONS:
        resource = RESOURCES[collection.key]
        for position, record in enumerate(sample(collection.key)):
            assert next(iter(record)) == "id"
            assert record["id"] == resource.id_at(position)
            assert resource.position_of(resource.id_at(position)) == position
            assert re.fullmatch(resource.id_pattern, resource.id_at(position))
            assert {name for name, rule in resource.rules.items() if rule.required or rule.read_only} <= record.keys()
            for name, value in record.items():
                rule = resource.rules[name]
                assert rule.problem(value) is None, (collection.key, record["id"], name)


def test_the_rules_know_which_fields_no_seeded_record_has() -> None:
    for collection in COLLECTIONS:
        seeded = {name for record in sample(collection.key) for name in record}
        assert {name for name, rule in RESOURCES[collection.key].rules.items() if rule.seeded} == seeded


def test_references_lead_somewhere() -> None:
    for resources in (RESOURCES, Resources(SeedSettings.sized(3))):
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
    assert Resources(SeedSettings.sized(0))["finance/invoices"].seeded(0)["lotId"] is None


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


def test_hostile_texts_stand_in_several_collections_and_on_no_first_screen() -> None:
    assert len({key for key, _ in HOSTILE}) >= 5
    for (key, position), fields in HOSTILE.items():
        assert 60 <= position < 100
        assert RESOURCES[key].seeded(position).items() >= fields.items()


def test_another_seed_is_another_mine_of_the_same_kind() -> None:
    usual, other, again = (Resources(SeedSettings.sized(50, seed))[LOTS] for seed in (0, 7, 7))
    assert [other.seeded(at) for at in range(50)] == [again.seeded(at) for at in range(50)]
    assert [usual.seeded(at)["massKg"] for at in range(50)] != [other.seeded(at)["massKg"] for at in range(50)]
    assert [usual.id_at(at) for at in range(50)] == [other.id_at(at) for at in range(50)]
    assert Resources(SeedSettings.sized(50, 0))[LOTS].stream == "svc-tui 1/operations/lots"


@pytest.mark.parametrize("shape", ID_SHAPES)
def test_ids_of_every_shape_are_read_back_and_references_lead_somewhere(shape: str) -> None:
    resources = Resources(SeedSettings.sized(300, ids=shape))
    for collection in COLLECTIONS:
        resource = resources[collection.key]
        ids = [resource.id_at(position) for position in range(min(300, resource.size))]
        assert len(set(ids)) == len(ids)
        assert [resource.position_of(record_id) for record_id in ids] == list(range(len(ids)))
        for position, record_id in enumerate(ids):
            record = resource.seeded(position)
            assert record["id"] == record_id
            for name, value in record.items():
                if name in REFERENCES and isinstance(value, str):
                    place = resources[REFERENCES[name]].position_of(value)
                    assert place is not None
                    assert place < resources[REFERENCES[name]].size
    lots = resources[LOTS]
    assert lots.position_of(lots.id_at(10**9)) == 10**9
    for text in (
        "",
        "lot-1",
        "x",
        lots.id_at(3) + "0" * 13,
        "00000000-0000-8000-8000-000000000001",
        "LOT/1 é",
        "0",
        "01",
    ):
        assert lots.position_of(text) is None


def test_uuids_are_uuids_and_no_two_collections_share_one() -> None:
    resources = Resources(SeedSettings.sized(300, ids="uuid"))
    ids = [resources[c.key].id_at(position) for c in COLLECTIONS for position in range(100)]
    assert len(set(ids)) == len(ids)
    assert all(str(UUID(text)) == text and UUID(text).version == 8 for text in ids)
