"""The keymap: key presets, the keys that the user sets under `[keys]`, and the bindings that they are for."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import REPLACED_KEYS, Keys, format_key, key_to_character
from textual.screen import Screen
from textual.widgets import Input

from svc_tui import ui
from svc_tui.core.spelling import nearest_name
from svc_tui.ui.keys.key_scopes import INNER_WIDGETS, SCOPES, Scope

PRESET_KEY = "preset"
"""The setting, beside the ids of bindings, that names a preset."""

_LIST_AREAS = ("sidebar", "table", "fields", "json", "text", "history", "actions", "columns")
_PAGED_AREAS = ("sidebar", "table", "json", "text", "columns")
_EMACS_MOVES = {
    "down": "down,j,ctrl+n",
    "up": "up,k,ctrl+p",
    "first": "home,g,alt+less_than_sign",
    "last": "end,G,alt+greater_than_sign",
}

PRESETS: Mapping[str, Mapping[str, str]] = {
    "vim": {
        # The default keys for moving, finding, `:`, `u` and `y` are those of vim.
        **{f"{area}.page_down": "pagedown,ctrl+f" for area in _PAGED_AREAS},
        **{f"{area}.page_up": "pageup,ctrl+b" for area in _PAGED_AREAS},
        "go.find": "F",
        "pane.fold_sidebar": "b",
        "record.edit": "e,i",
        "table.summary": "I",
        "marks.range": "v,V",
        "go.back": "left_square_bracket,ctrl+o",
        "app.mask": "f10",
    },
    "emacs": {
        **{f"{area}.{move}": keys for area in _LIST_AREAS for move, keys in _EMACS_MOVES.items()},
        **{f"{area}.page_down": "pagedown,ctrl+v" for area in _PAGED_AREAS},
        **{f"{area}.page_up": "pageup,alt+v" for area in _PAGED_AREAS},
        "record.create": "a",
        "pane.fold_sidebar": "b",
        "app.palette": "alt+x",
        "go.up": "escape,ctrl+g",
        "table.filter": "slash,alt+s",
        "record.find": "slash,alt+s",
        "writes.undo": "u,ctrl+underscore",
    },
}
"""The keys of each preset, separated by commas, by the ids of bindings."""

AMBIGUOUS_KEYS = {
    "ctrl+h": "Backspace",
    "ctrl+i": "Tab",
    "ctrl+m": "Enter",
    "ctrl+left_square_bracket": "Esc",
    "ctrl+d": "end of input",
}
"""Keys that no action may have, with the keys for which terminals send the same."""

CONFIRMING_ACTIONS = frozenset({"card.send", "plan.send", "conflict.send", "confirm.yes", "delete.yes", "console.send"})
"""Actions that confirm something; they can't have the keys that press buttons or that open their dialogs."""

_BUTTON_KEYS = ("enter", "space", "escape")
_OPENING_ACTIONS = ("record.review", "record.delete", "form.review")


class KeyBinding(Struct, frozen=True):
    """A binding: its `id`, its default `keys`, the class that declares it, and all classes in which it works.

    Two bindings overlap if the `owner` of one is `within` the other.
    """

    id: str
    keys: tuple[str, ...]
    owner: str
    within: frozenset[str]

    def overlaps(self, other: "KeyBinding") -> bool:
        """Return True if the same key press could trigger both."""
        return self.owner in other.within or other.owner in self.within


class Keymap(Struct, frozen=True):
    """The valid keys by the ids of bindings, and a message for each setting with a mistake."""

    keys: Mapping[str, str]
    mistakes: tuple[str, ...] = ()


def check_keymap(settings: Mapping[str, str]) -> Keymap:
    """Return the keymap for the settings under `[keys]`; only if there are any, this loads the whole interface."""
    if not settings:
        return Keymap({})
    resolved = resolve_keymap(settings, bindings())
    return Keymap(resolved.keys, tuple(f"config.toml, [keys]: {mistake}" for mistake in resolved.mistakes))


def resolve_keymap(settings: Mapping[str, str], bound: Sequence[KeyBinding]) -> Keymap:
    """Return the keymap for `settings`: keys by ids, and perhaps a preset; leave out settings with a mistake."""
    mistakes: list[str] = []
    preset = settings.get(PRESET_KEY, "")
    if preset and preset not in PRESETS:
        close = nearest_name(preset, PRESETS)
        mistakes.append(
            f'unknown preset "{preset}"; allowed: {", ".join(PRESETS)}{f"; did you mean {close}?" if close else ""}'
        )
    keys_by_name = {name: _split_keys(keys) for name, keys in settings.items() if name != PRESET_KEY}
    preset_keys = {name: _split_keys(keys) for name, keys in PRESETS.get(preset, {}).items()}
    chosen_keys = {**preset_keys, **keys_by_name}
    for name in keys_by_name:
        problem = next(_problems(name, chosen_keys, bound), None)
        if problem is not None:
            mistakes.append(problem)
            del chosen_keys[name]
    return Keymap({name: ",".join(keys) for name, keys in chosen_keys.items()}, tuple(mistakes))


def _split_keys(keys: str) -> tuple[str, ...]:
    return tuple(filter(None, (key.strip() for key in keys.split(","))))


