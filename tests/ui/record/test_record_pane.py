"""The record pane by itself."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import MAX_DEPTH, Json, loads, number
from svc_tui.core.kinds import Kind
from svc_tui.core.outline import OutlineEntry, OutlineLine, Path, path_text
from svc_tui.core.records import Record
from svc_tui.core.requests import Answer, Exchange, SignedRequest
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.history.timeline import Timeline, TimelineNote, newest_first, written
from svc_tui.service.gateway import RecordReading
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.record.record_pane import RecordPane
from svc_tui.ui.record.record_views import NESTED, NestedPane, RecordTabs, RecordViews
from svc_tui.ui.widgets.bars.tab_bar import TabBar
from svc_tui.ui.widgets.record.field_lines import KindOf, RenderedLine, ValueFormat, draw_line
from svc_tui.ui.widgets.record.field_list import FieldList, FieldOutline
from svc_tui.ui.widgets.record.timeline_list import TimelineList
from tests.ui.memory_gateway import MemoryGateway
from tests.ui.memory_preferences import remembered, unsaved_drafts
from tests.ui.stage import Stage, picture, until

FIELDS = loads(
    '{"id": "lot-1", "massKg": 1204.50, "assay": {"au": 1.0, "lab": {"name": "x"}}, "note": null, "tags": [],'
    ' "parts": ["lot-7", "lot-8"], "story": "' + "of the north face, damp " * 80 + '"}'
)
NOW = datetime(2026, 11, 20, 5, 12, 7, tzinfo=UTC)


def draft() -> Draft:
    assert isinstance(FIELDS, dict)
    return Draft(Record(FIELDS))


def reading(attempts: int = 1) -> RecordReading:
    record = draft().base
    body = b'{"id":"lot-1",  "massKg":1204.50}'
    headers = (("Content-Type", "application/json"), ("X-Request-Id", "req-7"), ("x-hostile", "\x1b[31m"))
    request = SignedRequest("GET", "http://x/v1/operations/lots/lot-1", "/v1/operations/lots/lot-1", (), b"")
    return RecordReading(record, Exchange(request, Answer(200, "OK", headers, body), attempts, 0.038, NOW, waited=1.2))


def kind_by_rows(name: str) -> Kind:
    return Kind.OBJECT if name == "assay" else Kind.TEXT


def pane(now: Callable[[], datetime] = lambda: NOW, kind_of: KindOf = kind_by_rows) -> RecordPane:
    def points_at_record(path: Path, value: object) -> bool:
        return path[0] == "parts" and isinstance(value, str)

    nested = NestedPane(MemoryGateway(), Profile("test"), remembered(), RecordStore(), unsaved_drafts())
    nested.id = NESTED
    return RecordPane(ValueFormat(kind_of, points_at_record), nested, now=now)


async def opened(pilot: Pilot[object], given: Draft | None = None, read: RecordReading | None = None) -> RecordPane:
    """The stage's pane with a record in it, and the focus on that."""
    made = pilot.app.query_one(RecordPane)
    made.show(given or draft(), reading=read)
    made.focus_soon()
    await until(pilot, lambda: made.has_focus_within)
    await pilot.pause()
    return made


def field_at_cursor(shown: RecordPane) -> str | None:
    """The name of the field under the cursor, or around it."""
    entry = shown.fields.entry
    return str(entry.path[0]) if entry else None


Kept = TypeVar("Kept", bound=Message)


def kept(into: list[Kept], kind: type[Kept]) -> Callable[[Message], None]:
    """Puts each message of a kind into the list, once, however many hear it."""

    def hear(message: Message) -> None:
        if isinstance(message, kind) and message not in into:
            into.append(message)

    return hear


async def to_tab(pilot: Pilot[object], made: RecordPane, index: int) -> None:
    await pilot.press(*["right_curly_bracket"] * index)
    await until(pilot, lambda: made.tabs.chosen == index)
    await pilot.pause()


