"""Spans of time in words: exact for what a user waits for or must correct, coarse for how old something is."""

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))
_LONG_SECONDS = 600
"""Seconds from which a number of them says little to a reader."""
_LONG_HOURS = 48
"""Hours from which days are counted."""


def span_words(seconds: float) -> str:
    """How long something takes or is off, in at most two units: `90 s`, `12 min 5 s`, `24 h`, `3 d 2 h`."""
    left = round(abs(seconds))
    if left < _LONG_SECONDS:
        return f"{left} s"
    words = []
    for unit, name in (*_UNITS, (1, "s")):
        if name == "d" and left < _LONG_HOURS * 3_600:
            continue
        count, left = divmod(left, unit)
        if count:
            words.append(f"{count} {name}")
        elif words:
            break
    return " ".join(words[:2])


def offset_words(seconds: float) -> str:
    """How far a clock is off, with the sign: `+142 s`, `-24 h`."""
    return f"{'-' if seconds < 0 else '+'}{span_words(seconds)}"


def age_words(seconds: float) -> str:
    """How old something is, in its largest unit: `4 min`, `3 h`, `12 d`; "" under a minute."""
    for unit, name in _UNITS:
        if seconds >= unit:
            return f"{seconds // unit:.0f} {name}"
    return ""


def duration_text(seconds: float) -> str:
    """Return how long a request took: `38 ms`, or `2.4 s` from a second on."""
    return f"{seconds * 1000:.0f} ms" if seconds < 0.9995 else f"{seconds:.1f} s"
