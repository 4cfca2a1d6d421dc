"""Saved requests: `requests/*.toml`, one a file, fit to be shared.

What they are made of and checked with is slow to load, and most people have none: it is loaded with the first.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from svc_tui.config.errors import ConfigError
from svc_tui.config.files import parse_toml, read_trusted, write_text
from svc_tui.core.values import replace

if TYPE_CHECKING:
    from svc_tui.console.saved_requests import SavedRequest, SavedRequestFile

MAX_FILE_BYTES = 1_000_000
"""Bytes of a file that are read."""

_ENDING = ".toml"


class FileSavedRequests:
    """The files of one directory; see `session.ports.SavedRequestStore`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    @property
    def directory(self) -> str:
        """Where the files are."""
        return str(self._directory)

    def read(self) -> tuple[SavedRequestFile, ...]:
        """Every saved request by name, unusable ones with their mistake; read from the disk each time."""
        try:
            paths = self._paths()
        except OSError as error:
            from svc_tui.console.saved_requests import DamagedRequest

            return (DamagedRequest(self._directory.name, f"{self._directory} can't be read: {error.strerror}"),)
        return tuple(sorted(map(_read, paths), key=_sort_key))

    def names(self) -> tuple[str, ...]:
        """What the requests are called, in the order of `read`, wherever a file has a name, a method and a path.

        What else is in a file is not looked at.
        """
        try:
            named = [(name, path.stem) for path in self._paths() if (name := _name_in(path))]
        except OSError:
            return ()
        return tuple(name for name, _ in sorted(named, key=lambda one: (one[0].casefold(), one[1])))

    def read_text(self, text: str) -> SavedRequest:
        """The request that a text writes as one of the files does; raises SavedRequestError."""
        from svc_tui.config.requests.request_file import checked_request
        from svc_tui.console.saved_requests import SavedRequestError

        source = Path("the shared request")
        try:
            return replace(checked_request(source, text, parse_toml(source, text)), file="")
        except ConfigError as error:
            raise SavedRequestError(str(error)) from None

    def existing_name(self, saved: SavedRequest) -> str:
        """What would be replaced by keeping this one, "" for nothing: the name that is in its file now."""
        path = self._path_of(saved)
        return _request_name(_read(path)) or path.name if path.exists() else ""

    def keep(self, saved: SavedRequest) -> str:
        """Write the file, in place of the one before; gives its path; raises SavedRequestError."""
        from svc_tui.console.saved_requests import SavedRequestError, to_toml

        path = self._path_of(saved)
        try:
            write_text(path, to_toml(saved))
        except OSError as error:
            raise SavedRequestError(f"{path} can't be written: {error.strerror}") from None
        return str(path)

    def remove(self, file: str) -> None:
        """Remove a file by its name without ending; raises SavedRequestError."""
        from svc_tui.console.saved_requests import SavedRequestError

        path = self._path(file)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise SavedRequestError(f"{path} can't be deleted: {error.strerror}") from None

    def _paths(self) -> list[Path]:
        """The files; raises OSError where the directory can't be read, but none need be there."""
        try:
            return [path for path in self._directory.iterdir() if path.suffix == _ENDING and path.name[0] != "."]
        except FileNotFoundError:
            return []

    def _path(self, file: str) -> Path:
        return self._directory / f"{file}{_ENDING}"

    def _path_of(self, saved: SavedRequest) -> Path:
        from svc_tui.console.saved_requests import file_name

        return self._path(saved.file or file_name(saved.name))


def _sort_key(entry: SavedRequestFile) -> tuple[str, str]:
    return (_request_name(entry) or entry.file).casefold(), entry.file


def _request_name(entry: SavedRequestFile) -> str:
    """What a saved request is called; "" for one that can't be used."""
    from svc_tui.console.saved_requests import SavedRequest

    return entry.name if isinstance(entry, SavedRequest) else ""


def _read(path: Path) -> SavedRequestFile:
    from svc_tui.config.requests.request_file import checked_request
    from svc_tui.console.saved_requests import DamagedRequest

    try:
        return checked_request(path, *_read_tables(path))
    except ConfigError as error:
        return DamagedRequest(path.stem, str(error))
    except OSError as error:
        return DamagedRequest(path.stem, f"{path} can't be read: {error.strerror}")


def _name_in(path: Path) -> str:
    """The name that the file writes; "" where it can't be read, or is no request at all."""
    try:
        _, tables = _read_tables(path)
    except (ConfigError, OSError):
        return ""
    texts = [tables.get(key) for key in ("name", "method", "path")]
    return tables["name"] if all(isinstance(text, str) and text.strip() for text in texts) else ""


def _read_tables(path: Path) -> tuple[str, dict[str, Any]]:
    """The file's text and the tables that it writes; raises ConfigError, or OSError."""
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_FILE_BYTES:,} bytes, which is too large for a saved request")
    text = read_trusted(path).text
    return text, parse_toml(path, text)