def big(fields: dict[str, Json]) -> Draft:
    return Draft(Record({"id": "big", **fields}))


async def test_only_what_a_response_changes_lays_the_fields_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out: list[Draft | None] = []
    lay_out = FieldOutline.lay_out

    def noted(outline: FieldOutline, width: int, height: int) -> None:
        laid_out.append(outline.draft)
        lay_out(outline, width, height)

    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 30)) as pilot:
        made = await opened(pilot)
        monkeypatch.setattr(FieldOutline, "lay_out", noted)
        row = draft()
        made.show(replace(row, base=replace(row.base, etag='"7"')), reading=reading())
        assert laid_out == []
        changed = row.with_value("note", "other")
        made.show(changed, reading=reading())
        assert laid_out == [changed]
        await until(pilot, lambda: "other" in "\n".join(picture(app)))


async def test_each_value_is_drawn_once_while_the_fields_are_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[object] = []

    def noted(line: OutlineLine, *rest: Any, **more: Any) -> RenderedLine:
        drawn.append(line.path if isinstance(line, OutlineEntry) else None)
        return draw_line(line, *rest, **more)

    monkeypatch.setattr("svc_tui.ui.widgets.record.field_list.draw_line", noted)
    outline = FieldOutline(ValueFormat(kind_by_rows))
    outline.take(draft())
    outline.lay_out(60, 30)
    values = [line for line in outline.lines if isinstance(line, OutlineEntry)]
    # What was unfolded since the first pass looks different.
    assert len(drawn) - drawn.count(None) <= len(values) + len(outline.folding.open)
    assert len(values) > 7


async def test_points_of_numbers_that_stand_together_are_aligned() -> None:
    fields = loads(
        '{"massKg": 2053.29, "grade": 8.42, "wet": null, "delta": -3, "big": 1e9, "note": "x",'
        ' "assay": {"au": 11.28, "ag": 0.4}}'
    )
    assert isinstance(fields, dict)
    app = Stage(lambda: [pane(kind_of=lambda _: Kind.NULL)])
    async with app.run_test(size=(60, 24)) as pilot:
        shown = await opened(pilot, big({"id": number(77), **fields}))
        shown.fields.move_to_field("assay")
        await pilot.press("l")
        await until(pilot, lambda: any("0.4" in line for line in picture(app)))

        def at(text: str) -> int:
            # The first lines are the title and the tabs.
            return next(line.index(text) for line in picture(app)[2:] if text in line)

        assert at("2053.29") == at("1e9") == at("77"), "an id, and what has no point, are not moved"
        assert at("8.42") == at("-3") + 1 == at("2053.29") + 3
        assert at("0.4") == at("11.28") + 1
        shown.show_raw(True)
        await until(pilot, lambda: at("8.42") == at("2053.29"))


async def test_a_field_is_marked_while_what_is_typed_changes_it() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 24)) as pilot:
        shown = await opened(pilot)
        shown.show_edited("Number", "massKg")
        await until(pilot, lambda: any("*massKg" in line for line in picture(app)))
        shown.show_edited("")
        await until(pilot, lambda: not any("*massKg" in line for line in picture(app)))


async def test_who_goes_elsewhere_before_it_is_there_stays_there() -> None:
    app = Stage(lambda: [Input()])
    async with app.run_test(size=(60, 20)) as pilot:
        app.query_one(Input).focus()
        made = pane()
        app.mount(made)
        made.show(draft())
        made.focus_soon()
        made.focus_elsewhere()
        await until(pilot, lambda: made.is_mounted)
        made.focus_soon()
        made.focus_elsewhere()
        await pilot.pause()
        assert app.query_one(Input).has_focus


async def test_what_is_shown_and_focused_before_it_is_there_is_so_once_it_is() -> None:
    app = Stage(list)
    async with app.run_test(size=(60, 20)) as pilot:
        made = pane()
        app.mount(made)
        made.show(draft())
        made.focus_soon()
        await until(pilot, lambda: made.has_focus_within)
        assert field_at_cursor(made) == "massKg", "the id can't be edited"
        assert any("1204.50" in line for line in picture(app))


