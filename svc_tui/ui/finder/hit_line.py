"""How a record that was found, or a saved request, looks in the finder's list."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.content import Content

from svc_tui.core.durations import age_words
from svc_tui.core.folded_text import fold, place_of
from svc_tui.core.records import Place, Record
from svc_tui.search.record_search import Match
from svc_tui.search.sources import Origin
from svc_tui.ui.text import field_label, measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.table.cell_painter import MARKED_SIGN

if TYPE_CHECKING:
    from svc_tui.console.saved_requests import SavedRequest

_COLLECTION_CELLS, _ID_CELLS, _ORIGIN_CELLS = 13, 14, 13
_MIN_LABEL_CELLS = 12
_SAVED, _BY_ID = "saved", "by id"
"""How a saved request was found, and a record that nothing held shows: what people read."""

_READS = "Open this record"


def hit_line(match: Match, record: Record, text: str, now: float, cells: int, *, marked: bool = False) -> Content:
    """The collection, id and label of a record, the field that holds what was sought, and where it is from.

    `record` is that of the match as it may be seen, `text` what was typed, or the id that it points at: there, the name
    of the field says all. `now` is the monotonic clock.
    """
    place, label = match.place, visible(record.label)
    room = max(0, cells - _COLLECTION_CELLS - _ID_CELLS - _ORIGIN_CELLS - 3)
    found = _found_field(match, record, text, room // 3)
    label_cells = min(room, max(_MIN_LABEL_CELLS, room - measure(found.plain) - 1)) if found else room
    middle = _highlighted(label, text, label_cells)
    if found:
        middle = Content.assemble(middle, " ", found).truncate(room, ellipsis=True, pad=True)
    return Content.assemble(
        styled(pad(visible(place.collection.name), _COLLECTION_CELLS), "$role-muted"),
        " ",
        _id_cells(visible(place.record_id or ""), text, marked=marked),
        middle,
        " ",
        styled(pad(_origin(match, now), _ORIGIN_CELLS, right=True), _origin_style(match)),
    )


def _found_field(match: Match, record: Record, text: str, name_cells: int) -> Content:
    """The field in which the record matches, empty where that is seen besides."""
    if match.path is not None:
        return styled(field_label(match.path), "$role-muted")
    excerpt = match.excerpt(record, text)
    if excerpt is None or record.fields.get(excerpt.path) in (record.id, record.label):
        return Content()
    return Content.assemble(
        (f"{shorten(field_label(excerpt.path), name_cells)}: ", "$role-muted"),
        styled(excerpt.text[: excerpt.start]),
        styled(excerpt.text[excerpt.start : excerpt.end], "bold $role-accent"),
        styled(excerpt.text[excerpt.end :]),
    )


def request_line(request: "SavedRequest", seen: Callable[[str], str], text: str, cells: int) -> Content:
    """A saved request, its texts as `seen` gives them: its name, method and path, and that it is one."""
    room = max(0, cells - _COLLECTION_CELLS - len(_SAVED) - 2)
    name = shorten(visible(seen(request.name)), room // 2)
    method, path = visible(request.form.method), visible(seen(request.form.path))
    name_cells = max(_ID_CELLS, measure(name))
    return Content.assemble(
        (pad("request", _COLLECTION_CELLS), "$role-muted"),
        " ",
        _highlighted(name, text, name_cells),
        " ",
        _highlighted(f"{method} {path}", text, max(0, room - name_cells - 1)),
        " ",
        (_SAVED, "$role-muted"),
    )


def place_line(place: Place, text: str, cells: int) -> Content:
    """A record that what was typed names: where it would be, and what Enter does."""
    room = max(0, cells - _COLLECTION_CELLS - _ID_CELLS - len(_BY_ID) - 3)
    return Content.assemble(
        styled(pad(visible(place.collection.name), _COLLECTION_CELLS), "$role-muted"),
        " ",
        _id_cells(visible(place.record_id or ""), text, marked=False),
        styled(pad(_READS, room), "$role-muted"),
        " ",
        (_BY_ID, "$role-muted"),
    )


def _id_cells(shown: str, text: str, *, marked: bool) -> Content:
    """An id and the gap behind it, the mark in the first cell that it leaves."""
    if not marked:
        return Content.assemble(_highlighted(shown, text, _ID_CELLS), " ")
    shown = shorten(shown, _ID_CELLS)
    rest = " " * (_ID_CELLS - measure(shown))
    return Content.assemble(_highlighted(shown, text, measure(shown)), (MARKED_SIGN, "bold $role-marked"), rest)


def _highlighted(shown: str, text: str, cells: int) -> Content:
    """A text with what was sought in it marked, in so many cells."""
    content = Content(pad(shown, cells))
    place = place_of(shown, fold(text.strip()))
    return content if place is None else content.stylize("bold $role-accent", *place)


def _origin(match: Match, now: float) -> str:
    read_at = match.read_at
    age = age_words(now - read_at) if read_at is not None else ""
    return f"{match.source.origin.label}{f' {age}' if age else ''}"


def _origin_style(match: Match) -> str:
    return "$role-changed" if match.source.origin is Origin.UNSENT else "$role-muted"
