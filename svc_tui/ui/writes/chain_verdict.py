"""What the verification of a hash chain found: a verdict in words, what was checked, and where the chain breaks."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from svc_tui.domain.editing.chain_verdict import ChainBreak, ChainVerdict
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.text import pad, styled

_LABEL_CELLS = 10


class ChainVerdictScreen(Dialog[str]):
    """Gives the id of the record where the chain breaks, to go there; None: back."""

    DEFAULT_CSS = """
    ChainVerdictScreen Static { margin-bottom: 1; }
    """

    BINDINGS = [Binding("enter,g", "go", "Go there", id="verdict.go", tooltip="Open the record where the chain breaks")]

    def __init__(self, what: str, verdict: ChainVerdict) -> None:
        super().__init__()
        self._what, self._verdict = what, verdict

    def compose(self) -> ComposeResult:
        """The verdict, then what is known about it."""
        verdict = self._verdict
        can_go = verdict.place is not None and verdict.place.record_id
        keys = "enter goes there · esc back" if can_go else "esc back"
        with DialogFrame(Content.assemble("Hash chain of ", styled(self._what)), keys, danger=not verdict.holds):
            entries = "1 entry" if verdict.checked == "1" else f"{verdict.checked} entries"
            checked = f"{entries} checked." if verdict.checked else "How many entries were checked is not said."
            if verdict.holds:
                yield Static(Content.styled("✓ The chain holds.", "bold $role-ok"))
            else:
                yield Static(Content.styled("✕ The chain is broken.", "bold $role-danger"))
            yield Static(styled(checked))
            if not verdict.holds:
                yield Static(_break_lines(verdict.place))

    def action_go(self) -> None:
        """Go to the record where the chain breaks."""
        if (place := self._verdict.place) is not None and place.record_id:
            self.dismiss(place.record_id)


def _break_lines(place: ChainBreak | None) -> Content:
    if place is None:
        return Content.styled("The answer does not say where.", "$role-muted")
    rows = [
        ("entry", place.index and f"{place.index} (as the service counts)", "$role-number"),
        ("record", place.record_id, "bold $role-reference"),
        ("reason", place.reason, "$role-text"),
        ("expected", place.expected, "$role-ok"),
        ("found", place.actual, "$role-danger"),
    ]
    return Content("\n").join(
        Content.assemble((pad(label, _LABEL_CELLS), "$role-muted"), styled(text, style))
        for label, text, style in rows
        if text
    )
