"""The dialog of `o`: the columns of a table, their order and widths; the table behind follows every key."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from svc_tui.core.field_path import value_at
from svc_tui.core.folded_text import fold
from svc_tui.core.jsontext import Json
from svc_tui.core.kinds import display_text, kind_of_value
from svc_tui.core.views import ChosenColumn
from svc_tui.records.columns import Column, ColumnChoice
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.dialogs.menu import NO_MATCHES
from svc_tui.ui.keys.key_scopes import keys_count_in
from svc_tui.ui.text import field_label, pad, shorten, visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput

PreviewColumns = Callable[[Sequence[ChosenColumn]], tuple[Column, ...]]
"""Shows columns in the table, or the automatic ones if there are none; returns them with their widths."""

_PATH_CELLS = 27
"""Cells of a path."""
_WIDTH_CELLS = 9
"""Cells of a width."""
_MAX_LISTED = 500
"""Paths in the list at most: thousands would take longer to write than a key takes."""
_MAX_CELLS = 54
_MARGIN_CELLS = 6
"""Cells beside a line: the dialog's border and padding, the scroll bar, and one at the end."""


class _ColumnList(ChangingList, inherit_bindings=False):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "cursor_down", "Down", show=False, id="columns.down", tooltip="Move down"),
        Binding("up,k", "cursor_up", "Up", show=False, id="columns.up", tooltip="Move up"),
        Binding("home,g", "first", "First", show=False, id="columns.first", tooltip="Go to the first column"),
        Binding("end,G", "last", "Last", show=False, id="columns.last", tooltip="Go to the last column"),
        Binding("pagedown", "page_down", "Page down", show=False, id="columns.page_down", tooltip="Move down one page"),
        Binding("pageup", "page_up", "Page up", show=False, id="columns.page_up", tooltip="Move up one page"),
        Binding("space", "select", "Show or hide", id="columns.toggle", tooltip="Show or hide the column"),
    ]


