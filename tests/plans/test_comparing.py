"""A row of a file beside the record as it is: what changes, and every doubt about it in its words."""

import pytest

from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Record
from svc_tui.plans.cells import Cell, NumberCertainty
from svc_tui.plans.comparing import SeenValues, compare_row, edit_row
from svc_tui.plans.correction_file import Correction
from svc_tui.plans.for_edit import format_version
from svc_tui.storage.plan import PlanRow, ProblemKind, RowAction, RowProblem, RowState

N = Number
LOT: dict[str, Json] = {
    "id": "lot-1",
    "name": "Ore 1",
    "status": "open",
    "grade": N("8.42"),
    "hazardous": False,
    "openedAt": "2024-01-01T01:23:45Z",
    "assay": {"auPpm": N("11.280"), "lab": {"name": "Kolwezi"}},
    "tags": ["wet"],
    "note": None,
    "massKg": None,
}
PATHS = ("massKg", "name", "status", "grade", "hazardous", "openedAt", "assay.auPpm", "tags", "note", "colour")


def seen() -> SeenValues:
    """What the lots hold: the same few words as their status, again and again."""
    values = SeenValues(PATHS)
    for at in range(12):
        values.add(
            {**LOT, "massKg": N(f"{at}"), "name": f"Ore {at}", "status": ("open", "closed", "in_transit")[at % 3]}
        )
    return values


def compared(
    values: dict[str, Json | Cell],
    *,
    action: RowAction = RowAction.UPDATE,
    exported: dict[str, Json] | None = None,
    now: dict[str, Json] | None = None,
) -> PlanRow:
    """The row for one lot; `exported` is the lot as its `_version` knows it."""
    version = "" if exported is None else format_version(exported)
    record = Record(LOT if now is None else now) if action is not RowAction.CREATE else None
    return compare_row(Correction(2, action, "lot-1", values, version), record, seen())


def test_a_decimal_mark_makes_no_place_for_a_value_where_the_record_has_none() -> None:
    cell = Cell("1.972", decimal_comma=True, certainty=NumberCertainty.AMBIGUOUS)
    row = compared({"assay.auPpm": cell, "name": "Ore 2"}, now={**LOT, "assay": "none"})
    assert [problem.kind for problem in row.problems] == [ProblemKind.DECIMAL, ProblemKind.NO_ROOM]
    chosen = edit_row(row, "assay.auPpm", Cell("1.972", certainty=NumberCertainty.CHOSEN), seen())
    assert [problem.kind for problem in chosen.problems] == [ProblemKind.NO_ROOM]
    assert chosen.state is RowState.BLOCKED
    assert chosen.edits == {"name": "Ore 2"}


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        ({"grade": Cell("abc")}, ProblemKind.OTHER_KIND, "grade: “abc” is not a number"),
        (
            {"grade": Cell("8,4")},
            ProblemKind.OTHER_KIND,
            "grade: “8,4” is not a number. Write it with a decimal point: 8.4.",
        ),
        ({"grade": "abc"}, ProblemKind.OTHER_KIND, 'grade: expected a number as in other records, found text ("abc").'),
        ({"name": N("7")}, ProblemKind.OTHER_KIND, "name: expected text as in this record, found a number (7)."),
        ({"massKg": N("7")}, None, ""),
        ({"massKg": "7"}, ProblemKind.OTHER_KIND, 'massKg: expected a number as in other records, found text ("7").'),
        (
            {"hazardous": Cell("(empty)", meaning="")},
            ProblemKind.OTHER_KIND,
            "hazardous: expected true or false as in this",
        ),
        ({"name": ["x"]}, ProblemKind.OTHER_KIND, 'name: expected text as in other records, found a list (["x"]).'),
        ({"hazardous": Cell("maybe")}, ProblemKind.OTHER_KIND, "hazardous: "),
        ({"tags": Cell("{x")}, ProblemKind.OTHER_KIND, "tags: "),
        (
            {"name": {"a": N("1")}},
            ProblemKind.OTHER_KIND,
            'name: expected text as in other records, found an object ({"a":1}).',
        ),
        (
            {"hazardous": N("1")},
            ProblemKind.OTHER_KIND,
            "hazardous: expected true or false as in other records, found a number (1).",
        ),
        ({"name": "2024-01-01T00:00:00Z"}, None, ""),
        ({"grade": None}, None, ""),
        ({"status": Cell("clsoed")}, ProblemKind.NEW_CHOICE, 'status: unknown value "clsoed". Did you mean "closed"?'),
        ({"status": "zzz"}, ProblemKind.NEW_CHOICE, 'status: unknown value "zzz".'),
        ({"grade": Cell("8.4")}, ProblemKind.CUT, "grade: 8.4 is 8.42 with fewer digits. A spreadsheet may"),
        ({"assay.auPpm": Cell("11.3")}, ProblemKind.CUT, "assay.auPpm: 11.3 is 11.280 with fewer digits"),
        (
            {"openedAt": Cell("2024-01-01")},
            ProblemKind.CUT,
            "openedAt: 2024-01-01 has no time of day and would become 2024-01-01T00:00:00Z.",
        ),
        ({"openedAt": Cell("2024-01-01 01:23")}, ProblemKind.CUT, "without the seconds. A spreadsheet may"),
        ({"name": Cell("Ore 2")}, None, ""),
        ({"status": Cell("closed")}, None, ""),
        ({"grade": Cell("9.1")}, None, ""),
    ],
)
def test_a_value_that_others_do_not_hold_is_doubted_in_a_sentence(
    values: dict[str, Json | Cell], kind: ProblemKind | None, words: str
) -> None:
    row = compared(values)
    assert row.fields == tuple(values)
    if kind is None:
        assert row.problems == ()
        assert row.state is RowState.READY
        return
    (problem,) = row.problems
    assert problem.kind is kind
    assert problem.text == words if words.endswith((".", "?")) else words in problem.text
    assert problem.field == next(iter(values))
    assert row.state is RowState.DOUBTED


