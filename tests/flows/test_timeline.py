"""The story of a record in its History tab: its moments, writes from here, what hangs under it, what names it."""

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import Collection
from svc_tui.core.jsontext import Json, loads
from svc_tui.core.kinds import MASKED
from svc_tui.core.records import Page, Place, Record
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.errors import InsufficientScope, NotFound, ServiceError
from svc_tui.storage.record_index.index_values import SingleReading
from svc_tui.ui.record import timeline_controller
from tests.browser import User, browser
from tests.flows.steps import LOTS, RECORD, at_name, goes_to, renamed, sent, stored
from tests.flows.test_record_tabs import FIRST, LOT, SECOND, asked, to_tab
from tests.flows.test_record_tabs import PLACE as LOT_PLACE

INCIDENTS, CUSTODY = "safety/incidents", "operations/custody"
WIDE = (200, 40)


async def to_history(user: User, record_id: str) -> None:
    """Open the History tab of the record that is open, and wait until all is in it."""
    await user.sees(rf"╭─ (\w+ / )?{record_id} ")
    await to_tab(user, "History")
    await user.sees(r"Includes loaded records")
    await user.settled()


async def shown_alone(user: User) -> None:
    """Give the record all the room."""
    await user.press("z")
    await user.loses(r"╭─ Collections")
    await user.settled()


def lines(user: User, pattern: str) -> list[str]:
    """The lines of the screen that match."""
    return [line.strip("│ ") for line in user.text.split("\n") if re.search(pattern, line)]


def first_that_names(service: RunningService, collection: str, prefix: str, digits: int, field: str) -> dict[str, Json]:
    """The first record of a collection that names another in a field."""
    for number in range(1, 40):
        record = stored(service, f"{prefix}-{number:0{digits}d}", collection)
        if record is not None and record.get(field):
            return record
    raise AssertionError(f"no record of {collection} names one in {field}")


async def test_moments_of_the_record_and_what_hangs_under_it_stand_in_one_order(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place=LOT_PLACE, size=WIDE) as user:
        await to_history(user, LOT)
        await shown_alone(user)
        events = lines(user, r"\d\d:\d\d  (record|attachment)")
        times = [event[:16] for event in events]
        assert times == sorted(times, reverse=True)
        record = stored(service, LOT)
        assert record is not None
        for name, words in (("createdAt", "created"), ("closedAt", "closed"), ("updatedAt", "updated")):
            when = str(record[name])[:16].replace("T", " ")
            assert f"{when}  record      {words}" in events
        for attachment in (FIRST, SECOND):
            held = loads(service.record(f"operations/lots/{LOT}/attachments", attachment) or "")
            assert isinstance(held, dict)
            (line,) = lines(user, rf"attachment  {attachment} uploaded")
            assert line.startswith(str(held["uploadedAt"])[:16].replace("T", " "))
            assert str(held["fileName"]) in line
        assert len(asked(service)) == 1
        assert len(lines(user, r"Includes loaded records|No changes from this computer|loading…")) == 2


async def test_an_attachment_that_a_tab_has_loaded_is_not_read_again(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=LOT_PLACE, size=WIDE) as user:
        await user.sees(rf"╭─ {LOT} ")
        await to_tab(user, "attachments")
        await user.sees(FIRST)
        await user.settled()
        await to_history(user, LOT)
        await user.sees(rf"{FIRST} uploaded")
        assert len(asked(service)) == 1


