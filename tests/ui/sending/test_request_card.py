"""The change card, in large terminals and small ones: what is sent was on the screen."""

import asyncio
import re
from collections.abc import Callable, Generator
from typing import Any

import pytest
from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.widgets import Button, Input

from svc_tui.core.draft import Draft, Freshness
from svc_tui.core.records import Record
from svc_tui.core.requests import SignedRequest
from svc_tui.ui.sending.colleagues import ColleaguesAtRecord
from svc_tui.ui.sending.request_card import CardContent, RequestCard
from svc_tui.ui.widgets.inputs.ticket_input import TicketInput
from svc_tui.ui.widgets.text.difference import change_rows
from svc_tui.ui.widgets.text.scroll_text import ScrollText
from svc_tui.ui.writes.delete import DeleteDialog
from svc_tui.writes.write_requests import RefreshedRequest
from tests.ui.stage import Stage, picture, until

REQUEST = SignedRequest(
    "PATCH",
    "https://live.example.com/v1/operations/lots/lot-000002",
    "/v1/operations/lots/lot-000002",
    (
        ("Authorization", "Bearer svc_live_…"),
        ("Idempotency-Key", "00000000-0000-4000-8000-000000000000"),
        ("Accept", "application/json"),
        ("User-Agent", "svc-tui"),
        ("Content-Type", "application/json"),
        ("X-Signature", "t=1,v1=…"),
    ),
    b'{"grade":"A"}',
)
LONG_REQUEST = SignedRequest(
    "PATCH", REQUEST.url, REQUEST.target, REQUEST.headers, b'{"grade":"A","note":"%s"}' % (b"wet and cold " * 50)
)
"""One that a small terminal shows only in part."""
SMALL = [(60, 16), (80, 16)]


class CardStage(Stage):
    """Shows one card and keeps what it gave."""

    def __init__(self, request: SignedRequest = REQUEST) -> None:
        super().__init__()
        self.gave: list[str | None] = []
        draft = Draft(Record({"id": "lot-000002", "name": "Copper ore", "grade": "B"})).with_value("grade", "A")
        content = CardContent(Content("Change lot-000002"), request, Content("Copper ore"), draft.changes)
        self.card = RequestCard(content, TicketInput("", lambda _: False))

    def on_mount(self) -> None:
        self.push_screen(self.card, self.gave.append)

    @property
    def shown(self) -> str:
        return "\n".join(picture(self))

    @property
    def reading(self) -> ScrollText:
        return self.card.query_one(ScrollText)


async def test_in_a_large_terminal_all_is_seen_and_y_sends_at_once() -> None:
    app = CardStage()
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "h Show" in app.shown)
        assert "more below" not in app.shown
        for words in ("grade      - B", "           + A", "6 headers", "esc Cancel"):
            assert words in app.shown
        await pilot.press("y")
        assert app.gave == [""]


@pytest.mark.parametrize("size", SMALL)
async def test_in_a_small_terminal_y_sends_nothing_before_all_was_seen(size: tuple[int, int]) -> None:
    app = CardStage(LONG_REQUEST)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: "↓ more below" in app.shown)
        seen = app.shown
        presses = 0
        while not app.gave:
            frame = Region(0, 0, *size)
            for part in ("#dialog", "#back", "#send"):
                assert frame.contains_region(app.card.query_one(part).region)
            assert "esc Cancel" in app.shown
            assert "y Send" in app.shown
            await pilot.press("y")
            await pilot.pause()
            presses += 1
            assert presses < 20
            if not app.gave:
                seen += app.shown
        assert presses > 1
        for words in ("+ A", "PATCH /v1/operations", '{"grade":"A",', "6 headers", "h Show"):
            assert words in seen


async def test_what_a_first_y_did_is_said() -> None:
    app = CardStage(LONG_REQUEST)
    async with app.run_test(size=(60, 16)) as pilot:
        await until(pilot, lambda: "↓ more below" in app.shown)
        await pilot.press("y")
        await until(pilot, lambda: "end of text · press y again to continue" in app.shown)
        assert app.gave == []


async def test_a_deletion_on_live_names_enter_as_the_key_that_agrees() -> None:
    async def look() -> Content:
        return Content("No references found.")

    line = TicketInput("", lambda _: False)
    card = CardContent(Content("Delete"), LONG_REQUEST, Content("lot-2"))
    dialog = DeleteDialog(card, look(), line, typed_id="lot-2")
    app = Stage(list)
    async with app.run_test(size=(60, 16)) as pilot:
        app.push_screen(dialog)
        await until(pilot, lambda: "↓ more below" in "\n".join(picture(app)))
        await pilot.press("l", "o", "t", "minus", "2")
        await until(pilot, lambda: dialog.query_one("#typed", Input).value == "lot-2")
        while "end of text" not in "\n".join(picture(app)):
            await pilot.press("enter")
            await pilot.pause()
        await until(pilot, lambda: "end of text · press enter again to continue" in "\n".join(picture(app)))


