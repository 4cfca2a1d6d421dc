"""Saved requests: `requests/*.toml`, one a file, fit to be shared.

What they are made of and checked with is slow to load, and most people have none: it is loaded with the first.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.config.errors import ConfigError
from svc_tui.config.files import write_text

if TYPE_CHECKING:
    from svc_tui.domain.console.saved_requests import SavedRequest, SavedRequestFile

_ENDING = ".toml"


class FileSavedRequests:
    """The files of one directory; see `domain.gateway.SavedRequestStore`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    @property
    def directory(self) -> str:
        """Where the files are."""
        return str(self._directory)

    def read(self) -> tuple[SavedRequestFile, ...]:
        """Every saved request by name, unusable ones with their mistake; read from the disk each time."""
        try:
            paths = [path for path in self._directory.iterdir() if path.suffix == _ENDING and path.name[0] != "."]
        except FileNotFoundError:
            return ()
        except OSError as error:
            from svc_tui.domain.console.saved_requests import DamagedRequest

            return (DamagedRequest(self._directory.name, f"{self._directory} can't be read: {error.strerror}"),)
        return tuple(sorted(map(_read, paths), key=_sort_key))

    def existing_name(self, saved: SavedRequest) -> str:
        """What would be replaced by keeping this one, "" for nothing: the name that is in its file now."""
        path = self._path_of(saved)
        return _request_name(_read(path)) or path.name if path.exists() else ""

    def keep(self, saved: SavedRequest) -> str:
        """Write the file, in place of the one before; gives its path; raises SavedRequestError."""
        from svc_tui.domain.console.saved_requests import SavedRequestError, to_toml

        path = self._path_of(saved)
        try:
            write_text(path, to_toml(saved))
        except OSError as error:
            raise SavedRequestError(f"{path} can't be written: {error.strerror}") from None
        return str(path)

    def remove(self, file: str) -> None:
        """Remove a file by its name without ending; raises SavedRequestError."""
        from svc_tui.domain.console.saved_requests import SavedRequestError

        path = self._path(file)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise SavedRequestError(f"{path} can't be removed: {error.strerror}") from None

    def _path(self, file: str) -> Path:
        return self._directory / f"{file}{_ENDING}"

    def _path_of(self, saved: SavedRequest) -> Path:
        from svc_tui.domain.console.saved_requests import file_name

        return self._path(saved.file or file_name(saved.name))


def _sort_key(entry: SavedRequestFile) -> tuple[str, str]:
    return (_request_name(entry) or entry.file).casefold(), entry.file


def _request_name(entry: SavedRequestFile) -> str:
    """What a saved request is called; "" for one that can't be used."""
    from svc_tui.domain.console.saved_requests import SavedRequest

    return entry.name if isinstance(entry, SavedRequest) else ""


def _read(path: Path) -> SavedRequestFile:
    from svc_tui.config.requests.request_file import read_request
    from svc_tui.domain.console.saved_requests import DamagedRequest

    try:
        return read_request(path)
    except ConfigError as error:
        return DamagedRequest(path.stem, str(error))
    except OSError as error:
        return DamagedRequest(path.stem, f"{path} can't be read: {error.strerror}")
