"""Keeps a paste a paste, in which escape characters press no keys; and takes Esc for a key after a moment.

Textual reads an escape sequence that it does not know as key presses, between the marks of a bracketed paste too
(xterm control sequences, "Bracketed Paste Mode"). A pasted `\\x1by` would then press `y`, and `y` sends.
"""

from collections.abc import Iterable, Mapping
from os import environ

from textual import constants
from textual._parser import Read1
from textual._time import get_time
from textual._xterm_parser import XTermParser
from textual.message import Message

_PASTE_START = "\x1b[200~"
_PASTE_END = "\x1b[201~"
_ESCAPE = "\x1b"

_QUIET_TICKS = 20
"""Ticks without a byte after which a paste is at its end, though no mark said so: 2 s.

Ticks are counted, not seconds: while this process is given no processor, bytes may be there that it has not read.
"""

_LOCAL_ESCAPE_SECONDS, _REMOTE_ESCAPE_SECONDS = 0.025, 0.1


def escape_seconds(variables: Mapping[str, str]) -> float:
    """Return how long the rest of a key sequence is waited for after an escape character, before it is the key Esc.

    `ESCDELAY` (milliseconds) says it, as for other programs. Over SSH a sequence may come in two packets. It is never
    0: the mark that opens a paste would press keys wherever it comes in two parts.
    """
    if "ESCDELAY" in variables:
        return constants.ESCAPE_DELAY
    remote = variables.get("SSH_TTY") or variables.get("SSH_CONNECTION")
    return _REMOTE_ESCAPE_SECONDS if remote else _LOCAL_ESCAPE_SECONDS


class InputParser(XTermParser):
    """Textual's parser, given what the terminal sends without the escape characters inside pastes."""

    def __init__(self, debug: bool = False) -> None:
        self._escape_seconds = escape_seconds(environ)
        super().__init__(debug)
        self._pasting = False
        self._tail = ""
        """The last characters outside a paste: the mark that opens one may come in two reads."""
        self._held = ""
        """The beginning of what may be the mark that closes a paste."""
        self._quiet_ticks = 0
        """Ticks since the last byte."""
        self._gave_up = False
        """Whether the rest of a key sequence was waited for in vain since the last byte."""

    def read1(self, timeout: float | None = None) -> Read1:  # type: ignore[override]  # the type itself there
        """Wait for a character, within a key sequence not for ever."""
        return Read1(None if timeout is None else self._escape_seconds)

    def seconds_to_tick(self, most: float) -> float:
        """Return in how many seconds `tick` has something to do: when a key sequence is over, at `most`."""
        return most if self._timeout_time is None else min(most, max(0.0, self._timeout_time - get_time()))

    def feed(self, data: str) -> Iterable[Message]:
        """The messages that `data` makes; "" is the end of input."""
        if not data:
            self._held = ""
            yield from super().feed("")
            return
        self._quiet_ticks = 0
        cleaned = self._cleaned(data)
        self._gave_up = False
        if cleaned:
            yield from super().feed(cleaned)

    def tick(self) -> Iterable[Message]:
        """Return the messages that time makes: the end of a paste whose closing mark is lost, say."""
        self._quiet_ticks += 1
        if self._quiet_ticks > _QUIET_TICKS:
            yield from self.end_paste()
        for message in super().tick():
            self._gave_up = True
            yield message

    def end_paste(self) -> Iterable[Message]:
        """Take what came of a paste for all of it."""
        if self._pasting:
            yield from self.feed(_PASTE_END)

    def _cleaned(self, data: str) -> str:
        out: list[str] = []
        rest, self._held = self._held + data, ""
        while rest:
            if self._pasting:
                at = rest.find(_PASTE_END)
                if at < 0:
                    half = next((n for n in range(len(_PASTE_END) - 1, 0, -1) if rest.endswith(_PASTE_END[:n])), 0)
                    self._held = rest[len(rest) - half :]
                    out.append(rest[: len(rest) - half].replace(_ESCAPE, ""))
                    break
                out += [rest[:at].replace(_ESCAPE, ""), _PASTE_END]
                rest = rest[at + len(_PASTE_END) :]
                self._pasting = False
            else:
                received = self._tail + rest
                at = received.find(_PASTE_START)
                if at < 0:
                    out.append(rest)
                    self._tail = received[-(len(_PASTE_START) - 1) :]
                    break
                end = at + len(_PASTE_START) - len(self._tail)
                # The beginning of the mark was taken for keys: what follows is a paste all the same.
                out.append(_PASTE_START if self._gave_up and at < len(self._tail) else rest[:end])
                rest, self._tail = rest[end:], ""
                self._pasting = True
        return "".join(out)
