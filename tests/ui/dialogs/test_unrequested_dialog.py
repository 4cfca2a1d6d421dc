"""A dialog that comes by itself takes no key that was pressed before it could be seen."""

from collections.abc import Callable
from typing import Any

import pytest
from textual import events
from textual.content import Content

from svc_tui.core.draft import Draft, Freshness
from svc_tui.core.records import Record
from svc_tui.core.requests import SignedRequest
from svc_tui.ui.dialogs.dialog import Dialog
from svc_tui.ui.editing.conflict import ConflictScreen
from svc_tui.ui.sending.request_card import CardContent, RequestCard
from svc_tui.ui.widgets.inputs.ticket_input import TicketInput
from tests.ui.stage import Stage, picture, until

REQUEST = SignedRequest("POST", "https://sandbox.example.com/v1/x", "/v1/x", (), b"{}")


def card(retry_reason: str) -> RequestCard:
    """A card that is offered again for its `doubt`; one that was asked for, without."""
    return RequestCard(
        CardContent(Content("Card"), REQUEST, Content("About it"), retry_reason=retry_reason),
        TicketInput("", lambda _: False),
    )


def conflict() -> ConflictScreen:
    """The choice about a field that moved."""
    draft = Draft(Record({"id": "lot-1", "note": "was"}), {"note": "mine"})
    fresh = Draft(Record({"id": "lot-1", "note": "theirs"}), {"note": "mine"})
    return ConflictScreen("lot-1", draft, Freshness(fresh, ("note",)))


class DialogStage(Stage):
    """Opens a dialog when it is told to, and keeps what that gave."""

    def __init__(self) -> None:
        super().__init__()
        self.gave: list[object] = []

    def opens(self, dialog: Dialog[Any]) -> None:
        """Open it."""
        self.push_screen(dialog, self.gave.append)

    @property
    def shown(self) -> str:
        """What stands on the screen."""
        return "\n".join(picture(self))


def keys() -> list[events.Key]:
    """What would agree to any of them, or leave it, pressed now."""
    return [events.Key("m", "m"), events.Key("y", "y"), events.Key("enter", "\r"), events.Key("escape", None)]


@pytest.mark.parametrize("make", [lambda: card("No answer came."), conflict], ids=["again", "conflict"])
async def test_keys_pressed_before_it_was_seen_are_not_for_it_whenever_they_arrive(
    make: Callable[[], Dialog[Any]],
) -> None:
    app = DialogStage()
    async with app.run_test(size=(80, 24)) as pilot:
        early, dialog = keys(), make()
        app.opens(dialog)
        early += keys()
        await until(pilot, lambda: "y Send" in app.shown)
        for key in early:
            app.post_message(key)
        # Each key waits for its turn, so that this one comes last.
        app.post_message(events.Key("escape", None))
        await until(pilot, lambda: bool(app.gave))
        assert app.gave == [None]


async def test_it_is_agreed_to_by_a_key_that_is_pressed_once_its_buttons_are_there() -> None:
    app = DialogStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.opens(card("No answer came."))
        await until(pilot, lambda: "y Send" in app.shown)
        await pilot.press("y")
        await until(pilot, lambda: app.gave == [""])


async def test_one_that_was_asked_for_takes_keys_that_were_typed_ahead() -> None:
    app = DialogStage()
    async with app.run_test(size=(80, 24)) as pilot:
        early = events.Key("y", "y")
        app.opens(card(""))
        await until(pilot, lambda: "y Send" in app.shown)
        app.post_message(early)
        await until(pilot, lambda: app.gave == [""])
