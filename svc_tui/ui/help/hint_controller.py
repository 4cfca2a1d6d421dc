"""Hints for those who are somewhere for the first times: which one is due, and what they did since."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.message import Message

from svc_tui.ui.context import Context
from svc_tui.ui.editing.edit_controller import EditController
from svc_tui.ui.keys.command import Command
from svc_tui.ui.keys.focused_pane import FocusedPane

if TYPE_CHECKING:
    from svc_tui.ui.keys.hints import Hint, HintContext, HintProgress

NO_HINTS = "-no-hints"
"""The class that a screen has while something else tells of its keys."""


class HintController:
    """Tells `screen` which hint is due; what was shown and done is remembered in workers of it."""

    @dataclass
    class Due(Message):
        """This hint is to be shown; None: none is."""

        hint: "Hint | None"

    def __init__(self, context: Context, editing: EditController, focused_pane: Callable[[], FocusedPane]) -> None:
        from svc_tui.ui.keys.hints import HintProgress

        self._context, self._editing, self._focused_pane = context, editing, focused_pane
        self._hinted = HintProgress(context.remembered.hinted)
        self._due: Hint | None = None
        self._written = False
        self._on = context.session.preferences.hints

    def look(self) -> None:
        """The user may be elsewhere, or things may stand otherwise now."""
        due = self._hinted.due(self._moment) if self._on and not self._context.screen.has_class(NO_HINTS) else None
        if due != self._due:
            self._due = due
            self._context.screen.post_message(self.Due(due))

    def shown(self, binding: str) -> None:
        """The hint about this binding is in view."""
        self._knows(self._hinted.shown(binding), binding)

    def done(self, binding: str) -> None:
        """What this binding is for was done."""
        self._knows(self._hinted.done(binding), binding)

    def wrote(self) -> None:
        """Remember that something was written, or is being written."""
        self._written = True
        self.look()

    def command(self) -> Command:
        """What the palette offers: no more hints, or all of them anew."""
        if self._on:
            return Command("Hide tips", "Stop showing tips beside the keys", self._turn, "tips off hints")
        return Command("Show tips", "Show all tips beside the keys again", self._turn, "tips on hints")

    @property
    def _moment(self) -> "HintContext":
        from svc_tui.ui.keys.hints import HintContext

        workspace, editing = self._context.workspace, self._editing
        place = workspace.selection.place
        return HintContext(
            self._focused_pane(),
            changed=place is not None and editing.drafts.draft(place) is not None,
            written=self._written,
        )

    def _knows(self, hinted: "HintProgress", binding: str) -> None:
        if hinted == self._hinted:
            return
        self._hinted = hinted
        self._remember(self._context.remembered.hint(binding, hinted.sessions[binding]))
        self.look()

    def _turn(self) -> None:
        self._on = not self._on
        if self._on:
            from svc_tui.ui.keys.hints import HintProgress

            self._hinted = HintProgress()
        self._remember(self._context.remembered.hints(on=self._on))
        self.look()

    def _remember(self, work: Coroutine[Any, Any, None]) -> None:
        self._context.screen.run_worker(work, group="memory")
