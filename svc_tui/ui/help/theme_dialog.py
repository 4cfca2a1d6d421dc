"""Chooses a theme by looking at it: every line of the list puts its theme on at once."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.core.settings import Palette
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import pad, visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList


class ThemeScreen(Dialog[str]):
    """Gives the name of the theme chosen, which is then on; None puts the former one back."""

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
        """One line each: name, light or dark, its colours."""
        with DialogFrame("Theme", "enter apply · esc cancel"):
            yield ChangingList(*(Option(_theme_line(palette)) for palette in self._palettes), markup=False)

    def on_mount(self) -> None:
        """Begin at the theme that is on."""
        self._before = self.app.theme
        names = [palette.name for palette in self._palettes]
        self.query_one(OptionList).highlighted = names.index(self._before) if self._before in names else 0

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Put the theme on."""
        self.app.theme = self._palettes[event.option_index].name

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Keep it."""
        self.dismiss(self._palettes[event.option_index].name)

    def action_move(self, direction: int) -> None:
        """Go to the next line, or the one before."""
        themes = self.query_one(OptionList)
        if direction > 0:
            themes.action_cursor_down()
        else:
            themes.action_cursor_up()

    def action_cancel(self) -> None:
        """Put the former theme back."""
        self.app.theme = self._before
        self.dismiss(None)


def _theme_line(palette: Palette) -> Content:
    # The dots are the palette's own colours: this is the one place that shows themes which are not on.
    colors = (palette.accent, palette.ok, palette.warning, palette.danger, palette.sandbox, palette.reference)
    dots = Content(" ").join(Content("●").stylize(f"{colour} on {palette.background}") for colour in colors)
    kind = "dark" if palette.dark else "light"
    return Content.assemble(pad(visible(palette.title), 22), " ", (pad(kind, 6), "$role-muted"), dots)
