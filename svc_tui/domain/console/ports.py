"""What the console needs of the store: the history of requests, and those saved under a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    # Only what the Protocols speak of: whoever calls them has loaded what is needed for that.
    from svc_tui.domain.console.history import HistoryEntry, RecordedRequest, RecordedResult
    from svc_tui.domain.console.saved_requests import SavedRequest, SavedRequestFile


class BodyFileError(Exception):
    """A file can't be the body of a request; the message says why."""


class HistoryStore(Protocol):
    """The requests that the user tried out, kept for later: each is here before it leaves. Raises StoreError."""

    async def begin(self, recorded_request: RecordedRequest) -> int:
        """Keep a request; when this returns, it is on the disk. Gives its number."""

    async def end(self, entry: int, recorded_result: RecordedResult) -> None:
        """Keep how request number `entry` ended."""

    async def entries(self, limit: int = 200) -> list[HistoryEntry]:
        """The newest entries first."""

    async def search(self, text: str, limit: int = 200) -> list[HistoryEntry]:
        """The newest entries that `text` is found in, as `domain.history.fits` tells."""

    async def remove(self, entry: int) -> None:
        """Forget one request."""

    async def clear(self) -> None:
        """Forget every request of this scope."""


class SavedRequestStore(Protocol):
    """The requests that the user saved under names, one a file. Every call may block."""

    @property
    def directory(self) -> str:
        """Where the files are."""

    def read(self) -> tuple[SavedRequestFile, ...]:
        """Every saved request by name, unusable ones with their mistake; read from the disk each time."""

    def read_text(self, text: str) -> SavedRequest:
        """The request that a text writes as one of the files does; raises SavedRequestError."""

    def existing_name(self, saved: SavedRequest) -> str:
        """What would be replaced by keeping this one, "" for nothing: the name that is in its file now."""

    def keep(self, saved: SavedRequest) -> str:
        """Write the file, in place of the one before; gives its path; raises SavedRequestError."""

    def remove(self, file: str) -> None:
        """Remove a file by its name without ending; raises SavedRequestError."""
