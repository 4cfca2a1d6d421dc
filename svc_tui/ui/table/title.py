"""The frame of a collection: its name, the rows in view, and its state."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING
from urllib.parse import unquote

from textual.content import Content
from textual.style import Style

from svc_tui.core.catalog import Collection
from svc_tui.core.phrases import counted, loaded_of
from svc_tui.records.rows import MAX_RECORDS
from svc_tui.ui.text import field_label, styled, visible

if TYPE_CHECKING:
    # The name alone is written on the first frame, which they are not loaded for.
    from svc_tui.records.watched_changes import CollectionWatch
    from svc_tui.session.privacy_mask import PrivacyMask
    from svc_tui.ui.table.open_collections import OpenCollection
    from svc_tui.ui.widgets.table.record_table import RecordTable

_STALE_SECONDS = 60.0
"""Seconds after which the age of what was read is told."""


def title_content(collection: Collection, unsent: int = 0) -> Content:
    """`operations / lots`; a collection under a record with the whole way to it. A dot where edits are `unsent`."""
    names = collection.key.split("/") if collection.under else (collection.domain, collection.name)
    return Content.assemble(("• ", "$role-changed") if unsent else "", styled(" / ".join(names)))


def tab_label(collection: Collection) -> str:
    """The name on a tab: `lots`; for a collection under a record with that record, as there may be several."""
    if not collection.under:
        return visible(collection.name)
    return visible(f"{unquote(collection.under.rpartition('/')[2])} {collection.name}")


def count_text(opened: OpenCollection, view: tuple[int, int], tz: tzinfo) -> str:
    """`1–26 of 5,000`; `1–26 of 300+` where the end is not known; `12 matches in 300 of 12,400 loaded` where filtered.

    `12 matches in 5,000, as of 12:03` where some of the rows are from the index.

    `300 of 12,400 loaded` where loaded rows are sorted, `12+ matches in 300 of 12,400 loaded` while they are searched.
    `view` holds the first row in view and the one after the last.
    """
    rows, arranged = opened.rows, opened.arranged
    if not rows.loaded:
        return ""
    known = f"{rows.known:,}{'' if rows.end_known else '+'}"
    chosen = f"{arranged.count:,}{'' if arranged.complete else '+'}"
    matches = f"{chosen} match{'' if chosen == '1' else 'es'}"
    if arranged and arranged.exact:
        as_of = _as_of_text(opened.indexed_at, tz) if opened.indexed_at is not None else ""
        return f"{f'{matches} in' if arranged.filter else f'{chosen} of'} {known}{as_of}"
    if arranged:
        loaded = loaded_of(arranged.loaded, rows.known, end_known=rows.end_known)
        return f"{matches} in {loaded}" if arranged.filter else loaded
    first, until = view[0], min(view[1], rows.known)
    return f"{first + 1:,}–{until:,} of {known}" if until > first else known


def position_text(opened: OpenCollection, row: int) -> str:
    """`42 of 5,000`, `42 of 300+` where the end is not known; of filtered or sorted rows `3 of 12`."""
    rows, arranged = opened.rows, opened.arranged
    if arranged:
        return f"{row + 1:,} of {arranged.count:,}{'' if arranged.complete else '+'}"
    return f"{row + 1:,} of {rows.known:,}{'' if rows.end_known else '+'}"


def _as_of_text(moment: datetime, tz: tzinfo) -> str:
    """`, as of 12:03`, with the day where that is not today."""
    local, today = moment.astimezone(tz), datetime.now(tz).date()
    return f", as of {local:%H:%M}" if local.date() == today else f", as of {local:%Y-%m-%d %H:%M}"


def subtitle_content(
    opened: OpenCollection, changed: int, now: float, privacy_mask: PrivacyMask, note: str = ""
) -> Content:
    """What there is to know besides, most urgent first; `changed` counts drafts, `now` is monotonic.

    `privacy_mask` hides personal data in filter and query; `note` says how values are shown.
    """
    domain = opened.collection.domain
    parts: list[Content] = []
    age = 0.0 if opened.read_at is None else now - opened.read_at
    age_text = Content(f"loaded {age / 60:.0f} min ago" if age >= _STALE_SECONDS else "loaded just now")
    if opened.problem and opened.rows.loaded:
        # The age first: there may be no room for the whole reason.
        parts += [age_text, styled(f"✕ {opened.problem}", "$role-danger")]
    if opened.loads_rest:
        if not rest_line(opened):
            parts.append(Content(_progress_text(opened)))
    elif requested := opened.rows.queue.requested:
        parts.append(Content(f"loading {counted(requested, 'more page')} · esc stop"))
    if opened.rows.queue.seeking:
        parts.append(Content("searching for the last record · esc stop"))
    if changed:
        parts.append(Content(counted(changed, "draft")).stylize("$role-changed"))
    if awaited := opened.awaited_note:
        parts.append(styled(awaited, "$role-warning"))
    marks = opened.marks
    if marks.awaited:
        parts.append(Content(f"{marks.awaited:,} more to mark · esc stop"))
    if marked := marks.records:
        unseen = opened.marks_out_of_view
        parts.append(Content(f"{len(marked):,} marked").stylize("$role-marked"))
        if unseen:
            parts.append(Content(f"{unseen:,} not shown").stylize("$role-marked"))
    if (reach := marks.reach) is not None and reach.lasting:
        parts += [Content(f"{reach.lacking:,} not loaded")] if reach.lacking else []
        parts.append(Content("v ends the range"))
    parts += [
        _chip(asked_by, "$role-reference", f"screen.unask({number})")
        for number, asked_by in enumerate(privacy_mask.masked_query(opened.query, domain))
    ]
    if opened.arranged.filter:
        parts.append(
            _chip(f"filter {privacy_mask.filter(opened.arranged.filter, domain)}", "$role-accent", "screen.unfilter")
        )
    if (sort := opened.arranged.sort) is not None:
        parts.append(styled(f"{field_label(sort.field)} {'↓' if sort.descending else '↑'}", "$role-accent"))
    if opened.rows.shifted:
        parts.append(Content("records moved while loading · r refresh").stylize("$role-warning"))
    if (age >= _STALE_SECONDS or (opened.was_refreshed and opened.watch is None)) and not opened.problem:
        parts.append(age_text)
    if opened.watch is not None:
        parts.append(Content(_watching_text(opened.watch)).stylize("$role-accent"))
    if note:
        parts.append(styled(note))
    return Content(" · ").join(parts)


def display_note(table: RecordTable) -> str:
    """How values are shown, where that is not plain: that they are raw, or the zone where no column tells it."""
    if table.raw:
        return "raw values"
    from svc_tui.core.kinds import Kind
    from svc_tui.ui.widgets.table.cell_painter import fits_zone

    zone = table.zone
    times = [column for column in table.columns if column.kind is Kind.TIME]
    return f"times in {zone}" if zone and times and not all(fits_zone(column, zone) for column in times) else ""


def match_note(opened: OpenCollection, table: RecordTable, privacy_mask: PrivacyMask) -> str:
    """Where the record under the cursor holds what the filter looks for; "" where a column shows it."""
    record = table.cursor_record
    if record is None or not opened.arranged.filter:
        return ""
    seen = privacy_mask.record(record, opened.collection.domain)
    in_view = [at.column.name for at in table.geometry.view(round(table.scroll_x))]
    found = opened.arranged.filter.match_outside(seen, in_view)
    return "" if found is None else f"match in {field_label(found[0])}: {visible(found[1])}"


def empty_notice(opened: OpenCollection, privacy_mask: PrivacyMask, *, is_loading: bool = False) -> Content:
    """Return why there are no rows to show, and the key that leads on; nothing where there are rows.

    `is_loading` says whether the user has waited for the first rows for a moment.
    """
    name = opened.collection.name
    requested = visible(" ".join(privacy_mask.masked_query(opened.query, opened.collection.domain)))
    if not opened.rows.loaded:
        if opened.problem:
            keys = [("r", "Try again"), *([("-", f"Clear {requested}")] if requested else [])]
            return _sentence_and_keys(styled(f"✕ Could not load {name}: {opened.problem}", "$role-danger"), *keys)
        return styled(f"Loading {name}…") if is_loading else Content()
    if opened.rows.total == 0:
        if requested:
            return _sentence_and_keys(styled(f"No {name} match {requested}."), ("-", "Clear it"))
        return _sentence_and_keys(styled(f"No {name}."), ("a", "Add one"), apart=False)
    arranged = opened.arranged
    if not opened.shown.count == 0 < arranged.loaded:
        return Content()
    rest = opened.rows.missing_requests
    if problem := visible(arranged.problem):
        sentence = f"No matches. {problem}"
    else:
        sentence = f"No matches in the {arranged.loaded:,} loaded {name}." if rest else f"No matches in all {name}."
    if opened.loads_rest:
        # Esc stops that first, as the line below the rows says.
        return styled(sentence)
    if opened.filtering:
        applies = [("⏎", opened.apply_label)] if opened.apply_label else []
        return _sentence_and_keys(styled(sentence), *applies, ("esc", "Clear the filter"))
    loads = [("ctrl+l", _rest_words(opened))] if rest else []
    return _sentence_and_keys(styled(sentence), *loads, ("esc", "Clear the filter"))


def _sentence_and_keys(sentence: Content, *keys: tuple[str, str], apart: bool = True) -> Content:
    """Return a sentence, and the keys with their words `apart` from it, each in a line of its own, or behind it."""
    named = [Content.assemble((key, "bold $role-accent"), "  " if apart else " ", words) for key, words in keys]
    return Content.assemble(sentence, "\n\n" if apart else "  ", Content("\n").join(named))


def rest_line(opened: OpenCollection) -> Content:
    """The line below the rows: the key that loads the rest of filtered or sorted rows, or how far that is."""
    requests = opened.rows.missing_requests
    # The line of the filter takes its place. The border shows what is loaded without a key: no row moves for it.
    if not opened.offers_rest or not opened.arranged or opened.filtering or not requests:
        return Content()
    if opened.loads_rest:
        return Content(_progress_text(opened))
    if not opened.shown.count:
        # The sentence in the middle names the key.
        return Content()
    line = Content.assemble(("ctrl+l", "bold $role-accent"), f" {_rest_words(opened)}")
    return line.stylize(Style.from_meta({"@click": "screen.load_rest"}))


def _rest_words(opened: OpenCollection) -> str:
    """Return how many of the rows that are not loaded can be, and by how many requests."""
    total, requests = opened.rows.known, opened.rows.missing_requests
    what = "Load the rest" if total <= MAX_RECORDS else f"Load {MAX_RECORDS:,} of {total:,} records"
    return f"{what} ({counted(requests, 'request')})"


def _progress_text(opened: OpenCollection) -> str:
    """How many of the requests for the rest were answered."""
    requests = opened.rest_requests + opened.rows.queue.requests_left
    # In the line of the filter, Esc is for the filter.
    stop = "" if opened.filtering else " · esc stop"
    return f"Loading the rest: {opened.rest_requests:,} of {counted(requests, 'request')}{stop}"


def _chip(text: str, style: str, click: str) -> Content:
    """What narrows the table, with a ✕ that takes it back: the action `click`."""
    return styled(f"{text} ✕", style).stylize(Style.from_meta({"@click": click}))


def _watching_text(watch: CollectionWatch) -> str:
    """`watching`, and the number of rows that were removed, which no mark can show."""
    missing_count = len(watch.news.missing_ids)
    return f"watching, {missing_count:,} deleted" if missing_count else "watching"
