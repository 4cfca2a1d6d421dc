"""What the interface and the write pipeline need from outside, as Protocols that `bootstrap` fills in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    # Only what the Protocols speak of: whoever calls them has loaded what is needed for that.
    from svc_tui.core.catalog import Collection
    from svc_tui.core.credentials import Environment, KeyPair
    from svc_tui.core.records import Page, Record
    from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
    from svc_tui.service.errors import RecordChanged
    from svc_tui.service.traffic import Listener, Reached


class RecordReading(Struct, frozen=True):
    """A record, and the request and answer that it was read by; `read_at` is when, on the client's own clock."""

    record: Record
    exchange: Exchange
    read_at: float = 0.0


class PageSource(Protocol):
    """Where the pages of a collection's list come from."""

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


class Gateway(PageSource, Protocol):
    """The service, as the interface sees it. Every call raises only `ServiceError`s."""

    @property
    def environment(self) -> Environment:
        """The environment, from the key's prefix."""

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

    def walk(
        self,
        collection: Collection,
        *,
        limit: int | None = None,
        first: int = 1,
        most: int | None = None,
        query: Sequence[tuple[str, str]] = (),
        background: bool = True,
        ahead: int = 3,
    ) -> AsyncIterator[Page]:
        """Every page of the list in order from page `first`, or as many as hold `most` records, the last cut to fit.

        Without `limit` pages are as large as the profile and the service allow; one that goes on from `first` is given
        the limit of the pages before.

        At most `ahead` pages beyond the one waited for are asked for early. An error is raised after the pages before
        it, and `first` goes on from there. It is a generator: leave it early under `contextlib.aclosing`.
        """

    async def record(self, collection: Collection, record_id: str, *, background: bool = False) -> Record:
        """One record, read now; background calls let those made by hand go first."""

    async def reading(self, collection: Collection, record_id: str, *, background: bool = False) -> RecordReading:
        """One record, read now, with the answer that it came in."""

    async def send(
        self,
        spec: RequestSpec,
        *,
        unchanged_since: RecordReading | None = None,
        restart_of: RecordChanged | None = None,
    ) -> Exchange:
        """Any request; an error answer is returned like any other (`errors.failure_of` names it), a lost one raises.

        With `unchanged_since`, every attempt that leaves more than a second after that reading, or after an attempt
        that may have arrived, is preceded by a new reading of the record. Where it differs in anything, the attempt
        does not leave, and RecordChanged is raised. A POST with a key that the service honours is sent again without
        that reading where its answer was lost: the POST itself may have changed the record. `restart_of` is what
        ended an earlier call of the same write: its deadline and its count of attempts hold on.
        """

    async def watched(self, spec: RequestSpec, reached: Reached) -> Exchange:
        """Send a request that a user watches: a larger body is kept, and `reached` is called at every stage.

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
