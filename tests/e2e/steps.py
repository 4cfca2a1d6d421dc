"""What somebody does at the keys, step by step; each step waits until the screen says that it has happened."""

import re
from collections.abc import Sequence

from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.sandbox.server.process import SandboxProcess
from tests.terminal import Terminal

LOT_FIELDS = ("id", "name", "status", "priority", "grade", "massKg", "moisturePct")
"""The first fields of a lot, in the order of the record pane."""


def connection(service: RunningService | SandboxProcess, key: str, secret: str | None = None) -> dict[str, str]:
    """The `SVC_*` variables for one of the service's keys; `secret` takes the place of the right one."""
    offered = service.key(key)
    live = offered.api_key.startswith("svc_live_")
    variables = {"SVC_API_KEY": offered.api_key, "SVC_BASE_URL" if live else "SVC_SANDBOX_BASE_URL": service.base_url}
    if signing_secret := secret or offered.signing_secret:
        variables["SVC_SIGNING_SECRET"] = signing_secret
    return variables


def opens_record(user: Terminal, record_id: str) -> None:
    """Enter on the row under the cursor, which holds this record; the record pane has the focus afterwards."""
    user.sees(r"⏎ Open")
    user.press("enter")
    user.sees(rf"─ (• )?(lots / )?{record_id} ")
    user.sees(r" / Search ")


def is_in_field(user: Terminal, label: str) -> None:
    """Wait until the cursor is in this field of a dialog, which is empty: a paste goes where it is."""

    def stands_there() -> bool:
        first, second = (user.ground(rf"(?<={label:{cells}}).") for cells in (16, 17))
        return None not in (first, second) and first != second

    user.until(stands_there, f"the cursor never came to {label}")


def types_into(user: Terminal, record_id: str, field: str, text: str, fields: Sequence[str] = LOT_FIELDS) -> None:
    """Open the editor of a field of the record pane, and type over what is there."""
    user.press("g", *"j" * fields.index(field), "e")
    user.sees(r"(⏎|tab) Apply  esc Cancel")
    user.press("ctrl+u", text)
    user.sees(re.escape(text))


def edits(user: Terminal, record_id: str, field: str, text: str, fields: Sequence[str] = LOT_FIELDS) -> None:
    """A whole edit of a field, kept and not yet sent."""
    types_into(user, record_id, field, text, fields)
    user.press("enter")
    user.loses(r"(⏎|tab) Apply  esc Cancel")
    user.sees(rf"─ • (lots / )?{record_id} ")


def reviews(user: Terminal, record_id: str) -> None:
    """Open the change card."""
    user.press("ctrl+s")
    user.sees(rf" Change {record_id} [─═]")


def unlocks(user: Terminal) -> None:
    """Unlock LIVE by its word."""
    user.press("w")
    user.sees(r"Unlock sending")
    user.press("live", "enter")
    user.loses(r"Unlock sending")
    user.sees(r"WRITABLE (9:5\d|10:00)")


def closes(user: Terminal, dialog: str) -> None:
    """Esc, until what it closes is gone."""
    user.sees(dialog)
    user.press("esc")
    user.loses(dialog)


def dismisses(user: Terminal, said: str) -> None:
    """Wait for a notification, and click it away so that it covers nothing."""
    user.sees(said)
    user.click(said)
    user.loses(said)


def requests(user: Terminal, path: str) -> None:
    """Send a GET from the console."""
    user.press("4")
    user.sees(r"─ Console ─")
    user.press(path)
    user.sees(rf"→{path}")
    user.press("ctrl+j")


def quits(user: Terminal) -> None:
    """Leave with ctrl+q; the terminal is as it was."""
    user.press("ctrl+q")
    assert user.ends() == 0
    left_in_order(user)


ALTERNATE_SCREEN, CURSOR_SHOWN, AUTOWRAP, BRACKETED_PASTE = 1049, 25, 7, 2004
MOUSE_AND_FOCUS = (9, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016)


def left_in_order(user: Terminal) -> None:
    """The terminal that the program ended on is as it found it."""
    assert user.modes[ALTERNATE_SCREEN] is False
    assert user.modes[CURSOR_SHOWN] is True
    assert user.modes[BRACKETED_PASTE] is False
    assert user.modes.get(AUTOWRAP, True) is True
    assert [mode for mode in MOUSE_AND_FOCUS if user.modes.get(mode)] == []
    # Every enhancement of the keyboard that was pushed is popped, and the pointer has its usual shape.
    assert user.raw.count(b"\x1b[<u") == user.raw.count(b"\x1b[>")
    assert user.attributes_after == user.attributes_before
