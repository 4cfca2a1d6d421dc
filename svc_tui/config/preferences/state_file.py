"""What was last chosen in the program, as it is written in `state.toml`; what can't be understood there is left out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from svc_tui.session.memory import LastPosition, SavedChoices
from svc_tui.session.pane_layout import PaneSizes

if TYPE_CHECKING:
    # Loaded where a view is remembered, not with the first frame.
    from svc_tui.core.views import RememberedView


def read_memory(tables: Mapping[str, Any]) -> SavedChoices:
    """What the tables tell."""
    places = _table(tables.get("places"))
    habits = _table(tables.get("collections"))
    return SavedChoices(
        {name: position for name, place in places.items() if (position := _last_position(_table(place))) is not None},
        {key: _habit(_table(value)) for key, value in habits.items()},
        _panes(_table(tables.get("panes"))),
        {name: count for name, count in _table(tables.get("hinted")).items() if type(count) is int},
        frozenset(name for name, kept in _table(tables.get("indexed")).items() if kept is True),
        {name: loads for name, loads in _table(tables.get("searched")).items() if isinstance(loads, bool)},
    )


def last_position_table(position: LastPosition) -> dict[str, Any]:
    """A stay as it is written."""
    table = {"path": position.path, "row": position.row or None, "field": position.field, "record": position.record_id}
    return {name: value for name, value in table.items() if value is not None}


def habit_table(habit: "RememberedView") -> dict[str, Any]:
    """A habit as it is written."""
    from svc_tui.core.views import view_table

    named = [{"name": name, **view_table(view)} for name, view in habit.named.items()]
    return {**view_table(habit.last), **({"views": named} if named else {})}


def panes_table(sizes: PaneSizes) -> dict[str, Any]:
    """Pane sizes as they are written; empty where nobody chose any."""
    shares = {"beside": sizes.beside, "below": sizes.below}
    table = {"sidebar": sizes.sidebar, **{name: share and round(share, 4) for name, share in shares.items()}}
    return {name: value for name, value in {**table, "folded": sizes.folded}.items() if value}


def unusable_sizes(tables: Mapping[str, Any]) -> list[str]:
    """The settings of pane sizes that make no sense, and are left out."""
    panes = tables.get("panes", {})
    if not isinstance(panes, dict):
        return ["panes"]
    understood = panes_table(_panes(panes))
    return [f"panes.{name}" for name, value in panes.items() if name not in understood and value is not False]


def _last_position(table: Mapping[str, Any]) -> LastPosition | None:
    path, row, name, record_id = (table.get(key) for key in ("path", "row", "field", "record"))
    if not isinstance(path, str):
        return None
    return LastPosition(
        path,
        row if type(row) is int and row > 0 else 0,
        name if isinstance(name, str) else None,
        record_id if isinstance(record_id, str) else None,
    )


def _panes(table: Mapping[str, Any]) -> PaneSizes:
    sidebar, beside, below = (table.get(name) for name in ("sidebar", "beside", "below"))
    return PaneSizes(
        sidebar if type(sidebar) is int and sidebar > 0 else None,
        beside if _is_share(beside) else None,
        below if _is_share(below) else None,
        table.get("folded") is True,
    )


def _is_share(value: object) -> TypeGuard[float]:
    return type(value) is float and 0 < value < 1


def _habit(table: Mapping[str, Any]) -> "RememberedView":
    from svc_tui.core.views import RememberedView, read_view

    named = {}
    for view in _tables(table.get("views")):
        if isinstance(name := view.get("name"), str) and name:
            named[name] = read_view(view)
    return RememberedView(read_view(table), named)


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _tables(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
