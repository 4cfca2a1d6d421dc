"""The frame that dialogs share: centred, at most 76 columns, never larger than the screen, Esc cancels."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from math import inf
from typing import Generic, TypeAlias, TypeVar

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
from svc_tui.ui.widgets.bars.border_title import StatefulTitle, build_border_title
from svc_tui.ui.widgets.bars.key_bar import KeyBar, KeyBarItem, KeyEmphasis
from svc_tui.ui.widgets.bars.too_small import cover_if_too_small
from svc_tui.ui.widgets.text.scroll_text import ScrollText

DialogResult = TypeVar("DialogResult")


REACTION_SECONDS = 0.3
"""Seconds for which a question must be in view before a key can be an answer to it."""


MASKED_WORDS = "masked · ctrl+o unmask, or reopen it to see it masked"
"""The line below a dialog that is covered since personal data is to be hidden."""


TitleText: TypeAlias = "ContentText | StatefulTitle"
"""The title of a dialog."""

_STATE_SECONDS = 0.2
"""Seconds between updates of a state in a title: a countdown shows seconds."""

_KEY_NAMES = {
    "enter": "enter", "esc": "escape", "tab": "tab", "space": "space", "pgup": "pageup", "pgdn": "pagedown",
    "del": "delete", "↑": "up", "↓": "down", "←": "left", "→": "right",
}  # fmt: skip
"""Textual's names of keys, by the words for them in `DialogFrame.keys`."""

_KEY = re.compile(r"(?:enter|esc|tab|space|pgup|pgdn|del|ctrl\+\w+|f\d+|\S) ")
"""A key at the beginning of such words."""


class DialogFrame(Vertical):
    """The contents of a dialog within its border, with the `title` on it.

    `keys` are for the line of keys, such as `enter run · esc close`; without them, that names what no button does.
    """

    def __init__(self, title: TitleText = "", keys: str = "", *, danger: bool = False) -> None:
        super().__init__(id="dialog", classes="danger" if danger else None)
        self.set_title(title)
        self.keys = keys

    def set_title(self, title: TitleText) -> None:
        """Show another title."""
        self._title = title
        if isinstance(title, StatefulTitle):
            self._show_state(title)
        else:
            self.border_title = title

    def on_mount(self) -> None:
        """Keep the state in the title up to date."""
        if isinstance(self._title, StatefulTitle):
            self.set_interval(_STATE_SECONDS, lambda: self.set_title(self._title))

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Put the state at the right end of the border before it is painted; `Resize` comes only after that."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if isinstance(self._title, StatefulTitle):
            self._show_state(self._title)
        return changed

    def _show_state(self, title: StatefulTitle) -> None:
        text = build_border_title(self, title.text, title.state()) if self.outer_size.width else title.text
        if not (isinstance(self._border_title, Content) and text.is_same(self._border_title)):
            self.border_title = text


class DialogButton(Button):
    """A button that does what a key of its dialog does; its label is that key and a word."""

    def __init__(self, label: str, dialog_action: str, *, button_id: str) -> None:
        super().__init__(Content(label), id=button_id)
        self.dialog_action = dialog_action
        self._whole_label = label

    def relabel(self, label: str) -> None:
        """Show another label, in as much room as that takes."""
        self._whole_label = label
        self.label = Content(label)
        self.refresh(layout=True)

    def name_key(self, named: bool) -> None:
        """Show the key, or only the word, in its place, while the key does something else."""
        key, _, words = self._whole_label.partition(" ")
        self.label = Content(self._whole_label if named else f"{' ' * len(key)} {words}")


class _DialogKeyBar(KeyBar):
    """The line of keys while a dialog is open."""

    LAST = "app.keys_here"

    def _current_keys(self, bindings: Iterable[ActiveBinding], emphasis: KeyEmphasis | None) -> Sequence[KeyBarItem]:
        screen = self.screen
        assert isinstance(screen, Dialog)
        if screen.named_keys:
            items = [self._item(words) for words in screen.named_keys.split(" · ")]
            return [item for item in items if not self._is_typed(item.key)]
        # A button that is hidden is for what can't be done now.
        on_buttons = {button.dialog_action for button in screen.query(DialogButton)}
        # The keys of the app are not about the dialog.
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
    """Return Textual's name of a key, by the word for it."""
    if key in _KEY_NAMES or len(key) > 1 or key.isalnum():
        return _KEY_NAMES.get(key, key)
    name = re.sub("[- ]", "_", unicodedata.name(key).lower())
    return KEY_NAME_REPLACEMENTS.get(name, name)


def move_cursor(options: OptionList, direction: int) -> None:
    """Go to the next line of a list, or with a `direction` below 0 to the one before."""
    if direction > 0:
        options.action_cursor_down()
    else:
        options.action_cursor_up()


