"""The records of one page, kept as compressed bytes while nobody looks at them."""

import json
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import cast, overload

from svc_tui.domain.data.field_path import value_at
from svc_tui.domain.data.search_text import search_text
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, Number, dumps, loads
from svc_tui.domain.model.records import Record

_LEVEL = 1
"""How hard zlib tries; records of a page are so much alike that more effort gains a tenth."""

_SCALARS = frozenset({str, Number, bool, type(None)})


class PageRecords(Sequence[Record]):
    """Records in the order of their page; packed, they are made anew for whoever asks, and let go of after that.

    A packed record of some ten fields takes about 50 bytes, where it took 1,000 and more. Those that JSON would not
    give back as they are, and those that were read by themselves, whose answers go by them, are never packed.
    """

    __slots__ = ("_count", "_kept", "_packed", "_records", "_searchable")

    def __init__(self, records: tuple[Record, ...], own: Mapping[int, Record] | None = None) -> None:
        """Make it; `own` are those that were read by themselves, by their place."""
        self._count = len(records)
        self._records: tuple[Record, ...] | None = records
        self._kept = own or {}
        self._packed = self._searchable = b""

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Record]:
        return iter(self._all())

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Record, ...]: ...
    def __getitem__(self, at: int | slice) -> Record | tuple[Record, ...]:
        return self._all()[at]

    def searchable(self) -> tuple[list[str | None], list[str]]:
        """The id of each, and its text as it is searched."""
        if self._records is None:
            ids, texts = json.loads(_text(self._searchable))
            return ids, texts
        return [record.id for record in self._records], [search_text(record.fields) for record in self._records]

    def values(self, path: str) -> list[Json | Absent]:
        """The value at `path` of each."""
        if self._records is not None:
            return [value_at(record.fields, path) for record in self._records]
        values: list[Json | Absent] = [ABSENT] * self._count
        for names, places, columns in _groups(self._packed):
            if path in names:
                for place, value in zip(places, _column(columns[names.index(path)]), strict=True):
                    values[place] = value
                continue
            # The field that a path leads through has a name that the path begins with.
            outer = {name: _column(columns[at]) for at, name in enumerate(names) if path.startswith(name)}
            for at, place in enumerate(places):
                values[place] = value_at({name: column[at] for name, column in outer.items()}, path)
        for place, record in self._kept.items():
            values[place] = value_at(record.fields, path)
        return values

    def replaced(self, place: int, record: Record) -> "PageRecords":
        """The same with another record in this place, which was read by itself."""
        records = self._all()
        return PageRecords((*records[:place], record, *records[place + 1 :]), {**self._kept, place: record})

    def cut(self, count: int) -> "PageRecords":
        """The first `count` of them."""
        return PageRecords(self._all()[:count], {at: record for at, record in self._kept.items() if at < count})

    def pack(self) -> None:
        """Hold them as bytes."""
        if self._records is not None and not self._packed:
            odd = {at: record for at, record in enumerate(self._records) if not _can_be_packed(record)}
            self._kept = {**odd, **self._kept}
            self._searchable = _compressed(json.dumps(self.searchable(), ensure_ascii=False))
            self._packed = _pack(self._records, self._kept.keys())
        self._records = None

    def unpack(self) -> None:
        """Hold them as records, each the same object whenever it is asked for; packing them again costs nothing."""
        self._records = self._all()

    def _all(self) -> tuple[Record, ...]:
        if self._records is not None:
            return self._records
        records = dict(self._kept)
        for names, places, columns in _groups(self._packed):
            for place, values in zip(places, zip(*map(_column, columns), strict=True), strict=True):
                records[place] = Record(dict(zip(names, values, strict=True)))
        return tuple(records[place] for place in range(self._count))


class RecentPages:
    """Some pages of which those looked at last, at most `most`, are unpacked, and the others packed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pages: OrderedDict[PageRecords, None] = OrderedDict()

    def look(self, page: PageRecords) -> None:
        """A page is looked at; another, for which there is no room any more, is packed."""
        page.unpack()
        self._pages[page] = None
        self._pages.move_to_end(page)
        if len(self._pages) > self._most:
            self._pages.popitem(last=False)[0].pack()


def _pack(records: Sequence[Record], kept: Iterable[int]) -> bytes:
    """All but those `kept` in lines of JSON, a group for each set of fields that records have.

    A group is the names of the fields with the places of the records, and for each field a line with its values, so
    that those of one field can be read alone.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for place in sorted(set(range(len(records))).difference(kept)):
        groups.setdefault(tuple(records[place].fields), []).append(place)
    lines: list[str] = []
    for names, places in groups.items():
        lines.append(json.dumps([names, places], ensure_ascii=False))
        lines += [dumps([records[place].fields[name] for place in places]) for name in names]
    return _compressed("\n".join(lines))


def _groups(packed: bytes) -> Iterator[tuple[list[str], list[int], list[str]]]:
    """The groups: names of fields, places of records, and for each field the JSON text of its values."""
    lines = filter(None, _text(packed).split("\n"))
    for head in lines:
        names, places = json.loads(head)
        yield names, places, list(islice(lines, len(names)))


def _compressed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)


def _text(compressed: bytes) -> str:
    return zlib.decompress(compressed).decode("utf-8", "surrogatepass")


def _column(text: str) -> list[Json]:
    return cast("list[Json]", loads(text))


def _can_be_packed(record: Record) -> bool:
    return bool(record.fields) and not record.etag and _is_plain(record.fields)


def _is_plain(value: object) -> bool:
    """Whether JSON gives back an object or array as it is: as it was read, and no name in it stood twice."""
    if type(value) not in (dict, list):
        return False
    items: Iterable[object] = value.values() if isinstance(value, dict) else cast("list[object]", value)
    # Most values are no more than that: a page holds hundreds.
    nested = [item for item in items if type(item) not in _SCALARS]
    return not nested or all(map(_is_plain, nested))
