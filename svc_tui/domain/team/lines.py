"""The lines that a team shares: each machine writes a chain of its own, in which every line seals the one before."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, datetime
from enum import StrEnum

from svc_tui.domain.editing.ports import Author, StorageScope
from svc_tui.domain.model.jsontext import Json, JsonError, Number, dumps, loads, number

GENESIS_DIGEST = "0" * 64
"""What stands for the digest of the line before a chain's first."""

MAX_NAME_CHARACTERS = 60
"""How long the name of a person or of a machine may be."""


class LineKind(StrEnum):
    """What a line is; the value is what stands in it."""

    INTENT = "intent"
    """A write that is about to be sent."""
    OUTCOME = "outcome"
    """How a write ended."""
    NOTE = "note"
    """A note on a record."""
    ASK = "ask"
    """A change that waits for a second person's approval."""
    VERDICT = "verdict"
    """What a second person says of it."""
    SHARE = "share"
    """Something handed to a colleague."""
    TAKEN = "taken"
    """What became of that."""


@dataclass(frozen=True, slots=True)
class ServiceScope:
    """The service that a line is about; colleagues' profiles for one service have names of their own."""

    environment: str
    base_url: str

    @classmethod
    def of(cls, scope: StorageScope) -> "ServiceScope":
        """The service that journal lines of the scope are about."""
        return cls(scope.environment.value, scope.base_url)


@dataclass(frozen=True, slots=True)
class TeamLine:
    """One line as it is read: `sequence` counts in its chain from 1, `entry` is the number of the write it is about.

    `at` is by the clock of the machine that wrote it, `received` by the server's, None where it has not arrived there.
    `place` is the key of a record or a collection, "" for none.
    """

    kind: LineKind
    author: Author
    scope: ServiceScope
    place: str
    at: datetime
    content: Mapping[str, Json]
    entry: int = 0
    sequence: int = 0
    digest: str = ""
    received: datetime | None = None


@dataclass(frozen=True, slots=True)
class SealedLine:
    """One line as it is stored and sent; `digest` is the SHA-256 over the other four but `received`, in hex."""

    chain: str
    sequence: int
    previous: str
    text: str
    digest: str
    received: datetime | None = None

    @property
    def is_sound(self) -> bool:
        """Whether the line is as its digest says."""
        return self.digest == line_digest(self.chain, self.sequence, self.previous, self.text)


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The last line of a chain that is known: its place in the chain and its digest."""

    sequence: int = 0
    digest: str = GENESIS_DIGEST


class LineError(Exception):
    """A text that is no line of a team."""


def line_digest(chain: str, sequence: int, previous: str, text: str) -> str:
    """The digest of a line, in hex."""
    return hashlib.sha256(f"{chain}\n{sequence}\n{previous}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def seal(chain: str, after: ChainHead, text: str) -> SealedLine:
    """The text as the line of a chain that comes next."""
    sequence = after.sequence + 1
    return SealedLine(chain, sequence, after.digest, text, line_digest(chain, sequence, after.digest, text))


def line_text(line: TeamLine) -> str:
    """The line as ASCII text."""
    whole: dict[str, Json] = {
        "kind": line.kind.value,
        "name": line.author.name,
        "machine": line.author.machine,
        "environment": line.scope.environment,
        "baseUrl": line.scope.base_url,
        "place": line.place,
        "at": line.at.isoformat(),
        "entry": number(line.entry),
        "content": line.content,
    }
    return dumps(whole, ascii_only=True)


def line_matter(text: str) -> str:
    """What a line says, whoever's program on whichever machine says it: the same for both copies of one journal."""
    try:
        whole = loads(text)
    except JsonError:
        return text
    if not isinstance(whole, dict):
        return text
    return dumps({name: value for name, value in whole.items() if name not in ("name", "machine")}, ascii_only=True)


def read_line(sealed: SealedLine) -> TeamLine:
    """The line that a text tells; raises LineError: it comes from outside, and may hold anything."""
    try:
        whole = loads(sealed.text)
    except JsonError as error:
        raise LineError(f"not JSON: {error}") from None
    match whole:
        case {
            "kind": str(kind),
            "name": str(name),
            "machine": str(machine),
            "environment": str(environment),
            "baseUrl": str(base_url),
            "place": str(place),
            "at": str(at),
            "entry": Number() as entry,
            "content": dict(content),
        }:
            try:
                moment = datetime.fromisoformat(at)
                if moment.tzinfo is None:
                    raise LineError("its time has no time zone")
                if not 1 < moment.year < MAXYEAR:
                    raise LineError("its time is out of range")
                return TeamLine(
                    LineKind(kind),
                    Author(name[:MAX_NAME_CHARACTERS], machine[:MAX_NAME_CHARACTERS], sealed.chain),
                    ServiceScope(environment, base_url),
                    place,
                    moment,
                    content,
                    int(entry.text),
                    sealed.sequence,
                    sealed.digest,
                    sealed.received,
                )
            except ValueError:
                raise LineError("its kind, time or number is not valid") from None
    raise LineError("a field of the line is missing")
