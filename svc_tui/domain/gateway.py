"""What the interface and the write road need from outside, as Protocols that `bootstrap` fills in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    # Only what the Protocols speak of: whoever calls them has loaded what is needed for that.
    from svc_tui.domain.batch import Plan
    from svc_tui.domain.catalog import Collection
    from svc_tui.domain.credentials import Environment, KeyPair
    from svc_tui.domain.draft import Draft
    from svc_tui.domain.formats import Format
    from svc_tui.domain.forms import KeptForm, Purpose
    from svc_tui.domain.history import Ending, HistoryEntry, Sending
    from svc_tui.domain.jsontext import Json
    from svc_tui.domain.panes import PaneSizes
    from svc_tui.domain.records import Page, Record
    from svc_tui.domain.requests import Exchange, RequestSpec, SignedRequest
    from svc_tui.domain.savedrequests import Kept, SavedRequest
    from svc_tui.domain.settings import Palette
    from svc_tui.domain.traffic import Listener, Reached
    from svc_tui.domain.views import Habit, Memory, Stay


@dataclass(frozen=True, slots=True)
class Reading:
    """A record, and the request and answer that it was read by."""

    record: Record
    exchange: Exchange


class Gateway(Protocol):
    """The service, as the interface sees it. Every call raises only `ServiceError`s."""

    @property
    def environment(self) -> Environment:
        """From the key's prefix."""

    @property
    def base_url(self) -> str:
        """The base URL in use, without `/v1` and without a trailing slash."""

    @property
    def host(self) -> str:
        """Host and port of the base URL, for people."""

    @property
    def signs(self) -> bool:
        """Whether requests are signed."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must never be shown."""

    def listen(self, listener: Listener) -> None:
        """Have `listener` told of every traffic event, on the event loop."""

    async def page(
        self,
        collection: Collection,
        number: int,
        limit: int,
        *,
        query: Sequence[tuple[str, str]] = (),
        background: bool = False,
    ) -> Page:
        """Page `number` (from 1) of the collection's list; background calls let those made by hand go first."""

    def walk(
        self,
        collection: Collection,
        *,
        limit: int,
        first: int = 1,
        most: int | None = None,
        query: Sequence[tuple[str, str]] = (),
        background: bool = True,
        ahead: int = 3,
    ) -> AsyncIterator[Page]:
        """Every page of the list in order from page `first`, or as many as hold `most` records, the last cut to fit.

        At most `ahead` pages beyond the one waited for are asked for early. An error is raised after the pages before
        it, and `first` goes on from there. It is a generator: leave it early under `contextlib.aclosing`.
        """

    async def record(self, collection: Collection, record_id: str) -> Record:
        """One record, read now."""

    async def reading(self, collection: Collection, record_id: str) -> Reading:
        """One record, read now, with the answer that it came in."""

    async def send(self, spec: RequestSpec) -> Exchange:
        """Any request; an error answer is returned like any other (`errors.failure_of` names it), a lost one raises."""

    async def watched(self, spec: RequestSpec, reached: Reached) -> Exchange:
        """As `send`, for somebody who looks on: a larger body is kept, and `reached` is told of every stage.

        Cancelling a read ends it on the wire as well, and closes its connection.
        """

    def keyed(self, spec: RequestSpec) -> RequestSpec:
        """The request with the idempotency key it will carry: its own, or a new one; reads carry none."""

    def preview(self, spec: RequestSpec) -> SignedRequest:
        """What `send` would put on the wire now, secrets masked; raises RequestRefused for what it would refuse."""


class Credentials(Protocol):
    """Where a key pair comes from; read again when the service refuses the one in use."""

    def read(self) -> KeyPair:
        """The pair as it stands now; may block; raises CredentialError."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Under what drafts and journal lines are filed; never under the key, which rotates."""

    profile: str
    environment: Environment
    base_url: str


@dataclass(frozen=True, slots=True)
class Intent:
    """A write about to be sent: `before` and `after` hold the fields concerned, where they are known.

    `body_bytes` is the size of a body that is no object of fields; None where there is `after` to look at. `batch` is
    the id of the batch that it is part of.
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a write ended: `result` is done, refused, unknown or not sent; `status` None where no answer came.

    `made` is the id of the record that the write made, "" where it made none, or none that its answer named; `place`
    is that record's place, as an intent names places.
    """

    at: datetime
    result: str
    status: int | None = None
    message: str = ""
    request_id: str | None = None
    made: str = ""
    place: str = ""


