"""Bytes on show: as many in a row as there is room for, whatever the terminal's size becomes."""

from svc_tui.ui.widgets.answer.answer_view import BytesView
from tests.ui.stage import Stage, picture, until


async def test_rows_are_as_long_as_there_is_room_for() -> None:
    view = BytesView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(80, 20)) as pilot:
        view.show_bytes(b"0123456789abcdef" * 4)
        await until(pilot, lambda: picture(app)[0].rstrip().endswith("  0123456789abcdef"))
        assert picture(app)[1].startswith("00000010  30 31 ")
        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: picture(app)[1].startswith("00000008  38 39 "))
        assert picture(app)[0].rstrip().endswith("  01234567")
        await pilot.resize_terminal(30, 20)
        await until(pilot, lambda: picture(app)[0].rstrip().endswith("30 31 32 33  0123"))
        await pilot.resize_terminal(100, 20)
        await until(pilot, lambda: picture(app)[1].startswith("00000010  30 31 "))


async def test_a_body_shown_out_of_sight_fits_when_it_comes_into_view() -> None:
    view = BytesView()
    app = Stage(lambda: [view])
    async with app.run_test(size=(60, 20)) as pilot:
        view.display = False
        await until(pilot, lambda: not view.size)
        view.show_bytes(bytes(64))
        assert view.text.startswith("00000000  " + " ".join(["00"] * 16))
        view.display = True
        await until(pilot, lambda: picture(app)[1].startswith("00000008  00 "))
