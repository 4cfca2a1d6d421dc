"""What the controllers of one main screen share, made once and handed to each of them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from textual.screen import Screen

    from svc_tui.core.records import Place
    from svc_tui.core.settings import Profile
    from svc_tui.service.gateway import Gateway, RecordReading
    from svc_tui.session.ports import FileWriter
    from svc_tui.session.privacy_mask import PrivacyMask
    from svc_tui.session.remembered_choices import RememberedChoices
    from svc_tui.session.session import Session
    from svc_tui.storage.journal import Journal
    from svc_tui.storage.journal_entries import WriteLog
    from svc_tui.storage.record_store import RecordStore
    from svc_tui.ui.report import Report
    from svc_tui.ui.session.workspace_view import SelectionView, WorkspaceView


DialogResult = TypeVar("DialogResult")

MASKED_CLASS = "-masked"
"""The class that the app has while personal data is hidden."""


class GoTo(Protocol):
    """Opens a place; `reading` is its record where that was read just now."""

    def __call__(self, place: Place, reading: RecordReading | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class Context:
    """One main screen, the session it shows, and what every controller does with both.

    `records` are those that were read. `notify` shows a notice. `ask` runs a coroutine that opens a dialog, unless one
    is open already. `go` opens a place. `current_workspace` gives the workspace, which is composed after the
    controllers are made.
    """

    session: Session
    screen: Screen[Any]
    privacy_mask: PrivacyMask
    remembered: RememberedChoices
    records: RecordStore
    notify: Callable[[Report], None]
    ask: Callable[[Coroutine[Any, Any, None]], None]
    go: GoTo
    current_workspace: Callable[[], WorkspaceView]

    @property
    def gateway(self) -> Gateway:
        """The client of the session's service."""
        return self.session.gateway

    @property
    def profile(self) -> Profile:
        """The profile of the session."""
        return self.session.profile

    @property
    def journal(self) -> Journal:
        """The journal of the session's writes: where a write goes, and where one's own are settled."""
        return self.session.journal

    @property
    def writes(self) -> WriteLog:
        """The writes that are known, colleagues' too: for whatever looks at them."""
        return self.session.writes

    @property
    def files(self) -> FileWriter:
        """The files that the program writes for its user."""
        return self.session.files

    @property
    def tz(self) -> tzinfo:
        """The time zone in which times are shown."""
        return self.session.tz

    @property
    def workspace(self) -> WorkspaceView:
        """The workspace, as controllers see it."""
        return self.current_workspace()

    @property
    def selection(self) -> SelectionView:
        """What keys are about."""
        return self.workspace.selection

    def local_now(self) -> datetime:
        """The time of day, in the time zone in which times are shown."""
        return datetime.now(self.session.tz)

    async def show(self, dialog: Screen[DialogResult]) -> DialogResult | None:
        """Open a dialog, and return what was chosen in it; None where it was left. To be awaited in a worker."""
        return await self.screen.app.push_screen_wait(dialog)
