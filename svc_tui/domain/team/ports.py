"""What a team needs of the outside: this machine's chain, its copy of the others', and the server between them."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from svc_tui.domain.editing.ports import Author, JournalEntry, RunWrites, WrittenRecord
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.team.lines import ChainHead, LineKind, SealedLine, ServiceScope, TeamLine

if TYPE_CHECKING:
    from svc_tui.domain.team.kept_ask import KeptAsk


class TeamServerError(Exception):
    """The team server can't do what was asked; the message is one line that says why and what to do.

    `lasting` where it won't by itself be otherwise in a moment: a wrong password, a schema that is too old.
    """

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting


class ChainTaken(TeamServerError):
    """The server has another line in the place of one of this machine's: somebody else goes on with the chain."""


@dataclass(frozen=True, slots=True)
class BrokenChain:
    """A machine's chain that is not as it was written, from the line of this sequence on; `why` is a sentence."""

    author: Author
    sequence: int
    why: str


@dataclass(frozen=True, slots=True)
class KnownChain:
    """A machine's chain as far as this machine has it; `broken` is what is wrong with it."""

    author: Author
    head: ChainHead
    broken: BrokenChain | None = None


@dataclass(frozen=True, slots=True)
class ChainNews:
    """What the server has of one machine's chain, beyond a head that is known here.

    `known` is the digest of the line that is the head here, as the server has it, "" where it has no such line.
    """

    author: Author
    known: str
    lines: Sequence[SealedLine]


@dataclass(frozen=True, slots=True)
class ArrivedLines:
    """What came into this machine's copy, whoever wrote it; `mark` is for asking again, for what comes after."""

    lines: Sequence[TeamLine]
    mark: int


@dataclass(frozen=True, slots=True)
class Presence:
    """A record that somebody has open for editing now."""

    author: Author
    scope: ServiceScope
    place: str


class OwnChain(Protocol):
    """This machine's chain: the journal's lines of services that the team shares, and what is said to the team.

    What is in it stays here until the server has it. Every call raises StoreError.
    """

    async def author(self) -> Author:
        """Who writes it."""

    async def collect(self, limit: int = 500) -> int:
        """Take up lines of the journal that are not in it yet, in order, at most so many; gives how many these were."""

    async def add(self, kind: LineKind, place: str, content: Mapping[str, Json], at: datetime) -> TeamLine:
        """Add a line of the team's own; when this returns, it is on the disk."""

    async def waiting(self, after: int = 0, limit: int = 200) -> Sequence[SealedLine]:
        """The lines behind one of that sequence that the server is not known to have, the first one first."""

    async def count_waiting(self) -> int:
        """How many these are, with the journal's lines that are not taken up yet."""

    async def acknowledge(self, line: SealedLine) -> None:
        """The server has the lines up to this one."""

    async def begin_anew(self, chain: str, told: Container[str]) -> bool:
        """Begin another chain in the place of that one, with which another machine goes on; what waits moves there.

        Lines are left out whose matter (`line_matter`) is `told` already. Gives False where it was done before.
        """

    async def former(self) -> Mapping[str, int]:
        """The chains that were this machine's until another went on with them, and the last line from here of each."""


class TeamMirror(Protocol):
    """What this machine has of everybody's chain, its own too: a copy, to look things up in at once.

    Every call raises StoreError.
    """

    async def chains(self) -> Sequence[KnownChain]:
        """Every chain, as far as it is known."""

    async def take(self, news: ChainNews) -> int:
        """Add the lines that follow the known head; gives how many. One that does not fit marks its chain as broken."""

    async def meet_own(self) -> None:
        """Learn which chain is this machine's by now: of its former ones, what the server has is taken from there."""

    async def take_own(self, author: Author, lines: Sequence[SealedLine]) -> None:
        """Add lines of this machine, which the server may not have yet."""

    async def entries(self, scope: ServiceScope, place: str, limit: int) -> Sequence[JournalEntry]:
        """Colleagues' writes to a place, or to all with "", the newest first."""

    async def search(self, scope: ServiceScope, text: str, limit: int) -> Sequence[JournalEntry]:
        """Colleagues' writes that the words are found in, the newest first."""

    async def run_entries(self, scope: ServiceScope, limit: int) -> Sequence[JournalEntry | RunWrites]:
        """Colleagues' writes, the newest first, all of one run in one."""

    async def runs_of(self, scope: ServiceScope, runs: Iterable[str]) -> Sequence[RunWrites]:
        """Those of the runs that colleagues have writes of, in short."""

    async def entry(self, scope: ServiceScope, number: int) -> JournalEntry | None:
        """The colleague's write of this number; None where there is none."""

    async def record_after(self, scope: ServiceScope, number: int) -> WrittenRecord | None:
        """Return the record as the colleague's write of this number left it; None where that is not known."""

    async def run(self, scope: ServiceScope, run: str, limit: int, before: int = 0) -> Sequence[JournalEntry]:
        """The newest writes of a colleague's run first, those before the write of number `before`, 0 for all."""

    async def lines(self, scope: ServiceScope, kinds: Iterable[LineKind], place: str = "") -> Sequence[TeamLine]:
        """The lines of some kinds, own ones too, the oldest first; with `place` those about that alone."""

    async def arrived(self, scope: ServiceScope, kinds: Iterable[LineKind], after: int | None) -> ArrivedLines:
        """The lines of some kinds that came here after a mark, in the order in which they came; with None no lines."""

    async def aclose(self) -> None:
        """Close it; may be called again."""


class AskStore(Protocol):
    """What this machine keeps of its own asks, whole, until they are sent. Every call raises StoreError."""

    async def all(self) -> list["KeptAsk"]:
        """Every ask that is kept, the last one first."""

    async def keep(self, kept: "KeptAsk") -> None:
        """Keep this state of an ask in place of the one before; when this returns, it is on the disk."""

    async def drop(self, ask_id: str) -> None:
        """Forget one that was sent, is void or taken back."""

    async def note_told(self, ask_id: str, standing: str) -> bool:
        """Note what the author is told of an ask; gives whether that is news, to one program alone of several."""


class TeamServer(Protocol):
    """The team server. Every call raises TeamServerError."""

    async def publish(self, author: Author, lines: Sequence[SealedLine]) -> None:
        """Put the lines of this machine there; those that are there already stay as they are."""

    async def lines_of(self, chain: str, after: int, limit: int) -> Sequence[SealedLine]:
        """The lines of a chain behind one of that sequence, the first one first, at most so many."""

    async def news(self, heads: Mapping[str, ChainHead], limit: int = 500) -> Sequence[ChainNews]:
        """What is new in each chain beyond the head that is known of it, at most so many lines of each."""

    async def meet(self, author: Author, open_places: Sequence[Presence]) -> Sequence[Presence]:
        """Say what this program has open for editing, for a while, and learn what the others have."""

    async def leave(self) -> None:
        """Take back what this program has open."""

    async def aclose(self) -> None:
        """Close the connection; may be called again."""