class UnderWay(Enum):
    """Where the program is that sends a write now; the value is what people read."""

    HERE = "running"
    ELSEWHERE = "running in another svc-tui"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One write as the journal knows it; without an outcome its fate is unknown, unless it is `under_way`.

    `key` names the key that it left with: where the key comes from, never the key.
    """

    number: int
    intent: Intent
    outcome: Outcome | None = None
    key: str = ""
    under_way: UnderWay | None = None


@dataclass(frozen=True, slots=True)
class Pruning:
    """How many writes are old enough to be removed from the journal, and of how many of them the fate is unknown."""

    writes: int
    unknown: int = 0


class Journal(Protocol):
    """The append-only journal of writes: an intent line before a request leaves, an outcome line after it."""

    async def intend(self, intent: Intent) -> int:
        """Append the intent; when this returns, the line is on the disk. Gives the entry's number."""

    async def conclude(self, number: int, outcome: Outcome) -> None:
        """Append the outcome of entry `number`."""

    async def entries(self, limit: int = 200, *, place: str = "") -> list[JournalEntry]:
        """The newest entries first; with `place` (an intent's) those of that one alone, the one that made it too."""

    async def search(self, text: str, limit: int = 200) -> list[JournalEntry]:
        """The newest entries that `text` is found in, as `domain.journal.fits` tells."""

    async def of_batch(self, batch: str) -> list[JournalEntry]:
        """The writes of one batch, the first one first."""

    async def prunable(self, before: datetime) -> Pruning:
        """What `prune` would remove."""

    async def prune(self, before: datetime, now: datetime) -> Pruning:
        """Remove the writes older than `before`, of every profile; the chain of the rest still holds."""


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """A draft as the store holds it: where it belongs and when it was last changed."""

    collection: Collection
    record_id: str
    draft: Draft
    changed: datetime


class Drafts(Protocol):
    """Edits not yet sent, kept until they are sent or thrown away on purpose."""

    async def all(self) -> list[KeptDraft]:
        """Every draft of this shelf."""

    async def keep(self, kept: KeptDraft) -> None:
        """Keep this state of a draft in place of the one before."""

    async def drop(self, collection: Collection, record_id: str) -> None:
        """Forget a draft that was sent or thrown away."""


class Forms(Protocol):
    """Forms begun and not sent, kept until they are sent or thrown away on purpose."""

    async def all(self) -> list[KeptForm]:
        """Every form of this shelf, the one changed last first."""

    async def keep(self, kept: KeptForm) -> None:
        """Keep this state of a form in place of the one before."""

    async def drop(self, purpose: Purpose) -> None:
        """Forget a form that was sent or thrown away."""


@dataclass(frozen=True, slots=True)
class UnfinishedBatch:
    """A batch that is not at its end; `elsewhere`: another program is at it now, and lives."""

    plan: Plan
    elsewhere: bool = False


class Batches(Protocol):
    """The batches that are not at their end: each is here before its first write leaves.

    A batch belongs to the program that keeps or takes it, until it lets go of it or ends, however it ends.
    """

    async def keep(self, plan: Plan) -> None:
        """Keep a new plan, or one of this program's in place of it; when this returns, it is on the disk."""

    async def take(self, batch: str) -> Plan | None:
        """Make a batch this program's own; None where another one is at it, or it is at its end."""

    async def let_go(self, batch: str) -> None:
        """Leave a batch to whichever program takes it."""

    async def end(self, batch: str) -> None:
        """Forget a batch of this program's that is at its end, or given up."""

    async def unfinished(self) -> list[UnfinishedBatch]:
        """Every batch that is under way or was cut short, the newest first."""