async def test_a_tab_that_is_told_of_while_the_pane_goes_shows_nothing_more() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 20)) as pilot:
        made = await opened(pilot)
        await made.views.remove_children()
        made.post_message(TabBar.Chosen(made.tabs, 0))
        await pilot.pause()
        assert not made.is_ready
        assert app.is_running


async def test_another_record_is_not_searched_for_what_the_one_before_was() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 20)) as pilot:
        made = await opened(pilot)
        made.action_find()
        await pilot.press(*"nowhere", "enter")
        await until(pilot, lambda: any("nowhere" in line and "no matches" in line for line in picture(app)))
        made.show(Draft(Record({"id": "lot-2", "note": "x"})))
        await until(pilot, lambda: not any("no matches" in line for line in picture(app)))
        assert made.fields.has_focus


async def test_what_goes_before_it_is_there_goes_quietly() -> None:
    app = Stage(list)
    async with app.run_test(size=(60, 20)) as pilot:
        made = pane()
        made.show(draft())
        app.mount(made)
        await made.remove()
        await pilot.pause()
        assert not app.query(RecordPane)


async def test_groups_stand_apart_where_all_fields_still_fit_and_the_cursor_passes_over_the_gap() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 26)) as pilot:
        shown = await opened(pilot)
        rows = [line.strip("│▌ ").split(" ")[0] for line in picture(app)[2:-1]]
        assert rows[:5] == ["id", "", "massKg", "", "note"]
        await pilot.press("k")
        assert field_at_cursor(shown) == "id"
        await pilot.press("j")
        assert field_at_cursor(shown) == "massKg"
        await pilot.click(shown.fields, offset=(4, 1))
        assert field_at_cursor(shown) == "massKg", "a gap is no field"
        await pilot.resize_terminal(60, 14)
        await until(pilot, lambda: "massKg" in picture(app)[3])
        assert field_at_cursor(shown) == "massKg"


async def test_values_read_well_before_any_row_beside_the_record_was_seen_and_better_after() -> None:
    kinds: dict[str, Kind] = {}
    app = Stage(lambda: [pane(kind_of=lambda name: kinds.get(name, Kind.NULL))])
    fields: dict[str, Json] = {"id": "lot-1", "openedAt": "2026-11-20T05:12:00Z", "status": "in_transit"}
    async with app.run_test(size=(60, 20)) as pilot:
        made = await opened(pilot, Draft(Record({**fields, "leg": "in_transit"})))
        text = "\n".join(picture(app))
        assert "2026-11-20 05:12 UTC" in text
        assert re.search(r"status +◐ in transit", text)
        assert re.search(r"leg +in_transit", text), "that it is one of few words is told by other records"
        kinds |= {"openedAt": Kind.TIME, "status": Kind.CHOICE, "leg": Kind.CHOICE}
        made.views.refresh_kinds()
        await pilot.pause()
        assert re.search(r"leg +◐ in transit", "\n".join(picture(app)))


async def test_changes_are_marked_with_the_old_value_beside_them() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 20)) as pilot:
        await opened(pilot, draft().with_value("note", "looked at"))
        lines = picture(app)
        assert any("*note" in line and "looked at" in line and "∅" in line for line in lines)
        assert "• lot-1" in lines[0]
        assert "draft: 1 field" in lines[-1]


async def test_the_cursor_stays_on_its_field_from_record_to_record() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 20)) as pilot:
        shown = await opened(pilot)
        await pilot.press("j")
        assert field_at_cursor(shown) == "note"
        shown.show(Draft(Record({"note": "other", "id": "lot-2"})))
        await pilot.pause()
        assert field_at_cursor(shown) == "note"


