"""One line that says how far an export has come."""

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from svc_tui.records.progress import Progress, progress_line
from svc_tui.ui.text import measure, shorten, visible

_HINT = "esc stop"
_GAP = "  "


class ExportBar(Widget):
    """The file's name, a bar, the numbers, and how to stop it."""

    DEFAULT_CSS = """
    ExportBar { height: 1; padding: 0 1; background: $role-panel; color: $role-foreground; }
    """

    progress: reactive[Progress] = reactive(Progress(0, None, 0.0))

    def __init__(self, name: str) -> None:
        """Make the line of the file called `name`."""
        super().__init__()
        self._file = name

    def render(self) -> Content:
        """The line; the name gives way where room is short."""
        width = self.size.width
        name = shorten(visible(self._file), max(8, width // 3))
        numbers = progress_line(self.progress, max(0, width - measure(name) - len(_HINT) - 2 * len(_GAP)))
        return Content.assemble((name, "bold $role-accent"), _GAP, numbers, _GAP, (_HINT, "$role-muted"))
