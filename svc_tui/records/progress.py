"""How far an export has come, as one line for a terminal."""

from msgspec import Struct

from svc_tui.core.durations import span_words
from svc_tui.core.phrases import counted

_BAR_CELLS = range(8, 31)
"""How many cells a bar may have; with fewer it tells nothing."""


class Progress(Struct, frozen=True):
    """So many records of so many, after `seconds`.

    `goal` is None where the service names no total; `held` is in how many seconds requests go out again after a 429,
    None while nothing is held back. `name` is what they are records of, where that is worth telling. `left` is in how
    many seconds it will be at its end, None where that is not told. `exceptions` counts those that did not end as
    planned, in words.
    """

    count: int
    goal: int | None
    seconds: float
    held: int | None = None
    name: str = ""
    left: float | None = None
    exceptions: str = ""


def progress_line(progress: Progress, width: int) -> str:
    """The line, at most `width` cells: a bar where the goal is known, the count, the rate, and what is waited for."""
    words = [", ".join(filter(None, (_count_words(progress), progress.exceptions)))]
    if progress.seconds >= 1:
        words.append(f"{progress.count / progress.seconds:,.0f}/s")
    if progress.left is not None and progress.held is None:
        words.append(f"{span_words(progress.left)} left")
    if progress.held is not None:
        words.append(f"429, retry in {progress.held} s")
    text = "  ".join(words)
    if progress.name:
        text = f"{progress.name}  {text}"
    room = min(width - len(text) - 4, _BAR_CELLS[-1])
    if progress.goal and room in _BAR_CELLS:
        done = min(room, room * progress.count // progress.goal)
        text = f"[{'#' * done}{'-' * (room - done)}]  {text}"
    return text[:width]


def _count_words(progress: Progress) -> str:
    if progress.goal is None:
        return counted(progress.count, "record")
    return f"{progress.count:,} of {counted(max(progress.goal, progress.count), 'record')}"
