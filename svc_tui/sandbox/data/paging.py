"""Lists: which page is asked for, which filters, and the body of the answer."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl

from svc_tui.sandbox.errors import ApiError

DEFAULT_LIMIT = 50

MAX_COUNT = 10**15 - 1
"""The largest `page`, and the largest `limit` that is read at all."""

_COUNT = re.compile(r"[1-9][0-9]{0,14}")


@dataclass(frozen=True, slots=True)
class Window:
    """A page of a list, from 1, and the number of records on each."""

    page: int
    limit: int

    @property
    def first(self) -> int:
        """The rank of the page's first record, from 0."""
        return (self.page - 1) * self.limit

    def capped(self, limit: int) -> "Window":
        """The same page with at most `limit` records on each."""
        return replace(self, limit=min(self.limit, limit))


def query_of(target: bytes, known: Collection[str] | None = None) -> dict[str, str]:
    """The query's parameters, or the `known` of them; raises ApiError (400) for one given twice or not in UTF-8."""
    try:
        pairs = parse_qsl(target.partition(b"?")[2].decode("ascii"), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise _parameter_error("the query is not percent-encoded UTF-8") from None
    if known is not None:
        pairs = [(name, value) for name, value in pairs if name in known]
    query = dict(pairs)
    if len(query) != len(pairs):
        names = [name for name, _ in pairs]
        raise _parameter_error(
            f"the parameter {next(n for n in names if names.count(n) > 1)[:60]!r} is set twice in the query"
        )
    return query


class Paging:
    """How lists are cut into pages and described, as the variants have it."""

    def __init__(self, variants: Mapping[str, str]) -> None:
        self._meta, self._totals = variants["meta"], variants["totals"]
        self._filters = variants["filters"]
        self.max_limit = int(variants["page-cap"])
        self._capped = variants["over-cap"] == "capped"

    def query(self, target: bytes, *known: str) -> dict[str, str]:
        """The parameters that are looked at, where others are ignored the `known` alone; raises ApiError (400)."""
        return query_of(target, known if self._filters == "ignored" else None)

    def window(self, query: Mapping[str, str]) -> Window:
        """The page asked for; raises ApiError (400)."""
        page, limit = query.get("page", "1"), query.get("limit", str(min(DEFAULT_LIMIT, self.max_limit)))
        for name, value in (("page", page), ("limit", limit)):
            if not _COUNT.fullmatch(value):
                raise _parameter_error(f"{name} must be a whole number of at least 1, not {value[:60]!r}")
        if int(limit) > self.max_limit and not self._capped:
            raise _parameter_error(f"limit must be at most {self.max_limit}")
        return Window(int(page), int(limit)).capped(self.max_limit)

    def filters(self, query: Mapping[str, str], fields: Collection[str]) -> tuple[tuple[str, str], ...]:
        """The other parameters, each the name of a field and the value it must equal; raises ApiError (400)."""
        others = {name: value for name, value in query.items() if name not in ("page", "limit")}
        if self._filters != "fields":
            self.check_unknown(others)
            return ()
        for name in sorted(others):
            if name not in fields:
                raise _parameter_error(f"unknown parameter {name[:60]!r}: use page, limit or the name of a field")
        return tuple(sorted(others.items()))

    def check_unknown(self, names: Collection[str]) -> None:
        """Raises ApiError (400) for parameters that mean nothing."""
        if names:
            raise _parameter_error(f"unknown parameter {min(names)[:60]!r}")

    def body(self, texts: Sequence[str], window: Window, total: int | None, *, more: bool) -> str:
        """`{"items":[…],"meta":{…}}`; `total` is None where nobody knows it, `more` whether another page follows."""
        if self._totals == "none":
            total = None
        pages = None if total is None else -(-total // window.limit)
        values = {
            "page": (("page", window.page), ("limit", window.limit), ("total", total), ("pages", pages)),
            "count": (
                ("currentPage", window.page),
                ("perPage", window.limit),
                ("totalItems", total),
                ("totalPages", pages),
            ),
            "snake": (
                ("current_page", window.page),
                ("per_page", window.limit),
                ("total_count", total),
                ("total_pages", pages),
            ),
            "next": (("page", window.page), ("limit", window.limit), ("hasMore", "true" if more else "false")),
            "none": (),
        }[self._meta]
        meta = ",".join(f'"{name}":{value}' for name, value in values if value is not None)
        return f'{{"items":[{",".join(texts)}],"meta":{{{meta}}}}}'


def _parameter_error(message: str) -> ApiError:
    return ApiError("invalid_parameter", message)
