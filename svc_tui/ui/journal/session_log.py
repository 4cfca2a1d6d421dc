"""What is written down and handed out: the journal, batches, the case file; and the mask over personal data.

Each part is imported where it is first used, so that the first records do not wait for it.
"""

from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from svc_tui.domain.app.ports import Files
from svc_tui.domain.editing.ports import BatchStore, Journal, StorageScope, StoreError
from svc_tui.domain.editing.write_pipeline import WritePipeline
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.http.redact import hidden_in, masked_exchange
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.model.requests import Exchange
from svc_tui.domain.model.settings import Profile
from svc_tui.ui.editing.controller import EditController
from svc_tui.ui.record.copy import CopyController
from svc_tui.ui.report import Report
from svc_tui.ui.session.privacy_mask import PrivacyMask

if TYPE_CHECKING:
    from svc_tui.domain.app.case_file import SessionLog
    from svc_tui.ui.dialogs.command_palette import Command
    from svc_tui.ui.journal.case_file import CaseFileController
    from svc_tui.ui.journal.controller import JournalController
    from svc_tui.ui.writes.batch import BatchController
    from svc_tui.ui.writes.write_context import Writing


@dataclass(slots=True)
class Shelves:
    """Where it is kept: the journal, the batches, and the files that somebody asks for."""

    journal: Journal
    batches: BatchStore
    files: Files


class Books:
    """The books of one main screen; `ask` runs what opens a dialog, `writing` gives what writes need."""

    def __init__(
        self,
        screen: Screen[Any],
        gateway: Gateway,
        profile: Profile,
        shelves: Shelves,
        editing: EditController,
        copying: CopyController,
        privacy_mask: PrivacyMask,
        writing: "Callable[[], Writing]",
        ask: Callable[[Coroutine[Any, Any, None]], None],
        tell: Callable[[Report], None],
        tz: tzinfo,
    ) -> None:
        self._screen, self._gateway, self._shelves, self._editing = screen, gateway, shelves, editing
        self._copying, self._privacy_mask, self._writing, self._ask, self._tell = (
            copying,
            privacy_mask,
            writing,
            ask,
            tell,
        )
        self._tz = tz
        self._shelf = StorageScope(profile.name, gateway.environment, gateway.base_url)
        self._began = datetime.now(UTC)
        self._log: SessionLog | None = None

    def _now(self) -> datetime:
        return datetime.now(self._tz)

    # The journal and batches

    @cached_property
    def _journaling(self) -> "JournalController":
        from svc_tui.ui.journal.controller import JournalController

        shelves = self._shelves
        return JournalController(
            self._screen,
            shelves.journal,
            self._shelf,
            shelves.files,
            self._privacy_mask,
            self._tell,
            self._now,
            self._batching.resume,
        )

    @cached_property
    def _batching(self) -> "BatchController":
        from svc_tui.ui.writes.batch import BatchController

        return BatchController(
            self._writing(), self._shelves.journal, self._shelves.batches, self._privacy_mask, self._pipeline
        )

    def _pipeline(self, batch: str) -> WritePipeline:
        return WritePipeline(
            self._gateway, self._shelves.journal, self._editing.refusal, lambda: datetime.now(UTC), batch
        )

    def show_journal(self) -> None:
        """Open the journal of writes."""
        self._ask(self._journaling.show())

    async def change_marked(self) -> None:
        """One change for all marked records."""
        await self._batching.change_marked()

    async def take_up(self) -> None:
        """Tell of what was cut short by the end of the program."""
        try:
            found = await self._shelves.batches.unfinished()
        except StoreError as error:
            self._tell(Report(str(error), "The batches could not be read", "error"))
            return
        if found:
            await self._batching.tell_of(found)

    # The case file

    @cached_property
    def _casing(self) -> "CaseFileController":
        from svc_tui.ui.journal.case_file import CaseFileController

        return CaseFileController(
            self._screen,
            self._shelves.journal,
            self._shelf,
            self._shelves.files,
            self._privacy_mask,
            self._tell,
            self._now,
            self._copying.text,
            lambda: self._gateway.secrets,
        )

    @property
    def log(self) -> "SessionLog":
        """What happened since the program began."""
        from svc_tui.domain.app.case_file import SessionLog

        return self._log or SessionLog(self._began)

    def looked(self, place: Place, record: Record) -> None:
        """A record was opened."""
        self._log = self.log.looking(datetime.now(UTC), place, record)

    def read(self, place: Place, record: Record) -> None:
        """A record is known anew."""
        self._log = self.log.reading(place, record)

    def exchanged(self, exchange: Exchange) -> None:
        """A request was answered."""
        hidden = hidden_in(exchange, self._gateway.secrets)
        self._log = self.log.exchanging(masked_exchange(exchange, hidden))

    # The mask

    async def when_shown(self, hidden: bool, work: Coroutine[Any, Any, None]) -> None:
        """Do what shows something `hidden`, once that was agreed to."""
        if hidden and not await self._writing().may_show("editor"):
            work.close()
        else:
            await work

    # The palette

    def commands(self, command: "type[Command]") -> "Iterator[Command]":
        """What no key does."""
        yield command("Resume batch…", "Go on with a batch that was cut short, or undo it", self._resume)
        yield command("Case file…", "What was looked at and changed, as Markdown for a ticket", self._case)

    def _resume(self) -> None:
        self._ask(self._batching.resume())

    def _case(self) -> None:
        self._ask(self._casing.ask(self.log))
