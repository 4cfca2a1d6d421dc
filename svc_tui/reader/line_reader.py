"""Lines in and out: those that the user types are read on the main thread, where interrupts arrive."""

import asyncio
import os
import queue
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Protocol

from svc_tui.core.phrases import counted
from svc_tui.platform.signals import signals_end_pastes
from svc_tui.platform.terminal import read_waiting_text

Complete = Callable[[str, str], Sequence[str]]
"""Gives the words that can stand at the end of a line: the line up to there, and what is typed of the word."""


class Dropped(Exception):
    """An interrupt took the place of the line that was waited for."""


class Ended(Exception):
    """The conversation is over; `status` is the exit status that is to be left with."""

    def __init__(self, status: int = 0) -> None:
        super().__init__("end of input")
        self.status = status


class LineReader(Protocol):
    """Where lines come from."""

    async def read(self, prompt: str, *, remember: bool = False) -> str:
        """Return the next line, without its end; raises Dropped and Ended.

        `remember` is for commands: a key can bring the line back, and of a paste only the first line is taken. In any
        other answer a paste is one value, line breaks included.
        """

    def offer(self, line: str) -> None:
        """Have a key bring this line, as if it had been typed before; where there are no such keys, nothing does."""


def write_line(text: str) -> None:
    """Write one whole line; raises Ended where nobody reads on."""
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except OSError:
        raise Ended from None


@dataclass(frozen=True, slots=True)
class _Wanted:
    prompt: str
    remember: bool
    line: "asyncio.Future[str]"
    loop: asyncio.AbstractEventLoop

    def answer(self, answer: str | Exception) -> None:
        """Give the line, or what came in its place; from any thread."""

        def deliver() -> None:
            if self.line.done():
                return
            if isinstance(answer, Exception):
                self.line.set_exception(answer)
            else:
                self.line.set_result(answer)

        # A loop that has ended waits for nothing any more.
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(deliver)


class TypedLines:
    """The lines of stdin. `serve` runs on the main thread, `read` on the loop of another one."""

    def __init__(self, interrupt: Callable[[], None], complete: Complete) -> None:
        """Make it; `interrupt` is called on the main thread when one comes while no line is waited for."""
        self._interrupt = interrupt
        # An interrupt can swallow whatever just came out of a queue: it carries nothing but that there is something.
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._waiting: _Wanted | None = None
        self._ended: int | None = None
        self._closed = False
        at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self._editor = _line_editor(complete) if at_terminal else None
        self._marks_pastes = _marks_pastes(self._editor)
        self._drops_waiting_lines = at_terminal and not self._marks_pastes

    async def read(self, prompt: str, *, remember: bool = False) -> str:
        """See `LineReader`."""
        loop = asyncio.get_running_loop()
        wanted = self._waiting = _Wanted(prompt, remember, loop.create_future(), loop)
        # Looked at last: an end that comes later finds what is waited for.
        if self._ended is not None:
            raise Ended(self._ended)
        self._wake.put(None)
        return await wanted.line

    def offer(self, line: str) -> None:
        """See `LineReader`; from any thread while no line is waited for."""
        if self._editor is not None:
            self._editor.add_history(line)

    def close(self) -> None:
        """Have `serve` come to its end; from any thread."""
        self._closed = True
        self._wake.put(None)

    def end(self, status: int) -> None:
        """Have no further line come, now or later: the conversation ends with this status."""
        self._ended = status
        if not self._answer(Ended(status)):
            self._interrupt()

    def serve(self) -> None:
        """Read a line whenever one is wanted, until `close`; after `end`, have none come."""
        with signals_end_pastes(lambda: self._waiting) if self._marks_pastes else nullcontext():
            self._serve()

    def _serve(self) -> None:
        while not self._closed:
            try:
                self._wake.get()
                if self._waiting is not None and self._ended is None:
                    self._answer(self._typed(self._waiting))
            except (EOFError, Ended):
                self.end(0)
            except KeyboardInterrupt:
                if not sys.stdin.isatty():
                    # Nobody is there to type another line.
                    self.end(_INTERRUPTED_STATUS)
                elif not self._answer(Dropped()):
                    self._interrupt()

    def _answer(self, answer: str | Exception) -> bool:
        """Give a line, or what came in its place, to whoever waits for one; gives whether anybody does."""
        wanted, self._waiting = self._waiting, None
        if wanted is not None:
            wanted.answer(answer)
        return wanted is not None

    def _typed(self, wanted: _Wanted) -> str:
        if self._editor is None:
            write_line(wanted.prompt.rstrip())
            line = sys.stdin.readline()
            if not line:
                raise EOFError
            line = line.rstrip("\r\n")
        else:
            try:
                line = input(wanted.prompt)
            except (EOFError, KeyboardInterrupt):
                # The prompt's line is left unfinished by both.
                write_line("")
                raise
        if wanted.remember:
            line = _first_line(line)
            if self._editor is not None and line.strip():
                self._editor.add_history(line)
        elif self._drops_waiting_lines:
            _drop_waiting_lines()
        return line


def _first_line(text: str) -> str:
    """Return the first line of a command; say how many lines of a paste are dropped."""
    first, *others = text.strip().splitlines() or [""]
    if dropped := sum(bool(line.strip()) for line in others):
        write_line(f"Only the first pasted line was used. {counted(dropped, 'line')} ignored.")
    return first


def _drop_waiting_lines() -> None:
    """Drop what was typed behind a value; say how many lines it was.

    Where nothing marks a paste, its other lines would run as commands.
    """
    if dropped := sum(bool(line.strip()) for line in read_waiting_text(sys.stdin).splitlines()):
        write_line(
            f"Ignored {counted(dropped, 'line')} after the value: this terminal does not support bracketed paste."
        )


_INTERRUPTED_STATUS = 130


if sys.platform == "win32":

    def _line_editor(complete: Complete) -> ModuleType | None:
        """None: the console edits lines by itself."""
        return None

else:

    def _line_editor(complete: Complete) -> ModuleType | None:
        """The system's line editor, where Python has it, told what completes a line, drawing no more than it must."""
        try:
            import readline
        except ImportError:
            return None

        def candidate(word: str, number: int) -> str | None:
            words = complete(readline.get_line_buffer()[: readline.get_endidx()], word)
            return words[number] if number < len(words) else None

        readline.set_completer_delims(" ")
        readline.set_completer(candidate)
        readline.set_auto_history(False)
        for setting in _EDITOR_SETTINGS:
            readline.parse_and_bind(setting)
        return readline


def _marks_pastes(editor: ModuleType | None) -> bool:
    """Return whether a paste comes out of the line editor as one text: see bracketed paste in readline(3)."""
    libedit = editor is not None and "libedit" in (editor.__doc__ or "")
    return editor is not None and not libedit and os.environ.get("TERM", "") not in ("", "dumb", "linux")


_EDITOR_SETTINGS = (
    "tab: complete",
    # The key that leads here from the screens: pressed once too often, it types nothing.
    '"\\C-]": ""',
    # The end of a paste that was ended by a signal before.
    '"\\e[201~": ""',
    "set enable-bracketed-paste on",
    "set enable-active-region off",
    "set colored-stats off",
    "set colored-completion-prefix off",
    "set blink-matching-paren off",
    "set bell-style none",
)
"""What a screen reader would say aloud, or lose itself in, is switched off."""
