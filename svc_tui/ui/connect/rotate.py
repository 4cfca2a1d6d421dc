"""Puts a new key pair in the place of the session's own, and has what the old one failed at read again."""

from svc_tui.connect.key_rotation import RotationRefused
from svc_tui.session.session import SessionRefused
from svc_tui.ui.connect.rotate_dialog import NewPairScreen
from svc_tui.ui.context import Context
from svc_tui.ui.report import Report


async def rotate(context: Context) -> None:
    """Ask for the pair; where it can't be replaced from here, say why and what to do."""
    session, name = context.session, context.profile.name
    try:
        rotation = session.sessions.rotation(session)
        with_secret = await rotation.with_secret()
    except (SessionRefused, RotationRefused) as error:
        context.notify(Report(str(error), "Key not replaced", "warning"))
        return
    if await context.show(NewPairScreen(rotation, name, context.gateway.environment, with_secret=with_secret)):
        context.workspace.refresh_all()
        body = "The data is reloaded with the new key. Drafts are kept."
        context.notify(Report(body, f"Replaced the key of {name}"))
