"""Where the keys of a class count: declared on the class itself, so that the key map names no class in a string."""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import TypeVar

from textual.dom import DOMNode

_Kind = TypeVar("_Kind", bound=type[DOMNode])


class Scope(Enum):
    """How far the keys of a class reach beyond the widgets inside it."""

    EVERYWHERE = auto()
    """They count wherever the focus is, in dialogs too."""
    MAIN_SCREEN = auto()
    """They count wherever the focus is on the main screen."""
    TOUR = auto()
    """They count while the tour is taken, and keep no other action from having them."""


_scopes: dict[type[DOMNode], Scope] = {}
_inner_scopes: dict[type[DOMNode], tuple[type[DOMNode], ...]] = {}


def key_scope(scope: Scope) -> Callable[[_Kind], _Kind]:
    """Declare how far the keys of a class reach."""

    def declare(kind: _Kind) -> _Kind:
        _scopes[kind] = scope
        return kind

    return declare


def keys_count_in(*inside: type[DOMNode]) -> Callable[[_Kind], _Kind]:
    """Declare which widgets have the focus inside a class whose keys count as well."""

    def declare(kind: _Kind) -> _Kind:
        _inner_scopes[kind] = inside
        return kind

    return declare


def scopes() -> Mapping[type[DOMNode], Scope]:
    """The scopes of all classes loaded so far that declared one."""
    return _scopes


def inner_scopes() -> Mapping[type[DOMNode], tuple[type[DOMNode], ...]]:
    """For each class loaded so far that declared it, the widgets inside it."""
    return _inner_scopes
