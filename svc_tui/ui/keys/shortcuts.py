"""Shortcuts for help and palette, read from the active bindings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.binding import ActiveBinding
from textual.dom import DOMNode

from svc_tui.ui.keys.availability import reason_off

GENERAL = "Lists and text fields"
"""The area of bindings without an id: those of Textual's lists and text fields."""

_AREA_NAMES = {
    "actions": "List",
    "answer": "Response",
    "body": "Request",
    "card": "Review",
    "case": "Case file",
    "catalogue": "API reference",
    "compare": "Comparison",
    "doors": "Welcome",
    "fault": "Error",
    "finder": "Search",
    "method": "Request",
    "narrow": "Response",
    "palette": "Commands",
    "path": "Request",
    "peek": "Preview",
    "pointers": "Search",
    "results": "Search results",
    "returned": "Text from $EDITOR",
    "saving": "Save request",
    "search_menu": "List",
    "side_by_side": "Compare",
    "verdict": "Hash chain",
    "whole": "Text",
}
"""Names of areas that differ from the first word of their ids, which must not change."""

_MOVES = frozenset(["up", "down", "left", "right", "first", "last", "page_up", "page_down", "fold", "unfold"])
"""Last words of the ids of bindings that only move a cursor."""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """An action of `node`, with the names of its `keys`; the line of keys has the `prominent` ones.

    `why` is the reason why it would do nothing now, or ""; if it is not `enabled`, its key is disabled. One that
    `moves` only moves a cursor. `binding` is the id of its binding, or "".
    """

    area: str
    keys: tuple[str, ...]
    description: str
    tooltip: str
    action: str
    node: DOMNode
    enabled: bool = True
    prominent: bool = False
    why: str = ""
    moves: bool = False
    binding: str = ""

    @property
    def explanation(self) -> str:
        """The longest description."""
        return self.tooltip or self.description


def shortcuts(app: App[Any], bindings: Mapping[str, ActiveBinding]) -> list[Shortcut]:
    """Return the shortcuts of all actions, nearest to the focus first; those without an id come last."""
    keys: dict[tuple[int, str], list[str]] = {}
    first: dict[tuple[int, str], ActiveBinding] = {}
    for active in bindings.values():
        binding = active.binding
        if binding.system or not binding.description:
            continue
        name = (id(active.node), binding.id or binding.action)
        first.setdefault(name, active)
        display = app.get_key_display(binding)
        if display not in keys.setdefault(name, []):
            keys[name].append(display)
    listed = [
        Shortcut(
            area=area_of(active.binding.id),
            keys=tuple(keys[name]),
            description=active.binding.description,
            tooltip=active.tooltip or active.binding.tooltip,
            action=active.binding.action,
            node=active.node,
            enabled=active.enabled,
            prominent=active.binding.show,
            why=reason_off(active.node, active.binding.action),
            moves=(active.binding.id or "").rpartition(".")[2] in _MOVES,
            binding=active.binding.id or "",
        )
        for name, active in first.items()
    ]
    return sorted(listed, key=lambda shortcut: shortcut.area == GENERAL)


def by_area(all_shortcuts: list[Shortcut]) -> Mapping[str, list[Shortcut]]:
    """Return the shortcuts by area, areas in the order of their first shortcut."""
    areas: dict[str, list[Shortcut]] = {}
    for shortcut in all_shortcuts:
        areas.setdefault(shortcut.area, []).append(shortcut)
    return areas


def area_of(binding_id: str | None) -> str:
    """Return the name of the area that a binding belongs to, by its id."""
    if not binding_id:
        return GENERAL
    area = binding_id.split(".", 1)[0]
    return _AREA_NAMES.get(area) or area.capitalize()
