"""Where the panes stand on screens of every size, and what moving an edge between them does."""

from itertools import product

import pytest

from svc_tui.domain.app.pane_layout import (
    BARS,
    LEAST_COLUMNS,
    LEAST_RECORD,
    LEAST_RECORD_ROWS,
    LEAST_ROWS,
    LEAST_SIDEBAR,
    LEAST_TABLE,
    LEAST_TABLE_ROWS,
    Divider,
    PaneSizes,
    Standing,
    moved,
    panes,
    reset,
)

SCREENS = list(product([*range(LEAST_COLUMNS, 131), 160, 200, 240, 300], [*range(LEAST_ROWS, 66, 7), 80, 100]))
CHOSEN = [
    PaneSizes(),
    PaneSizes(sidebar=1, beside=0.01, below=0.01),
    PaneSizes(sidebar=500, beside=0.99, below=0.99),
    PaneSizes(sidebar=44, beside=0.6, below=0.3),
    PaneSizes(folded=True),
]


@pytest.mark.parametrize("sizes", CHOSEN, ids=str)
def test_every_pane_in_view_has_at_least_what_it_needs(sizes: PaneSizes) -> None:
    for (width, height), called in product(SCREENS, [False, True]):
        now = panes(width, height, sizes, called=called)
        assert now.sidebar == 0 or LEAST_SIDEBAR <= now.sidebar < width, (width, height)
        beside = width if now.over else width - now.sidebar
        assert beside >= LEAST_TABLE, (width, height)
        match now.standing:
            case Standing.BESIDE:
                assert now.record >= LEAST_RECORD, (width, height)
                assert beside - now.record >= LEAST_TABLE, (width, height)
            case Standing.BELOW:
                assert now.record >= LEAST_RECORD_ROWS, (width, height)
                assert height - BARS - now.record >= LEAST_TABLE_ROWS, (width, height)
            case Standing.ALONE:
                assert now.record == 0, (width, height)


@pytest.mark.parametrize("sizes", CHOSEN, ids=str)
def test_a_larger_screen_takes_no_room_from_a_pane_that_stands_as_before(sizes: PaneSizes) -> None:
    for width, height in SCREENS:
        now = panes(width, height, sizes)
        for larger in (panes(width + 1, height, sizes), panes(width, height + 1, sizes)):
            if (larger.over, larger.standing) == (now.over, now.standing):
                assert larger.sidebar >= now.sidebar, (width, height)
                assert larger.record >= now.record, (width, height)


def test_the_sidebar_stands_beside_the_table_from_80_columns_and_is_wider_from_110() -> None:
    assert [panes(width, 24, PaneSizes()).sidebar for width in (60, 79, 80, 109, 110, 300)] == [0, 0, 26, 26, 30, 30]


def test_a_sidebar_that_is_called_on_a_narrow_screen_covers_the_table_and_leaves_some_of_it_in_view() -> None:
    called = panes(60, 16, PaneSizes(sidebar=90), called=True)
    assert called.over
    assert called.sidebar == 48


def test_a_sidebar_that_was_put_away_comes_when_it_is_called_on_a_narrow_screen_alone() -> None:
    folded = PaneSizes(folded=True)
    assert panes(120, 40, folded).sidebar == panes(120, 40, folded, called=True).sidebar == 0
    assert panes(70, 40, folded, called=True).sidebar == 30


@pytest.mark.parametrize(
    ("width", "height", "standing"),
    [
        (60, 16, Standing.ALONE),
        (80, 24, Standing.ALONE),
        (109, 40, Standing.ALONE),
        (110, 24, Standing.BESIDE),
        (120, 40, Standing.BESIDE),
        (200, 60, Standing.BESIDE),
        (300, 100, Standing.BESIDE),
        (80, 60, Standing.BELOW),
        (100, 60, Standing.BELOW),
        (100, 80, Standing.BELOW),
        (120, 80, Standing.BELOW),
        (60, 35, Standing.ALONE),
        (60, 36, Standing.BELOW),
    ],
)
def test_a_record_stands_where_the_shape_of_the_screen_has_room_for_it(
    width: int, height: int, standing: Standing
) -> None:
    assert panes(width, height, PaneSizes()).standing is standing


def test_a_record_takes_no_more_than_it_can_fill_where_nobody_chose() -> None:
    assert [panes(width, 40, PaneSizes()).record for width in (110, 120, 200, 300)] == [40, 40, 68, 80]
    assert panes(300, 100, PaneSizes(beside=0.5)).record == 135


def test_one_pane_that_has_all_the_room_shares_with_none() -> None:
    for width, height in SCREENS:
        now = panes(width, height, PaneSizes(sidebar=40, beside=0.5), called=True, zoomed=True)
        assert (now.sidebar, now.standing, now.record) == (0, Standing.ALONE, 0)


@pytest.mark.parametrize(("width", "height"), [(120, 40), (200, 60), (300, 100), (100, 60), (60, 40)])
def test_an_edge_that_is_moved_stays_where_it_was_put(width: int, height: int) -> None:
    before = panes(width, height, PaneSizes())
    for cells in range(max(before.record - 9, LEAST_RECORD_ROWS), before.record + 6):
        after = panes(width, height, moved(width, height, PaneSizes(), Divider.RECORD, cells))
        least = LEAST_RECORD if after.standing is Standing.BESIDE else LEAST_RECORD_ROWS
        assert after.record == max(cells, least)
    sizes = moved(width, height, PaneSizes(), Divider.SIDEBAR, 24)
    assert panes(width, height, sizes, called=True).sidebar == 24


@pytest.mark.parametrize("divider", Divider)
def test_an_edge_stops_where_a_pane_would_get_too_small_and_the_rest_of_the_way_is_forgotten(divider: Divider) -> None:
    far = moved(120, 40, PaneSizes(), divider, 400)
    assert far == moved(120, 40, PaneSizes(), divider, 4000)
    least = moved(120, 40, PaneSizes(), divider, -7)
    assert least == moved(120, 40, PaneSizes(), divider, 0)
    now = panes(120, 40, least)
    assert (now.sidebar, now.record) == ((LEAST_SIDEBAR, 41) if divider is Divider.SIDEBAR else (30, LEAST_RECORD))


def test_a_share_chosen_on_one_screen_is_a_share_on_another_and_each_orientation_has_its_own() -> None:
    chosen = moved(120, 40, PaneSizes(), Divider.RECORD, 45)
    assert chosen.beside == 0.5
    assert panes(210, 60, chosen).record == 90
    assert panes(100, 60, chosen) == panes(100, 60, PaneSizes())
    both = moved(100, 60, chosen, Divider.RECORD, 20)
    assert panes(100, 60, both).record == 20
    assert panes(120, 40, both).record == 45


def test_the_edge_of_a_record_that_stands_alone_can_not_be_moved() -> None:
    assert moved(80, 24, PaneSizes(), Divider.RECORD, 30) == PaneSizes()


def test_an_edge_is_put_back_without_the_others() -> None:
    sizes = PaneSizes(sidebar=40, beside=0.5, below=0.3, folded=True)
    assert reset(sizes, Divider.SIDEBAR, Standing.BESIDE) == PaneSizes(beside=0.5, below=0.3, folded=True)
    assert reset(sizes, Divider.RECORD, Standing.BESIDE) == PaneSizes(sidebar=40, below=0.3, folded=True)
    assert reset(sizes, Divider.RECORD, Standing.BELOW) == PaneSizes(sidebar=40, beside=0.5, folded=True)
