"""The line of keys at the bottom: as many as fit, each whole, help at the end."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct
from textual import events
from textual.binding import ActiveBinding, Binding
from textual.content import Content
from textual.keys import key_to_character
from textual.reactive import reactive
from textual.widget import Widget

from svc_tui.core.values import replace
from svc_tui.ui.keys.availability import disabled_reason, reason_off
from svc_tui.ui.text import measure

_KEY_MARGIN_CELLS = 3
"""Cells around a key and its word: one on each side of the key, one after the word."""


class KeyBarItem(Struct, frozen=True):
    """A key in the line: the key, its label, a word for its action, and a description; gray unless `enabled`."""

    key: str
    display: str
    word: str
    action: str
    enabled: bool
    more: str = ""
    is_kept: bool = False
    """True if it stays when there is not room for all."""

    @property
    def cells(self) -> int:
        """The width of the key with its word."""
        return measure(self.display) + measure(self.word) + _KEY_MARGIN_CELLS


class KeyEmphasis(Struct, frozen=True):
    """Keys that the line names first, with their `words`, and those it leaves out, by the ids of their bindings.

    It applies only if the keys of all `words` are enabled. `also` are keys named in their usual place that the line
    does not name otherwise.
    """

    words: Mapping[str, str] = {}
    without: frozenset[str] = frozenset()
    also: Mapping[str, str] = {}


def count_fitting(cells: Sequence[int], room: int) -> int:
    """Return how many of the first items fit into `room` cells; `cells` are their widths."""
    return sum(taken <= room for taken in accumulate(cells))


class KeyBar(Widget):
    """The keys that work here, nearest to the focus first, without those that do not fit or would do nothing.

    Textual's footer is a widget for each key, all of which are replaced whenever the focus moves.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; background: $role-background; color: $role-foreground; }
    """

    LAST = "help"
    """The action whose key is always shown, after all others."""
    KEPT = frozenset({"table.filter", "app.palette"})
    """The ids of bindings that stay when there is not room for all."""

    keys: reactive[tuple[KeyBarItem, ...]] = reactive(())
    """The keys shown."""
    _under: reactive[KeyBarItem | None] = reactive(None)
    """The key under the mouse."""

    def __init__(self, emphasis: Callable[[], KeyEmphasis | None] = lambda: None) -> None:
        """Create it; `emphasis` returns the keys to name first now, or None."""
        super().__init__()
        self._emphasis = emphasis
        self._shown_emphasis: KeyEmphasis | None = None
        """The emphasis of the last update."""
        self._offered: Sequence[KeyBarItem] = ()
        self._last_update = 0

    def on_mount(self) -> None:
        """Update the keys whenever the bindings of the screen change."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self._update_soon())
        self._update_soon()

    def on_resize(self) -> None:
        """Fit the keys to the new width."""
        self._update_soon()

    def update_if_changed(self) -> None:
        """Update the keys if the emphasis has changed; cheap enough for each step of a cursor."""
        self.call_after_refresh(self._update_if_changed)

    def _update_if_changed(self) -> None:
        if self.is_attached and self._emphasis() != self._shown_emphasis:
            self._update_soon()

    def _update_soon(self) -> None:
        """Update the keys after the next refresh; of several requests, only the last counts."""
        if self.is_mounted:
            self._last_update += 1
            self.call_after_refresh(self._update_keys, self._last_update)

    def _update_keys(self, number: int) -> None:
        if number != self._last_update or not self.is_attached:
            return
        if self.app.app_focus:
            # While another window has the focus, no widget has: the keys stay as they were.
            bindings = self.screen.active_bindings.values()
            emphasis = self._current_emphasis(bindings)
            self._offered = self._current_keys(bindings, emphasis)
        self.keys = self._fitting(self.size.width)

    def _current_emphasis(self, bindings: Iterable[ActiveBinding]) -> KeyEmphasis | None:
        """Return the emphasis if all its keys are enabled."""
        emphasis = self._shown_emphasis = self._emphasis()
        working = {active.binding.id for active in bindings if active.enabled}
        return emphasis if emphasis is not None and emphasis.words.keys() <= working else None

    def _current_keys(self, bindings: Iterable[ActiveBinding], emphasis: KeyEmphasis | None) -> Sequence[KeyBarItem]:
        emphasis = emphasis or KeyEmphasis()
        words, also = emphasis.words, emphasis.also
        first: dict[str, KeyBarItem] = {}
        offered: dict[str, KeyBarItem] = {}
        for active in bindings:
            binding = active.binding
            asleep = disabled_reason(active.node, binding.action)
            if binding.action in offered or (asleep is not None and asleep.covered) or binding.id in emphasis.without:
                # Keys of a pane that is covered would only take up room.
                continue
            if self._is_typed(binding.key):
                continue
            is_first = binding.id in words
            if not (is_first or binding.show or binding.id in also) or (
                asleep is None and reason_off(active.node, binding.action)
            ):
                continue
            item = KeyBarItem(
                binding.key,
                self._display(binding),
                words.get(binding.id or "") or also.get(binding.id or "") or binding.description,
                binding.action,
                active.enabled,
                active.tooltip,
                binding.id in self.KEPT or binding.id in also,
            )
            if binding.id is not None and is_first:
                first.setdefault(binding.id, item)
            else:
                offered[binding.action] = item
        return (*(first[name] for name in words if name in first), *offered.values())

    def _is_typed(self, key: str) -> bool:
        """Return whether the focused text field takes the key as a character of its text."""
        focused = self.screen.focused
        # Textual looks up characters by Unicode names, in which a slash is "solidus".
        character = "/" if key == "slash" else key_to_character(key)
        return focused is not None and focused.check_consume_key(key, character)

    def _display(self, binding: Binding) -> str:
        """Return the label of a key; not a character that the focused text field would take."""
        focused, shown = self.screen.focused, binding.key_display
        if focused is not None and shown and len(shown) == 1 and focused.check_consume_key(shown, shown):
            binding = replace(binding, key_display=None)
        return self.app.get_key_display(binding)

    def _fitting(self, room: int) -> tuple[KeyBarItem, ...]:
        last = [key for key in self._offered if key.action == self.LAST]
        others = [key for key in self._offered if key.action != self.LAST]
        room -= sum(key.cells for key in [*last, *(key for key in others if key.is_kept)])
        passing = [key for key in others if not key.is_kept]
        left_out = passing[count_fitting([key.cells for key in passing], room) :]
        shown = [key for key in others if key not in left_out]
        # A very narrow screen has no room for the kept ones either.
        room = self.size.width - sum(key.cells for key in last)
        return (*shown[: count_fitting([key.cells for key in shown], room)], *last)

    def render(self) -> Content:
        """Draw the keys from the left."""
        return Content("").join(self._drawn(key) for key in self.keys)

    def _drawn(self, key: KeyBarItem) -> Content:
        look, ground = (
            "bold $role-accent" if key.enabled else "$role-muted",
            " on $block-hover-background" if key is self._under else "",
        )
        return Content.assemble((f" {key.display} ", f"{look}{ground}"), (f"{key.word} ", f"$role-muted{ground}"))

    def _key_at(self, column: int) -> KeyBarItem | None:
        edge = 0
        for key in self.keys:
            edge += key.cells
            if column < edge:
                return key
        return None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Highlight the key under the mouse, and show its description."""
        self._under = self._key_at(event.x)

    def on_leave(self) -> None:
        """Remove the highlight."""
        self._under = None

    def watch__under(self, key: KeyBarItem | None) -> None:
        """Show the description of the key."""
        self.tooltip = key.more if key is not None and key.more else None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Press the key under the mouse."""
        key = self._key_at(event.x)
        if key is not None and key.enabled:
            self.app.simulate_key(key.key)
        elif key is not None:
            self.app.bell()
