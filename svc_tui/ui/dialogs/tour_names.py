"""The names by which the tour knows dialogs, declared on their classes."""

from collections.abc import Callable
from typing import Any, TypeVar

from textual.screen import Screen

from svc_tui.ui.tour_steps import OpenDialog

_Kind = TypeVar("_Kind", bound=type[Screen[Any]])

_names: dict[type[Screen[Any]], OpenDialog] = {}


def tour_name(name: OpenDialog) -> Callable[[_Kind], _Kind]:
    """Return a decorator that sets the tour's name for a dialog and its subclasses."""

    def declare(kind: _Kind) -> _Kind:
        _names[kind] = name
        return kind

    return declare


def open_dialog_of(screen: Screen[Any]) -> OpenDialog:
    """Return the tour's name for the dialog; OTHER for one without a name."""
    return next((_names[kind] for kind in type(screen).__mro__ if kind in _names), OpenDialog.OTHER)
