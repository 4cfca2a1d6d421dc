"""Comparison of two marked records, or of a record with an earlier version of it, side by side."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.getters import query_one
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.console.copy_as import value_text
from svc_tui.core.differences import DifferenceKind
from svc_tui.core.jsontext import ABSENT, Absent, Json, dumps
from svc_tui.core.kinds import MASKED
from svc_tui.core.outline import MAX_LINES, Path, at_path, is_nested
from svc_tui.core.record_comparison import ComparedField, RecordComparison, compare_records
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.history.record_versions import RecordVersion, WriteSide, record_versions
from svc_tui.service.errors import NotFound, ServiceError
from svc_tui.storage.errors import StoreError
from svc_tui.ui.context import Context
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor
from svc_tui.ui.dialogs.text_dialog import TextViewerScreen
from svc_tui.ui.keys import availability
from svc_tui.ui.keys.command import Command
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.text import ELLIPSIS, field_label, measure, pad, shorten, shorten_left, styled, visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.record.field_lines import ValueFormat
from svc_tui.ui.widgets.record.journal_lines import outcome_text
from svc_tui.ui.widgets.text.difference import common_ends

MARKS: Mapping[DifferenceKind, tuple[str, str]] = {
    DifferenceKind.CHANGED: ("≠", "$role-changed"),
    DifferenceKind.ADDED: ("+", "$role-ok"),
    DifferenceKind.GONE: ("-", "$role-danger"),
    DifferenceKind.SAME: (" ", "$role-muted"),
}
"""The mark of each kind of difference, and the style of it."""

NOT_SET, NOT_RECORDED = "not set", "not recorded"
"""The words for a field that a record does not have, and for one that the journal did not record."""

_MIN_NAME_CELLS, _MAX_NAME_SHARE = 8, 0.36
_MARK_CELLS, _GAP_CELLS = 2, 2
_CONTEXT_CELLS = 8
"""Cells of the common start that stay in view before the difference."""
_MAX_CHARACTERS = 4_000
"""Characters of a value used for its line, at most."""
_MARGIN_CELLS = 5
"""Cells beside a line: the border and padding of the frame, and the scroll bar."""
_MAX_WRITES = 200
"""The newest writes to a record: the versions before and after them are offered."""
_LINE_CELLS, _TICKET_CELLS = 68, 20
_MARKED_COMMAND = "Compare the 2 marked records…"
_EARLIER_COMMAND = "Compare with an earlier version…"


@dataclass(frozen=True, slots=True)
class ComparisonColumns:
    """The widths of a line's columns: the name, the left value and the right one."""

    name: int
    left: int
    right: int

    @classmethod
    def of(cls, comparison: RecordComparison, cells: int) -> "ComparisonColumns":
        """Return the columns for lines of `cells` cells."""
        room = max(0, cells - _MARK_CELLS - 2 * _GAP_CELLS)
        widest = max((measure(field_label(field.name)) for field in comparison.fields), default=0)
        name = min(max(widest, _MIN_NAME_CELLS), int(room * _MAX_NAME_SHARE))
        left = (room - name) // 2
        return cls(name, left, room - name - left)

    def head(self, name: str, left: Content, right: Content) -> Content:
        """Return the line above the fields."""
        gap = " " * _GAP_CELLS
        return Content.assemble(
            " " * _MARK_CELLS,
            (pad(name, self.name), "$role-muted"),
            gap,
            left.truncate(self.left, ellipsis=True, pad=True),
            gap,
            right.truncate(self.right, ellipsis=True, pad=True),
        )


