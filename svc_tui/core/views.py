"""How the user looks at a collection: which columns, in what order, filtered how; and what is remembered of it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from svc_tui.core.values import replace


class Sort(Struct, frozen=True):
    """By the values of one field; empty ones come last either way."""

    field: str
    descending: bool = False


def next_sort(sort: Sort | None, field: str) -> Sort | None:
    """The order after one more click on the head of `field`: ascending, descending, as the service gives the rows."""
    if sort is None or sort.field != field:
        return Sort(field)
    return None if sort.descending else Sort(field, descending=True)


class ChosenColumn(Struct, frozen=True):
    """A column as the user wants it: the path of its field, and its width in cells (None: as its values need)."""

    field: str
    width: int | None = None


class View(Struct, frozen=True):
    """A way to look at a collection.

    `filter` is what is typed after `/`; `columns` are empty where they are chosen from what the records hold; `query`
    holds the parameters by which the service chooses.
    """

    filter: str = ""
    sort: Sort | None = None
    columns: tuple[ChosenColumn, ...] = ()
    query: tuple[tuple[str, str], ...] = ()


class RememberedView(Struct, frozen=True):
    """What is remembered of a collection: how it was looked at last, and the views that were given a name."""

    last: View = field(default_factory=View)
    named: Mapping[str, View] = field(default_factory=dict)

    def with_view(self, name: str, view: View) -> "RememberedView":
        """The habit with `view` under `name`."""
        return replace(self, named={**self.named, name: view})

    def without_view(self, name: str) -> "RememberedView":
        """The habit with nothing under `name`."""
        return replace(self, named={other: view for other, view in self.named.items() if other != name})


def view_table(view: View) -> dict[str, Any]:
    """A view as it is written down, by texts, numbers, lists and tables of them; only what is there."""
    table: dict[str, Any] = {}
    if view.filter:
        table["filter"] = view.filter
    if view.sort is not None:
        table["sort"] = {"field": view.sort.field, "descending": view.sort.descending}
    if view.columns:
        table["columns"] = [
            {"field": column.field, **({} if column.width is None else {"width": column.width})}
            for column in view.columns
        ]
    if view.query:
        table["query"] = [{"name": name, "value": value} for name, value in view.query]
    return table


def read_view(table: Mapping[str, Any]) -> View:
    """The view that was written down so; what can't be understood of it is left out."""
    order = table.get("sort")
    sort = None
    if isinstance(order, Mapping) and isinstance(order.get("field"), str):
        sort = Sort(order["field"], order.get("descending") is True)
    columns = []
    for column in _tables(table.get("columns")):
        width = column.get("width")
        if isinstance(name := column.get("field"), str) and name:
            columns.append(ChosenColumn(name, width if type(width) is int and width > 0 else None))
    query = [
        (pair["name"], pair["value"])
        for pair in _tables(table.get("query"))
        if isinstance(pair.get("name"), str) and isinstance(pair.get("value"), str)
    ]
    line = table.get("filter")
    return View(line if isinstance(line, str) else "", sort, tuple(columns), tuple(query))


def _tables(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
