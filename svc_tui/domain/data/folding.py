"""What of a record's outline is unfolded: by hand, and by itself where there is room below."""

from collections.abc import Callable, Mapping, Sequence, Set

from svc_tui.domain.data.kinds import Kind
from svc_tui.domain.data.outline import OutlineEntry, OutlineLine, Path, outline, window_around
from svc_tui.domain.model.jsontext import Json


class Folding:
    """Keeps what was unfolded and folded from record to record, and the windows of one."""

    def __init__(self) -> None:
        self._unfolded: set[Path] = set()
        self._folded: set[Path] = set()
        self.windows: dict[Path, int] = {}
        """The first item that is shown of an object or a list, where that is not its first."""
        self.open: Set[Path] = frozenset()
        """What is unfolded in the lines that were given last."""

    def set(self, path: Path, *, unfolded: bool) -> None:
        """Unfold what is at `path`, or fold it: then it stays so, whatever room there is."""
        wanted, other = (self._unfolded, self._folded) if unfolded else (self._folded, self._unfolded)
        wanted.add(path)
        other.discard(path)

    def reveal(self, fields: Mapping[str, Json], path: Path) -> None:
        """Unfold all that the value at `path` is in."""
        self._unfolded |= {path[:depth] for depth in range(1, len(path))}
        self.windows |= window_around(fields, path)

    def lines(
        self, fields: Mapping[str, Json], kinds: Mapping[str, Kind], free_rows: Callable[[Sequence[OutlineLine]], int]
    ) -> list[OutlineLine]:
        """The record's lines; `free_rows` tells how many rows are left below some, where more is unfolded."""
        self.open = frozenset(self._unfolded)
        lines = outline(fields, kinds, self.open, self.windows)
        free = free_rows(lines)
        for line in lines:
            if not isinstance(line, OutlineEntry) or not line.nested or line.path in self.open | self._folded:
                continue
            longer = outline(fields, kinds, self.open | {line.path}, self.windows)
            free -= len(longer) - len(lines)
            if free < 0:
                break
            self.open, lines = self.open | {line.path}, longer
        return lines
