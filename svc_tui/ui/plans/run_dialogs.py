"""The dialogs of a run: how many to type on LIVE, how far it has come, how it goes on after a stop."""

from collections.abc import Callable, Sequence
from typing import Generic

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, ProgressBar, Static

from svc_tui.core.phrases import counted
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame, TitleText
from svc_tui.ui.dialogs.menu import Item, MenuScreen
from svc_tui.ui.text import styled, visible
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.text_input import TextInput

MANY = 200
"""Records above which the name of their collection is to be typed too."""


class ConfirmCountScreen(Dialog[bool]):
    """True once the number of records was typed, of many with the name of their collection; None: closed without."""

    def __init__(self, count: int, collection: str, host: str) -> None:
        super().__init__()
        self._count, self._host = count, host
        self._wanted = f"{count} {collection}" if count > MANY else str(count)

    def compose(self) -> ComposeResult:
        """The question, the line for the number."""
        with DialogFrame("Send to LIVE", danger=True):
            yield Static(styled(f"{counted(self._count, 'record')} on {self._host} will be changed, one by one."))
            yield Static(styled(f"Type {self._wanted} and press enter. Press esc to cancel.", "$role-muted"))
            yield TextInput(id="count")
            yield Static("", classes="problem", id="problem", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Only that will do."""
        typed = " ".join(event.value.replace(",", "").split())
        if typed == self._wanted:
            self.dismiss(True)
        else:
            what = "the number" if self._wanted.isdigit() else "the number and the collection"
            self.query_one("#problem", Static).update(visible(f"This is not {what}. Type {self._wanted}."))


class ProgressScreen(Dialog[None]):
    """How far long work has come; Esc stops it, `when_stopped` being called where that is to be at once."""

    TOUR_NAME = OpenDialog.PLAN

    DEFAULT_CSS = """
    ProgressScreen ProgressBar { width: 1fr; margin: 1 0; }
    ProgressScreen Bar { width: 1fr; }
    """

    BINDINGS = [Binding("escape", "stop", "Stop", id="run.stop", tooltip="Stop after the current row")]

    def __init__(self, title: TitleText, stop: str, total: int | None = None, done: int = 0) -> None:
        """Make it at `done` of `total`, None where that is not known yet; `stop` says what Esc does."""
        super().__init__()
        self._title, self._stop_words, self._total, self._done = title, stop, total, done
        self.stopping = False
        """Whether the user wants it stopped."""
        self.when_stopped: Callable[[], object] = lambda: None

    def compose(self) -> ComposeResult:
        """A line, a bar, a button."""
        with DialogFrame(self._title):
            yield Static(id="line", markup=False)
            yield ProgressBar(total=self._total, show_eta=False, show_percentage=False)
            with Horizontal(classes="buttons"):
                yield DialogButton(f"esc {self._stop_words}", "stop", button_id="stop")

    def on_mount(self) -> None:
        """Show where it begins."""
        self.show_progress(self._done, "")

    def show_progress(
        self, done: int, what: str, left: str = "", *, total: int | None = None, exceptions: str = ""
    ) -> None:
        """Show that so many are done, `what` is under way, and how long the rest takes, "" where nobody knows.

        `exceptions` counts those that did not end as planned, in words.
        """
        self._done, self._total = done, self._total if total is None else total
        if not self.is_mounted:
            return
        bar = self.query_one(ProgressBar)
        bar.total, bar.progress = self._total, done
        count = f"{done:,}" if self._total is None else f"{done:,} of {self._total:,}"
        self.query_one("#line", Static).update(styled(" · ".join(filter(None, (count, exceptions, what, left)))))

    def action_stop(self) -> None:
        """Let what is under way come to its end, and begin nothing further."""
        self.stopping = True
        self.query_one("#stop", DialogButton).relabel("Stopping…")
        self.when_stopped()


class StoppedRunScreen(MenuScreen[Item], Generic[Item]):
    """Why a run stands still, and what can be done next; `unsolicited` where it stopped by itself."""

    DEFAULT_CSS = """
    StoppedRunScreen #why { height: auto; padding: 0 1; margin-bottom: 1; }
    StoppedRunScreen.-unseen OptionList { text-opacity: 0%; }
    """

    def __init__(self, title: str, why: str, lines: Sequence[tuple[Content, Item]], *, unsolicited: bool) -> None:
        super().__init__(title, lines)
        self._why = why
        self.unsolicited = unsolicited

    def on_mount(self) -> None:
        """The reason stands above the lines."""
        if self._why:
            self.query_one("#dialog").mount(Static(styled(self._why, lines=True), id="why"), before=0)
