"""The first tour in a real terminal of 80 by 24, from the welcome's door to its end."""

from pathlib import Path

import pytest

from tests.e2e import steps
from tests.terminal import Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal


def sends(user: Terminal) -> None:
    """See all of the card, its headers in one line, and send what it shows; the tour says how."""
    user.sees(r"Press y to send it")
    user.sees(r"h Show")
    user.loses(r"more below")
    user.press("y")


def test_from_the_welcome_to_the_end_of_the_tour(tmp_path: Path) -> None:
    environment = quiet_environment(tmp_path, PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring")
    with terminal([], environment, 80, 24) as user:
        user.sees(r"and a short tour")
        user.press("d")
        user.sees(r"Tour 1 of 10 +Ten short steps")
        user.sees(r"of 5,000 ─")
        user.sees(r"SANDBOX +demo .*signed")
        user.press("G")
        user.sees(r"Tour 2 of 10 +✓ Row 5,000 of 5,000")
        user.sees(r"lot-005000")
        user.press("/")
        user.sees(r"/ text  field:")
        user.press("status:open")
        user.sees(r"Press enter to apply the filter")
        user.press("enter")
        user.sees(r"ctrl\+l Load the rest \(25 requests\)")
        user.sees(r"Tour 3 of 10 +✓ [\d,]+ matches")
        user.press("enter")
        user.sees(r"Tour 4 of 10 +✓ These are its fields")
        user.press("/")
        user.sees(r"search names and values")
        user.press("tunnelId", "enter")
        user.loses(r"tunnelId$")
        user.sees(r"tunnelId +tun-\d+ →")
        user.press("f")
        user.sees(r"─ (tunnels / )?tun-\d+ ")
        user.sees(r"Press \[ to go back")
        user.press("[")
        user.sees(r"Tour 5 of 10 +✓ Back again")
        user.sees(r"─ (\w+ / )?lot-\d+ ")
        # That is there while it is still read.
        user.sees(r" massKg +[\d.,]+")
        user.press("g", "j", "e")
        user.sees(r"(⏎|tab) Apply  esc Cancel")
        user.press(" again")
        user.sees(r" again ")
        user.press("enter")
        user.sees(r"Tour 6 of 10 +✓ A draft, not sent yet")
        user.press("ctrl+s")
        user.sees(r" Change lot-\d+ ")
        sends(user)
        user.sees(r"Tour 7 of 10 +✓ Saved")
        user.press("u")
        user.sees(r"Review the undo")
        user.sees(r"Press enter to review the undo")
        user.press("enter")
        user.sees(r"Undo: change lot-\d+ ")
        sends(user)
        user.sees(r"Tour 8 of 10 +✓ Undone")
        user.press("2")
        user.sees(r"three times to mark three records")
        user.press(" ", " ", " ")
        user.sees(r"Press x and choose Change a field")
        user.press("x")
        user.sees(r"Change a field of 3 marked")
        user.press("enter")
        user.sees(r"Field to change in 3 records")
        user.press("mineral", "enter")
        user.sees(r"3 records · mineral")
        user.press("ctrl+u", "testite")
        user.sees(r"Use “testite” as typed")
        user.press("up", "enter")
        user.sees(r"y Send 3")
        user.press("y")
        user.sees(r"Tour 9 of 10 +✓ Saved one by one")
        user.press("4")
        user.sees(r"─ Console ─")
        user.press("lots limit==1")
        user.sees(r"→/v1/operations/lots\?limit=1")
        user.press("ctrl+j")
        user.sees(r"Press f9 to see how the request was signed")
        user.press("f9")
        user.sees(r"Tour 10 of 10 +✓ Time, method, path and body")
        user.press("esc")
        user.sees(r"Press esc to leave the console")
        user.press("esc")
        user.sees(r"\? for help, or ctrl\+p for all commands")
        user.press("?")
        user.sees(r"✓ That was the last step")
        user.press("ctrl+x")
        user.loses(r"That was the last step")
        user.press("esc")
        user.loses(r"─ Keys ")
        steps.quits(user)


def test_the_demo_begins_with_the_tour_where_that_is_asked_for_and_ends_it_at_one_key(tmp_path: Path) -> None:
    with terminal(["demo", "--tour"], quiet_environment(tmp_path), 100, 40) as user:
        user.sees(r"─ Tour 1 of 10 · Last record ─")
        user.sees(r"lot-000001")
        user.press("f12")
        user.sees(r"─ Tour 2 of 10 · Filter ─")
        user.press("ctrl+x")
        user.loses(r"─ Tour ")
        steps.quits(user)


def test_a_plain_demo_has_no_tour(tmp_path: Path) -> None:
    with terminal(["demo"], quiet_environment(tmp_path), 100, 40) as user:
        user.sees(r"lot-000001")
        user.press("f12", "ctrl+p")
        user.sees(r"─ Commands ─")
        assert "Tour" not in user.text
        user.press("esc")
        user.loses(r"─ Commands ─")
        steps.quits(user)
