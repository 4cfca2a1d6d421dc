"""The parser of terminal input: escape characters in a paste press no keys, and Esc is a key after a short wait.

Textual parses an unknown escape sequence as key presses, also between the marks of a bracketed paste (xterm control
sequences, "Bracketed Paste Mode"). A pasted `\\x1by` would press `y`, which sends a change.
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
"""Ticks (2 s) without a byte after which a paste without a closing mark is regarded as complete.

Ticks are counted, not seconds: while this process gets no processor time, there may be bytes that it has not read.
"""

_LOCAL_ESCAPE_SECONDS, _REMOTE_ESCAPE_SECONDS = 0.025, 0.1


def escape_seconds(variables: Mapping[str, str]) -> float:
    """Return the seconds after an escape character without more bytes after which it is the key Esc.

    `ESCDELAY` (milliseconds) sets it, as for other programs. Over SSH, a sequence may arrive in two packets. It is
    never 0: the opening mark of a paste would press keys if it arrived in two parts.
    """
    if "ESCDELAY" in variables:
        return constants.ESCAPE_DELAY
    remote = variables.get("SSH_TTY") or variables.get("SSH_CONNECTION")
    return _REMOTE_ESCAPE_SECONDS if remote else _LOCAL_ESCAPE_SECONDS


class InputParser(XTermParser):
    """Textual's parser, without the escape characters in pastes."""

    def __init__(self, debug: bool = False) -> None:
        self._escape_seconds = escape_seconds(environ)
        super().__init__(debug)
        self._pasting = False
        self._tail = ""
        """The last characters outside a paste: its opening mark may arrive in two parts."""
        self._held = ""
        """The possible beginning of the closing mark of a paste."""
        self._quiet_ticks = 0
        """Ticks since the last byte."""
        self._gave_up = False
        """True if the wait for the rest of a key sequence has ended since the last byte."""

    def read1(self, timeout: float | None = None) -> Read1:  # type: ignore[override]  # the type itself there
        """Wait for a character, within a key sequence only for a while."""
        return Read1(None if timeout is None else self._escape_seconds)

    def seconds_to_tick(self, most: float) -> float:
        """Return the seconds until `tick` must be called: until a key sequence is over, at most `most`."""
        return most if self._timeout_time is None else min(most, max(0.0, self._timeout_time - get_time()))

    def feed(self, data: str) -> Iterable[Message]:
        """Yield the messages of `data`; "" is the end of input."""
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
        """Yield the messages caused by time: the key Esc, or a paste whose closing mark is lost."""
        self._quiet_ticks += 1
        if self._quiet_ticks > _QUIET_TICKS:
            yield from self.end_paste()
        for message in super().tick():
            self._gave_up = True
            yield message

    def end_paste(self) -> Iterable[Message]:
        """End a paste without its closing mark."""
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
                # The beginning of the mark was parsed as keys, but what follows is a paste.
                out.append(_PASTE_START if self._gave_up and at < len(self._tail) else rest[:end])
                rest, self._tail = rest[end:], ""
                self._pasting = True
        return "".join(out)
