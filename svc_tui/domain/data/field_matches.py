"""Where a record holds a text: the values that were found, in the order of the outline, and the one gone to last."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from svc_tui.domain.data.folded_text import fold
from svc_tui.domain.data.kinds import Kind
from svc_tui.domain.data.outline import WINDOW_ITEMS, FieldGroup, Path, group_of, is_nested
from svc_tui.domain.model.jsontext import Json, Number


@dataclass(frozen=True, slots=True)
class FieldMatches:
    """The ways to the values that were found, and which of them is the current one, from 0."""

    paths: tuple[Path, ...] = ()
    current: int = 0

    @property
    def path(self) -> Path | None:
        """The way to the current one; None where there is none."""
        return self.paths[self.current] if self.paths else None

    @property
    def position(self) -> tuple[int, int] | None:
        """Which of how many the current one is, from 1; None where there is none."""
        return (self.current + 1, len(self.paths)) if self.paths else None

    def stepped(self, steps: int) -> "FieldMatches":
        """The same, gone on by so many, round the ends."""
        return replace(self, current=(self.current + steps) % len(self.paths)) if self.paths else self


def find_fields(fields: Mapping[str, Json], needle: str, kind_of_field: Callable[[str], Kind]) -> FieldMatches:
    """The values that hold `needle`, as they are shown: window by window, group by group."""
    paths = matching_paths(fields, needle)
    groups = {group: order for order, group in enumerate(FieldGroup)}
    places = {name: place for place, name in enumerate(fields)}
    orders = {
        name: (places[name] // WINDOW_ITEMS, groups[group_of(name, kind_of_field(name))])
        for name in dict.fromkeys(str(path[0]) for path in paths)
    }
    return FieldMatches(tuple(sorted(paths, key=lambda path: orders[str(path[0])])))


def matching_paths(fields: Mapping[str, Json], needle: str) -> list[Path]:
    """The paths of all values that hold `needle` in their name or, unless nested, in their text, folded."""
    sought = fold(needle)
    return list(_matches(fields.items(), (), sought)) if sought else []


def _matches(items: Iterable[tuple[str | int, Json]], above: Path, sought: str) -> Iterator[Path]:
    for step, value in items:
        path = (*above, step)
        if (isinstance(step, str) and sought in fold(step)) or sought in fold(_plain_text(value)):
            yield path
        if isinstance(value, Mapping):
            yield from _matches(value.items(), path, sought)
        elif is_nested(value) and isinstance(value, Sequence):
            yield from _matches(enumerate(value), path, sought)


def _plain_text(value: Json) -> str:
    match value:
        case str():
            return value
        case Number():
            return value.text
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case _:
            return ""
