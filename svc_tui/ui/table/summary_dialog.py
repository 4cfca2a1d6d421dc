"""`i`: what the values of one field amount to, in numbers and bars."""

from collections.abc import Iterator
from datetime import UTC, tzinfo

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from svc_tui.domain.collections.summary import Summary
from svc_tui.domain.data.kinds import Kind, display
from svc_tui.domain.model.jsontext import Json
from svc_tui.ui.dialogs.dialog import Dialog
from svc_tui.ui.text import padded, shortened, shown, visible
from svc_tui.ui.widgets.bars.histogram import lying, standing

_CELLS = 72
_AROUND = 6
"""Cells beside a line: the dialog's border and padding, the scroll bar, and one at the end."""
_LABELS = 10
_ROWS = 4
_VALUE = 28
_COUNT = 8
_SHARE = 6
_SHORTEST_BAR = 4
_FREQUENT_BESIDE_BARS = 5


def summary_lines(told: Summary, kind: Kind, tz: tzinfo = UTC, cells: int = _CELLS) -> Iterator[Content]:
    """The summary in lines of at most `cells` cells."""
    yield from _counts(told, cells)
    if told.values and (told.least is not None):
        yield from _ends(told, kind, tz, cells)
    if told.spread is not None:
        yield Content()
        yield from _bars(told, kind, tz, cells)
    if told.frequent:
        yield Content()
        yield from _frequent(told, kind, tz, cells)


def _counts(told: Summary, cells: int) -> Iterator[Content]:
    without = (("null", told.null), ('""', told.empty), ("missing", told.missing))
    facts = [("values", told.values), ("distinct", told.distinct), *((name, n) for name, n in without if n)]
    line = Content("   ").join(Content.assemble((f"{name} ", "$role-muted"), f"{n:,}") for name, n in facts)
    yield from line.wrap(cells)


def _ends(told: Summary, kind: Kind, tz: tzinfo, cells: int) -> Iterator[Content]:
    labels = ("earliest", "latest") if told.spread is not None and told.spread.step else ("min", "max")
    for label, value in zip(labels, (told.least, told.greatest), strict=True):
        yield _fact(label, _written(value, kind, tz, cells - _LABELS, zone=True))
    if told.mean is not None:
        yield _fact("mean", shown(shortened(str(told.mean), cells - _LABELS), "$role-number"))


def _bars(told: Summary, kind: Kind, tz: tzinfo, cells: int) -> Iterator[Content]:
    spread = told.spread
    assert spread is not None
    # Where there are fewer cells than parts, neighbours go together.
    together = -(-len(spread.counts) // cells)
    counts = [sum(spread.counts[at : at + together]) for at in range(0, len(spread.counts), together)]
    each = max(1, min(8, cells // len(counts)))
    wide = each * len(counts)
    for line in standing(counts, each, _ROWS):
        yield Content(line).stylize("$role-accent")
    room = max(wide, min(cells, 36)) // 2 - 1
    left, right = (_written(value, kind, tz, room) for value in (told.least, told.greatest))
    yield left + Content(" " * max(1, wide - left.cell_length - right.cell_length)) + right
    times = f"{together} × " if together > 1 else ""
    what = f"per {times}{spread.step}" if spread.step else f"in {len(counts)} equal parts"
    yield from Content(f"{what}, at most {max(counts):,} in one").stylize("$role-muted").wrap(cells)


def _frequent(told: Summary, kind: Kind, tz: tzinfo, cells: int) -> Iterator[Content]:
    most = told.frequent[0][1]
    if most == 1:
        yield Content("no value comes twice").stylize("$role-muted")
        return
    frequent = told.frequent[:_FREQUENT_BESIDE_BARS] if told.spread is not None else told.frequent
    value_cells = max(1, min(_VALUE, cells - _COUNT - _SHARE - _SHORTEST_BAR - 1))
    bar = max(1, cells - value_cells - _COUNT - _SHARE - 1)
    yield Content("most frequent").stylize("$role-muted")
    for value, times in frequent:
        text = _written(value, kind, tz, value_cells)
        share = round(100 * times / told.values)
        yield Content.assemble(
            text,
            " " * (value_cells - text.cell_length),
            (f"{times:,}".rjust(_COUNT), ""),
            (f"{share} %".rjust(_SHARE) if share else "<1 %".rjust(_SHARE), "$role-muted"),
            " ",
            (lying(times, most, bar), "$role-accent"),
        )
    if rest := told.distinct - len(frequent):
        yield Content(f"and {rest:,} more").stylize("$role-muted")


def _fact(label: str, value: Content) -> Content:
    return Content.assemble((padded(label, _LABELS), "$role-muted"), value)


def _written(value: Json, kind: Kind, tz: tzinfo, cells: int, *, zone: bool = False) -> Content:
    seen = display(value, kind, tz=tz, zone=zone)
    return shown(shortened(visible(seen.text[: 4 * cells]), cells), f"$role-{seen.role}")


class SummaryScreen(Dialog[None]):
    """Shows the summary of the values at `path`; `source` says from which records it is."""

    DEFAULT_CSS = """
    SummaryScreen VerticalScroll { height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
    SummaryScreen Static { width: 1fr; }
    """

    BINDINGS = [Binding("i,enter,q", "cancel", "Close", show=False, id="summary.close", tooltip="Back to the table")]

    def __init__(self, path: str, kind: Kind, told: Summary, source: str, tz: tzinfo = UTC) -> None:
        super().__init__()
        self._path, self._kind, self._told, self._source, self._tz = path, kind, told, source, tz

    def compose(self) -> ComposeResult:
        """All of it in one text, which scrolls where it is too long."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = Content.assemble("Summary · ", shown(shortened(visible(self._path), _CELLS - 14)))
            dialog.border_subtitle = "esc back"
            with VerticalScroll():
                yield Static()

    def on_resize(self, event: events.Resize) -> None:
        """Write it for the cells there are."""
        cells = min(_CELLS, event.size.width - _AROUND)
        head = shown(f"from {self._source}", "$role-muted")
        lines = [*head.wrap(cells), Content(), *summary_lines(self._told, self._kind, self._tz, cells)]
        self.query_one(Static).update(Content("\n").join(lines))
        self.query_one(VerticalScroll).styles.max_height = max(1, event.size.height - 2)