def comparison_line(
    field: ComparedField,
    left: Mapping[str, Json],
    right: Mapping[str, Json],
    value_format: ValueFormat,
    columns: ComparisonColumns,
) -> Content:
    """Return the line of a field: its mark, its name, and its value in both records, with the difference emphasised."""
    mark, style = MARKS[field.kind] if field.known else ("?", "$role-muted")
    values = _value(left, field.left), _value(right, field.right)
    paths = field.left or field.right or (), field.right or field.left or ()
    texts = [_seen(value_format, path, value, columns.left) for path, value in zip(paths, values, strict=True)]
    if field.differs and texts[0][0] == texts[1][0] and texts[0][0] != MASKED:
        # Formatted, values that differ by a second or by their type can look the same.
        texts = [(visible(_json(value)), role) for value, (_, role) in zip(values, texts, strict=True)]
    if not field.known:
        texts[0] = (NOT_RECORDED, "muted")
    start, end = 0, 0
    if field.kind is DifferenceKind.CHANGED:
        start, end = common_ends(texts[0][0], texts[1][0])
    both = field.kind is DifferenceKind.CHANGED and start + end > 0
    gap = " " * _GAP_CELLS
    return Content.assemble(
        (f"{mark} ", f"{style} bold" if field.differs else style),
        (pad(shorten_left(field_label(field.name), columns.name), columns.name), style),
        gap,
        _cell(*texts[0], columns.left, (start, end) if both else None, muted=not field.differs),
        gap,
        _cell(*texts[1], columns.right, (start, end) if both else None, muted=not field.differs),
    )


def _value(fields: Mapping[str, Json], path: Path | None) -> Json | Absent:
    return ABSENT if path is None else at_path(fields, path)


def _json(value: Json | Absent) -> str:
    return NOT_SET if isinstance(value, Absent) else dumps(value)[:_MAX_CHARACTERS]


def _seen(value_format: ValueFormat, path: Path, value: Json | Absent, cells: int) -> tuple[str, str]:
    """Return the text of a value, and its role."""
    if isinstance(value, Absent):
        return NOT_SET, "muted"
    seen = value_format.seen(path, value, cells)
    if is_nested(value) and value:
        return visible(_json(value)), seen.role
    return visible(seen.text[:_MAX_CHARACTERS]), seen.role


def _cell(text: str, role: str, cells: int, common: tuple[int, int] | None, *, muted: bool) -> Content:
    """Return a value in exactly `cells` cells; `common` is how much of its start and end the other value shares."""
    style = "$role-muted" if muted else f"$role-{role}"
    if common is None:
        return Content.styled(pad(text, cells), style)
    start, until = common[0], len(text) - common[1]
    if measure(text) > cells and measure(text[: start + 1]) > cells - _CONTEXT_CELLS:
        # The difference is beyond the end of the cell: begin shortly before it.
        cut = max(0, start - _CONTEXT_CELLS)
        text = ELLIPSIS + text[cut:]
        start, until = start - cut + 1, until - cut + 1
    shown = shorten(text, cells)
    content = Content.styled(pad(shown, cells), style)
    return content.stylize("bold underline", min(start, len(shown)), min(max(until, start), len(shown)))


@dataclass(frozen=True, slots=True)
class ComparedRecord:
    """One of two compared records."""

    id: str
    record: Record
    note: str = ""
    """The time and ticket of a version; "now" for the record as it is."""

    @property
    def title(self) -> str:
        """The record's name in a text."""
        return " · ".join(filter(None, (self.id, self.record.label, self.note)))

    @property
    def head(self) -> Content:
        """The head of its column. The id of two versions is in the title of the dialog."""
        if self.note:
            return styled(self.note, "bold")
        return Content.assemble(styled(self.id, "bold"), "  ", styled(self.record.label, "$role-muted"))


@dataclass(frozen=True, slots=True)
class RecordPair:
    """Two compared records, the older version on the left."""

    left: ComparedRecord
    right: ComparedRecord
    comparison: RecordComparison


