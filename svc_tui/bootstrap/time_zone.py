"""The time zone that the system is set to."""

import time
from datetime import UTC, datetime, timedelta, tzinfo


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
        """Not told: the system gives the offset as a whole."""
        return None

    def tzname(self, dt: datetime | None, /) -> str | None:
        """`CET` or `CEST` at a time that the clocks show; `CET/CEST` for the whole year."""
        if dt is not None:
            return dt.replace(tzinfo=None).astimezone().tzname()
        return "/".join(dict.fromkeys(time.tzname if time.daylight else time.tzname[:1]))
