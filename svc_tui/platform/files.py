"""Files for the user alone: opened, checked and removed.

On Windows a file is the user's by the access list of the profile directory that it lies in, which it inherits; the
modes of Unix say nothing there.
"""

import os
import shlex
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    MAKE_WRITABLE = "attrib -r"
    """The command that lets the user write to a file."""

    def open_file(path: Path | str, flags: int) -> int:
        """Open a file as it is, for this program and none that it starts; a new one is for the user alone."""
        return os.open(path, flags | os.O_BINARY | os.O_NOINHERIT, 0o600)

    def open_to_look(path: Path | str) -> int:
        """Open for reading what may be no file, and is not to be waited for."""
        return open_file(path, os.O_RDONLY)

    def make_private(path: Path, status: os.stat_result) -> None:
        """Have nobody else read and write the file of that status."""

    def owner_problem(path: Path, status: os.stat_result) -> str:
        """What is wrong, with what mends it, where the file of that status belongs to another user; else ""."""
        return ""

    def write_problem(path: Path, mode: int) -> str:
        """What is wrong, with what mends it, where others can write to the file of that mode; else ""."""
        return ""

    def read_problem(path: Path, mode: int) -> str:
        """The same where others can read it."""
        return ""

    def remove_open(path: Path, descriptor: int) -> None:
        """Close a file and remove it; one that is gone already is no error. Raises OSError."""
        os.close(descriptor)
        # What somebody has open stays: whoever looks at it just now leaves it to the next one who clears away.
        with suppress(FileNotFoundError, PermissionError):
            path.unlink()

else:
    MAKE_WRITABLE = "chmod u+w"
    """The command that lets the user write to a file."""

    def open_file(path: Path | str, flags: int) -> int:
        """Open a file as it is, for this program and none that it starts; a new one is for the user alone."""
        return os.open(path, flags | os.O_CLOEXEC, 0o600)

    def open_to_look(path: Path | str) -> int:
        """Open for reading what may be no file, and is not to be waited for."""
        # A pipe that nobody writes to would hold it up.
        return open_file(path, os.O_RDONLY | os.O_NONBLOCK)

    def make_private(path: Path, status: os.stat_result) -> None:
        """Have nobody else read and write the file of that status."""
        if status.st_mode & 0o077:
            path.chmod(0o600)

    def owner_problem(path: Path, status: os.stat_result) -> str:
        """What is wrong, with what mends it, where the file of that status belongs to another user; else ""."""
        if status.st_uid in (os.getuid(), 0):
            return ""
        return f"belongs to another user; run: sudo chown {os.getuid()} {shlex.quote(str(path))}"

    def write_problem(path: Path, mode: int) -> str:
        """What is wrong, with what mends it, where others can write to the file of that mode; else ""."""
        if not mode & 0o022:
            return ""
        return f"can be written by others; run: chmod go-w {shlex.quote(str(path))}"

    def read_problem(path: Path, mode: int) -> str:
        """The same where others can read it."""
        return f"can be read by others; run: chmod go-r {shlex.quote(str(path))}" if mode & 0o044 else ""

    def remove_open(path: Path, descriptor: int) -> None:
        """Close a file and remove it; one that is gone already is no error. Raises OSError."""
        try:
            # Under the lock that the descriptor may hold: whoever gets it next sees that the file is gone.
            with suppress(FileNotFoundError):
                path.unlink()
        finally:
            os.close(descriptor)
