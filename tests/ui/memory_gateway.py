"""A gateway that digs up lots by the million, made on the spot; it counts what is asked and can hold answers back."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from svc_tui.client.walk import walk_pages
from svc_tui.core.catalog import Collection, find_collection
from svc_tui.core.credentials import Environment
from svc_tui.core.jsontext import Json, encode_json, number
from svc_tui.core.records import Page, Record
from svc_tui.core.requests import Answer, Exchange, RequestSpec, SignedRequest
from svc_tui.service.errors import NotFound, RecordChanged, ServiceError
from svc_tui.service.gateway import RecordReading
from svc_tui.service.traffic import Listener, Reached

_STATUS = ("open", "in_transit", "closed", "rejected")


def collection(name: str) -> Collection:
    """The collection of that name."""
    found = find_collection(name)
    assert found is not None
    return found


LOTS = collection("lots")
TUNNELS = collection("tunnels")


def lot(row: int) -> Record:
    """The lot in that row: every kind of value, among them some that break careless tables."""
    fields: dict[str, Json] = {
        "id": f"lot-{row + 1:06d}",
        "grade": "ABC"[row % 3],
        "massKg": number(f"{(row * 7919) % 100000 / 100:.2f}"),
        "status": _STATUS[row % 4],
        "tunnelId": f"tunnel-{row % 12 + 1:03d}",
        "createdAt": f"2026-{row % 12 + 1:02d}-{row % 28 + 1:02d}T05:12:{row % 60:02d}Z",
        "assay": {"goldPpm": number("1.5"), "silverPpm": number("12")},
        "parts": [],
        "sealed": row % 2 == 0,
        "note": [
            None,
            "",
            "[/x] [bold]",
            "坑道 3 号 ⛏️",
            "a\tb\x1b[31m",
            "of the north face, damp, to be weighed again",
        ][row % 6],
    }
    return Record(fields)


@dataclass
class MemoryGateway:
    """`count` records in every collection; `told` is whether `meta` says so."""

    count: int = 1000
    told: bool = True
    surplus: int = 0
    """Records that `meta` names beyond those there are."""
    make: Callable[[int], Record] = lot
    latency: float = 0.0
    """Seconds that an answer takes."""
    asked: list[tuple[str, int, bool]] = field(default_factory=list)
    """What was asked for: collection, page, in the background or not."""
    under_way: int = 0
    most_under_way: int = 0
    failure: ServiceError | None = None
    """While set, every page fails with it."""
    strict: bool = False
    """Whether a page past the end is answered with 404 instead of an empty one."""
    gate: asyncio.Event | None = None
    """While set and not open, answers wait for it."""
    overlay: dict[int, Record] = field(default_factory=dict)
    dropped: int = 0
    """Records taken away from the top."""
    environment: Environment = Environment.SANDBOX
    base_url: str = "http://gateway.test"
    host: str = "gateway.test"
    signs: bool = False
    secrets: tuple[str, ...] = ()

    def listen(self, listener: Listener) -> None:
        """Nothing happens on a wire here."""

    async def page(
        self,
        collection: Collection,
        number: int,
        limit: int,
        *,
        query: Sequence[tuple[str, str]] = (),
        background: bool = False,
    ) -> Page:
        """Page `number`, made now."""
        self.asked.append((collection.name, number, background))
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            if self.gate is not None:
                await self.gate.wait()
            if self.failure is not None:
                raise self.failure
        finally:
            self.under_way -= 1
        count = self.count - self.dropped
        rows = range((number - 1) * limit, min(number * limit, count))
        records = tuple(self.overlay.get(row, self.make(row + self.dropped)) for row in rows)
        if self.strict and not records and number > 1:
            raise NotFound(f"there is no page {number}")
        return Page(records, number, limit, count + self.surplus if self.told else None)

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
        """The pages, walked as the client walks them; 50 records each where nothing else is asked for."""

        async def fetch(number: int) -> Page:
            return await self.page(collection, number, limit or 50, query=query, background=background)

        return walk_pages(fetch, first=first, most=most, ahead=ahead)

    async def record(self, collection: Collection, record_id: str, *, background: bool = False) -> Record:
        """The record with that id."""
        return (await self.reading(collection, record_id, background=background)).record

    async def reading(self, collection: Collection, record_id: str, *, background: bool = False) -> RecordReading:
        """The record with that id, in the answer that a service would give."""
        record = self.make(int(record_id.rpartition("-")[2]) - 1)
        request = self.preview(RequestSpec("GET", f"{collection.path}/{record_id}"))
        answer = Answer(200, "OK", (("Content-Type", "application/json"),), encode_json(record.fields))
        return RecordReading(record, Exchange(request, answer, 1, 0.038, datetime(2026, 11, 20, 5, 12, 7, tzinfo=UTC)))

    async def send(
        self,
        spec: RequestSpec,
        *,
        unchanged_since: RecordReading | None = None,
        restart_of: RecordChanged | None = None,
    ) -> Exchange:
        """Nothing can be sent here."""
        raise ServiceError("a gateway takes no requests")

    async def watched(self, spec: RequestSpec, reached: Reached) -> Exchange:
        """Nothing can be tried out here."""
        return await self.send(spec)

    def keyed(self, spec: RequestSpec) -> RequestSpec:
        """Nothing is sent, so nothing needs a key."""
        return spec

    def preview(self, spec: RequestSpec) -> SignedRequest:
        """What would be sent, were there anybody to send it to."""
        return SignedRequest(spec.method, self.base_url + spec.path, spec.path, spec.headers, spec.body)
