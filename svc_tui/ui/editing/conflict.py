"""The choice between two values of a field that was changed at the service while it was edited here."""

from collections.abc import Callable

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.core.draft import Draft, Freshness
from svc_tui.core.jsontext import ABSENT
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame, TitleText
from svc_tui.ui.text import field_label, measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.text.difference import value_text
from svc_tui.ui.widgets.text.labeled_rows import label_rows
from svc_tui.writes.undo import is_stamp

_MAX_CELLS = 71
"""Cells of a line at most: the dialog without border, padding and scroll bar."""
_BESIDE_CELLS = 5
_SEND_CELLS = 8
_MIN_ROWS = 3
_OTHER_ROWS = 14
"""Rows of the screen beside the list."""
_COLUMNS = ("When read", "Others", "Mine")
_CHOICES = Content.assemble(("m", "bold $role-accent"), " Mine   ", ("o", "bold $role-accent"), " Others")
"""The keys of the choices, shown beside the buttons."""
_MAX_MOVED = 3
"""Other changed fields whose values are shown."""
_MOVED_CELLS = 20


class ConflictScreen(Dialog[Draft]):
    """A dialog over the fields in conflict; the result is the draft with the chosen values."""

    DEFAULT_CSS = """
    ConflictScreen OptionList { height: auto; }
    ConflictScreen #header { margin-top: 1; color: $role-muted; }
    ConflictScreen #moved { margin-top: 1; color: $role-warning; }
    ConflictScreen #choose { width: 1fr; }
    ConflictScreen #choose.problem { color: $role-danger; }
    """

    AUTO_FOCUS = "OptionList"
    unsolicited = True

    BINDINGS = [
        Binding("m", "choose(True)", "Mine", id="conflict.mine", tooltip="Send my value"),
        Binding("o", "choose(False)", "Others", id="conflict.theirs", tooltip="Keep their value"),
        Binding("y", "go_on", "Send", id="conflict.send", tooltip="Send with these choices"),
    ]

    def __init__(
        self, title: TitleText, base: Draft, freshness: Freshness, mask: Callable[[Draft], Draft] = lambda draft: draft
    ) -> None:
        """Show the conflicts between `base` and the current record; `mask` masks a draft for display."""
        super().__init__()
        self._masked_base, self._masked_draft = mask(base), mask(freshness.draft)
        self._title, self._freshness = title, freshness
        self._mine: dict[str, bool] = {}
        self._cells = _MAX_CELLS
        self._moved = [name for name in freshness.moved if not is_stamp(name)]
        names = (*_COLUMNS, *map(field_label, freshness.conflicts))
        self._name_cells = min(max(map(measure, names)) + 2, 16)

    def compose(self) -> ComposeResult:
        """Compose the fields with their values when loaded, now and as edited, and the choices."""
        with DialogFrame(self._title, danger=True):
            yield Static("Others changed these fields since you loaded them. Nothing was sent.", markup=False)
            yield Static(id="header")
            yield ChangingList(markup=False)
            if self._moved:
                yield Static(self._moved_content, id="moved")
            with Horizontal(classes="buttons"):
                yield Static(_CHOICES, id="choose")
                yield DialogButton("esc Keep the draft", "cancel", button_id="back")
                yield DialogButton("y Send", "go_on", button_id="go-on")

    def on_mount(self) -> None:
        """Focus the list, in which Enter does nothing, so that nothing is sent by habit."""
        options = self.query_one(OptionList)
        options.add_options(Option("") for _ in self._freshness.conflicts)
        options.highlighted = 0
        self._show()
        options.focus()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the list to the screen."""
        self._cells = min(_MAX_CELLS, event.size.width - _BESIDE_CELLS)
        self.query_one(OptionList).styles.max_height = max(_MIN_ROWS, event.size.height - _OTHER_ROWS)
        self._show()

    def _show(self) -> None:
        header = Content.assemble(" " * self._name_cells, *(pad(name, self._value_cells) for name in _COLUMNS), "Send")
        self.query_one("#header", Static).update(header)
        options = self.query_one(OptionList)
        for at, name in enumerate(self._freshness.conflicts):
            options.replace_option_prompt_at_index(at, self._line(name, opened=at == options.highlighted))
        self.query_one("#go-on", Button).disabled = bool(self._undecided)

    @on(OptionList.OptionHighlighted)
    def _open_values(self) -> None:
        self._show()

    @property
    def _value_cells(self) -> int:
        return (self._cells - self._name_cells - _SEND_CELLS) // len(_COLUMNS)

    def _values(self, name: str) -> tuple[str, str, str]:
        """Return the value of the field when loaded, now, and as edited."""
        read, now = self._masked_base.base.fields, self._masked_draft.base.fields
        values = (read.get(name, ABSENT), now.get(name, ABSENT), self._masked_base.value(name))
        was, theirs, mine = (visible(value_text(value)) for value in values)
        return was, theirs, mine

    def _line(self, name: str, *, opened: bool) -> Content:
        """Return the field's values side by side; if `opened`, with those that are cut in full below."""
        values, cells = self._values(name), self._value_cells
        styles = ("$role-muted", "$role-reference", "$role-changed")
        columns = [(pad(shorten(text, cells - 1), cells), style) for text, style in zip(values, styles, strict=True)]
        match self._mine.get(name):
            case None:
                sent = ("?", "bold $role-warning")
            case True:
                sent = ("mine", "bold $role-changed")
            case False:
                sent = ("others", "bold $role-reference")
        line = Content.assemble((pad(field_label(name), self._name_cells), "bold"), *columns, sent)
        whole = [
            (label, Content.styled(text, style))
            for label, text, style in zip(_COLUMNS, values, styles, strict=True)
            if measure(text) >= cells
        ]
        if measure(field_label(name)) > self._name_cells:
            whole.insert(0, ("Field", Content(field_label(name))))
        if not opened or not whole:
            return line
        return Content.assemble(line, "\n", label_rows(whole, self._name_cells, self._cells))

    @property
    def _moved_content(self) -> Content:
        """The words about other fields that were changed at the service."""
        moved = self._moved
        read, now = self._masked_base.base.fields, self._masked_draft.base.fields
        changes = [
            f"{name} {shorten(visible(value_text(read.get(name, ABSENT))), _MOVED_CELLS)}"
            f" → {shorten(visible(value_text(now.get(name, ABSENT))), _MOVED_CELLS)}"
            for name in moved
        ]
        words = ", ".join(changes if len(moved) <= _MAX_MOVED else moved)
        return styled(f"Others also changed {words}. This is kept.")

    @property
    def _undecided(self) -> list[str]:
        return [name for name in self._freshness.conflicts if name not in self._mine]

    def action_choose(self, mine: bool) -> None:
        """Choose the value of the highlighted field, and go to the next one."""
        options = self.query_one(OptionList)
        at = options.highlighted or 0
        self._mine[self._freshness.conflicts[at]] = mine
        options.highlighted = min(at + 1, len(self._freshness.conflicts) - 1)
        self._show()
        self._say(_CHOICES)

    def _say(self, words: Content, *, problem: bool = False) -> None:
        line = self.query_one("#choose", Static)
        line.update(words)
        line.set_class(problem, "problem")

    def action_go_on(self) -> None:
        """Close with the draft, once each field has a choice."""
        if self._undecided:
            self._say(styled(f"Press m or o: {', '.join(self._undecided)}"), problem=True)
            return
        draft = self._freshness.draft
        for name, mine in self._mine.items():
            if not mine:
                draft = draft.without(name)
        self.dismiss(draft)
