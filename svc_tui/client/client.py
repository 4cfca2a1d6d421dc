"""The signed client: pages, records, writes and any other request, all sent in one way."""

from collections.abc import AsyncIterator, Callable, Sequence
from importlib import import_module
from types import TracebackType

from svc_tui.client.attempts import RuntimeEnvironment
from svc_tui.client.body_handling import BodyHandling, HandOn
from svc_tui.client.decode import check_answer, decode_page, decode_record
from svc_tui.client.keys import Keys
from svc_tui.client.retry_loop import Caller, UnchangedCheck
from svc_tui.client.signed_request import (
    PreparedRequest,
    check_no_secret,
    masked_request,
    prepare_request,
    sign_request,
    with_idempotency_key,
)
from svc_tui.client.walk import walk_pages
from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import Environment, KeyPair
from svc_tui.core.records import Page, Record
from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.core.settings import Profile
from svc_tui.service.base_url import base_url_of
from svc_tui.service.errors import RecordChanged, RequestRefused, StatusError, failure_of, may_be_about_limit
from svc_tui.service.gateway import Credentials, RecordReading
from svc_tui.service.retry import RetryRules
from svc_tui.service.routes import record_path
from svc_tui.service.traffic import Listener, Reached, TrafficEvent

MAX_BODY_BYTES = 10_000_000
"""Bytes of an answer's body, after decompression, that are kept unless a call asks for more."""

MAX_WATCHED_BYTES = 64_000_000
"""Bytes that are read of an answer that the user tries out; read as JSON, it takes some fifteen times as much."""


