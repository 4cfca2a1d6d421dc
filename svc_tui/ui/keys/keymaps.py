"""Key presets, and checks of the keys that the user sets under `[keys]`."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from svc_tui.core.spelling import nearest_name

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


def resolve_keymap(settings: Mapping[str, str], bound: Sequence[KeyBinding], is_key: Callable[[str], bool]) -> Keymap:
    """Return the keymap for `settings`: keys by ids, and perhaps a preset; leave out settings with a mistake.

    `is_key` returns True for the name of a key.
    """
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
        problem = next(_problems(name, chosen_keys, bound, is_key), None)
        if problem is not None:
            mistakes.append(problem)
            del chosen_keys[name]
    return Keymap({name: ",".join(keys) for name, keys in chosen_keys.items()}, tuple(mistakes))


def _split_keys(keys: str) -> tuple[str, ...]:
    return tuple(filter(None, (key.strip() for key in keys.split(","))))


def _problems(
    name: str, chosen_keys: Mapping[str, tuple[str, ...]], bound: Sequence[KeyBinding], is_key: Callable[[str], bool]
) -> Iterator[str]:
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
        if not is_key(key):
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