async def test_who_only_passes_by_asks_for_nothing(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = asyncio.Event()

    async def pause(seconds: float) -> None:
        await (over.wait() if seconds else asyncio.sleep(0))

    monkeypatch.setattr(timeline_controller, "asyncio", SimpleNamespace(sleep=pause, gather=asyncio.gather))
    async with browser(service, tmp_path, place=LOT_PLACE, size=WIDE) as user:
        await user.sees(rf"╭─ {LOT} ")
        await to_tab(user, "History")
        await user.sees(r"record +created")
        await user.press("left_curly_bracket")
        await user.loses(r"record +created")
        over.set()
        await user.settled()
        assert asked(service) == []
        await to_history(user, LOT)
        await user.sees(rf"{FIRST} uploaded")


@pytest.mark.parametrize(
    ("collection", "prefix", "digits", "source"), [(INCIDENTS, "inc", 4, "incident"), (CUSTODY, "cus", 6, "custody")]
)
async def test_a_record_that_is_loaded_and_names_this_one_is_told_and_enter_leads_to_it(
    service: RunningService, tmp_path: Path, collection: str, prefix: str, digits: int, source: str
) -> None:
    naming = first_that_names(service, collection, prefix, digits, "lotId")
    lot, its_id = str(naming["lotId"]), str(naming["id"])
    async with browser(service, tmp_path, place=collection, size=WIDE) as user:
        await user.sees(rf"{prefix}-0+1\b")
        await user.settled()
        before = len(service.attempts)
        await goes_to(user, f"lots/{lot}")
        await to_history(user, lot)
        (line,) = lines(user, rf"\d  {source}\b.*")[:1] or [""]
        assert line, user.text
        await user.sees(rf"{its_id} (occurred|handed over)")
        paths = [attempt.target for attempt in service.attempts[before:]]
        assert not any(path.startswith(f"/v1/{collection}") for path in paths), "it costs no request"
        history = user.app.main.workspace.panes.record.views.history  # type: ignore[union-attr]
        timeline = history._timeline
        assert timeline is not None
        at = next(at for at, event in enumerate(timeline.events) if event.what.startswith(f"{its_id} "))
        await user.press("home", *["j"] * at, "enter")
        await user.sees(rf"╭─ {its_id} ")
        await user.press("left_square_bracket")
        await user.sees(rf"╭─ {lot} ")
        await user.sees(rf"{its_id} (occurred|handed over)")


async def test_a_write_from_here_is_the_newest_event_and_opens_whole(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await at_name(user)
        await renamed(user, "For the story")
        await sent(user)
        await user.puts_away_notices()
        await user.press("enter")
        await to_history(user, RECORD)
        await shown_alone(user)
        first, *_ = lines(user, r"\d\d:\d\d  \w+")
        assert re.search(r'  you  .*name: "Cobalt doré 2" → "For the story".*✓ done$', first), user.text
        await user.press("home", "enter")
        await user.sees(r"╭─ Change \d+ ")
        await user.sees(r"idempotency key")


async def test_a_line_that_leads_nowhere_says_so(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="tunnels/tun-02", size=WIDE) as user:
        await to_history(user, "tun-02")
        await user.press("end", "enter")
        await user.sees(r"No more details")


async def test_what_can_not_be_read_is_one_line_and_r_reads_it_again(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=LOT_PLACE, size=WIDE) as user:
        await user.sees(rf"╭─ {LOT} ")
        await user.settled()
        service.faults.always("500", method="GET")
        await to_history(user, LOT)
        await shown_alone(user)
        await user.sees(r"attachments: .*500.* Press r to retry\.")
        assert lines(user, r"record +created")
        assert not user.app._notifications
        service.faults.clear()
        await user.press("r")
        await user.sees(rf"{FIRST} uploaded")
        assert "Press r to retry" not in user.text


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (InsufficientScope, r"attachments: no access with this key \(403\)"),
        (NotFound, r"attachments: not found \(404\)"),
    ],
)
async def test_a_refusal_is_told_quietly(
    service: RunningService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refusal: type[ServiceError],
    words: str,
) -> None:
    read = SignedClient.page

    async def refused(client: SignedClient, collection: Collection, *args: Any, **named: Any) -> Page:
        if collection.under:
            raise refusal("no")
        return await read(client, collection, *args, **named)

    monkeypatch.setattr(SignedClient, "page", refused)
    monkeypatch.setattr(refusal, "status", 403 if refusal is InsufficientScope else 404)
    async with browser(service, tmp_path, place=LOT_PLACE, size=WIDE) as user:
        await to_history(user, LOT)
        await user.sees(words)
        assert lines(user, r"record *$|record +created")
        assert not user.app._notifications
        history = user.app.main.workspace.panes.record.views.history  # type: ignore[union-attr]
        assert history._timeline is not None
        assert not any(note.failed for note in history._timeline.notes)


