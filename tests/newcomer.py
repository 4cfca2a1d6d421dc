"""Somebody for whom nothing is set up yet: the real welcome over real files and a real service, in Textual's driver."""

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import keyring
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from textual import events
from textual.pilot import Pilot

from svc_tui.bootstrap.new_profile import ProfileConnector
from svc_tui.bootstrap.start import Options
from svc_tui.config.preferences.palettes import read_palettes
from svc_tui.core.settings import Preferences
from svc_tui.ui.app.welcome_app import WelcomeApp
from tests.ui.stage import picture, until


class Newcomer:
    """Somebody at the keys of one welcome; `home` is where the profiles come to be."""

    def __init__(self, app: WelcomeApp, pilot: Pilot[str], connecting: ProfileConnector, home: Path) -> None:
        self.app, self.pilot, self.connecting = app, pilot, connecting
        self.profiles = home / "config" / "svc-tui" / "profiles"

    @property
    def text(self) -> str:
        """What the screen shows, line under line."""
        return "\n".join(picture(self.app))

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        await self.pilot.press(*keys)

    async def pastes(self, text: str) -> None:
        """Paste a text into what has the focus, and wait until it is there."""
        field = self.app.screen.focused
        assert field is not None
        before = getattr(field, "value", "")
        self.app.post_message(events.Paste(text))
        await self.until(lambda: getattr(field, "value", "") != before)

    async def sees(self, pattern: str) -> None:
        """Wait until the screen matches `pattern`."""
        await self.until(lambda: re.search(pattern, self.text))

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until `holds()`."""
        await until(self.pilot, holds)

    async def focuses(self, name: str) -> None:
        """Wait until what is called so has the focus."""
        await self.until(lambda: self.app.screen.focused is not None and self.app.screen.focused.id == name)

    async def fills_in(self, key: str, secret: str, url: str) -> None:
        """From the doors to the checks: paste key, secret and base URL."""
        await self.press("c")
        for name, text in (("key", key), ("secret", secret), ("url", url)):
            await self.focuses(name)
            if text:
                await self.pastes(text)
            await self.press("enter")


@contextmanager
def system_keyring(backend: KeyringBackend) -> Iterator[None]:
    """The keyring that this system has meanwhile."""
    before = keyring.get_keyring()
    keyring.set_keyring(backend)
    try:
        yield
    finally:
        keyring.set_keyring(before)


@asynccontextmanager
async def newcomer(
    home: Path, *, size: tuple[int, int] = (80, 24), theme: str = "svc-dark", backend: KeyringBackend | None = None
) -> AsyncIterator[Newcomer]:
    """The welcome for somebody whose home is an empty directory, on a system without a keyring unless one is given."""
    places = {"XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state")}
    connecting = ProfileConnector(Options(), places)
    app = WelcomeApp(connecting, read_palettes(), Preferences(theme=theme))
    nothing = NoKeyring()  # type: ignore[no-untyped-call]  # the library's own has no types
    with system_keyring(backend or nothing):
        async with app.run_test(size=size) as pilot:
            yield Newcomer(app, pilot, connecting, home)
