"""The record that stands beside the table: which one it is, what was read of it, and which one is on its way."""

from svc_tui.core.records import Place, Record
from svc_tui.service.gateway import RecordReading


class OpenRecord:
    """Nothing is open, a record is being read, or one is shown, which may be read once more meanwhile.

    While the first reading of a record lasts, the one that was shown before is kept: it comes back where that fails.
    """

    def __init__(self) -> None:
        self.shown: tuple[Place, Record] | None = None
        """The record on show; a row of the table may hold less of it than an answer of its own."""
        self.awaited: Place | None = None
        """The record whose answer may still be shown: that of any other comes too late."""
        self._before: tuple[Place, Record] | None = None
        self._answered: tuple[Place, RecordReading] | None = None

    @property
    def place(self) -> Place | None:
        """The record that is shown, or else is being read."""
        return self.awaited if self.shown is None else self.shown[0]

    @property
    def record(self) -> Record | None:
        """What is shown; None where nothing is open, or it has not come yet."""
        return None if self.shown is None else self.shown[1]

    def shows(self, place: Place) -> bool:
        """Whether the record at `place` is on show."""
        return self.shown is not None and self.shown[0] == place

    @property
    def reading(self) -> RecordReading | None:
        """The answer that what is shown came with; None where it is a row of the table, or newer."""
        if self.shown is None or self._answered is None:
            return None
        place, reading = self._answered
        return reading if self.shows(place) and reading.record is self.shown[1] else None

    def start_reading(self, place: Place) -> None:
        """Show nothing until the record at `place` has been read."""
        self._before = self.shown or self._before
        self.shown, self.awaited = None, place

    def answered(self, place: Place, reading: RecordReading) -> None:
        """An answer of the record at `place` came; it is the `reading` once its record is shown."""
        self._answered = place, reading

    def show(self, place: Place, record: Record) -> None:
        """Remember what is shown."""
        self.shown, self.awaited, self._before = (place, record), place, None

    def failed(self) -> tuple[Place, Record] | None:
        """What is awaited can't be read; gives what was shown before, to be shown again, where nothing is shown now."""
        self.awaited = None
        return self._before if self.shown is None else None

    def close(self) -> None:
        """Remember that no record is open."""
        self.shown = self.awaited = self._before = None