class PreferenceStore(Protocol):
    """Where choices made in the program are remembered."""

    @property
    def memory(self) -> Memory:
        """What was last chosen, by now."""

    def remember_theme(self, name: str) -> None:
        """Keep the theme for the next start; may block; raises OSError."""

    def remember_profile(self, name: str | None) -> None:
        """Keep the profile in use for the next start, None for none; may block; raises OSError."""

    def remember_place(self, profile: str, stay: Stay) -> None:
        """Keep the place where a profile was left; may block; raises OSError."""

    def remember_panes(self, sizes: PaneSizes) -> None:
        """Keep how large the panes are; may block; raises OSError."""

    def remember_habit(self, key: str, habit: Habit) -> None:
        """Keep how the collection with that key is looked at; may block; raises OSError."""

    def remember_hint(self, binding: str, sessions: int) -> None:
        """Keep in how many sessions a hint counts as shown; may block; raises OSError."""

    def remember_hints(self, *, on: bool) -> None:
        """Keep whether hints are shown; once on, they begin anew; may block; raises OSError."""

    def palettes(self) -> Sequence[Palette]:
        """Every palette that can be chosen."""


class History(Protocol):
    """The requests that somebody tried out, kept for later: each is here before it leaves. Raises StoreError."""

    async def begin(self, sending: Sending) -> int:
        """Keep a request; when this returns, it is on the disk. Gives its number."""

    async def end(self, entry: int, ending: Ending) -> None:
        """Keep how request number `entry` ended."""

    async def entries(self, limit: int = 200) -> list[HistoryEntry]:
        """The newest entries first."""

    async def search(self, text: str, limit: int = 200) -> list[HistoryEntry]:
        """The newest entries that `text` is found in, as `domain.history.fits` tells."""

    async def remove(self, entry: int) -> None:
        """Forget one request."""

    async def clear(self) -> None:
        """Forget every request of this shelf."""


class SavedRequests(Protocol):
    """The requests that somebody saved under names, one a file. Every call may block."""

    @property
    def directory(self) -> str:
        """Where the files are."""

    def read(self) -> tuple[Kept, ...]:
        """Every one of them by name, those that can't be used with their mistake; read anew each time."""

    def taken(self, saved: SavedRequest) -> str:
        """What would be replaced by keeping this one, "" for nothing: the name that is in its file now."""

    def keep(self, saved: SavedRequest) -> str:
        """Write the file, in place of the one before; gives its path; raises SavedRequestProblem."""

    def remove(self, file: str) -> None:
        """Remove a file by its name without ending; raises SavedRequestProblem."""


class StoreError(Exception):
    """The local store can't do what was asked; the message says why and what to do."""


class StoreUnavailable(StoreError):
    """Nothing can be kept where the store is to be: it can't be written there, or the disk is full."""


class Export(Protocol):
    """A file of records on its way to its place."""

    async def add(self, records: Sequence[Mapping[str, Json]]) -> None:
        """Take the next records."""

    async def finish(self) -> None:
        """No more records come."""


class Files(Protocol):
    """Where files go that somebody asked for: for their owner alone, and whole or not there at all."""

    def path(self, name: str) -> str:
        """The whole path of the file that somebody calls `name`; raises FilesError where that can't be one."""

    def taken(self, name: str) -> bool:
        """Whether something of that name is there; raises FilesError."""

    def export(self, name: str, form: Format) -> AbstractAsyncContextManager[Export]:
        """A file of that name, in its place once the block ends well, else never; raises FilesError, at its end too."""

    async def write(self, name: str, data: bytes) -> str:
        """Put bytes into the file that somebody calls `name`; gives its path; raises FilesError."""

    def keep(self, text: str) -> str:
        """Put a text into a file of the program's own, in place of the one before; gives its path.

        May block; raises FilesError.
        """


class FilesError(Exception):
    """A file can't be written; the message says which, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What an editor left: the text, and whether it wants it to be taken (it ended with the status 0)."""

    text: str
    wanted: bool


class TextEditor(Protocol):
    """The user's own editor, on the terminal that the interface has let go of."""

    @property
    def running(self) -> bool:
        """Whether the terminal is the editor's now, and with it what somebody interrupts there."""

    async def edit(self, text: str, ending: str) -> Edited:
        """Have `text` edited as a file with that ending; raises TextEditorError."""


class TextEditorError(Exception):
    """No editor edits; the message says why and what to do. `left` is what one that broke down had saved."""

    def __init__(self, message: str, left: str | None = None) -> None:
        super().__init__(message)
        self.left = left
