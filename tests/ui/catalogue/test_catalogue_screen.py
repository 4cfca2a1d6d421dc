"""The catalogue's screen: it lists, searches, shows a page beside the list, and gives the route that was chosen."""

import pytest

from svc_tui.core.catalog import SPLIT, Route
from svc_tui.core.settings import Profile
from svc_tui.ui.catalogue.api_reference import reference_entries
from svc_tui.ui.catalogue.catalogue_screen import ExploreScreen, OperationPage
from tests.ui.stage import Stage, picture, until

OWN = Route("Close [/bold] the \x1b[2J month", "POST", "/v1/finance/close", body='{"day": "{day}"}')
CATALOGUE = reference_entries(Profile("mine", routes=(OWN,)), {"operations/lots": ("id", "gr\x1bade")}, signs=True)


def text(app: Stage) -> str:
    return "\n".join(picture(app))


async def opened(app: Stage, given: list[Route | None]) -> ExploreScreen:
    screen = ExploreScreen(CATALOGUE)
    await app.push_screen(screen, given.append)
    return screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (60, 16)])
async def test_the_list_and_the_page_fit_every_terminal(size: tuple[int, int]) -> None:
    app = Stage()
    async with app.run_test(size=size) as pilot:
        await opened(app, [])
        await until(pilot, lambda: "operations" in text(app) and "Collections" in text(app))
        lines = picture(app)
        assert len(lines) == size[1]
        assert all(len(line) <= size[0] for line in lines)
        assert lines[-2].startswith("╰")
        await until(pilot, lambda: picture(app)[-1].endswith("esc Close"))


async def test_it_opens_where_it_is_told_to() -> None:
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        at = next(n for n, entry in enumerate(CATALOGUE) if entry.heading == "safety / incidents")
        await app.push_screen(ExploreScreen(CATALOGUE, at))
        await until(
            pilot, lambda: "GET /v1/safety/incidents?page=1&limit=50" in text(app) and "  incidents" in text(app)
        )


async def test_typing_goes_to_what_is_found_and_enter_gives_its_route() -> None:
    app = Stage()
    given: list[Route | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, given)
        await pilot.press(*"split")
        await until(pilot, lambda: "POST /v1/operations/lots/{id}/split" in text(app))
        assert "incidents" not in text(app)
        await pilot.press("enter")
        await until(pilot, lambda: given)
        assert given == [SPLIT]


async def test_arrows_walk_the_list_and_the_page_follows() -> None:
    app = Stage()
    given: list[Route | None] = []
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await opened(app, given)
        await until(pilot, lambda: screen.entry is not None)
        await pilot.press("down", "down")
        await until(pilot, lambda: "GET /v1/operations/lots?page=1&limit=50" in text(app))
        await pilot.press("up", "up", "up")
        await until(pilot, lambda: "Domain operations" in text(app))
        await pilot.press("ctrl+down")
        await until(pilot, lambda: "Domain compliance" in text(app))
        await pilot.press("ctrl+up")
        await until(pilot, lambda: "Domain operations" in text(app))


async def test_the_entry_under_the_cursor_alone_has_a_mark() -> None:
    app = Stage()
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(app, [])
        await until(pilot, lambda: "› operations" in text(app))
        await pilot.press("down", "down")
        await until(pilot, lambda: "›     GET    List the records" in text(app) and text(app).count("›") == 1)
        await pilot.press(*"split")
        await until(pilot, lambda: "›     POST   Split a lot" in text(app) and text(app).count("›") == 1)


async def test_enter_on_what_is_no_request_closes_nothing() -> None:
    app = Stage()
    given: list[Route | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, given)
        await pilot.press(*"timestamp_stale")
        await until(pilot, lambda: screen.entry is not None and screen.entry.title == "timestamp_stale")
        assert "Open in the console" not in text(app)
        await pilot.press("enter", "escape")
        await until(pilot, lambda: given)
        assert given == [None]


async def test_a_long_page_scrolls_in_a_small_terminal() -> None:
    app = Stage()
    async with app.run_test(size=(60, 16)) as pilot:
        screen = await opened(app, [])
        await pilot.press(*"string to sign")
        await until(pilot, lambda: screen.entry is not None and screen.entry.title == "Signing")
        view = screen.query_one(OperationPage)
        await until(pilot, lambda: view.max_scroll_y > 0)
        await pilot.press("pagedown")
        await until(pilot, lambda: view.scroll_offset.y > 0)
        await pilot.press("pageup")
        await until(pilot, lambda: view.scroll_offset.y == 0)


async def test_words_that_find_nothing_are_answered() -> None:
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, [])
        await pilot.press(*"zzz")
        await until(pilot, lambda: "No matches" in text(app))
        await pilot.press("enter", "down", "ctrl+down")
        assert screen.entry is None


async def test_texts_of_a_profile_command_nothing() -> None:
    app = Stage()
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(app, [])
        await pilot.press(*"close")
        await until(pilot, lambda: "Close [/bold] the ␛[2J month" in text(app))
        await pilot.press(*["backspace"] * 5, *"known fields")
        await until(pilot, lambda: "gr␛ade" in text(app))


async def test_a_terminal_that_changes_its_size_keeps_the_entry() -> None:
    app = Stage()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await opened(app, [])
        await pilot.press("down", "down", "down")
        await until(pilot, lambda: screen.entry is not None and screen.entry.title == "Get one record")
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "Get one record · lots" in text(app) and screen.has_class("-narrow"))
        assert screen.entry is not None
        assert screen.entry.title == "Get one record"


async def test_a_click_shows_an_entry_and_chooses_nothing() -> None:
    app = Stage()
    given: list[Route | None] = []
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await opened(app, given)
        await until(pilot, lambda: screen.choices.option_count > 3 and "GET    List" in text(app))
        row = next(at for at, line in enumerate(picture(app)) if "GET    List" in line)
        await pilot.click(offset=(10, row))
        await until(pilot, lambda: "GET /v1/operations/lots?page=1&limit=50" in text(app))
        assert given == []
