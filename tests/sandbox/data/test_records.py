"""Positions and texts: the cost of a deep page, and ranks across deletions."""

import random
from dataclasses import replace

from svc_tui.domain.model.jsontext import Json
from svc_tui.sandbox.data.database import Database
from svc_tui.sandbox.data.records import Records
from svc_tui.sandbox.data.resources import LOTS, Resource, Resources
from svc_tui.sandbox.seeds.operations import CollectionSizes
from svc_tui.sandbox.seeds.seeded_random import SeededRandom

MILLION = 1_000_000


def counted(size: int) -> tuple[Resource, list[int]]:
    """Lots that note each position they are made at."""
    lots, made = Resources(size)[LOTS], []

    def make(position: int, draws: SeededRandom, sizes: CollectionSizes) -> dict[str, Json]:
        made.append(position)
        return lots.make(position, draws, sizes)

    return replace(lots, make=make), made


def test_a_page_makes_its_own_records_wherever_it_lies() -> None:
    records = Records(Database(None, MILLION))
    for first in (0, MILLION // 2, MILLION - 50):
        resource, made = counted(MILLION)
        assert len(records.page(resource, first, 50)) == 50
        assert made == list(range(first, first + 50))


def test_a_page_reads_changes_by_the_primary_key_alone() -> None:
    database = Database(None, MILLION)
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
    records, (resource, made) = Records(Database(None, MILLION)), counted(MILLION)
    for position in range(0, 2_000, 2):
        records.delete(resource, resource.id_at(position))
    texts = records.page(resource, 500_000, 50)
    assert made == list(range(501_000, 501_050))
    assert len(texts) == 50


def test_ranks_across_deletions_are_those_of_a_plain_list() -> None:
    luck = random.Random(7)
    records, (resource, _) = Records(Database(None, 40)), counted(40)
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
    records, (resource, made) = Records(Database(None, 30)), counted(30)
    filters = (("id", "lot-000003"),)
    assert records.matching(resource, filters, 0, 10)[1] == 1
    assert len(made) == 31
    assert records.matching(resource, filters, 0, 10)[1] == 1
    assert len(made) == 32
    records.delete(resource, "lot-000003")
    assert records.matching(resource, filters, 0, 10) == ([], 0)


def test_a_write_during_a_search_is_seen_by_the_next() -> None:
    records, lots = Records(Database(None, 30)), Resources(30)[LOTS]

    def make(position: int, draws: SeededRandom, sizes: CollectionSizes) -> dict[str, Json]:
        if position == 20 and records.text(lots, "lot-000003") is not None:
            records.delete(lots, "lot-000003")
        return lots.make(position, draws, sizes)

    filters = (("id", "lot-000003"),)
    assert records.matching(replace(lots, make=make), filters, 0, 10)[0] == []
    assert records.matching(lots, filters, 0, 10) == ([], 0)
