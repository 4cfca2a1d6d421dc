"""The pane of the main screen that has the focus."""

from enum import Enum, auto


class FocusedPane(Enum):
    """Where keys go while no dialog is open."""

    SIDEBAR = auto()
    TABLE = auto()
    RECORD = auto()
    CONSOLE = auto()
