"""A record as lines to walk through: its fields in groups, nested values folded and unfolded, long parts in windows.

However large a record is, an outline stays short: of each object and each list one window of items is shown, and
lines before and after it say how many more there are.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from collections.abc import Collection as Many
from itertools import islice, takewhile
from typing import TypeAlias

from msgspec import Struct

from svc_tui.core.field_path import path_of
from svc_tui.core.folded_text import fold
from svc_tui.core.jsontext import ABSENT, Absent, Json, Number, dumps
from svc_tui.core.kinds import FieldGroup, Kind
from svc_tui.core.records import LABEL_NAMES
from svc_tui.core.values import replace

Path: TypeAlias = tuple[str | int, ...]
"""The way to a value: names of fields, and places in lists from 0; () is the record itself."""

WINDOW_ITEMS = 200
"""Items of one object or list that are shown together."""

MAX_LINES = 1_000
"""Lines of an outline at most, however much is unfolded."""

_PLAIN_NAME = re.compile(r"[^\W\d][\w-]*")
_TIME_WORDS = re.compile(r"(?:At|On|Date|Time|_at|_on|_date|_time)\Z")


class GroupGap(Struct, frozen=True):
    """The empty line between two groups."""


class OutlineEntry(Struct, frozen=True):
    """A value and the way to it."""

    path: Path
    value: Json | Absent

    @property
    def nested(self) -> bool:
        """Whether there is something in it to unfold."""
        return is_nested(self.value) and bool(self.value)


class MoreItems(Struct, frozen=True):
    """`count` items of the object or list at `path` are left out here; a window at item `start` shows some of them."""

    path: Path
    count: int
    start: int


class OutlineCut(Struct, frozen=True):
    """The outline ends here although more is unfolded."""


OutlineLine: TypeAlias = GroupGap | OutlineEntry | MoreItems | OutlineCut


def group_of(name: str, kind: Kind) -> FieldGroup:
    """The group of a field; a kind that nothing is known of is told by the name, where that ends like one of a time."""
    if kind in (Kind.TEXT, Kind.CHOICE) and name.casefold() in LABEL_NAMES:
        return FieldGroup.IDENTITY
    if kind is Kind.NULL and _TIME_WORDS.search(name):
        return FieldGroup.TIMES
    return kind.facts.group


def outline(
    fields: Mapping[str, Json],
    kinds: Mapping[str, Kind],
    unfolded: Many[Path] = frozenset(),
    windows: Mapping[Path, int] | None = None,
) -> list[OutlineLine]:
    """The record's lines, its fields grouped by `kinds` (those that have none as texts).

    `windows` tells for an object or a list the first item that is shown, where that is not its first.
    """
    lines: list[OutlineLine] = []
    for line in _fields(fields, kinds, unfolded, windows or {}):
        if len(lines) == MAX_LINES:
            lines.append(OutlineCut())
            break
        lines.append(line)
    return lines


def first_names(fields: Mapping[str, Json], windows: Mapping[Path, int]) -> list[str]:
    """The names of the fields that the record's own window shows."""
    start = windows.get((), 0)
    return list(islice(fields, start, start + WINDOW_ITEMS))


def _fields(
    fields: Mapping[str, Json], kinds: Mapping[str, Kind], unfolded: Many[Path], windows: Mapping[Path, int]
) -> Iterator[OutlineLine]:
    grouped: dict[FieldGroup, list[str]] = {}
    for name in first_names(fields, windows):
        grouped.setdefault(group_of(name, kinds.get(name, Kind.TEXT)), []).append(name)
    yield from _more_before((), windows)
    groups = [names for group in FieldGroup if (names := grouped.get(group))]
    for index, names in enumerate(groups):
        if index:
            yield GroupGap()
        for name in names:
            yield from _entry_lines((name,), fields[name], unfolded, windows)
    yield from _more_after((), len(fields), windows)


def _entry_lines(path: Path, value: Json, unfolded: Many[Path], windows: Mapping[Path, int]) -> Iterator[OutlineLine]:
    yield OutlineEntry(path, value)
    if path not in unfolded or not is_nested(value):
        return
    yield from _more_before(path, windows)
    start = windows.get(path, 0)
    for step, item in _items(value, start, start + WINDOW_ITEMS):
        yield from _entry_lines((*path, step), item, unfolded, windows)
    yield from _more_after(path, _count_words(value), windows)


def _more_before(path: Path, windows: Mapping[Path, int]) -> Iterator[OutlineLine]:
    if start := windows.get(path, 0):
        yield MoreItems(path, start, max(0, start - WINDOW_ITEMS))


def _more_after(path: Path, count: int, windows: Mapping[Path, int]) -> Iterator[OutlineLine]:
    until = windows.get(path, 0) + WINDOW_ITEMS
    if count > until:
        yield MoreItems(path, count - until, until)


def is_nested(value: Json | Absent) -> bool:
    """Whether the value is an object or a list, empty ones too."""
    return isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str))


def _items(value: Json | Absent, first: int, until: int) -> Iterator[tuple[str | int, Json]]:
    if isinstance(value, Mapping):
        yield from islice(value.items(), first, until)
    elif isinstance(value, Sequence):
        yield from enumerate(value[first:until], first)


def _count_words(value: Json | Absent) -> int:
    assert isinstance(value, Mapping | Sequence)
    return len(value)


