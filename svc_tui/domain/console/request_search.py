"""Saved requests that fit what is typed into a search."""

from collections.abc import Iterable

from svc_tui.domain.collections.filters import SearchableRecord, parse_filter
from svc_tui.domain.console.saved_requests import SavedRequest
from svc_tui.domain.model.records import Record


def find_requests(saved: Iterable[SavedRequest], text: str) -> list[SavedRequest]:
    """Those of the saved requests whose name, method, path or note fit, in their order.

    `text` is a filter as in a table: words that must all stand there, `"two words"`, `method:post`. Nothing fits an
    empty one.
    """
    names = ("name", "method", "path", "note")
    wanted = parse_filter(text, {name: name for name in names})
    if not wanted:
        return []
    requests = list(saved)
    entries = [
        SearchableRecord.of(
            row,
            Record(dict(zip(names, (one.name, one.form.method, one.form.path, one.description), strict=True))),
        )
        for row, one in enumerate(requests)
    ]
    return [requests[entry.row] for entry in wanted.chosen(entries)]
