"""Puts a new key pair in the place of the session's own, and has what the old one failed at read again."""

from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from svc_tui.domain.doctor.key_rotation import RotationRefused
from svc_tui.ui.connect.rotate_dialog import NewPairScreen
from svc_tui.ui.report import Report
from svc_tui.ui.session.session import Session, SessionRefused


async def rotate(
    screen: Screen[Any], session: Session, read_again: Callable[[], None], tell: Callable[[Report], None]
) -> None:
    """Ask for the pair; where it can't be replaced from here, tell why and what to do."""
    name = session.profile.name
    try:
        rotation = session.sessions.rotation(session)
        with_secret = await rotation.with_secret()
    except (SessionRefused, RotationRefused) as error:
        tell(Report(str(error), "The key can't be replaced from here", "warning"))
        return
    asked = NewPairScreen(rotation, name, session.gateway.environment, with_secret=with_secret)
    if await screen.app.push_screen_wait(asked):
        read_again()
        tell(Report("What is on show is read again with it. Edits not sent are as they were.", f"{name} has a new key"))
