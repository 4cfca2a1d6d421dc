"""Colleagues' writes beside one's own for the command line, from the copy on this machine, which is renewed before."""

import asyncio
from collections.abc import Generator, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property

from svc_tui.bootstrap.environment import SystemTimeZone
from svc_tui.bootstrap.team.located_team import LocatedTeam
from svc_tui.core.times import local_time
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.storage.errors import StoreError, TeamServerError
from svc_tui.storage.journal_entries import Author, JournalEntry, JournalSelection
from svc_tui.storage.team.colleague_writes import merge_newest_first
from svc_tui.storage.team.lines import LineKind, ServiceScope
from svc_tui.team.names import tell_apart
from svc_tui.team.notes import Note, read_notes

REFRESH_SECONDS = 5.0
"""How long the server is waited for before what is here is told."""

_PAGE = 500


class TeamWrites:
    """The writes that a team's copy on this machine holds; every call but `refresh` raises StoreError."""

    def __init__(self, team: LocatedTeam) -> None:
        self._team, self._reader = team, team.mirror_reader()
        self._stale = ""

    @cached_property
    def author(self) -> Author:
        """Whose the writes from here are."""
        return Author(self._team.rules.name, self._team.rules.machine, self._own_chain)

    @cached_property
    def _own_chain(self) -> str:
        return self._team.own_chain().chain

    def refresh(self) -> None:
        """Do one round with the server; where that can't be done, `notices` say why."""
        try:
            run_on_loop(self._round())
        except TimeoutError:
            self._stale = f"the team server did not respond within {REFRESH_SECONDS:.0f} s"
        except (TeamServerError, StoreError) as error:
            self._stale = str(error)

    async def _round(self) -> None:
        async with self._team.opened() as team, asyncio.timeout(REFRESH_SECONDS):
            await team.sync.round()

    def beside(
        self, own: Iterator[list[JournalEntry]], wanted: JournalSelection
    ) -> Generator[list[JournalEntry], None, None]:
        """One's own writes, the newest first, and the others' that are asked for as well, some at a time."""
        scope, own_chain = ServiceScope.of(self._team.scope), self._own_chain
        chains = [chain.author.chain for chain in self._reader.chains() if chain.author.chain != own_chain]
        theirs = (self._reader.pages(chain, scope, wanted) for chain in chains)
        page: list[JournalEntry] = []
        for entry in merge_newest_first([_one_by_one(own), *map(_one_by_one, theirs)]):
            page.append(entry)
            if len(page) == _PAGE:
                yield page
                page = []
        if page:
            yield page

    def received(self, entries: Sequence[JournalEntry]) -> Mapping[int, datetime]:
        """When the server got the writes from here among these, by their numbers, as far as it did."""
        return self._reader.received(self._own_chain, [entry.number for entry in entries if entry.author is None])

    def name_of(self, entry: JournalEntry) -> str:
        """Whose a write is, with the machine where two go by one name."""
        return self._names.get(entry.author or self.author) or (entry.author or self.author).name

    @cached_property
    def _names(self) -> Mapping[Author, str]:
        return tell_apart([self.author, *(chain.author for chain in self._reader.chains())])

    def notes(self) -> Sequence[Note]:
        """The team's notes on records of the service, the oldest first."""
        return read_notes(self._reader.lines(ServiceScope.of(self._team.scope), LineKind.NOTE), self._own_chain)

    def notices(self) -> tuple[str, ...]:
        """What is to be known of the copy, a line each."""
        return tuple(self._notices())

    def _notices(self) -> Iterator[str]:
        if self._stale:
            newest = self._reader.newest()
            at = "" if newest is None else local_time(newest.isoformat(), SystemTimeZone()) or newest.isoformat()
            of = f"colleagues' writes are loaded up to {at}" if at else "no colleagues' writes are loaded yet"
            yield f"{self._stale}; {of}"
        if unreadable := self._reader.unreadable:
            yield f"skipped colleagues' writes that can't be read: {unreadable:,}"
        for chain in self._reader.chains():
            if (broken := chain.broken) is not None:
                who = f"{broken.author.name} on {broken.author.machine}"
                yield (
                    f"the journal of {who} is changed at entry {broken.sequence:,} or later: {broken.why}; "
                    "for details run: svc-tui team check"
                )


def _one_by_one(pages: Iterator[list[JournalEntry]]) -> Iterator[JournalEntry]:
    for page in pages:
        yield from page
