"""What the lists have in common that fill a pane."""

from textual.widgets import OptionList


class PaneList(OptionList):
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
