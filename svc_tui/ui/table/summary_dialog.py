"""The dialog of `i`: a summary of the values of a field, in numbers and bars."""

from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from svc_tui.core.jsontext import Json
from svc_tui.core.kinds import Kind, display_text
from svc_tui.core.phrases import counted
from svc_tui.records.summary import Summary
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import field_label, pad, shorten, styled, visible

_MAX_CELLS = 70
_MARGIN_CELLS = 6
"""Cells beside a line: the dialog's border and padding, the scroll bar, and one at the end."""
_LABEL_CELLS = 10
_BAR_ROWS = 4
_VALUE_CELLS = 28
_COUNT_CELLS = 8
_SHARE_CELLS = 6
_MIN_BAR_CELLS = 4
_MAX_FREQUENT_BESIDE_BARS = 5


def summary_lines(summary: Summary, kind: Kind, tz: tzinfo = UTC, cells: int = _MAX_CELLS) -> Iterator[Content]:
    """Yield the lines of a summary, at most `cells` cells each."""
    yield from _count_lines(summary, cells)
    if summary.values and (summary.least is not None):
        yield from _range_lines(summary, kind, tz, cells)
    if summary.spread is not None:
        yield Content()
        yield from _histogram_lines(summary, kind, tz, cells)
    if summary.frequent:
        yield Content()
        yield from _frequent_lines(summary, kind, tz, cells)


def _count_lines(summary: Summary, cells: int) -> Iterator[Content]:
    without = (("null", summary.null), ('""', summary.empty), ("missing", summary.missing))
    facts = [("values", summary.values), ("distinct", summary.distinct), *((name, n) for name, n in without if n)]
    line = Content("   ").join(Content.assemble((f"{name} ", "$role-muted"), f"{n:,}") for name, n in facts)
    yield from line.wrap(cells)


def _range_lines(summary: Summary, kind: Kind, tz: tzinfo, cells: int) -> Iterator[Content]:
    labels = ("earliest", "latest") if summary.spread is not None and summary.spread.step else ("min", "max")
    for label, value in zip(labels, (summary.least, summary.greatest), strict=True):
        yield _fact_line(label, _value_content(value, kind, tz, cells - _LABEL_CELLS, zone=True))
    if summary.mean is not None:
        yield _fact_line("mean", styled(shorten(str(summary.mean), cells - _LABEL_CELLS), "$role-number"))


