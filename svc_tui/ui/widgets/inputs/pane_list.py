"""What the lists have in common that fill a pane."""

from textual import events

from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.right_click import ACTIONS_MENU, RIGHT_BUTTON


class PaneList(ChangingList):
    """A list as large as its pane, without a frame of its own; its lines are text, never markup."""

    DEFAULT_CSS = """
    PaneList {
        height: 1fr;
        border: none;
        padding: 0;
        background: $role-background;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
    }
    PaneList:focus { border: none; background-tint: transparent; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id, markup=False)

    @property
    def shows_bar(self) -> bool:
        """Only the pane that keys go to has a cursor."""
        return self.has_focus

    @property
    def line_cells(self) -> int:
        """Cells of a line, of the list as it was laid out last: it may be written while another is shown."""
        return max(1, self.outer_size.width - self.scrollbar_gutter.width)

    def on_click(self, event: events.Click) -> None:
        """A right click goes to a line and shows what can be done with the record; Textual would choose the line."""
        if event.button != RIGHT_BUTTON:
            return
        event.prevent_default()
        event.stop()
        at = event.style.meta.get("option")
        if at is not None and not self.options[at].disabled:
            self.highlighted = at
        self.call_later(self.run_action, ACTIONS_MENU)
