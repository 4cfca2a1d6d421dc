"""What the main screen does about hints: it reports changes of state, and shows the hint that is due."""

from textual import on
from textual.dom import DOMNode

from svc_tui.ui.editing.edit_controller import EditController
from svc_tui.ui.editing.lock_controller import LockController
from svc_tui.ui.editing.write_controller import WriteController
from svc_tui.ui.help.hint_controller import HintController
from svc_tui.ui.main.base import MainBase
from svc_tui.ui.terminal.painting import PaintsDirtyCells
from svc_tui.ui.widgets.bars.key_bar import KeyBar


class HintEvents(MainBase):
    """A hint is shown in the key bar; nothing waits for it."""

    def did(self, node: DOMNode, action: str) -> None:
        """An action was done, by its key or otherwise."""
        from svc_tui.ui.keys.shortcuts import binding_of

        self.controllers.hints.done(binding_of(node, action))

    @on(HintController.Due)
    def _hint_due(self, event: HintController.Due) -> None:
        for line in self.query(KeyBar):
            line.hint = event.hint

    @on(KeyBar.HintShown)
    def _hint_shown(self, event: KeyBar.HintShown) -> None:
        self.controllers.hints.shown(event.binding)

    @on(WriteController.SendingChanged)
    def _hint_at_writes(self) -> None:
        self.controllers.hints.wrote()

    @on(EditController.DraftChanged)
    @on(LockController.Changed)
    def _hint_anew(self) -> None:
        self.controllers.hints.look()

    @on(PaintsDirtyCells.FirstDrawn)
    def _begin_hints(self) -> None:
        self.controllers.hints.look()

    def on_descendant_focus(self) -> None:
        """The keys go elsewhere now; while the screen is taken down, nowhere."""
        if self.was_drawn and self.query(KeyBar):
            self.controllers.hints.look()

    def on_screen_resume(self) -> None:
        """A dialog was closed, or the program came back."""
        if self.was_drawn:
            self.controllers.hints.look()
