"""What the main screen does about hints: it says when things may stand otherwise, and shows the one that is due."""

from textual import on
from textual.dom import DOMNode

from svc_tui.ui.editing.controller import Editing
from svc_tui.ui.help.hints import Hinting
from svc_tui.ui.keys.shortcuts import binding_of
from svc_tui.ui.main.base import MainBase
from svc_tui.ui.widgets.bars.key_bar import KeyLine


class HintsPart(MainBase):
    """A hint stands in the line of keys; nothing waits for it."""

    def did(self, node: DOMNode, action: str) -> None:
        """An action was done, by its key or otherwise."""
        self.crew.hinting.done(binding_of(node, action))

    @on(Hinting.Due)
    def _hint_due(self, event: Hinting.Due) -> None:
        for line in self.query(KeyLine):
            line.hint = event.hint

    @on(KeyLine.Hinted)
    def _hint_shown(self, event: KeyLine.Hinted) -> None:
        self.crew.hinting.shown(event.binding)

    @on(Editing.SendingChanged)
    def _hint_at_writes(self) -> None:
        self.crew.hinting.wrote()

    @on(Editing.DraftChanged)
    @on(Editing.LockChanged)
    def _hint_anew(self) -> None:
        self.crew.hinting.look()

    def on_descendant_focus(self) -> None:
        """The keys go elsewhere now; while the screen is taken down, nowhere."""
        if self.query(KeyLine):
            self.crew.hinting.look()

    def on_screen_resume(self) -> None:
        """A dialog was closed, or the program came back."""
        self.crew.hinting.look()
