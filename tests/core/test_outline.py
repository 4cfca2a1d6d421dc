"""A record's lines: grouped, folded, and never too many."""

from collections.abc import Sequence

import pytest

from svc_tui.core.jsontext import ABSENT, MAX_DEPTH, Json, Number, loads
from svc_tui.core.kinds import FieldGroup, Kind, kind_of
from svc_tui.core.outline import (
    MAX_LINES,
    WINDOW_ITEMS,
    Folding,
    MoreItems,
    OutlineCut,
    OutlineEntry,
    OutlineLine,
    Path,
    at_path,
    column_of,
    group_of,
    outline,
    path_text,
    window_around,
)

TEXT = """{
    "note": "of the north face", "id": "lot-1", "sealed": true, "massKg": 12.50, "status": "open",
    "tunnelId": "tun-07", "name": "Gold ore", "openedAt": "2026-11-20T05:12:00Z",
    "assay": {"auPpm": 1.0, "lab": {"name": "Kolwezi"}}, "parts": [{"grade": "A"}, {"grade": "B"}], "tags": []
}"""


def lot() -> dict[str, Json]:
    fields = loads(TEXT)
    assert isinstance(fields, dict)
    return fields


def kinds(fields: dict[str, Json]) -> dict[str, Kind]:
    return {name: kind_of(name, [value]) for name, value in fields.items()}


def paths(fields: dict[str, Json], *unfolded: Path, windows: dict[Path, int] | None = None) -> list[str]:
    lines = outline(fields, kinds(fields), set(unfolded), windows)
    return [path_text(line.path) for line in lines if isinstance(line, OutlineEntry)]


def lines_in(rows: int, folding: Folding | None = None) -> list[str]:
    """The lines of a lot in a list of so many rows; "" is a gap."""

    def free_rows(lines: Sequence[OutlineLine]) -> int:
        return rows - len(lines)

    lines = (folding or Folding()).lines(lot(), kinds(lot()), free_rows)
    return [path_text(line.path) if isinstance(line, OutlineEntry) else "" for line in lines]


NESTED = ["assay", "assay.auPpm", "assay.lab", "parts", "parts[0]", "parts[1]", "tags"]


def test_groups_stand_apart_where_all_lines_still_fit() -> None:
    apart = ["id", "name", "", "status", "", "massKg", "", "openedAt", "", "tunnelId", "", "note", "", "sealed", ""]
    assert lines_in(22) == [*apart, *NESTED]
    assert lines_in(21) == [*filter(None, apart), *NESTED]
    assert "" not in lines_in(5)


def test_groups_come_together_when_something_is_unfolded_and_apart_when_it_is_folded() -> None:
    folding = Folding()
    assert "" not in lines_in(20, folding)
    folding.set(("assay",), unfolded=False)
    assert lines_in(20, folding).count("") == 7
    folding.set(("assay",), unfolded=True)
    assert "" not in lines_in(20, folding)


@pytest.mark.parametrize(
    ("name", "kind", "group"),
    [
        ("closedAt", Kind.NULL, FieldGroup.TIMES),
        ("closed_on", Kind.NULL, FieldGroup.TIMES),
        ("flat", Kind.NULL, FieldGroup.TEXTS),
        ("name", Kind.CHOICE, FieldGroup.IDENTITY),
        ("number", Kind.NUMBER, FieldGroup.AMOUNTS),
    ],
)
def test_a_group_is_told_by_kind_and_name(name: str, kind: Kind, group: FieldGroup) -> None:
    assert group_of(name, kind) is group


def test_nested_values_unfold_in_place_level_by_level() -> None:
    assert "assay.lab" not in paths(lot())
    assert paths(lot(), ("assay",))[-4:] == ["assay.auPpm", "assay.lab", "parts", "tags"]
    assert paths(lot(), ("assay",), ("assay", "lab"))[-3:] == ["assay.lab.name", "parts", "tags"]
    assert paths(lot(), ("parts",), ("parts", 1))[-4:] == ["parts[0]", "parts[1]", "parts[1].grade", "tags"]


def test_only_what_holds_something_can_be_unfolded() -> None:
    entries = {line.path: line.nested for line in outline(lot(), kinds(lot())) if isinstance(line, OutlineEntry)}
    assert [path[0] for path, nested in entries.items() if nested] == ["assay", "parts"]


def test_a_path_is_written_so_that_odd_names_are_told_from_paths() -> None:
    assert path_text(("assay", "lab", "name")) == "assay.lab.name"
    assert path_text(("parts", 0, "a.b")) == 'parts[0]["a.b"]'
    assert path_text(("",)) == '[""]'


def test_a_value_in_a_list_belongs_to_the_column_of_the_list() -> None:
    assert column_of({"assay": {"lab": {"name": "x"}}}, ("assay", "lab", "name")) == "assay.lab.name"
    assert column_of({"parts": []}, ("parts", 0, "grade")) == "parts"


def test_a_value_is_found_by_its_path() -> None:
    assert at_path(lot(), ("parts", 1, "grade")) == "B"
    assert at_path(lot(), ()) == lot()
    for path in (("parts", 2), ("parts", "grade"), ("id", 0), ("assay", 0), ("nothing",)):
        assert at_path(lot(), path) == ABSENT


def test_of_many_items_one_window_is_shown_with_the_number_before_and_after_it() -> None:
    many: dict[str, Json] = {"items": [Number(str(number)) for number in range(1_000)]}
    lines = outline(many, kinds(many), {("items",)})
    assert len(lines) == 1 + WINDOW_ITEMS + 1
    assert lines[-1] == MoreItems(("items",), 800, WINDOW_ITEMS)
    lines = outline(many, kinds(many), {("items",)}, {("items",): 400})
    assert lines[1:3] == [MoreItems(("items",), 400, 200), OutlineEntry(("items", 400), Number("400"))]
    assert lines[-1] == MoreItems(("items",), 400, 600)
    lines = outline(many, kinds(many), {("items",)}, {("items",): 800})
    assert lines[-1] == OutlineEntry(("items", 999), Number("999"))


def test_fifty_thousand_fields_make_one_window() -> None:
    many: dict[str, Json] = {f"field{number}": "x" for number in range(50_000)}
    lines = outline(many, {})
    assert len(lines) == WINDOW_ITEMS + 1
    assert lines[-1] == MoreItems((), 50_000 - WINDOW_ITEMS, WINDOW_ITEMS)


def test_however_much_is_unfolded_the_outline_ends_and_says_so() -> None:
    many: dict[str, Json] = {f"field{number}": ["x"] * 100 for number in range(100)}
    lines = outline(many, {}, {(name,) for name in many})
    assert len(lines) == MAX_LINES + 1
    assert lines[-1] == OutlineCut()


def test_the_windows_around_a_value_bring_it_into_the_outline() -> None:
    many: dict[str, Json] = {f"field{number}": [["x"] * 500] * 300 for number in range(900)}
    path: Path = ("field777", 250, 499)
    windows = window_around(many, path)
    lines = outline(many, {}, {path[:1], path[:2]}, windows)
    assert OutlineEntry(path, "x") in lines


def test_a_record_as_deep_as_json_may_be_unfolds_to_its_end() -> None:
    deep = loads('{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH)
    assert isinstance(deep, dict)
    path: Path = ("a",) * MAX_DEPTH
    unfolded = {path[:depth] for depth in range(1, MAX_DEPTH)}
    assert outline(deep, kinds(deep), unfolded)[-1] == OutlineEntry(path, Number("1"))
