"""The first tour over the real service: every step by the keys that it names, skipped, gone back from, and ended."""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.app.tour import TourBar
from svc_tui.ui.dialogs.dialog import Dialog
from svc_tui.ui.keys.keymap import bindings, key_label
from svc_tui.ui.report import Report
from svc_tui.ui.tour_steps import TOUR_STEPS, OpenDialog
from tests.browser import User, browser
from tests.flows.steps import chosen, commanded

SIZES = [(120, 40), (80, 24)]
PILOT = {"esc": "escape", "enter": "enter", "backspace": "backspace"}
"""What the test driver calls keys that are spelled otherwise for people."""


class TourTaker:
    """Somebody who takes the tour, and reads from it which keys to press."""

    def __init__(self, user: User) -> None:
        self.user = user

    @property
    def keys(self) -> Mapping[str, str]:
        """What keys are called, by the ids of their bindings."""
        return key_label(self.user.app._keymap)

    @property
    def words(self) -> str:
        """What is in front: the strip of the dialog, or that of the main screen."""
        strips = list(self.user.app.screen.query(TourBar)) or list(self.user.app.main.query(TourBar))
        return "\n".join(str(strip.render()) for strip in strips)

    async def reads(self, pattern: str) -> None:
        """Wait until the tour says so."""
        await self.user.until(lambda: re.search(pattern, self.words) is not None, f"the tour never said {pattern!r}")

    async def at(self, number: int) -> None:
        """Wait until the tour has come to this step."""
        await self.user.sees(rf"Tour {number} of 10")

    async def presses(self, binding: str, words: str) -> None:
        """Wait until the tour names the key of this binding with these words, and press it."""
        key = self.keys[binding]
        await self.reads(rf"{re.escape(key)}{words}")
        await self.user.press(PILOT.get(key, key))


async def to_the_end(guest: TourTaker) -> None:
    await guest.user.sees(r"of 300 ─")
    await guest.presses("table.last", " to go to the last record")


async def with_a_filter(guest: TourTaker) -> None:
    user = guest.user
    await guest.presses("table.filter", " and type a filter")
    await user.until(lambda: user.app.main.workspace.browse.filter_line.has_focus_within, "no line to type in")
    await user.types("status:open")
    await guest.presses("filter.done", " to apply the filter")
    await user.sees(r"ctrl\+l Load the rest \(\d+ requests\)")


async def into_a_record(guest: TourTaker) -> None:
    await guest.presses("table.open", " to open the record under the cursor")


async def there_and_back(guest: TourTaker) -> None:
    user, workspace = guest.user, guest.user.app.main.workspace
    await guest.reads("Move down to a field marked →")
    await user.until(lambda: workspace.panes.in_record, "the record never had the focus")
    while workspace.selection.field != "tunnelId":
        before = workspace.selection.path
        await user.press("j")
        await user.until(lambda: workspace.selection.path != before, "the cursor stays")  # noqa: B023  waited for at once
    await guest.presses("record.follow", "\\.$")
    await guest.presses("go.back", " to go back")


async def an_edit(guest: TourTaker) -> None:
    user, workspace = guest.user, guest.user.app.main.workspace
    await guest.at(5)
    await user.until(lambda: workspace.panes.in_record, "the record never had the focus")
    await user.press("g", "j")
    await user.until(lambda: workspace.selection.field == "name", "not on the name")
    await guest.reads("Move to a text or number field and press")
    await guest.presses("record.edit", "\\.$")
    await guest.reads("Type a new value and press enter")
    await user.types(" again")
    await user.press("enter")


async def a_write(guest: TourTaker) -> None:
    await guest.presses("record.review", " to review the change")
    await sent(guest)


async def sent(guest: TourTaker) -> None:
    """Read the card to its end, and send."""
    user = guest.user
    await guest.reads(f"{guest.keys['card.send']} to send it")
    # What the strip says may be of the list that is closing: the card comes once the record was read again.
    await user.until(lambda: bool(user.app.screen.query("ScrollText")), "no card came")
    await user.press("end")
    await user.until(
        lambda: all(reading.is_vertical_scroll_end for reading in user.app.screen.query("ScrollText")),
        "the card has no end",
    )
    await guest.presses("card.send", " to send it")


async def an_undo(guest: TourTaker) -> None:
    await guest.presses("writes.undo", " to list the changes you can undo")
    await guest.reads("Press enter to review the undo")
    await guest.user.press("enter")
    await sent(guest)


