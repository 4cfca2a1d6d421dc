"""The bindings of the interface as they can be given other keys, read from the bindings themselves."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import REPLACED_KEYS, Keys, format_key, key_to_character
from textual.screen import Screen
from textual.widgets import Input

from svc_tui import ui
from svc_tui.ui.keys.key_scopes import Scope, inner_scopes, scopes
from svc_tui.ui.keys.keymaps import KeyBinding, Keymap, resolve_keymap

DRIVERS = frozenset({"svc_tui.ui.terminal.driver", "svc_tui.ui.terminal.windows_driver"})
"""Not loaded: each needs a system of its own, and they declare no bindings."""

_MODIFIERS = frozenset({"ctrl", "alt", "shift", "super", "hyper", "meta"})
_KEY_WORDS = {"enter": "enter", "escape": "esc", "backspace": "backspace", "space": "space", "delete": "delete"}
"""What keys are called in a sentence, where a sign stands for them elsewhere."""
_KEY_NAMES = frozenset(key.value for key in Keys) | REPLACED_KEYS.keys()


def bindings() -> list[KeyBinding]:
    """Every binding that this program declares, with where it counts; loads every part of the interface.

    They come in an order that does not hang on what was loaded first.
    """
    for module in pkgutil.walk_packages(ui.__path__, f"{ui.__name__}."):
        if module.name not in DRIVERS:
            importlib.import_module(module.name)
    declared = [
        KeyBinding(binding.id, tuple(binding.key.split(",")), kind.__name__, _within(kind))
        for kind, binding in _declared_bindings()
        if binding.id
    ]
    # The order in which classes were made is another each time.
    return sorted(declared, key=lambda bound: bound.id)


def key_label(keymap: Mapping[str, str]) -> Mapping[str, str]:
    """What the keys of the parts loaded so far are called, by the bindings' ids: the shortest where there are several.

    `keymap` holds the keys that the user chose instead.
    """
    return {
        binding.id: min(
            (_name(key.strip(), "" if binding.id in keymap else binding.key_display or "")
             for key in keymap.get(binding.id, binding.key).split(",")),
            key=len,
        )
        for _, binding in _declared_bindings()
        if binding.id
    }  # fmt: skip


def _name(key: str, display: str) -> str:
    *modifiers, plain = key.split("+")
    return display or "+".join((*modifiers, _KEY_WORDS.get(plain) or format_key(plain)))


def check_keymap(wanted: Mapping[str, str]) -> Keymap:
    """What of the keys under `[keys]` holds, and what is wrong with the rest; loads nothing where none is wanted."""
    if not wanted:
        return Keymap({})
    resolved = resolve_keymap(wanted, bindings(), _is_key)
    return Keymap(resolved.keys, tuple(f"config.toml, [keys]: {mistake}" for mistake in resolved.mistakes))


def _within(kind: type[DOMNode]) -> frozenset[str]:
    """The widgets whose keys work where those of `kind` do: itself, its children, its parents."""
    own = {base for base in kind.__mro__ if base.__module__.startswith(f"{ui.__name__}.")}
    if scopes().get(kind) is Scope.TOUR:
        return frozenset({kind.__name__})
    # With every part loaded, this one is too; the first records wait for neither.
    from textual.widgets import TextArea

    if issubclass(kind, Input | TextArea):
        # What is typed there means nothing else, whatever stands around it.
        return _names(own)
    around = {outer for outer, inside in inner_scopes().items() if own & {outer, *inside}}
    in_dialog = issubclass(kind, Screen) or any(issubclass(outer, Screen) for outer in around)
    reaching = {Scope.EVERYWHERE} if in_dialog else {Scope.EVERYWHERE, Scope.MAIN_SCREEN}
    return _names(own | around | {outer for outer, scope in scopes().items() if scope in reaching})


def _names(kinds: Iterable[type]) -> frozenset[str]:
    return frozenset(kind.__name__ for kind in kinds)


def _declared_bindings() -> Iterator[tuple[type[DOMNode], Binding]]:
    """The bindings of this program's own that are loaded, and where each is declared."""
    for kind in sorted(set(_kinds(DOMNode)), key=lambda kind: (kind.__module__, kind.__name__)):
        if kind.__module__.startswith(f"{ui.__name__}."):
            for binding in kind.__dict__.get("BINDINGS", ()):
                if isinstance(binding, Binding):
                    yield kind, binding


def _is_key(name: str) -> bool:
    *modifiers, key = name.split("+")
    return set(modifiers) <= _MODIFIERS and bool(key) and (key in _KEY_NAMES or key_to_character(key) is not None)


def _kinds(kind: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for below in kind.__subclasses__():
        yield below
        yield from _kinds(below)
