"""The service as the interface sees it, with the index told of every page and record that is read, and every write."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import TYPE_CHECKING, cast

from svc_tui.core.jsontext import Json, JsonError, loads
from svc_tui.core.records import Record
from svc_tui.service.errors import NotFound, RecordChanged

if TYPE_CHECKING:
    from svc_tui.core.catalog import Collection
    from svc_tui.core.credentials import Environment
    from svc_tui.core.records import Page
    from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
    from svc_tui.search.session_index import SessionIndex
    from svc_tui.service.gateway import Gateway, RecordReading
    from svc_tui.service.traffic import Listener, Reached


class IndexedGateway:
    """See `service.gateway.Gateway`: everything is done by `gateway`; `now` is the time of day."""

    def __init__(self, gateway: Gateway, index: SessionIndex, now: Callable[[], datetime]) -> None:
        self._gateway, self._index, self._now = gateway, index, now

    @property
    def environment(self) -> Environment:
        """The environment, from the key's prefix."""
        return self._gateway.environment

    @property
    def base_url(self) -> str:
        """The base URL in use, without `/v1` and without a trailing slash."""
        return self._gateway.base_url

    @property
    def host(self) -> str:
        """Host and port of the base URL, for people."""
        return self._gateway.host

    @property
    def signs(self) -> bool:
        """Whether requests are signed."""
        return self._gateway.signs

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must never be shown."""
        return self._gateway.secrets

    def listen(self, listener: Listener) -> None:
        """Have `listener` told of every traffic event, on the event loop."""
        self._gateway.listen(listener)

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
        asked_at = self._now()
        page = await self._gateway.page(collection, number, limit, query=query, background=background)
        self._index.note_page(collection, page, asked_at, chosen=bool(query))
        return page

    async def walk(
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
        """Every page of the list in order from page `first`, or as many as hold `most` records, the last cut to fit."""
        # Pages are asked for `ahead` of the one waited for: the latest may have left when one so far back came.
        asked_at = deque([self._now()], maxlen=ahead + 2)
        walk = self._gateway.walk(
            collection, limit=limit, first=first, most=most, query=query, background=background, ahead=ahead
        )
        async with aclosing(cast("AsyncGenerator[Page, None]", walk)) as pages:
            async for page in pages:
                self._index.note_page(collection, page, asked_at[0], chosen=bool(query))
                yield page
                asked_at.append(self._now())

    async def record(self, collection: Collection, record_id: str, *, background: bool = False) -> Record:
        """One record, read now; background calls let those made by hand go first."""
        return (await self.reading(collection, record_id, background=background)).record

    async def reading(self, collection: Collection, record_id: str, *, background: bool = False) -> RecordReading:
        """One record, read now, with the answer that it came in."""
        asked_at = self._now()
        try:
            reading = await self._gateway.reading(collection, record_id, background=background)
        except NotFound:
            self._index.note_record(collection, record_id, None, asked_at)
            raise
        self._index.note_record(collection, record_id, reading.record, asked_at)
        return reading

    async def send(
        self,
        spec: RequestSpec,
        *,
        unchanged_since: RecordReading | None = None,
        restart_of: RecordChanged | None = None,
    ) -> Exchange:
        """Any request; an error answer is returned like any other (`errors.failure_of` names it), a lost one raises."""
        exchange = await self._gateway.send(spec, unchanged_since=unchanged_since, restart_of=restart_of)
        self._note(spec, exchange)
        return exchange

    async def watched(self, spec: RequestSpec, reached: Reached) -> Exchange:
        """Send a request that a user watches: a larger body is kept, and `reached` is called at every stage."""
        exchange = await self._gateway.watched(spec, reached)
        self._note(spec, exchange)
        return exchange

    def keyed(self, spec: RequestSpec) -> RequestSpec:
        """The request with the idempotency key it will carry: its own, or a new one; reads carry none."""
        return self._gateway.keyed(spec)

    def preview(self, spec: RequestSpec) -> SignedRequest:
        """What `send` would put on the wire now, secrets masked; raises RequestRefused for what it would refuse."""
        return self._gateway.preview(spec)

    def _note(self, spec: RequestSpec, exchange: Exchange) -> None:
        if spec.writes and exchange.answer.ok:
            path, gone = spec.path.partition("?")[0], spec.method.upper() == "DELETE"
            self._index.note_write(path, _record_in(exchange.answer.body), gone=gone, at=self._now())


def _record_in(body: bytes) -> Record | None:
    """The record that an answer holds; None where it holds none."""
    try:
        value: Json = loads(body)
    except JsonError:
        return None
    return Record(value) if isinstance(value, Mapping) and Record(value).id is not None else None