async def many_records(guest: TourTaker) -> None:
    user = guest.user
    await guest.presses("pane.table", " to go to the table")
    for _ in range(3):
        await guest.presses("marks.toggle", " three times to mark three records")
    await guest.presses("record.actions", " and choose Change a field")
    await chosen(user, "Change a field of 3 marked")
    await guest.reads("Choose Change a field, then choose the field")
    await chosen(user, "mineral")
    await guest.reads("Type a new value for all and press enter")
    await user.press("ctrl+u")
    await user.types("testite")
    # At the smaller size a notice covers the end of it.
    await user.sees(r"Use “testite”")
    await user.press("up", "enter")
    await guest.presses("plan.send", " to send it")


async def a_request(guest: TourTaker) -> None:
    await guest.presses("pane.console", " to open the console")
    await guest.reads(r"Type lots limit==1 and press")
    await guest.user.until(lambda: isinstance(guest.user.app.focused, Input), "nowhere to type")
    await guest.user.types("lots limit==1")
    await guest.user.sees(r"→/v1/operations/lots\?limit=1")
    await guest.presses("console.send", "\\.$")
    await guest.presses("console.explain", " to see how the request was signed")


async def the_rest(guest: TourTaker) -> None:
    await guest.presses("dialog.cancel", " to close this")
    await guest.presses("console.leave", " to leave the console")
    await guest.presses("app.help", " for help")


WAY: list[tuple[Callable[[TourTaker], Awaitable[None]], str]] = [
    (to_the_end, r"Row 300 of 300, without loading the rest"),
    (with_a_filter, r"\d+ matches\. - clears the filter"),
    (into_a_record, r"These are its fields"),
    (there_and_back, r"Back again\. \] goes forward"),
    (an_edit, r"A draft, not sent yet"),
    (a_write, r"Saved\. The journal \(@\) lists it"),
    (an_undo, r"Undone\. The journal \(@\)"),
    (many_records, r"Saved one by one"),
    (a_request, r"Time, method, path and body are signed"),
    (the_rest, r"That was the last step"),
]
"""How each step is done, and what confirms it."""


