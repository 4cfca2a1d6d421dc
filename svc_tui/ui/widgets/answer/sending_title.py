"""The title of an answer that is still to come: that it is being sent, and how far it has come."""

from collections.abc import Sequence

from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from svc_tui.service.traffic import Stage
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.bars.border_title import SPINNER_DELAY_SECONDS, SPINNER_FRAMES


class SendingTitle:
    """Draws itself as the border title of `widget` while a request is in flight; nothing moves for a moment first."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._timer: Timer | None = None
        self._frame = -1
        self._attempt_texts: tuple[str, ...] = ()
        self._stage: Stage | None = None

    @property
    def running(self) -> bool:
        """Whether a request is in flight."""
        return self._timer is not None

    def start(self) -> None:
        """A request has left."""
        self.stop()
        self._widget.border_title = Content.styled("   sending ", "$role-muted")
        self._timer = self._widget.set_interval(SPINNER_DELAY_SECONDS, self._turn)

    def stop(self) -> None:
        """The request has ended; the title is the widget's own again."""
        if self._timer is not None:
            self._timer.stop()
        self._timer, self._frame = None, -1
        self._attempt_texts, self._stage = (), None

    def show_attempts(self, attempt_texts: Sequence[str]) -> None:
        """What has happened to the request so far."""
        self._attempt_texts = tuple(attempt_texts)
        self._draw()

    def show_stage(self, stage: Stage) -> None:
        """How far the request has come."""
        self._stage = stage
        self._draw()

    def _turn(self) -> None:
        self._frame += 1
        self._draw()

    def _draw(self) -> None:
        if self._timer is None:
            return
        cell = SPINNER_FRAMES[self._frame % len(SPINNER_FRAMES)] if self._frame >= 0 else " "
        # What happened before says more than that it is waited for.
        stage = None if self._attempt_texts and self._stage is Stage.WAITING else self._stage
        words = " · ".join(filter(None, ("sending", *self._attempt_texts, stage.value if stage else "")))
        self._widget.border_title = Content.assemble(
            " ", (cell, "$role-accent"), (f" {visible(words)} ", "$role-muted")
        )
