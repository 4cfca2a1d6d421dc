"""Reading and writing small TOML files: who may write them, and never half of one."""

import os
import shlex
import stat
import tempfile
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tomli_w

from svc_tui.config.mistakes import ConfigError


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; raises ConfigError that says where the text is wrong, or OSError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start})") from None
    except (ValueError, RecursionError) as error:
        # Besides its own error, tomllib raises these for numbers of thousands of digits and for deep nesting.
        raise ConfigError(f"{path} is not valid TOML: {error}") from None


def check_owner(path: Path) -> None:
    """Refuse a file that somebody else could have written, since it steers what is sent; raises ConfigError."""
    if os.name != "posix":
        return
    found = path.stat()
    name = shlex.quote(str(path))
    if found.st_uid not in (os.getuid(), 0):
        raise ConfigError(f"{path} belongs to another user; make it yours with: sudo chown {os.getuid()} {name}")
    if stat.S_IMODE(found.st_mode) & 0o022:
        raise ConfigError(f"{path} can be written by others; mend it with: chmod go-w {name}")


def write_toml(path: Path, tables: Mapping[str, Any]) -> None:
    """Put `tables` in place of the file in one step, readable by the user alone; raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            tomli_w.dump(tables, file)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def set_aside(path: Path) -> Path:
    """Rename a file that can't be used, so that nothing in it is lost; raises OSError."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return path.rename(path.with_name(f"{path.name}.damaged-{stamp}"))
