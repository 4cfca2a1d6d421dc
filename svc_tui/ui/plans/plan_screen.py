"""A plan over the whole screen: what is to become of each record, what stands against it, and what is left out."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Input, Static
from textual.worker import Worker

from svc_tui.core.phrases import capitalize_first, counted
from svc_tui.core.values import replace
from svc_tui.plans.plan_view import COLUMNS, PlanLine, format_counts, plan_lines, share_room
from svc_tui.plans.planning import with_row_decided
from svc_tui.records.columns import Column, widen
from svc_tui.records.rows import HeldRows
from svc_tui.storage.plan import Plan, PlanRow, ProblemKind, RowState
from svc_tui.ui.dialogs.dialog import DialogButton, DialogFrame, TitleText
from svc_tui.ui.sending.request_card import TicketDialog
from svc_tui.ui.text import measure, styled, visible
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.ui.widgets.inputs.ticket_input import TicketInput
from svc_tui.ui.widgets.table.column_geometry import GAP_CELLS
from svc_tui.ui.widgets.table.record_table import RecordTable

_BESIDE_TABLE = 5
"""Cells beside the columns: the border and padding of the frame, and the scroll bar."""

_NAME_CELLS = 100
"""The width of the screen from which names of records have room."""

_SAMPLE_LINES = 500
"""Lines that tell how wide the columns are."""

_COMPARING = "checking the edit"


@dataclass(frozen=True, slots=True)
class PlanHelp:
    """What a screen over a plan leaves to others.

    `seen` gives a row as it may be seen. `card` shows one whole; `edit` has a person change the value of a line, and
    `choose_decimal_mark` say how the numbers of its column are written: both give the plan as it is then. `add_field`
    gives the plan with one more field changed, None where there is none to add. `confirm` says whether the plan may be
    sent, once all was asked; `lock` unlocks LIVE, or locks it.
    `title` is that of the screen over a plan.
    """

    title: Callable[[Plan], TitleText]
    seen: Callable[[PlanRow], PlanRow]
    card: Callable[[PlanRow], Awaitable[None]]
    edit: Callable[[Plan, PlanLine], Awaitable[Plan]]
    choose_decimal_mark: Callable[[Plan, PlanLine], Awaitable[Plan]]
    confirm: Callable[[Plan], Awaitable[bool]]
    lock: Callable[[], Awaitable[None]]
    add_field: Callable[[Plan], Awaitable[Plan]] | None = None


class _PlanTable(RecordTable):
    """The table of a plan's lines. Its bound keys act here and go no further: `key_pressed` is called before each."""

    def __init__(self, zone: tzinfo, key_pressed: Callable[[], None]) -> None:
        super().__init__(zone)
        self._key_pressed = key_pressed

    @on(events.Key)
    def _announce_key(self) -> None:
        self._key_pressed()


