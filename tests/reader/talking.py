"""Somebody who talks with the reader: the real conversation over the real client, store and service."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path

from svc_tui.bootstrap.sessions import BrowserSessions
from svc_tui.bootstrap.startup import OtherProfiles, RunStorage
from svc_tui.bootstrap.system_editor import SystemEditor
from svc_tui.client.client import SignedClient
from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import FilePreferences
from svc_tui.config.profiles.profiles import Profiles
from svc_tui.core.credentials import KeyPair
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.reader.conversation import Conversation
from svc_tui.reader.line_reader import Dropped, Ended
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.session.session import Session
from svc_tui.storage.scope import StorageScope

INTERRUPT = "\x03"
"""Typed in place of a line: what ctrl+c does while one is waited for."""


Typed = str | Callable[[], str | Awaitable[str]]
"""A line, or what gives it at that moment."""


@dataclass(slots=True)
class Script:
    """What the user types, line by line, and all that was said, with prompts; see `reader.line_reader.LineReader`."""

    typed: list[Typed]
    heard: list[str] = field(default_factory=list)
    offered: list[str] = field(default_factory=list)
    """The lines that a key would bring."""

    async def read(self, prompt: str, *, remember: bool = False) -> str:
        """The next line."""
        self.heard.append(prompt)
        if not self.typed:
            raise Ended
        line = self.typed.pop(0)
        if not isinstance(line, str):
            given = line()
            line = await given if inspect.isawaitable(given) else given
        if line == INTERRUPT:
            raise Dropped
        return line

    def offer(self, line: str) -> None:
        """Have a key bring this line."""
        self.offered.append(line)

    @property
    def said(self) -> list[str]:
        """What was said, without the prompts for commands."""
        return [line for line in self.heard if not line.endswith("> ")]


@asynccontextmanager
async def session_on(
    service: RunningService,
    state: Path,
    *,
    key: str = "sandbox",
    secret: str | None = None,
    read_only: bool = False,
    page_size: int = 50,
    monotonic: Callable[[], float] | None = None,
    approve: tuple[str, ...] = (),
    team: str = "",
    others: bool = False,
) -> AsyncIterator[Session]:
    """A session with the service; `state` is the directory of its store, and outlives it.

    `secret` stands in for the key's own signing secret. `team` is the address of a team server, where the user is
    ada; with `others` the profiles beside `state` can be gone to.
    """
    offered = service.key(key)
    profile = Profile(
        "test",
        service.base_url,
        service.base_url,
        page_size=page_size,
        read_only=read_only,
        approve=approve,
        team=team,
        team_name="ada" if team else "",
    )
    keys = KeyPair(offered.api_key, offered.signing_secret if secret is None else secret)
    where = Locations(state / "config.toml", state)
    storage = RunStorage(where, FilePreferences(where))
    known = OtherProfiles(Profiles(where), {}) if others else None
    # Here: the store brings what only some tests need.
    from svc_tui.storage.key_fingerprints import KeyInUse
    from svc_tui.storage.store import Store

    async with (
        Store.open(state / "svc-tui.db") as store,
        BrowserSessions(storage, store, SystemEditor(dict), known) as sessions,
        SignedClient(profile, keys) as client,
    ):
        scope = StorageScope("test", keys.environment, "test-service")
        in_use = KeyInUse(store.fingerprints, lambda: client.keys.api_key)
        session = sessions.around(client, profile, scope, f"test {key}", in_use)
        if team:
            session = sessions.in_team(session, str)
        yield replace(session, tz=UTC, monotonic=monotonic or session.monotonic)


async def talk(session: Session, typed: Sequence[Typed], place: str = "") -> Script:
    """Hold a whole conversation of these lines, to its end, from profile to profile; gives all that was said in it."""
    script = Script(list(typed))
    end = await Conversation(session, script, script.heard.append).hold(place)
    while end.session is not None:
        end = await Conversation(end.session, script, script.heard.append, carried=end.carried).hold()
    assert end.status == 0
    return script
