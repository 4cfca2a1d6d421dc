"""Times as text: the moment they name, how they read in a zone, and what people mean by `30m` or `today`."""

import re
from calendar import monthrange
from datetime import UTC, datetime, timedelta, tzinfo
from enum import Enum

_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?P<time>[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?P<fraction>\.[0-9]+)?(?P<zone>[Zz]|[+-][0-9]{2}:[0-9]{2}))?"
)


class TimePart(Enum):
    """A part of a time that can be stepped by itself."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"


_ENDS = (
    (4, TimePart.YEAR),
    (7, TimePart.MONTH),
    (10, TimePart.DAY),
    (13, TimePart.HOUR),
    (16, TimePart.MINUTE),
    (19, TimePart.SECOND),
)
"""Where each part ends in the text."""

_SPANS = {
    TimePart.DAY: timedelta(days=1),
    TimePart.HOUR: timedelta(hours=1),
    TimePart.MINUTE: timedelta(minutes=1),
    TimePart.SECOND: timedelta(seconds=1),
}


def parse_time(text: str) -> datetime | None:
    """The moment of an RFC 3339 date-time or full-date; None for anything else."""
    try:
        if len(text) == 20 and text[4::3] == "--T::Z":
            # As nearly all are written; what stands between those signs is checked as it is read.
            return datetime.fromisoformat(text)
        match = _TIME.fullmatch(text)
        if match is None:
            return None
        if match["time"] is None:
            return datetime.fromisoformat(text)
        zone = "+00:00" if match["zone"] in "Zz" else match["zone"]
        fraction = (match["fraction"] or ".")[:7].ljust(7, "0")
        return datetime.fromisoformat(f"{text[:10]}T{text[11:19]}{fraction}{zone}")
    except ValueError:
        return None


def local_time(text: str, tz: tzinfo, *, zone: bool = False, seconds: bool = False) -> str | None:
    """`2026-11-20 06:12` in `tz`, with ` CET` after it for `zone`, to the second for `seconds`; a date stays one.

    None where the text is no time, or one that `tz` can't tell since it is at the end of the calendar.
    """
    at = parse_time(text)
    if at is None:
        return None
    if at.tzinfo is None:
        return text
    try:
        local = at.astimezone(tz)
    except (OverflowError, ValueError):
        return None
    # Not by strftime, which writes the year 1 as "1".
    time_text = local.replace(tzinfo=None).isoformat(" ", "seconds" if seconds else "minutes")
    return f"{time_text} {local.tzname()}" if zone else time_text


def part_at(text: str, cursor: int) -> TimePart:
    """The part of a time that the cursor stands on, or right behind; the minute (of a date, the day) after its end."""
    for end, part in _ENDS:
        if cursor <= end and end <= len(text):
            return part
    return TimePart.DAY if len(text) <= len("2026-11-20") else TimePart.MINUTE


def shift_time(text: str, part: TimePart, steps: int) -> str | None:
    """The time `steps` years, months, days … later, in the same form: same offset, same digits of a second.

    A month that has no such day gives its last one. None where the text is no time, or the calendar ends.
    """
    at = parse_time(text)
    if at is None:
        return None
    wall = at.replace(tzinfo=None)
    try:
        if part in _SPANS:
            wall += steps * _SPANS[part]
        else:
            months = wall.year * 12 + wall.month - 1 + steps * (12 if part is TimePart.YEAR else 1)
            year, month = months // 12, months % 12 + 1
            wall = wall.replace(year=year, month=month, day=min(wall.day, monthrange(year, month)[1]))
    except (OverflowError, ValueError):
        return None
    return _in_format_of(text, wall)


def now_like(text: str, now: datetime) -> str:
    """`now` in the form of the time `text`: its offset, its digits of a second; a date is today's in the zone of `now`.

    Where `text` is no time: in UTC, to the second.
    """
    at = parse_time(text)
    if at is None:
        text, zone = "2026-11-20T05:12:00Z", UTC
    else:
        zone = at.tzinfo or now.tzinfo  # type: ignore[assignment]
    wall = now.astimezone(zone).replace(tzinfo=None)
    match = _TIME.fullmatch(text)
    fraction = match["fraction"] if match else None
    if fraction:
        start = len("2026-11-20T05:12:00.")
        digits = f"{wall.microsecond:06}".ljust(len(fraction) - 1, "0")[: len(fraction) - 1]
        text = text[:start] + digits + text[start + len(digits) :]
    return _in_format_of(text, wall)


def _in_format_of(text: str, wall: datetime) -> str:
    """`text` with the date and the time of day of `wall`; what follows the seconds stays as it is written."""
    written = wall.isoformat("T", "seconds")
    return written[:10] + text[10:11] + written[11:19] + text[19:] if len(text) > len("2026-11-20") else written[:10]


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