async def test_a_terminal_that_shrinks_hides_nothing_from_who_says_yes() -> None:
    app = CardStage(LONG_REQUEST)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "h Show" in app.shown)
        await pilot.resize_terminal(60, 16)
        await until(pilot, lambda: "↓ more below" in app.shown)
        await pilot.press("y")
        assert app.gave == []


async def test_the_send_button_keeps_the_same_rule() -> None:
    app = CardStage(LONG_REQUEST)
    async with app.run_test(size=(60, 16)) as pilot:
        await until(pilot, lambda: "↓ more below" in app.shown)
        await pilot.press("tab")
        send = app.card.query_one("#send", Button)
        assert app.focused is send
        await pilot.press("enter")
        # A button takes no second press while it shows the first.
        await until(pilot, lambda: "end of text" in app.shown and not send.has_class("-active"))
        await pilot.press("enter")
        await until(pilot, lambda: app.gave == [""])


async def test_the_usual_keys_scroll_while_a_button_has_the_focus() -> None:
    app = CardStage(LONG_REQUEST)
    async with app.run_test(size=(60, 16)) as pilot:
        await until(pilot, lambda: "↓ more below" in app.shown)
        at = []
        for key in ("down", "down", "up", "pagedown", "pageup", "end", "home"):
            await pilot.press(key)
            await pilot.pause()
            at.append(round(app.reading.scroll_y))
        end, page = app.reading.max_scroll_y, app.reading.size.height - 1
        below = min(end, 1 + page)
        assert at == [1, 2, 1, below, max(0, below - page), end, 0]
        assert app.focused is app.card.query_one("#back", Button)
        await pilot.press("y")
        assert app.gave == [""]


async def test_headers_are_one_line_until_their_key_unfolds_them() -> None:
    app = CardStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "6 headers · h Show" in app.shown)
        assert "more below" not in app.shown
        assert "X-Signature" not in app.shown
        await pilot.press("h")
        await until(pilot, lambda: "X-Signature: t=1" in app.shown)
        assert "Idempotency-Key: 0000" in app.shown
        await pilot.press("h")
        await until(pilot, lambda: "X-Signature" not in app.shown)


async def test_the_body_comes_before_the_headers_and_is_whole() -> None:
    body = b'{"note":"' + b"x" * 3000 + b'THE END"}'
    app = CardStage(SignedRequest("PATCH", REQUEST.url, REQUEST.target, REQUEST.headers, body))
    async with app.run_test(size=(80, 70)) as pilot:
        await until(pilot, lambda: "h Show" in app.shown)
        await pilot.press("h")
        await until(pilot, lambda: "X-Signature" in app.shown)
        at = [app.shown.index(words) for words in ("PATCH /v1", '{"note"', 'THE END"}', "Authorization")]
        assert at == sorted(at)


async def test_a_request_that_is_complete_when_the_card_is_closed_is_shown_nowhere() -> None:
    async def complete() -> RefreshedRequest:
        return RefreshedRequest(REQUEST)

    app = CardStage()
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "h Show" in app.shown)
        await pilot.press("y")
        await until(pilot, lambda: app.gave == [""] and not app.card.query("#request"))
        await app.card._show_completed(complete())
        assert not app.card.query("#request")


async def test_a_ticket_carried_over_says_so_until_it_is_another() -> None:
    line, app = TicketInput("OPS-7", lambda _: False, carried=True), Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        content = CardContent(Content("Change"), REQUEST, Content("lot-2"))
        await app.push_screen(RequestCard(content, line))
        await until(pilot, lambda: "OPS-7" in "\n".join(picture(app)))
        await until(pilot, lambda: "Same as last time · t Change" in "\n".join(picture(app)))
        await pilot.press("t")
        # There, its key is a letter.
        await until(pilot, lambda: "Same as last time" not in "\n".join(picture(app)))
        await pilot.press("enter")
        await until(pilot, lambda: "Same as last time" in "\n".join(picture(app)))
        await pilot.press("t", "8", "enter")
        await until(pilot, lambda: line.ticket == "8")
        await until(pilot, lambda: "Same as last time" not in "\n".join(picture(app)))


async def test_a_ticket_that_was_offered_and_taken_can_be_deleted_again() -> None:
    line, app = TicketInput("", lambda _: False, last="OPS-7"), Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        content = CardContent(Content("Change"), REQUEST, Content("lot-2"))
        await app.push_screen(RequestCard(content, line))
        await until(pilot, lambda: "t Add ticket · last: OPS-7" in "\n".join(picture(app)))
        assert line.ticket == ""
        await pilot.press("t", "enter")
        await until(pilot, lambda: "Ticket     OPS-7" in "\n".join(picture(app)))
        assert line.ticket == "OPS-7"
        await pilot.press("t", "ctrl+u", "enter")
        await until(pilot, lambda: "OPS-7" not in "\n".join(picture(app)))
        assert line.ticket == ""


