"""Views of a plan: lines of a table, one for each field that a row changes, and groups of changes that are alike."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from svc_tui.core.draft import FieldChange, json_or_unset
from svc_tui.core.folded_text import fold
from svc_tui.core.jsontext import Absent, Json, dumps, number, same_json
from svc_tui.core.kinds import Kind
from svc_tui.core.phrases import capitalize_first
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.plans.cell_text import parse_moment
from svc_tui.records.columns import Column
from svc_tui.storage.plan import Plan, PlanRow, RowAction, RowProblem, RowState

COLUMNS = (
    Column("send", Kind.TEXT, 0),
    Column("row", Kind.NUMBER, 0, role="muted"),
    Column("record", Kind.TEXT, 0),
    Column("name", Kind.TEXT, 0, role="muted"),
    Column("field", Kind.TEXT, 0),
    Column("old", Kind.TEXT, 0, role="muted"),
    Column("new", Kind.TEXT, 0, role="changed"),
    Column("remark", Kind.TEXT, 0, role="warning"),
)
"""The columns of the table, as wide as their names."""

_SHARING = ("remark", "new", "old", "name")
"""The columns that share the rest of the width; what none of them needs goes to the first ones."""

_MIN_CELLS = 8
"""The least width of these."""

MARKS = {
    RowState.READY: "✓",
    RowState.ALREADY: "=",
    RowState.SKIPPED: "·",
    RowState.DOUBTED: "?",
    RowState.BLOCKED: "✕",
}
"""The marks of the states; a word or a sentence beside a mark says it too."""


class PlanLine(Struct, frozen=True):
    """One line: a row of the plan and one change in it, None for a line about the whole record.

    `is_first` marks the first line of a row.
    """

    row: PlanRow
    change: FieldChange | None = None
    is_first: bool = True

    @property
    def problems(self) -> tuple[RowProblem, ...]:
        """The problems of the field; on the first line of a row also those of fields without a line."""
        path = "" if self.change is None else self.change.name
        listed = self.row.fields if self.change is not None else ()
        return tuple(p for p in self.row.problems if p.field == path or (self.is_first and p.field not in listed))

    @property
    def problem_text(self) -> str:
        """The problems of the line, or the reason why it is not sent; "" for a line without either."""
        if texts := [p.text for p in self.row.problems if p.field == "" or p in self.problems]:
            return " ".join(texts)
        return "" if self.row.state is RowState.READY else self._state_words

    @property
    def _state_words(self) -> str:
        """The state of the row, or which of its other fields have a problem."""
        if self.row.state in (RowState.DOUBTED, RowState.BLOCKED) and self.row.problems:
            return f"see {', '.join(dict.fromkeys(problem.field for problem in self.row.problems))}"
        return self.row.state.value

    @property
    def _remark(self) -> str:
        """The problem without the name of its field, which has its own column, or the state, if it has none."""
        text = self.problem_text.removeprefix(f"{self.subject}: ")
        # A text that begins with the id of a record keeps its case.
        is_words = text == self._state_words or (self.subject and text != self.problem_text)
        return capitalize_first(text) if is_words else text

    @property
    def subject(self) -> str:
        """The field, or the action on the record as a whole."""
        if self.change is not None:
            return self.change.name
        return "" if self.row.action is RowAction.UPDATE else self.row.action.value

    @property
    def old(self) -> str:
        """The old value as JSON, "" for a line about the record."""
        return "" if self.change is None else json_or_unset(self.change.old)

    @property
    def new(self) -> str:
        """The new value as JSON, "" for a line about the record, or about a field that has the value already."""
        return "" if self.change is None or self.row.state is RowState.ALREADY else dumps(self.change.new)

    @property
    def cells(self) -> Record:
        """The texts of the line by the names of `COLUMNS`."""
        texts: dict[str, Json] = {
            "send": MARKS[self.row.state],
            "row": number(self.row.number),
            "record": self.row.record_id or "new",
            "field": self.subject,
            "remark": self._remark,
        }
        if self.row.label:
            texts["name"] = self.row.label
        if self.change is not None:
            texts.update(old=self.old, new=self.new)
        # An empty text would be shown as one.
        return Record({name: text for name, text in texts.items() if text != ""})

    def holds(self, words: Sequence[str]) -> bool:
        """Return True if each of the folded words is somewhere in the line."""
        row = self.row
        parts = (row.record_id, row.label, self.subject, self.old, self.new, self.problem_text, row.state.value)
        text = fold("\n".join(parts))
        return all(word in text for word in words)


def row_lines(row: PlanRow) -> Iterator[PlanLine]:
    """Return the lines of one row: a single one if no field changes, or the record is deleted."""
    changes = () if row.action is RowAction.DELETE else row.changes or row.unchanged
    for at, change in enumerate(changes):
        yield PlanLine(row, change, at == 0)
    if not changes:
        yield PlanLine(row)


def plan_lines(plan: Plan, text: str = "") -> list[PlanLine]:
    """Return the lines of a plan that contain all words of `text`, in any case and with any accents."""
    words = fold(text).split()
    return [line for row in plan.rows for line in row_lines(row) if not words or line.holds(words)]


def share_room(
    columns: Sequence[Column], widths: Mapping[str, Sequence[int]], cells: int, gap: int
) -> tuple[Column, ...]:
    """Return the columns with widths that fill `cells`, `gap` between them; `widths` are those of a sample of texts.

    Each column of longer texts is as wide as most of its texts need, so that a single long one takes no width from the
    others. The rest goes to columns whose longest text needs more.
    """
    room = cells - gap * (len(columns) - 1) - sum(column.width for column in columns if column.name not in _SHARING)
    needs = {column.name: sorted(widths.get(column.name, ())) for column in columns if column.name in _SHARING}
    heads = {name: len(name) + 1 for name in needs}
    shares = {name: max([heads[name], *need[: _most(need)][-1:]]) for name, need in needs.items()}
    while sum(shares.values()) > room:
        giving = [name for name, width in shares.items() if width > _MIN_CELLS]
        if not giving:
            break
        # Of a cut value, users can read more than of a cut sentence.
        widest = max(giving, key=lambda name: shares[name] * (0.6 if name == "remark" else 1))
        shares[widest] -= 1
    left = room - sum(shares.values())
    for name in _SHARING:
        if name in shares and left > 0:
            more = min(left, max([0, *(width - shares[name] for width in needs[name][-1:])]))
            shares[name], left = shares[name] + more, left - more
    return tuple(replace(column, width=shares.get(column.name, column.width)) for column in columns)


def _most(widths: Sequence[int]) -> int:
    """Return four in five of the number of widths, rounded up."""
    return -(-len(widths) * 4 // 5)


def format_counts(plan: Plan) -> str:
    """Format the number of rows in each state: `330 to send · 6 unchanged · 3 to check`."""
    counts = plan.counts
    return " · ".join(f"{counts[state]:,} {state.value}" for state in RowState if counts[state]) or "no rows"


_MAX_PAIRS = 5
"""Pairs of old and new value that are listed for a field; a field with more of them has one group for all."""

_SHOWN_CHARACTERS = 30
"""Characters of a value in the title of a group."""


class ChangeGroup(Struct, frozen=True):
    """Changes that are alike: `title` says which, such as `grade: "A" → "B"`; `numbers` are those of their rows."""

    title: str
    numbers: tuple[int, ...]


def group_changes(rows: Iterable[PlanRow]) -> tuple[ChangeGroup, ...]:
    """Group the changes of the rows that are alike, the largest group first, to look over thousands of them."""
    numbers: dict[str, list[int]] = defaultdict(list)
    by_field: dict[str, list[tuple[int, FieldChange]]] = defaultdict(list)
    for row in rows:
        match row.action:
            case RowAction.CREATE:
                numbers["new records"].append(row.number)
            case RowAction.DELETE:
                numbers["deletions"].append(row.number)
            case RowAction.UPDATE:
                for change in row.changes:
                    by_field[change.name].append((row.number, change))
    for name, changes in by_field.items():
        titles = [_describe_change(change) for _, change in changes]
        pairs = {_format_pair(change) for (_, change), title in zip(changes, titles, strict=True) if not title}
        for (row_number, change), title in zip(changes, titles, strict=True):
            title = title or (_format_pair(change) if len(pairs) <= _MAX_PAIRS else "other values")
            numbers[f"{name}: {title}"].append(row_number)
    groups = (ChangeGroup(title, tuple(of_title)) for title, of_title in numbers.items())
    return tuple(sorted(groups, key=lambda group: -len(group.numbers)))


def _describe_change(change: FieldChange) -> str:
    """Return what happens to a value if that needs neither of the two values, else ""."""
    old, new = change.old, change.new
    if new is None or new == "":
        return "emptied"
    if isinstance(old, Absent) or old is None or old == "":
        return "filled in"
    if isinstance(old, str) and isinstance(new, str):
        moment = parse_moment(old)
        if moment is not None and moment == parse_moment(new):
            return "same time, written differently"
        if old.split() == new.split() or old.casefold().split() == new.casefold().split():
            return "same text, different spaces or upper/lower case"
        return ""
    return "same value, written differently" if same_json(old, new) else ""


def _format_pair(change: FieldChange) -> str:
    old = "unset" if isinstance(change.old, Absent) else _shorten(dumps(change.old))
    return f"{old} → {_shorten(dumps(change.new))}"


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"