@keys_count_in(_ColumnList)
class ColumnsScreen(Dialog[tuple[ChosenColumn, ...]]):
    """The choice of columns. Its result is the chosen columns, empty for automatic ones; None if it was cancelled."""

    # At the right, so that the table can be seen to follow.
    DEFAULT_CSS = """
    ColumnsScreen { align: right middle; }
    ColumnsScreen > #dialog { width: 60; }
    ColumnsScreen _ColumnList { height: auto; max-height: 22; padding: 0; }
    ColumnsScreen _ColumnList > .option-list--option { padding: 0; }
    ColumnsScreen TextInput { display: none; margin-top: 1; }
    ColumnsScreen TextInput.-open { display: block; }
    """

    BINDINGS = [
        Binding("J,shift+down", "shift(1)", "Move right", id="columns.later", tooltip="Move the column right"),
        Binding("K,shift+up", "shift(-1)", "Move left", id="columns.earlier", tooltip="Move the column left"),
        Binding("less_than_sign,left", "size(-1)", "Narrower", id="columns.narrower",
                tooltip="Make the column narrower"),
        Binding("greater_than_sign,right", "size(1)", "Wider", id="columns.wider", tooltip="Make the column wider"),
        Binding("equals_sign", "by_content", "Fit width", id="columns.by_content", key_display="=",
                tooltip="Fit the column width to its values"),
        Binding("slash", "narrow", "Filter", id="columns.narrow", key_display="/",
                tooltip="Filter the list by name"),
        Binding("a", "automatic", "Automatic", id="columns.automatic",
                tooltip="Choose the columns automatically"),
        Binding("enter", "keep", "Apply", id="columns.keep", tooltip="Apply the columns"),
    ]  # fmt: skip

    def __init__(
        self,
        chosen: Sequence[ChosenColumn],
        columns: Sequence[Column],
        seen: Sequence[str],
        example: Mapping[str, Json],
        preview_columns: PreviewColumns,
        tz: tzinfo = UTC,
    ) -> None:
        """Create the dialog.

        `chosen` are the columns chosen before, `columns` those of the table, `seen` all paths of the records, `example`
        the fields of a record.
        """
        super().__init__()
        self._before, self._seen = tuple(chosen), tuple(seen)
        self._example, self._preview_columns, self._tz = example, preview_columns, tz
        self._columns = {column.name: column for column in columns}
        self._choice = ColumnChoice.of(self._before or map(_to_chosen, columns), self._seen)
        self._automatic = not self._before
        self._listed: list[str] = []
        self._cells = 0

    def compose(self) -> ComposeResult:
        """Compose the list of columns, shown ones first, a line to filter it, and buttons for the mouse."""
        with DialogFrame("", "space show/hide · J K move · < > = width · / filter"):
            yield _ColumnList(markup=False)
            yield TextInput(placeholder="filter by name")
            with Horizontal(classes="buttons"):
                for label, action, name in (
                    ("a Automatic", "automatic", "automatic"),
                    ("esc Cancel", "leave", "back"),
                    ("enter Apply", "keep", "keep"),
                ):
                    button = DialogButton(label, action, button_id=name)
                    # The list keeps the focus.
                    button.can_focus = False
                    yield button

    def on_resize(self, event: events.Resize) -> None:
        """Fit the list and its lines to the new size."""
        self._cells = min(_MAX_CELLS, event.size.width - _MARGIN_CELLS)
        self._lines.styles.max_height = max(3, event.size.height - 7)
        self._list(self._lines.highlighted or 0)

    @property
    def _lines(self) -> _ColumnList:
        return self.query_one(_ColumnList)

    @property
    def _filter_line(self) -> Input:
        return self.query_one(TextInput)

    @property
    def _path(self) -> str | None:
        """The path under the cursor."""
        at = self._lines.highlighted
        return self._listed[at] if at is not None and at < len(self._listed) else None

    def _list(self, at: int | str) -> None:
        """Write the list, with the cursor on a line or on a path."""
        needle = fold(self._filter_line.value.strip())
        matches = [path for path in self._choice.paths if needle in fold(path)]
        self._listed = matches[:_MAX_LISTED]
        options = [Option(self._line(path)) for path in self._listed]
        self._lines.set_options(options or [Option(NO_MATCHES, disabled=True)])
        if self._listed:
            row = at if isinstance(at, int) else self._listed.index(at) if at in self._listed else 0
            self._lines.highlighted = min(row, len(self._listed) - 1)
        count = f"{len(self._choice.shown)} of {len(self._choice.paths)}"
        cut = f" · first {_MAX_LISTED} listed; / to filter" if len(matches) > _MAX_LISTED else ""
        self.query_one("#dialog").border_title = f"Columns · {'automatic' if self._automatic else count}{cut}"

    def _line(self, path: str) -> Content:
        chosen, column = self._choice.column(path), self._columns.get(path)
        mark = ("  ", "") if chosen is None else ("✓ ", "$role-ok")
        width = ("", "")
        if chosen is not None and column is not None:
            width = (
                (f"{column.width}", "$role-muted")
                if chosen.width is None
                else (f"fixed {column.width}", "$role-accent")
            )
        name = pad(field_label(path), min(_PATH_CELLS, self._cells - _WIDTH_CELLS - 2))
        value = value_at(self._example, path)
        seen = display_text(value, kind_of_value(value), tz=self._tz)
        room = self._cells - 2 - min(_PATH_CELLS, self._cells - _WIDTH_CELLS - 2) - _WIDTH_CELLS - 2
        return Content.assemble(
            mark,
            (name, "" if chosen is not None else "$role-muted"),
            (width[0].rjust(_WIDTH_CELLS), width[1]),
            "  ",
            (shorten(visible(seen.text[: 4 * max(0, room)]), room), "$role-muted"),
        )

    def _change(self, choice: ColumnChoice, at: int | str) -> None:
        if choice == self._choice:
            return
        self._choice, self._automatic = choice, False
        self._columns = {column.name: column for column in self._preview_columns(choice.shown)}
        self._list(at)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Show or hide a column, and move to the next one."""
        event.stop()
        hidden = self._listed[event.option_index] in self._choice.hidden
        self._change(self._choice.toggled(self._listed[event.option_index]), event.option_index + hidden)

    def action_shift(self, steps: int) -> None:
        """Move the column."""
        if self._path is not None:
            self._change(self._choice.moved(self._path, steps), self._path)

    def action_size(self, cells: int) -> None:
        """Make the column narrower or wider."""
        column = self._columns.get(self._path) if self._path is not None else None
        if column is not None:
            self._change(self._choice.sized(column.name, column.width + cells), column.name)

    def action_by_content(self) -> None:
        """Fit the width of the column to its values."""
        if self._path is not None:
            self._change(self._choice.sized(self._path, None), self._path)

    def action_automatic(self) -> None:
        """Switch to the automatic columns."""
        columns = self._preview_columns(())
        self._columns = {column.name: column for column in columns}
        self._choice, self._automatic = ColumnChoice.of(map(_to_chosen, columns), self._seen), True
        self._list(0 if self._path is None else self._path)

    def action_narrow(self) -> None:
        """Open the line that filters the list."""
        self._filter_line.add_class("-open")
        self._filter_line.focus()

    def action_keep(self) -> None:
        """Apply the chosen columns."""
        self.dismiss(() if self._automatic else self._choice.shown)

    def action_cancel(self) -> None:
        """Close the filter line if it has the focus, else the dialog."""
        if self._filter_line.has_focus:
            self._filter_line.value = ""
            self._filter_line.remove_class("-open")
            self._lines.focus()
        else:
            self.action_leave()

    @on(Input.Changed)
    def _filter_list(self, event: Input.Changed) -> None:
        event.stop()
        self._list(0)

    @on(Input.Submitted)
    def _focus_list(self, event: Input.Submitted) -> None:
        event.stop()
        self._lines.focus()

    def on_key(self, event: events.Key) -> None:
        """Move from the filter line into the list with up and down."""
        if event.key in ("down", "up") and self._filter_line.has_focus:
            event.stop()
            self._lines.focus()

    def action_leave(self) -> None:
        """Close the dialog and restore the columns."""
        self._preview_columns(self._before)
        self.dismiss(None)


def _to_chosen(column: Column) -> ChosenColumn:
    return ChosenColumn(column.name, column.width if column.by_hand else None)
