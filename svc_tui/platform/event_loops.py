"""Runs what is asynchronous, on the event loop that all of the program can live on."""

import asyncio
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from svc_tui.platform.processes import await_again, giving_up_at_end

_Result = TypeVar("_Result")


async def _without_waiting_at_end(main: Coroutine[Any, Any, _Result]) -> _Result:
    # The loop's end waits for its threads, and one may wait for a command that hangs.
    with giving_up_at_end():
        return await main


if sys.platform == "win32":
    import signal
    import socket

    def run_on_loop(main: Coroutine[Any, Any, _Result]) -> _Result:
        """Run it to its end on a loop of its own, in the main thread; an interrupt cancels it."""
        # The loop that Windows has besides starts programs too, but psycopg can't live on it: programs are started by
        # `terminal.start_on_terminal`.
        try:
            with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner, _waked_by_signals(runner.get_loop()):
                return runner.run(_without_waiting_at_end(main))
        finally:
            await_again()

    @contextmanager
    def _waked_by_signals(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """Have a signal wake the loop: by itself this one sleeps until something comes over the network."""
        woken, waker = socket.socketpair()
        with woken, waker:
            woken.setblocking(False)
            waker.setblocking(False)
            loop.add_reader(woken, woken.recv, 4096)
            before = signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
            try:
                yield
            finally:
                signal.set_wakeup_fd(before)
                loop.remove_reader(woken)

else:

    def run_on_loop(main: Coroutine[Any, Any, _Result]) -> _Result:
        """Run it to its end on a loop of its own; an interrupt cancels it."""
        try:
            return asyncio.run(_without_waiting_at_end(main))
        finally:
            await_again()
