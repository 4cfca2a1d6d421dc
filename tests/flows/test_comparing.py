"""Two records side by side, and one beside what it was: read anew, field by field, from difference to difference."""

import re
from pathlib import Path

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.jsontext import Json, to_plain
from svc_tui.core.kinds import MASKED
from svc_tui.core.settings import Profile
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.record.comparison import RecordComparisonScreen
from tests.browser import User, browser
from tests.direct_requests import remove
from tests.flows.steps import (
    RECORD,
    at_name,
    changed_elsewhere,
    chosen,
    commanded,
    heard,
    renamed,
    sent,
    stored,
)

FIRST, SECOND = "lot-000001", "lot-000002"
WORKERS = next(collection for collection in COLLECTIONS if collection.name == "workers")


async def marked(user: User, first: str = FIRST) -> None:
    """Mark the first two records of the table."""
    await user.sees(rf"│ {first}\b")
    await user.press("space", "space")
    await user.sees(r"2 marked")


async def compared(user: User) -> RecordComparisonScreen:
    """Compare the two that are marked, from the menu."""
    await user.press("x")
    await chosen(user, "Compare the 2 marked")
    await user.sees(r"╭─ Compare ")
    screen = user.app.screen
    assert isinstance(screen, RecordComparisonScreen)
    return screen


def at(screen: RecordComparisonScreen) -> str:
    """The name of the field under the cursor."""
    field = screen._cursor_field
    assert field is not None
    return field.name


async def test_two_marked_records_begin_with_what_differs_and_show_all_on_demand(
    service: RunningService, tmp_path: Path
) -> None:
    same: Json = {"name": "Twin", "massKg": to_plain(7), "assay": {"goldPpm": to_plain(1), "by": "x"}}
    assert isinstance(same, dict)
    await changed_elsewhere(service, FIRST, **{**same, "tags": ["wet", "ore"]})
    await changed_elsewhere(service, SECOND, **{**same, "assay": {"goldPpm": to_plain(2), "by": "x"}, "tags": ["wet"]})
    async with browser(service, tmp_path, place="lots") as user:
        await marked(user)
        screen = await compared(user)
        found = await user.sees(r"Compare operations/lots · (\d+) of (\d+) fields differ")
        assert len(screen._fields) == int(found[1]) < int(found[2])
        await user.sees(rf"field +{FIRST}  Twin +{SECOND}  Twin")
        await user.sees(r"≠ assay\.goldPpm +1 +2")
        await user.sees(r'≠ tags +\["wet","ore"\] +\["wet"\]')
        assert "assay.by" not in user.text
        await user.press("a")
        await user.until(lambda: len(screen._fields) == int(found[2]), "not all fields are shown")
        await user.sees(r"  assay\.by +x +x")
        await user.press("a")
        await user.loses(r"assay\.by")
        await user.press("escape")
        await user.loses(r"╭─ Compare ")
        assert user.app.screen is user.app.main


