"""The record pane by itself."""

from svc_tui.domain.draft import Draft
from svc_tui.domain.jsontext import loads
from svc_tui.domain.records import Record
from svc_tui.domain.values import Kind
from svc_tui.ui.panes.record import RecordPane
from tests.ui.stage import Stage, picture, until

FIELDS = loads(
    '{"id": "lot-1", "massKg": 1204.50, "assay": {"au": 1.0, "lab": {"name": "x"}}, "note": null, "tags": []}'
)


def draft() -> Draft:
    assert isinstance(FIELDS, dict)
    return Draft(Record(FIELDS))


def pane() -> RecordPane:
    return RecordPane(lambda name: Kind.OBJECT if name == "assay" else Kind.TEXT)


async def test_what_is_shown_and_focused_before_it_is_there_is_so_once_it_is() -> None:
    app = Stage(list)
    async with app.run_test(size=(60, 12)) as pilot:
        made = pane()
        app.mount(made)
        made.show(draft())
        made.focus_inside()
        await until(pilot, lambda: made.has_focus_within)
        assert made.field == "id"
        assert any("1204.50" in line for line in picture(app))


async def test_changes_are_marked_with_the_old_value_beside_them() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 12)) as pilot:
        app.query_one(RecordPane).show(draft().with_value("note", "looked at"))
        await pilot.pause()
        lines = picture(app)
        assert any("*note" in line and "looked at" in line and "∅" in line for line in lines)
        assert "• lot-1" in lines[0]
        assert "1 not sent" in lines[-1]


async def test_the_cursor_stays_on_its_field_from_record_to_record() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 12)) as pilot:
        shown = app.query_one(RecordPane)
        shown.show(draft())
        shown.focus_inside()
        await pilot.press("j", "j", "j")
        assert shown.field == "note"
        shown.show(Draft(Record({"note": "other", "id": "lot-2"})))
        await pilot.pause()
        assert shown.field == "note"


async def test_nested_values_unfold_level_by_level() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 12)) as pilot:
        shown = app.query_one(RecordPane)
        shown.show(draft())
        shown.focus_inside()
        await pilot.press("j", "j", "l")
        assert any("lab" in line and "▸ {1}" in line for line in picture(app))
        await pilot.press("j", "j", "l", "j")
        assert any("name" in line and "x" in line for line in picture(app))
        assert shown.field == "assay"
        await pilot.press("h", "h")
        assert not any("lab" in line for line in picture(app))


async def test_no_record_says_what_to_do() -> None:
    app = Stage(lambda: [pane()])
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        assert any("No record chosen" in line for line in picture(app))
