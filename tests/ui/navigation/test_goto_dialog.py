"""The `:` line: what it offers, what it gives, what it refuses."""

from textual import events
from textual.widgets import Input, OptionList, Static

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.ui.navigation.destinations import SearchDestination
from svc_tui.ui.navigation.goto_dialog import GoToScreen, PlaceInput, matching_places
from tests.ui.stage import Stage, picture

KEYS = [collection.key for collection in COLLECTIONS]


def check(text: str) -> str | None:
    return f"{text} names nothing here" if "nowhere" in text or text == "tun" else None


def look_up(text: str) -> tuple[str, str] | None:
    if text.startswith("tun-"):
        return f"Open {text}", "operations/tunnels"
    return None if check(text) or text == "kowal" else ("", "")


class GotoStage(Stage):
    """Opens the line and keeps what it gave."""

    def __init__(self, initial: str = "") -> None:
        super().__init__()
        self.gave: list[object] = []
        self._initial = initial

    def on_mount(self) -> None:
        screen = GoToScreen([*KEYS, "operations/lots/lot-[/x]"], check, self._initial, ("s3cr3t",), look_up)
        self.push_screen(screen, self.gave.append)

    @property
    def line(self) -> Input:
        return self.screen.query_one(PlaceInput)

    @property
    def problem(self) -> str:
        return str(self.screen.query_one(".problem", Static).content)


def test_what_begins_so_comes_first_then_parts_then_the_rest() -> None:
    assert matching_places(["a/lots", "x/slots", "lots/1", "b/other"], "LOT") == ["lots/1", "a/lots", "x/slots"]
    assert matching_places(KEYS, "") == KEYS


async def test_enter_gives_the_text_and_escape_nothing() -> None:
    app = GotoStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"lots/lot-1", "enter")
        assert app.gave == ["lots/lot-1"]
    app = GotoStage("tunnels")
    async with app.run_test(size=(80, 24)) as pilot:
        assert app.line.value == "tunnels"
        await pilot.press("escape")
        assert app.gave == [None]


async def test_arrows_choose_a_place_and_tab_takes_it_into_the_line() -> None:
    app = GotoStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"t", "tab")
        assert app.line.value == "operations/tunnels"
        await pilot.press("ctrl+u", "down", "down", "up", "down")
        assert [line for line in picture(app) if "› " in line] == [
            line for line in picture(app) if "operations/tunnels" in line
        ]
        await pilot.press("enter")
        assert app.gave == ["operations/tunnels"]


async def test_a_line_that_names_nothing_itself_goes_to_the_first_place_offered_for_it() -> None:
    app = GotoStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"tun")
        assert "› operations/tunnels" in "\n".join(picture(app))
        await pilot.press("enter")
        assert app.gave == ["operations/tunnels"]


async def test_going_up_from_the_first_place_is_back_in_the_line() -> None:
    app = GotoStage("lots")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "up", "up")
        assert not any("› " in line for line in picture(app))
        await pilot.press("enter")
        assert app.gave == ["lots"]


async def test_a_click_goes_there() -> None:
    app = GotoStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(OptionList, offset=(3, 2))
        assert app.gave == [KEYS[2]]


async def test_an_id_that_is_not_loaded_is_offered_to_be_opened() -> None:
    app = GotoStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"tun-14")
        lines = [line for line in picture(app) if "tun-14" in line]
        assert "› Open tun-14   operations/tunnels" in lines[1]
        assert "Search for “tun-14” in all collections" in lines[2]
        await pilot.press("enter")
        assert app.gave == ["tun-14"]


async def test_any_other_word_is_offered_to_be_searched_for() -> None:
    app = GotoStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"kowal")
        assert any("› Search for “kowal” in all collections" in line for line in picture(app))
        await pilot.press("tab")
        assert app.line.value == "kowal"
        await pilot.press("enter")
        assert app.gave == [SearchDestination("kowal")]
    app = GotoStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"tun")
        assert any("  Search for “tun” in all collections" in line for line in picture(app))
        await pilot.press("down", "enter")
        assert app.gave == [SearchDestination("tun")]


async def test_a_refused_text_stays_in_the_line_with_its_reason() -> None:
    app = GotoStage("/nowhere")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        assert app.gave == []
        assert app.problem == "/nowhere names nothing here"
        assert any("nowhere names nothing here" in line for line in picture(app))
        await pilot.press("x")
        assert app.problem == ""


async def test_a_pasted_secret_is_refused_unseen() -> None:
    app = GotoStage()
    async with app.run_test(size=(80, 24)) as pilot:
        for text in ("svc_live_abc", " svc_test_abc\n", "x-s3cr3t-x"):
            app.line.post_message(events.Paste(text))
            await pilot.pause()
            assert app.line.value == ""
            assert "secret" in app.problem
        app.line.post_message(events.Paste("lots\nsecond line"))
        await pilot.pause()
        assert app.line.value == "lots"


async def test_a_typed_key_is_hidden_and_cleared() -> None:
    app = GotoStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"svc_live_abc")
        assert "abc" not in "\n".join(picture(app))
        await pilot.press("enter")
        assert app.line.value == ""
        assert "secret" in app.problem
        assert app.gave == []


async def test_an_initial_secret_is_not_taken() -> None:
    app = GotoStage("svc_live_abc")
    async with app.run_test(size=(80, 24)):
        assert app.line.value == ""
        assert "secret" in app.problem


async def test_a_place_with_markup_is_only_text() -> None:
    app = GotoStage("lot-[")
    async with app.run_test(size=(80, 24)):
        assert any("lots/lot-[/x]" in line for line in picture(app))
