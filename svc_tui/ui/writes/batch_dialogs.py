"""The dialogs of a batch: who gets what, how many to type on LIVE, how far it has come."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Input, OptionList, ProgressBar, Static
from textual.widgets.option_list import Option

from svc_tui.domain.editing.batch import BatchChange
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame, move_cursor
from svc_tui.ui.dialogs.menu import Item, MenuScreen
from svc_tui.ui.editing.request_card import TicketDialog
from svc_tui.ui.text import measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.ui.widgets.inputs.ticket_input import TicketInput
from svc_tui.ui.widgets.text.difference import json_or_unset

_MAX_CELLS = 70
_MARGIN_CELLS = 6
"""Cells beside a line: the dialog's border and padding, the scroll bar, and one at the end."""
_MAX_ID_CELLS = 30
"""Cells that ids may take."""


@dataclass(frozen=True, slots=True)
class ConfirmedBatch:
    """What is to be sent, in order, and the ticket it is for."""

    changes: tuple[BatchChange, ...]
    ticket: str


class BatchScreen(TicketDialog[ConfirmedBatch]):
    """The table of a batch, old and new for each record; space leaves one out, `y` agrees to the rest.

    `seen` are the changes as they are shown, in the same order.
    """

    DEFAULT_CSS = """
    BatchScreen > #dialog { height: 80%; }
    BatchScreen OptionList { height: 1fr; }
    BatchScreen OptionList > .option-list--option { padding: 0; }
    BatchScreen .note { color: $role-muted; height: auto; }
    """

    AUTO_FOCUS = "OptionList"

    BINDINGS = [
        Binding("space", "skip", "Leave out", id="batch.skip", tooltip="Leave this record out, or take it in again"),
        Binding("y", "send", "Send", id="batch.send", tooltip="Send the changes one after the other"),
        Binding("t", "ticket", "Ticket", id="batch.ticket",
                tooltip="Write the ticket's reference; Enter leaves the line"),
        Binding("j", "move(1)", "Down", show=False, id="batch.down", tooltip="To the next record"),
        Binding("k", "move(-1)", "Up", show=False, id="batch.up", tooltip="To the record before"),
    ]  # fmt: skip

    def __init__(
        self,
        title: Content,
        changes: Sequence[BatchChange],
        seen: Sequence[BatchChange],
        note: str,
        ticket_line: TicketInput,
        *,
        danger: bool,
    ) -> None:
        super().__init__()
        self._title, self._changes, self._seen, self._note = title, tuple(changes), tuple(seen), note
        self._danger, self.ticket_line = danger, ticket_line
        self._out: set[int] = set()
        self._cells = _MAX_CELLS

    def compose(self) -> ComposeResult:
        """Where, the table, what was left out, the ticket, two buttons."""
        with DialogFrame(self._title, "space leaves one out · t ticket", danger=self._danger):
            yield ChangingList(markup=False)
            yield Static(styled(self._note), classes="note")
            yield self.ticket_line
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Back", "cancel", button_id="back")
                yield DialogButton("", "send", button_id="send")

    def on_mount(self) -> None:
        """Show the table, the cursor on its first line."""
        self._show(0)

    def on_resize(self, event: events.Resize) -> None:
        """Write the lines anew for the room they have."""
        cells = min(_MAX_CELLS, event.size.width - _MARGIN_CELLS)
        if cells != self._cells:
            self._cells = cells
            self._show(self.query_one(OptionList).highlighted or 0)

    def _show(self, at: int) -> None:
        ids = min(_MAX_ID_CELLS, max(measure(visible(change.record_id)) for change in self._seen))
        lines = self.query_one(OptionList)
        lines.set_options(
            Option(_change_line(change, index not in self._out, ids, self._cells))
            for index, change in enumerate(self._seen)
        )
        lines.highlighted = at
        count = len(self._changes) - len(self._out)
        self.query_one("#send", Button).label = Content(f"y Send {count}")

    def action_skip(self) -> None:
        """Leave the record under the cursor out, or take it in again, and go to the next."""
        at = self.query_one(OptionList).highlighted
        if at is not None:
            self._out ^= {at}
            self._show(min(at + 1, len(self._changes) - 1))

    def action_move(self, direction: int) -> None:
        """Go to the next line, or the one before."""
        move_cursor(self.query_one(OptionList), direction)

    @on(Input.Submitted, "#ticket")
    def _ticket_written(self) -> None:
        self.query_one(OptionList).focus()

    def action_send(self) -> None:
        """Agree to what is not left out."""
        changes = tuple(change for index, change in enumerate(self._changes) if index not in self._out)
        if changes and not self.stray_key_pressed():
            self.dismiss(ConfirmedBatch(changes, self.ticket_line.ticket))