def path_text(path: Path) -> str:
    """The path as people write it: `assay.lab.name`, `parts[0].grade`, `["a b"].c`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_NAME.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{dumps(step)}]"
    return text


def column_of(fields: Mapping[str, Json], path: Path) -> str:
    """The column of a table in which the value stands, or the list that it is in: `assay.lab`, see `field_path`."""
    names: Iterator[str] = takewhile(lambda step: isinstance(step, str), path)  # type: ignore[arg-type]
    return path_of(fields, tuple(names))


def at_path(fields: Mapping[str, Json], path: Path) -> Json | Absent:
    """The value at the path; ABSENT where there is none."""
    value: Json | Absent = fields
    for step in path:
        value = _value_inside(value, step)
    return value


def _value_inside(value: Json | Absent, step: str | int) -> Json | Absent:
    if isinstance(step, str):
        return value.get(step, ABSENT) if isinstance(value, Mapping) else ABSENT
    if isinstance(value, Sequence) and not isinstance(value, str) and step < len(value):
        return value[step]
    return ABSENT


def window_around(fields: Mapping[str, Json], path: Path) -> dict[Path, int]:
    """The windows that must be open for the value at `path` to be in the outline."""
    windows: dict[Path, int] = {}
    value: Json | Absent = fields
    for depth, step in enumerate(path):
        if isinstance(value, Mapping):
            place = next((index for index, name in enumerate(value) if name == step), 0)
        else:
            place = step if isinstance(step, int) else 0
        windows[path[:depth]] = place // WINDOW_ITEMS * WINDOW_ITEMS
        value = _value_inside(value, step)
    return windows


class Folding:
    """Keeps what was unfolded and folded from record to record, and the windows of one."""

    def __init__(self) -> None:
        self._unfolded: set[Path] = set()
        self._folded: set[Path] = set()
        self.windows: dict[Path, int] = {}
        """The first item that is shown of an object or a list, where that is not its first."""
        self.open: Set[Path] = frozenset()
        """What is unfolded in the lines that were given last."""

    def set(self, path: Path, *, unfolded: bool) -> None:
        """Unfold what is at `path`, or fold it: then it stays so, whatever room there is."""
        wanted, other = (self._unfolded, self._folded) if unfolded else (self._folded, self._unfolded)
        wanted.add(path)
        other.discard(path)

    def reveal(self, fields: Mapping[str, Json], path: Path) -> None:
        """Unfold all that the value at `path` is in."""
        self._unfolded |= {path[:depth] for depth in range(1, len(path))}
        self.windows |= window_around(fields, path)

    def lines(
        self, fields: Mapping[str, Json], kinds: Mapping[str, Kind], free_rows: Callable[[Sequence[OutlineLine]], int]
    ) -> list[OutlineLine]:
        """Return the record's lines; `free_rows` gives how many rows are left below some.

        Where there is room, more is unfolded, and the groups stand apart if all of it still fits then.
        """
        self.open = frozenset(self._unfolded)
        spaced = outline(fields, kinds, self.open, self.windows)
        free = free_rows(_without_gaps(spaced))
        for line in spaced:
            if not isinstance(line, OutlineEntry) or not line.nested or line.path in self.open | self._folded:
                continue
            longer = outline(fields, kinds, self.open | {line.path}, self.windows)
            if len(longer) - len(spaced) > free:
                break
            free -= len(longer) - len(spaced)
            self.open, spaced = self.open | {line.path}, longer
        lines = _without_gaps(spaced)
        return spaced if free_rows(spaced) >= 0 else lines


def _without_gaps(lines: Sequence[OutlineLine]) -> list[OutlineLine]:
    return [line for line in lines if not isinstance(line, GroupGap)]


class FieldMatches(Struct, frozen=True):
    """The ways to the values that were found, and which of them is the current one, from 0."""

    paths: tuple[Path, ...] = ()
    current: int = 0

    @property
    def path(self) -> Path | None:
        """The way to the current one; None where there is none."""
        return self.paths[self.current] if self.paths else None

    @property
    def position(self) -> tuple[int, int] | None:
        """Which of how many the current one is, from 1; None where there is none."""
        return (self.current + 1, len(self.paths)) if self.paths else None

    def stepped(self, steps: int) -> "FieldMatches":
        """The same, gone on by so many, round the ends."""
        return replace(self, current=(self.current + steps) % len(self.paths)) if self.paths else self


def find_fields(fields: Mapping[str, Json], needle: str, kind_of_field: Callable[[str], Kind]) -> FieldMatches:
    """The values that hold `needle`, as they are shown: window by window, group by group."""
    paths = matching_paths(fields, needle)
    groups = {group: order for order, group in enumerate(FieldGroup)}
    places = {name: place for place, name in enumerate(fields)}
    orders = {
        name: (places[name] // WINDOW_ITEMS, groups[group_of(name, kind_of_field(name))])
        for name in dict.fromkeys(str(path[0]) for path in paths)
    }
    return FieldMatches(tuple(sorted(paths, key=lambda path: orders[str(path[0])])))


def matching_paths(fields: Mapping[str, Json], needle: str) -> list[Path]:
    """The paths of all values that hold `needle` in their name or, unless nested, in their text, folded."""
    sought = fold(needle)
    return list(_matches(fields.items(), (), sought)) if sought else []


def _matches(items: Iterable[tuple[str | int, Json]], above: Path, sought: str) -> Iterator[Path]:
    for step, value in items:
        path = (*above, step)
        if (isinstance(step, str) and sought in fold(step)) or sought in fold(_plain_text(value)):
            yield path
        if isinstance(value, Mapping):
            yield from _matches(value.items(), path, sought)
        elif is_nested(value) and isinstance(value, Sequence):
            yield from _matches(enumerate(value), path, sought)


def _plain_text(value: Json) -> str:
    match value:
        case str():
            return value
        case Number():
            return value.text
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case _:
            return ""
