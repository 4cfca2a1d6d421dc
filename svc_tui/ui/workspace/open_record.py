"""The open record: the one that is shown, its response, and the one being loaded."""

from svc_tui.core.records import Place, Record
from svc_tui.service.gateway import RecordReading


class OpenRecord:
    """The state of the record pane: no record, one being loaded, or one that is shown and may be loaded again.

    While a record is loaded for the first time, the one shown before is kept, to be shown again if loading fails.
    """

    def __init__(self) -> None:
        self.shown: tuple[Place, Record] | None = None
        """The shown record; if it is a row of the table, it may have fewer fields than its own response."""
        self.awaited: Place | None = None
        """The record whose response is to be shown; a response of another one is too late."""
        self._previous: tuple[Place, Record] | None = None
        self._answered: tuple[Place, RecordReading] | None = None

    @property
    def place(self) -> Place | None:
        """The place of the record that is shown, or being loaded."""
        return self.awaited if self.shown is None else self.shown[0]

    @property
    def record(self) -> Record | None:
        """The record that is shown; None if no record is open, or it is not loaded yet."""
        return None if self.shown is None else self.shown[1]

    def shows(self, place: Place) -> bool:
        """Return True if the record at `place` is shown."""
        return self.shown is not None and self.shown[0] == place

    @property
    def reading(self) -> RecordReading | None:
        """The response with the shown record; None if that is a row of the table, or newer."""
        if self.shown is None or self._answered is None:
            return None
        place, reading = self._answered
        return reading if self.shows(place) and reading.record is self.shown[1] else None

    def start_reading(self, place: Place) -> None:
        """Show no record until the one at `place` is loaded."""
        self._previous = self.shown or self._previous
        self.shown, self.awaited = None, place

    def answered(self, place: Place, reading: RecordReading) -> None:
        """Take a response with the record at `place`; it is the `reading` once its record is shown."""
        self._answered = place, reading

    def show(self, place: Place, record: Record) -> None:
        """Show a record."""
        self.shown, self.awaited, self._previous = (place, record), place, None

    def failed(self) -> tuple[Place, Record] | None:
        """End a failed load. Return the record to show again; None if one is shown, or there was none before."""
        self.awaited = None
        return self._previous if self.shown is None else None

    def close(self) -> None:
        """Show no record."""
        self.shown = self.awaited = self._previous = None