def _change_line(change: BatchChange, taken: bool, ids: int, cells: int) -> Content:
    room = max(8, (cells - ids - 10) // 2)
    old, new = (shorten(visible(json_or_unset(value)), room) for value in (change.old, change.new))
    name = pad(visible(change.record_id), ids)
    if not taken:
        return Content.assemble(
            ("  · ", "$role-muted"), (f"{name}  {old}", "$role-muted"), ("  left out", "$role-muted")
        )
    return Content.assemble(
        ("  ✓ ", "$role-ok"), name, "  ", (old, "$role-muted"), (" → ", "$role-muted"), (new, "$role-changed")
    )


class ConfirmCountScreen(Dialog[bool]):
    """True once the number of records was typed; None when closed without."""

    def __init__(self, count: int, host: str) -> None:
        super().__init__()
        self._count, self._host = count, host

    def compose(self) -> ComposeResult:
        """The question, the line for the number."""
        with DialogFrame("Send to LIVE", danger=True):
            yield Static(
                styled(f"{record_count_text(self._count)} on {self._host} will be changed, one after the other.")
            )
            yield Static(f"Type {self._count} and Enter. Esc goes back.", classes="hint", markup=False)
            yield TextInput(id="count")
            yield Static("", classes="problem", id="problem", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Only the number will do."""
        if event.value.strip() == str(self._count):
            self.dismiss(True)
        else:
            self.query_one("#problem", Static).update(f"That is not the number. Type {self._count}.")


class BatchProgressScreen(Dialog[None]):
    """How far a batch has come; Esc stops it after the one under way."""

    DEFAULT_CSS = """
    BatchProgressScreen ProgressBar { width: 1fr; margin: 1 0; }
    BatchProgressScreen Bar { width: 1fr; }
    """

    BINDINGS = [Binding("escape", "stop", "Stop", id="batch.stop", tooltip="Stop after the record that is under way")]

    def __init__(self, title: Content, total: int, done: int) -> None:
        super().__init__()
        self._title, self._total, self._done = title, total, done
        self.stopping = False
        """Whether the user wants no further one to be sent."""

    def compose(self) -> ComposeResult:
        """A line, a bar, a button."""
        with DialogFrame(self._title):
            yield Static(id="line", markup=False)
            yield ProgressBar(total=self._total, show_eta=False, show_percentage=False)
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Stop after this one", "stop", button_id="stop")

    def on_mount(self) -> None:
        """Show where it begins."""
        self.show_progress(self._done, "")

    def show_progress(self, done: int, record_id: str) -> None:
        """Show that so many are done and `record_id` is under way."""
        self._done = done
        self.query_one(ProgressBar).progress = done
        under_way = f" · {record_id}" if record_id else ""
        self.query_one("#line", Static).update(styled(f"{done} of {self._total}{under_way}"))

    def action_stop(self) -> None:
        """Let the one under way come to its end, and send no other."""
        self.stopping = True
        self.query_one("#stop", Button).label = Content("stopping")


class StoppedBatchScreen(MenuScreen[Item], Generic[Item]):
    """Why a batch stands still, and what can be done next; `unsolicited` where it stopped by itself."""

    DEFAULT_CSS = """
    StoppedBatchScreen #why { height: auto; padding: 0 1; margin-bottom: 1; }
    StoppedBatchScreen.-unseen OptionList { text-opacity: 0%; }
    """

    def __init__(self, title: str, why: str, lines: Sequence[tuple[Content, Item]], *, unsolicited: bool) -> None:
        super().__init__(title, lines)
        self._why = why
        self.unsolicited = unsolicited

    def on_mount(self) -> None:
        """The reason stands above the lines."""
        if self._why:
            self.query_one("#dialog").mount(Static(styled(self._why, lines=True), id="why"), before=0)


def record_count_text(count: int) -> str:
    """`1 record`, `12 records`."""
    return "1 record" if count == 1 else f"{count:,} records"
