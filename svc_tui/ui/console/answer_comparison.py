"""Two answers side against side: what changed, came and went, by its path; searched, copied, paged."""

from collections.abc import Sequence
from enum import Enum

from textual.app import ComposeResult
from textual.binding import Binding

from svc_tui.console.comparison import ComparedAnswer, ComparedPart, comparison_text, summarize_differences
from svc_tui.ui.dialogs.dialog import DialogFrame
from svc_tui.ui.dialogs.text_dialog import TextDialog
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.filter_input import FindInput
from svc_tui.ui.widgets.text.comparison_view import ComparisonView


class ComparisonAction(Enum):
    """What is wanted of the text on show."""

    COPY = "copy"
    PAGE = "page"


class ComparisonScreen(TextDialog[tuple[ComparisonAction, str]]):
    """Shows a comparison, the differences alone until all is asked for; gives what is wanted of its text."""

    DEFAULT_CSS = """
    ComparisonScreen > #dialog { width: 100%; height: 100%; }
    """

    BINDINGS = [
        Binding("a", "everything", "All", id="compare.everything", tooltip="Show everything, or only differences"),
        Binding("y,c", "choose('copy')", "Copy", id="compare.copy", tooltip="Copy the comparison as text"),
        Binding("f3", "choose('page')", "Pager", id="compare.page", tooltip="Show the comparison in $PAGER"),
        Binding("slash", "find", "Search", show=False, id="compare.find", tooltip="Search the comparison"),
        Binding("n", "find_next(1)", "Next match", show=False, id="compare.find_next", tooltip="Go to the next match"),
        Binding("N", "find_next(-1)", "Previous match", show=False, id="compare.find_previous",
                tooltip="Go to the previous match"),
        Binding("enter,q", "cancel", "Close", show=False, id="compare.close", tooltip="Go back to the response"),
    ]  # fmt: skip

    def __init__(self, old: ComparedAnswer, new: ComparedAnswer, parts: Sequence[ComparedPart]) -> None:
        super().__init__()
        self._old, self._new, self._parts = old, new, tuple(parts)
        self._everything = False

    def compose(self) -> ComposeResult:
        """The text, and the line to find in it."""
        with DialogFrame(f"Compare · {summarize_differences(self._parts)}"):
            yield ComparisonView()
            yield FindInput()

    def on_mount(self) -> None:
        """Begin with the differences."""
        self._show()
        self.view.focus()

    def _show(self) -> None:
        self.view.show_text(comparison_text(self._old, self._new, self._parts, everything=self._everything))
        self.say()

    def say(self, position: str = "") -> None:
        """Say what was found, and name the keys."""
        other = "a differences only" if self._everything else "a all"
        self.query_one("#dialog").border_subtitle = styled(position)
        self.name_keys(f"{other} · / search · y copy · f3 pager · esc close")

    def action_everything(self) -> None:
        """Show what is the same too, or the differences alone."""
        self._everything = not self._everything
        self._show()

    def action_choose(self, action: str) -> None:
        """Close with the text, for what is wanted of it."""
        self.dismiss((ComparisonAction(action), self.view.text))
