"""Ids under `[keys]`."""

from collections import Counter

from textual.binding import Binding
from textual.dom import DOMNode

from svc_tui.ui.keys import binding_ids, unknown_keys


def test_known_ids_are_passed_over() -> None:
    assert unknown_keys({"record.edit": "e", "console.send": "ctrl+g", "card.send": "y"}) == []


def test_an_unknown_id_is_told_with_the_one_that_was_meant() -> None:
    assert unknown_keys({"record.edti": "e"}) == [
        "config.toml, [keys]: there is no action record.edti; did you mean record.edit?"
    ]


def test_every_binding_of_ours_has_an_id_of_its_own_and_words() -> None:
    binding_ids()
    found: list[Binding] = []
    kinds = [DOMNode]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if kind.__module__.startswith("svc_tui.ui."):
            found += [binding for binding in kind.__dict__.get("BINDINGS", ()) if isinstance(binding, Binding)]
    assert len(found) > 80
    assert not [binding.key for binding in found if not (binding.id and binding.description)]
    spoken = [text for binding in found for text in (binding.description, binding.tooltip) if text]
    assert [text for text in spoken if text[0].islower()] == []
    assert [name for name, count in Counter(binding.id for binding in found).items() if count > 1] == []


def test_nothing_sits_on_keys_that_terminals_mix_up() -> None:
    binding_ids()
    kinds = [DOMNode]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if kind.__module__.startswith("svc_tui.ui."):
            for binding in kind.__dict__.get("BINDINGS", ()):
                keys = set(binding.key.split(","))
                assert not keys & {"ctrl+h", "ctrl+i", "ctrl+m", "ctrl+left_square_bracket", "ctrl+d"}, binding
