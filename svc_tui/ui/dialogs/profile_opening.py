"""What is said while a profile's key is being read: a command may take its time, or ask for a fingerprint."""

import asyncio

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from svc_tui.session.session import Session
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.text import styled


class ProfileOpeningScreen(Dialog[None]):
    """Closes when `opening` is done, however it ends; Esc cancels it."""

    def __init__(self, name: str, opening: asyncio.Future[Session]) -> None:
        super().__init__()
        self._profile, self._opening = name, opening

    def compose(self) -> ComposeResult:
        """A sentence and one button."""
        with DialogFrame("Profile"):
            yield Static(Content.assemble("Loading the key of ", styled(self._profile, "bold"), "…"))
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Cancel", "cancel", button_id="cancel")

    def on_mount(self) -> None:
        """Close as soon as there is nothing left to wait for."""
        self.run_worker(self._wait())

    async def _wait(self) -> None:
        await asyncio.wait({self._opening})
        self.dismiss(None)

    def action_cancel(self) -> None:
        """Wait no longer; what was being opened is not."""
        self._opening.cancel()
