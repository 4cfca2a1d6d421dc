"""How a confirmed change ends that meets trouble: the draft intact or the change in place, never twice or silently."""

import time
from pathlib import Path

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.jsontext import Json
from svc_tui.core.settings import Profile
from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.browser import User, browser
from tests.fixed_keys import fixed
from tests.flows.steps import (
    at_name,
    changed_elsewhere,
    confirmed,
    heard,
    renamed,
    reviewed,
    stored_field,
    unfolded,
    unlocked,
)

LOTS = COLLECTIONS[0]
RECORD = "lot-000002"


def keys_sent(service: RunningService) -> list[str | None]:
    """The idempotency key of every PATCH that arrived, in order."""
    return [attempt.idempotency_key for attempt in service.attempts if attempt.method == "PATCH"]


async def results(user: User) -> list[str | None]:
    """How the journal says that the writes ended, the first one first."""
    entries = await user.store.journal(user.scope).entries()
    return [entry.outcome.result if entry.outcome else None for entry in reversed(entries)]


async def kept(user: User) -> list[dict[str, Json]]:
    """The edits that the store holds."""
    return [dict(draft.draft.edits) for draft in await user.store.drafts(user.scope).all()]


@pytest.mark.parametrize("fault", ["reset", "reset-before", "500", "503", "html-error", "429"])
async def test_one_trouble_on_the_way_and_the_change_is_in_place_once(
    service: RunningService, tmp_path: Path, fault: str
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Through")
        service.faults.next(fault, method="PATCH", retry_after=1 if fault == "429" else None)
        await confirmed(user)
        await heard(user, r"Saved lot-000002")
        await user.until(lambda: "•" not in user.text, "the draft is still marked")
        assert await results(user) == ["done"]
        assert await kept(user) == []
    assert stored_field(service, "name") == "Through"
    keys = keys_sent(service)
    # Where the first attempt was carried out, the record shows it, and nothing is sent a second time.
    assert len(keys) == (1 if fault == "reset" else 2)
    assert len(set(keys)) == 1
    assert keys[0] is not None


@pytest.mark.parametrize("fault", ["reset-before", "500"])
async def test_a_change_of_unknown_fate_that_is_not_there_is_sent_again_with_its_key(
    service: RunningService, tmp_path: Path, fault: str
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Second try")
        service.faults.next(fault, count=3, method="PATCH")
        await confirmed(user)
        await user.sees(r"Outcome unknown: lot-000002")
        await user.sees(r"(?s)Checked\s.*again:.+does\s.*not\s.*have\s.*the\s.*change")
        assert stored_field(service, "name") != "Second try"
        assert [draft["name"] for draft in await kept(user)] == ["Second try"]
        assert await results(user) == ["unknown"]
        await unfolded(user)
        await user.sees(rf"Idempotency-Key: {keys_sent(service)[0]}")
        await user.sees(r"y Send again")
        await user.press("y")
        await heard(user, r"Saved lot-000002")
        await user.until(lambda: "•" not in user.text, "the draft is still marked")
        assert await results(user) == ["unknown", "done"]
        assert await kept(user) == []
    assert stored_field(service, "name") == "Second try"
    assert len(keys_sent(service)) == 4
    assert len(set(keys_sent(service))) == 1


async def test_a_change_of_unknown_fate_can_be_left_and_keeps_its_draft(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Left")
        service.faults.next("500", count=3, method="PATCH")
        await confirmed(user)
        await user.sees(r"Outcome unknown: lot-000002")
        await user.sees(r"esc Later")
        await user.press("enter")
        await user.loses(r"Outcome unknown: lot-000002")
        await user.sees(r"Left\*")
        assert [draft["name"] for draft in await kept(user)] == ["Left"]
    assert len(keys_sent(service)) == 3


async def test_a_change_of_unknown_fate_that_is_there_is_said_and_its_draft_is_done(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "There")
        service.faults.next("reset", count=3)
        await confirmed(user)
        await heard(user, r"Saved lot-000002")
        await user.sees(r"(?s)Checked\s.*again:.+has\s.*the\s.*change")
        await user.until(lambda: "•" not in user.text, "the draft is still marked")
        assert await kept(user) == []
        assert await results(user) == ["done"]
    assert stored_field(service, "name") == "There"


async def test_a_change_of_unknown_fate_keeps_its_key_over_a_restart(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Next day")
        service.faults.next("500", count=3, method="PATCH")
        await confirmed(user)
        await user.sees(r"Outcome unknown: lot-000002")
        await user.sees(r"esc Later")
        await user.press("escape")
        await user.loses(r"Outcome unknown: lot-000002")
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000002: outcome unknown")
        await at_name(user)
        await reviewed(user)
        await unfolded(user)
        await user.sees(rf"Idempotency-Key: {keys_sent(service)[0]}")
        await user.press("y")
        await heard(user, r"Saved lot-000002")
        assert await results(user) == ["unknown", "done"]
    assert stored_field(service, "name") == "Next day"
    assert len(keys_sent(service)) == 4
    assert len(set(keys_sent(service))) == 1


async def test_the_offer_to_send_again_waits_until_no_dialog_takes_its_keys(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Later")
        service.faults.next("hold", method="PATCH")
        service.faults.next("500", count=3, method="PATCH")
        await confirmed(user)
        await user.press("question_mark")
        await user.sees(r"Keys ·")
        await user.until(lambda: service.faults.held == 1, "no answer was held")
        service.faults.release()
        await user.until(lambda: len(keys_sent(service)) == 3, "it was not tried again")
        await user.sees(r"outcome unknown")
        assert "Send again" not in user.text
        await user.press("escape")
        await user.sees(r"Outcome unknown: lot-000002")


async def test_a_429_that_asks_for_a_day_refuses_and_keeps_the_draft(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Tomorrow")
        service.faults.next("429", method="PATCH", retry_after=86_400)
        await confirmed(user)
        await user.sees(r"lot-000002 was not changed")
        await user.sees(r"Too many requests")
        assert [draft["name"] for draft in await kept(user)] == ["Tomorrow"]
        assert await results(user) == ["refused"]
    assert len(keys_sent(service)) == 1


async def test_a_clock_that_goes_wrong_before_the_write_is_corrected_and_it_is_done_once(
    service: RunningService, tmp_path: Path
) -> None:
    wrong = [0.0]
    async with browser(service, tmp_path, key="live", place="lots", now=lambda: time.time() + wrong[0]) as user:
        await at_name(user)
        await renamed(user, "In time")
        await user.press("w")
        await user.types("live")
        await user.press("enter")
        await user.sees(r"WRITABLE")
        await reviewed(user)
        await unfolded(user)
        await user.sees(r"If-Match:")
        wrong[0] = 1200.0
        await user.press("y")
        await heard(user, r"Saved lot-000002")
        assert await results(user) == ["done"]
    assert stored_field(service, "name") == "In time"
    assert len(set(keys_sent(service))) == 1


async def test_a_key_revoked_before_the_write_refuses_and_keeps_the_draft(tmp_path: Path) -> None:
    options = SandboxOptions(records=60, database=tmp_path / "mine.db")
    with running_service(options) as first:
        port, used = int(first.base_url.rsplit(":", 1)[1]), first.key("sandbox")
        running = browser(first, tmp_path, place="lots")
        user = await running.__aenter__()
        await at_name(user)
        await renamed(user, "Too late")
    revoked = IssuedKey("revoked", used.api_key, used.signing_secret)
    with running_service(
        SandboxOptions(records=60, database=tmp_path / "mine.db", port=port, keys=fixed(revoked))
    ) as again:
        await confirmed(user)
        await user.sees(r"lot-000002 was not sent")
        await user.sees(r"api_key_revoked")
        assert [draft["name"] for draft in await kept(user)] == ["Too late"]
        await running.__aexit__(None, None, None)
        assert keys_sent(again) == []
        assert stored_field(again, "name") != "Too late"


async def test_two_fields_that_moved_are_chosen_one_by_one(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots/lot-000002") as user:
        for field, text in (("name", "My name"), ("note", "My note")):
            await user.until(lambda: bool(user.app.main.workspace.panes.in_record), "no record is in focus")
            await user.press("g")
            while user.app.main.workspace.selection.field != field:
                await user.press("j")
            await user.press("e")
            await user.sees(r"(⏎|tab) Apply  esc Cancel")
            await user.press("ctrl+u")
            await user.types(text)
            await user.press("enter")
            await user.loses(r"(⏎|tab) Apply  esc Cancel")
        await changed_elsewhere(service, RECORD, name="Their name", note="Their note")
        await confirmed(user)
        await user.sees(r"Conflict in lot-000002")
        await user.sees(r"Conflict in [\s\S]+y Send")
        await user.press("m", "o", "y")
        await heard(user, r"Saved lot-000002")
        newest, *_ = await user.store.journal(user.scope).entries()
        assert (newest.intent.before, newest.intent.after) == ({"name": "Their name"}, {"name": "My name"})
    assert (stored_field(service, "name"), stored_field(service, "note")) == ("My name", "Their note")


async def test_a_change_between_the_reading_and_the_patch_is_the_choice_again(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Mine")
        await reviewed(user)
        await unfolded(user)
        await user.sees(r"If-Match:")
        # No other reading is to be the one that is held.
        await user.settled()
        service.faults.next("hold", method="GET")
        await user.press("y")
        await user.until(lambda: service.faults.held == 1, "the record was not read again")
        await changed_elsewhere(service, RECORD, name="Theirs")
        service.faults.release()
        await user.sees(r"Conflict in lot-000002")
        await user.sees(r"Others +Mine +Send[\s\S]+name +Cobalt doré 2 +Theirs +Mine +\?")
        assert stored_field(service, "name") == "Theirs"
        await user.sees(r"Conflict in [\s\S]+y Send")
        await user.press("m", "y")
        await heard(user, r"Saved lot-000002")
        assert await results(user) == ["refused", "done"]
    assert stored_field(service, "name") == "Mine"


async def test_the_card_of_a_row_shows_the_if_match_that_is_sent(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Guarded")
        await reviewed(user)
        await unfolded(user)
        shown = (await user.sees(r'If-Match: ("[0-9a-f]{32}")'))[1]
        await changed_elsewhere(service, RECORD, note="moved")
        await user.press("y")
        await user.sees(r"Others (?:also|have) changed note\b")
    keys = KeyPair(service.key("sandbox").api_key)
    async with SignedClient(Profile("other", sandbox_base_url=service.base_url), keys) as other:
        assert (await other.record(LOTS, RECORD)).etag != shown
    assert (stored_field(service, "name"), stored_field(service, "note")) == ("Guarded", "moved")


async def test_a_text_typed_beside_the_ticket_line_sends_nothing(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Careful")
        await reviewed(user)
        await user.types("symmetry-7")
        await user.sees(r"Ticket +ry-7")
        assert keys_sent(service) == []
        await user.press("enter", "y")
        await user.sees(r"or y again to send")
        assert keys_sent(service) == []
        await user.press("y")
        await heard(user, r"Saved [a-z]+-")


async def test_the_ticket_is_in_the_journal_and_on_the_next_card(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "With a ticket")
        await reviewed(user)
        await user.press("t")
        await user.types("OPS-7")
        await user.press("enter", "y")
        await heard(user, r"Saved [a-z]+-")
        await renamed(user, "Once more")
        await reviewed(user)
        await user.sees(r"Ticket +OPS-7")
        newest, *_ = await user.store.journal(user.scope).entries()
        assert newest.intent.ticket == "OPS-7"


async def test_a_key_is_no_ticket(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "No secret")
        await reviewed(user)
        await user.press("t")
        await user.types("svc_test_")
        await user.sees(r"not accepted: looks like a key or a secret")
        await user.press("enter", "y")
        await heard(user, r"Saved [a-z]+-")
        newest, *_ = await user.store.journal(user.scope).entries()
        assert newest.intent.ticket == ""


@pytest.mark.parametrize("secret", ["api_key", "signing_secret"])
async def test_a_secret_typed_into_a_field_is_refused_on_the_way_out_and_never_on_the_disk(
    service: RunningService, tmp_path: Path, secret: str
) -> None:
    typed = str(getattr(service.key("live"), secret))
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await unlocked(user)
        await at_name(user)
        await renamed(user, f"see {typed}")
        await heard(user, r"can't be sent\. Remove it")
        await user.press("ctrl+s")
        await heard(
            user,
            rf"body of the request contains your {'API key' if secret == 'api_key' else 'signing secret'}; remove it",
        )
        assert await results(user) == []
    assert not keys_sent(service)
    assert typed.encode() not in all_bytes(tmp_path)


def all_bytes(directory: Path) -> bytes:
    """What all files there hold."""
    return b"".join(file.read_bytes() for file in directory.rglob("*") if file.is_file())
