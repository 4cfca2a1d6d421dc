"""Ending while something is still being made."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from svc_tui.config.preferences.palettes import read_palettes
from svc_tui.core.settings import Preferences
from svc_tui.ui.app.base_app import BaseApp


class Seeker(Vertical):
    """A widget that looks for a part of itself as soon as it is there."""

    found: bool | None = None
    """Whether that part was there; None where it never looked."""

    def compose(self) -> ComposeResult:
        """What it looks for."""
        yield Static()

    def on_mount(self) -> None:
        """Look for it."""
        self.found = bool(self.query(Static))
        self.query_one(Static)


async def test_what_is_still_being_made_when_the_app_ends_is_no_fault_of_it() -> None:
    app = BaseApp[None](read_palettes(), Preferences())
    seeker = Seeker()
    async with app.run_test():
        app.mount(seeker)
        # What is closed mounts nothing more: as it is made only now, it has no parts.
        seeker._closing = True
        await app._shutdown()
    assert seeker.found is False
    assert app.fault is None