def test_what_the_record_has_already_is_no_change_however_it_is_written() -> None:
    row = compared(
        {"name": Cell("Ore 1"), "grade": Cell("8.420"), "assay.auPpm": N("11.28"), "hazardous": Cell("FALSE")}
    )
    assert row.state is RowState.ALREADY
    assert row.fields == ()
    nothing = compared({"massKg": Cell("0.000", certainty=NumberCertainty.AMBIGUOUS)}, now={**LOT, "massKg": N("0")})
    assert (nothing.state, nothing.problems) == (RowState.ALREADY, ())


def test_null_and_empty_are_values_where_their_words_stand() -> None:
    row = compared({"name": Cell("(empty)", meaning=""), "grade": Cell("(null)", meaning=None)})
    assert row.edits == {"name": "", "grade": None}
    assert row.problems == ()
    assert compared({"note": Cell("(null)", meaning=None)}).state is RowState.ALREADY


@pytest.mark.parametrize(("text", "cell"), [("8,4", "8,4"), ("abc", "")])
def test_a_text_that_is_no_number_stands_in_the_plan_and_tells_if_another_mark_would_make_it_one(
    text: str, cell: str
) -> None:
    row = compared({"grade": Cell(text)})
    assert row.edits == {"grade": text}
    assert [problem.cell for problem in row.problems] == [cell]


def test_each_value_of_another_type_is_told() -> None:
    row = compared({"grade": Cell("abc"), "hazardous": Cell("(empty)", meaning="")})
    assert [problem.field for problem in row.problems] == ["grade", "hazardous"]


def test_a_number_with_either_mark_where_the_record_has_an_empty_text_is_in_doubt_for_both() -> None:
    row = compared({"massKg": Cell("1.972", certainty=NumberCertainty.AMBIGUOUS)}, now={**LOT, "massKg": ""})
    assert [problem.kind for problem in row.problems] == [ProblemKind.DECIMAL, ProblemKind.OTHER_KIND]


def test_a_value_where_the_record_has_none_is_sent_as_it_was_typed() -> None:
    row = compared({"massKg": Cell("13.0"), "openedAt": Cell("20.11.2026")}, now={**LOT, "openedAt": None})
    assert row.edits == {"massKg": N("13.0"), "openedAt": "2026-11-20"}
    assert row.problems == ()