async def test_a_pasted_secret_is_refused_in_words_and_the_last_ticket_stays_offered() -> None:
    line, app = TicketInput("", lambda text: "s3cr3t" in text, last="OPS-7"), Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        content = CardContent(Content("Change"), REQUEST, Content("lot-2"))
        await app.push_screen(RequestCard(content, line))
        await until(pilot, lambda: "t Add ticket · last: OPS-7" in "\n".join(picture(app)))
        await pilot.press("t")
        await until(pilot, lambda: "⏎ Use OPS-7" in "\n".join(picture(app)))
        assert "t Add ticket" not in "\n".join(picture(app)), "there t is a letter of the ticket"
        app.post_message(events.Paste("s3cr3t"))
        refused = "not accepted: looks like a key or a secret · ⏎ Use OPS-7"
        await until(pilot, lambda: refused in "\n".join(picture(app)))
        assert line.ticket == ""
        await pilot.press("enter")
        await until(pilot, lambda: "Ticket     OPS-7" in "\n".join(picture(app)))
        assert line.ticket == "OPS-7"


async def test_what_others_changed_meanwhile_is_told_before_anything_is_sent() -> None:
    async def complete() -> RefreshedRequest:
        return RefreshedRequest(REQUEST, Freshness(Draft(Record({})), moved=("note", "massKg", "updatedAt")))

    content = CardContent(Content("Change"), REQUEST, Content("lot-2"))
    card, app = RequestCard(content, TicketInput("", lambda _: False), complete=complete), Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(card)
        await until(pilot, lambda: "! Others have changed note, massKg since." in "\n".join(picture(app)))


async def test_where_others_changed_the_same_field_its_old_value_is_theirs() -> None:
    draft = (
        Draft(Record({"id": "lot-2", "grade": "B", "note": "old"})).with_value("grade", "A").with_value("note", "new")
    )
    theirs = draft.rebased(Record({"id": "lot-2", "grade": "C", "note": "old"}))

    async def complete() -> RefreshedRequest:
        return RefreshedRequest(REQUEST, Freshness(theirs, conflicts=("grade",)))

    content = CardContent(Content("Change"), REQUEST, changes=draft.changes, remarks={"note": "a remark"})
    card, app = RequestCard(content, TicketInput("", lambda _: False), complete=complete), Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(card)
        await until(pilot, lambda: 'Others also changed grade; it is now "C".' in "\n".join(picture(app)))
        shown = "\n".join(picture(app))
        assert re.search(r"grade +- C +│\n.+\+ A +│\n.+note +- old +│\n.+\+ new +│\n.+! a remark", shown)


def test_a_choice_that_was_never_seen_is_told_beside_its_change() -> None:
    draft = Draft(Record({"id": "lot-2", "status": "open"})).with_value("status", "clsoed")
    ((name, change),) = change_rows(draft.changes, {"status": "Unknown value. Did you mean “closed”?"})
    assert (name, change.plain) == ("status", "- open\n+ clsoed\n! Unknown value. Did you mean “closed”?")


class PendingReferrers:
    """What points at a record, found once `done`; can be waited for several times."""

    def __init__(self) -> None:
        self.done = asyncio.Event()

    def __await__(self) -> Generator[Any, None, Content]:
        yield from self.done.wait().__await__()
        return Content("Nothing points at it.")


async def test_what_is_found_when_somebody_has_left_the_question_is_shown_nowhere() -> None:
    search, app = PendingReferrers(), Stage()
    line = TicketInput("", lambda _: False)
    dialog = DeleteDialog(CardContent(Content("Delete"), REQUEST, Content("lot-2")), search, line)
    async with app.run_test() as pilot:
        await app.push_screen(dialog)
        await until(pilot, lambda: dialog.query("#pointing"))
        await app.pop_screen()
        search.done.set()
        await dialog._show_references()
        assert not dialog._references_shown


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_what_colleagues_do_with_the_record_stands_on_the_card_as_it_is_now(size: tuple[int, int]) -> None:
    others: list[str] = []
    listeners: list[Callable[[], None]] = []

    def listen(listener: Callable[[], None]) -> Callable[[], None]:
        listeners.append(listener)
        return lambda: listeners.remove(listener)

    app = CardStage()
    app.card.colleagues = ColleaguesAtRecord(
        "2 others changed this record in the last 24 hours: [/x]\x1b[2J and bob, most recently 4 min ago.",
        lambda: tuple(others),
        listen,
    )
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: "h Show" in app.shown)
        assert "hours: [/x]␛[2J and bob," in app.shown
        assert "open for editing" not in app.shown
        others.append("[bold")
        listeners[0]()
        await until(pilot, lambda: "[bold has this record open for editing." in app.shown)
        others[:] = ["ada", "bob"]
        listeners[0]()
        await until(pilot, lambda: "ada and bob have this record open for editing." in app.shown)
        others.clear()
        listeners[0]()
        await until(pilot, lambda: "open for editing" not in app.shown)
        await pilot.press("y")
        assert app.gave == [""]
        await until(pilot, lambda: not listeners)


