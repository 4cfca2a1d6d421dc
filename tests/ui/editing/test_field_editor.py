"""One editor for each kind: what it says as one types, its keys, and that unset, null and "" are three things."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from textual import events
from textual.pilot import Pilot

from svc_tui.core.field_entry import FieldEntry, ReferenceCandidate, ReferenceEntry, entry_of
from svc_tui.core.jsontext import ABSENT, Absent, Json, number
from svc_tui.core.kinds import Kind
from svc_tui.ui.editing.field_editor import EditedField, FieldEditor, TypedText
from tests.ui.stage import Stage, picture, until

NOW = datetime(2026, 11, 20, 5, 12, 33, tzinfo=UTC)
CET = timezone(timedelta(hours=1), "CET")
STAYS = "It can't be unset."


class EditorStage(Stage):
    """Edits one value and keeps what it was told."""

    def __init__(
        self,
        entry: FieldEntry,
        old: Json | Absent,
        *,
        value: Json | Absent | None = None,
        unset_problem: str = "",
        look_up: AsyncIterator[FieldEntry] | None = None,
        came: str | None = None,
    ) -> None:
        super().__init__()
        self.told: list[Json | Absent] = []
        self.sent: list[tuple[str, str]] = []
        self.closed = False
        self.wants_review: bool | None = None
        self._came = came
        self.editor = FieldEditor(
            EditedField("lot-1", "field", entry, old, old if value is None else value, unset_problem),
            now=lambda: NOW.astimezone(CET),
            look_up=look_up,
            edit_externally=self._outside,
        )

    async def _outside(self, text: str, ending: str) -> str | None:
        self.sent.append((text, ending))
        return self._came

    def on_mount(self) -> None:
        self.watch(self.editor, "value", lambda value: self.told.append(value), init=False)
        self.push_screen(self.editor, self._note_end)

    def _note_end(self, wants_review: bool | None) -> None:
        self.closed, self.wants_review = True, wants_review

    @property
    def shown(self) -> str:
        return "\n".join(picture(self))


async def sees(pilot: Pilot[object], text: str) -> None:
    """Wait until the screen shows the text."""
    await until(pilot, lambda: text in "\n".join(picture(pilot.app)))


VALUES: dict[Kind, Json] = {
    Kind.ID: "lot-1", Kind.NUMBER: number("1.50"), Kind.REFERENCE: "tun-1", Kind.CHOICE: "open",
    Kind.TIME: "2026-11-20T05:12:00Z", Kind.FLAG: True, Kind.TEXT: "x", Kind.NULL: "x", Kind.LIST: [number(1)],
    Kind.OBJECT: {"a": None},
}  # fmt: skip
KINDS = [(kind, VALUES[kind]) for kind in Kind]


@pytest.mark.parametrize(("kind", "old"), KINDS)
async def test_unset_null_and_empty_are_three_things_in_every_editor(kind: Kind, old: Json) -> None:
    app = EditorStage(entry_of(kind, old), ABSENT, value=old)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "lot-1 · field")
        for key, value, said in (
            ("ctrl+n", None, "∅ null"),
            ("ctrl+g", "", '"" empty text'),
            ("ctrl+r", ABSENT, "unset"),
        ):
            await pilot.press(key)
            await until(pilot, lambda value=value: app.told[-1:] == [value])  # type: ignore[misc]
            field = app.editor.lines if app.editor.lines.display else app.editor.line
            assert field.placeholder == said
        await pilot.press("tab")
        await until(pilot, lambda: app.closed)
        assert app.told == [None, "", ABSENT]


@pytest.mark.parametrize(("kind", "old"), KINDS)
@pytest.mark.parametrize("key", ["ctrl+s", "escape", "ctrl+y"])
async def test_an_edit_is_applied_by_its_key_and_esc_cancels_it_in_every_editor(
    kind: Kind, old: Json, key: str
) -> None:
    app = EditorStage(entry_of(kind, old), old, value=None)
    app.editor = FieldEditor(EditedField("lot-1", "field", entry_of(kind, old), old, None))
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "Apply  esc Cancel")
        typed = {Kind.NUMBER: "7", Kind.TIME: "2026-01-02", Kind.FLAG: "f", Kind.LIST: "[]", Kind.OBJECT: "{}"}.get(
            kind, "y"
        )
        keys = {"[": "left_square_bracket", "]": "right_square_bracket", "{": "left_curly_bracket",
                "}": "right_curly_bracket", "-": "minus"}  # fmt: skip
        await pilot.press(*(keys.get(letter, letter) for letter in typed))
        await until(pilot, lambda: app.told[-1:] == [entry_of(kind, old).read(typed)])
        await pilot.press(key)
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == (entry_of(kind, old).read(typed) if key == "ctrl+s" else None)


async def test_enter_applies_and_esc_without_an_edit_changes_nothing() -> None:
    for key, told in (("enter", ["y"]), ("escape", ["y", "x"])):
        app = EditorStage(entry_of(Kind.TEXT), "x")
        async with app.run_test(size=(80, 24)) as pilot:
            await sees(pilot, "⏎ Apply  esc Cancel")
            await pilot.press("y", key)
            await until(pilot, lambda app=app: app.closed)  # type: ignore[misc]
            assert app.told == told
    app = EditorStage(entry_of(Kind.TEXT), "x")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "esc Cancel")
        await pilot.press("escape")
        await until(pilot, lambda: app.closed)
        assert app.told == []


async def test_esc_asks_before_it_discards_more_than_one_line() -> None:
    app = EditorStage(entry_of(Kind.TEXT), "one")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "one")
        await pilot.press("end", "s", "ctrl+j", *"two", "escape")
        await sees(pilot, "Press esc again to discard the 2 lines that you typed.")
        assert not app.closed
        await pilot.press("escape")
        await until(pilot, lambda: app.closed)
        assert app.told[-2:] == ["ones\ntwo", "one"]


async def test_one_line_of_many_is_discarded_without_a_question() -> None:
    app = EditorStage(entry_of(Kind.TEXT), "one\ntwo\nthree")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "tab Apply  esc Cancel")
        await pilot.press("x", "escape")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == "one\ntwo\nthree"


async def test_a_field_that_the_record_has_can_not_be_unset_and_that_is_said() -> None:
    app = EditorStage(entry_of(Kind.TEXT), "x", unset_problem=STAYS)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "⏎ Apply")
        await pilot.press("ctrl+r")
        await sees(pilot, STAYS)
        assert app.told == []


async def test_the_keys_named_below_an_editor_are_those_that_work_there() -> None:
    app = EditorStage(entry_of(Kind.TEXT), "x")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "⏎ Apply  esc Cancel  ^n Null  ^s Review  ^j New line  f4 $EDITOR  ^g Empty")
    app = EditorStage(entry_of(Kind.NUMBER, number("1")), number("1"))
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "⏎ Apply  esc Cancel  ↑↓ Step  ^n Null  ^s Review  ^r Remove")
    app = EditorStage(entry_of(Kind.CHOICE, frequent_values=(("closed", 1_200), ("open", 7))), "open")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "⏎ Apply  esc Cancel  ↑↓ Choose")
        await pilot.press("up")
        await sees(pilot, "⏎ Use closed  esc Cancel  ↑↓ Choose")
        await pilot.press("down")
        await sees(pilot, "⏎ Apply  esc Cancel  ↑↓ Choose")
    app = EditorStage(entry_of(Kind.TEXT), "x")
    app.editor = FieldEditor(EditedField("lot-1", "field", entry_of(Kind.TEXT), "x", "x"))
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "^j New line  ^g Empty")
        assert "f4" not in app.shown


async def test_a_key_discards_what_was_typed() -> None:
    app = EditorStage(entry_of(Kind.TEXT), "x", value="before")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "│ before")
        await pilot.press(*"other", "ctrl+y")
        await until(pilot, lambda: app.closed)
        assert app.told[-2:] == ["other", "before"]


async def test_where_there_is_no_single_value_the_editor_says_what_there_is() -> None:
    app = EditorStage(entry_of(Kind.TEXT), ABSENT)
    app.editor = FieldEditor(EditedField("2 records", "field", entry_of(Kind.TEXT), ABSENT, ABSENT, STAYS, "differs"))
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "│ differs")
        assert app.editor.line.placeholder == "differs"
        assert "unset" not in app.shown
        await pilot.press("ctrl+r")
        await sees(pilot, STAYS)
        assert app.told == []


async def test_a_number_steps_and_text_that_is_none_is_never_lost_silently() -> None:
    app = EditorStage(entry_of(Kind.NUMBER), number("1.50"))
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "1.50")
        await pilot.press("up", "up", "down")
        assert app.told == [number("1.51"), number("1.52"), number("1.51")]
        await pilot.press("x")
        await sees(pilot, "is not a number")
        await pilot.press("enter")
        assert not app.closed
        await pilot.press("backspace", "enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == number("1.51")


async def test_text_that_is_dropped_leaves_the_edit_from_before() -> None:
    app = EditorStage(entry_of(Kind.NUMBER), number(1), value=number(2))
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "│ 2")
        await pilot.press("3", "x", "escape")
        await until(pilot, lambda: app.closed)
        assert app.told == [number(3), number(2)]


async def test_a_time_is_said_in_both_zones_and_stepped_at_the_cursor() -> None:
    app = EditorStage(entry_of(Kind.TIME, tz=CET), "2026-11-20T05:12:00.250-02:00")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "2026-11-20 07:12:00 UTC · 2026-11-20 08:12:00 CET")
        await pilot.press("up", "pageup", "home", "down")
        assert app.told == [
            "2026-11-20T05:13:00.250-02:00", "2026-11-21T05:13:00.250-02:00", "2025-11-21T05:13:00.250-02:00",
        ]  # fmt: skip
        await pilot.press("ctrl+t")
        assert app.told[-1] == "2026-11-20T03:12:33.000-02:00"


async def test_choices_narrow_as_one_types_and_a_new_word_is_said_to_be_new() -> None:
    app = EditorStage(entry_of(Kind.CHOICE, frequent_values=(("closed", 1_200), ("open", 7))), "open")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "1,200")
        await pilot.press("c", "l")
        await sees(pilot, "Use “cl” as typed")
        assert "● open " not in app.shown.split("✓ closed")[1]
        await pilot.press("enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == "closed"


STATUSES = (("investigating", 30), ("open", 7), ("closed", 2))


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (("i", "n", "v", "enter"), "investigating"),
        ((*"OPEN", "enter"), "open"),
        ((*"closed", "enter"), "closed"),
        (("ctrl+n", "enter"), None),
        (("ctrl+s",), "open"),
    ],
)
async def test_enter_takes_the_highlighted_value_of_a_list(keys: tuple[str, ...], told: Json) -> None:
    app = EditorStage(entry_of(Kind.CHOICE, frequent_values=STATUSES), "open")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "investigating")
        assert app.editor.picker.highlighted == 2, "in the order of the alphabet"
        await pilot.press(*keys)
        await until(pilot, lambda: app.closed)
        assert (app.told or ["open"])[-1] == told


@pytest.mark.parametrize(
    ("typed", "lines"), [("opne", ("down",)), ("ope", ("down",)), ("inv", ("down", "up", "down")), ("nv", ("up",))]
)
async def test_an_unknown_value_is_taken_only_by_its_own_line_which_is_the_last(
    typed: str, lines: tuple[str, ...]
) -> None:
    app = EditorStage(entry_of(Kind.CHOICE, frequent_values=STATUSES), "open")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "investigating")
        await pilot.press(*typed)
        await sees(pilot, f"Use “{typed}” as typed")
        assert app.editor.picker.values[-1] is TypedText.AS_TYPED
        await pilot.press(*lines, "enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == typed


@pytest.mark.parametrize("key", ["enter", "tab", "ctrl+s"])
async def test_what_is_like_nothing_stays_until_its_line_is_chosen(key: str) -> None:
    app = EditorStage(entry_of(Kind.CHOICE, frequent_values=STATUSES), "open")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "investigating")
        await pilot.press(*"zz", key)
        await sees(pilot, "Unknown value. Press ↓ and then enter to use it as typed.")
        assert not app.closed
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == "zz"


async def test_a_slip_offers_the_value_that_it_is_like_and_enter_takes_that() -> None:
    app = EditorStage(entry_of(Kind.CHOICE, frequent_values=STATUSES), "investigating")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "investigating")
        await pilot.press(*"opne")
        await sees(pilot, "Use “opne” as typed")
        assert app.editor.picker.values == ("open", TypedText.AS_TYPED)
        await pilot.press("enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == "open"


@pytest.mark.parametrize("key", ["tab", "ctrl+s"])
async def test_several_lines_in_a_field_with_known_values_are_applied_as_they_are(key: str) -> None:
    app = EditorStage(entry_of(Kind.CHOICE, frequent_values=STATUSES), "open")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "investigating")
        await pilot.press("end", "ctrl+j", *"two", key)
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == "open\ntwo"


async def test_what_was_set_last_is_what_enter_applies() -> None:
    app = EditorStage(entry_of(Kind.CHOICE, frequent_values=STATUSES), None)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "investigating")
        await pilot.press("down", "down", "ctrl+n", "enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] is None


async def test_a_long_list_of_values_is_paged() -> None:
    app = EditorStage(entry_of(Kind.CHOICE, frequent_values=tuple((f"v{at:02}", 100 - at) for at in range(40))), "v00")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "v01")
        await pilot.press("pagedown", "pagedown")
        assert (app.editor.picker.highlighted or 0) > 5
        await pilot.press("pageup", "pageup")
        assert app.editor.picker.highlighted == 0


async def test_nothing_is_applied_while_personal_data_is_hidden() -> None:
    app = EditorStage(entry_of(Kind.CHOICE, frequent_values=STATUSES), "open")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "investigating")
        await pilot.press("c", "l")
        app.editor.mask_toggled(True)
        await pilot.press("ctrl+s", "ctrl+y")
        await pilot.click(offset=(2, 2))
        assert not app.closed
        app.editor.mask_toggled(False)
        await until(pilot, lambda: app.editor.line.has_focus)
        await pilot.press("enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == "closed"


async def test_ctrl_s_applies_and_asks_for_the_review() -> None:
    for key, review in (("ctrl+s", True), ("enter", False), ("tab", False), ("escape", False)):
        app = EditorStage(entry_of(Kind.NUMBER), number("1"))
        async with app.run_test(size=(80, 24)) as pilot:
            await sees(pilot, "Number")
            await pilot.press("2", key)
            await until(pilot, lambda app=app: app.closed)  # type: ignore[misc]
            assert app.wants_review is review


async def test_a_click_elsewhere_applies_what_may_be_applied() -> None:
    app = EditorStage(entry_of(Kind.NUMBER), number("1"))
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "Number")
        await pilot.press("x")
        await sees(pilot, "is not a number")
        await pilot.click(offset=(2, 2))
        await pilot.press("backspace", "2")
        await pilot.click(offset=(2, 2), button=3)
        assert not app.closed
        await pilot.click(offset=(2, 2))
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == number("2")


async def test_enter_takes_a_decimal_comma_as_a_point() -> None:
    app = EditorStage(entry_of(Kind.NUMBER), number("8.42"))
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "Number")
        await pilot.press(*"8,24")
        await sees(pilot, "Use 8.24")
        for key in ("tab", "ctrl+s"):
            await pilot.press(key)
            await sees(pilot, "Press enter to use")
            assert not app.closed
        await pilot.press("enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == number("8.24")


async def test_a_value_that_is_only_highlighted_is_left_to_enter() -> None:
    app = EditorStage(entry_of(Kind.CHOICE, frequent_values=STATUSES), "open")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "investigating")
        await pilot.press("c", "l")
        await pilot.click(offset=(2, 2))
        await sees(pilot, "Press enter to take the highlighted value.")
        assert not app.closed
        await pilot.press("enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == "closed"


async def test_a_reference_of_a_collection_that_is_read_whole_takes_the_highlighted_record() -> None:
    found = (ReferenceCandidate("tun-1", "tun-1", "North"), ReferenceCandidate("tun-20", "tun-20", "South"))
    for complete, told in ((True, "tun-20"), (False, "tun-2")):
        entry = ReferenceEntry(target="operations/tunnels", candidates=found, complete=complete)
        app = EditorStage(entry, "tun-1")
        async with app.run_test(size=(80, 24)) as pilot:
            await sees(pilot, "South")
            await pilot.press(*"tun", "minus", "2", "enter")
            if not complete:
                # The record may come with the next page: what was typed is not replaced by one like it.
                await sees(pilot, "Press ↓ to choose")
                await pilot.press("up", "enter")
            await until(pilot, lambda app=app: app.closed)  # type: ignore[misc]
            assert app.told[-1] == told


async def test_a_reference_by_number_is_found_by_what_people_call_the_record() -> None:
    found = (ReferenceCandidate("5", number("5"), "Silver"), ReferenceCandidate("6", number("6"), "Gold"))
    app = EditorStage(ReferenceEntry(numeric=True, candidates=found, complete=True), number("5"))
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "Gold")
        await pilot.press(*"gol")
        await until(pilot, lambda: "Silver" not in app.shown)
        assert "is not a number" not in app.shown
        await pilot.press("enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == number("6")


async def test_a_reference_searches_what_comes_while_it_is_open() -> None:
    more = asyncio.Event()
    entry = ReferenceEntry(target="operations/tunnels")
    first = ReferenceCandidate("tun-1", "tun-1", "North [shaft]")

    async def look_up() -> AsyncIterator[FieldEntry]:
        yield ReferenceEntry(target=entry.target, candidates=(first,))
        await more.wait()
        both = (first, ReferenceCandidate("tun-2", "tun-2", "South"))
        yield ReferenceEntry(target=entry.target, candidates=both, complete=True)

    app = EditorStage(entry, "tun-1", look_up=look_up())
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "North [shaft]")
        await pilot.press("s", "o", "u")
        await sees(pilot, "Not found in 1 loaded record")
        more.set()
        await sees(pilot, "operations/tunnels has no record with this id")
        await sees(pilot, "tun-2  South")
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == "tun-2"


@pytest.mark.parametrize("last", ["tun-11", "tun-1"])
async def test_an_unknown_reference_stays_chosen_whatever_comes_meanwhile(last: str) -> None:
    more = asyncio.Event()
    first = ReferenceCandidate("tun-10", "tun-10", "North")
    entry = ReferenceEntry(target="operations/tunnels", candidates=(first,), is_searching=True)

    async def look_up() -> AsyncIterator[FieldEntry]:
        yield entry
        await more.wait()
        found = (first, ReferenceCandidate(last, last, "South"))
        yield ReferenceEntry(target=entry.target, candidates=found, complete=True)

    app = EditorStage(entry, "tun-9", look_up=look_up())
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "│ tun-9")
        await pilot.press(*"tun", "minus", "1", "up")
        await sees(pilot, "Use “tun-1” as typed")
        more.set()
        await sees(pilot, "South")
        await pilot.press("enter")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == "tun-1"


async def test_json_is_checked_as_one_types_and_laid_out() -> None:
    app = EditorStage(entry_of(Kind.OBJECT), {"a": number("1.0")})
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "1 field")
        app.editor.lines.text = '{"a":1.0,"b":[{"c":2}'
        await sees(pilot, "line 1, column 22")
        app.editor.lines.text = '{"a":1.0,"b":[{"c":2}]}'
        await sees(pilot, "2 fields, 3 levels")
        await pilot.press("ctrl+l")
        assert app.editor.lines.text.split("\n")[1] == '  "a": 1.0,'
        assert app.told[-1] == {"a": number("1.0"), "b": [{"c": number(2)}]}


async def test_a_paste_of_several_lines_keeps_them() -> None:
    app = EditorStage(entry_of(Kind.TEXT, "before after"), "before after")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "before after")
        await pilot.press("home", *["right"] * 7)
        app.post_message(events.Paste("Steps:\rreview\r\nsend\n"))
        await until(pilot, lambda: app.told == ["before Steps:\nreview\nsendafter"])
        await pilot.press("!")
        await until(pilot, lambda: app.told[-1] == "before Steps:\nreview\nsend!after")


async def test_a_paste_of_several_lines_into_a_number_is_one_line_and_says_so() -> None:
    app = EditorStage(entry_of(Kind.NUMBER, number("1")), number("1"))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await sees(pilot, "│ 1")
        app.post_message(events.Paste("12\n13"))
        await until(pilot, lambda: app.editor.line.value == "12 13")
        (notice,) = app._notifications
        assert notice.message == "This field has one line. The 2 pasted lines were joined."


async def test_a_text_goes_on_in_a_new_line() -> None:
    app = EditorStage(entry_of(Kind.TEXT), "one")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "one")
        await pilot.press("end", "ctrl+j", "t", "w", "o")
        await pilot.press("tab")
        await until(pilot, lambda: app.closed)
        assert app.told[-1] == "one\ntwo"


@pytest.mark.parametrize(("came", "told"), [("two\n", ["two"]), ("one\n", []), (None, []), ("a\nb\n", ["a\nb"])])
async def test_a_text_comes_back_from_outside_without_the_line_feed_that_editors_add(
    came: str | None, told: list[Json]
) -> None:
    app = EditorStage(entry_of(Kind.TEXT), "one", came=came)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "one")
        await pilot.press("f4")
        await until(pilot, lambda: app.sent == [("one", "txt")])
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.closed)
        assert app.told == told


async def test_what_comes_back_broken_stays_to_be_mended() -> None:
    app = EditorStage(entry_of(Kind.LIST), [], came="[1,\n 2")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "0 items")
        await pilot.press("f4")
        await sees(pilot, "line 2, column 3")
        await pilot.press("ctrl+s")
        assert not app.closed
        await pilot.press("escape")
        await sees(pilot, "Press esc again to discard the 2 lines")
        assert app.told == []
