"""The real app over the real client, store and service, in Textual's test driver: what flow tests drive."""

import asyncio
import inspect
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Literal

from textual.notifications import SeverityLevel
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from svc_tui.bootstrap.sessions import BrowserSessions
from svc_tui.bootstrap.startup import OtherProfiles, RunStorage
from svc_tui.bootstrap.system_editor import SystemEditor
from svc_tui.client.attempts import RuntimeEnvironment
from svc_tui.client.client import SignedClient
from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import FilePreferences
from svc_tui.config.profiles.profiles import Profiles
from svc_tui.core.catalog import Route
from svc_tui.core.credentials import KeyPair
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.traffic import Answered, Failed, Retrying, Sent, TrafficEvent
from svc_tui.session.hand_over import HandOver
from svc_tui.session.session import Session, SessionStart
from svc_tui.storage.key_fingerprints import KeyInUse
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.ui.app.browser_app import SvcTui
from svc_tui.ui.main.screen import MainScreen

PATIENCE = 60.0
"""Seconds to wait for something to appear before a test gives up; nothing is asserted about speed."""


OVERDUE = 1.0
"""Seconds after which a call that was to be sent again, and was not, is taken for given up."""


LASTING = 60 * PATIENCE
"""Seconds for which a notice stays: longer than any test waits, so that none is passed by what a notice covered."""


class AppWithLastingNotices(SvcTui):
    """The app, with notices that stay: on a machine that is busy with others, none goes before it is seen."""

    CSS_PATH = str(Path(inspect.getfile(SvcTui)).with_name("styles") / "app.tcss")

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a notice."""
        super().notify(message, title=title, severity=severity, timeout=LASTING, markup=markup)


class OpenRequests:
    """The calls that were sent and not answered yet, and when those that failed are sent again."""

    def __init__(self) -> None:
        self.calls: set[int] = set()
        self._again: dict[int, float] = {}

    def heard(self, event: TrafficEvent) -> None:
        """Something happened on the wire."""
        match event:
            case Sent(call):
                self.calls.add(call)
                self._again.pop(call, None)
            case Answered(call) | Failed(call):
                self.calls.discard(call)
            case Retrying(call, _, wait):
                self._again[call] = time.monotonic() + wait

    @property
    def retrying(self) -> bool:
        """Whether a call waits to be sent again; one that is overdue was given up."""
        return any(time.monotonic() < due + OVERDUE for due in self._again.values())


def idle(executor: ThreadPoolExecutor | None) -> bool:
    """Whether no thread of it has anything to do."""
    if executor is None:
        return True
    return executor._work_queue.empty() and executor._idle_semaphore._value >= len(executor._threads)


def all_drawn(app: SvcTui) -> bool:
    """Whether every message was heard, and all that is going to be drawn was, on the screens behind a dialog too."""
    pumps = (app, *(node for screen in app.screen_stack for node in screen.walk_children(with_self=True)))
    # A screen behind another that was changed while updates were held back is drawn with what changes there next.
    return not any(pump.message_queue_size for pump in pumps) and not any(
        screen._update_timer._active.is_set() for screen in (app.screen, *app._background_screens)
    )


class User:
    """Somebody at the keys of one app."""

    def __init__(
        self, app: SvcTui, pilot: Pilot[None], store: Store, scope: StorageScope, wire: "OpenRequests", home: Path
    ) -> None:
        """`home` is the directory of `config.toml` and of the profiles that can be gone to."""
        self.app, self.pilot, self.store, self.scope, self._wire, self.home = app, pilot, store, scope, wire, home

    @property
    def text(self) -> str:
        """What the screen shows, line under line."""
        # Not by having the screen drawn: what waits to be drawn would be taken for drawn then.
        return "\n".join(strip.text.rstrip() for strip in self.app.screen._compositor.render_strips())

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        await self.pilot.press(*keys)

    async def types(self, text: str) -> None:
        """Type a text into what has the focus."""
        names = {" ": "space", "\n": "enter"}
        await self.pilot.press(*(names.get(character, character) for character in text))

    async def sees(self, pattern: str) -> re.Match[str]:
        """Wait until the screen matches `pattern`; fails with the screen as it is."""
        found: list[re.Match[str]] = []

        def shown() -> bool:
            found.extend(re.finditer(pattern, self.text))
            return bool(found)

        await self.until(shown, f"the screen never showed {pattern!r}")
        return found[0]

    async def puts_away_notices(self) -> None:
        """Have the notices gone that cover a part of the screen: here they stay for as long as a test may wait."""
        self.app.clear_notifications()
        await self.until(lambda: not self.app._notifications, "a notice stays")

    async def loses(self, pattern: str) -> None:
        """Wait until the screen no longer matches `pattern`."""
        await self.until(lambda: re.search(pattern, self.text) is None, f"the screen still shows {pattern!r}")

    async def settled(self) -> None:
        """Wait until nothing is under way any more and all is drawn; blinking cursors are stopped, lit."""
        # Those below a dialog blink too.
        for screen in self.app.screen_stack:
            for field in screen.query(Input):
                field.cursor_blink = False
            for area in screen.query(TextArea):
                # One that does not blink at all is not drawn anew, and might be dark just now.
                area._pause_blink(visible=area.has_focus)
        before = ""

        def still() -> bool:
            nonlocal before
            former, before = before, self.text
            executor = vars(asyncio.get_running_loop())["_default_executor"]
            quiet = not self._wire.calls and idle(self.store._database._thread) and idle(executor)
            return quiet and all_drawn(self.app) and former == before

        for _ in range(3):
            await self.until(still, "something is always under way")

    async def quiet(self) -> None:
        """Wait until nothing is under way, nor waits to be sent again: the next request is one that a test asks for."""
        await self.until(lambda: not self._wire.retrying, "something is always to be sent again")
        await self.settled()
        # What was under way may have failed meanwhile.
        if self._wire.retrying:
            await self.quiet()

    @property
    def _latest_reports(self) -> list[str]:
        main = self.app.screen_stack[0]
        return [report.line for report in main.reports[-5:]] if isinstance(main, MainScreen) else []

    async def until(self, holds: Callable[[], bool], complaint: str) -> None:
        """Wait until `holds()`; fails with the complaint, the screen and the latest reports."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"{complaint}:\n{self.text}\n{self._latest_reports}"
            await self.pilot.pause()
            await asyncio.sleep(0.01)


