"""What writes need of the outside: journal, drafts and unsent forms, the scope they lie in, a second person's word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    # Only what the Protocols speak of: whoever calls them has loaded what is needed for that.
    from svc_tui.domain.editing.draft import Draft, FieldChange
    from svc_tui.domain.editing.forms import FormTarget, SavedForm
    from svc_tui.domain.model.catalog import Collection
    from svc_tui.domain.model.credentials import Environment
    from svc_tui.domain.model.jsontext import Json
    from svc_tui.domain.model.records import Place, Record
    from svc_tui.domain.model.requests import RequestSpec


@dataclass(frozen=True, slots=True)
class StorageScope:
    """Under what drafts and journal lines are filed; never under the key, which rotates."""

    profile: str
    environment: Environment
    base_url: str


@dataclass(frozen=True, slots=True)
class Intent:
    """A write about to be sent: `before` and `after` hold the fields concerned, where they are known.

    `body_bytes` is the size of a body that is no object of fields; None where there is `after` to look at. `batch` is
    the id of the run that it is part of, `row` the number of the row of that run's plan, 0 where none is known.
    `body_digest` is the SHA-256 of the body as it was sent, in hex; "" in
    intents from before it was kept. `approval` is the id of what a colleague was asked, `approved_by` who approved it;
    "" where nobody had to.
    """

    at: datetime
    method: str
    target: str
    place: str
    idempotency_key: str
    before: Mapping[str, Json] | None = None
    after: Mapping[str, Json] | None = None
    ticket: str = ""
    body_bytes: int | None = None
    batch: str = ""
    body_digest: str = ""
    row: int = 0
    approval: str = ""
    approved_by: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a write ended: `result` is done, refused, unknown or not sent; `status` None where no answer came.

    `made` is the id of the record that the write made, "" where it made none, or none that its answer named; `place`
    is that record's place, as an intent names places. `code` is the service's own word for a refusal, "" where it gave
    none, and in outcomes from before it was kept.
    """

    at: datetime
    result: str
    status: int | None = None
    message: str = ""
    request_id: str | None = None
    made: str = ""
    place: str = ""
    code: str = ""


class WriteInProgress(Enum):
    """Where the program is that sends a write now; the value is what people read."""

    HERE = "running"
    ELSEWHERE = "running in another window"


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a line that a team shares, as they call themselves: the person's name and the machine's.

    `chain` is the id of the journal that the line is in; it tells two of one name apart.
    """

    name: str
    machine: str
    chain: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One write as the journal knows it; without an outcome its fate is unknown, unless it is `under_way`.

    `key` names the key that it left with: where the key comes from, never the key. `author` is the colleague whose
    write it was, None for one from here; a colleague's has a `number` below zero. `masked` are the fields whose values
    a colleague's program keeps to itself, `received` is when a team server got the write, by its own clock.
    `other_key`: it was sent from here with another key of the profile than the one in use.
    """

    number: int
    intent: Intent
    outcome: Outcome | None = None
    key: str = ""
    under_way: WriteInProgress | None = None
    author: Author | None = None
    masked: tuple[str, ...] = ()
    received: datetime | None = None
    other_key: bool = False


@dataclass(frozen=True, slots=True)
class WrittenRecord:
    """A record as the service had it right after a write.

    `masked` are the paths of fields whose values a colleague's program keeps to itself: the record is without them.
    """

    record: Record
    masked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunWrites:
    """The writes of one run in short; `first` and `last` are its first and its newest.

    `results` says how many writes ended how, in the journal's words; `changed`, by method, of how many records there
    is one that was carried out, or of which nobody knows.
    """

    id: str
    first: JournalEntry
    last: JournalEntry
    records: int
    results: Mapping[str, int]
    changed: Mapping[str, int]

    @property
    def writes(self) -> int:
        """How many writes there are."""
        return sum(self.results.values())


@dataclass(frozen=True, slots=True)
class RowWrite:
    """The last write of one row of a run, without its values; `row` is 0 where the journal names no row.

    `result` is the journal's word for its end, `made` the id of the record that it created, "" for none. `other_key`:
    it was sent with another key than the one in use.
    """

    number: int
    row: int
    place: str
    at: datetime
    result: str
    status: int | None = None
    message: str = ""
    made: str = ""
    other_key: bool = False


