"""How the panes share the screen: where each stands, and how much room it has, told from the screen's size."""

from enum import Enum

from msgspec import Struct

from svc_tui.core.values import replace

MIN_COLUMNS, MIN_ROWS = 60, 16
"""The smallest screen that everything can be used on."""

BAR_ROWS = 2
"""Rows at the foot of the screen that no pane has: the status bar and the footer."""

SHARED_COLUMNS = 100
"""Columns from which panes share the screen; below, one has it all, and the sidebar opens over it when asked for."""

RECORD_BESIDE_COLUMNS = 110
"""Columns from which a record stands beside the table."""

RECORD_BELOW_ROWS = 36
"""Rows from which a record can stand below the table."""

MIN_SIDEBAR_COLUMNS = 18
MIN_TABLE_COLUMNS = 30
MIN_RECORD_COLUMNS = 30
MIN_TABLE_ROWS = 8
MIN_RECORD_ROWS = 10

_SIDEBAR_COLUMNS, _NARROW_SIDEBAR_COLUMNS = 30, 26
_MAX_SIDEBAR_SHARE = 2 / 5
"""The part of the columns that a sidebar beside the table has at most."""
_UNCOVERED_COLUMNS = 12
"""Columns that a sidebar over the table leaves in view."""
_BESIDE_SHARE, _BELOW_SHARE = 2 / 5, 1 / 2
"""The part of their room that a record has and the table does not, where nobody chose it."""
_USUAL_RECORD_COLUMNS = (40, 80)
"""Columns that a record beside the table does with, where nobody chose: fewer are narrow, more would be empty."""


class RecordPlacement(Enum):
    """Where a record stands: at the right of the table, below it, or in its place."""

    BESIDE = "beside"
    BELOW = "below"
    ALONE = "alone"


class Divider(Enum):
    """An edge between two panes that can be moved."""

    SIDEBAR = "sidebar"
    RECORD = "record"


class PaneSizes(Struct, frozen=True):
    """What the user chose; None: as it comes.

    The `sidebar` is in columns, as names are equally long on every screen. A record has a share (0 to 1) of the room
    that it and the table have together, one `beside` the table and one `below` it, so that it looks right on a larger
    screen too. `folded` says whether the sidebar is put away.
    """

    sidebar: int | None = None
    beside: float | None = None
    below: float | None = None
    folded: bool = False


class PaneLayout(Struct, frozen=True):
    """Where the panes stand on one screen.

    `sidebar` is its columns, 0 where it is not shown, and `over` says that it covers the table rather than standing
    beside it. `record` is the columns that a record has beside the table, or its rows below, once one is open; 0 where
    it stands alone. The table has the rest.
    """

    sidebar: int
    over: bool
    placement: RecordPlacement
    record: int


def lay_out_panes(
    width: int, height: int, sizes: PaneSizes, *, drawer_wanted: bool = False, zoomed: bool = False
) -> PaneLayout:
    """The regions of the panes on a screen of `width` columns and `height` rows.

    `drawer_wanted` says whether the user opened the sidebar where there is no room beside the table, `zoomed` whether
    one pane has it all.
    """
    if zoomed:
        return PaneLayout(0, over=False, placement=RecordPlacement.ALONE, record=0)
    over = width < SHARED_COLUMNS
    sidebar = _sidebar_width(width, sizes) if (drawer_wanted if over else not sizes.folded) else 0
    placement = _record_placement(width, height)
    beside = width - (0 if over else sidebar)
    if placement is RecordPlacement.BESIDE:
        least, most = _USUAL_RECORD_COLUMNS
        desired = round(beside * sizes.beside) if sizes.beside else min(max(round(beside * _BESIDE_SHARE), least), most)
        return PaneLayout(sidebar, over, placement, _clamp(desired, MIN_RECORD_COLUMNS, beside - MIN_TABLE_COLUMNS))
    if placement is RecordPlacement.BELOW:
        rows = height - BAR_ROWS
        desired = round(rows * (sizes.below or _BELOW_SHARE))
        return PaneLayout(sidebar, over, placement, _clamp(desired, MIN_RECORD_ROWS, rows - MIN_TABLE_ROWS))
    return PaneLayout(sidebar, over, placement, 0)


def move_divider(
    width: int, height: int, sizes: PaneSizes, divider: Divider, cells: int, *, drawer_wanted: bool = False
) -> PaneSizes:
    """The sizes after `divider` was moved on such a screen, so that its pane has `cells`, or as near as there is room.

    Moving the edge of a record that stands alone changes nothing.
    """
    if divider is Divider.SIDEBAR:
        return replace(sizes, sidebar=_sidebar_width(width, replace(sizes, sidebar=max(1, cells))))
    now = lay_out_panes(width, height, sizes, drawer_wanted=drawer_wanted)
    if now.placement is RecordPlacement.ALONE:
        return sizes
    beside = now.placement is RecordPlacement.BESIDE
    whole = width - (0 if now.over else now.sidebar) if beside else height - BAR_ROWS
    share = max(1, cells) / whole
    desired = replace(sizes, beside=share) if beside else replace(sizes, below=share)
    share = lay_out_panes(width, height, desired, drawer_wanted=drawer_wanted).record / whole
    return replace(sizes, beside=share) if beside else replace(sizes, below=share)


def reset_divider(sizes: PaneSizes, divider: Divider, placement: RecordPlacement) -> PaneSizes:
    """The sizes with `divider` where it is when nobody moved it; of a record, for where it stands alone."""
    if divider is Divider.SIDEBAR:
        return replace(sizes, sidebar=None)
    return replace(sizes, beside=None) if placement is RecordPlacement.BESIDE else replace(sizes, below=None)


def _record_placement(width: int, height: int) -> RecordPlacement:
    # A cell is twice as high as it is wide: 80 columns by 40 rows are a square.
    if width < SHARED_COLUMNS:
        return RecordPlacement.ALONE
    if height >= RECORD_BELOW_ROWS and 2 * height >= width:
        return RecordPlacement.BELOW
    return RecordPlacement.BESIDE if width >= RECORD_BESIDE_COLUMNS else RecordPlacement.ALONE


def _sidebar_width(width: int, sizes: PaneSizes) -> int:
    desired = sizes.sidebar or (_SIDEBAR_COLUMNS if width >= RECORD_BESIDE_COLUMNS else _NARROW_SIDEBAR_COLUMNS)
    most = width - _UNCOVERED_COLUMNS if width < SHARED_COLUMNS else int(width * _MAX_SIDEBAR_SHARE)
    if width >= RECORD_BESIDE_COLUMNS:
        most = min(most, width - MIN_TABLE_COLUMNS - MIN_RECORD_COLUMNS)
    return _clamp(desired, MIN_SIDEBAR_COLUMNS, most)


def _clamp(desired: int, least: int, most: int) -> int:
    return max(least, min(desired, most))
