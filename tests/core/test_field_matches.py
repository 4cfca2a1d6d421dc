"""Every value of a record is found, in the order in which it is shown."""

from svc_tui.core.jsontext import MAX_DEPTH, Json, loads
from svc_tui.core.kinds import Kind, kind_of
from svc_tui.core.outline import WINDOW_ITEMS, FieldMatches, Path, find_fields, matching_paths, path_text

TEXT = """{
    "note": "of the north face", "id": "lot-1", "sealed": true, "massKg": 12.50, "status": "open",
    "tunnelId": "tun-07", "name": "Gold ore", "openedAt": "2026-11-20T05:12:00Z",
    "assay": {"auPpm": 1.0, "lab": {"name": "Kolwezi"}}, "parts": [{"grade": "A"}, {"grade": "B"}], "tags": []
}"""


def lot() -> dict[str, Json]:
    fields = loads(TEXT)
    assert isinstance(fields, dict)
    return fields


def found(fields: dict[str, Json], needle: str) -> FieldMatches:
    def kind(name: str) -> Kind:
        return kind_of(name, [fields[name]])

    return find_fields(fields, needle, kind)


def test_finding_looks_at_names_and_values_at_every_depth() -> None:
    assert [path_text(path) for path in matching_paths(lot(), "GRADE")] == ["parts[0].grade", "parts[1].grade"]
    assert [path_text(path) for path in matching_paths(lot(), "kolw")] == ["assay.lab.name"]
    assert [path_text(path) for path in matching_paths(lot(), "12.5")] == ["massKg"]
    assert [path_text(path) for path in matching_paths(lot(), "true")] == ["sealed"]
    assert matching_paths(lot(), "") == []
    assert matching_paths(lot(), "nowhere") == []


def test_finding_makes_no_difference_of_accents_in_names_and_values() -> None:
    fields: dict[str, Json] = {"größe": "Łódź", "note": "Dore\u0301", "other": "x"}
    for needle, paths in {"grosse": ["größe"], "lodz": ["größe"], "DORÉ": ["note"], "dore": ["note"]}.items():
        assert [path_text(path) for path in matching_paths(fields, needle)] == paths


def test_finding_reaches_as_deep_as_json_may_be() -> None:
    deep = loads('{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH)
    assert isinstance(deep, dict)
    path: Path = ("a",) * MAX_DEPTH
    assert matching_paths(deep, "1") == [path]


def test_matches_come_group_by_group_as_they_are_shown() -> None:
    assert [path_text(path) for path in found(lot(), "o").paths] == [
        *("id", "name", "status", "openedAt", "note", "assay.lab.name"),
    ]


def test_what_an_earlier_window_shows_comes_first_whatever_group_it_is_in() -> None:
    many: dict[str, Json] = {f"field{number}": "x" for number in range(WINDOW_ITEMS)}
    matches = found({**many, "id": "x"}, "x")
    assert matches.paths[0] == ("field0",)
    assert matches.paths[-1] == ("id",)


def test_steps_go_round_the_ends_and_nowhere_where_there_is_nothing() -> None:
    matches = found(lot(), "grade")
    assert matches.position == (1, 2)
    assert matches.stepped(1).path == ("parts", 1, "grade")
    assert matches.stepped(2) == matches
    assert matches.stepped(-1).position == (2, 2)
    nothing = found(lot(), "nowhere")
    assert nothing.stepped(1) == nothing
    assert nothing.path is None
    assert nothing.position is None