async def test_the_cursor_comes_back_to_its_field_after_records_that_do_not_have_it() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 20)) as pilot:
        shown = await opened(pilot)
        shown.move_to_field("note")
        shown.show(None, pending_id="lot-2")
        await pilot.pause()
        shown.show(Draft(Record({"id": "lot-2", "note": "other"})))
        await pilot.pause()
        assert field_at_cursor(shown) == "note"
        shown.show(Draft(Record({"id": "lot-3", "massKg": number("1")})))
        await pilot.pause()
        assert field_at_cursor(shown) == "massKg"
        shown.show(draft())
        await pilot.pause()
        assert field_at_cursor(shown) == "note"
        shown.show(Draft(Record({"id": "lot-3", "massKg": number("1")})))
        shown.focus_inside()
        await pilot.press("k")
        shown.show(draft())
        await pilot.pause()
        assert field_at_cursor(shown) == "id"


async def test_nested_values_unfold_level_by_level_with_their_path_in_the_frame() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 15)) as pilot:
        shown = await opened(pilot)
        shown.move_to_field("assay")
        await pilot.press("l")
        assert any("lab" in line and "▸ {1}" in line for line in picture(app))
        await pilot.press("j", "j", "l", "j")
        assert any("name" in line and "x" in line for line in picture(app))
        assert field_at_cursor(shown) == "assay"
        assert shown.entry is not None
        assert (path_text(shown.entry.path), shown.entry.value) == ("assay.lab.name", "x")
        assert "assay.lab.name" in picture(app)[-1]
        await pilot.press("h", "h")
        assert not any("lab" in line for line in picture(app))
        assert shown.entry is not None
        assert shown.entry.path == ("assay",)


async def test_where_there_is_room_nested_values_are_unfolded_until_they_are_folded_by_hand() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 40)) as pilot:
        shown = await opened(pilot)
        assert any("lot-8 →" in line for line in picture(app))
        assert any("tags" in line and "[] empty" in line for line in picture(app))
        shown.move_to_field("parts")
        await pilot.press("enter")
        assert any("▸ [2] →" in line for line in picture(app))
        shown.show(draft().with_value("massKg", number("1")))
        await pilot.pause()
        assert any("▸ [2] →" in line for line in picture(app))
        await pilot.resize_terminal(60, 12)
        await until(pilot, lambda: not any(" au " in line for line in picture(app)))


async def test_what_is_unfolded_on_the_last_row_comes_into_view() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 12)) as pilot:
        shown = await opened(pilot)
        shown.move_to_field("parts")
        await pilot.pause()
        assert not any("lot-8 →" in line for line in picture(app))
        await pilot.press("l")
        await until(pilot, lambda: any("lot-8 →" in line for line in picture(app)))
        assert any("parts" in line and "▾" in line for line in picture(app))


async def test_a_draft_of_another_kind_leaves_its_field_in_its_group() -> None:
    made = Draft(Record({"id": "lot-1", "massKg": number("1204.50"), "note": "x"}))
    app = Stage(lambda: [pane(kind_of=lambda name: Kind.NUMBER if name == "massKg" else Kind.TEXT)])
    async with app.run_test(size=(60, 20)) as pilot:
        shown = await opened(pilot, made)
        shown.show(made.with_value("massKg", "a lot"))
        await until(pilot, lambda: any("a lot" in line for line in picture(app)))
        lines = picture(app)
        at = [next(n for n, line in enumerate(lines) if words in line) for words in ("id ", "a lot", "note")]
        assert at == sorted(at)


async def test_a_time_gives_up_its_zone_before_it_wraps() -> None:
    made = Draft(Record({"id": "lot-1", "openedAt": "2026-11-20T05:12:33Z"}))
    app = Stage(lambda: [pane(kind_of=lambda name: Kind.TIME if name == "openedAt" else Kind.ID)])
    async with app.run_test(size=(34, 20)) as pilot:
        await opened(pilot, made)
        assert any("2026-11-20 05:12" in line for line in picture(app))
        assert not any(line.strip("│ ") == "UTC" for line in picture(app))


