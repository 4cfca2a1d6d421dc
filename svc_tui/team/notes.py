"""Notes on records, for the team; they are never sent to the service."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from svc_tui.service.redact import list_holds_secret
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import LineKind, ServiceScope, TeamLine

if TYPE_CHECKING:
    # Loaded with a team; this module also with what shows notes.
    from svc_tui.storage.team.mirror import TeamMirror
    from svc_tui.storage.team.own_chain import OwnChain
    from svc_tui.team.sync import TeamSync

MAX_NOTE_CHARACTERS = 2_000
"""Maximum length of a note; longer ones of colleagues are cut."""


class Note(Struct, frozen=True):
    """A note on the record with the key `place`.

    `author` is None for a note from this computer. `received` is when the team server got it, by its own clock.
    """

    place: str
    at: datetime
    text: str
    author: Author | None = None
    received: datetime | None = None

    @property
    def written_at(self) -> datetime:
        """When it was written, at the latest when the server got it: clocks of computers can be wrong."""
        return self.at if self.received is None else min(self.at, self.received)


class NoteRefused(ValueError):
    """A text that can't be saved as a note; the message is for users."""


def note_problem(text: str, secrets: Sequence[str] = ()) -> str:
    """Return why the text can't be saved as a note, "" if it can; only secrets are refused, not personal data."""
    if not text.strip():
        return "Enter a note."
    if len(text.strip()) > MAX_NOTE_CHARACTERS:
        over = len(text.strip()) - MAX_NOTE_CHARACTERS
        return f"The note is too long. The limit is {MAX_NOTE_CHARACTERS:,} characters. Remove {over:,}."
    if list_holds_secret(text, secrets):
        return "The text seems to contain an API key or signing secret. Remove it."
    return ""


def read_notes(lines: Iterable[TeamLine], own_chain: str) -> list[Note]:
    """Read the notes from lines, in their order; lines come from other computers, so invalid ones are skipped."""
    notes = []
    for line in lines:
        text = line.content.get("text")
        if line.kind is LineKind.NOTE and line.place and isinstance(text, str) and text.strip():
            author = None if line.author.chain == own_chain else line.author
            # Cut before stripping, which would read all of a very long text.
            start = text[: 2 * MAX_NOTE_CHARACTERS].strip()[:MAX_NOTE_CHARACTERS]
            notes.append(Note(line.place, line.at, start, author, line.received))
    return [note for note in notes if note.text]


class Notes:
    """The team's notes on records of one service. Every call raises StoreError."""

    def __init__(
        self, own: "OwnChain", mirror: "TeamMirror", sync: "TeamSync", scope: ServiceScope, now: Callable[[], datetime]
    ) -> None:
        self._own, self._mirror, self._sync, self._scope, self._now = own, mirror, sync, scope, now
        self._mark: int | None = None

    async def add(self, place: str, text: str) -> None:
        """Add a note on a record; it is on disk when this returns. Raises NoteRefused."""
        if problem := note_problem(text):
            raise NoteRefused(problem)
        await self._own.add(LineKind.NOTE, place, {"text": text.strip()}, self._now())
        self._sync.nudge()

    async def of(self, place: str) -> list[Note]:
        """Return the notes on a record, the oldest first."""
        return await self._read(place)

    async def all(self) -> list[Note]:
        """Return all notes, the oldest first."""
        return await self._read("")

    async def arrived(self) -> list[Note]:
        """Return the notes of colleagues that arrived since the last call; the first call returns none."""
        arrived = await self._mirror.arrived(self._scope, [LineKind.NOTE], self._mark)
        self._mark = arrived.mark
        chain = (await self._own.author()).chain
        return [note for note in read_notes(arrived.lines, chain) if note.author is not None]

    async def _read(self, place: str) -> list[Note]:
        chain = (await self._own.author()).chain
        return read_notes(await self._mirror.lines(self._scope, [LineKind.NOTE], place), chain)
