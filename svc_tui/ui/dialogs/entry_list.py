"""A dialog with a list of stored entries, newest first, with a search; and one with the details of an entry."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.storage.errors import StoreError
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput

Entry = TypeVar("Entry")
DialogResult = TypeVar("DialogResult")

MAX_CELLS = 70
"""The maximum width of a line."""

_MARGIN_CELLS = 6
"""Cells beside a line: the dialog's border and padding, the scroll bar, and one at the end."""


class EntryScreen(Dialog[None]):
    """A dialog with all details of one entry."""

    DEFAULT_CSS = """
    EntryScreen VerticalScroll { height: auto; max-height: 80vh; scrollbar-size-vertical: 1; }
    """

    def __init__(self, title: str, content: Content) -> None:
        super().__init__()
        self._heading, self._content = title, content

    def compose(self) -> ComposeResult:
        """Compose the details."""
        with DialogFrame(styled(self._heading), "↑ ↓ scroll · esc close"), VerticalScroll():
            yield Static(self._content)


class EntryListDialog(Dialog[DialogResult], Generic[Entry, DialogResult]):
    """A list of entries; a subclass has the words for them, and returns the line of one.

    A subclass with a `search` binds `move`, `search` and `back`.
    """

    DEFAULT_CSS = """
    EntryListDialog > #dialog { height: 80%; }
    EntryListDialog OptionList { height: 1fr; }
    EntryListDialog OptionList > .option-list--option { padding: 0 1 0 0; }
    EntryListDialog TextInput { display: none; }
    EntryListDialog TextInput.-open { display: block; }
    EntryListDialog .hint { display: none; height: 1fr; }
    EntryListDialog.-empty .hint { display: block; }
    EntryListDialog.-empty OptionList { display: none; }
    """

    HEADING: ClassVar[str]
    """The name of the entries."""
    EMPTY_TEXT: ClassVar[str]
    """The text for an empty list."""
    NO_MATCH_TEXT: ClassVar[str] = ""
    """The text for a search without matches."""
    SEARCH_HINT: ClassVar[str] = ""
    """The placeholder of the search line."""

    def __init__(
        self, entries: Sequence[Entry], search: Callable[[str], Awaitable[Sequence[Entry]]] | None, text: str = ""
    ) -> None:
        """List the newest entries, or those that `search` found for `text`.

        `search` raises StoreError; without it there is no search line.
        """
        super().__init__()
        self.entries = tuple(entries)
        self.text = text
        self._search = search
        self._cells = MAX_CELLS

    @abstractmethod
    def line(self, entry: Entry, cells: int) -> Content:
        """Return the line of an entry in `cells` cells."""

    @property
    def heading(self) -> Content:
        """The title of the frame."""
        found = " found" if self.text else ""
        return styled(f"{self.HEADING} · {len(self.entries):,}{found}" if self.entries or found else self.HEADING)

    @property
    @abstractmethod
    def keys(self) -> str:
        """The words for the line of keys."""

    @property
    def note(self) -> str:
        """A note on the frame."""
        return ""

    @property
    def chosen(self) -> Entry | None:
        """The entry under the cursor."""
        at = self.query_one(OptionList).highlighted
        return self.entries[at] if at is not None and self.entries else None

    def compose(self) -> ComposeResult:
        """Compose the list, the text for an empty list, and the search line."""
        with DialogFrame("", self.keys) as frame:
            frame.border_subtitle = self.note
            yield ChangingList(markup=False)
            yield Static(classes="hint", markup=False)
            if self._search is not None:
                yield TextInput(self.text, placeholder=self.SEARCH_HINT, classes="-open" * bool(self.text))

    def on_mount(self) -> None:
        """List the entries."""
        self.show(self.entries)

    def on_resize(self, event: events.Resize) -> None:
        """Write the lines for the new width."""
        cells = min(MAX_CELLS, event.size.width - _MARGIN_CELLS)
        if cells != self._cells:
            self._cells = cells
            self.show(self.entries)

    def show(self, entries: Sequence[Entry]) -> None:
        """List these entries, with the cursor near its last line."""
        self.entries = tuple(entries)
        self.say(self.heading)
        self.set_class(not self.entries, "-empty")
        self.query_one(".hint", Static).update(self.NO_MATCH_TEXT if self.text else self.EMPTY_TEXT)
        lines = self.query_one(OptionList)
        at = 0 if lines.highlighted is None else min(lines.highlighted, len(self.entries) - 1)
        lines.set_options([Option(self.line(entry, self._cells)) for entry in self.entries])
        lines.highlighted = at if self.entries else None

    def say(self, words: Content) -> None:
        """Show a title or an error on the frame."""
        self.query_one("#dialog").border_title = words

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if event.value != self.text and self._search is not None:
            self.run_worker(self._find(self._search, event.value), group="search", exclusive=True)

    async def _find(self, search: Callable[[str], Awaitable[Sequence[Entry]]], text: str) -> None:
        try:
            entries = await search(text)
        except StoreError as error:
            self.say(styled(str(error)))
            return
        self.text = text
        self.show(entries)

    @on(Input.Submitted)
    def _to_list(self) -> None:
        self.query_one(OptionList).focus()

    def action_move(self, direction: int) -> None:
        """Go to the next or the previous line."""
        move_cursor(self.query_one(OptionList), direction)

    def action_search(self) -> None:
        """Open the search line."""
        line = self.query_one(TextInput)
        line.add_class("-open")
        line.focus()

    def action_back(self) -> None:
        """Close the search, or the dialog if there is no search."""
        line = self.query_one(TextInput)
        if line.has_class("-open"):
            line.value = ""
            line.remove_class("-open")
            self.query_one(OptionList).focus()
        else:
            self.dismiss(None)
