"""The choice between one's own value and that of others."""

from textual.widgets import Button

from svc_tui.core.draft import Draft, Freshness, freshen
from svc_tui.core.jsontext import Json, number
from svc_tui.core.records import Record
from svc_tui.ui.editing.conflict import ConflictScreen
from tests.ui.stage import Stage, picture, until

LONG = "Sampled twice; the second assay is the one to use."
READ: dict[str, Json] = {
    "id": "lot-1",
    "grade": number("8.42"),
    "note": LONG,
    "massKg": number("3"),
    "updatedAt": "2026-11-20T05:12:00Z",
}
DRAFT = Draft(Record(READ), {"note": "mine", "grade": number("8.24")})


def conflict() -> Freshness:
    """Others changed both fields, another one and the time of the last change."""
    now: dict[str, Json] = {
        **READ,
        "grade": number("8.50"),
        "note": "",
        "massKg": number("4"),
        "updatedAt": "2026-11-20T06:00:00Z",
    }
    return freshen(DRAFT, Record(now))


async def test_values_are_side_by_side_and_those_that_are_cut_are_whole_below_their_row() -> None:
    app, gave = Stage(), list[Draft | None]()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = ConflictScreen("Conflict in lot-1", DRAFT, conflict())
        app.push_screen(screen, gave.append)
        await until(pilot, lambda: "y Send" in "\n".join(picture(app)))
        await until(pilot, lambda: not screen.has_class("-unseen"))
        shown = [" ".join(line.strip(" │").split()) for line in picture(app)]
        assert "When read Others Mine Send" in shown
        assert "grade 8.42 8.50 8.24 ?" in shown
        assert "Others also changed massKg 3 → 4. This is kept." in shown
        assert LONG not in shown
        go_on = screen.query_one("#go-on", Button)
        assert go_on.disabled
        await pilot.press("m")
        await until(pilot, lambda: any(LONG in line for line in picture(app)))
        shown = [" ".join(line.strip(" │").split()) for line in picture(app)]
        at = shown.index(f"When read {LONG}")
        assert shown[at : at + 2] == [f"When read {LONG}", ""]
        assert "grade 8.42 8.50 8.24 mine" in shown
        await pilot.press("y")
        assert gave == []
        await until(pilot, lambda: "Press m or o: note" in "\n".join(picture(app)))
        await pilot.press("o", "y")
        await until(pilot, lambda: [draft and dict(draft.edits) for draft in gave] == [{"grade": number("8.24")}])


async def test_the_first_field_is_open_at_once() -> None:
    draft = Draft(Record(READ), {"note": "mine"})
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(ConflictScreen("Conflict in lot-1", draft, freshen(draft, Record({**READ, "note": ""}))))
        await until(pilot, lambda: any(LONG in line for line in picture(app)))
