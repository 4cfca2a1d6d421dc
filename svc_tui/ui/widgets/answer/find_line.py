"""The line to find something in the text of an answer that is in view."""

from collections.abc import Callable

from textual import on, work
from textual.widgets import Input

from svc_tui.ui.widgets.request.request_inputs import BorderlessInput
from svc_tui.ui.widgets.text.text_view import LARGE_TEXT, TextView


class FindLine(BorderlessInput):
    """Hidden until `start`; what is typed is sought once it is kept, and again for each step."""

    DEFAULT_CSS = """
    FindLine { display: none; }
    FindLine.-open { display: block; }
    """

    def __init__(self, view: Callable[[], TextView], note: Callable[[str], None]) -> None:
        """Make it; `view` gives the text in view, `note` is called with what became of the search."""
        super().__init__(placeholder="search")
        self._view, self._note = view, note

    def start(self) -> None:
        """Open the line, what was sought last in it."""
        self.add_class("-open")
        self.focus()
        self.select_all()

    def close(self) -> bool:
        """Put the line away, and go back to the text; False: it was not open."""
        if not self.has_class("-open"):
            return False
        self.remove_class("-open")
        self._view().focus()
        return True

    def step(self, direction: int) -> None:
        """Go to the next match, or the one before."""
        view = self._view()
        self._show_result(view.find_next() if direction > 0 else view.find_previous())

    @on(Input.Submitted)
    def _seek(self, event: Input.Submitted) -> None:
        event.stop()
        self.close()
        view = self._view()
        if len(view.text) < LARGE_TEXT:
            self._show_result(view.find(event.value))
        else:
            self._find_in_thread(view, event.value)

    @work(exclusive=True, group="seeking")
    async def _find_in_thread(self, view: TextView, needle: str) -> None:
        self._note("searching")
        self._show_result(await view.find_in_thread(needle))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()

    def _show_result(self, anything: bool) -> None:
        place = self._view().match_position
        if anything and place is not None:
            self._note(f"{place[0]:,} of {place[1]:,}")
        else:
            self._note(f"no matches: {self.value}" if self.value else "/ search")
