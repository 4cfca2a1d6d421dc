"""A line for a key or a secret."""

from rich.text import Text

from svc_tui.connect.new_connection import mask_secret
from svc_tui.ui.widgets.inputs.text_input import TextInput


class SecretInput(TextInput):
    """One line with a key or a secret: shown as dots behind a key's prefix, and given to no clipboard."""

    def __init__(self, value: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        # To Textual it is a password: moving by words does not tell where they end.
        super().__init__(value, password=True, id=id, select_on_focus=False)

    @property
    def _value(self) -> Text:
        return Text(mask_secret(self.value), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return position

    def action_copy(self) -> None:
        """Nothing: what is hidden here is not copied from here."""

    def action_cut(self) -> None:
        """Remove what is selected, and copy nothing."""
        self.delete_selection()