async def test_ids_that_lead_on_are_marked_in_lists_too() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 16)) as pilot:
        shown = await opened(pilot)
        shown.move_to_field("parts")
        assert any("parts" in line and "▸ [2] →" in line for line in picture(app))
        await pilot.press("enter")
        assert any("lot-8 →" in line for line in picture(app))


async def test_a_long_text_shows_its_beginning_and_says_how_much_more_there_is() -> None:
    app = Stage(lambda: [pane()])
    asked: list[FieldList.Opened] = []
    async with app.run_test(size=(60, 30), message_hook=kept(asked, FieldList.Opened)) as pilot:
        shown = await opened(pilot)
        lines = picture(app)
        first = next(index for index, line in enumerate(lines) if " story " in line)
        assert all(set(line.strip("│ ").split()) & {"face,", "north", "damp"} for line in lines[first : first + 4])
        assert "more, enter shows all" in lines[first + 4]
        shown.move_to_field("story")
        await pilot.press("enter")
        await until(pilot, lambda: asked)
        assert (asked[0].entry.path, asked[0].truncated) == (("story",), True)


async def test_a_record_that_comes_while_its_tab_is_out_of_sight_has_the_whole_width() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 24)) as pilot:
        shown = await opened(pilot)
        shown.show(None, pending_id="lot-2")
        await pilot.pause()
        shown.show(Draft(Record({"id": "lot-000002-of-the-north-face"})))
        await until(pilot, lambda: any("id      lot-000002-of-the-north-face" in line for line in picture(app)))


async def test_a_record_that_comes_while_the_pane_is_hidden_is_laid_out_as_wide_as_the_one_before() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 24)) as pilot:
        shown = await opened(pilot)
        width = shown.fields.scrollable_content_region.width
        shown.display = False
        await until(pilot, lambda: shown.fields.scrollable_content_region.width != width)
        shown.show(Draft(Record({"id": "lot-000002-of-the-north-face"})))
        drawn = [shown.fields.get_option_at_index(at).prompt for at in range(shown.fields.option_count)]
        assert any("lot-000002-of-the-north-face" in str(line) for line in drawn)


async def test_where_room_is_short_the_name_of_a_collection_is_shortened_before_a_tab_scrolls_away() -> None:
    tabs = RecordTabs()
    under = [Collection("operations", name, name, under="/v1/operations/lots/lot-1") for name in ("attachments", "log")]
    app = Stage(lambda: [tabs])
    async with app.run_test(size=(44, 4)) as pilot:
        tabs.show_collections(under)
        tabs.refresh()
        await until(pilot, lambda: picture(app)[0].rstrip() == "Record  JSON  Raw  History  attachments  log")
        await pilot.resize_terminal(39, 4)
        await until(pilot, lambda: picture(app)[0].rstrip() == "Record  JSON  Raw  History  attac…  log")
        await pilot.resize_terminal(33, 4)
        await until(pilot, lambda: picture(app)[0].rstrip() == "Record  JSON  Raw  History ›")
        tabs.chosen = 4
        await until(pilot, lambda: picture(app)[0].rstrip() == "‹ History  attachments  log")


async def test_no_record_says_what_to_do() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        assert any("No record open" in line for line in picture(app))


# Finding


async def test_finding_unfolds_what_it_found_and_counts_it() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 30)) as pilot:
        shown = await opened(pilot)
        await pilot.press("slash", *"la", "enter")
        assert "1 of 1" in picture(app)[1]
        assert shown.entry is not None
        assert path_text(shown.entry.path) == "assay.lab"
        await pilot.press("slash", *["backspace"] * 2, *"LOT", "enter")
        assert "1 of 3" in picture(app)[1]
        assert field_at_cursor(shown) == "id"
        await pilot.press("n", "n")
        assert "3 of 3" in picture(app)[1]
        assert path_text(shown.entry.path) == "parts[1]"
        await pilot.press("n")
        assert field_at_cursor(shown) == "id"
        await pilot.press("N")
        assert path_text(shown.entry.path) == "parts[1]"
        await pilot.press("slash", *"zz", "enter")
        await until(pilot, lambda: any(line.rstrip(" │").endswith("no matches") for line in picture(app)))
        # What is typed next is in place of it.
        await pilot.press(*["backspace"] * 2, *"LOT", "enter")
        await until(pilot, lambda: "1 of 3" in picture(app)[1])
        await pilot.press("slash", *"zz", "enter", "escape")
        await until(pilot, lambda: not any("no matches" in line for line in picture(app)))
        assert shown.fields.has_focus


