"""What one main screen has to do with its team, made where there is one."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from svc_tui.ui.console.saved_requests import SavedRequestsController
from svc_tui.ui.editing.controller import EditController
from svc_tui.ui.session.context import Context
from svc_tui.ui.table.view_controller import ViewController
from svc_tui.ui.team.notes_controller import NotesController
from svc_tui.ui.team.sharing_controller import SharingController

if TYPE_CHECKING:
    from svc_tui.ui.dialogs.command_palette import Command


class TeamControllers:
    """The controllers that speak with the team."""

    def __init__(
        self, context: Context, saved_requests: SavedRequestsController, views: ViewController, editing: EditController
    ) -> None:
        self.notes = NotesController(context)
        self.sharing = SharingController(context, saved_requests, views, editing)

    def begin(self) -> None:
        """Tell of what comes from the team, from now on."""
        self.notes.begin()
        self.sharing.begin()

    def commands(self, command: "type[Command]") -> "Iterator[Command]":
        """What the palette offers."""
        yield from self.notes.commands(command)
        yield from self.sharing.commands(command)
