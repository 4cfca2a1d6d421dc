"""What is unfolded by hand stays so; where there is room more is unfolded, until it is folded by hand."""

from collections.abc import Callable, Sequence

from svc_tui.core.jsontext import Json, number
from svc_tui.core.kinds import Kind
from svc_tui.core.outline import Folding, OutlineEntry, OutlineLine, Path

FIELDS: dict[str, Json] = {"id": "lot-1", "assay": {"au": number(1), "lab": {"name": "x"}}, "tags": ["a", "b"]}
KINDS = {"id": Kind.ID, "assay": Kind.OBJECT, "tags": Kind.LIST}


def rows(count: int) -> Callable[[Sequence[OutlineLine]], int]:
    return lambda lines: count - len(lines)


def paths(folding: Folding, count: int) -> list[Path]:
    return [line.path for line in folding.lines(FIELDS, KINDS, rows(count)) if isinstance(line, OutlineEntry)]


def test_without_room_nothing_is_unfolded_by_itself() -> None:
    assert paths(Folding(), 4) == [("id",), ("assay",), ("tags",)]


def test_with_room_the_outermost_are_unfolded_as_far_as_they_fit() -> None:
    assert paths(Folding(), 5) == [("id",), ("assay",), ("assay", "au"), ("assay", "lab"), ("tags",)]
    assert paths(Folding(), 7)[-2:] == [("tags", 0), ("tags", 1)]
    assert ("assay", "lab", "name") not in paths(Folding(), 100)


def test_what_is_folded_by_hand_stays_folded_and_what_is_unfolded_stays_open() -> None:
    folding = Folding()
    folding.set(("assay",), unfolded=False)
    assert ("assay", "au") not in paths(folding, 100)
    folding.set(("assay",), unfolded=True)
    assert ("assay", "au") in paths(folding, 0)


def test_a_value_is_revealed_by_unfolding_all_around_it() -> None:
    folding = Folding()
    folding.reveal(FIELDS, ("assay", "lab", "name"))
    assert ("assay", "lab", "name") in paths(folding, 0)
