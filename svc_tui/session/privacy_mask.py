"""Whether personal data is hidden, and everything that goes to the screen or out of the program as it then looks."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from svc_tui.core.draft import Draft
from svc_tui.core.filters import Filter
from svc_tui.core.jsontext import Absent, Json
from svc_tui.core.records import Record
from svc_tui.core.requests import Exchange, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.gateway import RecordReading
from svc_tui.session.masking import Mask, domain_of
from svc_tui.storage.journal_entries import JournalEntry

if TYPE_CHECKING:
    from svc_tui.storage.record_index.seen_changes import SeenChange


class PrivacyMask:
    """Lets values through as they are, or masked while it is `on`.

    What comes out of it is for looking and handing out; nothing of it may go into a write.
    """

    def __init__(self, listed: Iterable[str] = ()) -> None:
        """Make it, off; `listed` are the fields that the user wants hidden besides."""
        self.mask = Mask.of(tuple(listed))
        self.on = False

    @property
    def notice(self) -> str:
        """A sentence for what leaves the program masked, with a space before it; "" where nothing is."""
        return " Personal data is masked." if self.on else ""

    def hides(self, record: Record, name: str, domain: str) -> bool:
        """Whether a field of the record is hidden now, or a part of it."""
        if not self.on or name not in record.fields:
            return self.on and self.mask.hides(name, record.fields, domain)
        return self.mask.fields(record.fields, domain)[name] != record.fields[name]

    def record(self, record: Record, domain: str) -> Record:
        """A record of a collection of that domain."""
        return self.mask.record(record, domain) if self.on else record

    def records(self, records: Iterable[Record], domain: str) -> tuple[Record, ...]:
        """Many of them."""
        return tuple(self.record(record, domain) for record in records)

    def draft(self, draft: Draft, domain: str) -> Draft:
        """A record with its edits."""
        return self.mask.draft(draft, domain) if self.on else draft

    def reading(self, reading: RecordReading, domain: str) -> RecordReading:
        """A record with the answer that it came in."""
        if not self.on:
            return reading
        return RecordReading(self.record(reading.record, domain), self.exchange(reading.exchange))

    def seen_change(self, change: "SeenChange", domain: str, beside: Iterable[str]) -> "SeenChange":
        """A change that was seen of a record of that domain, whose fields `beside` names."""
        if not self.on:
            return change
        before, after = (self.value_at(change.path, value, domain, beside) for value in (change.before, change.after))
        return replace(change, before=before, after=after)

    def value_at(self, path: str, value: Json | Absent, domain: str, beside: Iterable[str]) -> Json | Absent:
        """The value at a path of a record of that domain, whose fields `beside` names."""
        if not self.on or isinstance(value, Absent):
            return value
        return self.mask.value_at(path, value, domain, tuple(beside))

    def text(self, text: str) -> str:
        """A sentence that may hold words from outside."""
        return self.mask.text(text) if self.on else text

    def filter(self, chosen: Filter, domain: str) -> str:
        """A filter's text, masked, for the frame of a collection of that domain."""
        return self.mask.filter(chosen, domain) if self.on else chosen.text

    def masked_query(self, query: Iterable[tuple[str, str]], domain: str) -> list[str]:
        """What the service is asked to choose by, as `?name=value` each."""
        return [f"?{name}={self.mask.pair(name, value, domain) if self.on else value}" for name, value in query]

    def entry(self, entry: JournalEntry) -> JournalEntry:
        """A write of the journal."""
        return self.mask.entry(entry) if self.on else entry

    def body(self, body: bytes, path: str) -> bytes:
        """The body of a request to `path`, or of its answer."""
        return self.mask.body(body, domain_of(path)) if self.on else body

    def request(self, request: SignedRequest, beside: Iterable[str] = ()) -> SignedRequest:
        """A request that left, or would leave; `beside` names the fields of the record that it changes."""
        if not self.on:
            return request
        return replace(request, body=self.mask.body(request.body, domain_of(request.target), tuple(beside)))

    def exchange(self, exchange: Exchange) -> Exchange:
        """A request and its answer."""
        if not self.on:
            return exchange
        answer = replace(exchange.answer, body=self.mask.body(exchange.answer.body, domain_of(exchange.request.target)))
        return replace(exchange, request=self.request(exchange.request), answer=answer)
