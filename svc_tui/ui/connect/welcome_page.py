"""The first dialog without a profile: the demo, or a new key."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.connect.new_connection import ConnectionInput, ConnectionSetup, NewConnection
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame, move_cursor
from svc_tui.ui.widgets.inputs.changing_list import ChangingList

DEMO = "demo"
"""The result of the welcome app for the demo; no profile can have this name."""


class WelcomeScreen(Dialog[None]):
    """A choice between the demo and the dialog for a key."""

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
        """Compose the choices."""
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
        """Highlight the first choice."""
        self.query_one(OptionList).highlighted = 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the choice."""
        if event.option_index == 0:
            self.action_demo()
        else:
            self.action_connect()

    def action_demo(self) -> None:
        """Quit the welcome app for the demo."""
        self.app.exit(DEMO)

    def action_connect(self) -> None:
        """Open the dialog for a key."""
        from svc_tui.ui.connect.key_page import ConnectScreen

        self.app.push_screen(ConnectScreen(self._connecting, self._typed), self._connected)

    def _connected(self, connection: NewConnection | None) -> None:
        if connection is not None:
            self.app.exit(connection.name)

    def action_leave(self) -> None:
        """Quit without a choice."""
        self.app.exit()

    def action_move(self, direction: int) -> None:
        """Go to the next or the previous choice."""
        move_cursor(self.query_one(OptionList), direction)

    def action_cancel(self) -> None:
        """Do nothing, since nothing is behind this dialog."""


def _choice_line(key: str, title: str, what: str) -> Content:
    return Content.assemble((f"{key}  ", "$role-accent"), (title, "bold"), (f"\n   {what}", "$role-muted"))