def test_a_record_that_could_not_be_read_leaves_its_row_with_that_problem() -> None:
    problem = RowProblem(ProblemKind.UNKNOWN_RECORD, "lot-1 does not exist.")
    correction = Correction(2, RowAction.DELETE, "lot-1", {})
    row = compare_row(correction, problem, seen())
    assert row == PlanRow(2, RowAction.DELETE, "lot-1", problems=(problem,))


@pytest.mark.parametrize("action", [RowAction.UPDATE, RowAction.DELETE])
@pytest.mark.parametrize("id_name", ["uuid", "id"])
def test_a_row_names_the_field_of_the_id_and_holds_what_it_changes(action: RowAction, id_name: str) -> None:
    now: dict[str, Json] = {id_name: "lot-1", "name": "Ore 1"}
    row = compared({"name": Cell("Ore 2"), "note": "new"}, action=action, now=now)
    assert (row.action, row.id_name, row.problems) == (action, id_name, ())
    deletes = action is RowAction.DELETE
    assert row.base == (now if deletes else {"name": "Ore 1"})
    assert row.edits == ({} if deletes else {"name": "Ore 2", "note": "new"})


def test_a_record_without_a_field_of_the_id_gets_the_usual_one() -> None:
    assert compared({"name": Cell("Ore 2")}, now={"name": "Ore 1"}).record == Record({"id": "lot-1", "name": "Ore 1"})


def test_a_path_into_a_field_that_the_same_row_replaces_has_no_place() -> None:
    values = SeenValues(["assay", "assay.auPpm"])
    values.add(LOT)
    correction = Correction(2, RowAction.UPDATE, "lot-1", {"assay": "none", "assay.auPpm": N("12")})
    row = compare_row(correction, Record(LOT), values)
    assert [problem.kind for problem in row.problems] == [ProblemKind.OTHER_KIND, ProblemKind.NO_ROOM]
    assert row.edits == {"assay": "none"}


def ids(value: Json, others: Json, old: Json | None, *, path: str = "shaftId") -> Json:
    """What becomes of an id that a row gives, where other records hold `others` and this one the `old` value."""
    values = SeenValues([path])
    for _ in range(3):
        values.add({path: others})
    now = None if path == "id" else Record({"id": "lot-1", path: old})
    action = RowAction.UPDATE if now else RowAction.CREATE
    correction = Correction(2, action, "lot-1", {path: Cell(value) if isinstance(value, str) else value})
    row = compare_row(correction, now, values)
    assert row.problems == ()
    return row.edits[path]


def test_an_id_is_a_number_where_the_record_or_else_the_others_have_numbers() -> None:
    assert ids("19", N("17"), None) == N("19")
    assert ids("19", N("17"), "s-1") == "19"
    assert ids("19", "s-1", N("17")) == N("19")
    assert ids("19", N("17"), None, path="id") == N("19")
    assert ids("19", "lot-1", None, path="id") == "19"


def test_an_id_of_a_file_of_json_is_a_text_as_in_other_records() -> None:
    values = SeenValues(["id"])
    values.add(LOT)
    assert compare_row(Correction(2, RowAction.CREATE, "", {"id": "lot-9"}), None, values).problems == ()
    (problem,) = compare_row(Correction(2, RowAction.CREATE, "", {"id": True}), None, values).problems
    assert problem.text == "id: expected an id as in other records, found true or false (true)."


def test_a_path_into_a_field_changes_that_part_alone() -> None:
    row = compared({"assay.auPpm": Cell("12.5")})
    assert row.edits == {"assay": {"auPpm": N("12.5"), "lab": {"name": "Kolwezi"}}}
    assert [(change.name, change.old, change.new) for change in row.changes] == [
        ("assay.auPpm", N("11.280"), N("12.5"))
    ]
    gone = compared({"assay.auPpm": Cell("12.5")}, now={**LOT, "assay": "none"})
    assert [problem.text for problem in gone.problems] == ["assay.auPpm: assay has no auPpm in this record."]
    assert gone.edits == {}
    assert gone.state is RowState.BLOCKED


