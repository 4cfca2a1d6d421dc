"""What colleagues handed over and waits for one: a list, and each thing whole, to be taken or not."""

from collections.abc import Callable, Sequence
from datetime import tzinfo

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static

from svc_tui.team.names import tell_apart
from svc_tui.team.shares import Share
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.dialogs.entry_list import EntryListDialog
from svc_tui.ui.text import measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.record.journal_lines import timestamp

_MAX_WHO_CELLS = 16
_INDENT = "  "


class SharedDialog(EntryListDialog[Share, Share]):
    """Gives the thing that is to be looked at, or None; `mask` gives a text as it may be seen."""

    HEADING = "Shared with me"
    EMPTY_TEXT = "Nothing shared. What colleagues share with you or the team appears here."

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="shared.down", tooltip="Move down"),
        Binding("k", "move(-1)", "Up", show=False, id="shared.up", tooltip="Move up"),
    ]

    def __init__(self, shares: Sequence[Share], zone: tzinfo | None, mask: Callable[[str], str]) -> None:
        super().__init__(shares, None)
        self._zone, self._mask = zone, mask
        self._names = tell_apart(share.author for share in shares)

    @property
    def keys(self) -> str:
        """What can be done, for the frame."""
        return "enter open · esc close"

    def line(self, entry: Share, cells: int) -> Content:
        """Who, when and what; the word below."""
        when = timestamp(entry.at, self._zone)[:16]
        names = [measure(visible(name)) for name in self._names.values()]
        who = pad(visible(self._names[entry.author]), min(max(names), _MAX_WHO_CELLS))
        start = Content.assemble((when, "$role-time"), "  ", (who, "bold"), "  ")
        what = shorten(visible(self._mask(entry.words)), max(1, cells - start.cell_length))
        first = Content.assemble(start, what)
        if not entry.word:
            return first
        word = shorten(visible(self._mask(entry.word)), cells - len(_INDENT))
        return Content.assemble(first, "\n", _INDENT, (word, "$role-muted"))

    @on(OptionList.OptionSelected)
    def _open(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.entries[event.option_index])


class SharedThingDialog(Dialog[bool]):
    """One thing whole: True takes it, False declines it, None leaves it where it is.

    `unusable` says why it can't be taken, "" where it can.
    """

    DEFAULT_CSS = """
    SharedThingDialog VerticalScroll { height: auto; max-height: 60vh; scrollbar-size-vertical: 1; }
    SharedThingDialog #unusable { height: auto; margin-top: 1; color: $role-danger; }
    """

    BINDINGS = [
        Binding("t", "take", "Accept", id="shared.take", tooltip="Accept this item; nothing is sent to the service"),
        Binding(
            "d", "decline", "Decline", id="shared.decline", tooltip="Decline this item and remove it from the list"
        ),
    ]

    def __init__(self, title: str, content: Content, unusable: str) -> None:
        super().__init__()
        self._title, self._content, self._unusable = title, content, unusable

    def compose(self) -> ComposeResult:
        """What it is, and three buttons."""
        with DialogFrame(styled(self._title), "↑ ↓ scroll"):
            with VerticalScroll():
                yield Static(self._content)
            if self._unusable:
                yield Static(styled(self._unusable), id="unusable")
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Later", "cancel", button_id="later")
                yield DialogButton("d Decline", "decline", button_id="decline")
                if not self._unusable:
                    yield DialogButton("t Accept", "take", button_id="take")

    def action_take(self) -> None:
        """Take it, where it can be."""
        if not self._unusable:
            self.dismiss(True)

    def action_decline(self) -> None:
        """Decline it."""
        self.dismiss(False)
