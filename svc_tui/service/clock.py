"""How far the service's clock is from ours: read from `Date` headers, and when to sign by it.

Source: service-interface, "Request signing" (a timestamp is valid 300 seconds either side of the service's time),
and RFC 9110, section 5.6.7 (the three forms of an HTTP date).
"""

import re
from datetime import UTC, datetime

from msgspec import Struct

from svc_tui.core.durations import span_words
from svc_tui.core.values import replace

WINDOW = 300
"""Seconds either side of the service's time in which a signature is valid."""

WARN_AFTER = 60.0
"""Seconds of difference from which users are warned, long before the window ends."""

LONG_ROUND_TRIP = 10.0
"""Seconds under way from which an answer's `Date` no longer tells the time."""

_LONG_ROUND_TRIP_WHEN_STALE = 60.0
_MIN_EXPLAINED_SECONDS = 2.0
_BELIEVED_UNPROVEN = 24 * 3600.0

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = r"([0-9]{2}):([0-9]{2}):([0-9]{2})"
_IMF = re.compile(rf"[A-Za-z]{{3}}, ([0-9]{{2}}) ([A-Za-z]{{3}}) ([0-9]{{4}}) {_TIME} GMT")
_RFC850 = re.compile(rf"[A-Za-z]{{6,9}}, ([0-9]{{2}})-([A-Za-z]{{3}})-([0-9]{{2}}) {_TIME} GMT")
_ASCTIME = re.compile(rf"[A-Za-z]{{3}} ([A-Za-z]{{3}}) ([ 0-9][0-9]) {_TIME} ([0-9]{{4}})")


def http_date(text: str) -> float | None:
    """Unix time of an HTTP date in any of its three forms; None for anything else."""
    text = text.strip()
    if match := _IMF.fullmatch(text):
        day, month, year, *time = match.groups()
    elif match := _RFC850.fullmatch(text):
        day, month, year, *time = match.groups()
        # Two digits: the sender means a year no more than 50 ahead; the service's own century is this one.
        year = f"{'19' if int(year) >= 70 else '20'}{year}"
    elif match := _ASCTIME.fullmatch(text):
        month, day, *time, year = match.groups()
    else:
        return None
    hour, minute, second = map(int, time)
    if month.lower() not in _MONTHS or second > 60:
        return None
    try:
        date = datetime(int(year), _MONTHS.index(month.lower()) + 1, int(day), hour, minute, tzinfo=UTC)
    except ValueError:
        return None  # there is no such day or hour
    return date.timestamp() + second


def apart_words(offset: float) -> str:
    """How this computer's clock stands to the service's, in words; `offset` is the service's minus ours, in seconds."""
    off = round(offset)
    if not off:
        return "this computer's clock matches the clock of the service"
    return f"this computer is {span_words(off)} {'behind' if off > 0 else 'ahead of'} the service"


class DateReading(Struct, frozen=True):
    """What one answer says of the time: its `Date`, and when (by our clock) its request left and it came.

    `elapsed` is the round trip by a clock that is never set; `cached` that the answer carries an `Age`.
    """

    date: float
    left: float
    received_at: float
    elapsed: float
    cached: bool = False

    @property
    def offset(self) -> float:
        """The service's clock minus ours as it stands now, in seconds."""
        return self._middle - (self.received_at - self.elapsed / 2)

    @property
    def steady(self) -> bool:
        """Whether our own clock was not set while the request was under way."""
        return abs((self.received_at - self.left) - self.elapsed) < 1

    def explains(self, used: float) -> bool:
        """Whether a request was signed for another time than the service's, its clock corrected by `used`."""
        # By our clock as it stood then: it may have been set since.
        return abs(self._middle - (self.left + self.elapsed / 2) - used) >= _MIN_EXPLAINED_SECONDS

    def usable(self, longest: float) -> bool:
        """Whether it tells the time: fresh, and not long under way."""
        return not self.cached and self.elapsed <= longest

    @property
    def _middle(self) -> float:
        """The service's time half way through; a `Date` is cut to whole seconds, so half of one is added."""
        return self.date + 0.5


class Clock(Struct, frozen=True):
    """What is believed of the service's clock.

    `measured` is the offset last seen, None while it is within a minute; it is told to people. `correction` is
    what timestamps are moved by: 0 until the service itself refuses one, since a proxy's `Date` proves nothing.
    """

    measured: float | None = None
    correction: float = 0.0

    def timestamp(self, now: float) -> int:
        """The Unix time to sign with, in whole seconds of the service's clock."""
        return int(now + self.correction)

    def learned(self, reading: DateReading, accepted: float | None) -> "Clock":
        """What is believed after an ordinary answer; a clock that is mended lets go of the correction.

        `accepted` is the correction that the request was signed with, where the service took its signature: by its
        clock the timestamp was then within the window, and a `Date` that says otherwise is another's. An
        answer without that proof (None) tells people what it says of the clock, and moves no signature.
        """
        if not (reading.usable(LONG_ROUND_TRIP) and reading.steady):
            return self
        off = abs(reading.offset) > WARN_AFTER
        if accepted is None:
            believed = not self.correction and abs(reading.offset) < _BELIEVED_UNPROVEN
            return replace(self, measured=reading.offset if off else None) if believed else self
        if abs(reading.offset - accepted) > WINDOW:
            return self
        return Clock(reading.offset, reading.offset if self.correction else 0.0) if off else Clock()

    def refused(self, reading: DateReading | None, used: float) -> "Clock | None":
        """What to believe after `timestamp_stale`, to sign again with; None where nothing explains it.

        `used` is the correction that the refused request was signed with. `Date` explains the refusal where the
        request was signed for another time; so does a correction that was changed since then.
        """
        if reading is not None and reading.usable(_LONG_ROUND_TRIP_WHEN_STALE) and reading.explains(used):
            return Clock(reading.offset if abs(reading.offset) > WARN_AFTER else None, reading.offset)
        if abs(self.correction - used) >= _MIN_EXPLAINED_SECONDS:
            return self
        # A correction that is refused, and that Date knows nothing better than, was wrong: our own clock is left.
        return replace(self, correction=0.0) if self.correction else None

    def tells(self, before: "Clock") -> bool:
        """Whether the change from `before` is worth telling: it began, ended, or moved by more than five seconds."""
        if self.measured is None or before.measured is None:
            return self.measured is not before.measured
        return abs(self.measured - before.measured) > 5
