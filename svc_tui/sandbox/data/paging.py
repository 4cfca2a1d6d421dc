"""Lists: which page is asked for, which filters, and the body of the answer."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl

from svc_tui.sandbox.errors import ApiError

DEFAULT_LIMIT, MAX_LIMIT = 50, 200

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


def query_of(target: bytes) -> dict[str, str]:
    """The query's parameters; raises ApiError (400) for one given twice or not in UTF-8."""
    try:
        pairs = parse_qsl(target.partition(b"?")[2].decode("ascii"), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise _parameter_error("the query is not percent-encoded UTF-8") from None
    query = dict(pairs)
    if len(query) != len(pairs):
        names = [name for name, _ in pairs]
        raise _parameter_error(
            f"the parameter {next(n for n in names if names.count(n) > 1)[:60]!r} stands twice in the query"
        )
    return query


def window_of(query: dict[str, str]) -> Window:
    """The page asked for; raises ApiError (400)."""
    page, limit = query.get("page", "1"), query.get("limit", str(DEFAULT_LIMIT))
    for name, value in (("page", page), ("limit", limit)):
        if not _COUNT.fullmatch(value):
            raise _parameter_error(f"{name} must be a whole number from 1, not {value[:60]!r}")
    return Window(int(page), int(limit)).capped(MAX_LIMIT)


def filters_of(query: dict[str, str], fields: Collection[str]) -> tuple[tuple[str, str], ...]:
    """The other parameters, each the name of a field and the value it must equal; raises ApiError (400)."""
    filters = tuple(sorted((name, value) for name, value in query.items() if name not in ("page", "limit")))
    for name, _ in filters:
        if name not in fields:
            raise _parameter_error(f"unknown parameter {name[:60]!r}: use page, limit, or the name of a field")
    return filters


def page_body(texts: Sequence[str], window: Window, total: int | None) -> str:
    """`{"items":[…],"meta":{page, limit, total, pages}}`; without total and pages where `total` is None."""
    counts = "" if total is None else f',"total":{total},"pages":{-(-total // window.limit)}'
    return f'{{"items":[{",".join(texts)}],"meta":{{"page":{window.page},"limit":{window.limit}{counts}}}}}'


def _parameter_error(message: str) -> ApiError:
    return ApiError(400, "invalid_parameter", message)
