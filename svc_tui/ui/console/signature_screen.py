"""One request's signature explained: what is most likely so and why, what to do, and the string that was signed."""

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from svc_tui.connect.signature_doctor import SignatureFinding, SignedPart
from svc_tui.ui.dialogs.dialog import Dialog
from svc_tui.ui.text import pad, styled
from svc_tui.ui.tour_steps import OpenDialog

_LABEL_CELLS = 16
_MAX_CELLS = 76
_MARGIN_CELLS = 5
"""Cells of a dialog beside its text: border, padding and scroll bar."""


class SignatureScreen(Dialog[None]):
    """Shows a finding; there is nothing to choose."""

    TOUR_NAME = OpenDialog.SIGNATURE

    DEFAULT_CSS = """
    SignatureScreen Static { margin-bottom: 1; }
    """
    BINDINGS = [
        Binding("enter,q", "cancel", "Close", show=False, id="signature.close", tooltip="Go back to the console")
    ]

    def __init__(self, finding: SignatureFinding, parts: Sequence[SignedPart]) -> None:
        super().__init__()
        self._finding, self._parts = finding, parts

    def compose(self) -> ComposeResult:
        """The finding, then the string part by part."""
        with VerticalScroll(id="dialog") as dialog:
            dialog.border_title = "Signature"
            self.name_keys("↑ ↓ scroll · esc close")
            yield Static(Content("\n").join(self._explanation()))
            yield Static(Content("\n").join(self._signed()))

    def on_mount(self) -> None:
        """The keys scroll."""
        self.query_one("#dialog").focus()

    def _explanation(self) -> Iterator[Content]:
        finding = self._finding
        yield styled(finding.cause, "bold $role-warning" if finding.advice else "bold $role-ok")
        yield from (styled(why, "$role-muted") for why in finding.why)
        yield from (Content.assemble(("→ ", "$role-accent"), styled(step)) for step in finding.advice)

    def _signed(self) -> Iterator[Content]:
        if not self._parts:
            yield styled("The request is not signed. There is no string to sign.", "$role-muted")
            return
        yield styled("The string to sign is these four parts, joined by periods:", "$role-muted")
        room = max(8, min(_MAX_CELLS, self.app.size.width) - _MARGIN_CELLS - _LABEL_CELLS)
        for part in self._parts:
            label = pad(part.name, _LABEL_CELLS)
            for line in (*styled(part.text, "$role-text").wrap(room), *styled(part.means, "$role-muted").wrap(room)):
                yield Content.assemble((label, "$role-muted"), line)
                label = " " * _LABEL_CELLS
