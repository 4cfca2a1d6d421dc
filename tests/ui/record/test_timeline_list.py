"""How an event of a record's story looks in the room there is, and that nothing in it commands the terminal."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.values import replace
from svc_tui.history.timeline import OWN, Timeline, TimelineEvent, TimelineNote
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome
from svc_tui.ui.text import measure
from svc_tui.ui.widgets.record.timeline_list import TimelineList, event_line
from tests.ui.record.test_record_pane import kept
from tests.ui.stage import Stage, picture, until

NOW = datetime(2024, 1, 2, 12, tzinfo=UTC)
TARGET = "/v1/operations/lots/lot-1"


def entry(target: str = TARGET, method: str = "PATCH", result: str = "done") -> JournalEntry:
    """A write to a lot, for a ticket."""
    before, after = (None, None) if method == "POST" else ({"grade": "A"}, {"grade": "B"})
    intent = Intent(NOW, method, target, "operations/lots/lot-1", "k", before, after, "SUP-1", 12)
    return JournalEntry(1, intent, Outcome(NOW, result))


def own(write: JournalEntry) -> TimelineEvent:
    """The event of a write."""
    return TimelineEvent(OWN, "", NOW, "2024-01-02 12:00", write)


def named(what: str, source: str = "incident") -> TimelineEvent:
    """The event of a record that names this one."""
    return TimelineEvent(source, what, NOW, "2024-01-02 12:00")


def test_a_write_is_told_with_its_method_fields_ticket_and_outcome() -> None:
    line = event_line(own(entry()), 8, 90).plain
    assert line.startswith('2024-01-02 12:00  you       grade: "A" → "B"  ')
    assert line.endswith("  SUP-1  ✓ done")
    assert len(line) == 90
    action = event_line(own(entry(f"{TARGET}/split?x=y", "POST", "refused")), 8, 90).plain
    assert "POST split a body of 12 B" in action
    assert action.endswith("SUP-1  ✕ refused")


def test_where_there_is_little_room_a_write_has_two_lines_and_loses_nothing() -> None:
    first, second = event_line(own(entry(result="unknown")), 8, 45).plain.split("\n")
    assert (first[:21], first[-9:], len(first)) == ("2024-01-02 12:00  you", "? unknown", 45)
    narrow = event_line(own(entry(result="unknown")), 13, 33).plain.split("\n")[0]
    assert (narrow[-9:], len(narrow)) == ("? unknown", 33)
    assert second.startswith('  grade: "A" → "B"')
    assert second.endswith("SUP-1")


def test_what_fits_stays_on_one_line_and_what_does_not_has_the_next() -> None:
    assert event_line(named("closed", "record"), 8, 40).plain == "2024-01-02 12:00  record    closed"
    assert event_line(named("updated", "record"), 10, 34).plain == "2024-01-02 12:00  record  updated"
    long = event_line(named("inc-0001 occurred · a slip on the stairs"), 8, 40).plain.split("\n")
    assert long == ["2024-01-02 12:00  incident", "  inc-0001 occurred · a slip on the sta…"]
    assert event_line(named("x" * 99), 8, 70).plain.endswith("x…")


@pytest.mark.parametrize("cells", range(1, 100, 7))
def test_no_line_is_wider_than_its_room(cells: int) -> None:
    for event in (own(entry()), named("inc-1 · a slip"), named("坑道 " * 20, "坑道s")):
        lines = event_line(event, 8, cells).plain.split("\n")
        assert all(measure(line) <= max(cells, 34) for line in lines)


def test_text_from_outside_is_made_visible() -> None:
    event = TimelineEvent("\x1b[2J", "\x1b]0;x\x07 [/x] \u202e", None, "")
    line = event_line(event, 8, 90).plain
    assert line.startswith("no time           ␛[2J")
    assert "␛]0;x␇ [/x] ⟨202e⟩" in line


async def test_the_ends_of_a_long_list_show_what_is_said_beyond_its_events() -> None:
    app = Stage(lambda: [TimelineList()])
    events = tuple(named(f"event {number}") for number in range(60))
    opened: list[TimelineList.Opened] = []
    notes = TimelineNote("What failed.", failed=True), TimelineNote("What is left out.")
    async with app.run_test(size=(80, 24), message_hook=kept(opened, TimelineList.Opened)) as pilot:
        shown = app.query_one(TimelineList)
        shown.focus()
        shown.show(Timeline(events, notes))
        await pilot.press("G")
        await until(pilot, lambda: any("What is left out." in line for line in picture(app)))
        await pilot.press("enter")
        await until(pilot, lambda: opened)
        assert opened[0].event == events[-1]
        await pilot.press("g")
        await until(pilot, lambda: any("What failed." in line for line in picture(app)))


async def test_the_cursor_stays_on_its_event_when_more_come_and_at_the_newest_where_it_was() -> None:
    app = Stage(lambda: [TimelineList()])
    events = tuple(named(f"event {number}") for number in range(3))
    async with app.run_test(size=(80, 24)) as pilot:
        shown = app.query_one(TimelineList)
        shown.focus()
        shown.show(Timeline(events[1:]))
        await pilot.pause()
        shown.show(Timeline(events))
        assert shown.highlighted == 0
        await pilot.press("j")
        assert shown.highlighted == 1
        shown.show(Timeline((named("newer"), *events), (TimelineNote("One sentence.", failed=True),)))
        # What failed stands above all events.
        assert shown.highlighted == 3
        await until(pilot, lambda: any("One sentence." in line for line in picture(app)[:2]))
        await pilot.press("end")
        assert shown.highlighted == 4
        shown.show(None)
        await until(pilot, lambda: not any("event" in line for line in picture(app)))


def test_a_colleagues_name_commands_nothing() -> None:
    event = replace(own(entry()), source="[/x]\x1b[2J\u202eeve")
    for cells in (90, 45, 33):
        line = event_line(event, 13, cells)
        assert "\x1b" not in line.plain
        assert "\u202e" not in line.plain
        assert all(measure(part) <= cells for part in line.plain.split("\n"))
    assert event_line(event, 13, 90).plain.startswith("2024-01-02 12:00  [/x]␛[2J")


async def test_the_cursor_stays_on_its_event_while_the_story_is_gathered_anew() -> None:
    older, newer = named("older"), named("newer")
    history = TimelineList()
    async with Stage(lambda: [history]).run_test() as pilot:
        history.show(Timeline((older, newer)))
        await pilot.pause()
        history.highlighted = 1
        history.show(None)
        history.show(Timeline((named("newest"), older, newer)))
        assert history.highlighted == 2
        history.highlighted = 0
        history.show(None)
        history.show(Timeline((named("still newer"), named("newest"), older, newer)))
        assert history.highlighted == 0
