"""Two records side by side, or one and what it was: field by field, what differs alone or everything."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.getters import query_one
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.console.copy_as import value_text
from svc_tui.core.outline import MAX_LINES, Path, at_path
from svc_tui.core.record_comparison import ComparedField, RecordComparison
from svc_tui.core.records import Record
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor
from svc_tui.ui.dialogs.text_dialog import TextViewerScreen
from svc_tui.ui.record.comparison_lines import NOT_RECORDED, NOT_SET, ComparisonColumns, comparison_line
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.record.field_lines import ValueFormat

_MARGIN_CELLS = 5
"""Cells beside a line: the border and padding of the frame, and the scroll bar."""


@dataclass(frozen=True, slots=True)
class ComparedRecord:
    """One of the two: its `id`, the record, and what there is to know of when that was."""

    id: str
    record: Record
    note: str = ""

    @property
    def title(self) -> str:
        """What it is called in a text."""
        return " · ".join(filter(None, (self.id, self.record.label, self.note)))

    @property
    def head(self) -> Content:
        """What stands above its values: of two versions of a record, whose id is the title, when that was."""
        if self.note:
            return styled(self.note, "bold")
        return Content.assemble(styled(self.id, "bold"), "  ", styled(self.record.label, "$role-muted"))


@dataclass(frozen=True, slots=True)
class RecordPair:
    """The two records, the older one of two versions at the left, and what came of comparing them as they are."""

    left: ComparedRecord
    right: ComparedRecord
    comparison: RecordComparison


class RecordComparisonScreen(Dialog[None]):
    """Begins with what differs; the records are shown as `seen` lets them be seen at that moment."""

    DEFAULT_CSS = """
    RecordComparisonScreen > #dialog { width: 100%; height: 100%; overflow-y: hidden; }
    RecordComparisonScreen .head { height: 1; }
    RecordComparisonScreen OptionList { height: 1fr; scrollbar-gutter: stable; }
    RecordComparisonScreen OptionList > .option-list--option { padding: 0; }
    RecordComparisonScreen .hint { display: none; height: 1fr; margin-top: 1; }
    RecordComparisonScreen.-equal .hint { display: block; }
    RecordComparisonScreen.-equal OptionList { display: none; }
    """

    BINDINGS = [
        Binding("n", "next(1)", "Next", id="side_by_side.next", tooltip="Go to the next difference"),
        Binding("N", "next(-1)", "Previous", id="side_by_side.previous", show=False,
                tooltip="Go to the previous difference"),
        Binding("a", "everything", "All", id="side_by_side.everything", tooltip="Show all fields, or only differences"),
        Binding("j", "move(1)", "Down", show=False, id="side_by_side.down", tooltip="Move down"),
        Binding("k", "move(-1)", "Up", show=False, id="side_by_side.up", tooltip="Move up"),
        Binding("q", "cancel", "Close", show=False, id="side_by_side.close", tooltip="Close the comparison"),
    ]  # fmt: skip

    lines = query_one(ChangingList)

    def __init__(
        self,
        title: Content,
        pair: RecordPair,
        seen: Callable[[ComparedRecord], ComparedRecord],
        value_format: ValueFormat,
        page: Callable[[str], Awaitable[None]],
    ) -> None:
        """Make it; `page` shows a text in the user's pager."""
        super().__init__()
        self._heading, self._pair, self._seen, self._format, self._page = title, pair, seen, value_format, page
        self._differing = pair.comparison.differing
        self._everything = False
        self._cells = 0

    def compose(self) -> ComposeResult:
        """What the columns are, and the fields."""
        with DialogFrame(self._heading):
            yield Static(classes="head")
            yield ChangingList(markup=False)
            yield Static("No differences. Press a to show all fields.", classes="hint", markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """Write the lines for the cells there are."""
        if event.size.width != self._cells:
            self._cells = event.size.width
            self._write()

    def mask_toggled(self, on: bool) -> None:
        """Write everything as it may be seen now: nothing that was made before stays in view."""
        self._write()

    # What is on show

    @property
    def _fields(self) -> tuple[ComparedField, ...]:
        return self._pair.comparison.fields if self._everything else self._differing

    @property
    def _at(self) -> ComparedField | None:
        """The field under the cursor."""
        at = self.lines.highlighted
        return self._fields[at] if at is not None and at < min(len(self._fields), MAX_LINES) else None

    def _write(self, at: ComparedField | None = None) -> None:
        """Write all lines, the cursor on the field `at`, or where it is."""
        fields, number = self._fields, self.lines.highlighted or 0
        left, right = self._seen(self._pair.left), self._seen(self._pair.right)
        columns = ComparisonColumns.of(self._pair.comparison, self._cells - _MARGIN_CELLS)
        self.query_one(".head", Static).update(columns.head("field", left.head, right.head))
        options = [
            Option(comparison_line(field, left.record.fields, right.record.fields, self._format, columns))
            for field in fields[:MAX_LINES]
        ]
        if len(fields) > MAX_LINES:
            more = f"  … {len(fields) - MAX_LINES:,} more fields. See the JSON tab of each record."
            options.append(Option(styled(more, "$role-muted"), disabled=True))
        self.set_class(not fields, "-equal")
        self.lines.set_options(options)
        if at is not None and at in fields[:MAX_LINES]:
            number = fields.index(at)
        self.lines.highlighted = min(number, len(fields) - 1) if fields else None
        self._say()

    @on(OptionList.OptionHighlighted)
    def _say(self) -> None:
        """Tell which of the differences is under the cursor, and name the keys."""
        position = ""
        if (field := self._at) is not None and field.differs:
            position = f"difference {self._differing.index(field) + 1:,} of {len(self._differing):,}"
        other = "a differences only" if self._everything else "a all fields"
        self.query_one("#dialog").border_subtitle = position
        self.name_keys(f"n next · {other} · enter full values · esc close")

    # Moving

    def action_move(self, direction: int) -> None:
        """Go to the field below, or the one above."""
        if self._fields:
            move_cursor(self.lines, direction)

    def action_next(self, direction: int) -> None:
        """Go to the next difference, or the one before; past the last one comes the first again."""
        fields, at = self._fields[:MAX_LINES], self.lines.highlighted or 0
        others = ((at + direction * steps) % len(fields) for steps in range(1, len(fields)))
        number = next((number for number in others if fields[number].differs), None)
        if number is not None:
            self.lines.highlighted = number

    def action_everything(self) -> None:
        """Show what is the same too, or the differences alone; the cursor stays on its field, or near it."""
        at = self._at
        if at is not None and self._everything and not at.differs:
            fields = self._fields
            here = fields.index(at)
            before = [field for field in fields[:here] if field.differs]
            after = [field for field in fields[here:] if field.differs]
            at = next(iter((*after, *before[::-1])), None)
        self._everything = not self._everything
        self._write(at)

    # Values whole

    @on(OptionList.OptionSelected)
    def _opened(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if (field := self._at) is not None:
            self.run_worker(self._show_whole(field), group="whole", exclusive=True)

    async def _show_whole(self, field: ComparedField) -> None:
        """Show both values of a field whole, one under the other."""
        left, right = self._seen(self._pair.left), self._seen(self._pair.right)
        old = _whole(left.record, field.left) if field.known else NOT_RECORDED
        text = f"{left.title}\n\n{old}\n\n{right.title}\n\n{_whole(right.record, field.right)}"
        if await self.app.push_screen_wait(TextViewerScreen(field.name, text)):
            await self._page(text)


def _whole(record: Record, path: Path | None) -> str:
    """The whole value at a path as a text."""
    return NOT_SET if path is None else value_text(at_path(record.fields, path)) or '""'