class RecordComparisonScreen(Dialog[None]):
    """The two records field by field: the differences, or all fields.

    `seen` returns a record with personal data masked if the mask is on.
    """

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
        """Create the screen; `page` shows a text in the user's pager."""
        super().__init__()
        self._heading, self._pair, self._seen, self._format, self._page = title, pair, seen, value_format, page
        self._differing = pair.comparison.differing
        self._everything = False
        self._cells = 0

    def compose(self) -> ComposeResult:
        """Compose the heads of the columns, and the fields."""
        with DialogFrame(self._heading):
            yield Static(classes="head")
            yield ChangingList(markup=False)
            yield Static("No differences. Press a to show all fields.", classes="hint", markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """Write the lines for the new width."""
        if event.size.width != self._cells:
            self._cells = event.size.width
            self._write()

    def mask_toggled(self, on: bool) -> None:
        """Write the lines with personal data masked, or unmasked."""
        self._write()

    # Lines

    @property
    def _fields(self) -> tuple[ComparedField, ...]:
        return self._pair.comparison.fields if self._everything else self._differing

    @property
    def _cursor_field(self) -> ComparedField | None:
        at = self.lines.highlighted
        return self._fields[at] if at is not None and at < min(len(self._fields), MAX_LINES) else None

    def _write(self, at: ComparedField | None = None) -> None:
        """Write all lines, with the cursor on the field `at`, or where it is."""
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
        self._show_position()

    @on(OptionList.OptionHighlighted)
    def _show_position(self) -> None:
        """Show the number of the difference under the cursor, and the keys."""
        position = ""
        if (field := self._cursor_field) is not None and field.differs:
            position = f"difference {self._differing.index(field) + 1:,} of {len(self._differing):,}"
        other = "a differences only" if self._everything else "a all fields"
        self.query_one("#dialog").border_subtitle = position
        self.name_keys(f"n next · {other} · enter full values · esc close")

    # Movement
    def action_move(self, direction: int) -> None:
        """Move to the field below, or the one above."""
        if self._fields:
            move_cursor(self.lines, direction)

    def action_next(self, direction: int) -> None:
        """Go to the next difference, or the one before; after the last one to the first."""
        fields, at = self._fields[:MAX_LINES], self.lines.highlighted or 0
        others = ((at + direction * steps) % len(fields) for steps in range(1, len(fields)))
        number = next((number for number in others if fields[number].differs), None)
        if number is not None:
            self.lines.highlighted = number

    def action_everything(self) -> None:
        """Show all fields, or only the differences; the cursor stays on its field, or near it."""
        at = self._cursor_field
        if at is not None and self._everything and not at.differs:
            fields = self._fields
            here = fields.index(at)
            before = [field for field in fields[:here] if field.differs]
            after = [field for field in fields[here:] if field.differs]
            at = next(iter((*after, *before[::-1])), None)
        self._everything = not self._everything
        self._write(at)

    # Full values

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if (field := self._cursor_field) is not None:
            self.run_worker(self._show_full_values(field), group="whole", exclusive=True)

    async def _show_full_values(self, field: ComparedField) -> None:
        left, right = self._seen(self._pair.left), self._seen(self._pair.right)
        old = _full_text(left.record, field.left) if field.known else NOT_RECORDED
        text = f"{left.title}\n\n{old}\n\n{right.title}\n\n{_full_text(right.record, field.right)}"
        if await self.app.push_screen_wait(TextViewerScreen(field.name, text)):
            await self._page(text)


def _full_text(record: Record, path: Path | None) -> str:
    return NOT_SET if path is None else value_text(at_path(record.fields, path)) or '""'


class ComparisonController:
    """Comparison of records as the service has them, without drafts; its methods run in workers of the screen."""

    def __init__(self, context: Context, page: Callable[[str], Awaitable[None]]) -> None:
        """Create the controller; `page` shows a text in the user's pager."""
        self._context, self._page = context, page

    def commands(self) -> Iterator[Command]:
        """Return the commands for the palette."""
        ask, selection = self._context.ask, self._context.selection
        if selection.marked == 2:
            yield Command(_MARKED_COMMAND, "Compare two records side by side", lambda: ask(self.marked()))
        if selection.record is not None:
            yield Command(
                _EARLIER_COMMAND,
                "Compare the record with an earlier version from the journal",
                lambda: ask(self.earlier()),
            )

    async def marked(self) -> None:
        """Compare the two marked records; the one marked first is on the left."""
        table = self._context.table
        records, collection = table.marking.records, table.collection
        if collection is None or len(records) != 2:
            self._context.notify(Report("Mark two records to compare. Press space to mark one."))
            return
        places = [Place(collection, record.id) for record in records]
        read = await self._read(places)
        if read is not None:
            left, right = (ComparedRecord(place.id, record) for place, record in zip(places, read, strict=True))
            await self._show(Place(collection), left, right)

    async def earlier(self) -> None:
        """Compare the selected record with an earlier version, which is on the left."""
        place = self._context.selection.place
        if place is None or place.record_id is None:
            self._context.notify(Report(availability.NO_RECORD))
            return
        version = await self._choose_version(place)
        if version is None or (read := await self._read([place])) is None:
            return
        (current,) = read
        left = ComparedRecord(place.id, version.record(current), self._version_note(version))
        await self._show(place, left, ComparedRecord(place.id, current, "now"), version)

    async def _read(self, places: Sequence[Place]) -> Sequence[Record] | None:
        """Load the records; if one can't be loaded, tell the user and return None."""
        gateway = self._context.gateway
        answers = await asyncio.gather(
            *(gateway.record(place.collection, place.id) for place in places), return_exceptions=True
        )
        records: list[Record] = []
        gone: list[str] = []
        for place, answer in zip(places, answers, strict=True):
            if isinstance(answer, NotFound):
                gone.append(place.id)
            elif isinstance(answer, ServiceError):
                self._context.notify(error_report(answer, f"Could not load {place.id}"))
                return None
            elif isinstance(answer, BaseException):
                raise answer
            else:
                records.append(answer)
        if gone:
            words = f"{' and '.join(gone)} no longer exist{'s' if len(gone) == 1 else ''} (404)."
            self._context.notify(Report(f"Not compared: {words}", severity="warning"))
            return None
        return records

    async def _show(
        self, place: Place, left: ComparedRecord, right: ComparedRecord, version: RecordVersion | None = None
    ) -> None:
        unknown = version.unknown(right.record) if version is not None else ()
        # Long lists take longer than a frame.
        comparison = await asyncio.to_thread(compare_records, left.record.fields, right.record.fields, unknown)
        title = styled(f"Compare {place.record_id or place.key} · {comparison.summary}")
        mask, domain = self._context.privacy_mask, place.collection.domain

        def seen(one: ComparedRecord) -> ComparedRecord:
            return replace(one, record=mask.record(one.record, domain), note=mask.text(one.note))

        selection = self._context.selection
        value_format = ValueFormat(selection.kind_of, selection.points_at_record, self._context.tz)
        pair = RecordPair(left, right, comparison)
        await self._context.show(RecordComparisonScreen(title, pair, seen, value_format, self._page))

    # Versions

    async def _choose_version(self, place: Place) -> RecordVersion | None:
        try:
            entries = await self._context.writes.entries(_MAX_WRITES, place=place.key)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return None
        versions = record_versions(place, entries, self._context.session.collections)
        if not versions:
            whose = (
                "from this computer" if self._context.session.team is None else "from this computer or by colleagues"
            )
            words = f"No earlier version of {place.id}. The journal has only changes sent {whose}."
            self._context.notify(Report(words))
            return None
        from svc_tui.ui.dialogs.menu import MenuScreen

        lines = [(self._version_line(version), version) for version in versions]
        return await self._context.show(MenuScreen(f"Compare {visible(place.id)} with an earlier version", lines))

    def _version_line(self, version: RecordVersion) -> Content:
        """Return the line of a version: its time, before or after which write, and for which ticket."""
        intent = version.entry.intent
        word, style = outcome_text(version.entry)
        side = pad(version.side.value, max(len(side.value) for side in WriteSide))
        ticket = shorten(visible(self._context.privacy_mask.text(intent.ticket)), _TICKET_CELLS)
        start = Content.assemble(
            (self._time(version), "$role-time"), "  ", (side, "bold"), f"  {visible(intent.method)}  "
        )
        names = ", ".join(intent.after or ()) or "all fields"
        if version.entry.author is not None:
            names = f"{version.entry.author} · {names}"
        room = _LINE_CELLS - start.cell_length - len(ticket) - len(word) - 4
        return Content.assemble(
            start,
            (pad(visible(names), max(1, room)), "$role-muted"),
            "  ",
            (ticket, "$role-reference"),
            "  " if ticket else "",
            (word, style),
        )

    def _time(self, version: RecordVersion) -> str:
        return f"{version.entry.intent.at.astimezone(self._context.tz):%Y-%m-%d %H:%M:%S}"

    def _version_note(self, version: RecordVersion) -> str:
        """Return the time and ticket of a version for the head of its column; only the menu needs seconds."""
        ticket = version.entry.intent.ticket
        minute = self._time(version)[: -len(":00")]
        return f"{version.side.value} {minute}{f' · {ticket}' if ticket else ''}"
