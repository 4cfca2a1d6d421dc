"""The first page of the welcome: two doors."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.connect.new_connection import ConnectionInput, ConnectionSetup, NewConnection
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor
from svc_tui.ui.widgets.inputs.changing_list import ChangingList

DEMO = "demo"
"""What the welcome gives for the demo; no profile can be called so."""


class WelcomeScreen(Dialog[None]):
    """Opens one of two: the demo, or the page on which a key is connected."""

    DEFAULT_CSS = """
    WelcomeScreen { background: $role-background; }
    WelcomeScreen OptionList { height: auto; margin: 1 0; }
    WelcomeScreen OptionList > .option-list--option { padding: 0 1; }
    """

    BINDINGS = [
        Binding("d", "demo", "Demo", id="doors.demo", tooltip="Try the demo"),
        Binding("c", "connect", "Set up key", id="doors.connect", tooltip="Set up an API key"),
        Binding("j", "move(1)", "Down", show=False, id="doors.down", tooltip="Move down"),
        Binding("k", "move(-1)", "Up", show=False, id="doors.up", tooltip="Move up"),
        Binding("q", "leave", "Quit", id="doors.leave", tooltip="Quit without setting up a key"),
    ]

    def __init__(self, connecting: ConnectionSetup) -> None:
        super().__init__()
        self._connecting, self._typed = connecting, ConnectionInput()

    def compose(self) -> ComposeResult:
        """What there is to choose."""
        with DialogFrame("svc-tui", "enter choose · q quit"):
            yield Static("No API key is set up yet.", markup=False)
            yield ChangingList(
                Option(_choice_line("d", "Try the demo", "On this computer, with fictional data and a short tour")),
                Option(
                    _choice_line("c", "Set up an API key", "svc_test_ keys open the sandbox, svc_live_ keys open LIVE")
                ),
                markup=False,
            )
            yield Static("For other commands, run svc-tui --help.", classes="hint", markup=False)

    def on_mount(self) -> None:
        """Begin at the first door."""
        self.query_one(OptionList).highlighted = 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click opens it."""
        if event.option_index == 0:
            self.action_demo()
        else:
            self.action_connect()

    def action_demo(self) -> None:
        """Leave for the demo."""
        self.app.exit(DEMO)

    def action_connect(self) -> None:
        """Go to the page that connects a key."""
        from svc_tui.ui.connect.key_page import ConnectScreen

        self.app.push_screen(ConnectScreen(self._connecting, self._typed), self._connected)

    def _connected(self, connection: NewConnection | None) -> None:
        if connection is not None:
            self.app.exit(connection.name)

    def action_leave(self) -> None:
        """Leave for nothing."""
        self.app.exit()

    def action_move(self, direction: int) -> None:
        """Go to the other choice."""
        move_cursor(self.query_one(OptionList), direction)

    def action_cancel(self) -> None:
        """Nothing: this is the first page."""


def _choice_line(key: str, title: str, what: str) -> Content:
    return Content.assemble((f"{key}  ", "$role-accent"), (title, "bold"), (f"\n   {what}", "$role-muted"))
