"""The lines that a team shares: each computer has a chain of lines, and each line has the hash of the one before."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import MAXYEAR, datetime
from enum import StrEnum

from msgspec import Struct

from svc_tui.core.jsontext import Json, JsonError, Number, dumps, loads, number
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.scope import StorageScope

GENESIS_DIGEST = "0" * 64
"""The `previous` digest of the first line of a chain."""

MAX_NAME_CHARACTERS = 60
"""Maximum length of the name of a person or a computer."""


class LineKind(StrEnum):
    """The kind of a line; lines store the value."""

    INTENT = "intent"
    """A write, before it is sent."""
    OUTCOME = "outcome"
    """How a write ended."""
    NOTE = "note"
    """A note on a record."""
    ASK = "ask"
    """A request for approval of a change."""
    VERDICT = "verdict"
    """A colleague's answer to such a request."""
    SHARE = "share"
    """Something shared with a colleague."""
    TAKEN = "taken"
    """The answer to a share."""


class ServiceScope(Struct, frozen=True):
    """The service that a line is about, without the profile: colleagues can name theirs differently."""

    environment: str
    base_url: str

    @classmethod
    def of(cls, scope: StorageScope) -> "ServiceScope":
        """Return the service of a storage scope."""
        return cls(scope.environment.value, scope.base_url)


class TeamLine(Struct, frozen=True):
    """A line as it is read: `sequence` counts from 1 in its chain, `entry` is the number of the write that it is about.

    `at` is by the clock of its computer, `received` by the server's, None if the server does not have it yet. `place`
    is the key of a record or a collection, "" for none.
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


class SealedLine(Struct, frozen=True):
    """A line as it is stored and sent; `digest` is the SHA-256 of the first four fields, in hex."""

    chain: str
    sequence: int
    previous: str
    text: str
    digest: str
    received: datetime | None = None

    @property
    def is_sound(self) -> bool:
        """True if the digest is that of the line."""
        return self.digest == line_digest(self.chain, self.sequence, self.previous, self.text)


class ChainHead(Struct, frozen=True):
    """The last known line of a chain: its sequence and its digest."""

    sequence: int = 0
    digest: str = GENESIS_DIGEST


class BrokenChain(Struct, frozen=True):
    """A chain that was changed after it was written, from a sequence on; `why` says how."""

    author: Author
    sequence: int
    why: str


class KnownChain(Struct, frozen=True):
    """The chain of a computer, as far as it is in the mirror."""

    author: Author
    head: ChainHead
    broken: BrokenChain | None = None


class ChainNews(Struct, frozen=True):
    """The lines of one chain on the server after the head that is known here.

    `known` is the digest that the server has for that head, "" if it does not have the line.
    """

    author: Author
    known: str
    lines: Sequence[SealedLine]


class ArrivedLines(Struct, frozen=True):
    """Lines that were added to the mirror; with `mark`, the next call returns those added later."""

    lines: Sequence[TeamLine]
    mark: int


class Presence(Struct, frozen=True):
    """A record that someone has open for editing."""

    author: Author
    scope: ServiceScope
    place: str


class LineError(Exception):
    """A text that is not a valid line."""


def line_digest(chain: str, sequence: int, previous: str, text: str) -> str:
    """Return the digest of a line, in hex."""
    return hashlib.sha256(f"{chain}\n{sequence}\n{previous}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def seal(chain: str, after: ChainHead, text: str) -> SealedLine:
    """Return the next line of a chain, with this text."""
    sequence = after.sequence + 1
    return SealedLine(chain, sequence, after.digest, text, line_digest(chain, sequence, after.digest, text))


def line_text(line: TeamLine) -> str:
    """Return the line as ASCII JSON."""
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


def text_without_author(text: str) -> str:
    """Return the text of a line without its author and computer: the same for two copies of a journal."""
    try:
        whole = loads(text)
    except JsonError:
        return text
    if not isinstance(whole, dict):
        return text
    return dumps({name: value for name, value in whole.items() if name not in ("name", "machine")}, ascii_only=True)


def read_line(sealed: SealedLine) -> TeamLine:
    """Read a line, which comes from another computer and may contain anything; raises LineError."""
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
