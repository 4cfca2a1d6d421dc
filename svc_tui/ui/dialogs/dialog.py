"""The base of dialogs: a frame of at most 76 columns, buttons, a line of keys, and Esc to cancel."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from math import inf
from typing import ClassVar, Generic, TypeAlias, TypeVar

from textual import events, on
from textual.binding import ActiveBinding, Binding
from textual.containers import Vertical
from textual.content import Content, ContentText
from textual.geometry import Size
from textual.keys import KEY_NAME_REPLACEMENTS
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, OptionList

from svc_tui.ui.terminal.painting import PaintsDirtyCells
from svc_tui.ui.text import MASKED_CLASS
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.bars.border_title import StatefulTitle, build_border_title
from svc_tui.ui.widgets.bars.key_bar import KeyBar, KeyBarItem, KeyEmphasis
from svc_tui.ui.widgets.bars.too_small import cover_if_too_small
from svc_tui.ui.widgets.text.scroll_text import ScrollText

DialogResult = TypeVar("DialogResult")


REACTION_SECONDS = 0.3
"""Seconds for which a question must be in view before it takes keys."""


MASKED_WORDS = "masked · ctrl+o unmask, or reopen it to see it masked"
"""The words below a dialog that is covered because personal data is masked."""


TitleText: TypeAlias = "ContentText | StatefulTitle"
"""The title of a dialog."""

_STATE_SECONDS = 0.2
"""Seconds between updates of a state in a title: a countdown shows seconds."""

_KEY_NAMES = {
    "enter": "enter", "esc": "escape", "tab": "tab", "space": "space", "pgup": "pageup", "pgdn": "pagedown",
    "del": "delete", "↑": "up", "↓": "down", "←": "left", "→": "right",
}  # fmt: skip
"""Textual's names of keys, by their words in `DialogFrame.keys`."""

_KEY = re.compile(r"(?:enter|esc|tab|space|pgup|pgdn|del|ctrl\+\w+|f\d+|\S) ")
"""A key at the start of such words."""


class DialogFrame(Vertical):
    """The contents of a dialog within its border, with the `title` on it.

    `keys` are the words for the line of keys, such as `enter run · esc close`; without them, it names the bindings that
    no button has.
    """

    def __init__(self, title: TitleText = "", keys: str = "", *, danger: bool = False) -> None:
        super().__init__(id="dialog", classes="danger" if danger else None)
        self.set_title(title)
        self.keys = keys

    def set_title(self, title: TitleText) -> None:
        """Replace the title."""
        self._title = title
        if isinstance(title, StatefulTitle):
            self._show_state(title)
        else:
            self.border_title = title

    def on_mount(self) -> None:
        """Update the state in the title."""
        if isinstance(self._title, StatefulTitle):
            self.set_interval(_STATE_SECONDS, lambda: self.set_title(self._title))

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Place the state at the right end of the border before it is painted, since `Resize` comes after that."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if isinstance(self._title, StatefulTitle):
            self._show_state(self._title)
        return changed

    def _show_state(self, title: StatefulTitle) -> None:
        text = build_border_title(self, title.text, title.state()) if self.outer_size.width else title.text
        if not (isinstance(self._border_title, Content) and text.is_same(self._border_title)):
            self.border_title = text


class DialogButton(Button):
    """A button for an action that has a key; its label is the key and a word."""

    def __init__(self, label: str, dialog_action: str, *, button_id: str) -> None:
        super().__init__(Content(label), id=button_id)
        self.dialog_action = dialog_action
        self._whole_label = label

    def relabel(self, label: str) -> None:
        """Replace the label, and resize the button."""
        self._whole_label = label
        self.label = Content(label)
        self.refresh(layout=True)

    def name_key(self, named: bool) -> None:
        """Show the key and the word, or only the word in its place, while the key does something else."""
        key, _, words = self._whole_label.partition(" ")
        self.label = Content(self._whole_label if named else f"{' ' * len(key)} {words}")


