"""The moment that people mean by `30m`, `12h`, `1d`, `2w`, `today`, `yesterday`, a date or a time."""

import re
from datetime import datetime, timedelta, tzinfo

from svc_tui.domain.data.times import parse_time

_AGO = re.compile(r"(?P<count>[0-9]{1,6})\s*(?P<unit>s|m|min|h|d|w)")
_LOCAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?")
_UNITS = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}


DAYS = {"today": timedelta(), "yesterday": timedelta(days=1)}
"""How long before now a day that is named by a word began, beside the time of day."""


def parse_since(text: str, now: datetime, tz: tzinfo) -> datetime | None:
    """Return the moment: so long before `now`, the beginning of today or yesterday in `tz`, an RFC 3339 time, or a date
    or time in `tz`; None for anything else.
    """
    text = text.strip()
    try:
        if match := _AGO.fullmatch(text.casefold()):
            return now - int(match["count"]) * _UNITS[match["unit"]]
        if (days := DAYS.get(text.casefold())) is not None:
            return now.astimezone(tz).replace(hour=0, minute=0, second=0, microsecond=0) - days
        at = datetime.fromisoformat(text) if _LOCAL.fullmatch(text) else parse_time(text)
        if at is None:
            return None
        # Not `astimezone`, which would take a time without a zone for one of the system's.
        return at if at.tzinfo is not None else at.replace(tzinfo=tz)
    except (OverflowError, ValueError):
        return None
