"""Ids under `[keys]`, and the bindings that they are of."""

from collections import Counter

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

from svc_tui.ui.keys.keymap import AMBIGUOUS_KEYS, CONFIRMING_ACTIONS, PRESETS, bindings, check_keymap


def test_known_ids_are_taken() -> None:
    wanted = {"record.edit": "e,enter", "console.send": "ctrl+g", "card.send": "Y", "go.to": ":,f12"}
    (told,) = check_keymap(wanted).mistakes
    assert told.startswith("config.toml, [keys]: enter for record.edit is already the key for ")
    assert check_keymap({name: keys for name, keys in wanted.items() if name != "record.edit"}).mistakes == ()


def test_an_unknown_id_is_told_with_the_one_that_was_meant() -> None:
    assert check_keymap({"record.edti": "e"}).mistakes == (
        "config.toml, [keys]: unknown action record.edti; did you mean record.edit?",
    )


def test_nothing_is_looked_at_where_nothing_is_wanted() -> None:
    assert check_keymap({}).keys == {}


KEYS = ("e", ":", "colon", "ctrl+e", "shift+up", "ctrl+shift+f5", "pagedown", "slash", "alt+x", "é")


@pytest.mark.parametrize("key", KEYS)
def test_names_of_keys_are_known(key: str) -> None:
    assert not [mistake for mistake in check_keymap({"writes.journal": key}).mistakes if "is not a key name" in mistake]


@pytest.mark.parametrize("key", ["ctlr+e", "pgdown", "ctrl+", "two words", "shift", "+"])
def test_other_words_are_no_keys(key: str) -> None:
    (told,) = check_keymap({"writes.journal": key}).mistakes
    assert "is not a key name" in told


@pytest.mark.parametrize("preset", PRESETS)
def test_every_line_of_a_preset_is_of_an_action_and_takes_no_key_from_another(preset: str) -> None:
    assert check_keymap(PRESETS[preset]).mistakes == ()
    assert check_keymap({"preset": preset}).keys == check_keymap(PRESETS[preset]).keys


def test_what_agrees_to_something_is_what_the_dialogs_have() -> None:
    ids = {binding.id for binding in bindings()}
    assert ids >= CONFIRMING_ACTIONS
    assert {name for name in ids if name.endswith((".send", ".yes"))} - CONFIRMING_ACTIONS == {"requests.send"}


def _declared() -> list[Binding]:
    bindings()
    kinds: set[type[DOMNode]] = {DOMNode}
    while below := {kind for above in kinds for kind in above.__subclasses__()} - kinds:
        kinds |= below
    ours = [kind for kind in kinds if kind.__module__.startswith("svc_tui.ui.")]
    declared = [binding for kind in ours for binding in kind.__dict__.get("BINDINGS", ())]
    return [binding for binding in declared if isinstance(binding, Binding)]


def test_every_binding_of_ours_has_an_id_of_its_own_and_words() -> None:
    found = _declared()
    assert len(found) > 80
    assert not [binding.key for binding in found if not (binding.id and binding.description)]
    spoken = [text for binding in found for text in (binding.description, binding.tooltip) if text]
    assert [text for text in spoken if text[0].islower()] == []
    assert [name for name, count in Counter(binding.id for binding in found).items() if count > 1] == []
    assert [binding.id for binding in found if "-" in (binding.id or "")] == []


def test_nothing_sits_on_keys_that_terminals_mix_up() -> None:
    assert [binding for binding in _declared() if set(binding.key.split(",")) & AMBIGUOUS_KEYS.keys()] == []
