"""Leaving the conversation: out of the program, on to the screen, to another profile; and coming back to a place."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from svc_tui.core.phrases import capitalize_first, counted
from svc_tui.core.values import replace
from svc_tui.core.visible_text import visible
from svc_tui.reader.console.unsent_requests import UnsentRequests
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.reviewed_writes import Writes
from svc_tui.reader.talk import Talk
from svc_tui.service.routes import PlaceError, parse_place
from svc_tui.session.hand_over import HandOver
from svc_tui.session.memory import LastPosition
from svc_tui.session.remembered_choices import RememberedChoices
from svc_tui.session.session import Session, SessionRefused, check_profile
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.storage.errors import StoreError


def no_screen_here() -> str:
    """Why there is no screen, where nobody could show one."""
    return "Full-screen mode is not available in this terminal."


@dataclass(frozen=True, slots=True)
class ConversationEnd:
    """How a conversation ended: with an exit status, or to go on on the screen, or with another profile's session."""

    status: int = 0
    on_screen: HandOver | None = None
    session: Session | None = None
    carried: HandOver | None = None
    """What goes along to the other session."""


class Leaving:
    """Ends one conversation: `end` is how, None as long as it goes on."""

    def __init__(
        self,
        talk: Talk,
        drafts: Drafts,
        writes: Writes,
        unsent: UnsentRequests,
        screen_problem: Callable[[], str],
        arrived: HandOver | None,
    ) -> None:
        """Make it; `screen_problem` says in a sentence why there can be no screen, "" where there can.

        `arrived` is what came along from the screens.
        """
        self._talk, self._drafts, self._writes, self._unsent = talk, drafts, writes, unsent
        self._screen_problem, self._arrived = screen_problem, arrived
        session = talk.session
        self._remembered = RememberedChoices(
            session.preference_store, session.profile.name, session.gateway.environment, talk.say
        )
        self.end: ConversationEnd | None = None

    @property
    def quit_help(self) -> str:
        """What `help` says of `quit`: the demo keeps nothing."""
        return "Quit. Drafts are kept." if self._talk.session.lasting else "Quit. The demo keeps no drafts."

    async def quit(self, _: str) -> None:
        """Leave the program; ask where edits would end with it."""
        if self._drafts.places and not self._talk.session.lasting:
            count = counted(len(self._drafts.places), "draft")
            answer = await self._talk.ask(f"The demo does not keep drafts; {count} will be lost. quit or stay")
            if answer.casefold() != "quit":
                self._talk.say("svc-tui stays open.")
                return
        await self.say_kept()
        self.end = ConversationEnd()

    async def say_kept(self) -> None:
        """Say what is there again at the next start, and what is not."""
        for place in self._drafts.places if self._talk.session.lasting else ():
            try:
                await self._drafts.compare_with_disk(place)
            except StoreError as error:
                self._talk.say(f"Could not save the draft of {visible(place.id)} to disk: {visible(str(error))}")
        count = len(self._drafts.places)
        if count and self._talk.session.lasting:
            self._talk.say(f"{counted(count, 'draft')} kept.")
        self._say_let_go()

    def _say_let_go(self) -> None:
        """Say which request of the console ends with the conversation."""
        if words := self._unsent.parting_words:
            self._talk.say(words)

    async def screen(self, _: str) -> None:
        """Go on on the screen, at the same place."""
        if problem := self._screen_problem():
            raise Mistake(problem)
        if (listing := self._talk.at.listing) is not None:
            # What the service chooses by is remembered there: the table asks by it from its first page on.
            kind = listing.collection.kind
            habit = self._remembered.habit(kind)
            last = replace(habit.last, query=listing.view.query)
            await self._remembered.changed(kind, replace(habit, last=last))
        self.end = ConversationEnd(on_screen=self._carried)

    @property
    def _carried(self) -> HandOver:
        """What goes along to the screens; where nothing could be opened here, what came from there goes back."""
        place, listing, arrived = self._path, self._talk.at.listing, self._arrived
        view = listing.view if listing is not None else None
        if listing is None and arrived is not None:
            place, view = arrived.place, arrived.view
        request = self._unsent.request
        if request is not None and (arrived is None or place != arrived.place):
            # Whoever went elsewhere is to see that, not the console.
            request = replace(request, on_show=False)
        profile, drafts = self._talk.session.profile.name, self._drafts.saved
        return HandOver(profile, place, self._writes.ticket, self._talk.mask.on, drafts, view, request)

    # Profiles

    async def profile(self, text: str) -> None:
        """Go to another profile, or say which ones there are."""
        name = text.removeprefix("@").strip()
        if name:
            await self._to(name)
            return
        session = self._talk.session
        self._talk.say(f"{visible(session.profile.name)}, current profile.")
        try:
            others = [name for name in session.sessions.names() if name != session.profile.name]
        except SessionRefused as error:
            raise Mistake(f"{capitalize_first(visible(str(error)))}.") from None
        for other in others:
            self._talk.say(visible(other))
        hint = (
            f"To switch: profile {visible(others[0])}."
            if others
            else "No other profile. Add one: svc-tui profiles add."
        )
        self._talk.say(hint)

    async def _to(self, name: str) -> None:
        session = self._talk.session
        if name == session.profile.name:
            raise Mistake(f"{visible(name)} is already the current profile.")
        try:
            check_profile(session, name)
            following = await session.sessions.open(name)
        except (PlaceError, SessionRefused) as error:
            raise Mistake(f"{capitalize_first(visible(str(error)))}.") from None
        try:
            await asyncio.to_thread(session.preference_store.remember_profile, name)
        except OSError as error:
            self._talk.say(f"Could not save the profile for the next start: {error.strerror or type(error).__name__}")
        self._say_let_go()
        carried = HandOver(name, masked=self._talk.mask.on)
        self.end = ConversationEnd(session=following, carried=carried)

    # The place

    @property
    def _path(self) -> str:
        at = self._talk.at
        if at.place is not None:
            return at.place.path
        return at.listing.collection.path if at.listing is not None else ""

    def last_place(self) -> str:
        """Where this profile was left, said; "" where that is not known, or is no more."""
        last = self._remembered.last_position
        if last is None:
            return ""
        try:
            place = parse_place(last.path, self._talk.session.collections)
        except PlaceError:
            return ""
        self._talk.say(f"Last opened: {visible(place.key)}.")
        return last.path

    @property
    def last_row(self) -> str:
        """The id of the record that the table's cursor was left on in the place that one came from, "" for none."""
        last = self._remembered.last_position
        here = last is not None and self._arrived is not None and last.path == self._arrived.place
        return (last.record_id or "") if last is not None and here else ""

    async def remember_place(self) -> None:
        """Remember where this profile is left; a row of the collection that a screen was left at stays."""
        last = self._remembered.last_position
        if self._path and (last is None or last.path != self._path):
            await self._remembered.left(LastPosition(self._path))
