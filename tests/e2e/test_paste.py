"""A paste into a list is text for the line of `:`, never keys; a key or a secret in it is not even looked at."""

from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import quiet_environment, terminal

pytestmark = pytest.mark.terminal


def test_a_paste_into_the_table_fills_the_line_and_enter_goes_there(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        user.paste("  lots/lot-000007\n")
        user.sees(r"─ Go to ─")
        user.sees(r"│ +lots/lot-000007 ")
        user.press("enter")
        user.loses(r"─ Go to ─")
        user.sees(r"─ lot-000007 ─")
        steps.quits(user)


def test_the_letters_and_escapes_of_a_paste_press_no_keys_and_send_nothing(
    service: RunningService, tmp_path: Path
) -> None:
    keys = "q@4wezy:?x"
    with terminal(["lots/lot-000002"], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"─ lot-000002 ─")
        user.sees(r" / Search ")
        user.paste(keys)
        user.sees(r"─ Go to ─")
        user.sees(rf"│ +{keys.replace('?', '[?]')} ")
        steps.closes(user, r"─ Go to ─")
        user.sees(r"─ lot-000002 ─")
        assert "Console" not in user.text.split("4 Console")[0]
        # Most terminals take escapes out of a paste, some multiplexers don't.
        user.paste("lots/lot-000007\x1b]4;@")
        user.sees(r"─ Go to ─")
        user.sees(r"│ +lots/lot-000007")
        steps.closes(user, r"─ Go to ─")
        user.sees(r"─ lot-000002 ─")
        # On the card that a y would send.
        steps.edits(user, "lot-000002", "name", "Renamed")
        steps.reviews(user, "lot-000002")
        user.paste("TICKET-7\x1by")
        user.sees(r"Ticket +TICKET-7")
        user.press("esc")
        user.sees(r"y Send")
        steps.closes(user, r" Change lot-000002 ")
        user.sees(r"─ • lot-000002 ─")
        user.kill()
        user.ends()
    assert {attempt.method for attempt in service.attempts} == {"GET"}


def test_a_paste_whose_end_is_lost_swallows_no_keys(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        user.send(b"\x1b[200~lots/lot-000007")
        user.sees(r"─ Go to ─")
        user.sees(r"│ +lots/lot-000007 ")
        user.press("enter")
        user.sees(r"─ lot-000007 ─")
        steps.quits(user)


@pytest.mark.parametrize("what", ["another key", "the secret in use"])
def test_a_pasted_key_or_secret_is_refused_unseen(service: RunningService, tmp_path: Path, what: str) -> None:
    secret = service.key("live").signing_secret or ""
    pasted = "svc_live_k7Qm2ZpX4tV9" if what == "another key" else f"the secret is {secret}"
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "live"))) as user:
        user.sees(r"lot-000001 ")
        user.paste(pasted)
        user.sees(r"looks like a key or a secret")
        assert "Go to ─" not in user.text
        steps.quits(user)
    assert pasted.encode() not in user.raw
    assert secret.encode() not in user.raw
