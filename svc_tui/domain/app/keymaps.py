"""Other keys for the same actions: the presets, and what is wrong with keys that the user asks for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from svc_tui.domain.model.spelling import nearest_name

PRESET_KEY = "preset"
"""The name, among the ids, under which a preset is asked for."""

_LIST_AREAS = ("sidebar", "table", "fields", "json", "text", "history", "actions", "columns")
_PAGED_AREAS = ("sidebar", "table", "json", "text", "columns")
_LIST_MOVES = {
    "down": ("down,j", "ctrl+n"),
    "up": ("up,k", "ctrl+p"),
    "first": ("home,g", "alt+less_than_sign"),
    "last": ("end,G", "alt+greater_than_sign"),
}

PRESETS: Mapping[str, Mapping[str, str]] = {
    "vim": {
        # Moving, finding, `:`, `u` and `y` are vim's already.
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
        **{f"{area}.{move}": ",".join(keys) for area in _LIST_AREAS for move, keys in _LIST_MOVES.items()},
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
"""By name: a binding's id to its keys, separated by commas."""

AMBIGUOUS_KEYS = {
    "ctrl+h": "Backspace",
    "ctrl+i": "Tab",
    "ctrl+m": "Enter",
    "ctrl+left_square_bracket": "Esc",
    "ctrl+d": "end of input",
}
"""Keys that nothing may sit on, with what terminals send for them."""

CONFIRMING_ACTIONS = frozenset({"card.send", "plan.send", "conflict.send", "confirm.yes", "delete.yes", "console.send"})
"""Actions that agree to something; the keys that open what they agree to, or press any button, are not for them."""

_BUTTON_KEYS = ("enter", "space", "escape")
_OPENING_ACTIONS = ("record.review", "record.delete", "form.review")


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """One binding: its `id`, its own `keys`, and the names of the parts of the interface where it counts.

    `owner` is the part that has it; it and another binding meet where one owner is among the other's `within`.
    """

    id: str
    keys: tuple[str, ...]
    owner: str
    within: frozenset[str]

    def overlaps(self, other: "KeyBinding") -> bool:
        """Whether one press of a key could mean both."""
        return self.owner in other.within or other.owner in self.within


@dataclass(frozen=True, slots=True)
class Keymap:
    """The keys that hold, by id, and one sentence for each line that does not."""

    keys: Mapping[str, str]
    mistakes: tuple[str, ...] = ()


def resolve_keymap(wanted: Mapping[str, str], bound: Sequence[KeyBinding], is_key: Callable[[str], bool]) -> Keymap:
    """What of `wanted` (ids to keys, and perhaps a preset) can be used with the bindings that there are.

    `is_key` tells whether a name is that of a key. A line with a mistake is left out; the others hold.
    """
    mistakes: list[str] = []
    preset = wanted.get(PRESET_KEY, "")
    if preset and preset not in PRESETS:
        close = nearest_name(preset, PRESETS)
        mistakes.append(
            f'unknown preset "{preset}"; allowed: {", ".join(PRESETS)}{f"; did you mean {close}?" if close else ""}'
        )
    keys_by_name = {name: _split_keys(keys) for name, keys in wanted.items() if name != PRESET_KEY}
    chosen_keys = {**{name: _split_keys(keys) for name, keys in PRESETS.get(preset, {}).items()}, **keys_by_name}
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
    """What is wrong with the keys given to `name`, the first of it first."""
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
            # Where one hides the other by their own keys, that is meant.
            shared = set(own.keys) & set(other.keys)
            if not shared and own.overlaps(other) and key in chosen_keys.get(other.id, other.keys):
                yield f"{key} for {name} is already the key for {other.id}; change that key too"
