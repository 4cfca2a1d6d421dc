"""From the profile on show to another, while the program runs: what each has open, unsent and done stays its own."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from textual.content import Content
from textual.screen import Screen

from svc_tui.domain.console.links import OtherService
from svc_tui.domain.http.routes import PlaceError
from svc_tui.domain.model.credentials import Environment
from svc_tui.ui.report import Report
from svc_tui.ui.session.session import Session, SessionRefused, Sessions
from svc_tui.ui.text import shown, visible

if TYPE_CHECKING:
    from svc_tui.ui.dialogs.command_palette import Command

_UNNOTICED = 0.15
"""Seconds that opening a profile may take before it is told that something is being waited for."""


class Show(Protocol):
    """Shows another session in place of this one, at a place of its own, and tells what it is."""

    def __call__(self, session: Session, place: str | None, told: Report) -> None: ...


class ProfileSwitchController:
    """Leads away from one session; its asking runs in a worker of the screen, which ends with it."""

    def __init__(
        self,
        screen: Screen[Any],
        sessions: Sessions,
        here: str,
        may_leave: Callable[[], Awaitable[bool]],
        show: Show,
        tell: Callable[[Report], None],
    ) -> None:
        """`here` is the profile on show; `may_leave` says whether nothing stands against leaving it, and tells what."""
        self._screen, self._sessions, self._here = screen, sessions, here
        self._may_leave, self._show, self._tell = may_leave, show, tell

    def offered(self) -> tuple[str, ...]:
        """The profiles that can be gone to; none where `check` says why."""
        try:
            return tuple(name for name in self._sessions.names() if name != self._here)
        except SessionRefused:
            return ()

    def check(self, name: str) -> None:
        """Raises PlaceError where there is no such profile to go to."""
        if name == self._here:
            raise PlaceError(f"{name} is the profile on show")
        try:
            names = self._sessions.names()
        except SessionRefused as error:
            raise PlaceError(str(error)) from None
        if name not in names:
            others = ", ".join(f"@{other}" for other in self.offered())
            known = f"there are: {others}" if others else "make one with: svc-tui profiles add"
            raise PlaceError(f"there is no other profile {name}; {known}")

    def commands(
        self, command: "type[Command]", ask: Callable[[Coroutine[Any, Any, None]], None]
    ) -> "Iterator[Command]":
        """The palette's: one for each profile."""
        for name in self.offered():
            yield command(f"Profile: {name}", "Go to this profile", partial(_asked, ask, self.to, name))

    async def to(self, name: str) -> None:
        """Open the profile where it was left; where that can't be, tell why and stay."""
        if await self._may_leave() and (session := await self._opened(name)) is not None:
            self._show(session, None, _announcement(session))

    async def follow(self, link: str, service: OtherService) -> None:
        """Say what the link is of, and open it with a profile that somebody chooses of those that could."""
        try:
            names = await self._sessions.at(service.environment, service.host)
        except SessionRefused as error:
            self._tell(Report(f"{service}: {error}", "The link was not opened", "error"))
            return
        names = tuple(name for name in names if name != self._here)
        if not names:
            body = f"{service}, and no other profile leads there. svc-tui profiles add makes one."
            self._tell(Report(body, "The link was not opened", "warning"))
            return
        if (name := await self._chosen(names, service)) is None or not await self._may_leave():
            return
        session = await self._opened(name)
        if session is None:
            return
        if session.gateway.environment is not service.environment:
            await self._sessions.leave(session)
            environment = session.gateway.environment.label
            body = f"The key of {name} is one of {environment}, and the link is of {service.environment.label}."
            self._tell(Report(body, "The link was not opened", "warning"))
            return
        self._show(session, link, _announcement(session))

    async def _chosen(self, names: Sequence[str], service: OtherService) -> str | None:
        from svc_tui.ui.dialogs.menu import MenuScreen

        live = service.environment is Environment.LIVE
        label = (service.environment.label, "bold $role-live" if live else "bold $role-sandbox")
        lines = [(Content.assemble("Open it with ", shown(f"@{name}", "bold"), "  ", label), name) for name in names]
        title = f"The link is of {service.environment.label} at {visible(service.host)}"
        return await self._screen.app.push_screen_wait(MenuScreen(title, lines, hint="enter go there · esc stay here"))

    async def _opened(self, name: str) -> Session | None:
        opening = asyncio.ensure_future(self._sessions.open(name))
        done, _ = await asyncio.wait({opening}, timeout=_UNNOTICED)
        if not done:
            from svc_tui.ui.dialogs.opening import OpeningScreen

            await self._screen.app.push_screen_wait(OpeningScreen(name, opening))
        try:
            return await opening
        except SessionRefused as error:
            self._tell(Report(str(error), f"{name} was not opened", "error"))
        except asyncio.CancelledError:
            if not opening.cancelled():
                raise
            self._tell(Report(f"{name} was not opened: you did not wait for its key."))
        return None


def _asked(
    ask: Callable[[Coroutine[Any, Any, None]], None], to: Callable[[str], Coroutine[Any, Any, None]], name: str
) -> None:
    ask(to(name))


def _announcement(session: Session) -> Report:
    """What profile is on show from now on; LIVE is not to be overlooked."""
    gateway, profile = session.gateway, session.profile
    if gateway.environment is not Environment.LIVE:
        return Report(f"{gateway.host}", f"{gateway.environment.label} · {profile.name}")
    locked = "It is read-only." if profile.read_only else "Writes are locked; w unlocks them."
    return Report(f"{gateway.host}. {locked}", f"LIVE · {profile.name}", "warning")
