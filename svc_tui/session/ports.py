"""What the browser needs of the machine it runs on: remembered choices, files, the user's own editor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from svc_tui.console.saved_requests import SavedRequest, SavedRequestFile

    # Only what the Protocols speak of: whoever calls them has loaded what is needed for that.
    from svc_tui.core.export_formats import Format
    from svc_tui.core.jsontext import Json
    from svc_tui.core.settings import Palette
    from svc_tui.core.views import RememberedView
    from svc_tui.session.memory import LastPosition, SavedChoices
    from svc_tui.session.pane_layout import PaneSizes


class PreferenceStore(Protocol):
    """Where choices made in the program are remembered."""

    @property
    def memory(self) -> SavedChoices:
        """What was last chosen, by now."""

    def remember_theme(self, name: str) -> None:
        """Keep the theme for the next start; may block; raises OSError."""

    def remember_profile(self, name: str | None) -> None:
        """Keep the profile in use for the next start, None for none; may block; raises OSError."""

    def remember_place(self, name: str, position: LastPosition) -> None:
        """Keep a last position under its name; may block; raises OSError."""

    def remember_panes(self, sizes: PaneSizes) -> None:
        """Keep how large the panes are; may block; raises OSError."""

    def remember_habit(self, key: str, habit: RememberedView) -> None:
        """Keep how the collection with that key is looked at; may block; raises OSError."""

    def remember_index(self, profile: str, *, kept: bool) -> None:
        """Keep whether an index of a profile is kept from now on; may block; raises OSError."""

    def remember_search_loading(self, profile: str, *, on: bool) -> None:
        """Keep whether a search loads all collections of a profile; may block; raises OSError."""

    def palettes(self) -> Sequence[Palette]:
        """Every palette that can be chosen."""


class ExportFile(Protocol):
    """A file of records on its way to its place."""

    async def add(self, records: Sequence[Mapping[str, Json]]) -> None:
        """Take the next records."""

    async def finish(self) -> None:
        """End the export: no more records come."""


class FileWriter(Protocol):
    """Where files go that the user asked for: for their owner alone, and whole or not there at all."""

    def path(self, name: str) -> str:
        """The whole path of the file that the user calls `name`; raises FileWriteError where that can't be one."""

    def taken(self, name: str) -> bool:
        """Whether something of that name is there; raises FileWriteError."""

    def export(self, name: str, form: Format, *, for_edit: bool = False) -> AbstractAsyncContextManager[ExportFile]:
        """Write a file that takes its place only once the block ends well; raises FileWriteError, at its end too.

        `for_edit`: it is to be edited, and read again as corrections.
        """

    async def write(self, name: str, data: bytes) -> str:
        """Put bytes into the file that the user calls `name`; gives its path; raises FileWriteError."""

    def keep(self, text: str) -> str:
        """Put a text into a file of the program's own, in place of the one before; gives its path.

        May block; raises FileWriteError.
        """


class FileWriteError(Exception):
    """A file can't be written; the message says which, why, and what to do."""


class EditedText(Struct, frozen=True):
    """What an editor left: the text, and whether it wants it to be taken (it ended with the status 0)."""

    text: str
    wanted: bool


class TextEditor(Protocol):
    """The user's own editor, on the terminal that the interface has let go of."""

    @property
    def running(self) -> bool:
        """Whether the terminal is the editor's now, and with it what the user interrupts there."""

    async def edit(self, text: str, ending: str) -> EditedText:
        """Have `text` edited as a file with that ending; raises TextEditorError."""


class TextEditorError(Exception):
    """No editor edits; the message says why and what to do. `left` is what one that broke down had saved."""

    def __init__(self, message: str, left: str | None = None) -> None:
        super().__init__(message)
        self.left = left


class BodyFileError(Exception):
    """A file can't be the body of a request; the message says why."""


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
