"""What users do again and again in the flows: change the name of lot-000002, review, send; choose from a list."""

import re

from textual.widgets import OptionList

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.jsontext import Json, Number, loads
from svc_tui.core.settings import Profile
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User
from tests.direct_requests import remove, update

LOTS = COLLECTIONS[0]
RECORD = "lot-000002"


def stored(service: RunningService, record_id: str, collection: str = LOTS.key) -> dict[str, Json] | None:
    """A record as the service holds it; None where it holds none."""
    text = service.record(collection, record_id)
    if text is None:
        return None
    record = loads(text)
    assert isinstance(record, dict)
    return record


def stored_field(service: RunningService, field: str, record_id: str = RECORD) -> object:
    """A field of a lot as the service holds it, a number as its text."""
    record = stored(service, record_id)
    assert record is not None
    value = record[field]
    return value.text if isinstance(value, Number) else value


async def changed_elsewhere(service: RunningService, record_id: str, **fields: Json) -> None:
    """Another user changes a lot."""
    keys = KeyPair(service.key("sandbox").api_key)
    async with SignedClient(Profile("other", sandbox_base_url=service.base_url), keys) as other:
        await update(other, LOTS, record_id, fields)


async def deleted_elsewhere(service: RunningService, record_id: str) -> None:
    """Another user deletes a lot."""
    keys = KeyPair(service.key("sandbox").api_key)
    async with SignedClient(Profile("other", sandbox_base_url=service.base_url), keys) as other:
        await remove(other, LOTS, record_id)


async def unlocked(user: User) -> None:
    """Unlock LIVE."""
    await user.sees(r"LOCKED")
    await user.press("w")
    await user.sees(r"Unlock sending")
    await user.types("live")
    await user.press("enter")
    await user.sees(r"WRITABLE")


async def held_back(user: User) -> None:
    """See that the card in view may not be sent: its key says why, and how that is changed."""
    await user.sees(r"LIVE is locked\. +esc .+w Unlock LIVE")
    await user.press("y")
    await user.sees(r"not sent: LIVE is locked")


async def unfolded(user: User) -> None:
    """Unfold the headers of the card in view."""
    await user.sees(r"h Show[\s\S]+ y (Send|Delete)")
    await user.press("h")


async def sent_from_console(user: User) -> None:
    """Send the write in the console: its card, then `y`."""
    await user.press("ctrl+j")
    await user.sees(r"Send this request")
    await user.press("y")


async def heard(user: User, pattern: str, times: int = 1) -> None:
    """Wait until the program has said what matches, so many times; its notices go away by themselves."""

    def said() -> bool:
        return sum(re.search(pattern, report.line) is not None for report in user.app.main.reports) >= times

    await user.until(said, f"nobody said {pattern!r}, {times} times")


async def goes_to(user: User, text: str) -> None:
    """Go where the `:` line leads."""
    await user.press("colon")
    await user.sees(r"╭─ Go to ")
    await user.types(text)
    await user.press("enter")


async def at_name(user: User) -> None:
    """Put the table's cursor on the name of the record."""
    # At the edge of the table: a notice may tell of the record before its row is there.
    await user.sees(rf"│ {RECORD}\b")
    await user.press("j", "l")


async def renamed(user: User, name: str) -> None:
    """Edit the name under the cursor, and leave the editor."""
    await user.press("e")
    await user.sees(r"(⏎|tab) Apply  esc Cancel")
    await user.press("ctrl+u")
    await user.types(name)
    await user.press("enter")
    await user.loses(r"(⏎|tab) Apply  esc Cancel")


async def entered_unknown(user: User) -> None:
    """Take a value that no record has, by its own line: the last of the list."""
    await user.sees(r"Use “.+” as typed")
    await user.press("up", "enter")


async def reviewed(user: User) -> None:
    """Open the change card."""
    await user.press("ctrl+s")
    await user.sees(rf"Change {RECORD}")


async def confirmed(user: User) -> None:
    """Review the change, and have it sent, whatever becomes of it."""
    await reviewed(user)
    await user.press("y")
    await user.loses(rf"Change {RECORD}")


async def sent(user: User) -> None:
    """Review the change, send it, and see that it was written."""
    await reviewed(user)
    await user.press("y")
    await user.sees(rf"Saved {RECORD}")


async def at_line(user: User, words: str) -> None:
    """Put the cursor of the list that is open on the line with these words."""
    await user.until(lambda: bool(user.app.screen.query(OptionList)), "no list is open")
    lines = user.app.screen.query_one(OptionList)
    await user.until(lambda: any(words in str(option.prompt) for option in lines.options), f"no line {words!r}")
    wanted = next(at for at, option in enumerate(lines.options) if words in str(option.prompt))
    while lines.highlighted != wanted:
        await user.press("down" if (lines.highlighted or 0) < wanted else "up")


async def chosen(user: User, words: str) -> None:
    """Choose the line with these words."""
    await at_line(user, words)
    await user.press("enter")


async def commanded(user: User, typed: str, title: str) -> None:
    """Have the palette run the command of this title, found by what is typed."""
    await user.press("ctrl+p")
    await user.types(typed)
    await user.sees(re.escape(title))
    await user.settled()
    commands = user.app.screen.query_one(OptionList)
    for _ in range(commands.option_count + 1):
        at = commands.highlighted
        if at is not None and title in str(commands.get_option_at_index(at).prompt):
            await user.press("enter")
            return
        await user.press("down")
    raise AssertionError(f"no command {title}:\n{user.text}")
