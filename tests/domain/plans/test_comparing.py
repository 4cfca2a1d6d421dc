"""A row of a file beside the record as it is: what changes, and every doubt about it in its words."""

import pytest

from svc_tui.domain.corrections.correction import Cell, Correction, NumberCertainty, RowAction
from svc_tui.domain.corrections.record_version import version_of
from svc_tui.domain.model.jsontext import Json, Number
from svc_tui.domain.model.records import Record
from svc_tui.domain.plans.comparing import RowComparison
from svc_tui.domain.plans.plan import PlanRow, ProblemKind, RowState
from svc_tui.domain.plans.seen_values import SeenValues

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
        values.take(
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
    version = "" if exported is None else version_of(exported)
    record = Record(LOT if now is None else now) if action is not RowAction.CREATE else None
    return RowComparison(seen()).row(Correction(2, action, "lot-1", values, version), record)


def test_a_decimal_mark_makes_no_place_for_a_value_where_the_record_has_none() -> None:
    cell = Cell("1.972", decimal_comma=True, certainty=NumberCertainty.AMBIGUOUS)
    row = compared({"assay.auPpm": cell, "name": "Ore 2"}, now={**LOT, "assay": "none"})
    assert [problem.kind for problem in row.problems] == [ProblemKind.DECIMAL, ProblemKind.NO_ROOM]
    chosen = RowComparison(seen()).edited(row, "assay.auPpm", Cell("1.972", certainty=NumberCertainty.CHOSEN))
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
    assert words in problem.text
    assert problem.field == next(iter(values))
    assert row.state is RowState.DOUBTED


def test_what_the_record_has_already_is_no_change_however_it_is_written() -> None:
    row = compared(
        {"name": Cell("Ore 1"), "grade": Cell("8.420"), "assay.auPpm": N("11.28"), "hazardous": Cell("FALSE")}
    )
    assert row.state is RowState.ALREADY
    assert row.fields == ()


def test_null_and_empty_are_values_where_their_words_stand() -> None:
    row = compared({"name": Cell("(empty)", meaning=""), "grade": Cell("(null)", meaning=None)})
    assert row.edits == {"name": "", "grade": None}
    assert row.problems == ()
    assert compared({"note": Cell("(null)", meaning=None)}).state is RowState.ALREADY


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
        values.take(fields)
    correction = Correction(2, RowAction.UPDATE, "lot-1", {"geo.lat": Cell("5")})
    assert RowComparison(values).row(correction, Record(flat)).edits == {"geo.lat": N("5")}
    assert RowComparison(values).row(correction, Record(nested)).edits == {"geo": {"lat": N("5"), "lon": N("2")}}


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
    alike = compared({"name": Cell("Renamed meanwhile")}, exported=LOT, now=now)
    assert alike.state is RowState.ALREADY


def test_a_version_that_is_no_version_or_anothers_is_told() -> None:
    comparison = RowComparison(seen())
    damaged = comparison.row(Correction(2, RowAction.UPDATE, "lot-1", {"grade": Cell("9")}, "v1:abc:v"), Record(LOT))
    assert [problem.kind for problem in damaged.problems] == [ProblemKind.VERSION]
    other = compared({"grade": Cell("9")}, exported={**LOT, "id": "lot-2"})
    (problem,) = other.problems
    assert problem.text == "_version belongs to another record. A column may have been sorted separately."


def test_a_deletion_is_of_the_record_as_it_was_exported() -> None:
    as_it_was = compared({}, action=RowAction.DELETE, exported=LOT)
    assert as_it_was.state is RowState.READY
    assert as_it_was.base == LOT
    moved = compared({}, action=RowAction.DELETE, exported=LOT, now={**LOT, "note": "new"})
    assert [problem.text for problem in moved.problems] == ["The record was changed after the export."]


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
