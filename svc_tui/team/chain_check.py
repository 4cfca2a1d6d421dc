"""Verification of a computer's chain on the server: of its hashes, and against the lines that are known here."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import ChainHead, LineError, SealedLine, read_line

MAX_PROBLEMS = 20
"""Number of problems of one chain that are reported, the first ones."""

_CHANGED = "was changed after it was written"
_REPLACED = "differs from the copy on this computer: the journal was rewritten"
_UNJOINED = "does not match the hash of the entry before it"
_GONE = "missing"
_OF_MANY = {
    _CHANGED: "were changed after they were written",
    _REPLACED: "differ from the copy on this computer: the journal was rewritten",
    _UNJOINED: "do not match the hashes of the entries before them",
}
"""The same words for several lines."""


class ChainProblem(Struct, frozen=True):
    """A problem of the lines from sequence `first` to `last`; `what` follows their numbers in the message."""

    first: int
    last: int
    what: str

    def __str__(self) -> str:
        if self.first == self.last:
            return f"entry {self.first:,} {'is ' if self.what.startswith(_GONE) else ''}{self.what}"
        return f"entries {self.first:,} to {self.last:,} {_OF_MANY.get(self.what, f'are {self.what}')}"


class MachineChainCheck(Struct, frozen=True):
    """The result for one chain: the number of lines and their problems, in order.

    `unreadable` lines are unchanged, but this program can't read them. `more`: not all problems are reported.
    """

    author: Author
    lines: int
    unreadable: int = 0
    problems: tuple[ChainProblem, ...] = ()
    more: bool = False


class ChainVerifier:
    """Verifies the lines of one chain part by part, without keeping them."""

    def __init__(self, author: Author) -> None:
        self._author, self._head = author, ChainHead()
        self._lines = self._unreadable = 0
        self._problems: list[ChainProblem] = []
        self._more = False

    @property
    def head(self) -> ChainHead:
        """The last line that was verified."""
        return self._head

    def take(self, lines: Iterable[SealedLine], known: Mapping[int, str]) -> None:
        """Verify the next lines; `known` are the digests of some of them that are known here, by sequence."""
        for line in lines:
            self._lines += 1
            if (gap := line.sequence - self._head.sequence - 1) > 0:
                self._note(line.sequence - gap, line.sequence - 1, _GONE)
            if not line.is_sound or line.chain != self._author.chain:
                self._note(line.sequence, line.sequence, _CHANGED)
            elif known.get(line.sequence, line.digest) != line.digest:
                self._note(line.sequence, line.sequence, _REPLACED)
            elif gap == 0 and line.previous != self._head.digest:
                self._note(line.sequence, line.sequence, _UNJOINED)
            try:
                read_line(line)
            except LineError:
                self._unreadable += 1
            self._head = ChainHead(line.sequence, line.digest)

    def finish(self, known_end: int) -> MachineChainCheck:
        """Return the result after all lines; those up to `known_end` have existed."""
        if known_end > self._head.sequence:
            self._note(self._head.sequence + 1, known_end, f"{_GONE} at the end of the journal")
        return MachineChainCheck(self._author, self._lines, self._unreadable, tuple(self._problems), self._more)

    def _note(self, first: int, last: int, what: str) -> None:
        if self._problems and (before := self._problems[-1]).what == what and before.last + 1 == first:
            self._problems[-1] = ChainProblem(before.first, last, what)
        elif len(self._problems) < MAX_PROBLEMS:
            self._problems.append(ChainProblem(first, last, what))
        else:
            self._more = True


def lost_chain(author: Author, known_end: int) -> MachineChainCheck:
    """Return the result for a chain that is missing on the server, with lines up to `known_end` known here."""
    return MachineChainCheck(
        author, 0, problems=(ChainProblem(1, known_end, f"{_GONE}, and so is the name of the computer"),)
    )
