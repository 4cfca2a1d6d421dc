"""Which profiles can be gone to from the one on show."""

from svc_tui.domain.http.routes import PlaceError
from svc_tui.domain.session.session import Session, SessionRefused


def other_profiles(session: Session) -> tuple[str, ...]:
    """The profiles that can be gone to; none where `check_profile` says why."""
    try:
        return tuple(name for name in session.sessions.names() if name != session.profile.name)
    except SessionRefused:
        return ()


def check_profile(session: Session, name: str) -> None:
    """Raises PlaceError where there is no such profile to go to."""
    if name == session.profile.name:
        raise PlaceError(f"{name} is the current profile")
    try:
        names = session.sessions.names()
    except SessionRefused as error:
        raise PlaceError(str(error)) from None
    if name not in names:
        others = ", ".join(f"@{other}" for other in other_profiles(session))
        known = f"available: {others}" if others else "add one with: svc-tui profiles add"
        raise PlaceError(f"there is no other profile {name}; {known}")
