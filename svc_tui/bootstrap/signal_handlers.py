"""What is done about an interrupt, a hang-up and a polite kill."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from svc_tui.bootstrap.start import CommandFailure
from svc_tui.platform.signals import ENDING, hear, unhear


class EndedBySignal(Exception):
    """A signal ended a command's work; `status` is the exit status that says which."""

    def __init__(self, status: int) -> None:
        super().__init__(f"stopped by signal {status - 128}")
        self.status = status

    def failure(self, line: str) -> CommandFailure | SystemExit:
        """How the command ends: with the line where somebody interrupted it, without a word for other signals."""
        return CommandFailure(line, self.status) if self.status == 128 + signal.SIGINT else SystemExit(self.status)


@contextmanager
def unwind_on_signals() -> Iterator[None]:
    """Have a hang-up and a polite kill leave nothing behind while the browser is not yet there to end."""
    before, status = _handlers(*ENDING), 0

    def unwind(number: int, _: object) -> None:
        nonlocal status
        for other in before:
            signal.signal(other, signal.SIG_IGN)
        status = 128 + number
        raise SystemExit(status)

    for number in before:
        signal.signal(number, unwind)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if status:
            # Python swallows SystemExit in a callback, and makes a RuntimeError of it in `__set_name__`.
            raise SystemExit(status) from None


async def deliver_pending_interrupt() -> None:
    """Have an interrupt that came before `quit_on_signals` end the program here, and not in an app, which takes it in.

    Raises CancelledError then: asyncio cancels what it runs at the next thing that is waited for.
    """
    await asyncio.sleep(0)


@contextmanager
def quit_on_signals(end: Callable[[int], object], lent: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Have an interrupt, a hang-up and a polite kill end the browser like `q` does, terminal and drafts in order.

    While the terminal is `lent` to another program, an interrupt typed there is that program's alone.
    """
    loop = asyncio.get_running_loop()
    before = _handlers(signal.SIGINT, *ENDING)
    ended = False

    def ended_by(number: int) -> None:
        nonlocal ended
        if number == signal.SIGINT and lent():
            return
        ended = True
        end(128 + number)

    for number in before:
        hear(loop, number, ended_by)
    try:
        yield
    finally:
        for number, handler in before.items():
            unhear(loop, number)
            # A hang-up often comes twice, from the shell too: the second must not cut the end short.
            signal.signal(number, signal.SIG_IGN if ended else handler)


@contextmanager
def cancelled_by_signals() -> Iterator[None]:
    """Have an interrupt, a hang-up and a polite kill cancel what runs within; raises EndedBySignal then."""
    status, task = 0, asyncio.current_task()

    def end(by: int) -> None:
        nonlocal status
        status = by
        if task is not None:
            task.cancel()

    with quit_on_signals(end):
        try:
            yield
        except asyncio.CancelledError:
            if not status:
                raise
            raise EndedBySignal(status) from None


def _handlers(*numbers: int) -> dict[int, "signal._HANDLER"]:
    """What is done about each of these signals."""
    return {number: signal.getsignal(number) for number in numbers}
