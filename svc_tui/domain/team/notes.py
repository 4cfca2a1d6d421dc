"""Notes on records: what one says to the team about a record. They are never sent to the service."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from svc_tui.domain.editing.ports import Author
from svc_tui.domain.http.redact import list_holds_secret
from svc_tui.domain.team.lines import LineKind, ServiceScope, TeamLine

if TYPE_CHECKING:
    # Loaded with a team, not with whatever shows its notes.
    from svc_tui.domain.team.ports import OwnChain, TeamMirror
    from svc_tui.domain.team.sync import TeamSync

MAX_NOTE_CHARACTERS = 2_000
"""How long a note may be; of a colleague's that is longer, so much is read."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note on the record at a place, which is its key.

    `author` is the colleague whose note it is, None for one from here. `received` is when the team server got it, by
    its own clock.
    """

    place: str
    at: datetime
    text: str
    author: Author | None = None
    received: datetime | None = None

    @property
    def written_at(self) -> datetime:
        """When it was written: no later than the server got it, whatever the clock of that machine says."""
        return self.at if self.received is None else min(self.at, self.received)


class NoteRefused(ValueError):
    """A text that can't be a note; one line for people."""


def note_problem(text: str, secrets: Sequence[str] = ()) -> str:
    """Why the text can't be a note, "" where it can: personal data is the author's to judge, a secret is not."""
    if not text.strip():
        return "Enter a note."
    if len(text.strip()) > MAX_NOTE_CHARACTERS:
        over = len(text.strip()) - MAX_NOTE_CHARACTERS
        return f"The note is too long. The limit is {MAX_NOTE_CHARACTERS:,} characters. Remove {over:,}."
    if list_holds_secret(text, secrets):
        return "The text seems to contain an API key or signing secret. Remove it."
    return ""


def read_notes(lines: Iterable[TeamLine], own_chain: str) -> list[Note]:
    """The notes that lines tell, in their order; one that holds none is left out, since it comes from outside."""
    notes = []
    for line in lines:
        text = line.content.get("text")
        if line.kind is LineKind.NOTE and line.place and isinstance(text, str) and text.strip():
            author = None if line.author.chain == own_chain else line.author
            # No more is looked at than may be shown, however much there is.
            start = text[: 2 * MAX_NOTE_CHARACTERS].strip()[:MAX_NOTE_CHARACTERS]
            notes.append(Note(line.place, line.at, start, author, line.received))
    return [note for note in notes if note.text]


class Notes:
    """The team's notes, of this service. Every call raises StoreError."""

    def __init__(
        self, own: "OwnChain", mirror: "TeamMirror", sync: "TeamSync", scope: ServiceScope, now: Callable[[], datetime]
    ) -> None:
        self._own, self._mirror, self._sync, self._scope, self._now = own, mirror, sync, scope, now
        self._mark: int | None = None

    async def add(self, place: str, text: str) -> None:
        """Leave a note on the record of that key; it is on the disk when this returns. Raises NoteRefused."""
        if problem := note_problem(text):
            raise NoteRefused(problem)
        await self._own.add(LineKind.NOTE, place, {"text": text.strip()}, self._now())
        self._sync.nudge()

    async def of(self, place: str) -> list[Note]:
        """The notes on the record of that key, the oldest first."""
        return await self._read(place)

    async def all(self) -> list[Note]:
        """Every note, the oldest first."""
        return await self._read("")

    async def arrived(self) -> list[Note]:
        """The notes of colleagues that came since this was last asked; at first none."""
        arrived = await self._mirror.arrived(self._scope, [LineKind.NOTE], self._mark)
        self._mark = arrived.mark
        chain = (await self._own.author()).chain
        return [note for note in read_notes(arrived.lines, chain) if note.author is not None]

    async def _read(self, place: str) -> list[Note]:
        chain = (await self._own.author()).chain
        return read_notes(await self._mirror.lines(self._scope, [LineKind.NOTE], place), chain)
