"""How the panes share the screen: where each stands, and how much room it has, told from the screen's size."""

from dataclasses import dataclass, replace
from enum import Enum

LEAST_COLUMNS, LEAST_ROWS = 60, 16
"""The smallest screen that everything can be used on."""

BARS = 2
"""Rows at the foot of the screen that no pane has: the status bar and the footer."""

SIDEBAR_FROM = 80
"""Columns from which the sidebar stands beside the table; below, it comes when it is called, over the table."""

BESIDE_FROM = 110
"""Columns from which a record stands beside the table."""

BELOW_FROM = 36
"""Rows from which a record can stand below the table."""

LEAST_SIDEBAR = 18
LEAST_TABLE = 30
LEAST_RECORD = 30
LEAST_TABLE_ROWS = 8
LEAST_RECORD_ROWS = 10

_SIDEBAR, _NARROW_SIDEBAR = 30, 26
_MOST_SIDEBAR = 2 / 5
"""The part of the columns that a sidebar beside the table has at most."""
_IN_VIEW = 12
"""Columns that a sidebar over the table leaves in view."""
_BESIDE, _BELOW = 2 / 5, 1 / 2
"""The part of their room that a record has and the table does not, where nobody chose it."""
_COMFORT = (40, 80)
"""Columns that a record beside the table does with, where nobody chose: fewer are narrow, more would be empty."""


class Standing(Enum):
    """Where a record stands: at the right of the table, below it, or in its place."""

    BESIDE = "beside"
    BELOW = "below"
    ALONE = "alone"


class Divider(Enum):
    """An edge between two panes that can be moved."""

    SIDEBAR = "sidebar"
    RECORD = "record"


@dataclass(frozen=True, slots=True)
class PaneSizes:
    """What somebody chose; None: as it comes.

    The `sidebar` is in columns, as names are equally long on every screen. A record has a share (0 to 1) of the room
    that it and the table have together, one `beside` the table and one `below` it, so that it looks right on a larger
    screen too. `folded` says whether the sidebar is put away.
    """

    sidebar: int | None = None
    beside: float | None = None
    below: float | None = None
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Panes:
    """Where the panes stand on one screen.

    `sidebar` is its columns, 0 where it is not shown, and `over` says that it covers the table rather than standing
    beside it. `record` is the columns that a record has beside the table, or its rows below, once one is open; 0 where
    it stands alone. The table has the rest.
    """

    sidebar: int
    over: bool
    standing: Standing
    record: int


def panes(width: int, height: int, sizes: PaneSizes, *, called: bool = False, zoomed: bool = False) -> Panes:
    """Where the panes stand on a screen of `width` columns and `height` rows.

    `called` says whether somebody wants the sidebar where there is no room beside the table, `zoomed` whether one pane
    has it all.
    """
    if zoomed:
        return Panes(0, over=False, standing=Standing.ALONE, record=0)
    over = width < SIDEBAR_FROM
    sidebar = _sidebar(width, sizes) if (called if over else not sizes.folded) else 0
    standing = _standing(width, height)
    beside = width - (0 if over else sidebar)
    if standing is Standing.BESIDE:
        least, most = _COMFORT
        wished = round(beside * sizes.beside) if sizes.beside else min(max(round(beside * _BESIDE), least), most)
        return Panes(sidebar, over, standing, _within(wished, LEAST_RECORD, beside - LEAST_TABLE))
    if standing is Standing.BELOW:
        rows = height - BARS
        wished = round(rows * (sizes.below or _BELOW))
        return Panes(sidebar, over, standing, _within(wished, LEAST_RECORD_ROWS, rows - LEAST_TABLE_ROWS))
    return Panes(sidebar, over, standing, 0)


def moved(
    width: int, height: int, sizes: PaneSizes, divider: Divider, cells: int, *, called: bool = False
) -> PaneSizes:
    """The sizes after `divider` was moved on such a screen, so that its pane has `cells`, or as near as there is room.

    Moving the edge of a record that stands alone changes nothing.
    """
    if divider is Divider.SIDEBAR:
        return replace(sizes, sidebar=_sidebar(width, replace(sizes, sidebar=max(1, cells))))
    now = panes(width, height, sizes, called=called)
    if now.standing is Standing.ALONE:
        return sizes
    beside = now.standing is Standing.BESIDE
    whole = width - (0 if now.over else now.sidebar) if beside else height - BARS
    share = max(1, cells) / whole
    wished = replace(sizes, beside=share) if beside else replace(sizes, below=share)
    share = panes(width, height, wished, called=called).record / whole
    return replace(sizes, beside=share) if beside else replace(sizes, below=share)


def reset(sizes: PaneSizes, divider: Divider, standing: Standing) -> PaneSizes:
    """The sizes with `divider` where it is when nobody moved it; of a record, for where it stands alone."""
    if divider is Divider.SIDEBAR:
        return replace(sizes, sidebar=None)
    return replace(sizes, beside=None) if standing is Standing.BESIDE else replace(sizes, below=None)


def _standing(width: int, height: int) -> Standing:
    # A cell is twice as high as it is wide: 80 columns by 40 rows are a square.
    if height >= BELOW_FROM and 2 * height >= width:
        return Standing.BELOW
    return Standing.BESIDE if width >= BESIDE_FROM else Standing.ALONE


def _sidebar(width: int, sizes: PaneSizes) -> int:
    wished = sizes.sidebar or (_SIDEBAR if width >= BESIDE_FROM or width < SIDEBAR_FROM else _NARROW_SIDEBAR)
    most = width - _IN_VIEW if width < SIDEBAR_FROM else int(width * _MOST_SIDEBAR)
    if width >= BESIDE_FROM:
        most = min(most, width - LEAST_TABLE - LEAST_RECORD)
    return _within(wished, LEAST_SIDEBAR, most)


def _within(wished: int, least: int, most: int) -> int:
    return max(least, min(wished, most))