class SignedClient:
    """The service as `profile` and `keys` reach it; one per profile, on one event loop. Raises only ServiceErrors.

    `credentials` is read again when the service refuses the pair in use. Making a client loads no network code and
    opens nothing; raises BaseUrlError where the key's environment has no base URL that can be used.
    """

    def __init__(
        self,
        profile: Profile,
        keys: KeyPair,
        *,
        credentials: Credentials | None = None,
        rules: RetryRules | None = None,
        runtime: RuntimeEnvironment | None = None,
    ) -> None:
        self._profile = profile
        runtime = runtime or RuntimeEnvironment()
        self._keys = Keys(keys, credentials)
        self._now, self._monotonic = runtime.now, runtime.monotonic
        self._listeners: list[Listener] = []
        self._base = base_url_of(profile, keys.environment)
        self._caller = Caller(
            self._base,
            self._keys,
            rules or RetryRules(),
            runtime,
            self._emit,
            honoured=profile.idempotency == "honoured",
        )

    def __repr__(self) -> str:
        return f"<SignedClient {self.environment.label} {self.host}>"

    @property
    def environment(self) -> Environment:
        """The environment, from the key's prefix."""
        return self._caller.keys.environment

    @property
    def base_url(self) -> str:
        """The base URL in use, without `/v1` and without a trailing slash."""
        return str(self._base)

    @property
    def host(self) -> str:
        """Host and port of the base URL, for people."""
        return self._base.authority

    @property
    def proxy(self) -> str:
        """Host and port of the proxy on the way, for people; "" goes straight. Raises RequestRefused like a call."""
        # Loaded late: reading the environment takes a module that the first records do without.
        proxy = import_module("svc_tui.client.proxies").proxy_for(self._base)
        return "" if proxy is None else str(proxy)

    @property
    def signs(self) -> bool:
        """Whether requests are signed."""
        return self._caller.keys.signs

    @property
    def keys(self) -> KeyPair:
        """The pair that the next request is made with."""
        return self._keys.pair

    def on_new_keys(self, listener: Callable[[], None]) -> None:
        """Have `listener` called whenever the source of the keys has given another pair."""
        self._keys.on_new_pair = listener

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must never be shown: key and signing secret, and those that a rotation has replaced."""
        return self._caller.secrets

    def listen(self, listener: Listener) -> None:
        """Have `listener` told of every traffic event, on the event loop."""
        self._listeners.append(listener)

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
        parameters = (("page", str(number)), ("limit", str(limit)), *self._profile.query(collection), *query)
        exchange = await self._succeed(RequestSpec("GET", collection.path, parameters), background=background)
        return check_answer(decode_page(exchange, number, limit, self.secrets))

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

        At most `ahead` pages beyond the one waited for are asked for early, none that is not known to be there. An
        error is raised after the pages before it, and `first` goes on from there. It is a generator: leave it early
        under `contextlib.aclosing`, then nothing of it goes on.
        """

        size = limit or min(self._profile.bulk_page_size, most or self._profile.bulk_page_size)
        fallback = None if limit or size <= self._profile.page_size else self._profile.page_size

        async def fetch(number: int) -> Page:
            nonlocal size, fallback
            try:
                page = await self.page(collection, number, size, query=query, background=background)
            except StatusError as error:
                if fallback is None or not may_be_about_limit(error):
                    raise
                size = fallback
                page = await self.page(collection, number, size, query=query, background=background)
            # The first page is read alone, so all have one size.
            fallback = None
            return page

        return walk_pages(fetch, first=first, most=most, ahead=ahead)

    async def record(self, collection: Collection, record_id: str, *, background: bool = False) -> Record:
        """One record, read now; background calls let those made by hand go first."""
        return (await self.reading(collection, record_id, background=background)).record

    async def reading(self, collection: Collection, record_id: str, *, background: bool = False) -> RecordReading:
        """One record, read now, with the answer that it came in."""
        exchange = await self._succeed(RequestSpec("GET", record_path(collection, record_id)), background=background)
        record = check_answer(decode_record(exchange, self.secrets))
        return RecordReading(record, exchange, self._monotonic())

    async def send(
        self,
        spec: RequestSpec,
        *,
        background: bool = False,
        unchanged_since: RecordReading | None = None,
        restart_of: RecordChanged | None = None,
    ) -> Exchange:
        """Any request; an error answer is returned like any other, a lost one raises.

        `unchanged_since` and `restart_of`: see `Gateway.send`.
        """
        prepared, check = self._prepared(spec), None
        if unchanged_since is not None:
            read_again = self._prepared(RequestSpec("GET", unchanged_since.exchange.request.target))
            body = BodyHandling(MAX_BODY_BYTES)
            check = UnchangedCheck(read_again, body, unchanged_since.record, unchanged_since.read_at)
        return await self._caller.call(
            prepared, background=background, body=BodyHandling(MAX_BODY_BYTES), check=check, restart_of=restart_of
        )

    async def download(self, spec: RequestSpec, hand_on: HandOn) -> Exchange:
        """Send a read whose answer may be of any size: `hand_on` is given a 2xx as it comes, and none of it is kept.

        A body that breaks off raises ConnectionBroken; what was handed on till then is the beginning of it. It may take
        any time. Raises RequestRefused for a write.
        """
        if spec.writes:
            raise RequestRefused(f"{spec.method} changes data; its response can't be streamed")
        body = BodyHandling(MAX_BODY_BYTES, hand_on)
        return await self._caller.call(self._prepared(spec), background=False, body=body)

    async def watched(self, spec: RequestSpec, reached: Reached) -> Exchange:
        """Send a request that a user watches: a larger body is kept, and `reached` is called at every stage.

        Cancelling a read ends it on the wire as well, and closes its connection.
        """
        prepared = self._prepared(spec)
        return await self._caller.call(
            prepared, background=False, body=BodyHandling(MAX_WATCHED_BYTES), reached=reached, stops=True
        )

    def keyed(self, spec: RequestSpec) -> RequestSpec:
        """The request with the idempotency key it will carry: its own, or a new one; reads carry none."""
        return with_idempotency_key(spec, self._profile)

    def preview(self, spec: RequestSpec) -> SignedRequest:
        """What `send` would put on the wire now, secrets masked; raises RequestRefused for what it would refuse."""
        keys, timestamp = self._caller.keys, self._caller.clock.timestamp(self._now())
        prepared = self._prepared(spec)
        headers = sign_request(prepared, keys, timestamp)
        return masked_request(prepared, self._base, headers, timestamp if keys.signs else None)

    async def reread_keys(self) -> bool:
        """Read the source of key and secret again; whether they changed."""
        return await self._caller.reread_keys()

    async def aclose(self) -> None:
        """Let what is under way end, briefly, and close every connection; may be called twice."""
        await self._caller.aclose()

    async def __aenter__(self) -> "SignedClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _prepared(self, spec: RequestSpec) -> PreparedRequest:
        """The request checked and completed; raises RequestRefused, also for a write that tells key or secret."""
        prepared = prepare_request(spec, self._profile)
        if not prepared.reads:
            check_no_secret(prepared, self.secrets)
        return prepared

    async def _succeed(self, spec: RequestSpec, *, background: bool = False) -> Exchange:
        exchange = await self.send(spec, background=background)
        failure = failure_of(exchange, self.secrets)
        if failure is not None:
            raise failure
        return exchange

    def _emit(self, event: TrafficEvent) -> None:
        for listener in self._listeners:
            listener(event)
