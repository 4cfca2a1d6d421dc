"""What a report of a fault begins with: which svc-tui this is, on which Python and system."""

from svc_tui import __version__


def version_line() -> str:
    """The versions of the program and of Python, and the system, in one line."""
    import platform

    return f"svc-tui {__version__}, Python {platform.python_version()}, {platform.platform()}"
