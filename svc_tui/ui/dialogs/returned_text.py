"""A text came back from the editor that can't be taken as it is: says why, and what can be done."""

from collections.abc import Sequence
from enum import Enum

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Static

from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.text import styled, visible
from svc_tui.writes.whole_record import TextMistake

_EXCERPT_CHARS = 64
"""Characters of the line with the mistake that are shown."""


class TextDecision(Enum):
    """What to do with the text; the value is the key."""

    AGAIN = "e"
    KEEP = "k"
    NULL = "n"
    DROP = "d"


_BUTTON_LABELS = {
    TextDecision.AGAIN: "Edit again",
    TextDecision.KEEP: "Keep values",
    TextDecision.NULL: "Set to null",
    TextDecision.DROP: "Discard",
}


class ReturnedTextScreen(Dialog[TextDecision]):
    """The answer; never None: Esc edits again, so that no text is lost by it."""

    AUTO_FOCUS = "#AGAIN"

    BINDINGS = [
        Binding("escape,e", "answer('e')", "Edit again", id="returned.again", tooltip="Edit the text again"),
        Binding("k", "answer('k')", "Keep values", id="returned.keep", tooltip="Keep the values of the missing fields"),
        Binding("n", "answer('n')", "Set to null", id="returned.null", tooltip="Set the missing fields to null"),
        Binding("d", "answer('d')", "Discard", id="returned.drop", tooltip="Discard the text"),
    ]

    def __init__(
        self, title: str, body: Content, answers: Sequence[TextDecision] = (TextDecision.AGAIN, TextDecision.DROP)
    ) -> None:
        super().__init__()
        self._title, self._body, self._answers = title, body, tuple(answers)

    def compose(self) -> ComposeResult:
        """What is wrong, and a button for each answer."""
        with DialogFrame(styled(self._title)):
            yield Static(self._body)
            with Horizontal(classes="buttons"):
                for answer in self._answers:
                    label = f"{answer.value} {_BUTTON_LABELS[answer]}"
                    yield DialogButton(label, f"answer({answer.value!r})", button_id=answer.name)

    def on_key(self, event: events.Key) -> None:
        """Left and right go from button to button."""
        if event.key in ("left", "right"):
            event.stop()
            (self.focus_next if event.key == "right" else self.focus_previous)(Button)

    def action_answer(self, key: str) -> None:
        """Close with the answer, where it is one."""
        if (answer := TextDecision(key)) in self._answers:
            self.dismiss(answer)


def mistake_content(mistake: TextMistake) -> Content:
    """Where the mistake is and what it is, the line itself with a sign under the place."""
    if not mistake.line:
        return styled(mistake.reason, "$role-danger")
    place = mistake.column - 1
    start = max(0, place - _EXCERPT_CHARS // 2)
    before, after = visible(mistake.text[start:place]), visible(mistake.text[place : start + _EXCERPT_CHARS])
    number = f"{mistake.line:>4}  "
    return Content("\n").join([
        styled(f"Line {mistake.line}, column {mistake.column}: {mistake.reason}.", "$role-danger"),
        Content.assemble((number, "$role-muted"), Content(before), Content(after)),
        Content.assemble(" " * (len(number) + Content(before).cell_length), ("^", "$role-danger bold")),
        Content.styled("No changes are applied yet.", "$role-muted"),
    ])  # fmt: skip


def left_out_content(names: Sequence[str]) -> Content:
    """Which fields did not come back, and what that can mean."""
    names_text = ", ".join(visible(name) for name in names[:8]) + (", …" if len(names) > 8 else "")
    are = "is" if len(names) == 1 else "are"
    return Content.assemble(
        Content(names_text),
        f" {are} missing in the text. A change can't remove a field: keep the value, or set it to null.",
    )