@pytest.mark.parametrize("size", SIZES)
async def test_the_whole_tour_by_the_keys_that_it_names(
    service: RunningService, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with browser(service, tmp_path, key="test-signed", size=size, tour=True, page_size=15) as user:
        guest = TourTaker(user)
        for number, (step, told) in enumerate(WAY, 1):
            await guest.at(number)
            await step(guest)
            await guest.reads(f"✓ {told}")
        await guest.presses("tour.end", " to close the tour")
        await user.until(lambda: not guest.words, "the strip stays")
        written = [attempt for attempt in service.attempts if attempt.method == "PATCH"]
        assert [attempt.status for attempt in written] == [200] * 5
        place = user.app.main.workspace.selection.place
        assert place is not None
        record = service.record(place.collection.key, place.record_id or "")
        assert record is not None
        assert " again" not in record


async def test_keys_that_somebody_chose_are_named_and_do_it(service: RunningService, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[keys]\n"table.last" = "f7"\n"tour.end" = "f8"\n"requests.history" = "H"\n')
    async with browser(service, tmp_path, tour=True) as user:
        guest = TourTaker(user)
        await user.sees(r"of 300 ─")
        await user.sees(r"f8 end")
        await guest.reads(r"f7 to go to the last record")
        await user.press("f7")
        await guest.at(2)
        await user.press("f8")
        await user.loses(r"Tour 2 of 10")


async def test_steps_are_skipped_and_gone_back_to_and_after_the_last_the_tour_is_over(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, tour=True) as user:
        guest = TourTaker(user)
        await guest.at(1)
        await user.press("f12")
        await guest.at(2)
        await user.press("f11")
        await guest.at(1)
        for number in range(2, len(TOUR_STEPS) + 1):
            await user.press("f12")
            await guest.at(number)
        await user.press("f12")
        await guest.reads("to close the tour")
        await user.press("f12")
        await user.until(lambda: not guest.words, "the strip stays")


async def test_its_words_can_be_clicked(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, tour=True) as user:
        await TourTaker(user).at(1)
        await user.settled()
        strip = user.app.main.query_one(TourBar)
        edge = user.text.split("\n")[strip.region.bottom - 1]
        await user.pilot.click(offset=(edge.index("skip"), strip.region.bottom - 1))
        await TourTaker(user).at(2)


@pytest.mark.parametrize("size", SIZES)
async def test_the_card_stands_above_the_strip_and_says_so_where_it_has_to_be_scrolled(
    service: RunningService, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002", size=size) as user:
        await at_the_card(user, size)
        screen = user.app.screen
        alone = screen.query_one("#dialog").region
        user.app.on_demo = True
        user.app.take_tour()
        await user.until(lambda: bool(screen.query(TourBar)), "no strip over the card")
        strip = screen.query_one(TourBar)
        dialog, buttons = screen.query_one("#dialog"), screen.query_one(".buttons")
        await user.until(lambda: strip.region.height > 0 and dialog.region.bottom <= strip.region.y, "they overlap")
        await user.until(lambda: dialog.region.contains_region(buttons.region), "the buttons are cut off")
        below = user.app.main.query_one(TourBar)
        await user.until(lambda: below.region == strip.region, "it moves when a dialog opens")
        await user.press("ctrl+x")
        await user.until(lambda: dialog.region == alone, "the card does not take its room back")


async def at_the_card(user: User, size: tuple[int, int]) -> None:
    """Change a name, and open the change card."""
    workspace = user.app.main.workspace
    await user.sees(r"╭─ (lots / )?lot-000002 ")
    await user.until(lambda: workspace.panes.in_record, "the record never had the focus")
    await user.until(lambda: workspace.selection.field == "name", "not on the name")
    await user.press("e")
    await user.sees(r"(⏎|tab) Apply  esc Cancel")
    await user.types(" again")
    await user.press("enter", "ctrl+s")
    await user.sees(r"Change lot-000002")
    await user.until(lambda: user.app.screen.query_one("#dialog").region.height > 0, "no card")


async def test_notices_stand_above_the_strip(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, tour=True) as user:
        await TourTaker(user).at(1)
        user.app.main.report(Report("Something to know."))
        await user.until(lambda: bool(user.app.main.query("Toast")), "no notice")
        strip, notice = user.app.main.query_one(TourBar), user.app.main.query("Toast").first()
        await user.until(lambda: notice.region.height > 0 and notice.region.bottom <= strip.region.y, "they overlap")


async def test_it_takes_no_focus_and_no_keys_of_the_panes(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, tour=True) as user:
        await TourTaker(user).at(1)
        table = user.app.main.workspace.browse.table
        await user.until(lambda: user.app.focused is table, "the table has not the focus")
        await user.sees(r"lot-000003")
        await user.press("j")
        await user.until(lambda: table.cursor_row == 1, "j does nothing")
        assert user.app.focused is table


async def test_it_is_taken_from_the_palette_of_a_demo_and_ended_there(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, demo=True) as user:
        guest = TourTaker(user)
        await user.sees(r"lot-000001")
        assert not guest.words
        await commanded(user, "take the tour", "Take the tour")
        await guest.at(1)
        await commanded(user, "end the tour", "End the tour")
        await user.until(lambda: not guest.words, "the strip stays")


async def test_one_that_is_ended_before_it_could_begin_does_not_begin(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, demo=True) as user:
        await user.sees(r"lot-000001")
        user.app.take_tour()
        user.app.action_tour("end")
        making_ready = [worker for worker in user.app.workers if worker.group == "tour"]
        await user.until(lambda: all(worker.is_finished for worker in making_ready), "it is never ready")
        assert making_ready
        assert not user.app.main.query(TourBar)


async def test_on_a_real_service_it_is_told_where_it_can_be_taken(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await commanded(user, "take the tour", "Take the tour")
        await user.sees(r"svc-tui demo --tour")
        assert not user.app.main.query(TourBar)


async def test_it_begins_at_the_lots_wherever_one_was(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="tunnels/tun-13", tour=True) as user:
        guest = TourTaker(user)
        await guest.at(1)
        await user.sees(r"lot-000001")
        await guest.reads(r"G to go to the last record")


async def test_a_key_that_signs_nothing_is_not_said_to_have_signed(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="sandbox", tour=True) as user:
        guest = TourTaker(user)
        for number in range(1, 9):
            await guest.at(number)
            await user.press("f12")
        await guest.at(9)
        await user.press("4")
        await user.until(lambda: isinstance(user.app.focused, Input), "nowhere to type")
        await user.types("lots")
        await guest.presses("console.send", "\\.$")
        await guest.presses("console.explain", " to see how")
        await guest.reads("Requests with this key are not signed")


async def test_without_a_tour_its_keys_are_left_to_others(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, demo=True) as user:
        await user.sees(r"lot-000001")
        ids = {active.binding.id for active in user.app.main.active_bindings.values() if active.enabled}
        assert not {name for name in ids if name and name.startswith("tour.")}
        await user.press("slash")
        line = user.app.main.workspace.browse.filter_line.line
        await user.until(lambda: line.has_focus, "no line to type in")
        await user.types("grade")
        await user.press("ctrl+a", "shift+end", "ctrl+x")
        await user.until(lambda: line.value == "", "ctrl+x does not cut")


def test_every_dialog_that_it_speaks_of_says_so() -> None:
    bindings()
    assert {dialog.TOUR_NAME for dialog in subclasses(Dialog)} == set(OpenDialog) - {OpenDialog.PENDING}


def subclasses(kind: type[Dialog[Any]]) -> Iterator[type[Dialog[Any]]]:
    """Yield the classes under a class, at any depth."""
    for subclass in kind.__subclasses__():
        yield subclass
        yield from subclasses(subclass)