def move_to_end(options: OptionList, direction: int) -> None:
    """Go to the last line of a list, or with a `direction` below 0 to the first one."""
    if direction > 0:
        options.action_last()
    else:
        options.action_first()


class Dialog(PaintsDirtyCells, ModalScreen[DialogResult | None], Generic[DialogResult]):
    """A modal question; a subclass composes one `DialogFrame`.

    One that comes by itself (`unsolicited`) may come under the fingers of a user who types: it takes no key that was
    pressed before it could be seen, and shows no buttons before it takes any.
    """

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
        # The app's own is out of reach from a dialog, unless it comes before what ctrl+z is to a line.
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
    """The key that agrees, where something is to be agreed to."""
    unsolicited = False
    """Whether it opens without a key that asked for it."""
    _seen_at = 0.0
    """When it was in view for long enough, by the clock that events carry; endless before."""

    shows_unmasked = False
    """Whether it shows values as they are even where personal data is hidden, the user having agreed to that."""
    _named_keys = ""
    _masked = False
    """Whether what it shows was hidden when it was made."""
    _under_cover: tuple[Widget | None, str | None] | None = None
    """What had the focus, and what stood below, before it was covered."""

    class Opened(Message):
        """A dialog is there."""

    @on(events.Mount)
    def _wait_for_eyes(self) -> None:
        self.post_message(self.Opened())
        self._masked = self.app.has_class(MASKED_CLASS) and not self.shows_unmasked
        if self.unsolicited:
            self._seen_at = inf
            self.add_class("-unseen")
            self.call_after_refresh(self.set_timer, REACTION_SECONDS, self._was_seen)

    @on(events.Resize)
    def _see_whether_it_fits(self, event: events.Resize) -> None:
        cover_if_too_small(self, event.size)

    async def mount_composed_widgets(self, widgets: list[Widget]) -> None:
        """Add the line of keys, which covers the one that speaks of what is behind."""
        await super().mount_composed_widgets([*widgets, self.make_key_bar()])

    def make_key_bar(self) -> KeyBar:
        """Make the line of keys."""
        return _DialogKeyBar()

    @property
    def named_keys(self) -> str:
        """What the line of keys names, as `DialogFrame` takes it; "" where that is what no button does."""
        frame = self.query(DialogFrame)
        return self._named_keys or (frame.first().keys if frame else "")

    def name_keys(self, words: str) -> None:
        """Name other keys in the line of keys."""
        if words != self._named_keys:
            self._named_keys = words
            self.refresh_bindings()

    def _was_seen(self) -> None:
        self._seen_at = Message().time
        self.remove_class("-unseen")

    def accepts(self, event: events.Event) -> bool:
        """Whether what the user did can be meant for this dialog: it was in view before."""
        return event.time >= self._seen_at

    @on(events.Key)
    def _pass_by(self, event: events.Key) -> None:
        # A key that goes no further finds no binding: nothing is agreed to that can't be seen.
        if not self.accepts(event) or (self._under_cover is not None and event.key != "escape"):
            event.stop()

    @on(Button.Pressed)
    async def _do_as_its_key(self, event: Button.Pressed) -> None:
        if isinstance(event.button, DialogButton):
            await self.run_action(event.button.dialog_action)

    def reserve_rows(self, rows: int) -> None:
        """Keep so many rows at the foot of the screen free."""

    def mask_toggled(self, on: bool) -> None:
        """Personal data is to be hidden, or to be shown again.

        What a dialog shows was made before: it is covered while it may show something that is to be hidden.
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
        """Close without a choice."""
        self.dismiss(None)


class ReviewDialog(Dialog[DialogResult], Generic[DialogResult]):
    """A dialog to be read to its end before it can be agreed to; its text is in one `ScrollText`, the rest in view.

    A subclass says in `rows_below` how many rows the rest takes without its blank lines, and asks `all_read` before it
    agrees to anything.
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
    """What was said below the text, and stays there while the text only grows to its whole."""
    _held_back = False
    _taken = 0
    """Rows at the foot of the screen that something else takes."""

    def on_resize(self, event: events.Resize) -> None:
        """The screen has another size."""
        self._fit(self.size.height)

    def reserve_rows(self, rows: int) -> None:
        """Keep so many rows at the foot of the screen free."""
        self._taken = rows
        self._fit(self.size.height)

    def _fit(self, height: int) -> None:
        """Give the text the rows that the rest leaves."""
        # One row is that of the line of keys.
        height -= max(1, self._taken) + self.query_one("#dialog").styles.margin.bottom
        short = height < self._SHORT
        self.set_class(short, "-short")
        rest = self._FRAME + self.rows_below * (1 if short else 2)
        self._reading.styles.max_height = max(1, height - rest)

    def all_read(self) -> bool:
        """Whether the end of the text was in view; where it was not, scroll on by a page and say so."""
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
    def _say_where(self) -> None:
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
