"""Takes a note on a record for the team; the earlier ones stand above."""

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Static, TextArea

from svc_tui.team.notes import MAX_NOTE_CHARACTERS, note_problem
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.multiline_input import MultilineInput
from svc_tui.ui.widgets.text.note_text import NoteText

_OTHER_ROWS = 16
"""Rows of the screen that the earlier notes leave to the rest."""
_WHO_SEES_IT = "Visible to colleagues. Never sent to the service."


class NoteDialog(Dialog[str]):
    """Gives the note, or None; `earlier` are the notes that are there, as they may be seen."""

    DEFAULT_CSS = """
    NoteDialog VerticalScroll { height: auto; max-height: 10; margin-bottom: 1; scrollbar-size-vertical: 1; }
    NoteDialog TextArea {
        height: 6;
        padding: 0 1;
        background: $role-panel;
        &, &:focus { border: none; }
    }
    NoteDialog NoteText { height: auto; min-height: 1; color: $role-muted; }
    NoteDialog NoteText.problem { color: $role-danger; }
    """

    AUTO_FOCUS = "TextArea"

    BINDINGS = [
        Binding("ctrl+s", "leave_note", "Add note", id="team.note", priority=True,
                tooltip="Add the note"),
    ]  # fmt: skip

    text = query_one(MultilineInput)

    def __init__(self, record_id: str, earlier: Content, secrets: Sequence[str]) -> None:
        super().__init__()
        self._record_id, self._earlier, self._secrets = record_id, earlier, tuple(secrets)
        self._sure = False
        """Whether Esc was pressed with something written."""

    def compose(self) -> ComposeResult:
        """The earlier notes, where to write, and how much room is left."""
        title = Content.assemble("Team note · ", styled(self._record_id))
        with DialogFrame(title):
            if self._earlier.plain:
                with VerticalScroll():
                    yield Static(self._earlier)
            yield MultilineInput(tab_behavior="focus", soft_wrap=True)
            yield NoteText(_WHO_SEES_IT)
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Cancel", "cancel", button_id="back")
                yield DialogButton("ctrl+s Add note", "leave_note", button_id="leave")

    def on_mount(self) -> None:
        """Begin at the newest of the earlier notes."""
        for scroll in self.query(VerticalScroll):
            scroll.scroll_end(animate=False)

    def on_resize(self, event: events.Resize) -> None:
        """Give the earlier notes the rows that the rest leaves."""
        for scroll in self.query(VerticalScroll):
            scroll.styles.max_height = max(2, min(10, event.size.height - _OTHER_ROWS))

    @on(TextArea.Changed)
    def _count(self) -> None:
        self._sure = False
        written = len(self.text.text.strip())
        problem = note_problem(self.text.text, self._secrets) if written else ""
        self._say(problem or (f"{written:,} of {MAX_NOTE_CHARACTERS:,} characters. {_WHO_SEES_IT}"), bool(problem))

    def action_leave_note(self) -> None:
        """Close with the note, or say what is wrong with it."""
        if problem := note_problem(self.text.text, self._secrets):
            self._say(problem, True)
        else:
            self.dismiss(self.text.text.strip())

    def action_cancel(self) -> None:
        """Close without a note; what was written is thrown away with the second Esc."""
        if self.text.text.strip() and not self._sure:
            self._sure = True
            self._say("Press esc again to discard the note.", True)
        else:
            self.dismiss(None)

    def _say(self, words: str, problem: bool) -> None:
        line = self.query_one(NoteText)
        line.set_class(problem, "problem")
        line.update(styled(words))
