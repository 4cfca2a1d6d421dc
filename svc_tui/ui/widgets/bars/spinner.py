"""How waiting looks everywhere: the spinner, when it begins, and how long something took."""

SPINNER_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
"""The spinner's frames, one cell each, ten a second."""

SPINNER_DELAY_SECONDS = 0.15
"""Seconds of waiting before anything moves."""


def duration_text(seconds: float) -> str:
    """`38 ms`, or `2.4 s` from a second on."""
    return f"{seconds * 1000:.0f} ms" if seconds < 0.9995 else f"{seconds:.1f} s"