def _histogram_lines(summary: Summary, kind: Kind, tz: tzinfo, cells: int) -> Iterator[Content]:
    spread = summary.spread
    assert spread is not None
    # If there are fewer cells than parts, join neighbours.
    together = -(-len(spread.counts) // cells)
    counts = [sum(spread.counts[at : at + together]) for at in range(0, len(spread.counts), together)]
    each = max(1, min(8, cells // len(counts)))
    wide = each * len(counts)
    for line in vertical_bars(counts, each, _BAR_ROWS):
        yield Content(line).stylize("$role-accent")
    room = max(wide, min(cells, 36)) // 2 - 1
    left, right = (_value_content(value, kind, tz, room) for value in (summary.least, summary.greatest))
    yield left + Content(" " * max(1, wide - left.cell_length - right.cell_length)) + right
    times = f"{together} × " if together > 1 else ""
    what = f"per {times}{spread.step}" if spread.step else f"in {len(counts)} equal parts"
    yield from Content(f"{what}, highest count {max(counts):,}").stylize("$role-muted").wrap(cells)


def _frequent_lines(summary: Summary, kind: Kind, tz: tzinfo, cells: int) -> Iterator[Content]:
    most = summary.frequent[0][1]
    if most == 1:
        yield Content("all values are unique").stylize("$role-muted")
        return
    frequent = summary.frequent[:_MAX_FREQUENT_BESIDE_BARS] if summary.spread is not None else summary.frequent
    value_cells = max(1, min(_VALUE_CELLS, cells - _COUNT_CELLS - _SHARE_CELLS - _MIN_BAR_CELLS - 1))
    bar = max(1, cells - value_cells - _COUNT_CELLS - _SHARE_CELLS - 1)
    yield Content("most frequent").stylize("$role-muted")
    for value, times in frequent:
        text = _value_content(value, kind, tz, value_cells)
        share = round(100 * times / summary.values)
        yield Content.assemble(
            text,
            " " * (value_cells - text.cell_length),
            (f"{times:,}".rjust(_COUNT_CELLS), ""),
            (f"{share} %".rjust(_SHARE_CELLS) if share else "<1 %".rjust(_SHARE_CELLS), "$role-muted"),
            " ",
            (horizontal_bar(times, most, bar), "$role-accent"),
        )
    if rest := summary.distinct - len(frequent):
        yield Content(f"and {rest:,} more").stylize("$role-muted")


def _fact_line(label: str, value: Content) -> Content:
    return Content.assemble((pad(label, _LABEL_CELLS), "$role-muted"), value)


def _value_content(value: Json, kind: Kind, tz: tzinfo, cells: int, *, zone: bool = False) -> Content:
    shown = display_text(value, kind, tz=tz, zone=zone)
    return styled(shorten(visible(shown.text[: 4 * cells]), cells), f"$role-{shown.role}")


_LOWER_BLOCKS = " ▁▂▃▄▅▆▇█"
_LEFT_BLOCKS = " ▏▎▍▌▋▊▉█"


def vertical_bars(counts: Sequence[int], each: int, rows: int) -> list[str]:
    """Return lines with a bar for each count, `each` cells wide and up to `rows` lines high; all but 0 are visible."""
    most = max(counts, default=0)
    heights = [0 if not count else max(1, round(8 * rows * count / most)) for count in counts]
    return [
        "".join(_LOWER_BLOCKS[max(0, min(8, height - 8 * row))] * each for height in heights)
        for row in reversed(range(rows))
    ]


def horizontal_bar(count: int, most: int, cells: int) -> str:
    """Return a bar from the left, which has `cells` cells if `count` is `most`; all but 0 are visible."""
    eighths = 0 if not count else max(1, round(8 * cells * count / most))
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_LEFT_BLOCKS[rest] if rest else "")).ljust(cells)


class SummaryScreen(Dialog[bool]):
    """The summary of the values at `path`; `source` names the records it is from.

    Its result is True if the user wants to load the rest, which takes `requests` requests; 0 if nothing is missing.
    """

    DEFAULT_CSS = """
    SummaryScreen VerticalScroll { height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
    SummaryScreen Static { width: 1fr; }
    """

    BINDINGS = [
        Binding("i,enter,q", "cancel", "Close", show=False, id="summary.close", tooltip="Close the summary"),
        Binding("ctrl+l", "load_rest", "Load the rest", show=False, id="summary.load_rest",
                tooltip="Close the summary and load the remaining records"),
    ]  # fmt: skip

    def __init__(
        self, path: str, kind: Kind, summary: Summary, source: str, requests: int = 0, tz: tzinfo = UTC
    ) -> None:
        super().__init__()
        self._path, self._kind, self._summary, self._source = path, kind, summary, source
        self._requests, self._tz = requests, tz

    def compose(self) -> ComposeResult:
        """Compose the summary as one text that scrolls."""
        title = Content.assemble("Summary · ", styled(shorten(field_label(self._path), _MAX_CELLS - 14)))
        rest = f"ctrl+l load the rest ({counted(self._requests, 'request')}) · " if self._requests else ""
        with DialogFrame(title, f"{rest}esc close"), VerticalScroll():
            yield Static()

    def action_load_rest(self) -> None:
        """Close the dialog and load the rest."""
        if self._requests:
            self.dismiss(True)

    def on_resize(self, event: events.Resize) -> None:
        """Write the summary for the new width."""
        cells = min(_MAX_CELLS, event.size.width - _MARGIN_CELLS)
        head = styled(f"from {self._source}", "$role-muted")
        lines = [*head.wrap(cells), Content(), *summary_lines(self._summary, self._kind, self._tz, cells)]
        self.query_one(Static).update(Content("\n").join(lines))
        self.query_one(VerticalScroll).styles.max_height = max(1, event.size.height - 3)