async def test_keys_lead_from_difference_to_difference_and_around(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await marked(user)
        screen = await compared(user)
        names = [field.name for field in screen._pair.comparison.differing]
        await user.press("a")
        await user.sees(r"a Differences only")
        assert at(screen) == names[0]
        for name in (*names[1:], names[0]):
            await user.press("n")
            assert at(screen) == name
        await user.sees(rf"difference 1 of {len(names)}")
        await user.press("N")
        assert at(screen) == names[-1]
        await user.sees(rf"difference {len(names)} of {len(names)}")
        await user.press("a")
        await user.sees(r"a All fields")
        assert at(screen) == names[-1]


async def test_both_values_are_shown_whole(service: RunningService, tmp_path: Path) -> None:
    long = "ore " * 60
    await changed_elsewhere(service, FIRST, name=f"{long}left")
    await changed_elsewhere(service, SECOND, name=f"{long}right")
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await marked(user)
        screen = await compared(user)
        # What differs is at the end of both, and in view for all that.
        await user.sees(r"≠ name +….*left +….*right")
        while at(screen) != "name":
            await user.press("n")
        await user.press("enter")
        await user.sees(r"╭─ name ")
        await user.sees(r"left +│")
        await user.press("escape")
        await user.sees(r"╭─ Compare ")


async def test_marked_records_are_compared_as_they_are_now_and_without_edits_not_sent(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Not sent")
        await user.press("k")
        await marked(user)
        await changed_elsewhere(service, FIRST, name="Changed meanwhile")
        screen = await compared(user)
        assert "Not sent" not in user.text
        await user.sees(r"≠ name +Changed meanwhile ")
        assert screen._pair.left.record.fields["name"] == "Changed meanwhile"


async def test_a_marked_record_that_is_gone_is_said_in_a_line(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="workers") as user:
        await marked(user, "wrk-0001")
        keys = KeyPair(service.key("sandbox").api_key)
        async with SignedClient(Profile("other", sandbox_base_url=service.base_url), keys) as other:
            await remove(other, WORKERS, "wrk-0002")
        assert stored(service, "wrk-0002", WORKERS.key) is None
        await commanded(user, "compare 2 marked", "Compare the 2 marked records…")
        await heard(user, r"^Not compared: wrk-0002 no longer exists \(404\)\.$")
        assert not isinstance(user.app.screen, RecordComparisonScreen)


async def test_one_that_can_not_be_read_is_said_with_the_reason(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await marked(user)
        await user.settled()
        service.faults.next("500", count=9)
        await user.press("x")
        await chosen(user, "Compare the 2 marked")
        await heard(user, r"Could not load lot-00000[12]: .*500")
        assert not isinstance(user.app.screen, RecordComparisonScreen)


async def test_it_is_offered_for_exactly_two(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(rf"│ {FIRST}\b")
        await user.press("space", "x")
        await user.sees(r"Change a field of 1 marked")
        assert "Compare the 2 marked" not in user.text
        await user.press("escape", "space", "space", "x")
        await user.sees(r"Change a field of 3 marked")
        assert "Compare the 2 marked" not in user.text
        await user.press("escape", "ctrl+p")
        await user.types("compare")
        await user.sees(r"Compare with an earlier version…")
        assert "Compare the 2 marked" not in user.text


async def test_a_record_beside_what_it_was_before_a_write(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        old = str((stored(service, RECORD) or {})["name"])
        for name in ("Second name", "Third name"):
            await renamed(user, name)
            await sent(user)
            await user.puts_away_notices()
            await user.sees(rf"│ {RECORD} +{name}")
        await changed_elsewhere(service, RECORD, name="By somebody else")
        await user.press("x")
        await chosen(user, "Compare with an earlier version")
        await user.sees(rf"Compare {RECORD} with an earlier version")
        versions = re.findall(r":\d\d  (before|after ) +PATCH +name", user.text)
        assert versions == ["after ", "before", "after ", "before"]
        await user.press("end", "enter")
        await user.sees(rf"Compare {RECORD} · 1 of 2 fields differs · \d+ not recorded")
        await user.sees(r"field +before \d{4}-\d\d-\d\d \d\d:\d\d +now")
        await user.sees(rf"≠ name +{re.escape(old)} +By somebody else")
        await user.press("a")
        await user.sees(r"\? status +not recorded +")


async def test_a_record_that_was_never_written_from_here_has_no_earlier_version(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(rf"│ {FIRST}\b")
        await commanded(user, "earlier version", "Compare with an earlier version…")
        await heard(user, rf"No earlier version of {FIRST}")


async def test_personal_data_is_hidden_as_soon_as_it_is_to_be_and_still_known_to_differ(
    service: RunningService, tmp_path: Path
) -> None:
    people = [stored(service, record_id, WORKERS.key) or {} for record_id in ("wrk-0001", "wrk-0002")]
    emails = [str(person["email"]) for person in people]
    assert emails[0] != emails[1]
    async with browser(service, tmp_path, place="workers", size=(160, 40)) as user:
        await marked(user, "wrk-0001")
        await compared(user)
        await user.sees(re.escape(emails[0]))
        await user.sees(re.escape(str(people[0]["name"])))
        await user.press("ctrl+o")
        await user.sees(rf"≠ email +{MASKED} +{MASKED}")
        shown = [str(person[field]) for person in people for field in ("name", "email", "phone")]
        assert not [text for text in shown if text in user.text]
        await user.puts_away_notices()
        await user.press("enter")
        await user.sees(r"esc Close")
        assert not [text for text in shown if text in user.text]
        await user.press("escape", "ctrl+o")
        await user.sees(re.escape(emails[0]))


async def test_what_would_command_a_terminal_or_be_markup_is_harmless(service: RunningService, tmp_path: Path) -> None:
    evil: dict[str, Json] = {"na[/x]me\x1b": {"[red]": "\x1b[31m[/x]"}}
    await changed_elsewhere(service, FIRST, name="[bold]\x1b]0;x\x07", assay=evil)
    async with browser(service, tmp_path, place="lots") as user:
        await marked(user)
        await compared(user)
        await user.sees(r"≠ name +\[bold\]␛\]0;x␇")
        await user.sees(r'- assay\["na\[/x\]me.*"\]\["\[red\]"\] +␛\[31m\[/x\] +not set')
        assert "\x1b" not in user.text


async def test_records_that_are_the_same_say_so_and_keys_do_no_harm(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        name = (stored(service, RECORD) or {})["name"]
        await renamed(user, "Another")
        await sent(user)
        await changed_elsewhere(service, RECORD, name=name)
        await user.puts_away_notices()
        await user.press("x")
        await chosen(user, "Compare with an earlier version")
        await user.sees(r"with an earlier version")
        await user.press("end", "enter")
        await user.sees(r"no differences in 2 fields")
        await user.sees(r"No differences\. Press a to show all fields\.")
        await user.press("n", "N", "j", "k", "enter", "a")
        await user.sees(rf"  name +{re.escape(str(name))} +{re.escape(str(name))}")
