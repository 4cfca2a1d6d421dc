"""Reading and writing small TOML files: who may write them, and never half of one."""

import codecs
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from svc_tui.config.errors import ConfigError
from svc_tui.platform.files import open_to_look, owner_problem, read_problem, write_problem


@dataclass(frozen=True, slots=True)
class TrustedFile:
    """A file that nobody else could have written."""

    path: Path
    text: str = field(repr=False)
    mode: int
    """Its permissions."""

    def check_private(self) -> None:
        """Refuse it where others can read it, since it holds a secret; raises ConfigError."""
        if problem := read_problem(self.path, self.mode):
            raise ConfigError(f"{self.path} contains a secret and {problem}")


def read_trusted(path: Path) -> TrustedFile:
    """The file, read from what was checked as `check_owner` does; raises ConfigError, or OSError."""
    descriptor = open_to_look(path)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError(f"{path} is not a regular file")
        _check_status(path, status)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return TrustedFile(path, _decoded(path, file.read()), stat.S_IMODE(status.st_mode))
    finally:
        os.close(descriptor)


def parse_toml(path: Path, text: str) -> dict[str, Any]:
    """The tables of a TOML text; raises ConfigError that says where in the file it is wrong."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Besides its own error, tomllib raises these for numbers of thousands of digits and for deep nesting.
        raise ConfigError(_describe_mistake(path, text, error)) from None


_MISTAKES = {
    "Invalid value": "a value is missing or not valid; text needs quotes",
    "Expected '='": "= is missing after the name",
    "Expected newline": "there is more text after the value; start a new line",
    "Invalid initial character": "the name of a setting is missing or not valid; use letters, digits, - and _, or "
    "quotes",
    "Invalid statement": "a setting or a [table] is expected",
    "Cannot overwrite": "the setting is set twice",
    "Duplicate inline table key": "the setting is set twice",
    "Cannot declare": "the table is defined twice",
    "Cannot mutate": "the table is already defined above",
    "Cannot redefine": "the table is already defined above",
    "Unclosed array": "the closing ] is missing",
    "Unclosed inline table": "the closing } is missing",
    "Expected ']": "] is missing after the table name",
    "Unterminated string": "the closing quote is missing",
    "Expected '": "the closing quote is missing",
    'Expected "': "the closing quote is missing",
    "Illegal character '\\n'": "the closing quote is missing",
    "Found invalid character '\\n'": "the closing quote is missing",
    "Illegal character": r"a control character must be written as \uXXXX",
    "Found invalid character": r"a control character must be written as \uXXXX",
    "Unescaped '\\'": r"a backslash in double quotes must be written as \\",
    "Invalid hex value": r"\u needs four hexadecimal digits, \U eight",
    "Escaped character": r"the \u escape is not a character",
    "Invalid date": "there is no such date or time",
}
"""How the messages of `tomllib` begin (Python 3.11 to 3.14), and what users read instead; the first match counts."""

_PLACE = re.compile(r"\(at line ([0-9]+), ")


def _describe_mistake(path: Path, text: str, error: Exception) -> str:
    """Return the file, the line and the reason for a user, without Python's words."""
    if not isinstance(error, tomllib.TOMLDecodeError):
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else "a number has too many digits"
        return f"{path} is not valid TOML: {reason}"
    message = str(error)
    place = _PLACE.search(message)
    line = int(place[1]) if place else text.rstrip().count("\n") + 1
    reason = next(
        (words for start, words in _MISTAKES.items() if message.startswith(start)), "unknown error at this line"
    )
    return f"{path}:{line}: not valid TOML: {reason}"


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; raises ConfigError that says where the text is wrong, or OSError."""
    return parse_toml(path, _decoded(path, path.read_bytes()))


def check_owner(path: Path) -> None:
    """Refuse a file that another user could have written, since it steers what is sent; raises ConfigError."""
    _check_status(path, path.stat())


def _check_status(path: Path, status: os.stat_result) -> None:
    if problem := owner_problem(path, status) or write_problem(path, status.st_mode):
        raise ConfigError(f"{path} {problem}")


def _decoded(path: Path, data: bytes) -> str:
    try:
        # Some editors begin a file of UTF-8 with a byte order mark.
        return data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start + 1:,}); save it as UTF-8") from None


def write_toml(path: Path, tables: Mapping[str, Any]) -> None:
    """Put `tables` in place of the file in one step, readable by the user alone; raises OSError."""
    import tomli_w

    write_text(path, tomli_w.dumps(tables))


def write_text(path: Path, text: str) -> None:
    """Put the text in place of the file in one step, readable by the user alone; a link to it stays one.

    Raises OSError.
    """
    # Most runs only read, and it brings the archive formats with it.
    import tempfile

    path = Path(os.path.realpath(path))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def set_aside(path: Path) -> Path:
    """Rename a file that can't be used, so that nothing in it is lost; a link to it stays. Raises OSError."""
    path = Path(os.path.realpath(path))
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return path.rename(path.with_name(f"{path.name}.damaged-{stamp}"))
