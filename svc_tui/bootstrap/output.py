"""Where an export goes: a file that is there whole or not at all, or a stream whose reader may go away."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from svc_tui.bootstrap.start import CommandFailure, ExitStatus
from svc_tui.platform.files import open_file
from svc_tui.platform.nameless_files import name_file, open_nameless
from svc_tui.platform.pipes import ONE_WRITE, is_reader_gone, room, write

_TEMPORARY_PREFIX = ".svc-tui-"
"""How a file is called that is not yet in its place."""


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
            raise CommandFailure("stdout is closed; use -o FILE")
        yield Stream(sys.stdout.fileno(), "stdout")
        return
    with _translate_errors(file):
        mode = _file_mode(file)
    if mode is None or stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        with atomic_file(file) as whole:
            yield whole
        return
    with _translate_errors(file):
        descriptor = open_file(file, os.O_WRONLY)
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
            self._always_ready = self._always_ready or not await room(self._descriptor)
            try:
                # So many bytes a pipe takes at once when it says that it has room, without a wait.
                written = write(self._descriptor, left if self._always_ready else left[:ONE_WRITE])
            except BlockingIOError:
                continue
            except OSError as error:
                if is_reader_gone(error):
                    raise OutputClosed from None
                raise _unwritable(self._name, error) from None
            left = left[written:]


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
        try:
            yield AtomicFile(descriptor, str(file), goal.parent)
            with _unwritable_on_error(file):
                os.fsync(descriptor)
                if hidden is None:
                    # What is there can be replaced by a file with a name only.
                    hidden = goal.with_name(f"{_TEMPORARY_PREFIX}{os.urandom(8).hex()}")
                    name_file(descriptor, hidden)
        finally:
            # Windows puts no file that is open in the place of another.
            os.close(descriptor)
        with _unwritable_on_error(file):
            hidden.replace(goal)
    except BaseException:
        if hidden is not None:
            hidden.unlink(missing_ok=True)
        raise


def _file_mode(file: Path) -> int | None:
    """What kind of file is there; None where there is none. Raises OSError."""
    try:
        return file.stat().st_mode
    except FileNotFoundError:
        return None


def _check_writable(file: Path, goal: Path) -> None:
    """Refuse a place where no file can be put; raises CommandFailure, OSError."""
    if goal.is_dir():
        raise CommandFailure(f"{file} is a directory; add a file name")
    if not goal.parent.is_dir():
        raise CommandFailure(f"{file} can't be written: the directory {goal.parent} does not exist")
    if goal.exists() and not os.access(goal, os.W_OK):
        raise CommandFailure(f"{file} can't be written: it exists and is read-only")


def _create_temporary(directory: Path) -> tuple[int, Path | None]:
    """A new file for its owner alone, without a name where the system has such files: then nothing can be left."""
    if (nameless := open_nameless(directory)) is not None:
        return nameless, None
    import tempfile

    descriptor, name = tempfile.mkstemp(prefix=_TEMPORARY_PREFIX, dir=directory)
    return descriptor, Path(name)


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


@contextmanager
def _unwritable_on_error(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _unwritable(str(file), error) from None


def _unwritable(name: str, error: OSError) -> CommandFailure:
    return CommandFailure(f"{name} can't be written: {error.strerror}", ExitStatus.UNKNOWN)
