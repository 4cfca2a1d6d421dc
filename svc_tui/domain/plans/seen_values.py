"""What the fields that a plan changes hold in the records seen: their kinds, and the words of choices."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from svc_tui.domain.data.field_path import path_steps, value_at
from svc_tui.domain.data.kinds import Kind, choices_seen, kind_of, typical_value
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.spelling import nearest_name


class SeenValues:
    """The values at some `paths`, record by record; those at others are passed over."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._values: defaultdict[str, list[Json]] = defaultdict(list)
        self._steps: dict[str, tuple[str, ...]] = {}
        self._paths = tuple(paths)
        self._kinds: dict[str, Kind] = {}
        self._choices: dict[str, frozenset[str]] = {}
        self._typical: dict[str, Json | Absent] = {}
        self._names: dict[str, None] = {}
        self._none_seen = True

    def take(self, fields: Mapping[str, Json]) -> None:
        """Take in the values of one record."""
        self._none_seen = False
        self._names.update(dict.fromkeys(fields))
        self._kinds.clear()
        self._choices.clear()
        self._typical.clear()
        for path in self._paths:
            value = value_at(fields, path)
            if isinstance(value, Absent):
                continue
            self._values[path].append(value)
            self._steps.setdefault(path, path_steps(fields, path))

    def knows(self, path: str) -> bool:
        """Whether any record seen has a value there; where none was seen at all, nothing speaks against a field."""
        return path in self._steps or self._none_seen

    def nearest(self, name: str) -> str | None:
        """The field that was probably meant by a name that no record has; None where none is much like it."""
        if "." in name:
            return None
        return nearest_name(name, (known for known in self._names if known not in self._paths))

    def steps(self, path: str) -> tuple[str, ...]:
        """The names on the way of a path, as the records that have it say; the path as one name where none has."""
        return self._steps.get(path, (path,))

    def kind(self, path: str) -> Kind:
        """What the records hold there; NULL where nothing was seen."""
        if path not in self._kinds:
            self._kinds[path] = kind_of(self.steps(path)[-1], self._values[path]) if path in self._steps else Kind.NULL
        return self._kinds[path]

    def values(self, path: str) -> Sequence[Json]:
        """The values that the records hold there."""
        return self._values.get(path, ())

    def typical(self, path: str) -> Json | Absent:
        """A value that has the one JSON type of all values there; ABSENT where they differ, or none was seen."""
        if path not in self._typical:
            self._typical[path] = typical_value(self.values(path))
        return self._typical[path]

    def is_new_choice(self, path: str, value: Json) -> bool:
        """Whether a text is none of those seen of a field that holds the same few words again and again."""
        return isinstance(value, str) and self.kind(path) is Kind.CHOICE and value not in self._seen_choices(path)

    def like(self, path: str, value: str) -> str:
        """The word seen that is most like another, "" where none is."""
        return next(iter(get_close_matches(value, sorted(self._seen_choices(path)), 1)), "")

    def _seen_choices(self, path: str) -> frozenset[str]:
        if path not in self._choices:
            self._choices[path] = frozenset(text for text, _ in choices_seen(self._values[path]))
        return self._choices[path]
