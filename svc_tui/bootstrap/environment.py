"""The environment that the program runs in: its terminal, and the time zone that the system is set to."""

import os
import sys
import time
from datetime import UTC, datetime, timedelta, tzinfo

from svc_tui.platform.terminal import drawing_stream


def screen_problem() -> str:
    """Return why full-screen mode is not possible here; "" if it is."""
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
    """Return why the reader can't be used here; "" if it can."""
    if all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        return ""
    return "the reader needs a terminal; in a script, use svc-tui request"


def _is_watched() -> bool:
    """Return True if input and output are terminals."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, drawing_stream()))


class SystemTimeZone(tzinfo):
    """The system's time zone, with daylight saving."""

    def fromutc(self, dt: datetime, /) -> datetime:
        """Return the moment in the system's zone; raises OverflowError if the system can't convert it."""
        try:
            return dt.replace(tzinfo=UTC).astimezone()
        except (OSError, ValueError) as error:
            raise OverflowError(str(error)) from None

    def utcoffset(self, dt: datetime | None, /) -> timedelta | None:
        """Return the offset from UTC at a local time."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, dt: datetime | None, /) -> timedelta | None:
        """Return None: the system has only the whole offset."""
        return None

    def tzname(self, dt: datetime | None, /) -> str | None:
        """Return `CET` or `CEST` for a local time; `CET/CEST` without one."""
        if dt is not None:
            return dt.replace(tzinfo=None).astimezone().tzname()
        return "/".join(dict.fromkeys(time.tzname if time.daylight else time.tzname[:1]))