class StubLock:
    """A lock on LIVE that `is_open`, as a card sees it."""

    unlockable, wait_words, awaits_team = True, "", False

    def __init__(self) -> None:
        self.is_open = False

    def refusal(self) -> str | None:
        return None if self.is_open else "LIVE is locked."

    async def toggle(self) -> None:
        self.is_open = not self.is_open


def choices(app: CardStage) -> list[str]:
    """The choices in view, by their buttons."""
    return [str(button.label) for button in app.card.query(Button) if button.display]


def named_keys(app: CardStage) -> str:
    """The line of keys."""
    return app.shown.rstrip().splitlines()[-1]


async def test_a_card_has_no_key_for_a_lock_where_there_is_none() -> None:
    app = CardStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "t Ticket  h Headers" in named_keys(app))
        ids = {active.binding.id for active in app.card.active_bindings.values()}
        assert "card.send" in ids
        assert "card.lock" not in ids


async def test_a_locked_card_offers_to_unlock_in_place_of_sending() -> None:
    app, lock = CardStage(), StubLock()
    app.card.write_lock = lock  # type: ignore[assignment]
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "LIVE is locked." in app.shown)
        await until(pilot, lambda: "t Ticket  h Headers" in named_keys(app))
        assert "Send" not in named_keys(app)
        assert choices(app) == ["esc Cancel", "w Unlock LIVE…"]
        assert app.focused is app.card.query_one("#back")
        await pilot.press("w")
        await until(pilot, lambda: choices(app) == ["esc Cancel", "y Send"])
        assert "LIVE is locked." not in app.shown
        assert app.focused is app.card.query_one("#back")
        await pilot.press("w")
        await until(pilot, lambda: choices(app) == ["esc Cancel", "w Unlock LIVE…"])
        await pilot.press("y")
        assert app.gave == []


async def test_in_the_ticket_no_choice_is_taken_and_none_takes_the_place_of_another() -> None:
    app = CardStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "y Send" in app.shown)
        await pilot.press("t", "y")
        assert app.card.ticket_line.ticket == "y"
        await until(pilot, lambda: "Done  esc Back" in app.shown)
        assert choices(app) == ["    Cancel", "  Send"]
        send = app.card.query_one("#send")
        place = send.region
        await pilot.click("#send", times=2)
        await pilot.press("enter")
        await until(pilot, lambda: not send.disabled)
        assert choices(app) == ["esc Cancel", "y Send"]
        assert send.region == place
        assert app.gave == []
        await pilot.press("y")
        assert app.gave == ["y"]


async def test_esc_leaves_the_ticket_before_the_card() -> None:
    app = CardStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "y Send" in app.shown)
        await pilot.press("t", "7", "escape")
        await until(pilot, lambda: app.focused is app.card.query_one("#back"))
        assert app.card.ticket_line.ticket == "7"
        assert app.gave == []
        await pilot.press("escape")
        await until(pilot, lambda: app.gave == [None])


async def test_a_click_on_the_way_back_from_the_ticket_is_one() -> None:
    app = CardStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "y Send" in app.shown)
        await pilot.press("t", "y")
        await pilot.click("#back")
        await until(pilot, lambda: app.gave == [None])


async def test_after_an_unknown_outcome_the_record_comes_first() -> None:
    looked: list[bool] = []
    content = CardContent(
        Content("Outcome unknown"), REQUEST, retry_reason="No answer.", back="Later", look=lambda: looked.append(True)
    )
    app, gave = Stage(), list[str | None]()
    async with app.run_test(size=(80, 24)) as pilot:
        card = RequestCard(content, TicketInput("", lambda _: False))
        app.push_screen(card, gave.append)
        await until(pilot, lambda: "⏎ Look at the record" in "\n".join(picture(app)))
        assert app.focused is card.query_one("#look")
        await pilot.press("enter")
        await until(pilot, lambda: looked == [True])
        assert gave == [None]


async def test_the_parts_of_a_card_are_in_their_order() -> None:
    app = CardStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "h Show" in app.shown)
        at = [app.shown.index(words) for words in ("Copper ore", "grade      - B", "Ticket", "Request", "esc Cancel")]
        assert at == sorted(at)
