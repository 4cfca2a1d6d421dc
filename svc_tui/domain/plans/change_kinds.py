"""The changes of a plan by their kind, so that thousands can be looked over: which field, and what happens to it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from svc_tui.domain.corrections.cell_text import read_moment
from svc_tui.domain.corrections.correction import RowAction
from svc_tui.domain.editing.draft import FieldChange
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, dumps, same_json
from svc_tui.domain.plans.plan import PlanRow

_MAX_PAIRS = 5
"""Pairs of old and new that are told one by one of a field; more of them are one kind."""

_SHOWN_CHARACTERS = 30
"""Characters of a value in the words of a kind."""


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """Changes that are alike: `title` says which, such as `grade: "A" → "B"`; `numbers` are those of their rows."""

    title: str
    numbers: tuple[int, ...]


def change_kinds(rows: Iterable[PlanRow]) -> tuple[ChangeKind, ...]:
    """The kinds of all changes of the rows, the most frequent first; new records and deletions are kinds too."""
    numbers: dict[str, list[int]] = defaultdict(list)
    by_field: dict[str, list[tuple[int, FieldChange]]] = defaultdict(list)
    for row in rows:
        match row.action:
            case RowAction.CREATE:
                numbers["new records"].append(row.number)
            case RowAction.DELETE:
                numbers["deletions"].append(row.number)
            case RowAction.UPDATE:
                for change in row.changes:
                    by_field[change.name].append((row.number, change))
    for name, changes in by_field.items():
        for words, found in _kinds_of_field(changes).items():
            numbers[f"{name}: {words}"].extend(found)
    kinds = (ChangeKind(title, tuple(found)) for title, found in numbers.items())
    return tuple(sorted(kinds, key=lambda kind: -len(kind.numbers)))


def _kinds_of_field(changes: Sequence[tuple[int, FieldChange]]) -> dict[str, list[int]]:
    words = [(number, _words(change.old, change.new), change) for number, change in changes]
    pairs = {_pair(change) for _, word, change in words if not word}
    kinds: dict[str, list[int]] = defaultdict(list)
    for number, word, change in words:
        kinds[word or (_pair(change) if len(pairs) <= _MAX_PAIRS else "other values")].append(number)
    return kinds


def _words(old: Json | Absent, new: Json) -> str:
    """What happens to a value, where that is told without naming the two; else ""."""
    if new is None or new == "":
        return "emptied"
    if isinstance(old, Absent) or old is None or old == "":
        return "filled in"
    if isinstance(old, str) and isinstance(new, str):
        moment = read_moment(old)
        if moment is not None and moment == read_moment(new):
            return "same time, written differently"
        if old.split() == new.split() or old.casefold().split() == new.casefold().split():
            return "same text, different spaces or upper/lower case"
        return ""
    return "same value, written differently" if same_json(old, new) else ""


def _pair(change: FieldChange) -> str:
    old = "unset" if isinstance(change.old, Absent) else _short(dumps(change.old))
    return f"{old} → {_short(dumps(change.new))}"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"
