"""Tells the terminal that long work has ended, where nobody is looking and the user wants to hear of it."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.message_pump import MessagePump

from svc_tui.core.settings import DoneNotice
from svc_tui.ui.terminal.done_notices import DesktopNotice, LongWork, done_notice


@dataclass
class WorkEnded(Message):
    """Work that the user may have turned away from has ended."""

    work: LongWork
    seconds: float


@contextmanager
def announce_end(
    sender: MessagePump, work: LongWork, monotonic: Callable[[], float] = time.monotonic
) -> Iterator[None]:
    """Have the app told when the block is left, unless it is given up."""
    began, given_up = monotonic(), False
    try:
        yield
    except asyncio.CancelledError:
        given_up = True
        raise
    finally:
        if not given_up:
            sender.post_message(WorkEnded(work, monotonic() - began))


class DoneNotifier:
    """Writes the notices that `wanted` asks for; told of the focus by the app's events."""

    def __init__(self, wanted: DoneNotice, desktop: DesktopNotice, write: Callable[[str], None]) -> None:
        self._wanted, self._desktop, self._write = wanted, desktop, write
        self._focused: bool | None = None

    def track_focus(self, event: events.Event) -> None:
        """An event of the app: only a terminal that tells when it has the focus sends one of these."""
        if isinstance(event, events.AppFocus | events.AppBlur):
            self._focused = isinstance(event, events.AppFocus)

    def notify_done(self, event: WorkEnded) -> None:
        """Say so, where that is wanted."""
        if notice := done_notice(event.work, event.seconds, self._wanted, self._desktop, focused=self._focused):
            self._write(notice)
