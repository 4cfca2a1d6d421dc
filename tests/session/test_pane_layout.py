"""Where the panes stand on screens of every size, and what moving an edge between them does."""

from itertools import product

import pytest

from svc_tui.session.pane_layout import (
    BAR_ROWS,
    MIN_COLUMNS,
    MIN_RECORD_COLUMNS,
    MIN_RECORD_ROWS,
    MIN_ROWS,
    MIN_SIDEBAR_COLUMNS,
    MIN_TABLE_COLUMNS,
    MIN_TABLE_ROWS,
    Divider,
    PaneSizes,
    RecordPlacement,
    lay_out_panes,
    move_divider,
    reset_divider,
)

SCREENS = list(product([*range(MIN_COLUMNS, 131), 160, 200, 240, 300], [*range(MIN_ROWS, 66, 7), 80, 100]))
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
        now = lay_out_panes(width, height, sizes, drawer_wanted=called)
        assert now.sidebar == 0 or MIN_SIDEBAR_COLUMNS <= now.sidebar < width, (width, height)
        beside = width if now.over else width - now.sidebar
        assert beside >= MIN_TABLE_COLUMNS, (width, height)
        match now.placement:
            case RecordPlacement.BESIDE:
                assert now.record >= MIN_RECORD_COLUMNS, (width, height)
                assert beside - now.record >= MIN_TABLE_COLUMNS, (width, height)
            case RecordPlacement.BELOW:
                assert now.record >= MIN_RECORD_ROWS, (width, height)
                assert height - BAR_ROWS - now.record >= MIN_TABLE_ROWS, (width, height)
            case RecordPlacement.ALONE:
                assert now.record == 0, (width, height)


@pytest.mark.parametrize("sizes", CHOSEN, ids=str)
def test_a_larger_screen_takes_no_room_from_a_pane_that_stands_as_before(sizes: PaneSizes) -> None:
    for width, height in SCREENS:
        now = lay_out_panes(width, height, sizes)
        for larger in (lay_out_panes(width + 1, height, sizes), lay_out_panes(width, height + 1, sizes)):
            if (larger.over, larger.placement) == (now.over, now.placement):
                assert larger.sidebar >= now.sidebar, (width, height)
                assert larger.record >= now.record, (width, height)


def test_the_sidebar_stands_beside_the_table_from_100_columns_and_is_wider_from_110() -> None:
    assert [lay_out_panes(width, 24, PaneSizes()).sidebar for width in (60, 99, 100, 109, 110, 300)] == [
        0,
        0,
        26,
        26,
        30,
        30,
    ]


def test_a_sidebar_that_is_called_on_a_narrow_screen_covers_the_table_and_leaves_some_of_it_in_view() -> None:
    called = lay_out_panes(60, 16, PaneSizes(sidebar=90), drawer_wanted=True)
    assert called.over
    assert called.sidebar == 48


def test_a_sidebar_that_was_put_away_comes_when_it_is_called_on_a_narrow_screen_alone() -> None:
    folded = PaneSizes(folded=True)
    assert lay_out_panes(120, 40, folded).sidebar == lay_out_panes(120, 40, folded, drawer_wanted=True).sidebar == 0
    assert lay_out_panes(70, 40, folded, drawer_wanted=True).sidebar == 26


def test_below_100_columns_one_pane_has_the_whole_screen() -> None:
    for width, height in product(range(MIN_COLUMNS, 100), (16, 24, 40, 60, 100)):
        now = lay_out_panes(width, height, PaneSizes(sidebar=40, beside=0.5, below=0.5))
        assert (now.sidebar, now.placement) == (0, RecordPlacement.ALONE), (width, height)


@pytest.mark.parametrize(
    ("width", "height", "placement"),
    [
        (60, 16, RecordPlacement.ALONE),
        (80, 24, RecordPlacement.ALONE),
        (109, 40, RecordPlacement.ALONE),
        (110, 24, RecordPlacement.BESIDE),
        (120, 40, RecordPlacement.BESIDE),
        (200, 60, RecordPlacement.BESIDE),
        (300, 100, RecordPlacement.BESIDE),
        (100, 60, RecordPlacement.BELOW),
        (100, 80, RecordPlacement.BELOW),
        (120, 80, RecordPlacement.BELOW),
        (80, 60, RecordPlacement.ALONE),
        (99, 60, RecordPlacement.ALONE),
        (100, 49, RecordPlacement.ALONE),
        (100, 50, RecordPlacement.BELOW),
    ],
)
def test_a_record_stands_where_the_shape_of_the_screen_has_room_for_it(
    width: int, height: int, placement: RecordPlacement
) -> None:
    assert lay_out_panes(width, height, PaneSizes()).placement is placement


