"""Files that get a name once they are whole: of one that does not get there, nothing is left. Only Linux has them."""

import os
import sys
from contextlib import suppress
from pathlib import Path

_OPEN_FILES = Path("/proc/self/fd")
"""Where Linux lets a file without a name be given one."""

if sys.platform == "linux":

    def open_nameless(directory: Path) -> int | None:
        """A new file for its owner alone on the disk of a directory; None where there can be none."""
        if not _OPEN_FILES.is_dir():
            return None
        # A file system that has none refuses; whatever else is wrong comes up where a file with a name is made.
        with suppress(OSError):
            return os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        return None

    def name_file(descriptor: int, name: Path) -> None:
        """Give it a name that is not taken; raises OSError."""
        # Python follows the link that stands for an open file only where it is given a directory to start from.
        parent = os.open(name.parent, os.O_RDONLY)
        try:
            os.link(_OPEN_FILES / str(descriptor), name.name, dst_dir_fd=parent, follow_symlinks=True)
        finally:
            os.close(parent)

else:

    def open_nameless(directory: Path) -> int | None:
        """A new file for its owner alone on the disk of a directory; None where there can be none."""
        return None

    def name_file(descriptor: int, name: Path) -> None:
        """Give it a name that is not taken; raises OSError."""
        raise NotImplementedError("this system does not support unnamed temporary files")
