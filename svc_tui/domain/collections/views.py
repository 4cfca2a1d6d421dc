"""How the user looks at a collection: which columns, in what order, filtered how; and what is remembered of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Sort:
    """By the values of one field; empty ones come last either way."""

    field: str
    descending: bool = False


def next_sort(sort: Sort | None, field: str) -> Sort | None:
    """The order after one more click on the head of `field`: ascending, descending, as the service gives the rows."""
    if sort is None or sort.field != field:
        return Sort(field)
    return None if sort.descending else Sort(field, descending=True)


@dataclass(frozen=True, slots=True)
class ChosenColumn:
    """A column as the user wants it: the path of its field, and its width in cells (None: as its values need)."""

    field: str
    width: int | None = None


@dataclass(frozen=True, slots=True)
class View:
    """A way to look at a collection.

    `filter` is what is typed after `/`; `columns` are empty where they are chosen from what the records hold; `query`
    holds the parameters by which the service chooses.
    """

    filter: str = ""
    sort: Sort | None = None
    columns: tuple[ChosenColumn, ...] = ()
    query: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RememberedView:
    """What is remembered of a collection: how it was looked at last, and the views that were given a name."""

    last: View = field(default_factory=View)
    named: Mapping[str, View] = field(default_factory=dict)

    def with_view(self, name: str, view: View) -> "RememberedView":
        """The habit with `view` under `name`."""
        return replace(self, named={**self.named, name: view})

    def without_view(self, name: str) -> "RememberedView":
        """The habit with nothing under `name`."""
        return replace(self, named={other: view for other, view in self.named.items() if other != name})
