"""The log file: what the program did, kept in the state directory and redacted where it is written."""

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from svc_tui.bootstrap.start import LogLevel
from svc_tui.core.durations import offset_words
from svc_tui.platform.files import open_file
from svc_tui.service.redact import mask_header_lines, mask_keys, mask_text
from svc_tui.service.traffic import (
    Answered,
    ClockCorrected,
    Failed,
    Paced,
    Retrying,
    Sent,
    Throttled,
    TrafficEvent,
)

LOG_FILE_NAME = "svc-tui.log"
LARGEST = 1_000_000
"""Bytes after which a new file is begun; one older file is kept beside it."""

_log = logging.getLogger("svc_tui.traffic")
_CONTROL_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code != 0x0A}


class RedactingFormatter(logging.Formatter):
    """One record as text, in UTC, without keys, secrets, signatures and control characters, whoever wrote it."""

    def __init__(self, secrets: Callable[[], Iterable[str]]) -> None:
        """`secrets` gives the texts that are secret at that moment."""
        super().__init__("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s")
        self._secrets = secrets

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802  logging's name
        """When it was logged, as RFC 3339 writes it."""
        return f"{datetime.fromtimestamp(record.created, UTC):%Y-%m-%dT%H:%M:%SZ}"

    def format(self, record: logging.LogRecord) -> str:
        """The whole of it, a traceback included; its later lines are indented, so that none looks like a record."""
        text = mask_header_lines(mask_keys(mask_text(super().format(record), self._secrets())))
        return text.translate(_CONTROL_ESCAPES).replace("\n", "\n    ")


class _PrivateFileHandler(RotatingFileHandler):
    """A log file that only the user can read; a failure to write it is reported once and stops nothing."""

    def __init__(self, path: Path, lost: Callable[[str], object]) -> None:
        super().__init__(path, maxBytes=LARGEST, backupCount=1, encoding="utf-8", delay=True)
        self._lost: Callable[[str], object] | None = lost

    def _open(self) -> TextIOWrapper:
        Path(self.baseFilename).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = open_file(self.baseFilename, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
        return os.fdopen(descriptor, "a", encoding="utf-8")

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  logging's own name
        """Called where a record could not be written."""
        if (lost := self._lost) is not None:
            self._lost = None
            error = sys.exc_info()[1]
            why = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
            lost(f"The log {self.baseFilename} can't be written{why}.")


@contextmanager
def log_to(
    directory: Path, level: LogLevel, secrets: Callable[[], Iterable[str]], lost: Callable[[str], object]
) -> Iterator[Path | None]:
    """Keep a log in `directory` for as long as the block runs; gives its path, None where `level` says off.

    Whatever any library logs goes through the same handler. `lost` is told, once, that the file can't be written.
    """
    if level == "off":
        yield None
        return
    path = directory / LOG_FILE_NAME
    handler = _PrivateFileHandler(path, lost)
    handler.setFormatter(RedactingFormatter(secrets))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(level.upper())
    try:
        yield path
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
        handler.close()


def log_traffic(event: TrafficEvent) -> None:
    """Write down what happened on the wire."""
    match event:
        case Sent(call, attempt, method, target):
            _log.info("#%d %s %s, attempt %d", call, method, target, attempt)
        case Answered(call, status, seconds, code):
            _log.info("#%d %d %s in %.0f ms", call, status, code or "answered", seconds * 1000)
        case Failed(call, reason):
            _log.warning("#%d failed: %s", call, reason)
        case Retrying(call, attempt, wait, reason):
            _log.warning("#%d attempt %d in %.1f s: %s", call, attempt, wait, reason)
        case Throttled(until, waiting):
            _log.info("rate limit %s, %d waiting", "over" if until is None else "reached", waiting)
        case Paced(per_second):
            _log.info("background requests: %s", "no limit" if per_second is None else f"{per_second:.2f} per second")
        case ClockCorrected(offset):
            _log.warning("clock offset %s", "gone" if offset is None else offset_words(offset))
