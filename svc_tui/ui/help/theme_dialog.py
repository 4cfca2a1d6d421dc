"""The choice of a theme, each of which is applied as the cursor moves to it."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.core.settings import Palette
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor
from svc_tui.ui.text import pad, visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList


class ThemeScreen(Dialog[str]):
    """Returns the name of the chosen theme, which is applied; restores the former one and returns None otherwise."""

    DEFAULT_CSS = """
    ThemeScreen > #dialog { width: 52; }
    ThemeScreen OptionList { height: auto; max-height: 16; }
    ThemeScreen OptionList > .option-list--option { padding: 0 1; }
    """

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="theme.down", tooltip="Move down"),
        Binding("k", "move(-1)", "Up", show=False, id="theme.up", tooltip="Move up"),
    ]

    def __init__(self, palettes: Sequence[Palette]) -> None:
        super().__init__()
        self._palettes = tuple(palettes)
        self._before = ""

    def compose(self) -> ComposeResult:
        """Show a line for each theme."""
        with DialogFrame("Theme", "enter apply · esc cancel"):
            yield ChangingList(*(Option(_theme_line(palette)) for palette in self._palettes), markup=False)

    def on_mount(self) -> None:
        """Move the cursor to the present theme."""
        self._before = self.app.theme
        names = [palette.name for palette in self._palettes]
        self.query_one(OptionList).highlighted = names.index(self._before) if self._before in names else 0

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Apply the theme."""
        self.app.theme = self._palettes[event.option_index].name

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the theme."""
        self.dismiss(self._palettes[event.option_index].name)

    def action_move(self, direction: int) -> None:
        """Go to the next line, or the one before."""
        move_cursor(self.query_one(OptionList), direction)

    def action_cancel(self) -> None:
        """Restore the former theme."""
        self.app.theme = self._before
        self.dismiss(None)


def _theme_line(palette: Palette) -> Content:
    # The only place with colors of another theme than the present one.
    colors = (palette.accent, palette.ok, palette.warning, palette.danger, palette.sandbox, palette.reference)
    dots = Content(" ").join(Content("●").stylize(f"{colour} on {palette.background}") for colour in colors)
    kind = "dark" if palette.dark else "light"
    return Content.assemble(pad(visible(palette.title), 22), " ", (pad(kind, 6), "$role-muted"), dots)
