"""What every feature of the reader works with: the session, what is said and asked, and where one is."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from svc_tui.core.credentials import Environment
from svc_tui.core.kinds import MASKED
from svc_tui.core.phrases import counted
from svc_tui.core.records import Place, Record
from svc_tui.reader.listing import Listing
from svc_tui.reader.spoken_words import collection_words, short_place
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.session import Session
from svc_tui.session.write_words import OTHER_KEY, NextSteps

Say = Callable[[str], None]
"""Says one line."""

PART_LINES = 15
"""Lines of something long that are said before it asks for `more`."""


@dataclass(slots=True)
class Position:
    """Where the user is.

    `numbered` are the places that numbers stand for, those of the list that was said last. `more` says what is left of
    whatever was said last, None where nothing is. `saved_requests` are the files, without ending, of the saved requests
    that were listed last.
    """

    listing: Listing | None = None
    place: Place | None = None
    record: Record | None = None
    numbered: Sequence[Place] = ()
    more: Callable[[], Awaitable[None]] | None = field(default=None)
    saved_requests: Sequence[str] = ()

    @property
    def words(self) -> str:
        """The record, else the collection, in few words; "" for none."""
        if self.place is not None:
            return short_place(self.place)
        return collection_words(self.listing.collection) if self.listing is not None else ""


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation. `speak` says a line as it is; `ask` has the user answer one, and raises Dropped else.

    `offer` has a key bring a line to be changed, as if it had been typed before.
    What is said of values goes through `mask`, so that nothing personal is heard while that is on.
    """

    session: Session
    speak: Say
    ask: Callable[[str], Awaitable[str]]
    offer: Callable[[str], None]
    at: Position
    mask: PrivacyMask

    def local_now(self) -> datetime:
        """The time, in the zone of the user."""
        return self.session.now().astimezone(self.session.tz)

    def say(self, line: str) -> None:
        """Say one line, without addresses and phone numbers while the mask is on."""
        # What stands for a hidden value on a screen would be spoken sign by sign.
        self.speak(self.mask.text(line).replace(MASKED, "masked") if self.mask.on else line)

    async def agrees_to_other_key(self, what: str) -> bool:
        """Ask whether to go on with what was made with another key of this profile."""
        self.say(f"{what} with another key of this profile. {OTHER_KEY}")
        if (await self.ask("Continue? yes or no")).casefold() == "yes":
            return True
        self.say("Nothing was sent.")
        return False

    @property
    def live(self) -> bool:
        """Whether writes change what is real."""
        return self.session.gateway.environment is Environment.LIVE

    @property
    def label(self) -> str:
        """The word for the environment."""
        return self.session.gateway.environment.label

    @property
    def steps(self) -> NextSteps:
        """What can be done once a write has ended, as far as it does not depend on the write."""
        return NextSteps(
            take_back="Your value is kept as a draft. To discard it: drop.",
            new_pair="Replace the key and the secret: svc-tui profiles rotate NAME, "
            "or set SVC_API_KEY and SVC_SIGNING_SECRET.",
        )

    async def say_part(self, lines: Sequence[str]) -> None:
        """Say the first of many lines, and leave the others to `more`."""
        for line in lines[:PART_LINES]:
            self.say(line)
        rest = lines[PART_LINES:]
        self.at.more = None
        if rest:
            self.say(f"{counted(len(rest), 'line')} left. To continue, type more.")
            self.at.more = lambda: self.say_part(rest)