def test_a_record_takes_no_more_than_it_can_fill_where_nobody_chose() -> None:
    assert [lay_out_panes(width, 40, PaneSizes()).record for width in (110, 120, 200, 300)] == [40, 40, 68, 80]
    assert lay_out_panes(300, 100, PaneSizes(beside=0.5)).record == 135


def test_one_pane_that_has_all_the_room_shares_with_none() -> None:
    for width, height in SCREENS:
        now = lay_out_panes(width, height, PaneSizes(sidebar=40, beside=0.5), drawer_wanted=True, zoomed=True)
        assert (now.sidebar, now.placement, now.record) == (0, RecordPlacement.ALONE, 0)


@pytest.mark.parametrize(("width", "height"), [(120, 40), (200, 60), (300, 100), (100, 60), (104, 70)])
def test_an_edge_that_is_moved_stays_where_it_was_put(width: int, height: int) -> None:
    before = lay_out_panes(width, height, PaneSizes())
    for cells in range(max(before.record - 9, MIN_RECORD_ROWS), before.record + 6):
        after = lay_out_panes(width, height, move_divider(width, height, PaneSizes(), Divider.RECORD, cells))
        least = MIN_RECORD_COLUMNS if after.placement is RecordPlacement.BESIDE else MIN_RECORD_ROWS
        assert after.record == max(cells, least)
    sizes = move_divider(width, height, PaneSizes(), Divider.SIDEBAR, 24)
    assert lay_out_panes(width, height, sizes, drawer_wanted=True).sidebar == 24


@pytest.mark.parametrize("divider", Divider)
def test_an_edge_stops_where_a_pane_would_get_too_small_and_the_rest_of_the_way_is_forgotten(divider: Divider) -> None:
    far = move_divider(120, 40, PaneSizes(), divider, 400)
    assert far == move_divider(120, 40, PaneSizes(), divider, 4000)
    least = move_divider(120, 40, PaneSizes(), divider, -7)
    assert least == move_divider(120, 40, PaneSizes(), divider, 0)
    now = lay_out_panes(120, 40, least)
    assert (now.sidebar, now.record) == (
        (MIN_SIDEBAR_COLUMNS, 41) if divider is Divider.SIDEBAR else (30, MIN_RECORD_COLUMNS)
    )


def test_a_share_chosen_on_one_screen_is_a_share_on_another_and_each_orientation_has_its_own() -> None:
    chosen = move_divider(120, 40, PaneSizes(), Divider.RECORD, 45)
    assert chosen.beside == 0.5
    assert lay_out_panes(210, 60, chosen).record == 90
    assert lay_out_panes(100, 60, chosen) == lay_out_panes(100, 60, PaneSizes())
    both = move_divider(100, 60, chosen, Divider.RECORD, 20)
    assert lay_out_panes(100, 60, both).record == 20
    assert lay_out_panes(120, 40, both).record == 45


def test_the_edge_of_a_record_that_stands_alone_can_not_be_moved() -> None:
    assert move_divider(80, 24, PaneSizes(), Divider.RECORD, 30) == PaneSizes()


def test_an_edge_is_put_back_without_the_others() -> None:
    sizes = PaneSizes(sidebar=40, beside=0.5, below=0.3, folded=True)
    assert reset_divider(sizes, Divider.SIDEBAR, RecordPlacement.BESIDE) == PaneSizes(
        beside=0.5, below=0.3, folded=True
    )
    assert reset_divider(sizes, Divider.RECORD, RecordPlacement.BESIDE) == PaneSizes(sidebar=40, below=0.3, folded=True)
    assert reset_divider(sizes, Divider.RECORD, RecordPlacement.BELOW) == PaneSizes(sidebar=40, beside=0.5, folded=True)
