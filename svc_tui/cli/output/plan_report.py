"""A plan on stdout: as a table with its totals for people, and as a document for a script."""

from collections import Counter
from collections.abc import Iterator

from svc_tui.cli.output.rows import Row, TextTable
from svc_tui.cli.output.stdout import ReaderGone, print_line
from svc_tui.cli.output.visible import visible
from svc_tui.core.jsontext import Absent, Json, dumps, number
from svc_tui.plans.plan_view import group_changes
from svc_tui.storage.plan import Plan, PlanRow, RowAction, RowState

_MAX_VALUE = 40
"""Characters of a value in the table."""

_MAX_KINDS = 30
"""Kinds of changes that are listed one by one."""

_SINGULARS = {"new records": "new record", "deletions": "deletion"}
"""Titles of kinds that are a plural, for one row."""

_COLUMNS = ("row", "record", "name", "field", "change", "problem")
_ROWS_AT_ONCE = 500


def print_table(plan: Plan) -> None:
    """The rows that change something or that something stands against, then the totals; raises CommandFailure."""
    table = TextTable(_COLUMNS, shortened="name")
    lines = [line for row in plan.rows for line in _lines(row)]
    try:
        for at in range(0, len(lines), _ROWS_AT_ONCE):
            table.add(lines[at : at + _ROWS_AT_ONCE])
        table.finish()
        if lines:
            print_line("")
        for total in _totals(plan):
            print_line(visible(total))
    except ReaderGone:
        # Whoever read it has seen enough.
        return


def json_report(plan: Plan) -> str:
    """The plan as one JSON object."""
    counts: dict[str, Json] = {state.name.casefold(): number(plan.counts[state]) for state in RowState}
    kinds: list[Json] = [
        {"kind": group.title, "rows": number(len(group.numbers))} for group in group_changes(plan.ready)
    ]
    return dumps(
        {
            "collection": plan.collection.key,
            "made": plan.made.isoformat(),
            "source": None if plan.source is None else plan.source.name,
            "counts": counts,
            "problems": number(len(plan.problems)),
            "kinds": kinds,
            "notices": [*plan.notices, *plan.warnings],
            "rows": [_document(row) for row in plan.rows],
        },
        indent=2,
    )


def _lines(row: PlanRow) -> Iterator[Row]:
    """The lines of a row: one for each field that changes; none where it is so already and nothing is against it."""
    if row.state is RowState.ALREADY and not row.problems:
        return
    whole = " ".join(problem.text for problem in row.problems if problem.field not in row.fields)
    if row.state is RowState.SKIPPED or row.skipped:
        whole = f"{RowState.SKIPPED.value}: {whole}" if whole else RowState.SKIPPED.value
    known: Row = {
        "row": number(row.number),
        "record": row.record_id or "(new)",
        "name": row.label if row.label != row.record_id else "",
    }
    if row.action is RowAction.DELETE:
        yield {**known, "field": "", "change": "delete", "problem": whole}
        return
    changes = row.changes
    if not changes:
        yield {**known, "field": "", "change": "", "problem": whole}
    for at, change in enumerate(changes):
        old, words = _value(change.old), " ".join(p.text for p in row.problems if p.field == change.name)
        yield {
            **known,
            "field": change.name,
            "change": _value(change.new) if row.action is RowAction.CREATE else f"{old} → {_value(change.new)}",
            "problem": " ".join(filter(None, (whole if at == 0 else "", words))),
        }


def _totals(plan: Plan) -> Iterator[str]:
    """What there is of each kind, a line each."""
    kinds = group_changes(plan.ready)
    for kind in kinds[:_MAX_KINDS]:
        count = len(kind.numbers)
        yield f"{count:>9,}  {_SINGULARS.get(kind.title, kind.title) if count == 1 else kind.title}"
    if rest := kinds[_MAX_KINDS:]:
        yield f"{sum(len(kind.numbers) for kind in rest):>9,}  other changes ({len(rest)} kinds)"
    if kinds:
        yield ""
    for state in RowState:
        if count := plan.counts[state]:
            yield f"{count:>9,}  {_rows(count)} {state.value}{_why(plan, state)}"
    if not plan.rows:
        yield "no rows"


def _why(plan: Plan, state: RowState) -> str:
    words = Counter(
        word
        for row in plan.rows
        if row.state is state and state is not RowState.READY
        for word in dict.fromkeys(problem.kind.value for problem in row.problems)
    )
    return f": {', '.join(f'{word} {count:,}' for word, count in words.most_common())}" if words else ""


def _rows(count: int) -> str:
    return "row" if count == 1 else "rows"


def _value(value: Json | Absent) -> str:
    if isinstance(value, Absent):
        return "(unset)"
    text = dumps(value)
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…"


def _document(row: PlanRow) -> dict[str, Json]:
    changes: list[Json] = []
    for change in row.changes if row.action is not RowAction.DELETE else ():
        # What the record does not have is left out, not null.
        old: dict[str, Json] = {} if isinstance(change.old, Absent) else {"old": change.old}
        changes.append({"field": change.name, **old, "new": change.new})
    return {
        "row": number(row.number),
        "action": row.action.value,
        "id": row.record_id or None,
        "name": row.label,
        "state": row.state.name.casefold(),
        "changes": changes,
        "problems": [
            {"kind": problem.kind.name.casefold(), "field": problem.field, "text": problem.text}
            for problem in row.problems
        ],
    }
