"""A record's fields, one under the other: labels left, values in one column, nested values folded and unfolded."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.domain.draft import ABSENT, Absent, Draft
from svc_tui.domain.jsontext import Json
from svc_tui.domain.values import Kind, Shown, as_it_came, display, kind_of_value
from svc_tui.ui.text import measure, padded, shortened, shown, visible

KindOf = Callable[[str], Kind]
"""The kind of a field, told from all the records seen."""

_LABEL = range(6, 25)
"""Cells that labels may take."""
_MOST_ROWS = 500
_LONGEST = 2_000
_SHORT = 24
_NARROWEST = 8


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the list: `path` begins with the field's name."""

    path: tuple[str, ...]
    value: Json | Absent
    kind: Kind
    nested: bool


class FieldList(OptionList):
    """The fields of one record with the edits of its draft; the cursor stays on its field from record to record."""

    DEFAULT_CSS = """
    FieldList {
        height: 1fr;
        border: none;
        padding: 0;
        background: $role-background;
        scrollbar-size-vertical: 1;
    }
    FieldList:focus { border: none; background-tint: transparent; }
    """

    BINDINGS = [
        Binding("down,j", "cursor_down", "Down", id="fields.down", show=False, tooltip="Next field"),
        Binding("up,k", "cursor_up", "Up", id="fields.up", show=False, tooltip="Previous field"),
        Binding("home,g", "first", "First", id="fields.first", show=False, tooltip="First field"),
        Binding("end,G", "last", "Last", id="fields.last", show=False, tooltip="Last field"),
        Binding("right,l", "unfold", "Unfold", id="fields.unfold", show=False, tooltip="Show what is nested here"),
        Binding("left,h", "fold", "Fold", id="fields.fold", show=False, tooltip="Hide what is nested here"),
    ]

    @dataclass
    class Opened(Message):
        """Enter on a field that is not nested."""

        name: str

    def __init__(self, kind_of: KindOf, tz: tzinfo = UTC, *, raw: bool = False, id: str | None = None) -> None:  # noqa: A002
        """Make the list; it shows times in `tz`, or all values as they came."""
        super().__init__(id=id, markup=False)
        self._kind_of, self._tz, self._raw = kind_of, tz, raw
        self._draft: Draft | None = None
        self._rows: list[_Row] = []
        self._unfolded: set[tuple[str, ...]] = set()
        self._width = 0

    def show(self, draft: Draft | None) -> None:
        """Show the record of `draft`, its edits in place; None: nothing."""
        if draft == self._draft:
            return
        self._draft = draft
        self._rebuild()

    def show_raw(self, raw: bool) -> None:
        """Show values as they came, or as people read them."""
        self._raw = raw
        self._rebuild()

    def point_at(self, field: str) -> None:
        """Put the cursor on a field; where the record has none of that name it stays."""
        at = next((index for index, row in enumerate(self._rows) if row.path == (field,)), None)
        if at is not None:
            self.highlighted = at

    @property
    def field(self) -> str | None:
        """The name of the field under the cursor."""
        row = self._row
        return row.path[0] if row else None

    @property
    def _row(self) -> _Row | None:
        at = self.highlighted
        return self._rows[at] if at is not None and at < len(self._rows) else None

    def _rebuild(self) -> None:
        row = self._row
        path = row.path if row else ()
        scroll = self.scroll_offset.y
        self._rows = list(self._walk()) if self._draft else []
        label = max((measure(visible(r.path[-1])) + 2 * (len(r.path) - 1) for r in self._rows), default=0)
        width = min(max(label, _LABEL.start), _LABEL.stop)
        self.clear_options()
        self.add_options([Option(self._line(r, width)) for r in self._rows])
        if not self._rows:
            return
        paths = [r.path for r in self._rows]
        while path and path not in paths:
            path = path[:-1]
        self.highlighted = paths.index(path) if path else 0
        self.scroll_to(y=scroll, animate=False)

    def _walk(self) -> Iterator[_Row]:
        assert self._draft is not None
        rows = 0
        for name, value in self._draft.fields.items():
            for row in self._nested((name,), value, self._kind_of(name)):
                yield row
                rows += 1
                if rows >= _MOST_ROWS:
                    return

    def _nested(self, path: tuple[str, ...], value: Json, kind: Kind) -> Iterator[_Row]:
        items = _items(value)
        yield _Row(path, value, kind, bool(items))
        if path in self._unfolded:
            for name, item in items:
                yield from self._nested((*path, name), item, kind_of_value(item))

    def _line(self, row: _Row, width: int) -> Content:
        assert self._draft is not None
        depth = len(row.path) - 1
        changed = depth == 0 and row.path[0] in self._draft.edits
        mark = ("▾ " if row.path in self._unfolded else "▸ ") if row.nested else ""
        label = padded(visible("  " * depth + row.path[-1]), width)
        seen = self._seen(row.value, row.kind)
        text = seen.text if len(seen.text) <= _LONGEST else f"{seen.text[:_LONGEST]}… ({len(seen.text):,} characters)"
        style = "$role-changed" if changed else "$role-muted"
        head = Content.assemble(("*" if changed else " ", "$role-changed bold"), (label, style), "  ")
        parts: list[Content | str | tuple[str, str]] = [
            mark,
            shown(text, "$role-changed" if changed else f"$role-{seen.role}", lines=True),
        ]
        if changed:
            old = self._seen(self._draft.base.fields.get(row.path[0], ABSENT), row.kind)
            was = shortened(visible(old.text), _SHORT) or "not set"
            parts += ["  ", (was, "$role-muted strike")]
        return _hanging(head, Content.assemble(*parts), self.scrollable_content_region.width)

    def _seen(self, value: Json | Absent, kind: Kind) -> Shown:
        return as_it_came(value, kind) if self._raw else display(value, kind, tz=self._tz, arrow=True, zone=True)

    def on_resize(self) -> None:
        """Values are wrapped to the width there is."""
        if self.scrollable_content_region.width != self._width:
            self._width = self.scrollable_content_region.width
            self._rebuild()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        row = self._row
        if row is None:
            return
        if row.nested:
            self._turn(row.path, row.path not in self._unfolded)
        else:
            self.post_message(self.Opened(row.path[0]))

    def _turn(self, path: tuple[str, ...], unfolded: bool) -> None:
        if unfolded:
            self._unfolded.add(path)
        else:
            self._unfolded.discard(path)
        self._rebuild()

    def action_unfold(self) -> None:
        """Show what is nested in the field under the cursor."""
        row = self._row
        if row and row.nested:
            self._turn(row.path, True)

    def action_fold(self) -> None:
        """Hide what is nested in the field under the cursor, or around it."""
        row = self._row
        if row:
            path = row.path if row.path in self._unfolded else row.path[:-1]
            if path:
                self._turn(path, False)
                self.highlighted = next(i for i, r in enumerate(self._rows) if r.path == path)


def _hanging(head: Content, value: Content, width: int) -> Content:
    """`value` behind `head`, its further lines under its first."""
    room = width - head.cell_length
    if room < _NARROWEST:
        return head + value
    first, *rest = value.wrap(room)
    return Content("\n").join([head + first, *(Content(" " * head.cell_length) + line for line in rest)])


def _items(value: Json | Absent) -> list[tuple[str, Json]]:
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, list):
        return [(str(index), item) for index, item in enumerate(value)]
    return []
