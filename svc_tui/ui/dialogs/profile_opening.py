"""The dialog while a profile's key is loaded, which a command may do slowly or after a question."""

import asyncio

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from svc_tui.session.session import Session
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.text import styled


class ProfileOpeningScreen(Dialog[None]):
    """A dialog that closes when `opening` is done; Esc cancels it."""

    def __init__(self, name: str, opening: asyncio.Future[Session]) -> None:
        super().__init__()
        self._profile, self._opening = name, opening

    def compose(self) -> ComposeResult:
        """Compose the text and the button."""
        with DialogFrame("Profile"):
            yield Static(Content.assemble("Loading the key of ", styled(self._profile, "bold"), "…"))
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Cancel", "cancel", button_id="cancel")

    def on_mount(self) -> None:
        """Start waiting."""
        self.run_worker(self._wait())

    async def _wait(self) -> None:
        await asyncio.wait({self._opening})
        self.dismiss(None)

    def action_cancel(self) -> None:
        """Cancel opening the profile."""
        self._opening.cancel()
