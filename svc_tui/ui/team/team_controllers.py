"""What one main screen has to do with its team, made where there is one."""

from collections.abc import Awaitable, Callable, Iterator

from svc_tui.storage.plan import Plan
from svc_tui.ui.console.saved_requests_controller import SavedRequestsController
from svc_tui.ui.editing.edit_controller import EditController
from svc_tui.ui.keys.command import Command
from svc_tui.ui.session.context import Context
from svc_tui.ui.table.view_controller import ViewController
from svc_tui.ui.team.approvals_controller import ApprovalsController
from svc_tui.ui.team.notes_controller import NotesController
from svc_tui.ui.team.sharing_controller import SharingController
from svc_tui.ui.writes.unsent_forms import UnsentForms


class TeamControllers:
    """The controllers that speak with the team."""

    def __init__(
        self,
        context: Context,
        saved_requests: SavedRequestsController,
        views: ViewController,
        editing: EditController,
        forms: UnsentForms,
        send_plan: Callable[[Plan], Awaitable[None]],
    ) -> None:
        """Make them; `send_plan` shows a plan that was approved once more, and sends it."""
        team = context.session.team
        assert team is not None
        self.notes = NotesController(context, team)
        self.sharing = SharingController(context, team, saved_requests, views, editing)
        self.approvals = ApprovalsController(context, team, editing, forms, send_plan)

    def begin(self) -> None:
        """Tell of what comes from the team, from now on."""
        self.notes.begin()
        self.sharing.begin()
        self.approvals.start()

    def commands(self) -> Iterator[Command]:
        """What the palette offers."""
        yield from self.notes.commands()
        yield from self.sharing.commands()
        yield from self.approvals.commands()
