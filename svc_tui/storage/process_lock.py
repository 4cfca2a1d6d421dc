"""Which programs that use the store still live: each holds a lock of the system for as long as it does.

The system lets go of the lock however the program ends, and sees it from any container that shares the directory;
a process id would be another program's in the next one, or after a while.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from svc_tui.platform.files import open_file, remove_open
from svc_tui.platform.locks import try_lock
from svc_tui.storage.errors import StoreUnavailable

_NAME = re.compile(r"[0-9a-f]{32}")


class ProcessLock:
    """One program among those that use a store; `name` is its own, and no other ever has it."""

    def __init__(self, directory: Path) -> None:
        """Be there from now on, and clear away what programs left that were killed; raises StoreError."""
        self._directory = directory
        with self._explained():
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.name, self._descriptor = self._entered()
            self._clear()

    def is_alive(self, name: str) -> bool:
        """Whether the program of that name is there now; raises StoreError where that can't be told."""
        with self._explained():
            return is_alive(self._directory, name)

    def end(self) -> None:
        """Be there no longer; may be called again."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            remove_open(self._directory / self.name, descriptor)

    def _entered(self) -> tuple[str, int]:
        while True:
            name = uuid4().hex
            path = self._directory / name
            descriptor = open_file(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
            try:
                # Another program may have taken the file for a killed one's before it was locked.
                if try_lock(descriptor) and path.exists():
                    return name, descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)

    def _clear(self) -> None:
        for path in self._directory.iterdir():
            # Another program may be first to clear it; what another user left is not ours.
            with suppress(FileNotFoundError, PermissionError):
                if _NAME.fullmatch(path.name):
                    _remove_if_dead(path)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = error.strerror or error
            raise StoreUnavailable(
                f"{self._directory} does not support file locks: {reason}; move it to a local disk"
            ) from None


def is_alive(directory: Path, name: str) -> bool:
    """Whether a program of that name is there now, told without being there oneself; raises OSError."""
    if not _NAME.fullmatch(name):
        return False
    try:
        descriptor = open_file(directory / name, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not try_lock(descriptor, shared=True)
    finally:
        os.close(descriptor)


def _remove_if_dead(path: Path) -> None:
    """Remove the file of a program that was killed, under its lock: one that is just coming sees that it is gone."""
    descriptor = open_file(path, os.O_RDWR)
    try:
        dead = try_lock(descriptor, shared=True)
    except BaseException:
        os.close(descriptor)
        raise
    if dead:
        remove_open(path, descriptor)
    else:
        os.close(descriptor)
