"""The files that the user names: exports and copies are written, the body of a request is read."""

import asyncio
import os
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.output import atomic_file
from svc_tui.bootstrap.start import CommandFailure
from svc_tui.session.ports import BodyFileError, FileWriteError

if TYPE_CHECKING:
    # Loaded with the first file that is written.
    from svc_tui.bootstrap.export.export_writer import ExportWriter
    from svc_tui.core.export_formats import Format

_COPY_FILE = "copied.txt"

MAX_BODY_BYTES = 20_000_000
"""Bytes of a body that are read: it is held, signed and shown."""


class UserFiles:
    """See `session.ports.FileWriter`; names count from the directory that the program was started in."""

    def __init__(self, state_directory: Path) -> None:
        """Make it; copies go into `state_directory`."""
        self._state = state_directory

    def path(self, name: str) -> str:
        """The whole path of what the user calls `name`; `~` is the home directory; raises FileWriteError."""
        return str(self._place(name))

    def taken(self, name: str) -> bool:
        """Whether something is there; raises FileWriteError."""
        return _file_mode(self._place(name)) is not None

    @asynccontextmanager
    async def export(self, name: str, form: "Format", *, for_edit: bool = False) -> "AsyncIterator[ExportWriter]":
        """A file that is in its place when the block ends well; a table has a column for every field of any record."""
        from svc_tui.bootstrap.export.export_writer import SpoolingWriter, StreamingWriter, edit_layout

        file = self._place(name)
        mode = _file_mode(file)
        if mode is not None and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise FileWriteError(f"{file} is a device or a pipe; choose a file")
        with _translate_errors():
            with ExitStack() as stack:
                out = stack.enter_context(atomic_file(file))
                layout = edit_layout(form) if for_edit else None
                yield (
                    SpoolingWriter(out, form, stack.enter_context(out.spool()), layout)
                    if form.tabular
                    else StreamingWriter(out, form, layout=layout)
                )
                closing = stack.pop_all()
            # What is on its way to the disk gets there, also where nobody waits for it any more.
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, closing.close))

    async def write(self, name: str, data: bytes) -> str:
        """Put the bytes into the file of that name, whole or not at all; gives its path; raises FileWriteError."""
        file = self._place(name)

        def written() -> str:
            with _translate_errors(), atomic_file(file) as out:
                out.put(data)
            return str(file)

        return await asyncio.shield(asyncio.to_thread(written))

    def keep(self, text: str) -> str:
        """Put the text into a file of the state directory; gives its path; raises FileWriteError."""
        file = self._state / _COPY_FILE
        try:
            self._state.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(self._state, error) from None
        with _translate_errors(), atomic_file(file) as out:
            from svc_tui.core.export_formats import encode_utf8

            out.put(encode_utf8(text))
        return str(file)

    def _place(self, name: str) -> Path:
        if not name.strip():
            raise FileWriteError("The file name is empty.")
        try:
            os.fsencode(name)
            return Path.cwd() / Path(name.strip()).expanduser()
        except RuntimeError:
            raise FileWriteError(f"{name}: the home directory is unknown; use the full path") from None
        except (OSError, ValueError):
            raise FileWriteError(f"{name} is not a valid file name; choose another name") from None


def _file_mode(file: Path) -> int | None:
    """What kind of thing is there; None where there is none; raises FileWriteError."""
    try:
        return file.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError:
        raise FileWriteError(f"{file} is not a valid file name; choose another name") from None
    except OSError as error:
        raise _unwritable(file, error) from None


def _unwritable(file: Path, error: OSError) -> FileWriteError:
    return FileWriteError(f"{file} can't be written: {error.strerror}")


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except CommandFailure as error:
        raise FileWriteError(str(error)) from None


def read_body(name: str) -> bytes:
    """The bytes of the file (`~` is the user's home); may block; raises BodyFileError."""
    try:
        file = Path(name).expanduser()
        if not file.is_file():
            raise BodyFileError(f"{name} does not exist or is not a file")
        if file.stat().st_size > MAX_BODY_BYTES:
            raise BodyFileError(
                f"{name} is larger than {MAX_BODY_BYTES // 1_000_000} MB; send it with svc-tui request -d @…"
            )
        return file.read_bytes()
    except OSError as error:
        raise BodyFileError(f"{name} can't be read: {error.strerror}") from None
    except RuntimeError:
        raise BodyFileError(f"{name}: the home directory is unknown; use the full path") from None
    except ValueError:
        raise BodyFileError(f"{name} is not a valid file name; choose another name") from None
