"""Going to a collection, filtering it, having its records listed, opening one, and hearing its fields."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial

from svc_tui.core.catalog import Collection, find_collection
from svc_tui.core.draft import Draft
from svc_tui.core.field_path import path_steps, paths, value_at
from svc_tui.core.filters import split_terms
from svc_tui.core.jsontext import Absent, Json, dumps
from svc_tui.core.phrases import counted
from svc_tui.core.records import Place, Record
from svc_tui.core.spelling import nearest_name
from svc_tui.core.values import replace
from svc_tui.core.views import View
from svc_tui.core.visible_text import field_label, visible
from svc_tui.reader.listing import Listing
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.spoken_words import (
    change_words,
    collection_words,
    label_words,
    list_fields,
    listed_number,
    record_words,
    value_words,
)
from svc_tui.reader.talk import Talk
from svc_tui.service.routes import PlaceError, parse_place
from svc_tui.session.unsent_drafts import Drafts

PAGE = 10
"""Records that are listed at a time."""


class Browsing:
    """What the user looks at; `drafts` are the edits that are not sent yet."""

    def __init__(self, talk: Talk, drafts: Drafts) -> None:
        self._talk, self._drafts = talk, drafts

    # Collections

    async def go(self, text: str) -> None:
        """Go to a collection and list its first records, or open the record that the text names."""
        if not text:
            names = ", ".join(collection.key for collection in self._talk.session.collections)
            raise Mistake(f"Type a collection, such as :lots. Collections: {names}.")
        place = self._parse(text)
        if place.record_id is not None:
            await self.open_place(place)
            return
        self._begin(self._new_listing(place.collection))
        self._talk.say(f"{visible(collection_words(place.collection))}.")
        await self._list_more(self._listing())

    async def go_on(self, text: str, view: View, row: str) -> None:
        """Go on where the screens were left: at a record, or in its collection looked at in the same way.

        `row` is the id of the record under the table's cursor, "" for none.
        """
        place = self._parse(text)
        listing = self._new_listing(place.collection, view)
        if place.record_id is not None:
            await self.open_place(place)
            assert self._talk.at.record is not None
            listing.note(self._talk.at.record)
            self._talk.at.listing = listing
            if listing.narrowed:
                self._talk.say(f"{self._filter_words(listing)} To read them, type list.")
            return
        self._begin(listing)
        self._talk.say(f"{visible(collection_words(place.collection))}.")
        if listing.narrowed:
            self._talk.say(self._filter_words(listing))
        if view.sort is not None:
            self._talk.say(f"Not sorted by {field_label(view.sort.field)}: records are in the order of the service.")
        await self._list_more(listing)
        if row:
            self._talk.say(f"The cursor was on {visible(row)}. To open it: {self._opening(listing, row)}.")

    def _opening(self, listing: Listing, row: str) -> str:
        """The command that opens the record of that id."""
        number = next((number for number, record in enumerate(listing.shown, 1) if record.id == row), None)
        if number is not None:
            return f"open {number}"
        if not (row.isascii() and row.isdecimal()):
            return f"open {visible(row)}"
        # Behind open it would be a number of the list.
        collection = listing.collection
        alone = find_collection(collection.name, self._talk.session.collections) == collection
        return f":{collection.name if alone else collection.key}/{row}"

    async def filter(self, text: str) -> None:
        """List the records of the collection that fit a filter; none takes the filter away."""
        before, (here, query) = self._listing(), split_terms(text)
        listing = self._new_listing(before.collection, replace(before.view, filter=here, query=query))
        self._begin(listing)
        self._talk.say(self._filter_words(listing) if listing.narrowed else "No filter.")
        await self._list_more(listing)
        self._say_unknown_fields(listing)
        if not listing.shown and (problem := listing.problem):
            self._talk.say(visible(problem))

    def _filter_words(self, listing: Listing) -> str:
        word = "Filter" if listing.filter.terms else "Query"
        return f"{word} {visible(listing.seen_text(self._talk.mask))}."

    def _say_unknown_fields(self, listing: Listing) -> None:
        known = {name.casefold() for name in listing.field_names}
        for term in listing.filter.terms:
            word, colon, _ = term.value.partition(":")
            if not term.field and colon and word and word not in known:
                near = nearest_name(word, listing.field_names)
                hint = f" Did you mean {near}?" if near else ""
                self._talk.say(f"No field {visible(word)}. Searched for it as a word.{hint}")

    async def list(self, _: str) -> None:
        """List the collection anew, from its first record."""
        before = self._listing()
        self._begin(self._new_listing(before.collection, before.view))
        await self._list_more(self._listing())

    async def more(self, _: str) -> None:
        """Go on with what was said last."""
        if self._talk.at.more is None:
            raise Mistake("End of list.")
        await self._talk.at.more()

    async def _list_more(self, listing: Listing) -> None:
        first = len(listing.shown)
        # What fails or is broken off goes on from there.
        self._talk.at.more = partial(self._list_more, listing)
        records = await listing.following(PAGE)
        settings = self._talk.session.profile.collections.get(listing.collection.key)
        asked = [term.field for term in listing.filter.terms if term.field]
        fields = list_fields(listing.read, settings.columns if settings else (), asked)
        for number, record in enumerate(records, first + 1):
            self._talk.say(f"{number}. {self._line(listing, record, fields)}")
        self._talk.at.numbered = [Place(listing.collection, record.id) for record in listing.shown]
        self._talk.at.more = partial(self._list_more, listing) if listing.more_ready else None
        self._talk.say(_reach(listing, first, len(records)))

    def _line(self, listing: Listing, record: Record, fields: Sequence[str]) -> str:
        draft = self._drafts.of(listing.collection).get(record.id or "")
        whole = record if draft is None else Record(draft.fields)
        seen = self._talk.mask.record(whole, listing.collection.domain)
        edited = "" if draft is None else f"draft: {counted(len(draft.edits), 'field')}"
        return record_words(seen, fields, self._talk.session.tz, edited)

    def _begin(self, listing: Listing) -> None:
        at = self._talk.at
        at.listing, at.place, at.record, at.numbered, at.more = listing, None, None, (), None

    def _parse(self, text: str) -> Place:
        try:
            return parse_place(text, self._talk.session.collections)
        except PlaceError as error:
            raise Mistake(f"{visible(str(error))}.") from None

    def _new_listing(self, collection: Collection, view: View | None = None) -> Listing:
        session = self._talk.session
        profile = session.profile
        return Listing(
            session.gateway, collection, profile.page_size, profile.bulk_page_size, view or View(), self._talk.local_now
        )

    def _listing(self) -> Listing:
        listing = self._talk.at.listing
        if listing is None:
            raise Mistake("No collection is open. Type :lots to open one.")
        return listing

    # Records

    async def open(self, text: str) -> None:
        """Open the record of a number in the list that was said last, or of an id."""
        if not text:
            raise Mistake("Type a number or an id: open 3, or open lots/lot-000001.")
        numbered = self._talk.at.numbered
        number = listed_number(text, len(numbered))
        if number is not None:
            place = numbered[number - 1]
            if place.record_id is None:
                raise Mistake(f"Can't open number {number}: the record has no id.")
        elif text.isascii() and text.isdecimal() and numbered:
            raise Mistake(f"Only {counted(len(numbered), 'record')} listed so far. To continue, type more.")
        else:
            place = self._named(text)
        await self.open_place(place)

    def _named(self, text: str) -> Place:
        """The record of a place such as `lots/lot-000001`, else of an id in the collection that is open."""
        listing = self._talk.at.listing
        if "/" in text:
            try:
                place = parse_place(text, self._talk.session.collections)
            except PlaceError as error:
                if listing is None:
                    raise Mistake(f"{visible(str(error))}.") from None
            else:
                if place.record_id is not None:
                    return place
                raise Mistake(f"{visible(text)} is a collection. Type :{visible(text)} to open it.")
        if listing is None:
            raise Mistake("No collection is open. Type the collection too: open lots/lot-000001.")
        return Place(listing.collection, text)

    async def open_place(self, place: Place) -> None:
        """Open the record at a place, read now, and say what it is."""
        record = await self._talk.session.gateway.record(place.collection, place.id)
        self.hold(place, record)
        label = label_words(self._talk.mask.record(record, place.collection.domain))
        draft = self._drafts.draft(place)
        edits = f" Draft: {counted(len(draft.edits), 'field')}." if draft is not None else ""
        count = counted(len(record.fields), "field")
        self._talk.say(f"Opened {visible(place.id)}{label}, {count}.{edits} To read them, type fields.")

    def hold(self, place: Place, record: Record) -> None:
        """The record at `place`, read just now, is the one that is open."""
        at = self._talk.at
        if at.listing is None or at.listing.collection != place.collection:
            at.listing = self._new_listing(place.collection)
        at.listing.note(record)
        at.place, at.record = place, record

    async def fields(self, _: str) -> None:
        """Say every field of the open record."""
        draft = self._seen_draft()
        tz, lines = self._talk.session.tz, []
        changes = {change.name: change for change in draft.changes}
        for number, (name, value) in enumerate(draft.fields.items(), 1):
            if name in changes:
                lines.append(f"{number}. {change_words(changes[name])}, draft")
            else:
                lines.append(f"{number}. {field_label(name)}: {value_words(value, name, tz)}")
        await self._talk.say_part(lines)

    async def field(self, text: str) -> None:
        """Say one field of the open record, whole."""
        draft = self._seen_draft()
        path = field_of(draft.fields, text, "field grade.")
        value = value_at(draft.fields, path)
        lines = await asyncio.to_thread(_whole_lines, path, value)
        if path in draft.edits:
            lines = [*(change_words(c) + ", draft" for c in draft.changes if c.name == path), *lines]
        await self._talk.say_part(lines)

    def _seen_draft(self) -> Draft:
        """The open record with its edits, as it may be heard."""
        draft, place = self.draft(), self._talk.at.place
        assert place is not None
        return self._talk.mask.draft(draft, place.collection.domain)

    def draft(self) -> Draft:
        """The open record with its edits."""
        at = self._talk.at
        if at.place is None or at.record is None:
            raise Mistake("No record is open. Type open 3 for number 3 of the list.")
        draft = self._drafts.draft(at.place, at.record)
        assert draft is not None
        return draft


def field_of(fields: Mapping[str, Json], text: str, example: str) -> str:
    """The path of the field that is named or numbered; raises Mistake."""
    if not text:
        raise Mistake(f"Type a field: {example}")
    names = list(fields)
    number = listed_number(text, len(names))
    if number is not None and text not in fields:
        return names[number - 1]
    if not isinstance(value_at(fields, text), Absent):
        return text
    known = list(paths(fields))
    alike = [path for path in known if path.casefold() == text.casefold()]
    if len(alike) == 1:
        return alike[0]
    near = nearest_name(text, known)
    raise Mistake(f"The record has no field {visible(text)}." + (f" Did you mean {near}?" if near else ""))


def _whole_lines(path: str, value: Json | Absent) -> list[str]:
    """A value with nothing left out: a text by its lines, what is nested as indented JSON."""
    if isinstance(value, str) and value:
        first, *others = value.split("\n")
        return [f"{field_label(path)}: {visible(first)}", *map(visible, others)]
    if isinstance(value, Mapping | list) and value:
        return [f"{field_label(path)}:", *map(visible, dumps(value, indent=2).split("\n"))]
    return [f"{field_label(path)}: {'not set' if isinstance(value, Absent) else visible(dumps(value))}"]


def outer_name(fields: Mapping[str, Json], path: str) -> tuple[str, tuple[str, ...]]:
    """The record's own field that a path lies in, and the steps from there on."""
    first, *rest = path_steps(fields, path)
    return first, tuple(rest)


def _reach(listing: Listing, first: int, count: int) -> str:
    """How much of the collection the list has reached, and how it goes on."""
    total = listing.total
    whole = counted(total, "record") if total is not None else f"{counted(len(listing.read), 'record')} so far"
    goes_on = " To continue, type more." if listing.more_ready else ""
    if not listing.shown and listing.ended:
        return "No matches." if listing.narrowed else "No records."
    if listing.filter:
        reached = f"in {len(listing.read):,} of {whole}"
        if not count:
            return f"No more matches {reached}.{goes_on}" if listing.shown else f"No matches {reached}.{goes_on}"
        return f"Matches {first + 1} to {first + count} {reached}.{goes_on or ' End of list.'}"
    if not count:
        return "End of list."
    return f"{first + 1:,} to {first + count:,} of {whole}.{goes_on or ' End of list.'}"
