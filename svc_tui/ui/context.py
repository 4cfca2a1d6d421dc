"""What the features of one main screen share."""

from collections.abc import Callable, Coroutine
from datetime import datetime, tzinfo
from typing import Any, Protocol, TypeVar

from msgspec import Struct
from textual.content import Content
from textual.screen import Screen

from svc_tui.core.records import Place
from svc_tui.core.settings import Profile
from svc_tui.service.gateway import Gateway, RecordReading
from svc_tui.session.ports import FileWriteError, FileWriter
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.remembered_choices import RememberedChoices
from svc_tui.session.session import Session
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.storage.journal import Journal
from svc_tui.storage.journal_entries import WriteLog
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.report import Report
from svc_tui.ui.table.table_pane import TablePane
from svc_tui.ui.workspace.selection import Selection
from svc_tui.ui.workspace.workspace import Workspace

DialogResult = TypeVar("DialogResult")


class GoTo(Protocol):
    """Opens a place; `reading` is its record where that was read just now."""

    def __call__(self, place: Place, reading: RecordReading | None = None) -> None: ...


class Context(Struct, frozen=True, eq=False):
    """One main screen, the session it shows, and what every feature does with both.

    `records` are those that were read, `drafts` the edits that were not sent. `notify` shows a notice. `ask` runs a
    coroutine that opens a dialog, unless one is open already. `go` opens a place.
    """

    session: Session
    screen: Screen[Any]
    workspace: Workspace
    privacy_mask: PrivacyMask
    remembered: RememberedChoices
    records: RecordStore
    drafts: Drafts
    notify: Callable[[Report], None]
    ask: Callable[[Coroutine[Any, Any, object]], None]
    go: GoTo

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
        """The writes that are known, colleagues' too."""
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
    def table(self) -> TablePane:
        """The table that keys are about."""
        return self.workspace.panes.active_table

    @property
    def selection(self) -> Selection:
        """What keys are about."""
        return self.workspace.selection

    def local_now(self) -> datetime:
        """The time of day, in the time zone in which times are shown."""
        return datetime.now(self.session.tz)

    async def show(self, dialog: Screen[DialogResult]) -> DialogResult | None:
        """Open a dialog, and return what was chosen in it; None where it was left. To be awaited in a worker."""
        return await self.screen.app.push_screen_wait(dialog)

    async def confirm_unmask(self, where: str) -> bool:
        """Ask whether the `where` (editor, form) may show what the privacy mask hides: others may see the screen."""
        from svc_tui.ui.dialogs.confirm import ConfirmScreen

        body = Content(f"This value is masked. The {where} shows it to everybody who sees your screen.")
        return await self.show(ConfirmScreen(Content("Personal data"), body, "Show", "Cancel")) is True

    async def save_file(self, name: str, data: bytes, title: str, notice: str = "") -> None:
        """Write a file, and say under `title` where it is, with the `notice`; or why it was not written.

        Another file of that name is replaced only after a question.
        """
        from svc_tui.ui.dialogs.menu import confirm_replace

        try:
            if self.files.taken(name) and not await confirm_replace(self.screen, name):
                return
            path = await self.files.write(name, data)
        except FileWriteError as error:
            self.notify(Report(str(error), f"Could not save {name}", "error"))
        else:
            self.notify(Report(f"Saved to {path}.{notice}", title))