async def test_finding_in_the_json_unfolds_and_counts_too() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 30)) as pilot:
        shown = await opened(pilot)
        await to_tab(pilot, shown, 1)
        await pilot.press("h")
        assert any("{ … " in line for line in picture(app))
        await pilot.press("slash", *"lot-8", "enter")
        assert "1 of 1" in picture(app)[1]
        assert any('"lot-8"' in line for line in picture(app))


# The answer


async def test_the_raw_tab_has_the_answer_as_it_came_and_its_age() -> None:
    moment = [NOW + timedelta(seconds=4)]
    app = Stage(lambda: [pane(lambda: moment[0])])
    async with app.run_test(size=(70, 24)) as pilot:
        shown = await opened(pilot, read=reading(attempts=2))
        await to_tab(pilot, shown, 2)
        text = "\n".join(line.strip("│ ") for line in picture(app))
        assert "GET /v1/operations/lots/lot-1" in text
        assert "200 OK" in text
        assert "received: 2026-11-20 05:12:07 UTC" in text
        assert "took: 38 ms, 2 attempts, waited 1.2 s" in text
        assert "X-Request-Id: req-7" in text
        assert "x-hostile: ␛[31m" in text
        assert '{"id":"lot-1",  "massKg":1204.50}' in text
        assert "just now" in picture(app)[1]
        moment[0] = NOW + timedelta(minutes=4)
        shown.tabs.chosen = 1
        await pilot.pause()
        shown.tabs.chosen = 2
        await until(pilot, lambda: "4 min ago" in picture(app)[1])
        assert shown.text == '{"id":"lot-1",  "massKg":1204.50}'


async def test_a_record_of_a_page_says_that_it_has_no_answer_of_its_own_until_it_is_read() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(90, 24)) as pilot:
        shown = await opened(pilot)
        await to_tab(pilot, shown, 2)
        assert any("Press r to load it alone" in line for line in picture(app))
        assert shown.text is None
        shown.show(draft(), reading=reading())
        await until(pilot, lambda: any("200 OK" in line for line in picture(app)))


# History


def entry(number: int, ticket: str) -> JournalEntry:
    intent = Intent(NOW, "PATCH", "/v1/operations/lots/lot-1", "operations/lots/lot-1", "k",
                    {"massKg": "1"}, {"massKg": "2"}, ticket)  # fmt: skip
    return JournalEntry(number, intent, Outcome(NOW, "done", 200))


def story(*entries: JournalEntry, notes: tuple[TimelineNote, ...] = ()) -> Timeline:
    """The writes as a timeline; the newest is given first, as the journal does."""
    return Timeline(newest_first(written(entries, UTC)), notes)


async def test_the_history_is_asked_for_when_it_is_looked_at_and_again_after_a_write() -> None:
    app = Stage(lambda: [pane()])
    asked: list[RecordViews.HistoryWanted] = []
    async with app.run_test(size=(90, 24), message_hook=kept(asked, RecordViews.HistoryWanted)) as pilot:
        shown = await opened(pilot)
        assert not asked
        await to_tab(pilot, shown, 3)
        await until(pilot, lambda: len(asked) == 1)
        shown.views.history.show(story(notes=(TimelineNote("No changes from this computer."),)))
        await pilot.pause()
        assert any("No changes from this computer." in line for line in picture(app))
        shown.views.refresh_history()
        await until(pilot, lambda: len(asked) == 2)
        shown.views.history.show(story(entry(2, "SUP-2"), entry(1, "SUP-1")))
        await pilot.pause()
        lines = [line for line in picture(app) if "SUP-" in line]
        assert ["SUP-2" in lines[0], "SUP-1" in lines[1]] == [True, True]
        assert '"1" → "2"' in lines[0]
        problem = TimelineNote("Could not load the journal: the disk is full", failed=True)
        shown.views.history.show(story(notes=(problem,)))
        await pilot.pause()
        assert any("the disk is full" in line for line in picture(app))


