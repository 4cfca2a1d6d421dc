"""The choosing of columns: which are shown, in what order and how wide, and which are hidden."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from svc_tui.domain.collections.columns import MAX_CHOSEN_WIDTH, MIN_WIDTH
from svc_tui.domain.collections.views import ChosenColumn


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The columns that are shown, in order, and the paths that are hidden. At least one stays shown."""

    shown: tuple[ChosenColumn, ...]
    hidden: tuple[str, ...] = ()

    @classmethod
    def of(cls, shown: Iterable[ChosenColumn], paths: Iterable[str]) -> "ColumnChoice":
        """The choice where all paths in `paths` that are not shown are hidden."""
        shown = tuple(shown)
        fields = {column.field for column in shown}
        return cls(shown, tuple(path for path in paths if path not in fields))

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths, the shown ones first, as they stand under each other."""
        return (*(column.field for column in self.shown), *self.hidden)

    def column(self, path: str) -> ChosenColumn | None:
        """The column as it is shown; None where it is hidden."""
        return next((column for column in self.shown if column.field == path), None)

    def toggled(self, path: str) -> "ColumnChoice":
        """A hidden column is shown, as the last; a shown one is hidden, unless it is the only one."""
        if path in self.hidden:
            others = tuple(other for other in self.hidden if other != path)
            return ColumnChoice((*self.shown, ChosenColumn(path)), others)
        left = tuple(column for column in self.shown if column.field != path)
        return ColumnChoice(left, (path, *self.hidden)) if left and left != self.shown else self

    def moved(self, path: str, steps: int) -> "ColumnChoice":
        """A shown column further to the left (negative) or to the right, as far as there is room."""
        column = self.column(path)
        if column is None:
            return self
        columns = [other for other in self.shown if other != column]
        at = self.shown.index(column) + steps
        columns.insert(max(0, min(at, len(columns))), column)
        return replace(self, shown=tuple(columns))

    def sized(self, path: str, width: int | None) -> "ColumnChoice":
        """A shown column with another width in cells; None: as its values need."""
        if width is not None:
            width = max(MIN_WIDTH, min(width, MAX_CHOSEN_WIDTH))
        return replace(self, shown=tuple(replace(c, width=width) if c.field == path else c for c in self.shown))
