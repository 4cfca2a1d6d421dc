"""Keys of one's own: what holds, and what each mistake is told as."""

import pytest

from svc_tui.ui.keys.keymap import CONFIRMING_ACTIONS, PRESETS, KeyBinding, resolve_keymap

APP, MAIN, TABLE, FIELDS, CARD = "App", "Main", "Table", "Fields", "Card"


def bound(name: str, keys: str, owner: str, *within: str) -> KeyBinding:
    return KeyBinding(name, tuple(keys.split(",")), owner, frozenset((owner, APP, *within)))


BINDINGS = [
    bound("app.quit", "ctrl+q", APP),
    bound("record.edit", "e", MAIN),
    bound("record.review", "ctrl+s", MAIN),
    bound("record.actions", "x", MAIN),
    bound("table.down", "down,j", TABLE, MAIN),
    bound("table.up", "up,k", TABLE, MAIN),
    bound("fields.down", "down,j", FIELDS, MAIN),
    bound("card.send", "y", CARD),
    bound("card.ticket", "t", CARD),
]


def mistakes(**wanted: str) -> tuple[str, ...]:
    return resolve_keymap({name.replace("_", ".", 1): keys for name, keys in wanted.items()}, BINDINGS).mistakes


def test_other_keys_hold_and_what_is_not_named_keeps_its_own() -> None:
    found = resolve_keymap({"record.edit": "e, i", "table.down": "n"}, BINDINGS)
    assert found.keys == {"record.edit": "e,i", "table.down": "n"}
    assert found.mistakes == ()


def test_two_actions_may_change_their_keys() -> None:
    found = resolve_keymap({"record.edit": "x", "record.actions": "e"}, BINDINGS)
    assert found.keys == {"record.edit": "x", "record.actions": "e"}


def test_parts_that_never_have_the_focus_together_may_share_a_key() -> None:
    assert mistakes(table_down="n", fields_down="n") == ()
    assert mistakes(card_ticket="x") == ()


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"record_edti": "e"}, "unknown action record.edti; did you mean record.edit?"),
        ({"nothing_such": "e"}, "unknown action nothing.such"),
        ({"record_edit": "x"}, "x for record.edit is already the key for record.actions; change that key too"),
        ({"table_down": "x"}, "x for table.down is already the key for record.actions; change that key too"),
        ({"record_edit": "j"}, "j for record.edit is already the key for table.down; change that key too"),
        ({"card_ticket": "ctrl+q"}, "ctrl+q for card.ticket is already the key for app.quit; change that key too"),
        (
            {"record_edit": "ctlr+x"},
            '"ctlr+x" for record.edit is not a key name; examples: e, ctrl+e, f5, shift+up, slash',
        ),
        (
            {"record_edit": "ctrl+h"},
            "ctrl+h for record.edit is the same as Backspace in a terminal; choose another key",
        ),
        (
            {"record_edit": "ctrl+d"},
            "ctrl+d for record.edit is the same as end of input in a terminal; choose another key",
        ),
        ({"record_edit": " , "}, 'record.edit has no key; add one, such as "e"'),
        (
            {"card_send": "enter"},
            "enter for card.send is not allowed: in its dialog, this key has another use",
        ),
        (
            {"card_send": "ctrl+s"},
            "ctrl+s for card.send is not allowed: in its dialog, this key has another use",
        ),
        ({"preset": "vmi"}, 'unknown preset "vmi"; allowed: vim, emacs; did you mean vim?'),
    ],
)
def test_a_mistake_is_told_and_leaves_the_rest(wanted: dict[str, str], told: str) -> None:
    assert mistakes(**wanted) == (told,)
    names = {name.replace("_", ".", 1): keys for name, keys in wanted.items()}
    assert resolve_keymap({**names, "table.up": "p"}, BINDINGS).keys == {"table.up": "p"}


def test_a_key_moved_to_where_the_opening_one_is_can_not_agree() -> None:
    found = resolve_keymap({"record.review": "ctrl+r", "card.send": "ctrl+r"}, BINDINGS)
    assert found.keys == {"record.review": "ctrl+r"}
    assert len(found.mistakes) == 1


def test_a_key_of_ones_own_beats_the_presets() -> None:
    found = resolve_keymap({"preset": "vim", "record.edit": "i"}, BINDINGS)
    assert found.keys["record.edit"] == "i"
    assert found.keys["go.back"] == PRESETS["vim"]["go.back"]
    assert found.mistakes == ()


def test_no_preset_touches_what_agrees() -> None:
    assert not CONFIRMING_ACTIONS & {name for preset in PRESETS.values() for name in preset}
