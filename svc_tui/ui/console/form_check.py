"""Whether the request in the form can leave as it is: what would go out, or why nothing would, is said below it."""

from collections.abc import Callable, Sequence

from textual.content import Content
from textual.timer import Timer

from svc_tui.console.request_form import ComposedRequest, FormProblem, RequestForm
from svc_tui.core.requests import RequestSpec, SignedRequest
from svc_tui.service.errors import RequestRefused
from svc_tui.session.ports import BodyFileError
from svc_tui.ui.console.composer import RequestComposer
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.request.request_form_view import RequestFormView

LONG_BODY_CHARS = 50_000
"""Characters from which a body is checked when typing pauses, not at every key."""

_PAUSE_SECONDS = 0.3
"""Seconds without a key that are such a pause."""


class FormCheck:
    """Checks what stands in one form, and shows the outcome below it; sends nothing."""

    def __init__(self, composer: RequestComposer, view: Callable[[], RequestFormView]) -> None:
        self._composer, self._view = composer, view
        self._timer: Timer | None = None

    def run(self) -> ComposedRequest:
        """Check the form as it stands now; gives the request that it describes."""
        view = self._view()
        composed = self._composer.composed(view.form)
        view.show_composed(composed, self._status(composed))
        return composed

    def follow(self, form: RequestForm) -> None:
        """Check what was typed, a long body once no more is typed for a moment."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if len(form.body) < LONG_BODY_CHARS:
            self.run()
        else:
            self._timer = self._view().set_timer(_PAUSE_SECONDS, self.run)

    def go_to_problem(self, problems: Sequence[FormProblem] = ()) -> bool:
        """Put the cursor on the problem of the line, else on the first of these, with a bell; False: there is none."""
        problem = self._view().line_problem or next(iter(problems), None)
        if problem is None:
            return False
        self._view().go_to(problem)
        self._view().app.bell()
        return True

    def warn(self, words: str) -> None:
        """Say below the form why something is not done, until it is checked again."""
        self._show(styled(words, "$role-warning"))

    def fail(self, words: str) -> None:
        """The same with a bell, of something that went wrong."""
        self._show(styled(f"✕ {words}", "$role-danger"))
        self._view().app.bell()

    async def sendable(self, composed: ComposedRequest) -> tuple[RequestSpec, SignedRequest] | None:
        """The request whole, and as it would leave; None, with a word, where it can't."""
        try:
            spec = await self._composer.whole(composed)
            return spec, self._composer.preview(spec)
        except (BodyFileError, RequestRefused) as error:
            self.fail(str(error))
            return None

    def _show(self, words: Content) -> None:
        view = self._view()
        view.show_composed(self._composer.composed(view.form), words)

    def _status(self, composed: ComposedRequest) -> Content:
        view = self._view()
        unread = view.line_problem
        if unread is None:
            return self._composer.status(composed)
        return styled(str(unread), "$role-muted") if view.line_incomplete else styled(f"✕ {unread}", "$role-danger")
