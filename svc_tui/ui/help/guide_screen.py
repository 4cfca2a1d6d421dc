"""The user guide."""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Markdown, OptionList

from svc_tui.ui.dialogs.dialog import Dialog
from svc_tui.ui.dialogs.menu import SearchMenu
from svc_tui.ui.help.guide_pages import PAGES, READING_ORDER, GuidePage, page_named, text_of
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.text.scroll_text import ScrollText


class GuideScreen(Dialog[None]):
    """The guide, a page at a time; links between pages are followed, others are only shown."""

    DEFAULT_CSS = """
    GuideScreen > #dialog { width: 110; height: 100%; padding: 0; layout: horizontal; overflow-y: hidden; }
    GuideScreen OptionList { width: 30; height: 1fr; padding: 0; border-right: solid $role-panel;
        &:focus { border-right: solid $role-panel; } }
    GuideScreen OptionList > .option-list--option { padding: 0 1; }
    GuideScreen #page { padding: 0 1; height: 1fr; }
    GuideScreen Markdown { padding: 0; background: $role-surface; color: $role-foreground; }
    GuideScreen MarkdownH1 { content-align: left middle; color: $role-accent; margin: 0 0 1 0; }
    GuideScreen MarkdownH2 { color: $role-accent; text-style: bold; margin: 1 0 0 0; }
    GuideScreen MarkdownFence { background: $role-panel; & > Label { width: 100%; padding: 1; } }
    GuideScreen.-narrow OptionList { display: none; }
    """
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (90, "-wide")]
    BINDINGS = [
        Binding("up,k", "scroll(-1)", "Up", show=False, id="guide.up", tooltip="Scroll up"),
        Binding("down,j", "scroll(1)", "Down", show=False, id="guide.down", tooltip="Scroll down"),
        Binding("pageup", "leaf(-1)", "Page up", show=False, id="guide.page_up", tooltip="Scroll up one page"),
        Binding(
            "pagedown,space", "leaf(1)", "Page down", show=False, id="guide.page_down", tooltip="Scroll down one page"
        ),
        Binding("home,g", "end(-1)", "Top", show=False, id="guide.top", tooltip="Go to the top"),
        Binding("end,G", "end(1)", "Bottom", show=False, id="guide.end", tooltip="Go to the bottom"),
        Binding(
            "left,h,left_curly_bracket",
            "turn(-1)",
            "Previous page",
            id="guide.previous",
            tooltip="Go to the previous page",
        ),
        Binding("right,l,right_curly_bracket", "turn(1)", "Next page", id="guide.next", tooltip="Go to the next page"),
        Binding("slash,enter", "choose", "Choose a page", id="guide.choose", tooltip="Choose a page"),
        Binding("q,f1", "cancel", "Close", show=False, id="guide.close", tooltip="Close the guide"),
    ]

    def __init__(self, page: GuidePage = PAGES[0]) -> None:
        super().__init__()
        self._page = page

    def compose(self) -> ComposeResult:
        """Show the list of pages, if there is room, and the page."""
        with Horizontal(id="dialog") as dialog:
            dialog.border_title = "Guide"
            self.name_keys("↑ ↓ scroll · ← → page · / choose page · esc back")
            yield ChangingList(*(page.title for page in PAGES), markup=False)
            with ScrollText(id="page"):
                yield Markdown(open_links=False)

    def on_mount(self) -> None:
        """Show the first page."""
        self.query_one(OptionList).can_focus = False
        self.call_later(self._show, self._page)

    @on(OptionList.OptionSelected)
    async def _choose(self, event: OptionList.OptionSelected) -> None:
        await self._show(PAGES[event.option_index])

    @on(Markdown.LinkClicked)
    async def _follow(self, event: Markdown.LinkClicked) -> None:
        try:
            await self._show(page_named(event.href))
        except KeyError:
            self.notify(visible(event.href), title="External link", markup=False)

    async def action_turn(self, pages: int) -> None:
        """Go to the next page in reading order, or to the previous one."""
        at = PAGES.index(self._page) + pages
        if 0 <= at < len(READING_ORDER):
            await self._show(READING_ORDER[at])

    def action_choose(self) -> None:
        """Choose a page from the list of all."""
        lines = [(Content(page.title), page) for page in PAGES]
        self.app.push_screen(SearchMenu("Choose a page", lines, at=PAGES.index(self._page)), self._turn_to)

    async def _turn_to(self, page: GuidePage | None) -> None:
        if page is not None:
            await self._show(page)

    def action_scroll(self, lines: int) -> None:
        """Scroll by a line."""
        self._reading.scroll_lines(lines)

    def action_leaf(self, screens: int) -> None:
        """Scroll by a screen less a line."""
        self._reading.scroll_pages(screens)

    def action_end(self, direction: int) -> None:
        """Scroll to an end of the page."""
        self._reading.scroll_to(y=self._reading.max_scroll_y if direction > 0 else 0, animate=False)

    @property
    def _reading(self) -> ScrollText:
        return self.query_one(ScrollText)

    async def _show(self, page: GuidePage) -> None:
        self._page = page
        self.query_one(OptionList).highlighted = PAGES.index(page)
        self.query_one("#dialog").border_title = f"Guide · {page.title}"
        await self.query_one(Markdown).update(text_of(page))
        self._reading.scroll_to(y=0, animate=False)