class _DialogKeyBar(KeyBar):
    """The line of keys of a dialog."""

    LAST = "app.keys_here"

    def _current_keys(self, bindings: Iterable[ActiveBinding], emphasis: KeyEmphasis | None) -> Sequence[KeyBarItem]:
        screen = self.screen
        assert isinstance(screen, Dialog)
        if screen.named_keys:
            items = [self._item(words) for words in screen.named_keys.split(" · ")]
            return [item for item in items if not self._is_typed(item.key)]
        # Hidden buttons count too: their actions can't be done now.
        on_buttons = {button.dialog_action for button in screen.query(DialogButton)}
        # The keys of the app are left out.
        own = [active for active in bindings if active.node is not self.app and active.binding.action not in on_buttons]
        return super()._current_keys(own, KeyEmphasis(also={"dialog.keys": "Keys"}))

    def _item(self, words: str) -> KeyBarItem:
        keys: list[str] = []
        while found := _KEY.match(words):
            keys.append(found.group().strip())
            words = words[found.end() :]
        names = list(map(_key_name, keys))
        display = " ".join(
            key if len(key) == 1 else self.app.get_key_display(Binding(name, "", ""))
            for key, name in zip(keys, names, strict=True)
        )
        action = self.LAST if keys == ["?"] else words
        return KeyBarItem(
            names[0], display, words[:1].upper() + words[1:], action, enabled=True, is_kept=keys == ["esc"]
        )


def _key_name(key: str) -> str:
    """Return Textual's name of a key."""
    if key in _KEY_NAMES or len(key) > 1 or key.isalnum():
        return _KEY_NAMES.get(key, key)
    name = re.sub("[- ]", "_", unicodedata.name(key).lower())
    return KEY_NAME_REPLACEMENTS.get(name, name)


def move_cursor(options: OptionList, direction: int) -> None:
    """Move to the next line of a list, or to the previous one for a negative `direction`."""
    if direction > 0:
        options.action_cursor_down()
    else:
        options.action_cursor_up()


def move_to_end(options: OptionList, direction: int) -> None:
    """Move to the last line of a list, or to the first one for a negative `direction`."""
    if direction > 0:
        options.action_last()
    else:
        options.action_first()


