"""What the tour calls a dialog: declared on the dialog itself, so that the tour names no class in a string."""

from collections.abc import Callable
from typing import Any, TypeVar

from textual.screen import Screen

from svc_tui.ui.tour_steps import OpenDialog

_Kind = TypeVar("_Kind", bound=type[Screen[Any]])

_names: dict[type[Screen[Any]], OpenDialog] = {}


def tour_name(name: OpenDialog) -> Callable[[_Kind], _Kind]:
    """Declare what the tour calls a dialog, and those derived from it."""

    def declare(kind: _Kind) -> _Kind:
        _names[kind] = name
        return kind

    return declare


def open_dialog_of(screen: Screen[Any]) -> OpenDialog:
    """What the tour calls the dialog; OTHER for one that it does not speak of."""
    return next((_names[kind] for kind in type(screen).__mro__ if kind in _names), OpenDialog.OTHER)