@pytest.mark.parametrize("nested_first", [False, True])
def test_a_path_leads_where_the_record_itself_has_it(nested_first: bool) -> None:
    flat: dict[str, Json] = {"id": "lot-1", "geo.lat": N("1")}
    nested: dict[str, Json] = {"id": "lot-1", "geo": {"lat": N("1"), "lon": N("2")}}
    values = SeenValues(["geo.lat"])
    for fields in (nested, flat) if nested_first else (flat, nested):
        values.add(fields)
    correction = Correction(2, RowAction.UPDATE, "lot-1", {"geo.lat": Cell("5")})
    assert compare_row(correction, Record(flat), values).edits == {"geo.lat": N("5")}
    assert compare_row(correction, Record(nested), values).edits == {"geo": {"lat": N("5"), "lon": N("2")}}


def test_a_column_that_no_record_has_changes_nothing() -> None:
    assert compared({"colour": Cell("red")}).state is RowState.ALREADY


def test_of_what_was_exported_only_what_the_file_changed_is_sent() -> None:
    now = {**LOT, "name": "Renamed meanwhile"}
    others_alone = compared({"name": Cell("Ore 1"), "grade": Cell("8.42")}, exported=LOT, now=now)
    assert others_alone.state is RowState.ALREADY
    user_alone = compared({"name": Cell("Ore 1"), "grade": Cell("9.1")}, exported=LOT, now=now)
    assert user_alone.edits == {"grade": N("9.1")}
    assert user_alone.problems == ()
    both = compared({"name": Cell("Mine")}, exported=LOT, now=now)
    (problem,) = both.problems
    assert (problem.kind, problem.field) == (ProblemKind.MOVED, "name")
    assert problem.text == 'name: is now "Renamed meanwhile" (changed after the export).'
    unset = {name: value for name, value in LOT.items() if name != "name"}
    (problem,) = compared({"name": Cell("Mine")}, exported=LOT, now=unset).problems
    assert problem.text == "name: is now unset (changed after the export)."
    alike = compared({"name": Cell("Renamed meanwhile")}, exported=LOT, now=now)
    assert alike.state is RowState.ALREADY


def test_null_and_empty_are_told_apart_though_a_version_does_not() -> None:
    assert compared({"note": ""}, exported=LOT).edits == {"note": ""}
    empty: dict[str, Json] = {**LOT, "note": ""}
    assert compared({"note": None}, exported=empty, now=empty).edits == {"note": None}
    for value in (None, ""):
        moved = compared({"note": value}, exported=LOT, now={**LOT, "note": "by others"})
        assert moved.edits == {"note": value}
    words: dict[str, Json] = {**LOT, "name": "(null)"}
    assert compared({"name": Cell("(null)", meaning=None)}, exported=words, now=LOT).edits == {"name": None}


def test_a_text_like_a_number_is_untouched_in_a_table_with_decimal_commas_too() -> None:
    exported: dict[str, Json] = {**LOT, "name": "1.972"}
    now: dict[str, Json] = {**LOT, "name": "Renamed meanwhile"}
    # The second is what a spreadsheet makes of it.
    for text in ("1.972", "1,972"):
        assert compared({"name": Cell(text, decimal_comma=True)}, exported=exported, now=now).state is RowState.ALREADY
    number = compared(
        {"massKg": Cell("1.972", decimal_comma=True)},
        exported={**LOT, "massKg": N("1.972")},
        now={**LOT, "massKg": N("7")},
    )
    assert number.edits == {"massKg": N("1972")}


def test_a_digit_that_no_spreadsheet_keeps_is_a_change_with_and_without_a_version() -> None:
    now: dict[str, Json] = {**LOT, "massKg": N("1234567890123456788")}
    for exported in (None, now):
        typed = compared({"massKg": Cell("1234567890123456789")}, exported=exported, now=now)
        assert typed.edits == {"massKg": N("1234567890123456789")}
        rounded = compared({"massKg": Cell("1234567890123460000")}, exported=exported, now=now)
        assert rounded.state is RowState.ALREADY
        typed = compared({"massKg": N("1234567890123456789")}, exported=exported, now=now)
        assert typed.edits == {"massKg": N("1234567890123456789")}


