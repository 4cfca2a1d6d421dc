"""Notices in the terminal that long work has ended, for users who look elsewhere."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

from textual import events
from textual.message import Message
from textual.message_pump import MessagePump

from svc_tui.core.settings import DoneNotice
from svc_tui.ui.terminal.abilities import BELL, DesktopNotice

LONG_SECONDS = 10.0
"""Seconds of work after which the user may have turned to something else."""


class LongWork(Enum):
    """Kinds of long work, each with the text of its notice, which has nothing from outside in it."""

    EXPORT = "Export finished"
    RUN = "Run finished or needs your input"
    LOADING = "All records are loaded"
    REQUEST = "Response received"


@dataclass
class WorkEnded(Message):
    """The end of work that the user may have turned away from."""

    work: LongWork
    seconds: float


@contextmanager
def announce_end(
    sender: MessagePump, work: LongWork, monotonic: Callable[[], float] = time.monotonic
) -> Iterator[None]:
    """Post `WorkEnded` when the block is left, unless it is cancelled."""
    began, is_cancelled = monotonic(), False
    try:
        yield
    except asyncio.CancelledError:
        is_cancelled = True
        raise
    finally:
        if not is_cancelled:
            sender.post_message(WorkEnded(work, monotonic() - began))


class DoneNotifier:
    """Writes the notices that `wanted` asks for to the terminal, unless it has the focus."""

    def __init__(self, wanted: DoneNotice, desktop: DesktopNotice, write: Callable[[str], None]) -> None:
        self._wanted, self._desktop, self._write = wanted, desktop, write
        self._focused: bool | None = None

    def track_focus(self, event: events.Event) -> None:
        """Remember the focus; only terminals that report it send these events."""
        if isinstance(event, events.AppFocus | events.AppBlur):
            self._focused = isinstance(event, events.AppFocus)

    def notify_done(self, event: WorkEnded) -> None:
        """Write the notice for the end of work, if one is wanted."""
        if notice := done_notice(event.work, event.seconds, self._wanted, self._desktop, focused=self._focused):
            self._write(notice)


def done_notice(
    work: LongWork, seconds: float, wanted: DoneNotice, desktop: DesktopNotice, *, focused: bool | None
) -> str:
    """Return what to write to the terminal after `work` of so many seconds; "" for nothing.

    `focused` is True if the terminal has the focus, None if it does not report it.
    """
    if wanted == "off" or focused or seconds < LONG_SECONDS:
        return ""
    return BELL if wanted == "bell" else desktop.value.format(text=work.value)