class Dialog(PaintsDirtyCells, ModalScreen[DialogResult | None], Generic[DialogResult]):
    """A modal dialog; a subclass composes one `DialogFrame`.

    An `unsolicited` dialog opens by itself, possibly while the user types: it takes no key that was pressed before it
    could be seen, and shows no buttons before that.
    """

    TOUR_NAME: ClassVar[OpenDialog] = OpenDialog.OTHER
    """The tour's name for dialogs of this class."""

    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        layers: base too-small;
        background: $role-background 60%;
    }
    Dialog > #dialog {
        width: 76;
        max-width: 100%;
        height: auto;
        max-height: 100%;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        padding: 0 1;
        border: round $role-accent;
        border-title-style: bold;
        border-subtitle-color: $role-muted;
        background: $role-surface;
    }
    Dialog .hint { color: $role-muted; }
    Dialog .problem { color: $role-danger; }
    Dialog .buttons {
        height: auto;
        align-horizontal: right;
        margin-top: 1;
    }
    Dialog .buttons Button {
        height: 1;
        min-width: 0;
        margin-left: 2;
        padding: 0 1;
        background: $role-panel;
        color: $role-foreground;
        text-style: none;
        /* Textual frames a button under the mouse: it would grow, and move away from under it. */
        &, &:hover, &.-active { border: none; }
    }
    Dialog .buttons Button:disabled {
        background: $role-surface;
        color: $role-muted;
        /* Textual fades it, so that it can hardly be read. */
        opacity: 100%;
        text-opacity: 100%;
    }
    Dialog.-unseen .buttons Button { text-opacity: 0%; }
    Dialog.-covered > #dialog > * { visibility: hidden; }
    Dialog .buttons Button:focus {
        background: $role-accent;
        color: $role-background;
        text-style: bold;
    }
    Dialog Input {
        height: 1;
        padding: 0 1;
        background: $role-panel;
        &, &:focus { border: none; }
    }
    Dialog OptionList {
        padding: 0;
        background: $role-surface;
        scrollbar-size-vertical: 1;
        &, &:focus { border: none; background-tint: $role-surface 0%; }
    }
    """

    BINDINGS = [
        Binding("escape", "cancel", "Close", id="dialog.cancel", tooltip="Close the dialog"),
        Binding(
            "question_mark,f1",
            "app.keys_here",
            "Keys",
            id="dialog.keys",
            show=False,
            key_display="?",
            tooltip="Show the keys of this dialog",
        ),
        # The app's binding is not reached from a dialog, where ctrl+z is a key of inputs.
        Binding(
            "ctrl+z",
            "app.suspend_process",
            "Suspend",
            id="dialog.suspend",
            show=False,
            tooltip="Suspend svc-tui; fg resumes it",
        ),
    ]

    confirm_key = "y"
    """The key that confirms."""
    unsolicited = False
    """True if it opens by itself."""
    _accepts_from = 0.0
    """The time from which keys are accepted, by the clock of events; infinite before it is known."""

    shows_unmasked = False
    """True if it shows personal data although that is masked, because the user agreed to it."""
    _named_keys = ""
    _masked = False
    """True if personal data was masked when it was opened."""
    _under_cover: tuple[Widget | None, str | None] | None = None
    """The focused widget and the words below before it was covered; None if it is not."""

    class Opened(Message):
        """A dialog was opened."""

    @on(events.Mount)
    def _announce(self) -> None:
        self.post_message(self.Opened())
        self._masked = self.app.has_class(MASKED_CLASS) and not self.shows_unmasked
        if self.unsolicited:
            self._accepts_from = inf
            self.add_class("-unseen")
            self.call_after_refresh(self.set_timer, REACTION_SECONDS, self._accept_keys)

    @on(events.Resize)
    def _cover_if_too_small(self, event: events.Resize) -> None:
        cover_if_too_small(self, event.size)

    async def mount_composed_widgets(self, widgets: list[Widget]) -> None:
        """Add the line of keys, which covers the one of the screen behind."""
        await super().mount_composed_widgets([*widgets, self.make_key_bar()])

    def make_key_bar(self) -> KeyBar:
        """Return the line of keys."""
        return _DialogKeyBar()

    @property
    def named_keys(self) -> str:
        """The words for the line of keys, as in `DialogFrame`; "" for the bindings that no button has."""
        frame = self.query(DialogFrame)
        return self._named_keys or (frame.first().keys if frame else "")

    def name_keys(self, words: str) -> None:
        """Replace the words for the line of keys."""
        if words != self._named_keys:
            self._named_keys = words
            self.refresh_bindings()

    def _accept_keys(self) -> None:
        self._accepts_from = Message().time
        self.remove_class("-unseen")

    def accepts(self, event: events.Event) -> bool:
        """Return True if the dialog was in view before the event."""
        return event.time >= self._accepts_from

    @on(events.Key)
    def _ignore_early_key(self, event: events.Key) -> None:
        # A stopped key finds no binding, so nothing is confirmed that can't be seen.
        if not self.accepts(event) or (self._under_cover is not None and event.key != "escape"):
            event.stop()

    @on(Button.Pressed)
    async def _run_button_action(self, event: Button.Pressed) -> None:
        if isinstance(event.button, DialogButton):
            await self.run_action(event.button.dialog_action)

    def reserve_rows(self, rows: int) -> None:
        """Keep rows at the foot of the screen free."""

    def mask_toggled(self, on: bool) -> None:
        """Cover the dialog if personal data is masked now, or uncover it.

        Its contents were made before, and may show personal data.
        """
        dialog = self.query_one("#dialog")
        if on and not self._masked and self._under_cover is None:
            self._under_cover = self.focused, dialog.border_subtitle
            self.set_focus(None)
            dialog.border_subtitle = MASKED_WORDS
        elif not on and self._under_cover is not None:
            focused, dialog.border_subtitle = self._under_cover
            self._under_cover = None
            self.set_focus(focused)
        self.set_class(self._under_cover is not None, "-covered")

    def action_cancel(self) -> None:
        """Close without a result."""
        self.dismiss(None)


class ReviewDialog(Dialog[DialogResult], Generic[DialogResult]):
    """A dialog whose text must be read to its end before it can be confirmed; the text is in one `ScrollText`.

    A subclass sets `rows_below` to the number of the other rows without blank lines, and checks `all_read` before it
    confirms anything.
    """

    DEFAULT_CSS = """
    ReviewDialog > #dialog { overflow-y: hidden; }
    ReviewDialog.-short .buttons { margin-top: 0; }
    """

    BINDINGS = [
        Binding("up", "read(-1)", "Up", show=False, id="review.up", tooltip="Scroll up"),
        Binding("down", "read(1)", "Down", show=False, id="review.down", tooltip="Scroll down"),
        Binding("pageup", "read_page(-1)", "Page up", show=False, id="review.page_up", tooltip="Scroll up one page"),
        Binding(
            "pagedown", "read_page(1)", "Page down", show=False, id="review.page_down", tooltip="Scroll down one page"
        ),
        Binding("home", "read_start", "First line", show=False, id="review.start", tooltip="Scroll to the start"),
        Binding("end", "read_end", "Last line", show=False, id="review.end", tooltip="Scroll to the end"),
    ]

    rows_below: int = 1
    _SHORT = 20
    """Rows of the screen below which blank lines are left out."""
    _FRAME = 2
    """Rows of the border."""
    said_below = ""
    """The message below the text, which stays while the text grows."""
    _held_back = False
    _taken = 0
    """Rows at the foot of the screen that are kept free."""

    def on_resize(self, event: events.Resize) -> None:
        """Fit the text to the screen."""
        self._fit(self.size.height)

    def reserve_rows(self, rows: int) -> None:
        """Keep rows at the foot of the screen free."""
        self._taken = rows
        self._fit(self.size.height)

    def _fit(self, height: int) -> None:
        """Give the text the rows that the rest leaves free."""
        # One row is the line of keys.
        height -= max(1, self._taken) + self.query_one("#dialog").styles.margin.bottom
        short = height < self._SHORT
        self.set_class(short, "-short")
        rest = self._FRAME + self.rows_below * (1 if short else 2)
        self._reading.styles.max_height = max(1, height - rest)

    def all_read(self) -> bool:
        """Return True if the end of the text was in view; else scroll by a page, and say so."""
        if self._reading.read:
            return True
        self._held_back = True
        self._reading.scroll_pages(1)
        return False

    def action_read(self, lines: int) -> None:
        """Scroll the text by lines."""
        self._reading.scroll_lines(lines)

    def action_read_page(self, pages: int) -> None:
        """Scroll the text by pages."""
        self._reading.scroll_pages(pages)

    def action_read_start(self) -> None:
        """Scroll the text to its start."""
        self._reading.scroll_home(animate=False)

    def action_read_end(self) -> None:
        """Scroll the text to its end."""
        self._reading.scroll_end(animate=False)

    @on(ScrollText.Moved)
    def _show_scroll_state(self) -> None:
        dialog = self.query_one("#dialog")
        if self._reading.more:
            dialog.border_subtitle = "↓ more below"
        else:
            dialog.border_subtitle = (
                f"end of text · press {self.confirm_key} again to continue" if self._held_back else self.said_below
            )

    @property
    def _reading(self) -> ScrollText:
        return self.query_one(ScrollText)
