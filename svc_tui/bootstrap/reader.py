"""Runs the reader: the conversation on a loop of its own, what is typed on the main thread."""

import asyncio
import sys
from base64 import b64encode
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from svc_tui.bootstrap.environment import screen_problem
from svc_tui.bootstrap.signal_handlers import unwind_on_signals
from svc_tui.bootstrap.start import CommandFailure
from svc_tui.bootstrap.startup import BrowserStart, InterfaceEnd
from svc_tui.core.visible_text import visible
from svc_tui.reader.line_reader import TypedLines, write_line

if TYPE_CHECKING:
    from svc_tui.reader.conversation import Conversation
    from svc_tui.session.session import Session
    from svc_tui.session.write_words import Report


def converse(start: BrowserStart) -> InterfaceEnd:
    """Talk until the user leaves, or goes on on the screen. Raises CommandFailure where the service can't be opened."""
    # Text from outside may hold what the terminal's encoding can't say.
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace" if stream is sys.stdout else "replace")
    with unwind_on_signals():
        return _ReaderRun(start).run()


def _screen_problem() -> str:
    problem = screen_problem()
    return f"{problem[:1].upper()}{problem[1:]}." if problem else ""


async def _copy(session: "Session", text: str) -> str:
    """Copy the text to the clipboard of the user at this terminal; gives what became of it."""
    from svc_tui.ui.terminal.clipboard import Clipboard

    environment = await asyncio.to_thread(session.child_environment)
    return await Clipboard(_to_terminal, lambda: session.gateway.secrets, session.files.keep, environment).copy(text)


def _to_terminal(text: str) -> None:
    """Send a text to the terminal's clipboard; see OSC 52 in xterm's control sequences."""
    sys.stdout.write(f"\x1b]52;c;{b64encode(text.encode()).decode()}\a")
    sys.stdout.flush()


class _ReaderRun:
    """One run, and what its first session works with; see `first_session.SessionHost`."""

    def __init__(self, start: BrowserStart) -> None:
        self._start = start
        self.log_file: Path | None = None
        self._lines = TypedLines(self._interrupt, self._complete)
        self._notices: list[str] = []
        self._conversation: Conversation | None = None
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[InterfaceEnd] | None = None

    def run(self) -> InterfaceEnd:
        """Talk on a thread of its own, and read what is typed on this one."""
        ends: list[InterfaceEnd | BaseException] = []

        def talk() -> None:
            try:
                with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                    ends.append(runner.run(self._talk()))
            except BaseException as error:
                ends.append(error)
            finally:
                self._lines.close()

        thread = Thread(target=talk, name="reader")
        thread.start()
        try:
            self._lines.serve()
        except SystemExit as ended:
            self._lines.end(ended.code if isinstance(ended.code, int) else 1)
            self._lines.serve()
        thread.join()
        (end,) = ends
        if isinstance(end, asyncio.CancelledError):
            raise KeyboardInterrupt
        if isinstance(end, BaseException):
            raise end
        return end

    async def _talk(self) -> InterfaceEnd:
        from svc_tui.bootstrap.first_session import FirstSession
        from svc_tui.core.gc_control import freeze_and_enable_gc
        from svc_tui.reader.conversation import Conversation
        from svc_tui.reader.copying import no_clipboard
        from svc_tui.session.session import SessionRefused

        self._task = asyncio.current_task()
        start = self._start
        async with AsyncExitStack() as stack:
            first = FirstSession(start, stack, self)
            try:
                session = await first.open()
            except SessionRefused as refused:
                raise CommandFailure(str(refused)) from None
            freeze_and_enable_gc()
            place, carried = start.place or "", start.carried
            while True:
                self._conversation = Conversation(
                    session,
                    self._lines,
                    write_line,
                    self._take_notices,
                    _screen_problem,
                    carried,
                    partial(_copy, session) if sys.stdout.isatty() else no_clipboard,
                )
                end = await self._conversation.hold(place)
                if end.on_screen is not None:
                    return InterfaceEnd(following=first.following(end.on_screen))
                if end.session is None:
                    return InterfaceEnd(end.status)
                await session.sessions.leave(session)
                session, place, carried = end.session, "", end.carried

    def post_report(self, report: "Report") -> None:
        """Have a report said before the next line is asked for."""
        self._notices.append(visible(report.line))

    def _take_notices(self) -> Sequence[str]:
        notices, self._notices = self._notices, []
        return notices

    def _complete(self, line: str, word: str) -> Sequence[str]:
        return () if self._conversation is None else self._conversation.complete(line, word)

    def _interrupt(self) -> None:
        if self._conversation is not None:
            self._loop.call_soon_threadsafe(self._conversation.interrupt)
        elif self._task is not None:
            self._loop.call_soon_threadsafe(self._task.cancel)
