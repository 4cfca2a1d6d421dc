"""The state on request: everything that a status bar would show, in sentences."""

from collections.abc import Iterator

from svc_tui.core.phrases import counted
from svc_tui.core.visible_text import visible
from svc_tui.reader.console.unsent_requests import UnsentRequests
from svc_tui.reader.locking import Locking
from svc_tui.reader.mask_command import HIDDEN
from svc_tui.reader.reviewed_writes import Writes
from svc_tui.reader.talk import Talk
from svc_tui.reader.wire import Wire
from svc_tui.session.unsent_drafts import Drafts


class StateSummary:
    """Says where one is and how things stand."""

    def __init__(
        self, talk: Talk, drafts: Drafts, locking: Locking, wire: Wire, writes: Writes, unsent: UnsentRequests
    ) -> None:
        self._talk, self._drafts, self._locking, self._wire = talk, drafts, locking, wire
        self._writes, self._unsent = writes, unsent

    async def where(self, _: str) -> None:
        """Say the state: environment, profile, collection, record, edits, request, lock, ticket, wire, team."""
        for line in self._lines():
            self._talk.say(line)

    def greeting(self) -> str:
        """The first line."""
        gateway, profile = self._talk.session.gateway, self._talk.session.profile
        signed = "signed" if gateway.signs else "unsigned"
        return f"{self._talk.label}, {self._locking.word}. Profile {visible(profile.name)} at {gateway.host}, {signed}."

    def _lines(self) -> Iterator[str]:
        at = self._talk.at
        yield self.greeting()
        if at.listing is None:
            yield "No collection is open."
        else:
            yield f"Collection {at.listing.collection.key}, {self._reach()}."
        if at.place is not None:
            draft = self._drafts.draft(at.place)
            edits = f", draft: {counted(len(draft.edits), 'field')}" if draft is not None else ""
            yield f"Record {visible(at.place.id)}{edits}."
        others = [place for place in self._drafts.places if place != at.place]
        if others:
            yield f"{counted(len(others), 'other draft')}. To list them, type edits."
        if self._unsent.words:
            yield self._unsent.words
        if self._writes.ticket:
            yield f"Ticket {visible(self._writes.ticket)}."
        if self._talk.mask.on:
            yield HIDDEN
        yield from self._wire.words
        yield from self._team()

    def _reach(self) -> str:
        listing = self._talk.at.listing
        assert listing is not None
        total = f" of {listing.total:,}" if listing.total is not None else ""
        filtered = f", filter {visible(listing.seen_text(self._talk.mask))}" if listing.narrowed else ""
        return f"{len(listing.shown):,} listed, {len(listing.read):,}{total} records loaded{filtered}"

    def _team(self) -> Iterator[str]:
        team = self._talk.session.team
        if team is None:
            return
        state = team.state
        if state.problem:
            yield f"Team: {visible(state.problem)}"
        elif state.connected:
            entries = "1 journal entry" if state.waiting == 1 else f"{state.waiting:,} journal entries"
            yield f"Team: connected, {entries} not shared yet."
        else:
            yield "Team: not connected yet."