@dataclass(frozen=True, slots=True)
class Pruning:
    """How many writes are old enough to be removed from the journal, and of how many of them the fate is unknown."""

    writes: int
    unknown: int = 0


class WriteLog(Protocol):
    """The writes that are known here, to be looked at: those of the journal, and those of colleagues in a team."""

    async def entries(self, limit: int = 200, *, place: str = "") -> list[JournalEntry]:
        """The newest entries first; with `place` (an intent's) those of that one alone, the one that made it too."""

    async def listed(self, limit: int = 200) -> list[JournalEntry | RunWrites]:
        """The newest writes first, all of one run in one, which stands where its newest write does."""

    async def find(self, number: int) -> JournalEntry | None:
        """The write of this number; None where there is none."""

    async def record_after(self, number: int) -> WrittenRecord | None:
        """Return the record as the write of this number left it; None where that is not known."""

    async def search(self, text: str, limit: int = 200, *, per_run: int = 0) -> list[JournalEntry]:
        """The newest entries that `text` is found in, as `domain.editing.journal.entry_matches` tells.

        Of each run the newest `per_run` at most, 0: all.
        """

    async def runs_of(self, runs: Iterable[str]) -> list[RunWrites]:
        """Those of the runs that have writes here, in short, the one written to last first."""

    async def newest_of_run(self, run: str, limit: int, *, before: int = 0) -> list[JournalEntry]:
        """The newest writes of one run first, those before the write of number `before`, 0 for all."""


class Journal(WriteLog, Protocol):
    """The append-only journal of this machine's writes: an intent line before a request leaves, an outcome line after.

    As a `WriteLog` it knows these alone.
    """

    async def intend(self, intent: Intent, origin: Place | FormTarget | None = None) -> int:
        """Append the intent; when this returns, the line is on the disk. Gives the entry's number.

        `origin` is the place of the draft, or the target of the form, that is sent: what is kept of it then names the
        entry, from the same moment on.
        """

    async def conclude(self, number: int, outcome: Outcome, record: Record | None = None) -> None:
        """Append the outcome of entry `number`, with the record as the service has it since, where that is known."""

    async def unsettled(self, since: datetime | None = None) -> list[JournalEntry]:
        """The writes sent since then, None for all, whose outcome is not known, the newest first.

        Those under way are among them.
        """

    async def of_run(self, run: str) -> list[JournalEntry]:
        """The writes of one run, the first one first."""

    async def creations(self, place: str, digests: frozenset[str]) -> list[JournalEntry]:
        """Return the creations at a collection, done or of unknown outcome, with such bodies; the newest first."""

    async def row_writes(self, run: str) -> list[RowWrite]:
        """Return the last write of each row of a run, in the order of the rows' first writes."""

    async def prunable(self, before: datetime) -> Pruning:
        """What `prune` would remove."""

    async def prune(self, before: datetime, now: datetime) -> Pruning:
        """Remove the writes older than `before`, of every profile; the chain of the rest still holds."""


@dataclass(frozen=True, slots=True)
class SavedDraft:
    """A draft as the store holds it: where it belongs and when it was last changed.

    `intent` is the number of the journal entry that it was last sent with, 0 for none. `others` are edits of the same
    fields to other values, by other programs.
    `key_fingerprint` is that of the key in use when it was handed to the store.
    """

    collection: Collection
    record_id: str
    draft: Draft
    changed: datetime
    intent: int = 0
    others: tuple[FieldChange, ...] = ()
    key_fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class DraftOnDisk:
    """What other programs did to a draft: the edits that they `removed`, and their own edits of its fields."""

    removed: Mapping[str, Json] = field(default_factory=dict)
    others: tuple[FieldChange, ...] = ()