def test_a_version_that_is_no_version_or_anothers_is_told() -> None:
    known = seen()
    damaged = compare_row(
        Correction(2, RowAction.UPDATE, "lot-1", {"grade": Cell("9")}, "v1:abc:v"), Record(LOT), known
    )
    assert [problem.kind for problem in damaged.problems] == [ProblemKind.VERSION]
    other = compared({"grade": Cell("9")}, exported={**LOT, "id": "lot-2"})
    (problem,) = other.problems
    assert problem.kind is ProblemKind.VERSION
    assert problem.text == "_version belongs to another record. A column may have been sorted separately."


def test_a_deletion_is_of_the_record_as_it_was_exported() -> None:
    as_it_was = compared({}, action=RowAction.DELETE, exported=LOT)
    assert as_it_was.state is RowState.READY
    assert as_it_was.base == LOT
    moved = compared({}, action=RowAction.DELETE, exported=LOT, now={**LOT, "note": "new"})
    assert moved.problems == (RowProblem(ProblemKind.MOVED, "The record was changed after the export."),)
    assert compared({}, action=RowAction.DELETE).problems == ()
    damaged = Correction(2, RowAction.DELETE, "lot-1", {}, "v1:abc:v")
    problems = compare_row(damaged, Record(LOT), seen()).problems
    assert [problem.kind for problem in problems] == [ProblemKind.VERSION]


def test_a_field_that_is_named_as_a_column_of_the_export_does_not_change_the_version() -> None:
    lot: dict[str, Json] = {**LOT, "_version": N("7")}
    # As `export --for-edit` writes it, which leaves such a field out.
    row = compared({}, action=RowAction.DELETE, exported=LOT, now=lot)
    assert row.problems == ()


def test_a_new_record_gets_what_its_row_says() -> None:
    row = compared({"name": Cell("New"), "grade": Cell("007"), "status": Cell("opne")}, action=RowAction.CREATE)
    assert row.edits == {"name": "New", "grade": N("7"), "status": "opne"}
    assert row.label == "New"
    assert [problem.kind for problem in row.problems] == [ProblemKind.NEW_CHOICE]

    plain = compared({"name": Cell("New")}, action=RowAction.CREATE)
    assert plain == PlanRow(2, RowAction.CREATE, label="New", edits={"name": "New"}, fields=("name",))


def test_a_new_record_of_a_row_that_was_exported_and_lost_its_id_is_in_doubt() -> None:
    lost = RowProblem(
        ProblemKind.VERSION, "The row was exported, but its id is missing. Sending it creates a new record."
    )
    assert compared({"name": Cell("New")}, action=RowAction.CREATE, exported=LOT).problems == (lost,)
    assert compared({"colour": Cell("red")}, action=RowAction.CREATE, exported=LOT).problems == (lost,)
    named = compared({"id": Cell("lot-9"), "name": Cell("New")}, action=RowAction.CREATE, exported=LOT)
    assert named.problems == ()


def test_a_new_record_of_no_known_field_is_no_record() -> None:
    row = compared({"baseUrl": Cell("http://127.0.0.1"), "keys": ["a"]}, action=RowAction.CREATE)
    assert row.state is RowState.BLOCKED
    assert [(problem.kind, problem.text) for problem in row.problems] == [
        (ProblemKind.NO_ROOM, "No column of this row matches a known field, so the new record would be empty.")
    ]


@pytest.mark.parametrize(
    ("cell", "mass", "expected"),
    [
        (Cell("1.972"), "1972", ["massKg: “1.972” has the same digits as 1972; the decimal separator may be wrong"]),
        (Cell("1972"), "1.972", ["massKg: “1972” has the same digits as 1.972; the decimal separator may be wrong"]),
        (Cell("1.972", certainty=NumberCertainty.CHOSEN), "1972", []),
        (Cell("1.972"), "1.9", []),
        (Cell("1.972", certainty=NumberCertainty.AMBIGUOUS), "1972", ["massKg: “1.972” is 1972 with a decimal comma"]),
        (Cell("1.500", certainty=NumberCertainty.AMBIGUOUS), "1.5", ["massKg: “1.500” is 1500 with a decimal comma"]),
        (Cell("1.972", certainty=NumberCertainty.AMBIGUOUS), "1.972", []),
        (Cell("1.972", True, certainty=NumberCertainty.AMBIGUOUS), "1972", []),
        (Cell("1.972", True, certainty=NumberCertainty.AMBIGUOUS), "1.972", ["massKg: “1.972” is 1972 with a"]),
    ],
)
def test_a_number_that_the_record_has_a_thousand_times_is_in_doubt(cell: Cell, mass: str, expected: list[str]) -> None:
    row = compared({"massKg": cell}, now={**LOT, "massKg": N(mass)})
    assert len(row.problems) == len(expected)
    for problem, words in zip(row.problems, expected, strict=True):
        assert problem.kind is ProblemKind.DECIMAL
        assert problem.text.startswith(words)
        assert row.state is RowState.DOUBTED
        assert row.edits["massKg"] != N(mass)


