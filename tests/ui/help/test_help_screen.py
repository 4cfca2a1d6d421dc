"""Help is read from the bindings: what it lists, how it is searched, how it scrolls."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Input

from svc_tui.ui.help.guide_screen import GuideScreen
from svc_tui.ui.help.help_screen import HelpScreen, matching_shortcuts, shortcut_list
from svc_tui.ui.keys.availability import DisabledReason, ExplainsAvailability
from svc_tui.ui.keys.shortcuts import GENERAL, Shortcut, by_area, shortcuts
from tests.ui.stage import Stage, picture, until


class KeyCounter(Widget, can_focus=True):
    """Takes keys."""

    BINDINGS = [
        Binding("up,k", "up", "Up", show=False, id="bed.up", tooltip="To the line above"),
        Binding("x", "gone", "Gone", id="bed.gone"),
        Binding("d", "dim", "Dim", id="bed.dim"),
        Binding("q", "nothing", id="bed.unspoken"),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return {"gone": False, "dim": None}.get(action, True)


class DisabledKeys(ExplainsAvailability, Widget, can_focus=True):
    """Has keys that are off."""

    BINDINGS = [
        Binding("s", "send", "Send", id="bed.send", tooltip="Send it"),
        Binding("r", "review('all')", "Review", id="bed.review", tooltip="Look at it"),
        Binding("t", "take", "Take", id="bed.take"),
    ]

    def disabled_reason(self, action: str, parameters: tuple[object, ...]) -> DisabledReason | None:
        return DisabledReason("A write is on its way.") if (action, parameters) == ("review", ("all",)) else None

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        return "LIVE is locked. Press w to unlock." if action == "send" else ""


class HelpStage(Stage):
    """Opens the help on its own keys."""

    BINDINGS = [
        Binding("k", "hidden", "Hidden below", id="app.hidden"),
        Binding("question_mark", "help", "Help", id="app.help", tooltip="The keys that work here [/x]"),
        *(Binding(f"f{number}", "many", f"Many {number}", id=f"many.f{number}") for number in range(2, 13)),
    ]

    def compose(self) -> ComposeResult:
        yield KeyCounter()
        yield DisabledKeys()
        yield Input()

    def found(self) -> list[Shortcut]:
        return shortcuts(self, self.screen.active_bindings)

    def action_help(self) -> None:
        self.push_screen(HelpScreen(self.found(), "table"))


async def test_actions_come_from_the_bindings_nearest_first() -> None:
    app = HelpStage()
    async with app.run_test(size=(80, 24)):
        app.query_one(KeyCounter).focus()
        found = app.found()
        assert (found[0].area, found[0].keys, found[0].explanation) == ("Bed", ("↑", "k"), "To the line above")
        descriptions = [shortcut.description for shortcut in found]
        assert "Gone" not in descriptions
        assert "Hidden below" not in descriptions
        assert [shortcut.enabled for shortcut in found if shortcut.description == "Dim"] == [False]
        assert list(by_area(found))[:3] == ["Bed", "App", "Many"]


async def test_keys_of_a_text_field_come_last() -> None:
    app = HelpStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(Input).focus()
        await pilot.pause()
        assert list(by_area(app.found()))[-1] == GENERAL
        assert "Submit" in [shortcut.description for shortcut in by_area(app.found())[GENERAL]]


async def test_typing_searches_keys_areas_and_words() -> None:
    app = HelpStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(KeyCounter).focus()
        await pilot.press("question_mark")
        shown = "\n".join(picture(app))
        assert "To the line above" in shown
        assert "The keys that work here [/x]" in shown
        assert "Keys · table" in shown
        await pilot.press(*"line bed")
        shown = "\n".join(picture(app))
        assert "To the line above" in shown
        assert "The keys that work" not in shown
        await pilot.press(*"zzz")
        assert "No matches" in "\n".join(picture(app))
        await pilot.press("escape")
        assert not isinstance(app.screen, HelpScreen)


async def test_arrows_scroll_a_long_list() -> None:
    app = HelpStage()
    async with app.run_test(size=(80, 16)) as pilot:
        app.query_one(KeyCounter).focus()
        await pilot.press("question_mark")
        view = app.screen.query_one(VerticalScroll)
        await pilot.press("down")
        assert view.scroll_y == 1
        await pilot.press("pagedown")
        assert view.scroll_y > 1
        await pilot.press("pageup", "up", "up")
        assert view.scroll_y == 0


async def test_what_is_listed_is_what_matches() -> None:
    app = HelpStage()
    async with app.run_test(size=(80, 24)):
        app.query_one(KeyCounter).focus()
        found = app.found()
        assert [shortcut.description for shortcut in matching_shortcuts(found, "F12")] == ["Many 12"]
        assert shortcut_list(matching_shortcuts(found, "f12")).plain.splitlines()[0] == "Many"


async def test_f1_goes_on_in_the_guide() -> None:
    app = HelpStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(KeyCounter).focus()
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, GuideScreen))
        await until(pilot, lambda: any("Guide · Find and read records" in line for line in picture(app)))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))


async def test_a_key_that_is_off_is_listed_with_the_reason_and_found_by_it() -> None:
    app = HelpStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(DisabledKeys).focus()
        await until(pilot, lambda: app.focused is app.query_one(DisabledKeys))
        found = {shortcut.description: shortcut for shortcut in app.found()}
        assert (found["Send"].why, found["Send"].enabled) == ("LIVE is locked. Press w to unlock.", True)
        assert (found["Review"].why, found["Review"].enabled) == ("A write is on its way.", False)
        assert (found["Take"].why, found["Take"].enabled) == ("", True)
        assert [shortcut.description for shortcut in matching_shortcuts(app.found(), "locked")] == ["Send"]
        assert "Send it · Not now: LIVE is locked. Press w to unlock." in shortcut_list([found["Send"]]).plain


async def test_the_reason_stands_out_and_what_is_off_is_quiet() -> None:
    app = HelpStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(DisabledKeys).focus()
        await until(pilot, lambda: app.focused is app.query_one(DisabledKeys))
        sent = next(shortcut for shortcut in app.found() if shortcut.description == "Send")
        styles = {
            shortcut_list([sent]).plain[span.start : span.end]: str(span.style) for span in shortcut_list([sent]).spans
        }
        assert styles["Send it"] == "$role-muted"
        assert styles["Not now: LIVE is locked. Press w to unlock."] == "$role-warning"
