"""The ticket's reference on every card: one line, one rule for letters, paste and Enter, one memory for the session."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual import events

from svc_tui.core.requests import RequestSpec
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.widgets.text.scroll_text import ScrollText
from tests.browser import User, browser
from tests.flows.steps import at_name, heard, renamed, reviewed, unfolded, unlocked
from tests.flows.test_acting import chosen, filled, journal, new_lot
from tests.flows.test_marked_runs import planned


async def creation(user: User) -> None:
    """The card of a new record."""
    await new_lot(user, name="For a ticket")
    await user.press("ctrl+s")
    await user.sees(r"POST /v1/operations/lots[^/]")


async def deletion(user: User) -> None:
    """The card of a deletion."""
    await at_name(user)
    await user.press("delete")
    await user.sees(r"Searched")


async def action(user: User) -> None:
    """The card of an action."""
    await chosen(user, "lots/lot-000002", "Split a lot")
    await filled(user, parts="2")
    await user.press("ctrl+s")
    await user.sees(r"POST /v1/operations/lots/lot-000002/split")


async def edit(user: User) -> None:
    """The card of an edit."""
    await at_name(user)
    await renamed(user, "For a ticket")
    await reviewed(user)


CARDS: dict[str, Callable[[User], Awaitable[None]]] = {
    "creation": creation,
    "deletion": deletion,
    "action": action,
    "edit": edit,
}


def at_record(user: User) -> str | None:
    """The id of the record under the cursor."""
    place = user.app.main.workspace.selection.place
    return None if place is None else place.record_id


def writes(service: RunningService) -> list[str]:
    """The methods of the writes that arrived."""
    return [attempt.method for attempt in service.attempts if attempt.method != "GET"]


async def went_out(user: User, service: RunningService) -> None:
    """Wait until the one write has left, and its answer is dealt with."""
    await user.until(lambda: len(writes(service)) == 1, "nothing was sent")
    await user.until(lambda: not user.app.main.features.writes.sending, "the write is still on its way")


@pytest.mark.parametrize("card", CARDS)
async def test_every_card_takes_a_ticket_for_the_journal(service: RunningService, tmp_path: Path, card: str) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await CARDS[card](user)
        await user.press("t")
        await user.types("symmetry-7")
        await user.sees(r"Ticket +symmetry-7")
        assert not writes(service)
        await user.press("enter", "y")
        await went_out(user, service)
        (entry,) = await journal(user)
        assert entry.intent.ticket == "symmetry-7"
    assert len(writes(service)) == 1


@pytest.mark.parametrize("card", CARDS)
async def test_a_text_typed_beside_the_line_of_any_card_sends_nothing(
    service: RunningService, tmp_path: Path, card: str
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await CARDS[card](user)
        await user.types("sy")
        await user.sees(r"not sent · press t to add a ticket")
        assert not writes(service)
        await user.press("y")
        await went_out(user, service)


async def test_what_was_said_of_a_stray_text_stays_when_the_card_is_laid_out_again(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await edit(user)
        await user.types("sy")
        await user.sees(r"not sent · press t to add a ticket")
        text = user.app.screen.query_one(ScrollText)
        text.post_message(ScrollText.Moved())
        await user.press("x")
        await user.sees(r"this key does nothing here")
        text.post_message(ScrollText.Moved())
        await user.pilot.pause()
        assert "this key does nothing here" in user.text


@pytest.mark.parametrize("card", CARDS)
async def test_a_paste_goes_into_the_line_of_any_card(service: RunningService, tmp_path: Path, card: str) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await CARDS[card](user)
        user.app.post_message(events.Paste("OPS\n-y12"))
        await user.sees(r"Ticket +OPS -y12")
        assert not writes(service)
        await user.press("enter", "y")
        await went_out(user, service)
        (entry,) = await journal(user)
        assert entry.intent.ticket == "OPS -y12"


async def test_a_ticket_is_remembered_from_one_kind_of_card_to_another(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await edit(user)
        await user.press("t")
        await user.types("OPS-7")
        await user.press("enter", "escape")
        await user.loses(r"Change lot-000002")
        await user.press("delete")
        await user.sees(r"Delete lot-000002")
        await user.sees(r"Ticket +OPS-7")


async def test_the_ticket_of_another_record_is_offered_and_taken_by_enter_alone(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await edit(user)
        await user.press("t")
        await user.types("SUP-5")
        await user.press("enter", "y")
        await heard(user, r"Saved lot-000002")
        await user.puts_away_notices()
        for record_id, keys, ticket in (("lot-000003", ("y",), ""), ("lot-000004", ("t", "enter", "y"), "SUP-5")):
            await user.press("down")
            await user.until(lambda: at_record(user) == record_id, "the cursor is elsewhere")  # noqa: B023  at once
            await user.press("e")
            await user.sees(r"(⏎|tab) Apply  esc Cancel")
            await user.press("ctrl+u")
            await user.types("Of another ticket")
            await user.press("enter", "ctrl+s")
            await user.sees(rf"Change {record_id}")
            await user.sees(r"Ticket +none · t Add ticket · last: SUP-5")
            await user.press(*keys)
            await heard(user, rf"Saved {record_id}")
            await user.puts_away_notices()
            newest, *_ = await journal(user)
            assert newest.intent.ticket == ticket


@pytest.mark.parametrize("ticket", ["", "OPS-9"])
async def test_what_is_sent_again_keeps_the_ticket_it_was_sent_with(
    service: RunningService, tmp_path: Path, ticket: str
) -> None:
    async with browser(service, tmp_path, place="lots", idempotency="unproven") as user:
        await edit(user)
        await user.press("t")
        await user.types("SUP-5")
        await user.press("enter", "y")
        await heard(user, r"Saved lot-000002")
        await user.puts_away_notices()
        await creation(user)
        await user.sees(r"Ticket +none · t Add ticket · last: SUP-5")
        if ticket:
            await user.press("t")
            await user.types(ticket)
            await user.press("enter")
        service.faults.next("reset", method="POST")
        await user.press("y")
        await user.sees(r"Outcome unknown")
        offered = r"none · t Add ticket · last: SUP-5"
        await user.sees(rf"Ticket +{ticket} +Same as last time" if ticket else rf"Ticket +{offered}")
        await user.sees(r"y Send again")
        await user.press("y")
        await heard(user, r"Created lot-000301")
        newest, before, *_ = await journal(user)
        assert (newest.intent.ticket, before.intent.ticket) == (ticket, ticket)


async def test_a_plan_neither_holds_nor_offers_the_ticket_of_a_write(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await edit(user)
        await user.press("t")
        await user.types("SUP-5")
        await user.press("enter", "y")
        await heard(user, r"Saved lot-000002")
        await user.puts_away_notices()
        await planned(user, "mineral", "testite", marked=2)
        assert "SUP-5" not in user.text
        await user.sees(r"Ticket +none · t Add ticket")


async def test_a_secret_is_no_ticket_on_any_card(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await deletion(user)
        await user.press("t")
        await user.types("svc_test_")
        await user.sees(r"not accepted: looks like a key or a secret")


async def test_on_live_a_deletion_has_the_line_beside_that_for_the_id(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots/lot-000002") as user:
        await user.sees(r"╭─ lot-000002 ")
        await unlocked(user)
        await user.press("delete")
        await user.sees(r"Searched")
        await user.press("ctrl+t")
        await user.types("OPS-9")
        await user.sees(r"Ticket +OPS-9")
        await user.press("enter")
        await user.types("lot-000002")
        await user.press("enter")
        await heard(user, r"Deleted lot-000002")
        (entry,) = await journal(user)
        assert entry.intent.ticket == "OPS-9"


async def test_what_the_console_sends_to_live_takes_a_ticket(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await unlocked(user)
        pane = await user.app.main.workspace.console()
        pane.prefill(RequestSpec("PATCH", "/v1/operations/lots/lot-000002", body=b'{"note": "x"}'))
        await user.press("ctrl+j")
        await user.sees(r" LIVE   Send this request")
        await user.press("t")
        await user.types("OPS-3")
        await user.press("enter", "y")
        await user.sees(r"✓ 200")
        (entry,) = await journal(user)
        assert entry.intent.ticket == "OPS-3"


@pytest.mark.parametrize("card", ["deletion", "action"])
async def test_the_card_shows_the_if_match_that_is_sent(service: RunningService, tmp_path: Path, card: str) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await CARDS[card](user)
        await unfolded(user)
        await user.sees(r'If-Match: "[0-9a-f]{32}"')
        await user.press("y")
        await went_out(user, service)


async def test_an_action_on_a_record_that_others_changed_is_told_and_not_sent(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await action(user)
        await user.app.main.session.gateway.send(
            RequestSpec("PATCH", "/v1/operations/lots/lot-000002", body=b'{"note":"theirs"}')
        )
        await user.press("y")
        await user.sees(r"Split a lot · lot-000002: not done")
        await user.sees(r"Others (?:also|have) changed note\b")
        assert not await journal(user)
    assert writes(service) == ["PATCH"]