def test_what_was_exported_and_is_untouched_is_never_unclear() -> None:
    def exported(text: str, mass: str, *, comma: bool = False) -> PlanRow:
        cell = Cell(text, comma, certainty=NumberCertainty.AMBIGUOUS)
        lot: dict[str, Json] = {**LOT, "massKg": N(mass)}
        return compared({"massKg": cell}, exported=lot, now=lot)

    assert exported("1.972", "1.972").state is RowState.ALREADY
    assert exported("1.972", "1972", comma=True).state is RowState.ALREADY
    assert exported("1.500", "1.5").state is RowState.DOUBTED
    assert exported("1.972", "1.972", comma=True).state is RowState.DOUBTED
    # Others changed it since: the file, in which nobody touched it, does not bring the old value back.
    others: dict[str, Json] = {**LOT, "massKg": N("7")}
    cell = Cell("1.972", certainty=NumberCertainty.AMBIGUOUS)
    assert compared({"massKg": cell}, exported={**LOT, "massKg": N("1.972")}, now=others).state is RowState.ALREADY


def test_an_unclear_number_is_text_where_the_field_holds_texts() -> None:
    row = compared({"name": Cell("1.972", True, certainty=NumberCertainty.AMBIGUOUS)})
    assert (row.edits, row.problems) == ({"name": "1.972"}, ())


def unclear(**now: Json) -> PlanRow:
    """The row of a mass and an assay that are numbers with either mark, and of a name."""
    cell = Cell("1.972", certainty=NumberCertainty.AMBIGUOUS)
    return compared({"massKg": cell, "assay.auPpm": cell, "name": "Ore 2"}, now={**LOT, **now})


def test_a_value_without_a_place_is_no_obstacle_to_editing_another_one() -> None:
    row = unclear(assay="none")
    kinds = [(problem.field, problem.kind) for problem in row.problems]
    no_place = ("assay.auPpm", ProblemKind.NO_ROOM)
    assert kinds == [("massKg", ProblemKind.DECIMAL), ("assay.auPpm", ProblemKind.DECIMAL), no_place]
    known = seen()
    mass = edit_row(row, "massKg", N("3"), known)
    assert mass.edits == {"name": "Ore 2", "massKg": N("3")}
    assay = edit_row(row, "assay.auPpm", N("3"), known)
    assert [(problem.field, problem.kind) for problem in assay.problems] == [kinds[0], no_place]


def test_the_old_value_again_ends_that_others_changed_it_and_another_one_changes_the_same_field() -> None:
    values = SeenValues(["geo.lat"])
    now: dict[str, Json] = {"id": "lot-1", "geo": {"lat": N("1"), "lon": N("3")}}
    values.add(now)
    version = format_version({**now, "geo": {"lat": N("2"), "lon": N("3")}})
    row = compare_row(Correction(2, RowAction.UPDATE, "lot-1", {"geo.lat": N("5")}, version), Record(now), values)
    assert [problem.kind for problem in row.problems] == [ProblemKind.MOVED]
    back = edit_row(row, "geo.lat", N("1"), values)
    assert (back.edits, back.fields, back.problems) == ({}, (), ())
    again = edit_row(back, "geo.lat", N("6"), values)
    assert (again.edits, again.fields) == ({"geo": {"lat": N("6"), "lon": N("3")}}, ("geo.lat",))
