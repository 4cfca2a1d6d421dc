"""The switch to another profile, each of which has its own session, drafts and journal."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Protocol

from textual.content import Content

from svc_tui.console.links import LinkToOtherService
from svc_tui.core.credentials import Environment
from svc_tui.session.session import Session, SessionRefused, check_profile, other_profiles
from svc_tui.ui.context import Context
from svc_tui.ui.keys.command import Command
from svc_tui.ui.report import Report
from svc_tui.ui.text import styled, visible

_QUIET_SECONDS = 0.15
"""Seconds of opening a profile after which the wait is shown."""


class ShowSession(Protocol):
    """A function that shows another session, at a place in it, with a report."""

    def __call__(self, session: Session, place: str | None, report: Report) -> None: ...


class ProfileSwitchController:
    """The switch from one session to another; its dialogs run in a worker of the screen, which ends with it."""

    def __init__(self, context: Context, may_leave: Callable[[], Awaitable[bool]], show: ShowSession) -> None:
        """Create it; `may_leave` returns True if the session may end, or else shows why not."""
        self._context, self._may_leave, self._show = context, may_leave, show

    def offered(self) -> tuple[str, ...]:
        """Return the profiles to switch to; none if `check` says why."""
        return other_profiles(self._context.session)

    def check(self, name: str) -> None:
        """Raise PlaceError if the profile can't be switched to."""
        check_profile(self._context.session, name)

    def commands(self) -> Iterator[Command]:
        """Yield the commands for the palette."""
        ask, names = self._context.ask, self.offered()
        if names:
            yield Command("Switch profile…", "Switch to another profile", lambda: ask(self._switch()), " ".join(names))
        yield Command("Add a profile…", "Set up another API key, and open it", lambda: ask(self._add()), "key connect")

    async def _switch(self) -> None:
        from svc_tui.ui.dialogs.menu import MenuScreen

        lines = [(styled(name), name) for name in self.offered()]
        if (name := await self._context.show(MenuScreen("Switch profile", lines))) is not None:
            await self.to(name)

    async def _add(self) -> None:
        from svc_tui.connect.new_connection import ConnectionInput
        from svc_tui.ui.connect.key_page import ConnectScreen

        try:
            connecting = self._context.session.sessions.connection_setup()
        except SessionRefused as refusal:
            self._context.notify(Report(str(refusal), "No profile can be added", "warning"))
            return
        connection = await self._context.show(ConnectScreen(connecting, ConnectionInput()))
        if connection is not None:
            await self.to(connection.name)

    async def to(self, name: str) -> None:
        """Open the profile at the place where it was left, or report why not."""
        if await self._may_leave() and (session := await self._open(name)) is not None:
            self._show(session, None, announcement(session))

    async def follow(self, link: str, service: LinkToOtherService) -> None:
        """Open a link to another service with a profile for it that the user chooses."""
        try:
            names = await self._context.session.sessions.at(service.environment, service.host)
        except SessionRefused as error:
            self._context.notify(Report(f"{service}: {error}", "The link was not opened", "error"))
            return
        names = tuple(name for name in names if name != self._context.profile.name)
        if not names:
            body = f"{service}. No other profile connects to it. To add one, press ctrl+p and choose Add a profile."
            self._context.notify(Report(body, "The link was not opened", "warning"))
            return
        if (name := await self._choose(names, service)) is None or not await self._may_leave():
            return
        session = await self._open(name)
        if session is None:
            return
        if session.gateway.environment is not service.environment:
            await self._context.session.sessions.leave(session)
            environment = session.gateway.environment.label
            body = f"The key of {name} is for {environment}, but the link is for {service.environment.label}."
            self._context.notify(Report(body, "The link was not opened", "warning"))
            return
        self._show(session, link, announcement(session))

    async def _choose(self, names: Sequence[str], service: LinkToOtherService) -> str | None:
        from svc_tui.ui.dialogs.menu import MenuScreen

        live = service.environment is Environment.LIVE
        label = (service.environment.label, "bold $role-live" if live else "bold $role-sandbox")
        lines = [(Content.assemble("Open it with ", styled(f"@{name}", "bold"), "  ", label), name) for name in names]
        title = f"The link is for {service.environment.label} at {visible(service.host)}"
        return await self._context.show(MenuScreen(title, lines, hint="enter open · esc cancel"))

    async def _open(self, name: str) -> Session | None:
        opening = asyncio.ensure_future(self._context.session.sessions.open(name))
        done, _ = await asyncio.wait({opening}, timeout=_QUIET_SECONDS)
        if not done:
            from svc_tui.ui.dialogs.profile_opening import ProfileOpeningScreen

            await self._context.show(ProfileOpeningScreen(name, opening))
        try:
            return await opening
        except SessionRefused as error:
            self._context.notify(Report(str(error), f"{name} was not opened", "error"))
        except asyncio.CancelledError:
            if not opening.cancelled():
                raise
            self._context.notify(Report(f"Cancelled. {name} was not opened."))
        return None


def announcement(session: Session) -> Report:
    """Return the report of a switch to a session; a warning for LIVE."""
    gateway, profile = session.gateway, session.profile
    if gateway.environment is not Environment.LIVE:
        return Report(f"{gateway.host}", f"{gateway.environment.label} · {profile.name}")
    locked = "This profile is read-only." if profile.read_only else "LIVE is locked. Press w to unlock."
    return Report(f"{gateway.host}. {locked}", f"LIVE · {profile.name}", "warning")
