"""The frame of a collection: name and count above, state below, a spinner, and a notice in place of missing rows."""

from collections.abc import Callable
from datetime import datetime, tzinfo

from textual.content import Content
from textual.geometry import Region
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from svc_tui.core.kinds import Kind
from svc_tui.core.phrases import counted, loaded_of
from svc_tui.records.rows import MAX_RECORDS
from svc_tui.records.watched_changes import CollectionWatch
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.ui.table.open_collections import OpenCollection, OpenCollections
from svc_tui.ui.table.title import title_content
from svc_tui.ui.text import field_label, styled, visible
from svc_tui.ui.widgets.bars.border_title import SPINNER_DELAY_SECONDS, SPINNER_FRAMES, build_border_title
from svc_tui.ui.widgets.table.cell_painter import fits_zone
from svc_tui.ui.widgets.table.record_table import RecordTable

_STALE_SECONDS = 60.0
"""Seconds after which the age of the rows is shown."""


class EmptyNotice(Static):
    """The reason why no rows are shown, and the key that helps; hidden while there are rows."""

    DEFAULT_CSS = """
    EmptyNotice {
        layer: notice;
        width: auto;
        max-width: 100%;
        height: auto;
        padding: 0 2;
        text-align: center;
        color: $role-foreground;
        display: none;
        &.-shown { display: block; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="notice", markup=False)
        self._shown = Content()

    def show(self, words: Content) -> None:
        """Show the notice; hide it if `words` are empty."""
        if words.is_same(self._shown):
            return
        self._shown = words
        self.update(words)
        self.set_class(bool(words), "-shown")
        # Keys that need a row come and go with it.
        self.screen.refresh_bindings()


class TableFrame:
    """The frame of the shown collection, the line below its rows, and the notice in their place.

    `write` takes the name of the collection, the count of rows, and the state.
    """

    edited_kind = ""
    """The kind of the value that is edited in its place; "" if there is none."""

    def __init__(
        self,
        pane: Widget,
        table: RecordTable,
        collections: OpenCollections,
        privacy_mask: PrivacyMask,
        now: Callable[[], float],
        write: Callable[[Content, str, Content], None],
    ) -> None:
        self._table, self._collections, self._privacy_mask = table, collections, privacy_mask
        self._now, self._write = now, write
        self._notice = pane.query_one(EmptyNotice)
        self._rest, self._rest_line = pane.query_one("#rest", Static), Content()
        self._spinner = ""
        self._waiting_since = 0.0
        self._timer = pane.set_interval(0.1, self._turn_spinner, pause=True)

    def begin(self) -> None:
        """Reset the spinner: no wait has begun for the collection that is shown now."""
        self._waiting_since, self._spinner = 0.0, ""

    def refresh(self) -> None:
        """Write the frame, and start the spinner if the user waits for a page."""
        loader = self._collections.loader
        self._write_rest(Content() if loader is None else rest_line(loader.opened))
        if loader is None:
            self._notice.show(Content())
            return
        if loader.awaited and not self._waiting_since:
            self._waiting_since = self._now()
            self._timer.resume()
        opened, changed = loader.opened, len(self._table.drafts)
        self._table.is_elsewhere = opened.awaited is not None
        self._notice.show(empty_notice(opened, self._privacy_mask, is_loading=bool(self._spinner)))
        count = " ".join(filter(None, (self._spinner, count_text(opened, self._table.view, self._table.tz))))
        note = match_note(opened, self._table, self._privacy_mask) or display_note(self._table)
        state = subtitle_content(opened, changed, self._now(), self._privacy_mask, note)
        if self.edited_kind:
            state = styled(self.edited_kind)
        self._write(title_content(opened.collection, changed), count, state)

    def _write_rest(self, line: Content) -> None:
        if not line.is_same(self._rest_line):
            self._rest_line = line
            self._rest.update(line)
            self._rest.display = bool(line)

    def _turn_spinner(self) -> None:
        loader, waited = self._collections.loader, self._now() - self._waiting_since
        if loader is None or not loader.awaited:
            self._timer.pause()
            self.begin()
        elif waited >= SPINNER_DELAY_SECONDS:
            self._spinner = SPINNER_FRAMES[int(waited * 10) % len(SPINNER_FRAMES)]
        self.refresh()


def write_border(pane: Widget, name: Content, count: str, state: Content) -> None:
    """Write the border of `pane` where it changed."""
    title = build_border_title(pane, name, Content(count))
    edge = Region(-pane.content_offset.x, -pane.content_offset.y, pane.outer_size.width, 1)
    if _differs(title, pane._border_title):
        # Setting `border_title` would draw the whole pane again, which is slow at every page down.
        pane._border_title = title
        pane.refresh(edge)
    if _differs(state, pane._border_subtitle):
        pane._border_subtitle = state
        pane.refresh(edge.translate((0, pane.outer_size.height - 1)))


def _differs(content: Content, shown: object) -> bool:
    # `!=` compares only the text, and the colour of a frame depends on the focus.
    return not (isinstance(shown, Content) and content.is_same(shown))


def count_text(opened: OpenCollection, view: tuple[int, int], tz: tzinfo) -> str:
    """Return the count of rows above the table; `view` holds the first row in view and the one after the last.

    All rows: `1–26 of 5,000`, or `1–26 of 300+` if the end is not known.
    Filtered: `12 matches in 300 of 12,400 loaded`, with `12+` until all loaded rows were searched.
    Sorted: `300 of 12,400 loaded`.
    With rows from the index: `12 matches in 5,000, as of 12:03`.
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
    """Return `42 of 5,000`; `42 of 300+` if the end is not known; `3 of 12` in filtered or sorted rows."""
    rows, arranged = opened.rows, opened.arranged
    if arranged:
        return f"{row + 1:,} of {arranged.count:,}{'' if arranged.complete else '+'}"
    return f"{row + 1:,} of {rows.known:,}{'' if rows.end_known else '+'}"


