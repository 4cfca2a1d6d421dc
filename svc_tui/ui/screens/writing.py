"""What creating, deleting, acting and undoing share: the lock, the card before a request leaves, and the words after.

Dialogs are imported where they open, so that the first paint does not wait for them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.screen import Screen

from svc_tui.domain.catalog import Collection, Route
from svc_tui.domain.credentials import Environment
from svc_tui.domain.errors import ServiceError
from svc_tui.domain.gateway import Gateway
from svc_tui.domain.records import Place
from svc_tui.domain.requests import RequestSpec
from svc_tui.domain.settings import Profile
from svc_tui.domain.writes import WriteReport
from svc_tui.ui.panes.workspace import Workspace
from svc_tui.ui.report import Report, of_error
from svc_tui.ui.screens.editing import Editing
from svc_tui.ui.text import shown

if TYPE_CHECKING:
    from svc_tui.ui.screens.dialog import Dialog


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request does not leave, in a sentence or two."""

    words: str


@dataclass(frozen=True, slots=True)
class Writing:
    """One main screen as its writes see it; `go` opens a place, `tell` says something."""

    screen: Screen[Any]
    gateway: Gateway
    profile: Profile
    editing: Editing
    workspace: Workspace
    routes: Sequence[Route]
    collections: Sequence[Collection]
    tell: Callable[[Report], None]
    go: Callable[[Place], None]

    @property
    def live(self) -> bool:
        """Whether writes change what is real."""
        return self.gateway.environment is Environment.LIVE

    async def ask(self, dialog: "Dialog[Any]") -> Any:
        """What the dialog gives."""
        return await self.screen.app.push_screen_wait(dialog)

    async def may_show(self, where: str) -> bool:
        """Whether what is hidden may be shown where it is edited: asked, since others may see the screen."""
        from svc_tui.ui.screens.confirm import ConfirmScreen

        body = Content(f"This is hidden. The {where} shows it, to everybody who sees this screen.")
        return bool(await self.ask(ConfirmScreen(Content("Personal data"), body, "Show it", "Back")))

    def heading(self, what: str) -> Content:
        """The title of a dialog about a write: the environment, then what it is about."""
        word = (" LIVE ", "$role-background on $role-live bold") if self.live else "SANDBOX"
        return Content.assemble(word, " · ", shown(what))

    async def reviewed(self, spec: RequestSpec, what: str, note: str = "") -> RequestSpec | Refusal | None:
        """Show the request as it would leave; gives it with its key once it was agreed to, None where it was not."""
        if refusal := self.editing.refusal():
            return Refusal(refusal)
        try:
            spec = self.editing.road.keyed(spec)
            request = self.gateway.preview(spec)
        except ServiceError as error:
            return Refusal(of_error(error).line)
        from svc_tui.ui.screens.confirm import ConfirmScreen
        from svc_tui.ui.widgets.request_lines import destination, request_content

        seen = self.workspace.veil.request(request)
        parts = [destination(seen, self.profile.name), request_content(seen)]
        if note:
            parts.insert(1, shown(note, "$role-warning"))
        card = ConfirmScreen(self.heading(what), Content("\n").join(parts), "Send", "Back", danger=self.live)
        return spec if await self.ask(card) else None

    async def again(self, report: WriteReport, spec: RequestSpec, what: str) -> bool:
        """After an unknown outcome: whether to send the same request again, under the same key."""
        from svc_tui.ui.report import cause_of
        from svc_tui.ui.screens.confirm import ConfirmScreen

        body = Content("\n").join([
            shown(cause_of(report), lines=True),
            Content(),
            Content("It may have been carried out. Its idempotency key is:"),
            shown(spec.idempotency_key, "bold"),
            Content("Sent again with the same key, it is done once where the service honours keys. The document does"),
            Content("not show that it does: where it matters, go back and look first."),
        ])  # fmt: skip
        question = ConfirmScreen(
            self.heading(f"{what}: outcome not known"), body, "Send again with the same key", "Back", danger=True
        )
        return bool(await self.ask(question))
