"""Positions and texts: the cost of a deep page, ranks across deletions, and what filters find."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from svc_tui.core import jsontext
from svc_tui.core.jsontext import Json, Number
from svc_tui.core.values import replace
from svc_tui.sandbox.data.database import Database, SeedChoice
from svc_tui.sandbox.data.records import Filters, Records, parse_record
from svc_tui.sandbox.data.resources import LOTS, Resource, Resources
from svc_tui.sandbox.data.snapshots import reset_data
from svc_tui.sandbox.data.store import SandboxStore
from svc_tui.sandbox.seeds.hostile import MARKUP_LOT
from svc_tui.sandbox.seeds.record_layout import RecordLayout
from svc_tui.sandbox.seeds.seeded_random import SeededRandom
from svc_tui.sandbox.seeds.settings import SeedSettings

MILLION = 1_000_000

FILTERS: list[Filters] = [
    (("status", "open"),),
    (("sealed", "true"), ("status", "closed")),
    (("grade", "7.50"),),
    (("tunnelId", "null"),),
    (("moisturePct", "null"), ("status", "open")),
    (("name", "[/x] Lot [bold"),),
    (("note", "null"),),
    (("note", "null"), ("status", "open"), ("tags", "[]")),
]
"""Drawn fields and others, alone and together, and values that only a change sets."""


def counted(size: int) -> tuple[Resource, list[int]]:
    """Lots that note each position they are made at."""
    lots, made = Resources(SeedSettings.sized(size))[LOTS], []

    def make(position: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
        made.append(position)
        return lots.make(position, draws, settings)

    return replace(lots, make=make), made


def test_a_page_makes_its_own_records_wherever_it_lies() -> None:
    records = Records(Database(None, SeedChoice(MILLION)))
    for first in (0, MILLION // 2, MILLION - 50):
        resource, made = counted(MILLION)
        assert len(records.page(resource, first, 50)) == 50
        assert made == list(range(first, first + 50))


def test_a_page_reads_changes_by_the_primary_key_alone() -> None:
    database = Database(None, SeedChoice(MILLION))
    records, (resource, _) = Records(database), counted(MILLION)
    run: list[str] = []
    with database.reading() as connection:
        records.page(resource, 0, 50)
        connection.set_trace_callback(run.append)
        records.page(resource, MILLION - 50, 50)
        connection.set_trace_callback(None)
        [statement] = run
        plans = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert plans == ["SEARCH changes USING PRIMARY KEY (collection=? AND position>? AND position<?)"]


def test_a_page_after_many_deletions_makes_no_more_than_it_shows() -> None:
    records, (resource, made) = Records(Database(None, SeedChoice(MILLION))), counted(MILLION)
    for position in range(0, 2_000, 2):
        records.delete(resource, resource.id_at(position))
    texts = records.page(resource, 500_000, 50)
    assert made == list(range(501_000, 501_050))
    assert len(texts) == 50


def test_ranks_across_deletions_are_those_of_a_plain_list() -> None:
    luck = random.Random(7)
    records, (resource, _) = Records(Database(None, SeedChoice(40))), counted(40)
    model = [resource.id_at(position) for position in range(40)]
    for _ in range(120):
        if model and luck.random() < 0.6:
            gone = model.pop(luck.randrange(len(model)))
            records.delete(resource, gone)
            assert records.text(resource, gone) is None
        else:
            made = records.next_id(resource)
            records.append(resource, {"id": made})
            model.append(made)
        first, count = luck.randrange(45), luck.randrange(1, 12)
        shown = [text.split('"')[3] for text in records.page(resource, first, count)]
        assert shown == model[first : first + count]
        assert records.total(resource) == len(model)


def test_a_remembered_filter_is_searched_once_until_a_write() -> None:
    records, (resource, made) = Records(Database(None, SeedChoice(70))), counted(70)
    filters = (("name", "[/x] Lot [bold"),)
    assert records.matching(resource, filters, 0, 10)[1] == 1
    assert len(made) == 71
    assert records.matching(resource, filters, 0, 10)[1] == 1
    assert len(made) == 72
    records.delete(resource, MARKUP_LOT)
    assert records.matching(resource, filters, 0, 10) == ([], 0)


def test_a_write_during_a_search_is_seen_by_the_next() -> None:
    records, lots = Records(Database(None, SeedChoice(70))), Resources(SeedSettings.sized(70))[LOTS]

    def make(position: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
        if position == 20 and records.text(lots, MARKUP_LOT) is not None:
            records.delete(lots, MARKUP_LOT)
        return lots.make(position, draws, settings)

    filters = (("name", "[/x] Lot [bold"),)
    assert records.matching(replace(lots, make=make), filters, 0, 10)[0] == []
    assert records.matching(lots, filters, 0, 10) == ([], 0)


def test_a_reset_during_a_search_leaves_no_record_that_never_was() -> None:
    store = SandboxStore(None, SeedChoice(30))
    lots = store.resources[LOTS]
    store.records.append(lots, {"id": "lot-000031", "name": "made since"})

    def make(position: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
        reset_data(store)
        return lots.make(position, draws, settings)

    assert store.records.matching(replace(lots, make=make), (("name", "made since"),), 0, 10)[0] == []
    assert store.records.matching(lots, (("name", "made since"),), 0, 10) == ([], 0)


def test_a_filter_of_drawn_fields_makes_no_records_but_those_of_its_page() -> None:
    lots = Resources(SeedSettings.sized(30))[LOTS]
    assert isinstance(lots.make, RecordLayout)
    made: list[int] = []

    def make(position: int, drawn: Mapping[str, Any], draws: SeededRandom) -> dict[str, Json]:
        made.append(position)
        return {"id": lots.id_at(position), "status": drawn["status"], "sealed": drawn["sealed"]}

    resource = replace(lots, make=RecordLayout(lots.make.draws, make))
    texts, total = Records(Database(None, SeedChoice(30))).matching(
        resource, (("sealed", "true"), ("status", "open")), 0, 2
    )
    assert total > 2
    positions = [resource.position_of(str(parse_record(text)["id"])) for text in texts]
    assert made == [*resource.hostile, *positions]


def test_an_id_is_looked_up() -> None:
    records, (resource, made) = Records(Database(None, SeedChoice(MILLION))), counted(MILLION)
    lot = "lot-500000"
    texts, total = records.matching(resource, (("id", lot),), 0, 10)
    assert (made, total, [parse_record(text)["id"] for text in texts]) == ([499_999], 1, [lot])
    assert records.matching(resource, (("id", lot),), 1, 10) == ([], 1)
    status = str(parse_record(texts[0])["status"])
    assert records.matching(resource, (("id", lot), ("status", status)), 0, 10) == (texts, 1)
    assert records.matching(resource, (("id", lot), ("status", "lost")), 0, 10) == ([], 0)
    for other in ("lot-1000001", "lot-1", "tun-01", ""):
        assert records.matching(resource, (("id", other),), 0, 10) == ([], 0)
    records.delete(resource, lot)
    assert records.matching(resource, (("id", lot),), 0, 10) == ([], 0)


def test_a_field_that_no_seeded_record_has_is_looked_for_in_the_others() -> None:
    records, (resource, made) = Records(Database(None, SeedChoice(MILLION))), counted(MILLION)
    filters = (("parentLotId", "lot-000007"),)
    assert records.matching(resource, filters, 0, 10) == ([], 0)
    text = records.append(resource, {"id": records.next_id(resource), "parentLotId": "lot-000007"})
    assert records.matching(resource, filters, 0, 10) == ([text], 1)
    assert set(made) <= resource.hostile


@pytest.mark.parametrize("filters", FILTERS, ids=str)
@pytest.mark.parametrize("remembered", [False, True])
def test_filters_find_what_a_plain_list_holds_after_changes_of_every_kind(filters: Filters, remembered: bool) -> None:
    luck = random.Random(11)
    records, resource = Records(Database(None, SeedChoice(80))), Resources(SeedSettings.sized(80))[LOTS]
    model = {position: resource.seeded(position) for position in range(80)}
    if remembered:
        records.matching(resource, filters, 0, 1)
    for step in range(60):
        position = luck.choice(sorted(model))
        record_id = str(model[position]["id"])
        if step % 3 == 0:
            model[position] = {**model[position], "status": luck.choice(("open", "closed")), "grade": Number("7.50")}
            records.replace(resource, record_id, model[position])
        elif step % 3 == 1:
            del model[position]
            records.delete(resource, record_id)
        else:
            new: dict[str, Json] = {"id": records.next_id(resource), "status": "open", "tunnelId": None}
            model[80 + step // 3] = new
            records.append(resource, new)
    expected = [
        jsontext.dumps(record)
        for _, record in sorted(model.items())
        if all(name in record and as_text(record[name]) == value for name, value in filters)
    ]
    assert expected
    assert records.matching(resource, filters, 0, 100) == (expected, len(expected))
    assert records.matching(resource, filters, 1, 2) == (expected[1:3], len(expected))


def as_text(value: Json) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value)


def test_a_remembered_filter_is_not_searched_again_after_a_write() -> None:
    records, (resource, made) = Records(Database(None, SeedChoice(30))), counted(30)
    filters = (("sealed", "true"),)
    [first, *_], total = records.matching(resource, filters, 0, 1)
    records.replace(resource, str(parse_record(first)["id"]), {**parse_record(first), "sealed": False})
    made.clear()
    assert records.matching(resource, filters, 0, 2)[1] == total - 1
    assert len(made) == 2


def test_what_filters_remember_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svc_tui.sandbox.data.records._CACHED_POSITIONS", 4)
    records, (resource, made) = Records(Database(None, SeedChoice(100))), counted(100)
    one, another, many = (("name", "[/x] Lot [bold"),), (("name", "=1+1"),), (("sealed", "true"),)

    def searches(filters: Filters) -> bool:
        made.clear()
        records.matching(resource, filters, 0, 1)
        return len(made) > 1

    assert [searches(filters) for filters in (one, another, one, another)] == [True, True, False, False]
    assert [searches(filters) for filters in (many, many)] == [True, False]
    assert [searches(filters) for filters in (one, many)] == [True, True]
