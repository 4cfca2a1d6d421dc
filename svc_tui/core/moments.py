"""Moments in a record: fields that hold a time, and whose names say that something happened then.

The document shows no fields, so a moment is told from the name (`createdAt`, `opened_on`, `dueDate`, `closed`) and from
the shape of the value, which must be a time.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, tzinfo

from msgspec import Struct

from svc_tui.core.field_path import path_steps, paths, value_at
from svc_tui.core.jsontext import Json
from svc_tui.core.references import split_words
from svc_tui.core.times import local_time, parse_time

_SILENT_ENDINGS = ("at", "on")
"""Last words of a name that only say that it is one of a moment."""
_ENDINGS = frozenset(
    {*_SILENT_ENDINGS, "date", "datetime", "time", "timestamp", "from", "since", "until", "start", "end"}
)
_BEGINNINGS = frozenset({"date", "time", "timestamp"})
_PARTICIPLE = "ed"
"""How the last word ends of a name that tells what was done."""

_CREATED = ("created", "made")
_CHANGED = ("updated", "modified", "changed")
_USUAL_RANK = 2
_RANKS = {
    **dict.fromkeys(_CREATED, 0),
    **dict.fromkeys(("opened", "started", "start", "begun"), 1),
    **dict.fromkeys(("closed", "ended", "end", "finished", "completed"), 3),
    **dict.fromkeys(_CHANGED, 4),
}
"""Where a moment usually stands in the life of a record, by a word of its name."""


class Moment(Struct, frozen=True):
    """The time `text` in the field at `path`, as the service wrote it."""

    path: str
    text: str
    words: str
    """What happened then, in words: `handed over`, `due date`."""
    rank: tuple[int, bool]
    """Where it usually stands in the life of a record, among others at the same time."""

    def at(self, tz: tzinfo) -> datetime:
        """The moment itself; a date is the beginning of that day in `tz`."""
        return start_of(self.text, tz)


def moments_of(fields: Mapping[str, Json]) -> tuple[Moment, ...]:
    """The moments of a record in the usual order of its life, those of objects in it too."""
    return tuple(sorted(_moments(fields), key=lambda moment: moment.rank))


def main_moment(fields: Mapping[str, Json]) -> Moment | None:
    """The moment that a record is known by: when it was created or opened, or else the first that it names."""
    return next(iter(moments_of(fields)), None)


def change_time_field(names: Iterable[str]) -> str | None:
    """Return the one of these time fields that says when a record was last changed, else when it was created.

    Return None if there is no such field. `updatedAt` comes before `statusChangedAt`, which is about a part of it.
    """
    split_names = [(split_words(name), name) for name in names]
    for meaning in (_CHANGED, _CREATED):
        matches = [(len(words), name) for words, name in split_names if not set(words).isdisjoint(meaning)]
        if matches:
            return min(matches, key=lambda match: match[0])[1]
    return None


def start_of(text: str, tz: tzinfo) -> datetime:
    """The moment of a time that `parse_time` reads; a date is the beginning of that day in `tz`."""
    at = parse_time(text)
    if at is None:
        raise ValueError("not a time")
    return at.replace(tzinfo=tz) if at.tzinfo is None else at


def moment_text(text: str, tz: tzinfo) -> str:
    """A time of the service as it is shown in `tz`; one that `tz` can't tell as it is written."""
    return local_time(text, tz) or text


def _moments(fields: Mapping[str, Json]) -> Iterator[Moment]:
    for path in paths(fields):
        value = value_at(fields, path)
        if not isinstance(value, str) or parse_time(value) is None:
            continue
        *above, name = path_steps(fields, path)
        words = split_words(name)
        if _says_moment(words):
            said = words[:-1] if len(words) > 1 and words[-1] in _SILENT_ENDINGS else words
            ranks = [_RANKS[word] for word in said if word in _RANKS]
            # What an object in the record went through is no stage in the life of the record.
            rank = ranks[0] if ranks and not above else _USUAL_RANK
            yield Moment(path, value, " ".join((*above, *said)), (rank, bool(above)))


def _says_moment(words: tuple[str, ...]) -> bool:
    return bool(words) and (words[-1] in _ENDINGS or words[0] in _BEGINNINGS or words[-1].endswith(_PARTICIPLE))
