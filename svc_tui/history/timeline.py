"""The story of a record: what is known to have happened to it and around it, newest first, each with its source."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import TypeAlias

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.jsontext import Absent, Json
from svc_tui.core.kinds import Kind, display_text, kind_of, kind_of_value
from svc_tui.core.moments import main_moment, moment_text, moments_of
from svc_tui.core.records import ID_NAMES, Place, Record
from svc_tui.core.references import singular, split_words
from svc_tui.core.values import replace
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.storage.record_index.seen_changes import ChangeKind, SeenChange
from svc_tui.team.names import name_of, names_in, tell_apart
from svc_tui.team.notes import Note

OWN, IN_RECORD, SEEN = "you", "record", "seen"
"""The sources that are no records: writes from here, the record's own fields, and what two readings differ in.

A colleague's write has their name as its source, which is none of these.
"""

_MAX_DETAILS = 4
_MAX_VALUE_CHARACTERS = 40
"""How much is shown of a record, and of one value, at most; the record itself shows all."""

_MAX_NOTE_CHARACTERS = 200
"""How much is shown of a note at most; it can be opened whole."""

_MAX_WORD_CHARACTERS = 32
"""A text that is longer, and has no space in it, is for machines."""

LeadsTo: TypeAlias = JournalEntry | Note | Place | None


class TimelineEvent(Struct, frozen=True):
    """One thing that happened: `when` it was, as people read it, `source` is a word for who tells of it, and `what`.

    `at` is what it is ordered by, None where nobody knows. It may lead to a write (then `what` is "": the write tells
    it), to a note, or to another record. All texts are raw.
    """

    source: str
    what: str
    at: datetime | None = None
    when: str = ""
    leads_to: LeadsTo = None


class TimelineNote(Struct, frozen=True):
    """A sentence about what a timeline does not hold; `failed` where that should not be so."""

    text: str
    failed: bool = False


class Timeline(Struct, frozen=True):
    """The events in the order in which they are shown, and the notes about those that are missing."""

    events: tuple[TimelineEvent, ...]
    notes: tuple[TimelineNote, ...] = ()


def newest_first(*parts: Iterable[TimelineEvent]) -> tuple[TimelineEvent, ...]:
    """All events, those without a time last; of two at the same time, the one that is given later comes first."""
    events = [event for part in parts for event in part]
    timed = [(event.at, event) for event in reversed(events) if event.at is not None]
    timed.sort(key=lambda pair: pair[0], reverse=True)
    return (*(event for _, event in timed), *(event for event in events if event.at is None))


def written(entries: Iterable[JournalEntry], tz: tzinfo) -> Iterator[TimelineEvent]:
    """The writes, the first one first; `entries` come newest first, as the journal gives them."""
    known = tuple(entries)
    names = names_in(known, taken=(OWN, IN_RECORD, SEEN))
    for entry in reversed(known):
        at = entry.intent.at
        yield TimelineEvent(name_of(entry, names) or OWN, "", at, _clock_text(at, tz), entry)


def noted(notes: Iterable[Note], tz: tzinfo) -> Iterator[TimelineEvent]:
    """The notes that the team left on the record, in their order, by the author of each."""
    known = tuple(notes)
    names = tell_apart((note.author for note in known), taken=(OWN, IN_RECORD, SEEN))
    for note in known:
        source = OWN if note.author is None else names[note.author]
        text = " ".join(note.text.split())
        what = text if len(text) <= _MAX_NOTE_CHARACTERS else f"{text[: _MAX_NOTE_CHARACTERS - 1]}…"
        at = note.written_at
        yield TimelineEvent(source, f"note: {what}", at, _clock_text(at, tz), note)


def moments_in(record: Record, tz: tzinfo) -> Iterator[TimelineEvent]:
    """The moments in the record itself."""
    for moment in moments_of(record.fields):
        yield TimelineEvent(IN_RECORD, moment.words, moment.at(tz), moment_text(moment.text, tz))


def around(about: Place, place: Place, record: Record, tz: tzinfo) -> TimelineEvent:
    """A record that names the one at `about`, or hangs under it, at the moment that it is known by.

    `place` is where it stands, `record` what may be seen of it.
    """
    moment = main_moment(record.fields)
    head = " ".join(filter(None, (record.id, moment.words if moment is not None else "")))
    what = " · ".join(filter(None, (head, *details(about, record))))
    leads_to = place if place.record_id is not None else None
    if moment is None:
        return TimelineEvent(source_word(place.collection), what, leads_to=leads_to)
    when = moment_text(moment.text, tz)
    return TimelineEvent(source_word(place.collection), what, moment.at(tz), when, leads_to)


def once(events: Iterable[TimelineEvent]) -> Iterator[TimelineEvent]:
    """The events without those that lead where one before them does."""
    told: set[Place] = set()
    for event in events:
        if not isinstance(event.leads_to, Place):
            yield event
        elif event.leads_to not in told:
            told.add(event.leads_to)
            yield event


def seen(changes: Iterable[SeenChange], tz: tzinfo) -> Iterator[TimelineEvent]:
    """What readings of the collection tell; it stands where the later one of the two was made."""
    for change in changes:
        between = f"between {_between_text(change, tz)}"
        what = f"{_change_text(change, tz)}, {between}"
        yield TimelineEvent(SEEN, what, change.read_after, _clock_text(change.read_after, tz))


def changes_among(
    changes: Iterable[SeenChange], collections: Mapping[str, Collection], tz: tzinfo
) -> Iterator[TimelineEvent]:
    """The same of many records, by the keys of their collections: each says which record it is of, and leads there."""
    for change in changes:
        collection = collections.get(change.key)
        if collection is not None:
            (event,) = seen([change], tz)
            place = None if change.kind is ChangeKind.GONE else Place(collection, change.record_id)
            yield replace(event, source=f"{collection.name} {change.record_id}", leads_to=place)


def source_word(collection: Collection) -> str:
    """What one record of a collection is called: `incident`, `custody`, `shiftLog`."""
    name = collection.name
    # Of `analytics` there is no one.
    return name if name.casefold().endswith("ics") else singular(name)


def details(about: Place, record: Record) -> Sequence[str]:
    """What people call the record, or what it says in a few words: texts first, then the other records it names."""
    if record.label:
        return (_clip(record.label),)
    texts: list[str] = []
    references: list[str] = []
    for name, value in record.fields.items():
        if not isinstance(value, str) or value == about.record_id or name.casefold() in ID_NAMES or not _says(value):
            continue
        match kind_of(name, [value]):
            case Kind.CHOICE:
                texts.append(_clip(value.replace("_", " ")))
            case Kind.TEXT:
                texts.append(_clip(value))
            case Kind.REFERENCE:
                references.append(f"{' '.join(split_words(name)[:-1])} {_clip(value)}")
            case _:
                pass
    return (*texts, *references)[:_MAX_DETAILS]


def _says(text: str) -> bool:
    """Whether a text says something to people: not an empty one, nor a hash."""
    return bool(text) and (len(text) <= _MAX_WORD_CHARACTERS or " " in text)


def _change_text(change: SeenChange, tz: tzinfo) -> str:
    match change.kind:
        case ChangeKind.CHANGED:
            return f"{change.path} {_value_text(change.before, tz)} → {_value_text(change.after, tz)}"
        case ChangeKind.MADE:
            return "added"
        case ChangeKind.GONE:
            return "removed"


def _value_text(value: Json | Absent, tz: tzinfo) -> str:
    if isinstance(value, Absent):
        return "not set"
    return _clip(display_text(value, kind_of_value(value), tz=tz).text)


def _between_text(change: SeenChange, tz: tzinfo) -> str:
    before, after = _clock_text(change.read_before, tz), _clock_text(change.read_after, tz)
    day, clock = after[:10], len("2026-11-20 ")
    # The day of the later one stands at the beginning of the line.
    return f"{before[clock:] if before[:10] == day else before} and {after[clock:]}"


def _clip(text: str) -> str:
    return text if len(text) <= _MAX_VALUE_CHARACTERS else f"{text[: _MAX_VALUE_CHARACTERS - 1]}…"


def _clock_text(at: datetime, tz: tzinfo) -> str:
    return at.astimezone(tz).replace(tzinfo=None).isoformat(" ", "minutes")
