"""The environment that the program runs in: its terminal, and the time zone that the system is set to."""

import os
import sys
import time
from datetime import UTC, datetime, timedelta, tzinfo

from svc_tui.platform.terminal import drawing_stream


def screen_problem() -> str:
    """Why nothing can be drawn here; "" where it can."""
    if not _is_watched():
        return "full-screen mode needs a terminal; in a script, use svc-tui request"
    if os.environ.get("TERM") in ("dumb", "unknown"):
        term = os.environ["TERM"]
        return (
            f"full-screen mode does not work with TERM={term}; set TERM to your terminal, such as "
            "xterm-256color, "
            "or use svc-tui --reader"
        )
    return ""


def reader_problem() -> str:
    """Why there would be nobody to hear the reader; "" where there is somebody."""
    if all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        return ""
    return "the reader needs a terminal; in a script, use svc-tui request"


def _is_watched() -> bool:
    """Whether keys come from a terminal, and what is drawn goes to one."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, drawing_stream()))


class SystemTimeZone(tzinfo):
    """The system's zone with the daylight saving of each moment; without a moment, its names of the whole year."""

    def fromutc(self, dt: datetime, /) -> datetime:
        """The moment on the system's clocks; raises OverflowError where they can't tell it."""
        try:
            return dt.replace(tzinfo=UTC).astimezone()
        except (OSError, ValueError) as error:
            raise OverflowError(str(error)) from None

    def utcoffset(self, dt: datetime | None, /) -> timedelta | None:
        """How far the clocks are ahead of UTC at a time that they show."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, dt: datetime | None, /) -> timedelta | None:
        """Unknown: the system gives the offset as a whole."""
        return None

    def tzname(self, dt: datetime | None, /) -> str | None:
        """`CET` or `CEST` at a time that the clocks show; `CET/CEST` for the whole year."""
        if dt is not None:
            return dt.replace(tzinfo=None).astimezone().tzname()
        return "/".join(dict.fromkeys(time.tzname if time.daylight else time.tzname[:1]))
