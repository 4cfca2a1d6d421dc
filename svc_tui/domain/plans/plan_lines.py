"""A plan as lines of a table: one for each field that a row changes, with what stands against it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from svc_tui.domain.collections.columns import Column
from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.data.folded_text import fold
from svc_tui.domain.data.kinds import Kind
from svc_tui.domain.editing.draft import FieldChange, json_or_unset
from svc_tui.domain.model.jsontext import Json, dumps, number
from svc_tui.domain.model.records import Record
from svc_tui.domain.model.sentences import capitalize_first
from svc_tui.domain.plans.plan import Plan, PlanRow, RowProblem, RowState

COLUMNS = (
    Column("send", Kind.TEXT, 0),
    Column("row", Kind.NUMBER, 0, right=True, role="muted"),
    Column("record", Kind.TEXT, 0),
    Column("name", Kind.TEXT, 0, role="muted"),
    Column("field", Kind.TEXT, 0),
    Column("old", Kind.TEXT, 0, role="muted"),
    Column("new", Kind.TEXT, 0, role="changed"),
    Column("problem", Kind.TEXT, 0, role="warning"),
)
"""The columns of a table of them, as wide as their names."""

_SHARING = ("problem", "new", "old", "name")
"""The columns that share what room the others leave; the first ones get what is left of it first."""

_MIN_CELLS = 8
"""How narrow these get at least."""

MARKS = {
    RowState.READY: "✓",
    RowState.ALREADY: "=",
    RowState.SKIPPED: "·",
    RowState.DOUBTED: "?",
    RowState.BLOCKED: "✕",
}
"""What stands for the state of a row, where a word or a sentence beside it says it too."""


@dataclass(frozen=True, slots=True)
class PlanLine:
    """One line: a row of the plan, and the field of it that the line is about; None: it is about the record.

    `is_first` tells the first line of a row.
    """

    row: PlanRow
    change: FieldChange | None = None
    is_first: bool = True

    @property
    def problems(self) -> tuple[RowProblem, ...]:
        """What stands against the field; on the first line of a row also what stands against fields without a line."""
        path = "" if self.change is None else self.change.name
        listed = self.row.fields if self.change is not None else ()
        return tuple(p for p in self.row.problems if p.field == path or (self.is_first and p.field not in listed))

    @property
    def against(self) -> str:
        """What stands against it, or why it is not sent; "" where nothing does."""
        told = [p.text for p in self.row.problems if p.field == "" or p in self.problems]
        if told:
            return " ".join(told)
        return "" if self.row.state is RowState.READY else self._state_words

    @property
    def _state_words(self) -> str:
        """The state of the row, or which of its other fields have a problem."""
        if self.row.state in (RowState.DOUBTED, RowState.BLOCKED) and self.row.problems:
            return f"see {', '.join(dict.fromkeys(problem.field for problem in self.row.problems))}"
        return self.row.state.value

    @property
    def _problem_cell(self) -> str:
        """The problem without the name of its field, which has a column of its own, or the state."""
        text = self.against.removeprefix(f"{self.what}: ")
        # A text that begins with the id of a record keeps its case.
        is_words = text == self._state_words or (self.what and text != self.against)
        return capitalize_first(text) if is_words else text

    @property
    def what(self) -> str:
        """The field, or what becomes of the record as a whole."""
        if self.change is not None:
            return self.change.name
        return "" if self.row.action is RowAction.UPDATE else self.row.action.value

    @property
    def old(self) -> str:
        """The old value as JSON, "" where there is none."""
        return "" if self.change is None else json_or_unset(self.change.old)

    @property
    def new(self) -> str:
        """The new value as JSON, "" where there is none."""
        return "" if self.change is None else dumps(self.change.new)

    @property
    def cells(self) -> Record:
        """The line by the names of `COLUMNS`."""
        texts: dict[str, Json] = {
            "send": MARKS[self.row.state],
            "row": number(self.row.number),
            "record": self.row.record_id or "new",
            "field": self.what,
            "problem": self._problem_cell,
        }
        if self.row.label:
            texts["name"] = self.row.label
        if self.change is not None:
            texts.update(old=self.old, new=self.new)
        # An empty text would be shown as one.
        return Record({name: text for name, text in texts.items() if text != ""})

    def holds(self, words: Sequence[str]) -> bool:
        """Whether each of the folded words stands somewhere in it."""
        row = self.row
        parts = (row.record_id, row.label, self.what, self.old, self.new, self.against, row.state.value)
        text = fold("\n".join(parts))
        return all(word in text for word in words)


def row_lines(row: PlanRow) -> Iterator[PlanLine]:
    """The lines of one row: one where no field changes, or the whole record does."""
    changes = () if row.action is RowAction.DELETE else row.changes
    for at, change in enumerate(changes):
        yield PlanLine(row, change, at == 0)
    if not changes:
        yield PlanLine(row)


def plan_lines(plan: Plan, text: str = "") -> list[PlanLine]:
    """The lines of a plan in which all words of `text` stand, whatever their case and accents."""
    words = fold(text).split()
    return [line for row in plan.rows for line in row_lines(row) if not words or line.holds(words)]


def share_room(
    columns: Sequence[Column], widths: Mapping[str, Sequence[int]], cells: int, gap: int
) -> tuple[Column, ...]:
    """The columns in so many cells, `gap` between them; `widths` are those of their cells, as many as were looked at.

    Each column of longer texts is as wide as most of its cells need, so that a single long one takes no room from
    the others; then it has all that its longest needs, as far as there is room.
    """
    room = cells - gap * (len(columns) - 1) - sum(column.width for column in columns if column.name not in _SHARING)
    needs = {column.name: sorted(widths.get(column.name, ())) for column in columns if column.name in _SHARING}
    heads = {name: len(name) + 1 for name in needs}
    shares = {name: max([heads[name], *need[: _most(need)][-1:]]) for name, need in needs.items()}
    while sum(shares.values()) > room:
        giving = [name for name, width in shares.items() if width > _MIN_CELLS]
        if not giving:
            break
        # A sentence that is cut says less than a value that is.
        widest = max(giving, key=lambda name: shares[name] * (0.6 if name == "problem" else 1))
        shares[widest] -= 1
    left = room - sum(shares.values())
    for name in _SHARING:
        if name in shares and left > 0:
            more = min(left, max([0, *(width - shares[name] for width in needs[name][-1:])]))
            shares[name], left = shares[name] + more, left - more
    return tuple(replace(column, width=shares.get(column.name, column.width)) for column in columns)


def _most(widths: Sequence[int]) -> int:
    """How many of the widths are most of them: four in five."""
    return -(-len(widths) * 4 // 5)


def counts_words(plan: Plan) -> str:
    """How many rows are to be sent and how many not, and why: `330 to be sent · 6 already so · 3 in doubt`."""
    counts = plan.counts
    return " · ".join(f"{counts[state]:,} {state.value}" for state in RowState if counts[state]) or "no rows"
