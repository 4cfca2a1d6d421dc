"""Records full of markup, escape sequences and invisible characters: what the terminal gets is drawn by us alone.

The tests look at the bytes written, not only at the screen: every escape sequence is one of the few that drawing
needs, and what is printed between them holds nothing that hides or commands.
"""

import base64
import re
import unicodedata
from pathlib import Path

import pytest

from svc_tui.sandbox.seeds.hostile import HOSTILE_LOT, MARKUP_LOT
from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal

LOTS = "operations/lots"

DRAWING = re.compile(
    rb"\x1b(?:"
    rb"\[\d+;\d+H"  # the cursor to a place
    rb"|\[0m|\[(?:\d+;)*[34]8;2(?:;\d+)+m"  # colours, always true colour, and back
    rb"|\[\?(?:7|25|1000|1003|1004|1006|1015|1049|2004|2026)[hl]"  # the modes of a full-screen program
    rb"|\[\?(?:2026|2048)\$p"  # questions to the terminal
    rb"|\[>\d+u|\[<u"  # the keyboard
    rb"|\]22;[a-z-]+\x07"  # the pointer's shape
    rb"|\[2[23];2t|\]2;[^\x00-\x1f\x7f]+\x1b\\"  # the window's title, in visible characters
    rb")"
)
"""The sequences that drawing takes; none of them can carry text, but for the title, whose text is visible."""

BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0"
"""Characters without width or ink that are in no category of their own."""


def drew_only(user: Terminal, *copied: bytes) -> None:
    """All that was written is drawing, and `copied`: the OSC 52 that the user asked for."""
    foreign = [sequence for sequence in user.sequences if not DRAWING.fullmatch(sequence)]
    assert foreign == list(copied)
    hidden = {
        character
        for character in user.printed
        if (unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in "\r\n")
        or character in BLANK
        or "\ufe00" <= character <= "\ufe0f"
    }
    assert hidden == set()


HOSTILE_ROW = 72
"""How many rows below the first `HOSTILE_LOT` is."""

NAME = r"\[/x\]␛\[2J⟨202e⟩evil⟨202c⟩"


def test_a_hostile_record_is_shown_as_it_is_wherever_it_goes(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        user.press(*"j" * HOSTILE_ROW)
        user.sees(rf"{HOSTILE_LOT}  {NAME}")
        steps.opens_record(user, HOSTILE_LOT)
        user.sees(r"[ ▌]name +\[/x\]␛\[2J⟨202e⟩evil")
        user.sees(r" note +\[/x\] \[bold\]not ")
        # Its JSON, to the end and back.
        user.press("}")
        user.sees(r'"name": "\[/x\](␛|\\u001b)\[2J')
        user.press("G")
        user.sees(r'"updatedAt"')
        user.press("{")
        user.sees(r"[ ▌]name +\[/x\]␛\[2J⟨202e⟩evil")
        # A change beside it: its name is on the card.
        steps.edits(user, HOSTILE_LOT, "massKg", "1500.50")
        steps.reviews(user, HOSTILE_LOT)
        user.sees(rf"{NAME} · operations / lots")
        user.press("y")
        steps.dismisses(user, rf"Saved {HOSTILE_LOT}")
        # The console, the answer to its end.
        steps.requests(user, f"/v1/operations/lots/{HOSTILE_LOT}")
        user.sees(r"✓ 200 OK")
        user.sees(r'"name": "\[/x\](␛|\\u001b)\[2J')
        steps.closes(user, r"─ Console ─")
        steps.quits(user)
    drew_only(user)


def test_a_hostile_value_is_replaced_and_kept_in_the_journal(service: RunningService, tmp_path: Path) -> None:
    place = f"lots/{HOSTILE_LOT}"
    with terminal([place], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(rf"─ {HOSTILE_LOT} ─")
        user.sees(r" / Search ")
        steps.edits(user, HOSTILE_LOT, "name", "[/x] Tame")
        steps.reviews(user, HOSTILE_LOT)
        user.sees(r'- "\[/x\](␛|\\u001b)\[2J')
        user.sees(r'\+ "\[/x\] Tame"')
        user.press("y")
        user.sees(rf"Saved {HOSTILE_LOT}")
        user.press("@")
        user.sees(r"name: .*\[/x\](␛|\\u001b)\[2J.* → .*\[/x\] Tame")
        user.press("enter")
        user.sees(r"─ Change 1 ─")
        steps.closes(user, r"─ Change 1 ─")
        steps.closes(user, r"─ Journal ·")
        steps.quits(user)
    drew_only(user)


@pytest.mark.parametrize("field", ["name", "note"], ids=["one line", "many lines"])
def test_hostile_text_in_an_editor_hides_nothing(service: RunningService, tmp_path: Path, field: str) -> None:
    place = f"lots/{HOSTILE_LOT}"
    with terminal([place], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(rf"─ {HOSTILE_LOT} ─")
        user.sees(r" / Search ")
        user.press("/", *field, "enter", "e")
        user.sees(r"(⏎|tab) Apply  esc Cancel")
        steps.closes(user, r"(⏎|tab) Apply  esc Cancel")
        steps.quits(user)
    drew_only(user)


def test_other_hostile_records_and_joined_emoji_hide_nothing(service: RunningService, tmp_path: Path) -> None:
    first, *others = (
        (f"lots/{MARKUP_LOT}", r"\[/x\] Lot \[bold"),
        ("lots/lot-000082", r"１２３"),
        ("tunnels/tun-63", r"\[dim\]Adit\[/x\] 63"),
        ("workers/wrk-0069", r"Robert \[/x\]⟨zwsp⟩ ⟨202e⟩yddoB"),
        ("incidents/inc-0062", r"description +\[/x\] \[bold\]not "),
    )
    place, shown = first
    with terminal([place], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(rf"─ {place.partition('/')[2]} ─")
        user.sees(shown)
        for place, shown in others:
            user.press(":")
            user.sees(r"─ Go to ─")
            user.press(place, "enter")
            user.loses(r"─ Go to ─")
            user.sees(rf"─ {place.partition('/')[2]} ─")
            user.sees(shown)
        steps.quits(user)
    drew_only(user)


def test_hostile_text_that_is_pasted_and_answered_hides_nothing(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        # Into the line of `:`, and from there into a notification.
        user.paste("lots/[x] \u202e\u200b🧑‍🚒")
        user.sees(r"─ Go to ─")
        user.sees(r"lots/\[x\] ")
        user.press("enter")
        user.sees(r"Could not load \[x\] ⟨202e⟩⟨zwsp⟩🧑 ?⁀🚒")
        # Into the console, and out of the service's answer.
        user.press("4")
        user.sees(r"─ Console ─")
        user.paste("/v1/operations/lots/[x]\u202e\u2066\u200b")
        user.press("ctrl+j")
        user.sees(r"✕ 404")
        steps.closes(user, r"─ Console ─")
        steps.quits(user)
    drew_only(user)


def test_a_copy_is_the_one_thing_that_reaches_the_clipboard(service: RunningService, tmp_path: Path) -> None:
    with terminal([], quiet_environment(tmp_path, **steps.connection(service, "sandbox"))) as user:
        user.sees(r"lot-000001 ")
        user.press(*"j" * HOSTILE_ROW)
        user.sees(rf"{HOSTILE_LOT} ")
        user.press("l", "c")
        user.sees(r"Copied \(.*; 1 control")
        steps.quits(user)
    copied = "[/x][2J\u202eevil\u202c"
    drew_only(user, b"\x1b]52;c;" + base64.b64encode(copied.encode()) + b"\x07")
