"""Understands a list's answer: its items, and what `meta` says of the whole.

Source: service-interface, "Pagination". The fields of `meta` are not shown, so the common names are understood in any
casing, believed only where they make sense, and none is needed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Page, Record

_ITEMS = ("items", "data", "results", "records", "rows")
_NESTED_META_NAMES = frozenset({"meta", "pagination", "paging", "page", "pageinfo"})
_TOTAL = ("total", "totalcount", "totalitems", "totalrecords", "totalresults", "totalelements", "totalsize")
_COUNT = ("count", "itemcount")
_PAGES = ("pages", "totalpages", "pagecount", "numpages", "lastpage")
_MORE = ("hasmore", "hasnext", "hasnextpage", "more")
_LAST = ("last", "islast", "islastpage")
_NEXT = ("next", "nextpage", "nextcursor", "nexturl", "nextlink")
_LIMIT = ("limit", "pagesize", "perpage", "itemsperpage", "size")
_WHOLE = re.compile(r"[0-9]{1,15}")


def parse_page(value: Json, number: int, limit: int) -> Page:
    """The page that a list's body holds: `items` and `meta`, or a bare array; raises ValueError.

    `number` and `limit` are what was asked for.
    """
    items, meta = _parts(value)
    records = []
    for at, item in enumerate(items, 1):
        # A dict is told at once; to ask whether it is a Mapping takes as long as to make a record of it.
        if not isinstance(item, (dict, Mapping)):
            raise ValueError(f"item {at} is not an object")
        records.append(Record(item))
    page_meta = _PageMeta(dict(_flat(meta)))
    size = page_meta.number(_LIMIT, least=max(1, len(records)))
    used = limit if size is None else size
    # An empty page says nothing about how many came before it.
    counted = (number - 1) * used + len(records) if records else 0
    total = page_meta.number(_TOTAL, least=counted)
    if total is None:
        total = page_meta.number(_COUNT, least=max(counted, len(records) + 1))
    if total == counted and records and page_meta.follows() == {True}:
        # A ceiling, such as the 10,000 up to which some services count.
        total = None
    pages = page_meta.number(_PAGES, least=number)
    # Pages that were reckoned from a total nobody can believe are no better than it.
    if total is None and page_meta.number(_TOTAL, least=0) is not None:
        pages = None
    last = _last(page_meta, number, used, len(records), total, pages)
    return Page(tuple(records), number, used, total, last, pages, meta)


class _PageMeta(Struct, frozen=True):
    """The fields of `meta` by their names without case and punctuation."""

    fields: Mapping[str, Json]

    def number(self, names: Sequence[str], *, least: int) -> int | None:
        """The first believable whole number under one of the names."""
        for name in names:
            value = self.fields.get(name)
            text = value.text if isinstance(value, Number) else value
            if isinstance(text, str) and _WHOLE.fullmatch(text) and int(text) >= least:
                return int(text)
        return None

    def flag(self, names: Sequence[str]) -> bool | None:
        """The first true or false under one of the names."""
        return next((value for value in map(self.fields.get, names) if isinstance(value, bool)), None)

    def follows(self) -> set[bool]:
        """What is said of whether a page follows, counts left aside: nothing, one thing, or both."""
        signs: set[bool] = set()
        more, last = self.flag(_MORE), self.flag(_LAST)
        if more is not None:
            signs.add(more)
        if last is not None:
            signs.add(not last)
        following = [self.fields[name] for name in _NEXT if name in self.fields]
        if following:
            signs.add(any(item not in (None, "", False) for item in following))
        return signs


def _last(
    page_meta: _PageMeta, number: int, limit: int, record_count: int, total: int | None, pages: int | None
) -> bool | None:
    """Whether this is the last page; None where nothing is said or two fields contradict each other."""
    if not record_count:
        return True
    signs = {not more for more in page_meta.follows()}
    if pages is not None:
        signs.add(number >= pages)
    # A short page may be the last, or one of many that the service caps: only on the first is the count certain.
    if total is not None and (number == 1 or record_count >= limit):
        signs.add((number - 1) * limit + record_count >= total)
    return signs.pop() if len(signs) == 1 else None


def _parts(value: Json) -> tuple[Sequence[Json], Mapping[str, Json]]:
    if isinstance(value, Mapping):
        folded = {_plain(name): name for name in reversed(list(value))}
        name = next((folded[wanted] for wanted in _ITEMS if wanted in folded), None)
        if name is None:
            raise ValueError("the response has no items")
        items = value[name]
        if isinstance(items, Mapping) and name != folded.get("items"):
            return _parts(items)
        rest = {other: item for other, item in value.items() if other != name}
        meta = rest[folded["meta"]] if "meta" in folded else rest
        if items is None:
            items = []
        if isinstance(items, Sequence) and not isinstance(items, str):
            return items, meta if isinstance(meta, Mapping) else {}
        raise ValueError("items is not a list")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return value, {}
    raise ValueError("the response is not an object or a list")


def _flat(meta: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """The fields of `meta` and of the objects known to be in it; outer fields come last, and win."""
    for name, item in meta.items():
        if isinstance(item, Mapping) and _plain(name) in _NESTED_META_NAMES:
            yield from ((_plain(inner), value) for inner, value in item.items())
    yield from ((_plain(name), item) for name, item in meta.items())


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