class PlanScreen(TicketDialog[Plan]):
    """Gives the plan as it was agreed to, with its ticket; None where it was not."""

    TOUR_NAME = OpenDialog.PLAN

    DEFAULT_CSS = """
    PlanScreen > #dialog { width: 100%; height: 100%; overflow-y: hidden; }
    PlanScreen RecordTable { height: 1fr; background: $role-surface; }
    PlanScreen .note { color: $role-muted; height: auto; max-height: 4; }
    PlanScreen #counts { height: 1; }
    PlanScreen #against { color: $role-warning; height: 2; }
    PlanScreen #filter { display: none; }
    PlanScreen #filter.-open { display: block; }
    PlanScreen .buttons { margin-top: 0; }
    """

    AUTO_FOCUS = "RecordTable"
    LINE_KEYS = {**TicketDialog.LINE_KEYS, "filter": "enter done · esc clear filter"}

    BINDINGS = [
        Binding("space", "skip", "Skip", id="plan.skip",
                tooltip="Skip or include this row"),
        Binding("A", "take_doubts", "Include rows marked ?", show=False, id="plan.doubts",
                tooltip="Include or skip all rows that need a check and can be sent"),
        Binding("n", "next_problem(1)", "Next problem", show=False, id="plan.problem",
                tooltip="Go to the next problem"),
        Binding("N", "next_problem(-1)", "Previous problem", show=False, id="plan.problem_before",
                tooltip="Go to the previous problem"),
        Binding("e", "edit", "Edit", id="plan.edit", tooltip="Edit the new value"),
        Binding("d", "decimal", "Decimal separator", show=False, id="plan.decimal",
                tooltip="Choose the decimal separator of this column: comma or point"),
        Binding("f", "add_field", "Add field", id="plan.field",
                tooltip="Change one more field of these records"),
        Binding("slash", "filter", "Filter", id="plan.filter", tooltip="Filter the rows"),
        Binding("y", "send", "Send", id="plan.send", tooltip="Send the changes one by one"),
        Binding("t", "ticket", "Ticket", id="plan.ticket",
                tooltip="Add the ticket"),
        Binding("w", "lock", "Unlock or lock", show=False, id="plan.lock",
                tooltip="Unlock or lock LIVE"),
    ]  # fmt: skip

    table = query_one(RecordTable)

    def __init__(
        self, plan: Plan, plan_help: PlanHelp, ticket_line: TicketInput, zone: tzinfo, *, danger: bool = False
    ) -> None:
        """Make it over the rows of a plan that are not sent yet; times are shown in `zone`."""
        super().__init__()
        self.plan, self._help, self.ticket_line = plan, plan_help, ticket_line
        self._zone, self._danger = zone, danger
        self._text = ""
        self._lines: Sequence[PlanLine] = ()
        self._columns: tuple[Column, ...] = COLUMNS
        self._widths: Mapping[str, Sequence[int]] = {}
        """How wide the cells of each column are."""
        self._work: Worker[None] | None = None
        """The edit or the sending of the plan that began last."""

    def compose(self) -> ComposeResult:
        """The table, what is to be known of it, the ticket, two buttons."""
        with DialogFrame(self._help.title(self.plan), "", danger=self._danger):
            yield _PlanTable(self._zone, self._show_keys_again)
            yield Static("", id="against", markup=False)
            yield Static("", classes="note", markup=False)
            yield Static("", id="counts", markup=False)
            yield TextInput(id="filter", placeholder="record, field, value or remark")
            yield self.ticket_line
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Cancel", "cancel", button_id="back")
                yield DialogButton("", "send", button_id="send")

    def on_mount(self) -> None:
        """Show the lines, the cursor on the first."""
        self._make_lines()
        self.table.show(self._rows, self._fitted)
        self._show_counts()

    def on_resize(self, event: events.Resize) -> None:
        """Give names, values and problems the room that there is."""
        self.table.show_columns(self._fitted)
        self._show_keys()

    def on_screen_resume(self) -> None:
        """Say what goes on here after an editor was closed."""
        self._is_busy()

    def mask_toggled(self, on: bool) -> None:
        """Make everything anew as it may be seen now: nothing that was made before stays in view."""
        self._show_lines()

    def _show_keys(self) -> None:
        """Name the keys that matter most here, and show what was said."""
        self.query_one("#dialog").border_subtitle = self.said_below
        self.show_choice()

    @property
    def usual_keys(self) -> str:
        """What the line of keys names while the focus is in the table."""
        keys = ["space skip", "e edit", "/ filter"]
        if any(row.problems for row in self.plan.rows):
            unclear = any(problem.cell for row in self.plan.rows for problem in row.problems)
            keys += ["n next problem", *(["d decimal separator"] if unclear else []), "A include rows marked ?"]
        if self._help.add_field is not None:
            keys.append("f add field")
        keys.append("enter details")
        return " · ".join((*keys, "? all keys"))

    @on(events.Key)
    def _show_keys_again(self) -> None:
        """Clear what was said, before the action of the next key, which may say something else."""
        if self.said_below:
            self.said_below = ""
            self._show_keys()

    @property
    def _rows(self) -> HeldRows:
        return HeldRows(len(self._lines), lambda at: _seen_line(self._lines[at], self._help.seen).cells)

    @property
    def _fitted(self) -> tuple[Column, ...]:
        columns = self._columns
        if self.size.width < _NAME_CELLS:
            # What stands against a row is worth more than what its record is called.
            columns = tuple(column for column in columns if column.name != "name")
        return share_room(columns, self._widths, self.size.width - _BESIDE_TABLE, GAP_CELLS)

    def _make_lines(self) -> None:
        self._lines = plan_lines(self.plan, self._text)
        sample = [_seen_line(line, self._help.seen).cells for line in self._lines[:_SAMPLE_LINES]]
        filled = {name for cells in sample for name in cells.fields}
        if self.plan.source is None:
            # Numbers of rows are those of a file.
            filled.discard("row")
        shown = [column for column in COLUMNS if column.name in filled or column.name in ("send", "record", "remark")]
        self._widths = {
            column.name: [
                measure(visible(str(cells.fields[column.name]))) for cells in sample if column.name in cells.fields
            ]
            for column in shown
        }
        columns = widen(shown, sample, lambda text: measure(visible(text)))[: len(shown)]
        self._columns = tuple(replace(column, width=max(column.width, len(column.name) + 1)) for column in columns)

    def _show_lines(self) -> None:
        """Show the lines anew, the cursor on its row as far as that is still listed."""
        row = self._line_at_cursor
        column = self.table.cursor_column
        self._make_lines()
        at = next((at for at, line in enumerate(self._lines) if row is not None and _same_line(line, row)), 0)
        self.table.show_rows(self._rows, at)
        self.table.show_columns(self._fitted)
        self.table.cursor_column = column
        self._show_counts()

    def _show_counts(self) -> None:
        lines = (
            f"{len(self._lines):,} {'row matches' if len(self._lines) == 1 else 'rows match'} “{self._text}” · "
            if self._text
            else ""
        )
        self.query_one("#counts", Static).update(visible(f"{lines}{format_counts(self.plan)}"))
        self.query_one(".note", Static).update(_notices(self.plan))
        self.query_one(DialogFrame).set_title(self._help.title(self.plan))
        self.query_one("#send", DialogButton).relabel(f"y Send {len(self.plan.ready):,}")
        self._show_keys()

    @property
    def _line_at_cursor(self) -> PlanLine | None:
        at = self.table.cursor_row
        return self._lines[at] if at < len(self._lines) else None

    def _take(self, plan: Plan) -> None:
        """Take a plan in which rows were decided about; all lines stay where they are."""
        self.plan = plan
        rows = {row.number: row for row in plan.rows}
        self._lines = [
            line if (row := rows[line.row.number]) is line.row else replace(line, row=row) for line in self._lines
        ]
        self.table.rows_changed(None)
        self._show_counts()

    def _begin(self, work: Coroutine[None, None, None], words: str) -> None:
        self._work = self.run_worker(work, name=words)

    def _is_busy(self) -> bool:
        """Return whether the plan is being edited or sent, and say so.

        A decision made meanwhile would be lost: an edit that reads the service ends with a plan of its own.
        """
        if self._work is None or self._work.is_finished:
            return False
        self._say_below(f"not changed: still {self._work.name}")
        return True

    # What can be done with a row

    def action_skip(self) -> None:
        """Leave the row under the cursor out, or take it in, and go to the next row."""
        if self._is_busy() or (line := self._line_at_cursor) is None:
            return
        row, at = line.row, self.table.cursor_row
        is_duplicate = any(problem.kind is ProblemKind.TWICE for problem in row.problems)
        if row.state is RowState.ALREADY or (row.state is RowState.BLOCKED and not is_duplicate):
            self._say_below(f"{visible(row.name)}: {row.state.value}")
            return
        self._take(with_row_decided(self.plan, row, row.state in (RowState.READY, RowState.BLOCKED)))
        following = (at for at in range(at, len(self._lines)) if self._lines[at].row.number != row.number)
        self.table.move_to(next(following, at))

    def action_take_doubts(self) -> None:
        """Take in every row in doubt that can be sent; where none is left, leave them out again."""
        if self._is_busy():
            return
        doubted = [row for row in self.plan.rows if row.can_be_included]
        if doubted:
            self._take(self.plan.with_rows(replace(row, skipped=False) for row in doubted))
            words = f"{counted(len(doubted), 'row')} included"
        elif taken := [row for row in self.plan.ready if row.problems]:
            self._take(self.plan.with_rows(replace(row, skipped=None) for row in taken))
            words = f"{counted(len(taken), 'row')} skipped again"
        else:
            words = "no row marked ? can be included"
        unfit = sum(row.state is RowState.DOUBTED and not row.can_be_included for row in self.plan.rows)
        self._say_below(f"{words} · {counted(unfit, 'row')} marked ? can't be included" if unfit else words)

    def action_next_problem(self, direction: int) -> None:
        """To the next field that something stands against, or the one before; past the last line it is the first."""
        here, count = self.table.cursor_row, len(self._lines)
        others = [(here + direction * steps) % count for steps in range(1, count)]
        at = next((at for at in others if self._lines[at].problems), None)
        if at is None:
            self._say_below("no other problem")
            return
        if (at > here) != (direction > 0):
            self._say_below("continued from the top" if direction > 0 else "continued from the bottom")
        self.table.move_to(at)

    def action_edit(self) -> None:
        """Change the new value of the field under the cursor."""
        if self._is_busy():
            return
        line = self._line_at_cursor
        if line is None or line.change is None:
            self._say_below("no field to edit in this row")
            return
        self._begin(self._edit(self._help.edit(self.plan, line)), _COMPARING)

    async def _edit(self, edited: Awaitable[Plan]) -> None:
        self.plan = await edited
        self.said_below = ""
        self._show_lines()

    def action_decimal(self) -> None:
        """Choose the decimal separator of the column under the cursor."""
        if self._is_busy():
            return
        line = self._line_at_cursor
        if line is None or not any(problem.cell for problem in line.problems):
            self._say_below("the decimal separator is clear here")
            return
        self._begin(self._edit(self._help.choose_decimal_mark(self.plan, line)), _COMPARING)

    def action_add_field(self) -> None:
        """Change another field of the same records too."""
        if self._is_busy():
            return
        if self._help.add_field is None:
            self._say_below("not available for a file: add a column to the file")
            return
        self._begin(self._edit(self._help.add_field(self.plan)), _COMPARING)

    @on(RecordTable.CursorMoved)
    def _show_against(self, event: RecordTable.CursorMoved) -> None:
        event.stop()
        line = self._line_at_cursor
        # That a record has its value already is in its row.
        words = ""
        if line is not None and line.row.state is not RowState.ALREADY:
            words = _seen_line(line, self._help.seen).problem_text
        self.query_one("#against", Static).update(styled(words))

    @on(RecordTable.RecordChosen)
    def _show_card(self, event: RecordTable.RecordChosen) -> None:
        event.stop()
        if (line := self._line_at_cursor) is not None:
            self.run_worker(self._help.card(line.row), group="card", exclusive=True)

    # Filtering

    def action_filter(self) -> None:
        """Open the line for words."""
        line = self.query_one("#filter", Input)
        line.add_class("-open")
        line.focus()

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        self._text = event.value.strip()
        self._show_lines()

    @on(Input.Submitted, "#filter")
    def _to_table(self, event: Input.Submitted) -> None:
        event.stop()
        self.table.focus()

    def action_cancel(self) -> None:
        """Leave the line for the ticket, else take back the filter; where there is none, close."""
        line = self.query_one("#filter", Input)
        if line.has_class("-open") and not self.ticket_line.has_focus_within:
            line.value = ""
            line.remove_class("-open")
            self.table.focus()
        else:
            super().action_cancel()

    # Sending

    def action_send(self) -> None:
        """Agree to what is not left out."""
        if self._is_busy():
            return
        if not self.plan.ready:
            self._say_below("nothing to send")
        elif not self.stray_key_pressed():
            self._begin(self._send(replace(self.plan, ticket=self.ticket_line.ticket)), "preparing to send")

    async def _send(self, plan: Plan) -> None:
        # Here, so that what was decided stays where it may not be sent yet.
        if await self._help.confirm(plan):
            self.dismiss(plan)
        else:
            self.said_below = ""
            self._show_keys()

    def action_lock(self) -> None:
        """Unlock LIVE after its word, or lock it again."""
        self.run_worker(self._help.lock(), group="lock", exclusive=True)


def _notices(plan: Plan) -> Content:
    """What a reader should know: first what may be a mistake."""
    lines = [styled(f"! {_sentence(words)}", "$role-warning") for words in plan.warnings]
    lines += [styled(_sentence(words)) for words in plan.notices]
    return Content("\n").join(lines)


def _sentence(words: str) -> str:
    return f"{capitalize_first(words).rstrip('.')}."


def _seen_line(line: PlanLine, seen: Callable[[PlanRow], PlanRow]) -> PlanLine:
    """The line as it may be seen."""
    row = seen(line.row)
    if row is line.row or line.change is None:
        return replace(line, row=row)
    name = line.change.name
    return replace(line, row=row, change=next((change for change in row.changes if change.name == name), line.change))


def _same_line(one: PlanLine, other: PlanLine) -> bool:
    """Whether both are about the same field of the same row."""
    names = [line.change.name if line.change is not None else "" for line in (one, other)]
    return one.row.number == other.row.number and names[0] == names[1]
