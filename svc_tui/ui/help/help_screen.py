"""The help: the keys that work here, by area, and reasons why others are off."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.keys.shortcuts import Shortcut, by_area
from svc_tui.ui.text import measure, pad, styled, visible
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.text_input import TextInput

_CELLS = 70


def matching_shortcuts(candidates: Sequence[Shortcut], wanted: str) -> list[Shortcut]:
    """Return the shortcuts that contain every word of `wanted` in key, area, description or reason."""
    words = wanted.casefold().split()
    return [shortcut for shortcut in candidates if all(word in _searched(shortcut) for word in words)]


def shortcut_list(listed: Sequence[Shortcut]) -> Content:
    """Return a list of the shortcuts by area: keys, description, and the reason if they are off."""
    if not listed:
        return styled("No matches", "$role-muted")
    cells = min(24, max(measure(_keys(shortcut)) for shortcut in listed))
    lines: list[Content] = []
    for area, members in by_area(list(listed)).items():
        lines.append(styled(area, "bold $role-accent"))
        for shortcut in members:
            style = "$role-foreground" if shortcut.enabled and not shortcut.why else "$role-muted"
            keys = pad(_keys(shortcut), cells)
            off = Content.assemble(" · ", styled(f"Not now: {shortcut.why}", "$role-warning")) if shortcut.why else ""
            words = Content.assemble(styled(shortcut.explanation, style), off).wrap(_CELLS - cells - 4)
            lines.append(Content.assemble("  ", (keys, f"bold {style}"), "  ", words[0]))
            lines.extend(Content.assemble(" " * (cells + 4), more) for more in words[1:])
    return Content("\n").join(lines)


def _keys(shortcut: Shortcut) -> str:
    return visible("  ".join(shortcut.keys))


def _searched(shortcut: Shortcut) -> str:
    texts = (*shortcut.keys, shortcut.area, shortcut.description, shortcut.tooltip, shortcut.why)
    return " ".join(texts).casefold()


class HelpScreen(Dialog[None]):
    """A list of shortcuts; its opener reads them, since this screen hides their bindings."""

    TOUR_NAME = OpenDialog.HELP

    DEFAULT_CSS = """
    HelpScreen > #dialog { height: 80%; }
    HelpScreen VerticalScroll { height: 1fr; margin-top: 1; scrollbar-size-vertical: 1; }
    """

    BINDINGS = [
        Binding("up", "scroll(-1)", "Up", show=False, id="help.up", tooltip="Scroll up"),
        Binding("down", "scroll(1)", "Down", show=False, id="help.down", tooltip="Scroll down"),
        Binding("pageup", "scroll_page(-1)", "Page up", show=False, id="help.page_up", tooltip="Scroll up one page"),
        Binding(
            "pagedown", "scroll_page(1)", "Page down", show=False, id="help.page_down", tooltip="Scroll down one page"
        ),
        Binding("f1", "guide", "Guide", show=False, id="help.guide", tooltip="Open the guide"),
    ]

    def __init__(self, all_shortcuts: Sequence[Shortcut], place: str = "") -> None:
        super().__init__()
        self._shortcuts = tuple(all_shortcuts)
        self._place = place

    def compose(self) -> ComposeResult:
        """Show the search line and the list."""
        with DialogFrame(
            Content.assemble("Keys", styled(f" · {self._place}") if self._place else ""),
            "↑ ↓ scroll · f1 guide · esc close",
        ):
            yield TextInput(placeholder="Type to search keys", id="search")
            with VerticalScroll(can_focus=False):
                yield Static(shortcut_list(self._shortcuts), id="keys")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the matching shortcuts."""
        self.query_one("#keys", Static).update(shortcut_list(matching_shortcuts(self._shortcuts, event.value)))
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_scroll(self, direction: int) -> None:
        """Scroll by a line."""
        self.query_one(VerticalScroll).scroll_relative(y=direction, animate=False)

    def action_scroll_page(self, direction: int) -> None:
        """Scroll by a page."""
        view = self.query_one(VerticalScroll)
        view.scroll_relative(y=direction * max(1, view.size.height - 1), animate=False)

    def action_guide(self) -> None:
        """Open the guide at the page about these keys."""
        from svc_tui.ui.help.guide_pages import matching_pages
        from svc_tui.ui.help.guide_screen import GuideScreen

        area = self._shortcuts[0].area if self._shortcuts else ""
        self.app.push_screen(GuideScreen(matching_pages(area)))
