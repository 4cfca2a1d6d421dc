"""Fields read from a record's bits: as the whole record has them, whatever is drawn before them."""

from collections.abc import Iterator, Mapping
from functools import partial
from operator import eq
from typing import Any

import pytest

from svc_tui.core.jsontext import Json, Number
from svc_tui.sandbox.data.resources import LOTS, Resources
from svc_tui.sandbox.seeds.record_layout import (
    Draw,
    RecordLayout,
    at_times,
    below,
    chance,
    decimal,
    one_of,
    some_of,
    unless,
)
from svc_tui.sandbox.seeds.seeded_random import SeededRandom
from svc_tui.sandbox.seeds.settings import SeedSettings

RESOURCES = Resources(SeedSettings.sized(100_000))
POSITIONS = range(0, 100_000, 250)
FEW, MANY = 1, 10_000
"""Sizes of a collection: with fewer records than most fields have values, and with more."""


def laid_out() -> Iterator[tuple[str, str]]:
    """Every field that can be read alone."""
    for key in (LOTS, "operations/productionLogs"):
        layout = RESOURCES[key].make
        assert isinstance(layout, RecordLayout)
        yield from ((key, name) for name in RESOURCES[key].rules if name in layout.draws)


def test_the_fields_that_people_choose_by_can_be_read_alone() -> None:
    chosen_by = {"status", "grade", "massKg", "mineral", "tunnelId", "workerId", "priority", "hazardous", "sealed"}
    assert chosen_by <= {name for key, name in laid_out() if key == LOTS}
    logs = {"tunnelId", "lotId", "workerId", "shift", "massKg", "approved"}
    assert logs <= {name for key, name in laid_out() if key != LOTS}


@pytest.mark.parametrize(("key", "name"), laid_out())
@pytest.mark.parametrize("count", [FEW, MANY])
def test_a_field_that_is_read_alone_is_that_of_the_record(key: str, name: str, count: int) -> None:
    resource = RESOURCES[key]
    layout = resource.make
    assert isinstance(layout, RecordLayout)
    whole = {
        position: layout(position, SeededRandom(resource.stream, position), resource.settings)[name]
        for position in POSITIONS
    }
    for wanted in (whole[0], whole[250], whole[99_750]):
        read = layout.matching(resource.stream, POSITIONS, name, partial(eq, wanted), count)
        assert list(read) == [position for position, value in whole.items() if value == wanted]


def test_numbers_are_drawn_in_order_and_one_that_is_left_out_takes_none() -> None:
    draws: dict[str, Draw[Any]] = {
        "state": one_of(("open", "closed")),
        "grade": unless(40, decimal(0, 3, 1)),
        "bay": at_times(30, below(7, int)),
        "wet": chance(25),
        "tags": some_of(50, ("a", "b")),
    }

    def make(index: int, drawn: Mapping[str, Any], draws: SeededRandom) -> dict[str, Json]:
        return {**drawn, "last": Number(str(draws.below(1_000)))}

    layout = RecordLayout(draws, make)
    for index in range(200):
        step = SeededRandom("a/b", index)
        by_hand: dict[str, Any] = {"state": step.of(("open", "closed"))}
        by_hand["grade"] = None if step.chance(40) else step.decimal(0, 3, 1)
        by_hand["bay"] = step.below(7) if step.chance(30) else None
        by_hand["wet"] = step.chance(25)
        by_hand["tags"] = [tag for tag in "ab" if step.chance(50)]
        by_hand["last"] = Number(str(step.below(1_000)))
        assert layout(index, SeededRandom("a/b", index), None) == by_hand


def test_a_layout_may_not_draw_more_than_one_hash_is_sure_to_give() -> None:
    wide = {str(number): below(2**64, int) for number in range(3)}
    RecordLayout(wide, lambda index, drawn, draws: {})
    with pytest.raises(AssertionError):
        RecordLayout({**wide, "3": unless(50, below(2**64, int))}, lambda index, drawn, draws: {})
