"""Where an export goes: a file that is there whole or not at all, or a stream whose reader may go away."""

import asyncio
import os
import select
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from svc_tui.bootstrap.start import CommandFailure

_TEMPORARY_PREFIX = ".svc-tui-"
"""How a file is called that is not yet in its place."""

_OPEN_FILES = Path("/proc/self/fd")
"""Where Linux lets a file without a name be given one."""

_WRITE_FAILED_STATUS = 3


class OutputClosed(Exception):
    """Nobody reads the stream any more."""


@contextmanager
def open_output(file: Path | None) -> Iterator["AtomicFile | Stream"]:
    """The way to a file, or to stdout; devices and pipes are written to as they stand.

    A regular file is in its place once the block ends without an exception. Raises CommandFailure where none can be
    written.
    """
    if file is None:
        if sys.stdout is None:
            raise CommandFailure("stdout is closed; name a file with -o FILE")
        yield Stream(sys.stdout.fileno(), "stdout")
        return
    with _translate_errors(file):
        mode = _file_mode(file)
    if mode is None or stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        with atomic_file(file) as whole:
            yield whole
        return
    with _translate_errors(file):
        descriptor = os.open(file, os.O_WRONLY)
    try:
        yield Stream(descriptor, str(file))
    finally:
        os.close(descriptor)


class Spool:
    """Lines of bytes, kept on the disk until all have come."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor, self._name = descriptor, name

    def add(self, lines: bytes) -> None:
        """Keep whole lines; raises CommandFailure."""
        _write_all(self._descriptor, lines, self._name)

    def lines(self) -> Iterator[bytes]:
        """All lines from the first on."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        with open(self._descriptor, "rb", closefd=False) as file:
            yield from file


class Stream:
    """A pipe, a terminal or a device; while it takes nothing, other work goes on, and an interrupt counts."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor, self._name = descriptor, name
        self._always_ready = False

    async def write(self, data: bytes) -> None:
        """Take all of `data`; raises CommandFailure where it can't be written, OutputClosed where nobody wants it."""
        left = memoryview(data)
        while left:
            await self._room()
            try:
                # So many bytes a pipe takes at once when it says that it has room, without a wait.
                written = os.write(self._descriptor, left if self._always_ready else left[: select.PIPE_BUF])
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise OutputClosed from None
            except OSError as error:
                raise _unwritable(self._name, error) from None
            left = left[written:]

    async def _room(self) -> None:
        if self._always_ready:
            return
        loop, room = asyncio.get_running_loop(), asyncio.Event()
        try:
            loop.add_writer(self._descriptor, room.set)
        except (PermissionError, NotImplementedError):
            # A regular file has room at any time; some systems can't wait for any.
            self._always_ready = True
            return
        try:
            await room.wait()
        finally:
            loop.remove_writer(self._descriptor)


class AtomicFile:
    """A file on its way to its place."""

    def __init__(self, descriptor: int, name: str, directory: Path) -> None:
        self._descriptor, self._name, self._directory = descriptor, name, directory

    async def write(self, data: bytes) -> None:
        """Take all of `data`; raises CommandFailure where it can't be written."""
        self.put(data)

    def put(self, data: bytes) -> None:
        """The same, where nothing else has to go on meanwhile."""
        _write_all(self._descriptor, data, self._name)

    @contextmanager
    def spool(self) -> Iterator[Spool]:
        """A file without a name on the same disk, gone when the block ends; raises CommandFailure."""
        import tempfile

        with ExitStack() as stack:
            with _translate_errors(self._name):
                held = stack.enter_context(tempfile.TemporaryFile(dir=self._directory, buffering=0))
            yield Spool(held.fileno(), self._name)


@contextmanager
def atomic_file(file: Path) -> Iterator[AtomicFile]:
    """A file that takes its place, and its owner's rights alone, when the block ends well, and else never was."""
    # What is behind a link is replaced: the link stays one.
    goal = Path(os.path.realpath(file))
    with _translate_errors(file):
        _check_writable(file, goal)
        descriptor, hidden = _create_temporary(goal.parent)
    try:
        yield AtomicFile(descriptor, str(file), goal.parent)
        try:
            os.fsync(descriptor)
            if hidden is None:
                # What is there can be replaced by a file with a name only.
                hidden = goal.with_name(f"{_TEMPORARY_PREFIX}{os.urandom(8).hex()}")
                _link_to_name(descriptor, hidden)
            hidden.replace(goal)
        except OSError as error:
            raise _unwritable(str(file), error) from None
    except BaseException:
        if hidden is not None:
            hidden.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


def _file_mode(file: Path) -> int | None:
    """What kind of file is there; None where there is none. Raises OSError."""
    try:
        return file.stat().st_mode
    except FileNotFoundError:
        return None


def _check_writable(file: Path, goal: Path) -> None:
    """Refuse a place where no file can be put; raises CommandFailure, OSError."""
    if goal.is_dir():
        raise CommandFailure(f"{file} is a directory; name a file in it")
    if not goal.parent.is_dir():
        raise CommandFailure(f"{file} can't be written: there is no directory {goal.parent}")
    if goal.exists() and not os.access(goal, os.W_OK):
        raise CommandFailure(f"{file} can't be written: it is there, and read-only for you")


def _create_temporary(directory: Path) -> tuple[int, Path | None]:
    """A new file for its owner alone, without a name where the system has such files: then nothing can be left."""
    if hasattr(os, "O_TMPFILE") and _OPEN_FILES.is_dir():
        # A file system that has none refuses here; whatever else is wrong comes up below.
        with suppress(OSError):
            return os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600), None
    import tempfile

    descriptor, name = tempfile.mkstemp(prefix=_TEMPORARY_PREFIX, dir=directory)
    return descriptor, Path(name)


def _link_to_name(descriptor: int, name: Path) -> None:
    # Python follows the link that stands for an open file only where it is given a directory to start from.
    parent = os.open(name.parent, os.O_RDONLY)
    try:
        os.link(_OPEN_FILES / str(descriptor), name.name, dst_dir_fd=parent, follow_symlinks=True)
    finally:
        os.close(parent)


def _write_all(descriptor: int, data: bytes, name: str) -> None:
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError as error:
        raise _unwritable(name, error) from None


@contextmanager
def _translate_errors(file: Path | str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CommandFailure(f"{file} can't be written: {error.strerror}") from None


def _unwritable(name: str, error: OSError) -> CommandFailure:
    return CommandFailure(f"{name} can't be written any further: {error.strerror}", _WRITE_FAILED_STATUS)