def _as_of_text(moment: datetime, tz: tzinfo) -> str:
    """Return `, as of 12:03`, with the day unless it is today."""
    local, today = moment.astimezone(tz), datetime.now(tz).date()
    return f", as of {local:%H:%M}" if local.date() == today else f", as of {local:%Y-%m-%d %H:%M}"


def subtitle_content(
    opened: OpenCollection, changed: int, now: float, privacy_mask: PrivacyMask, note: str = ""
) -> Content:
    """Return the state of the collection, most urgent first; `changed` counts drafts, `now` is monotonic.

    `privacy_mask` hides personal data in filter and query; `note` says how values are shown.
    """
    domain = opened.collection.domain
    parts: list[Content] = []
    age = 0.0 if opened.read_at is None else now - opened.read_at
    age_text = Content(f"loaded {age / 60:.0f} min ago" if age >= _STALE_SECONDS else "loaded just now")
    if opened.problem and opened.rows.loaded:
        # The age comes first: there may be no room for the whole reason.
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
    """Return `raw values`, or the time zone if no column shows it; "" if neither needs saying."""
    if table.raw:
        return "raw values"
    zone = table.zone
    times = [column for column in table.columns if column.kind is Kind.TIME]
    return f"times in {zone}" if zone and times and not all(fits_zone(column, zone) for column in times) else ""


def match_note(opened: OpenCollection, table: RecordTable, privacy_mask: PrivacyMask) -> str:
    """Return the field of the record under the cursor that matches the filter; "" if a column shows the match."""
    record = table.cursor_record
    if record is None or not opened.arranged.filter:
        return ""
    seen = privacy_mask.record(record, opened.collection.domain)
    in_view = [at.column.name for at in table.geometry.view(round(table.scroll_x))]
    found = opened.arranged.filter.match_outside(seen, in_view)
    return "" if found is None else f"match in {field_label(found[0])}: {visible(found[1])}"


def empty_notice(opened: OpenCollection, privacy_mask: PrivacyMask, *, is_loading: bool = False) -> Content:
    """Return the reason why there are no rows, and the keys that help; empty if there are rows.

    `is_loading` is True if the user has waited for the first rows for a moment.
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
        # Esc stops the loading first, as the line below the rows says.
        return styled(sentence)
    if opened.filtering:
        applies = [("⏎", opened.apply_label)] if opened.apply_label else []
        return _sentence_and_keys(styled(sentence), *applies, ("esc", "Clear the filter"))
    loads = [("ctrl+l", _rest_words(opened))] if rest else []
    return _sentence_and_keys(styled(sentence), *loads, ("esc", "Clear the filter"))


def _sentence_and_keys(sentence: Content, *keys: tuple[str, str], apart: bool = True) -> Content:
    """Return a sentence with its keys: `apart` below it, one per line, or behind it."""
    named = [Content.assemble((key, "bold $role-accent"), "  " if apart else " ", words) for key, words in keys]
    return Content.assemble(sentence, "\n\n" if apart else "  ", Content("\n").join(named))


def rest_line(opened: OpenCollection) -> Content:
    """Return the line below filtered or sorted rows: the key that loads the rest, or the progress of loading it."""
    requests = opened.rows.missing_requests
    # The filter line takes its place. The border shows the progress of a load without a key: no row moves for it.
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
    """Return what loading the rest loads, and how many requests it takes."""
    total, requests = opened.rows.known, opened.rows.missing_requests
    what = "Load the rest" if total <= MAX_RECORDS else f"Load {MAX_RECORDS:,} of {total:,} records"
    return f"{what} ({counted(requests, 'request')})"


def _progress_text(opened: OpenCollection) -> str:
    """Return how many of the requests for the rest were answered."""
    requests = opened.rest_requests + opened.rows.queue.requests_left
    # While a filter is typed, Esc clears the filter.
    stop = "" if opened.filtering else " · esc stop"
    return f"Loading the rest: {opened.rest_requests:,} of {counted(requests, 'request')}{stop}"


def _chip(text: str, style: str, click: str) -> Content:
    """Return what narrows the table with a ✕; a click on it runs the action `click`."""
    return styled(f"{text} ✕", style).stylize(Style.from_meta({"@click": click}))


def _watching_text(watch: CollectionWatch) -> str:
    """Return `watching`, and the number of deleted records, which no mark can show."""
    missing_count = len(watch.news.missing_ids)
    return f"watching, {missing_count:,} deleted" if missing_count else "watching"
