"""Understands a list's answer: its items, and what `meta` says of the whole.

Source: service-interface, "Pagination". The fields of `meta` are not shown, so the common names are understood in any
casing, believed only where they make sense, and none is needed.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from svc_tui.domain.jsontext import Json, Number
from svc_tui.domain.records import Page, Record

_ITEMS = ("items", "data", "results", "records", "rows")
_INNER = frozenset({"meta", "pagination", "paging", "page", "pageinfo"})
_TOTAL = ("total", "totalcount", "totalitems", "totalrecords", "totalresults", "totalelements", "totalsize")
_COUNT = ("count", "itemcount")
_PAGES = ("pages", "totalpages", "pagecount", "numpages", "lastpage")
_MORE = ("hasmore", "hasnext", "hasnextpage", "more")
_LAST = ("last", "islast", "islastpage")
_NEXT = ("next", "nextpage", "nextcursor", "nexturl", "nextlink")
_LIMIT = ("limit", "pagesize", "perpage", "itemsperpage", "size")
_WHOLE = re.compile(r"[0-9]{1,15}")


def page_of(value: Json, number: int, limit: int) -> Page:
    """The page that a list's body holds: `items` and `meta`, or a bare array; raises ValueError.

    `number` and `limit` are what was asked for.
    """
    items, meta = _parts(value)
    records = []
    for at, item in enumerate(items, 1):
        if not isinstance(item, Mapping):
            raise ValueError(f"item {at} is not an object")
        records.append(Record(item))
    told = _Told(dict(_flat(meta)))
    size = told.number(_LIMIT, least=max(1, len(records)))
    used = limit if size is None else size
    # An empty page says nothing about how many came before it.
    seen = (number - 1) * used + len(records) if records else 0
    total = told.number(_TOTAL, least=seen)
    if total is None:
        total = told.number(_COUNT, least=max(seen, len(records) + 1))
    return Page(tuple(records), number, used, total, _last(told, number, used, len(records), total), meta)


async def walk(
    fetch: Callable[[int], Awaitable[Page]], *, first: int = 1, most: int | None = None
) -> AsyncIterator[Page]:
    """Pages in order until the end: an empty page, a page that repeats the one before, or when `meta` says so.

    A total is held against the records that came, not against page numbers: a service may give fewer on a page than
    it was asked for. `most` stops after that many records, the last page cut to fit.
    """
    before: Page | None = None
    left = most
    came = 0
    while left is None or left > 0:
        page = await fetch(first)
        if not page.records or (before is not None and page.records == before.records):
            return
        if left is not None:
            left -= len(page.records)
        cut = page.records if left is None or left >= 0 else page.records[:left]
        yield page if cut is page.records else Page(cut, page.number, page.limit, page.total, page.last, page.meta)
        came += len(page.records)
        if page.last if page.total is None else came >= page.total:
            return
        before, first = page, first + 1


@dataclass(frozen=True, slots=True)
class _Told:
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


def _last(told: _Told, number: int, limit: int, came: int, total: int | None) -> bool | None:
    """Whether this is the last page; None where nothing is said or two fields contradict each other."""
    if not came:
        return True
    signs: set[bool] = set()
    more, last, pages = told.flag(_MORE), told.flag(_LAST), told.number(_PAGES, least=number)
    if more is not None:
        signs.add(not more)
    if last is not None:
        signs.add(last)
    # Pages that were reckoned from a total nobody can believe are no better than it.
    if pages is not None and (total is not None or told.number(_TOTAL, least=0) is None):
        signs.add(number >= pages)
    following = [told.fields[name] for name in _NEXT if name in told.fields]
    if following:
        signs.add(not any(item not in (None, "", False) for item in following))
    # A short page may be the last, or one of many that the service caps: only on the first is the count certain.
    if total is not None and (number == 1 or came >= limit):
        signs.add((number - 1) * limit + came >= total)
    return signs.pop() if len(signs) == 1 else None


def _parts(value: Json) -> tuple[Sequence[Json], Mapping[str, Json]]:
    if isinstance(value, Mapping):
        folded = {_plain(name): name for name in reversed(list(value))}
        name = next((folded[wanted] for wanted in _ITEMS if wanted in folded), None)
        if name is None:
            raise ValueError("no items in it")
        items = value[name]
        if isinstance(items, Mapping) and name != folded.get("items"):
            return _parts(items)
        rest = {other: item for other, item in value.items() if other != name}
        meta = rest[folded["meta"]] if "meta" in folded else rest
        if items is None:
            items = []
        if isinstance(items, Sequence) and not isinstance(items, str):
            return items, meta if isinstance(meta, Mapping) else {}
        raise ValueError("its items are not an array")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return value, {}
    raise ValueError("neither an object nor an array")


def _flat(meta: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """The fields of `meta` and of the objects that are known to stand in it; an outer field comes last, and wins."""
    for name, item in meta.items():
        if isinstance(item, Mapping) and _plain(name) in _INNER:
            yield from ((_plain(inner), value) for inner, value in item.items())
    yield from ((_plain(name), item) for name, item in meta.items())


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