async def test_what_the_mask_hides_is_hidden_in_every_line(service: RunningService, tmp_path: Path) -> None:
    worker = stored(service, "wrk-0001", "workforce/workers")
    assert worker is not None
    name = str(worker["name"])
    async with browser(service, tmp_path, place="workers/wrk-0001", size=WIDE) as user:
        at = datetime(2024, 1, 2, 12, tzinfo=UTC)
        was: dict[str, Json] = {**worker, "name": "Once Called"}
        await changed_between(user, "workforce/workers", was, worker, at, at + timedelta(minutes=5))
        await to_history(user, "wrk-0001")
        await shown_alone(user)
        await user.sees(rf"seen +name Once Called → {re.escape(name)}, between 12:00 and 12:05")
        await user.press("ctrl+o")
        await user.sees(rf"seen +name {MASKED} → {MASKED}, between 12:00 and 12:05")
        assert "Once Called" not in user.text
        assert name not in user.text


async def test_changes_that_were_seen_are_told_with_both_readings(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place=LOT_PLACE, size=(80, 24)) as user:
        at = datetime(2025, 1, 2, 12, 3, tzinfo=UTC)
        lot = stored(service, LOT)
        assert lot is not None
        before: dict[str, Json] = {**lot, "grade": "A"}
        await changed_between(user, LOTS.key, before, {**lot, "grade": "B"}, at, at + timedelta(minutes=127))
        await to_history(user, LOT)
        await user.sees(r"2025-01-02 14:10  seen[\s\S]+grade A → B, between 12:03 and 14:10")
        await shown_alone(user)
        await user.sees(r"2025-01-02 14:10  seen +grade A → B, between 12:03 and 14:10")


async def changed_between(
    user: User, key: str, before: Mapping[str, Json], after: Mapping[str, Json], at: datetime, later: datetime
) -> None:
    """Have a record indexed as two readings gave it."""
    # What the browser still reads would be written into the index as a change of its own.
    await user.settled()
    held = user.app.main.context.session.index
    held.wanted = True
    assert await held.open()
    held.wanted = False
    assert held.index is not None
    for fields, asked_at in ((before, at), (after, later)):
        await held.index.add_record(SingleReading(key, str(fields["id"]), Record(fields), asked_at))


@pytest.mark.parametrize(
    ("fault", "words"),
    [("", "attachments: 1 more in the tab"), ("no-total", "attachments: the attachments tab may list more")],
)
async def test_of_what_hangs_under_it_one_page_is_read_and_the_rest_is_said(
    service: RunningService, tmp_path: Path, fault: str, words: str
) -> None:
    if fault:
        service.faults.always(fault)
    async with browser(service, tmp_path, place=LOT_PLACE, size=WIDE, page_size=1) as user:
        await to_history(user, LOT)
        await user.sees(words)
        assert len(asked(service)) == 1


async def test_of_many_records_that_name_it_the_newest_are_told_beside_all_else(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline_controller, "_MAX_OTHERS", 1)
    async with browser(service, tmp_path, place=LOT_PLACE, size=WIDE) as user:
        await to_history(user, LOT)
        await user.sees(rf"{FIRST} uploaded")
        await user.sees(r"1 older entry is not shown")
        assert SECOND not in user.text
        assert lines(user, r"record +created")


async def test_a_record_without_an_id_has_its_moments(service: RunningService, tmp_path: Path) -> None:
    """Nothing addresses it: no write of it is known, and nothing can name it."""
    async with browser(service, tmp_path, place="lots", size=WIDE) as user:
        await user.sees(r"lot-000001")
        collection = user.app.main.workspace.browse.collection
        assert collection is not None
        record = Record({"note": "nameless", "createdAt": "2024-01-02T12:00:00Z"})
        user.app.main.workspace.record_display.show(Place(collection, record.id), record)
        user.app.main.workspace.panes.focus_record()
        await to_tab(user, "History")
        await user.sees(r"2024-01-02 12:00  record  created")
        await user.settled()
        assert "Includes loaded" not in user.text
