"""A plan as lines: one for each field, with what stands against it, found again by words."""

from datetime import UTC, datetime

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.plans.plan_view import COLUMNS, format_counts, plan_lines, share_room
from svc_tui.storage.plan import Plan, PlanRow, ProblemKind, RowAction, RowProblem

ROWS = (
    PlanRow(
        2,
        record_id="lot-1",
        label="Ore [/x]",
        base={"name": "a", "status": "open"},
        edits={"name": "b", "status": "clsoed"},
        fields=("name", "status"),
        problems=(RowProblem(ProblemKind.NEW_CHOICE, 'status: unknown value "clsoed".', "status"),),
    ),
    PlanRow(3, record_id="lot-2"),
    PlanRow(4, RowAction.CREATE, edits={"name": "n"}, fields=("name",), label="n"),
    PlanRow(5, RowAction.DELETE, "lot-5", base={"name": "z"}),
    PlanRow(
        6, record_id="lot-9", label="Doré", problems=(RowProblem(ProblemKind.UNKNOWN_RECORD, "There is no lot-9."),)
    ),
)
PLAN = Plan("p", COLLECTIONS[0], ROWS, datetime(2026, 1, 1, tzinfo=UTC))


def test_there_is_a_line_for_each_field_or_for_the_record() -> None:
    lines = plan_lines(PLAN)
    assert [(line.row.number, line.subject, line.old, line.new) for line in lines] == [
        (2, "name", '"a"', '"b"'),
        (2, "status", '"open"', '"clsoed"'),
        (3, "", "", ""),
        (4, "name", "not set", '"n"'),
        (5, "delete", "", ""),
        (6, "", "", ""),
    ]
    assert [line.problem_text for line in lines] == [
        "see status",
        'status: unknown value "clsoed".',
        "unchanged",
        "",
        "",
        "There is no lot-9.",
    ]
    assert [line.cells.fields["send"] for line in lines] == ["?", "?", "=", "✓", "✓", "✕"]
    assert lines[3].cells.fields["record"] == "new"
    assert [line.cells.fields.get("remark") for line in lines[:3]] == [
        "See status",
        'Unknown value "clsoed".',
        "Unchanged",
    ]


def test_all_words_are_sought_in_any_case_and_with_or_without_accents_in_whatever_a_line_says() -> None:
    assert [line.subject for line in plan_lines(PLAN, "CLSOED unknown")] == ["status"]
    assert [line.row.number for line in plan_lines(PLAN, "unchanged")] == [3]
    assert [line.row.number for line in plan_lines(PLAN, "delete")] == [5]
    assert [line.row.number for line in plan_lines(PLAN, "dore")] == [6]
    assert plan_lines(PLAN, "lot-1 nothing") == []


def test_the_totals_name_every_state_that_there_is() -> None:
    assert format_counts(PLAN) == "2 to send · 1 unchanged · 1 to check · 1 can't be sent"
    assert format_counts(Plan("p", COLLECTIONS[0], (), PLAN.made)) == "no rows"


WIDTHS = {"old": [12, 12, 12, 12, 60], "new": [10, 10, 10, 10, 10], "remark": [50, 40], "name": [14] * 5}
SHARING = tuple(column for column in COLUMNS if column.name != "row")


def shares(cells: int) -> dict[str, int]:
    """How wide each column is in so many cells."""
    return {column.name: column.width for column in share_room(SHARING, WIDTHS, cells, 2)}


def test_a_single_long_value_takes_no_room_from_what_stands_against_a_row() -> None:
    wide = shares(90)
    assert (wide["old"], wide["new"], wide["name"]) == (12, 10, 14)
    assert wide["remark"] > 40


def test_where_there_is_room_nothing_is_cut_and_where_there_is_none_all_give_way() -> None:
    assert shares(300) == {**shares(300), "old": 60, "new": 10, "remark": 50, "name": 14}
    assert sum(shares(70).values()) + 2 * (len(SHARING) - 1) == 70
    assert set(shares(10)) == {column.name for column in SHARING}
    assert min(shares(10)[name] for name in WIDTHS) >= 8
