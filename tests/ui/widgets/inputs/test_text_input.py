"""Text fields draw hidden characters as visible ones, and give back the text as it was."""

import re
from collections.abc import Callable

import pytest
from textual import events
from textual.widgets import Input

from svc_tui.ui.navigation.goto_dialog import PlaceInput, PlacesInput
from svc_tui.ui.text import mask_text
from svc_tui.ui.widgets.inputs.multiline_input import MultilineInput
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.ui.widgets.request.request_inputs import RequestLineInput
from tests.ui.stage import Stage, picture, until

HOSTILE = "a\x1b[2J\u202eb\u200bc\x9bd\x1b]52;c;eA==\x07\ud800e"
FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\ud800-\udfff]")


def test_a_mask_keeps_every_place() -> None:
    assert len(mask_text(HOSTILE)) == len(HOSTILE)
    assert not FORBIDDEN.search(mask_text(HOSTILE))


@pytest.mark.parametrize("field", [TextInput, MultilineInput])
async def test_nothing_hidden_is_drawn_and_nothing_is_lost(field: type[TextInput] | type[MultilineInput]) -> None:
    async with Stage(lambda: [field(HOSTILE)]).run_test(size=(60, 8)) as pilot:
        made = pilot.app.query_one(field)
        await pilot.pause()
        drawn = "\n".join(picture(pilot.app))
        assert not FORBIDDEN.search(drawn.replace("\n", ""))
        assert "a␛[2J" in drawn
        made.focus()
        await pilot.press("end")
        await pilot.press("backspace")
        text = made.value if isinstance(made, Input) else made.text
        assert text == HOSTILE[:-1]


def request_line() -> TextInput:
    return RequestLineInput(lambda _: None)


def place_line() -> TextInput:
    return PlaceInput("", (), "")


def places_line() -> TextInput:
    return PlacesInput("", (), "")


JOINED = "This field has one line. The {} pasted lines were joined."
FIRST = "Only the first of {} pasted lines was used."


@pytest.mark.parametrize(
    ("make", "pasted", "value", "said"),
    [
        (TextInput, "12\n13\r\n14", "12 13 14", JOINED.format(3)),
        (TextInput, "12\n", "12", ""),
        (request_line, "GET lots/\nlot-000001", "GET lots/lot-000001", JOINED.format(2)),
        (place_line, "\nlots/lot-000007\nits ore", "lots/lot-000007", FIRST.format(2)),
        (places_line, "lot-000001\nlot-000002", "lot-000001, lot-000002", ""),
        (places_line, "lots/lot-000007\nits ore", "lots/lot-000007", FIRST.format(2)),
    ],
)
async def test_a_field_of_one_line_says_what_became_of_a_paste_of_several(
    make: Callable[[], TextInput], pasted: str, value: str, said: str
) -> None:
    async with Stage(lambda: [make()]).run_test(size=(90, 12), notifications=True) as pilot:
        made = pilot.app.query_one(TextInput)
        made.focus()
        await pilot.pause()
        pilot.app.post_message(events.Paste(pasted))
        await until(pilot, lambda: made.value == value)
        assert [notice.message for notice in pilot.app._notifications] == [said] * bool(said)


async def test_a_text_longer_than_its_field_is_marked_at_the_ends_that_are_out_of_view() -> None:
    async with Stage(lambda: [TextInput("0123456789ABCDEFGHIJ")]).run_test(size=(18, 5)) as pilot:
        made = pilot.app.query_one(TextInput)
        made.styles.border = ("none", "black")
        made.styles.padding = 0
        made.focus()

        async def shows(text: str) -> None:
            await until(pilot, lambda: picture(pilot.app)[0].strip() == text)

        await pilot.press("home")
        await shows("0123456789ABCDEFG›")
        await pilot.press("end")
        await shows("‹456789ABCDEFGHIJ")
        # The cursor stands on a letter of the text, never on a mark.
        await pilot.press(*["left"] * 17)
        await shows("3456789ABCDEFGHIJ")
        made.value = "short"
        await pilot.press("home")
        await shows("short")
