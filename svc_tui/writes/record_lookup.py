"""Readings beside a write: what a record holds before it, and whether one was made where no clear answer told."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft, freshen
from svc_tui.core.jsontext import Json, same_json
from svc_tui.core.records import Page, Place, Record
from svc_tui.core.requests import RequestSpec
from svc_tui.service.errors import ServiceError
from svc_tui.service.gateway import Gateway, RecordReading
from svc_tui.writes.write_requests import RefreshedRequest, parse_fields, with_if_match

_LOOKED_AT = 50
"""Records looked at from each end of the list: where a new one stands is not shown."""
_NAMED = 3


async def read_or_none(gateway: Gateway, place: Place) -> RecordReading | None:
    """Read the record that a request written by hand is about; return None where that fails."""
    try:
        return await gateway.reading(place.collection, place.id)
    except ServiceError:
        # It is sent whatever a reading says: its answer tells more.
        return None


def fields_concerned(record: Record, spec: RequestSpec) -> Mapping[str, Json]:
    """Return the fields that a request written by hand may change: those that a PATCH names, else all of them.

    A PATCH whose body is no JSON object, as a JSON Patch (RFC 6902) is, may change any.
    """
    named = parse_fields(spec.body) if spec.method.upper() == "PATCH" else None
    return record.fields if named is None else {name: record.fields[name] for name in named if name in record.fields}


async def refresh_request(gateway: Gateway, place: Place, spec: RequestSpec, draft: Draft) -> RefreshedRequest | None:
    """What a fresh reading of the record adds to a request about it; None where it can't be read.

    `draft` is the record as it was shown, with its edits where it has any.
    """
    try:
        record = await gateway.record(place.collection, place.id)
    except ServiceError:
        # The pipeline reads the record once more before it sends, and says why it can't.
        return None
    return RefreshedRequest(gateway.preview(with_if_match(spec, record.etag)), freshen(draft, record))


class ListEnds:
    """The records at both ends of a collection's list; `is_whole`: it has no others."""

    def __init__(self, records: Sequence[Record], *, is_whole: bool) -> None:
        self.records, self.is_whole = records, is_whole
        self._by_text: dict[str, dict[str, list[Record]]] = {}
        """The records by the texts that they hold in a field."""

    def find(self, fields: Mapping[str, Json]) -> tuple[str, ...]:
        """Return the ids of the records that hold all of the fields with these values, each once; "" for one without.

        That one is there does not prove that it is the one: another may hold the same.
        """
        texts = (self._with_text(name, value) for name, value in fields.items() if isinstance(value, str))
        candidates = min(texts, key=len, default=self.records)
        return tuple(dict.fromkeys(record.id or "" for record in _alike(candidates, fields)))

    def _with_text(self, name: str, text: str) -> Sequence[Record]:
        """Return the records with this text in a field: thousands are looked for in thousands of records."""
        if name not in self._by_text:
            by_text: defaultdict[str, list[Record]] = defaultdict(list)
            for record in self.records:
                if isinstance(value := record.fields.get(name), str):
                    by_text[value].append(record)
            self._by_text[name] = by_text
        return self._by_text[name].get(text, ())

    def words(self, fields: Mapping[str, Json]) -> str:
        """Say whether a record with all of these fields is among them, in a sentence."""
        alike = self.find(fields)
        where = "the list" if self.is_whole else f"{len(self.records):,} records of the list"
        if not alike:
            return f"Searched {where}: no record has the sent values."
        names = ", ".join(filter(None, alike[:_NAMED])) + (", …" if len(alike) > _NAMED else "")
        if len(alike) == 1:
            return f"Searched {where}: {names or 'one record'} has the sent values and may be the new record."
        return f"Searched {where}: {len(alike):,} records have the sent values ({names}). One may be the new record."


async def read_list_ends(gateway: Gateway, collection: Collection, count: int = _LOOKED_AT) -> ListEnds:
    """Read `count` records or more from each end of the collection's list: where a new one is, nobody knows.

    Raises ServiceError.
    """
    first = await gateway.page(collection, 1, _LOOKED_AT)
    last, pages = _last_page(first), -(-count // _LOOKED_AT)
    others = sorted({*range(2, min(pages, last) + 1), *range(max(2, last - pages + 1), last + 1)})
    records = [*first.records]
    for number in others:
        records += (await gateway.page(collection, number, _LOOKED_AT)).records
    return ListEnds(records, is_whole=first.total is not None and len(records) >= first.total)


async def search_created_record(gateway: Gateway, collection: Collection, fields: Mapping[str, Json]) -> str:
    """Say whether a record with all of these `fields` is at either end of the collection's list, in a sentence."""
    try:
        ends = await read_list_ends(gateway, collection)
    except ServiceError:
        # The write's own outcome is what counts; why a look afterwards failed too adds nothing to it.
        return "Could not load the list to search for the new record."
    return ends.words(fields)


def _last_page(first: Page) -> int:
    """The number of the list's last page as far as the first one tells it, else 1."""
    if first.pages is not None:
        return first.pages
    return 1 if first.total is None else -(-first.total // first.limit)


def _alike(records: Iterable[Record], fields: Mapping[str, Json]) -> list[Record]:
    """The records that hold all of the fields with these values; none where there are no fields to tell them by."""
    return [
        record
        for record in records
        if fields and all(name in record.fields and same_json(record.fields[name], fields[name]) for name in fields)
    ]
