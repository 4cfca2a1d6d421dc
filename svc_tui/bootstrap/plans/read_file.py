"""Reads a file of corrections from the disk, or from stdin."""

import os
import stat
import sys
from pathlib import Path

from svc_tui.core.values import replace
from svc_tui.plans.correction_file import CorrectionFileError, Corrections, ValueWords, read_corrections
from svc_tui.platform.files import open_to_look

MAX_BYTES = 50_000_000
"""The size from which a file is refused: some hundred thousand rows, a plan that nobody could look through."""

STDIN = "-"
"""The name that stands for stdin."""

_ARCHIVE = b"PK\x03\x04"


def read_correction_file(name: str, words: ValueWords) -> Corrections:
    """What the file of that name asks for; `-` is stdin, whose content tells the format.

    Raises CorrectionFileError with one sentence for a file that can't be read, and for what is wrong in it.
    """
    if name == STDIN:
        return _corrections("stdin", _read_stdin(), words)
    path = _path(name)
    return replace(_corrections(path.name, _read_regular(path), words), path=str(path.absolute()))


def _corrections(shown: str, data: bytes, words: ValueWords) -> Corrections:
    if data.startswith(_ARCHIVE):
        from svc_tui.bootstrap.plans.spreadsheet import read_spreadsheet

        return read_spreadsheet(shown, data, words)
    return read_corrections(shown, data, words)


def _path(name: str) -> Path:
    try:
        return Path(name.strip()).expanduser()
    except RuntimeError:
        raise CorrectionFileError(f"{name}: the home directory is unknown. Use the full path.") from None


def _read_stdin() -> bytes:
    if sys.stdin is None:
        raise CorrectionFileError("stdin is closed. Use a file.")
    return _within_limit("stdin", sys.stdin.buffer.read(MAX_BYTES + 1))


def _read_regular(path: Path) -> bytes:
    try:
        # Opened before it is looked at, so that it is the same file.
        descriptor = open_to_look(path)
    except ValueError:
        raise CorrectionFileError(f"{path}: not a valid file name. Choose another name.") from None
    except OSError as error:
        raise CorrectionFileError(f"{path} can't be read: {error.strerror}.") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise CorrectionFileError(f"{path} is not a regular file. Choose a file, or use - to read stdin.")
    with os.fdopen(descriptor, "rb") as file:
        try:
            return _within_limit(str(path), file.read(MAX_BYTES + 1))
        except OSError as error:
            raise CorrectionFileError(f"{path} can't be read: {error.strerror}.") from None


def _within_limit(shown: str, data: bytes) -> bytes:
    if len(data) > MAX_BYTES:
        raise CorrectionFileError(f"{shown} is larger than {MAX_BYTES // 1_000_000} MB. Split it into several files.")
    return data
