"""Scopes of key bindings, declared on the class with the bindings, so that the keymap names no class in a string."""

from collections.abc import Callable
from enum import Enum, auto
from typing import TypeVar

from textual.dom import DOMNode

_Kind = TypeVar("_Kind", bound=type[DOMNode])


class Scope(Enum):
    """The places besides the widgets inside a class where its keys work."""

    EVERYWHERE = auto()
    """Wherever the focus is, in dialogs too."""
    MAIN_SCREEN = auto()
    """Wherever the focus is on the main screen."""
    TOUR = auto()
    """Wherever the focus is during the tour; other actions may have the same keys."""


SCOPES: dict[type[DOMNode], Scope] = {}
"""The scopes of the classes loaded so far that declare one."""
INNER_WIDGETS: dict[type[DOMNode], tuple[type[DOMNode], ...]] = {}
"""For each class loaded so far that declares them, the widgets inside it."""


def key_scope(scope: Scope) -> Callable[[_Kind], _Kind]:
    """Declare where else the keys of a class work."""

    def declare(kind: _Kind) -> _Kind:
        SCOPES[kind] = scope
        return kind

    return declare


def keys_count_in(*inside: type[DOMNode]) -> Callable[[_Kind], _Kind]:
    """Declare the widgets inside a class, in which its keys work too."""

    def declare(kind: _Kind) -> _Kind:
        INNER_WIDGETS[kind] = inside
        return kind

    return declare
