"""Text fields draw hidden characters as visible ones, and give back the text as it was."""

import re

import pytest
from textual import events
from textual.widgets import Input

from svc_tui.ui.text import mask_text
from svc_tui.ui.widgets.inputs.multiline_input import MultilineInput
from svc_tui.ui.widgets.inputs.text_input import TextInput
from tests.ui.stage import Stage, picture

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


async def test_a_paste_of_several_lines_loses_none_of_them() -> None:
    async with Stage(lambda: [TextInput()]).run_test(size=(60, 4)) as pilot:
        made = pilot.app.query_one(TextInput)
        made.focus()
        await pilot.pause()
        pilot.app.post_message(events.Paste("12\n13\r\n14"))
        await pilot.pause()
        assert made.value == "12 13 14"