async def at_once(session: Session) -> Session:
    """A session that is there as soon as it is asked for."""
    return session


def beginning_of(session: Session, arrives: Callable[[Session], Awaitable[Session]] = at_once) -> SessionStart:
    """A first session, and how it comes."""
    gateway = session.gateway
    return SessionStart(
        profile=session.profile,
        environment=gateway.environment,
        host=gateway.host,
        signs=gateway.signs,
        preferences=session.preferences,
        store=session.preference_store,
        lasting=session.lasting,
        session=lambda: arrives(session),
    )


@asynccontextmanager
async def browser(
    service: RunningService,
    state: Path,
    *,
    key: str = "sandbox",
    secret: str | None = None,
    place: str | None = None,
    size: tuple[int, int] = (120, 40),
    theme: str = "svc-dark",
    name: str = "test",
    read_only: bool = False,
    page_size: int | None = None,
    index: bool = False,
    idempotency: Literal["honoured", "unproven"] = "honoured",
    now: Callable[[], float] = time.time,
    monotonic: Callable[[], float] = time.monotonic,
    tz: tzinfo = UTC,
    routes: tuple[Route, ...] = (),
    config: Path | None = None,
    demo: bool = False,
    tour: bool = False,
    team: str = "",
    team_name: str = "me",
    team_required: bool = False,
    approve: tuple[str, ...] = (),
    arrives: Callable[[Session], Awaitable[Session]] = at_once,
    carried: HandOver | None = None,
) -> AsyncIterator[User]:
    """The app on `service` with one of its keys; `state` is the directory of its store, and outlives it.

    `secret` stands in for the key's own signing secret; "" leaves it out. `config` is the directory of `config.toml`
    and of the profiles that can be gone to, where it is not `state`. A `demo` offers the tour, `tour` begins with it.
    `team` is the address of the server of a team, one without a password, whose tables are there; `team_name` is the
    user's name in it, `approve` says what wants a second person.
    `carried` is what goes along from the reader.
    Where the session `arrives` in a way of its own, only the first frame is there to begin with.
    """
    offered = service.key(key)
    profile = Profile(
        name,
        service.base_url,
        service.base_url,
        page_size=page_size or 50,
        bulk_page_size=page_size or 200,
        routes=routes,
        idempotency=idempotency,
        read_only=read_only,
        index=index,
        team=team,
        team_name=team_name if team else "",
        team_required=team_required,
        approve=approve,
    )
    keys = KeyPair(offered.api_key, offered.signing_secret if secret is None else secret or None)
    # A team is told of the writes to a service by the address that it has.
    scope = StorageScope(name, keys.environment, service.base_url if team else "test-service")
    where = Locations((config or state) / "config.toml", state)
    files = FilePreferences(where, theme=theme)
    storage = RunStorage(where, files)
    others = OtherProfiles(Profiles(where), {})
    async with (
        Store.open(state / "svc-tui.db") as store,
        BrowserSessions(storage, store, SystemEditor(dict), others) as sessions,
        SignedClient(profile, keys, runtime=RuntimeEnvironment(now, monotonic)) as client,
    ):
        in_use = KeyInUse(store.fingerprints, lambda: client.keys.api_key)
        first = sessions.around(client, profile, scope, f"test {key}", in_use)
        shared = sessions.in_team(first, str) if team else first
        session = replace(shared, monotonic=monotonic, tz=tz)
        app = AppWithLastingNotices(
            beginning_of(session, arrives), place=place, demo=demo or tour, tour=tour, carried=carried
        )
        wire = OpenRequests()
        client.listen(wire.heard)
        async with app.run_test(size=size, notifications=True) as pilot:
            user = User(app, pilot, store, scope, wire, where.config_file.parent)
            if arrives is at_once:
                await user.until(lambda: app.opened and app.main.is_mounted, "the main screen never came")
            yield user