async def test_enter_on_a_write_asks_for_it_whole() -> None:
    app = Stage(lambda: [pane()])
    asked: list[TimelineList.Opened] = []
    async with app.run_test(size=(90, 24), message_hook=kept(asked, TimelineList.Opened)) as pilot:
        shown = await opened(pilot)
        await to_tab(pilot, shown, 3)
        shown.views.history.show(story(entry(2, "SUP-2"), entry(1, "SUP-1")))
        await pilot.press("j", "enter")
        await until(pilot, lambda: asked)
        leads_to = asked[0].event.leads_to
        assert isinstance(leads_to, JournalEntry)
        assert leads_to.number == 1


# Giants


async def test_a_text_of_five_megabytes_is_cut_with_a_word_and_whole_in_the_other_tabs() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 24)) as pilot:
        shown = await opened(pilot, big({"story": "word " * 1_000_000}))
        assert any(f"{5_000_000 - 4 * 45:,}"[:6] in line for line in picture(app) if "more, enter" in line)
        await to_tab(pilot, shown, 1)
        await pilot.press("G", "k")
        assert shown.text is not None
        assert len(shown.text) > 5_000_000
        assert any("word" in line for line in picture(app))


async def test_of_fifty_thousand_fields_a_window_is_drawn_and_all_are_found() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 24)) as pilot:
        shown = await opened(pilot, big({f"field{number}": "x" * 90 for number in range(50_000)}))
        assert shown.fields.option_count < 250
        await pilot.press("G")
        assert any("49,801 more" in line for line in picture(app))
        await pilot.press("enter")
        assert field_at_cursor(shown) == "field199"
        await pilot.press("slash", *"field4444", "enter")
        assert "1 of 11" in picture(app)[1]
        assert field_at_cursor(shown) == "field4444"
        await pilot.press("N")
        assert field_at_cursor(shown) == "field44449"
        assert shown.fields.option_count < 250


async def test_two_hundred_levels_unfold_and_are_found() -> None:
    deep = loads('{"a":' * (MAX_DEPTH - 1) + '"bottom"' + "}" * (MAX_DEPTH - 1))
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 24)) as pilot:
        shown = await opened(pilot, big({"deep": deep}))
        await pilot.press("slash", *"bottom", "enter")
        assert shown.entry is not None
        assert len(shown.entry.path) == MAX_DEPTH
        assert any("bottom" in line for line in picture(app))
        assert picture(app)[-1].count("a.a") > 5


async def test_a_name_of_a_megabyte_hides_nothing_else() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 24)) as pilot:
        shown = await opened(pilot, big({"n" * 1_000_000: "value", "other": {"\x1b" * 1000: "deep"}}))
        assert any("nnn" in line and "value" in line for line in picture(app))
        shown.move_to_field("other")
        await pilot.press("l", "j")
        assert any("deep" in line for line in picture(app))


async def test_colleagues_who_have_the_record_open_stand_beside_its_name_and_go() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 20)) as pilot:
        shown = await opened(pilot)
        cases: list[tuple[tuple[str, ...], str]] = [
            (("[/x]\x1b[2J",), "lot-1 · [/x]␛[2J is editing"),
            (("ada", "bob", "cy"), "lot-1 · ada and 2 more are editing"),
            (("a" * 99,), f"lot-1 · {'a' * 19}… is editing"),
            ((), "lot-1 ─"),
        ]
        for names, words in cases:
            shown.show_others(names)
            await pilot.pause()
            assert words in picture(app)[0]
