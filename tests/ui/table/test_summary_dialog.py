"""The summary of a column as it is drawn: facts, bars, what comes most often, never wider than its frame."""

import pytest

from svc_tui.core.jsontext import Json, number
from svc_tui.core.kinds import Kind, kind_of
from svc_tui.records.summary import summarize
from svc_tui.ui.table.summary_dialog import SummaryScreen, horizontal_bar, summary_lines, vertical_bars
from tests.ui.stage import Stage, picture, until


def lines(*values: Json, name: str = "x", cells: int = 72) -> list[str]:
    told = summarize([(value, 1) for value in values])
    return [line.plain.rstrip() for line in summary_lines(told, kind_of(name, values), cells=cells)]


def test_bars_stand_as_high_as_their_number_and_nothing_is_lost() -> None:
    assert vertical_bars([0, 1, 4, 8], 1, 1) == [" ▁▄█"]
    assert vertical_bars([0, 1, 4, 8], 2, 2) == ["      ██", "  ▂▂████"]
    assert vertical_bars([1, 100_000], 1, 4)[-1] == "▁█"
    assert vertical_bars([], 3, 2) == ["", ""]


def test_bars_lie_as_long_as_their_number() -> None:
    assert horizontal_bar(8, 8, 4) == "████"
    assert horizontal_bar(1, 8, 4) == "▌   "
    assert horizontal_bar(1, 100_000, 4) == "▏   "
    assert horizontal_bar(0, 8, 4) == "    "


def test_numbers_are_told_by_least_greatest_mean_and_bars() -> None:
    told = lines(number("1.5"), number("2.50"), number("2.5"), None, "")
    assert told[:4] == ['values 3   distinct 2   null 1   "" 1', "min       1.5", "max       2.50", "mean      2.1667"]
    assert "in 24 equal parts, highest count 2" in told


def test_times_are_told_by_the_calendar() -> None:
    told = lines("2026-01-01T00:00:00Z", "2026-01-31T00:00:00Z", "2026-01-31T00:00:00Z", name="at")
    assert told[1:3] == ["earliest  2026-01-01 00:00 UTC", "latest    2026-01-31 00:00 UTC"]
    assert "per day, highest count 2" in told


def test_what_comes_most_often_is_told_with_its_share() -> None:
    told = lines("open", "open", "open", "closed", name="status")
    assert told[-2].startswith("● open")
    assert "3  75 % █████" in told[-2]
    assert "1  25 %" in told[-1]


def test_different_values_have_no_most_frequent() -> None:
    assert lines("a", "b")[-1] == "all values are unique"


def test_nothing_but_null_is_told() -> None:
    assert lines(None, None) == ["values 0   distinct 0   null 2"]


@pytest.mark.parametrize("cells", [30, 72])
def test_no_line_is_wider_than_there_is_room(cells: int) -> None:
    wide = "坑道" * 60
    for values in (
        [wide, wide, "\x1b[31m" * 20],
        [number("1e400"), number("-" + "9" * 90), number("1e400")],
        [f"20{year:02d}-01-01T00:00:00Z" for year in range(60)] * 2,
    ):
        told = summarize([(value, 1) for value in values])
        for line in summary_lines(told, Kind.TEXT, cells=cells):
            assert line.cell_length <= cells
            assert "\x1b" not in line.plain


async def test_it_says_from_which_records_and_closes() -> None:
    app, closed = Stage(), list[bool | None]()
    told = summarize([(number(n), 1) for n in range(9)])
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(SummaryScreen("a", Kind.NUMBER, told, "9 of 12,400 loaded"), closed.append)
        await until(pilot, lambda: any("from 9 of 12,400 loaded" in line for line in picture(app)))
        assert any("Summary · a" in line for line in picture(app))
        await pilot.press("i")
        await until(pilot, lambda: closed)
