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
from svc_tui.domain.editing.ports import Batches, Journal, Shelf, StoreError
from svc_tui.domain.editing.write_pipeline import WriteRoad
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.http.redact import hidden_in, masked_exchange
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.model.requests import Exchange
from svc_tui.domain.model.settings import Profile
from svc_tui.ui.editing.controller import Editing
from svc_tui.ui.record.copy import Copying
from svc_tui.ui.report import Report
from svc_tui.ui.session.privacy_mask import Veil

if TYPE_CHECKING:
    from svc_tui.domain.app.case_file import Session
    from svc_tui.ui.dialogs.command_palette import Command
    from svc_tui.ui.journal.case_file import Casing
    from svc_tui.ui.journal.controller import Journaling
    from svc_tui.ui.writes.batch import Batching
    from svc_tui.ui.writes.write_context import Writing


@dataclass(slots=True)
class Shelves:
    """Where it is kept: the journal, the batches, and the files that somebody asks for."""

    journal: Journal
    batches: Batches
    files: Files


class Books:
    """The books of one main screen; `ask` runs what opens a dialog, `writing` gives what writes need."""

    def __init__(
        self,
        screen: Screen[Any],
        gateway: Gateway,
        profile: Profile,
        shelves: Shelves,
        editing: Editing,
        copying: Copying,
        veil: Veil,
        writing: "Callable[[], Writing]",
        ask: Callable[[Coroutine[Any, Any, None]], None],
        tell: Callable[[Report], None],
        tz: tzinfo,
    ) -> None:
        self._screen, self._gateway, self._shelves, self._editing = screen, gateway, shelves, editing
        self._copying, self._veil, self._writing, self._ask, self._tell = copying, veil, writing, ask, tell
        self._tz = tz
        self._shelf = Shelf(profile.name, gateway.environment, gateway.base_url)
        self._began = datetime.now(UTC)
        self._session: Session | None = None

    def _now(self) -> datetime:
        return datetime.now(self._tz)

    # The journal and batches

    @cached_property
    def _journaling(self) -> "Journaling":
        from svc_tui.ui.journal.controller import Journaling

        shelves = self._shelves
        return Journaling(
            self._screen,
            shelves.journal,
            self._shelf,
            shelves.files,
            self._veil,
            self._tell,
            self._now,
            self._batching.resume,
        )

    @cached_property
    def _batching(self) -> "Batching":
        from svc_tui.ui.writes.batch import Batching

        return Batching(self._writing(), self._shelves.journal, self._shelves.batches, self._veil, self._road)

    def _road(self, batch: str) -> WriteRoad:
        return WriteRoad(self._gateway, self._shelves.journal, self._editing.refusal, lambda: datetime.now(UTC), batch)

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
    def _casing(self) -> "Casing":
        from svc_tui.ui.journal.case_file import Casing

        return Casing(
            self._screen,
            self._shelves.journal,
            self._shelf,
            self._shelves.files,
            self._veil,
            self._tell,
            self._now,
            self._copying.text,
            lambda: self._gateway.secrets,
        )

    @property
    def session(self) -> "Session":
        """What happened since the program began."""
        from svc_tui.domain.app.case_file import Session

        return self._session or Session(self._began)

    def looked(self, place: Place, record: Record) -> None:
        """A record was opened."""
        self._session = self.session.looking(datetime.now(UTC), place, record)

    def read(self, place: Place, record: Record) -> None:
        """A record is known anew."""
        self._session = self.session.reading(place, record)

    def exchanged(self, exchange: Exchange) -> None:
        """A request was answered."""
        hidden = hidden_in(exchange, self._gateway.secrets)
        self._session = self.session.exchanging(masked_exchange(exchange, hidden))

    # The mask

    async def unveiled(self, hidden: bool, work: Coroutine[Any, Any, None]) -> None:
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
        self._ask(self._casing.ask(self.session))
