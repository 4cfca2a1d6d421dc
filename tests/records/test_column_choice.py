"""Choosing columns: each key does one thing, and nothing that is chosen gets lost."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.views import ChosenColumn
from svc_tui.records.columns import MAX_CHOSEN_WIDTH, MIN_WIDTH, ColumnChoice

START = ColumnChoice.of(map(ChosenColumn, ("id", "grade", "massKg")), ("grade", "id", "assay", "assay.goldPpm"))


def fields(choice: ColumnChoice) -> list[str]:
    return [column.field for column in choice.shown]


def test_what_is_not_shown_is_hidden_and_what_was_not_seen_stays_chosen() -> None:
    assert fields(START) == ["id", "grade", "massKg"]
    assert START.hidden == ("assay", "assay.goldPpm")


def test_a_hidden_column_is_shown_last_and_a_shown_one_hidden() -> None:
    more = START.toggled("assay.goldPpm")
    assert fields(more) == ["id", "grade", "massKg", "assay.goldPpm"]
    less = more.toggled("id")
    assert (fields(less), less.hidden) == (["grade", "massKg", "assay.goldPpm"], ("id", "assay"))


def test_the_only_column_stays() -> None:
    one = ColumnChoice((ChosenColumn("id"),), ("grade",))
    assert one.toggled("id") == one


def test_columns_move_as_far_as_there_is_room() -> None:
    assert fields(START.moved("massKg", -1)) == ["id", "massKg", "grade"]
    assert fields(START.moved("id", 9)) == ["grade", "massKg", "id"]
    assert START.moved("id", -1) == START
    assert START.moved("assay", -1) == START


def test_widths_are_set_within_bounds_and_given_back() -> None:
    assert START.sized("grade", 9).column("grade") == ChosenColumn("grade", 9)
    assert START.sized("grade", 0).column("grade") == ChosenColumn("grade", MIN_WIDTH)
    assert START.sized("grade", 999).column("grade") == ChosenColumn("grade", MAX_CHOSEN_WIDTH)
    assert START.sized("grade", 9).sized("grade", None) == START


ACTIONS: list[Callable[[ColumnChoice, str], ColumnChoice]] = [
    lambda choice, path: choice.toggled(path),
    lambda choice, path: choice.moved(path, 1),
    lambda choice, path: choice.moved(path, -1),
    lambda choice, path: choice.sized(path, 12),
]


@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.sampled_from(START.paths)), max_size=20))
def test_no_column_gets_lost_and_one_is_always_shown(
    steps: list[tuple[Callable[[ColumnChoice, str], ColumnChoice], str]],
) -> None:
    choice = START
    for action, path in steps:
        choice = action(choice, path)
        assert sorted(choice.paths) == sorted(START.paths)
        assert choice.shown