def _problems(name: str, chosen_keys: Mapping[str, tuple[str, ...]], bound: Sequence[KeyBinding]) -> Iterator[str]:
    """Yield the mistakes in the keys of the action `name`."""
    own = next((binding for binding in bound if binding.id == name), None)
    if own is None:
        close = nearest_name(name, [binding.id for binding in bound])
        yield f"unknown action {name}{f'; did you mean {close}?' if close else ''}"
        return
    if not chosen_keys[name]:
        yield f'{name} has no key; add one, such as "{",".join(own.keys)}"'
    opening = {
        key for binding in bound if binding.id in _OPENING_ACTIONS for key in chosen_keys.get(binding.id, binding.keys)
    }
    for key in chosen_keys[name]:
        if not _is_key(key):
            yield f'"{key}" for {name} is not a key name; examples: e, ctrl+e, f5, shift+up, slash'
        if key in AMBIGUOUS_KEYS:
            yield f"{key} for {name} is the same as {AMBIGUOUS_KEYS[key]} in a terminal; choose another key"
        if name in CONFIRMING_ACTIONS and (key in _BUTTON_KEYS or key in opening):
            yield f"{key} for {name} is not allowed: in its dialog, this key has another use"
        if key in own.keys:
            continue
        for other in bound:
            # Bindings that share a default key hide each other on purpose.
            share_default = set(own.keys) & set(other.keys)
            if not share_default and own.overlaps(other) and key in chosen_keys.get(other.id, other.keys):
                yield f"{key} for {name} is already the key for {other.id}; change that key too"


_MODIFIERS = frozenset({"ctrl", "alt", "shift", "super", "hyper", "meta"})
_KEY_NAMES = frozenset(key.value for key in Keys) | REPLACED_KEYS.keys()


def _is_key(name: str) -> bool:
    *modifiers, key = name.split("+")
    return set(modifiers) <= _MODIFIERS and bool(key) and (key in _KEY_NAMES or key_to_character(key) is not None)


# The bindings that the classes of this program declare

DRIVERS = frozenset({"svc_tui.ui.terminal.driver", "svc_tui.ui.terminal.windows_driver"})
"""Modules that are not loaded: each needs a system of its own, and declares no bindings."""


def bindings() -> list[KeyBinding]:
    """Return every binding that this program declares, after loading the whole interface."""
    for module in pkgutil.walk_packages(ui.__path__, f"{ui.__name__}."):
        if module.name not in DRIVERS:
            importlib.import_module(module.name)
    declared = [
        KeyBinding(binding.id, tuple(binding.key.split(",")), kind.__name__, _within(kind))
        for kind, binding in _declared_bindings()
        if binding.id
    ]
    # The order of the classes depends on the order in which modules were loaded.
    return sorted(declared, key=lambda bound: bound.id)


def _within(kind: type[DOMNode]) -> frozenset[str]:
    """Return the names of the classes whose keys work in the same places as those of `kind`."""
    own = {base for base in kind.__mro__ if base.__module__.startswith(f"{ui.__name__}.")}
    if SCOPES.get(kind) is Scope.TOUR:
        return frozenset({kind.__name__})
    # Slow to load: the first records do not wait for it.
    from textual.widgets import TextArea

    if issubclass(kind, Input | TextArea):
        # Keys typed into a text field do nothing else, whatever is around it.
        return _names(own)
    around = {outer for outer, inside in INNER_WIDGETS.items() if own & {outer, *inside}}
    in_dialog = issubclass(kind, Screen) or any(issubclass(outer, Screen) for outer in around)
    reaching = {Scope.EVERYWHERE} if in_dialog else {Scope.EVERYWHERE, Scope.MAIN_SCREEN}
    return _names(own | around | {outer for outer, scope in SCOPES.items() if scope in reaching})


def _names(kinds: Iterable[type]) -> frozenset[str]:
    return frozenset(kind.__name__ for kind in kinds)


def _declared_bindings() -> Iterator[tuple[type[DOMNode], Binding]]:
    """Yield the loaded bindings that this program declares, each with its class."""
    for kind in sorted(set(_subclasses(DOMNode)), key=lambda kind: (kind.__module__, kind.__name__)):
        if kind.__module__.startswith(f"{ui.__name__}."):
            for binding in kind.__dict__.get("BINDINGS", ()):
                if isinstance(binding, Binding):
                    yield kind, binding


def _subclasses(kind: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for below in kind.__subclasses__():
        yield below
        yield from _subclasses(below)


# The names of keys on the screen

_KEY_WORDS = {"enter": "enter", "escape": "esc", "backspace": "backspace", "space": "space", "delete": "delete"}
"""Keys that are written as words in a sentence, and as signs elsewhere."""


def key_label(keymap: Mapping[str, str]) -> Mapping[str, str]:
    """Return the names of keys by the ids of their bindings, as far as they are loaded; of several keys the shortest.

    `keymap` has the keys that the user chose instead.
    """
    return {
        binding.id: min(
            (_key_name(key.strip(), "" if binding.id in keymap else binding.key_display or "")
             for key in keymap.get(binding.id, binding.key).split(",")),
            key=len,
        )
        for _, binding in _declared_bindings()
        if binding.id
    }  # fmt: skip


def _key_name(key: str, display: str) -> str:
    *modifiers, plain = key.split("+")
    return display or "+".join((*modifiers, _KEY_WORDS.get(plain) or format_key(plain)))