class DraftStore(Protocol):
    """Edits not yet sent, kept until they are sent or thrown away on purpose."""

    async def all(self) -> list[SavedDraft]:
        """Every draft of this scope."""

    def take_up(self, drafts: Iterable[SavedDraft], held: Iterable[Place]) -> None:
        """Go by these drafts, just read, and by what this program last wrote of the records that it `held` already."""

    async def on_disk(self, collection: Collection, record_id: str) -> DraftOnDisk:
        """What other programs did to the draft of a record since this one last read or wrote it."""

    async def keep(self, kept: SavedDraft) -> None:
        """Keep this state of a draft in place of the one before."""

    async def drop(self, collection: Collection, record_id: str) -> None:
        """Forget a draft that was sent or thrown away."""

    async def is_of_other_key(self, collection: Collection, record_id: str) -> bool:
        """Return whether a draft was begun with another key than the one in use."""


class FormStore(Protocol):
    """Forms begun and not sent, kept until they are sent or thrown away on purpose."""

    async def all(self) -> list[SavedForm]:
        """Every form of this scope, the one changed last first."""

    async def find(self, purpose: FormTarget) -> SavedForm | None:
        """The form for this purpose as it is on the disk now; None where another program sent it or threw it away."""

    async def keep(self, kept: SavedForm) -> None:
        """Keep this state of a form in place of the one before."""

    async def drop(self, purpose: FormTarget) -> None:
        """Forget a form that was sent or thrown away."""

    async def is_of_other_key(self, purpose: FormTarget) -> bool:
        """Return whether a form was begun with another key than the one in use."""


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """A write that is to be sent: `spec` is the request, `row` the row of the run's plan that it carries out, 0: none.

    `kinds` are what it is, each a word of `domain.team.approval_rules.KINDS`: a deletion that was written out in the
    console is a request and a deletion. `place` is the key of the record or collection that it is about, "" for none;
    then `path` is where it goes, written as such a key.
    """

    kinds: tuple[str, ...]
    place: str
    spec: RequestSpec
    row: int = 0
    path: str = ""

    @property
    def where(self) -> str:
        """What a rule about a place is compared with."""
        return self.place or self.path


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change as its author sees it before it is sent: the record as it was `shown`, None where none was.

    `edits` are the fields of an edit, None for any other change.
    """

    change: ProposedChange
    place: Place | None = None
    shown: Record | None = None
    edits: Mapping[str, Json] | None = None

    @property
    def concerned(self) -> tuple[str, ...]:
        """The fields that have to stay as they were shown until it is sent: those of an edit, else all of them."""
        if self.edits is not None:
            return tuple(self.edits)
        return () if self.shown is None else tuple(self.shown.fields)


@dataclass(frozen=True, slots=True)
class Permit:
    """What is known of a second person's word on a change: `refusal` is why it can't be sent, a sentence, "": it can.

    `approval` is the id of what was asked, `approved_by` who approved it; "" where nobody has to.
    """

    refusal: str = ""
    approval: str = ""
    approved_by: str = ""


class ApprovalGuard(Protocol):
    """Knows which changes want a second person, and which of these have one. What it can't find out it refuses."""

    def rule(self, change: ProposedChange) -> str:
        """The rule that wants a second person for the change, "" for none."""

    async def permit(self, change: ProposedChange) -> Permit:
        """Whether the change may be sent; no approval is good for two."""

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        """Why a permit does not hold for the record as it is now, in a sentence; "" where it does.

        Its approval is void then. `fields` None: they are not known.
        """

    async def settle(self, permit: Permit, result: str) -> None:
        """The change of a permit was sent, and ended with this result, in the journal's words."""


class Unguarded:
    """An `ApprovalGuard` where nothing wants a second person."""

    def rule(self, change: ProposedChange) -> str:
        """None."""
        return ""

    async def permit(self, change: ProposedChange) -> Permit:
        """It may be sent."""
        return Permit()

    async def recheck(self, permit: Permit, fields: Mapping[str, Json] | None) -> str:
        """It holds."""
        return ""

    async def settle(self, permit: Permit, result: str) -> None:
        """Nobody waits for that."""


@dataclass(frozen=True, slots=True)
class WriteGate:
    """What every write has to pass before it leaves.

    `refusal` says why nothing may be written now, None where it may; `approvals` which changes want a second person.
    """

    refusal: Callable[[], str | None]
    approvals: ApprovalGuard


class StoreError(Exception):
    """The local store can't do what was asked; the message says why and what to do."""


class StoreUnavailable(StoreError):
    """Nothing can be kept where the store is to be: it can't be written there, or the disk is full."""
