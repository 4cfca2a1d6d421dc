"""Asks to whom a thing is to be handed, and for a word with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput

_EVERYBODY = "everybody in the team"
_OTHER_ROWS = 18
"""Rows of the screen that the thing itself leaves to the rest."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """Who is to have it, "" for everybody, and the word for them."""

    to: str
    word: str


class ShareDialog(Dialog[Recipient]):
    """Gives whom it goes to, or None; `people` are the names that are known, `problem` says of a word why it can't go.

    `title` names the thing, `content` is what is in it.
    """

    DEFAULT_CSS = """
    ShareDialog VerticalScroll { height: auto; max-height: 12; margin-bottom: 1; scrollbar-size-vertical: 1; }
    ShareDialog OptionList { height: auto; max-height: 6; margin-bottom: 1; }
    ShareDialog OptionList > .option-list--option { padding: 0 1; }
    ShareDialog .problem { height: auto; }
    """

    AUTO_FOCUS = "OptionList"

    BINDINGS = [
        Binding("ctrl+s", "share", "Share", id="team.share", priority=True, tooltip="Share this item"),
    ]

    def __init__(self, title: str, content: Content, people: Sequence[str], problem: Callable[[str], str]) -> None:
        super().__init__()
        self._title, self._content, self._people, self._problem = title, content, tuple(people), problem

    def compose(self) -> ComposeResult:
        """What is in it, to whom, a word."""
        with DialogFrame(Content.assemble("Share · ", styled(self._title)), "enter next"):
            with VerticalScroll():
                yield Static(self._content)
            yield Static("To", classes="hint", markup=False)
            yield OptionList(*(Option(styled(name)) for name in (_EVERYBODY, *self._people)), markup=False)
            yield TextInput(placeholder="message (optional)", id="word")
            yield Static(classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Cancel", "cancel", button_id="back")
                yield DialogButton("ctrl+s Share", "share", button_id="share")

    def on_mount(self) -> None:
        """One of two is most likely the one who is meant; of many nobody is."""
        self.query_one(OptionList).highlighted = 1 if len(self._people) == 1 else 0

    def on_resize(self, event: events.Resize) -> None:
        """Give the thing the rows that the rest leaves."""
        self.query_one(VerticalScroll).styles.max_height = max(2, min(12, event.size.height - _OTHER_ROWS))

    @on(OptionList.OptionSelected)
    def _to_word(self) -> None:
        self.query_one("#word").focus()

    @on(Input.Submitted)
    def action_share(self) -> None:
        """Close with the choice, or say what is wrong with the word."""
        word = self.query_one("#word", Input).value.strip()
        if problem := self._problem(word):
            self.query_one(".problem", Static).update(styled(problem))
            return
        at = self.query_one(OptionList).highlighted or 0
        self.dismiss(Recipient(("", *self._people)[at], word))
