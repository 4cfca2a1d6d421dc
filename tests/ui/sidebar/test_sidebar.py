"""The sidebar: what it lists, how it folds, what it tells, and that a long name keeps its line."""

import pytest
from textual import on

from svc_tui.core.catalog import COLLECTIONS, DOMAINS, ROUTES, Collection, Domain, Route, find_collection
from svc_tui.ui.sidebar.sidebar import SavedRequestEntry, Sidebar, SidebarEntry, SidebarRow, draw_row
from svc_tui.ui.text import measure
from tests.ui.stage import Stage, picture, until


class SidebarStage(Stage):
    """Keeps what the sidebar told."""

    def __init__(self, domains: tuple[Domain, ...] = DOMAINS, routes: tuple[Route, ...] = ROUTES) -> None:
        super().__init__(lambda: [Sidebar(domains, routes)])
        self.told: list[SidebarEntry] = []
        self.unwanted: list[SidebarEntry] = []

    @on(Sidebar.Chosen)
    def entry(self, message: Sidebar.Chosen) -> None:
        self.told.append(message.target)

    @on(Sidebar.RemovalWanted)
    def unwanted_entry(self, message: Sidebar.RemovalWanted) -> None:
        self.unwanted.append(message.target)

    @property
    def sidebar(self) -> Sidebar:
        return self.query_one(Sidebar)


def collection(name: str) -> Collection:
    found = find_collection(name)
    assert found is not None
    return found


async def test_it_lists_every_collection_and_route_in_the_order_of_the_document() -> None:
    app = SidebarStage()
    async with app.run_test(size=(80, 30)):
        text = "\n".join(picture(app))
        places = [text.index(name) for name in ("operations", *(c.name for c in COLLECTIONS), "Routes", "Split a lot")]
        assert places == sorted(places)
        assert "compliance / licenses" in text
        assert "Collections" in picture(app)[0]


async def test_counts_stand_at_the_right_with_separators_and_can_be_taken_back() -> None:
    app = SidebarStage()
    async with app.run_test(size=(80, 30)) as pilot:
        app.sidebar.set_count(collection("lots"), 5000)
        app.sidebar.set_count(collection("monitoring"), 1234567)
        await pilot.pause()
        lines = picture(app)
        assert any(line.startswith("│   ▪ lots") and line.endswith(" 5,000 │") for line in lines)
        assert any(line.startswith("│ en") and line.endswith("… / monitoring 1,234,567 │") for line in lines)
        app.sidebar.set_count(collection("lots"), None)
        await pilot.pause()
        assert "5,000" not in "\n".join(picture(app))


async def test_enter_opens_and_letters_move() -> None:
    app = SidebarStage()
    async with app.run_test(size=(80, 30)) as pilot:
        app.sidebar.focus()
        await pilot.press("j", "enter", "down", "enter", "k", "enter", "G", "enter", "g", "down", "enter")
        assert app.told == [
            collection("lots"),
            collection("tunnels"),
            collection("lots"),
            ROUTES[-1],
            collection("lots"),
        ]


async def test_left_goes_to_the_title_and_folds_and_right_unfolds() -> None:
    app = SidebarStage()
    async with app.run_test(size=(80, 30)) as pilot:
        app.sidebar.focus()
        await pilot.press("j", "j", "h")
        assert app.sidebar.cursor == 0
        assert "tunnels" not in "\n".join(picture(app))
        assert "▸ operations" in "\n".join(picture(app))
        await pilot.press("l")
        assert "tunnels" in "\n".join(picture(app))
        await pilot.press("enter")
        assert "tunnels" not in "\n".join(picture(app))
        await pilot.press("j", "h", "enter")
        assert app.told == [collection("licenses")]


async def test_reveal_unfolds_and_marks_the_open_collection() -> None:
    app = SidebarStage()
    async with app.run_test(size=(80, 30)) as pilot:
        app.sidebar.focus()
        await pilot.press("h")
        app.sidebar.reveal(collection("custody"))
        await pilot.pause()
        marked = [line for line in picture(app) if "▌" in line]
        assert len(marked) == 1
        assert "custody" in marked[0]
        await pilot.press("enter")
        assert app.told == [collection("custody")]


async def test_a_click_opens_what_is_under_it_also_when_scrolled() -> None:
    app = SidebarStage()
    async with app.run_test(size=(80, 8)) as pilot:
        app.sidebar.focus()
        await pilot.press("end")
        line = next(y for y, text in enumerate(picture(app)) if "safety" in text)
        await pilot.click(app.sidebar, offset=(5, line))
        assert app.told == [collection("incidents")]
        await pilot.press("pageup", "pageup", "pageup", "down", "enter")
        assert app.told[-1] == collection("lots")


async def test_names_with_markup_and_escapes_are_only_text() -> None:
    app = SidebarStage((Domain("[/x]", (Collection("[/x]", "\x1b[2Ja"), Collection("[/x]", "b"))),), ())
    async with app.run_test(size=(80, 10)):
        assert "▾ [/x]" in "\n".join(picture(app))
        assert "▪ ␛[2Ja" in "\n".join(picture(app))


SAVED = SavedRequestEntry("open-lots", "Open [/x] lots", "GET")
DAMAGED = SavedRequestEntry("broken", "broken", mistake="/r/broken.toml:1: name is missing")


async def test_saved_requests_stand_in_a_group_of_their_own_and_are_called_or_forgotten() -> None:
    app = SidebarStage()
    async with app.run_test(size=(80, 30)) as pilot:
        assert "Requests" not in "\n".join(picture(app))
        app.sidebar.focus()
        await pilot.press("end")
        last = app.sidebar.cursor
        app.sidebar.set_requests([DAMAGED, SAVED])
        await until(pilot, lambda: any("▾ Requests" in line for line in picture(app)))
        assert app.sidebar.cursor == last
        lines = picture(app)
        assert any("✕ broken" in line for line in lines)
        assert any("› Open [/x] lots" in line and "GET" in line for line in lines)
        await pilot.press("end", "enter", "delete", "up", "enter")
        await until(pilot, lambda: app.told == [SAVED, DAMAGED])
        assert app.unwanted == [SAVED]
        await pilot.press("left")
        await until(pilot, lambda: any("▸ Requests" in line for line in picture(app)))
        app.sidebar.set_requests([])
        await until(pilot, lambda: not any("Requests" in line for line in picture(app)))


async def test_an_empty_sidebar_takes_keys_calmly() -> None:
    app = SidebarStage((), ())
    async with app.run_test(size=(80, 10)) as pilot:
        app.sidebar.focus()
        await pilot.press("j", "k", "h", "l", "enter", "G", "pagedown")
        assert app.told == []


@pytest.mark.parametrize("cells", range(20, 60))
@pytest.mark.parametrize(
    "row",
    [
        SidebarRow("operations"),
        SidebarRow(Collection("operations", "productionLogs"), 1),
        SidebarRow(Collection("environment", "採掘記録")),
        SidebarRow(ROUTES[1], 1),
        SidebarRow(SAVED, 1),
        SidebarRow(DAMAGED, 1),
    ],
)
def test_every_line_takes_exactly_its_cells(row: SidebarRow, cells: int) -> None:
    assert measure(draw_row(row, cells, count=12345, opened=True, folded=False).plain) == cells
