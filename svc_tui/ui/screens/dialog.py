"""The frame that dialogs share: centred, at most 76 columns, titled in the border, Esc cancels."""

from typing import Generic, TypeVar

from textual.binding import Binding
from textual.screen import ModalScreen

Choice = TypeVar("Choice")


class Dialog(ModalScreen[Choice | None], Generic[Choice]):
    """A modal question; a subclass composes one container with the id `dialog`."""

    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        background: $role-background 60%;
    }
    Dialog > #dialog {
        width: 76;
        max-width: 100%;
        height: auto;
        max-height: 100%;
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
        border: none;
        margin-left: 2;
        padding: 0 1;
        background: $role-panel;
        color: $role-foreground;
        text-style: none;
    }
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

    BINDINGS = [Binding("escape", "cancel", "Back", id="dialog.cancel", tooltip="Close this without doing anything")]

    def action_cancel(self) -> None:
        """Close without a choice."""
        self.dismiss(None)
