"""Drafts hold exactly what was changed, and a fresh reading tells what others changed meanwhile."""

from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.draft import Draft, FieldChange, freshen
from svc_tui.core.jsontext import ABSENT, Absent, Json, number, same_json
from svc_tui.core.records import Record

BASE = Record({"id": "lot-1", "grade": "A", "massKg": number("1.50"), "note": None})

values: st.SearchStrategy[Json] = st.none() | st.booleans() | st.integers(0, 3).map(number) | st.sampled_from(["", "a"])
fields = st.dictionaries(st.sampled_from("abcd"), values, max_size=4)


def test_a_change_and_its_undoing_leave_nothing() -> None:
    draft = Draft(BASE).with_value("grade", "B")
    assert draft.changes == (FieldChange("grade", "A", "B"),)
    assert not draft.with_value("grade", "A").edits
    assert not draft.without("grade").edits


def test_null_empty_and_absent_are_three_things() -> None:
    draft = Draft(BASE).with_value("note", "").with_value("extra", None)
    assert draft.changes == (FieldChange("note", None, ""), FieldChange("extra", ABSENT, None))
    assert draft.value("extra") is None
    assert draft.value("missing") == ABSENT
    assert list(draft.fields) == ["id", "grade", "massKg", "note", "extra"]


def test_writing_a_number_otherwise_is_an_edit() -> None:
    assert Draft(BASE).with_value("massKg", number("1.5")).edits
    assert not Draft(BASE).with_value("massKg", number("1.50")).edits


def test_changes_come_in_the_order_of_the_record() -> None:
    draft = Draft(BASE).with_value("note", "x").with_value("new", "y").with_value("grade", "C")
    assert [change.name for change in draft.changes] == ["grade", "note", "new"]


def test_a_draft_is_never_changed_in_place() -> None:
    draft = Draft(BASE)
    draft.with_value("grade", "B")
    assert not draft.edits


def test_others_changing_the_same_field_is_a_conflict() -> None:
    draft = Draft(BASE).with_value("grade", "B")
    found = freshen(draft, Record({**BASE.fields, "grade": "C", "note": "moved"}))
    assert found.conflicts == ("grade",)
    assert found.moved == ("note",)
    assert found.draft.changes == (FieldChange("grade", "C", "B"),)


def test_others_making_the_same_change_is_none() -> None:
    draft = Draft(BASE).with_value("grade", "B")
    found = freshen(draft, Record({**BASE.fields, "grade": "B"}))
    assert found.conflicts == ()
    assert not found.draft.edits


def test_a_number_written_otherwise_has_not_moved() -> None:
    found = freshen(Draft(BASE).with_value("grade", "B"), Record({**BASE.fields, "massKg": number("1.5")}))
    assert found.moved == ()


def test_a_field_that_went_away_has_moved() -> None:
    gone = Record({name: value for name, value in BASE.fields.items() if name != "grade"})
    assert freshen(Draft(BASE), gone).moved == ("grade",)
    assert freshen(Draft(BASE).with_value("grade", "B"), gone).conflicts == ("grade",)


@given(fields, fields, fields)
def test_a_rebased_draft_says_the_same(base: dict[str, Json], edits: dict[str, Json], fresh: dict[str, Json]) -> None:
    draft = Draft(Record(base))
    for name, value in edits.items():
        draft = draft.with_value(name, value)
    found = freshen(draft, Record(fresh))
    for name, value in draft.edits.items():
        got = found.draft.value(name)
        assert not isinstance(got, Absent)
        assert same_json(got, value)
    assert set(found.conflicts) <= set(draft.edits)
    assert not set(found.moved) & set(draft.edits)


edits = st.lists(st.tuples(st.sampled_from("abcd"), values | st.just(ABSENT)), max_size=8)


@given(fields, edits)
def test_the_patch_makes_of_the_base_the_record_as_edited(
    base: dict[str, Json], steps: list[tuple[str, Json | Absent]]
) -> None:
    draft, wanted = Draft(Record(base)), dict(base)
    for name, value in steps:
        if isinstance(value, Absent):
            draft = draft.without(name)
            wanted.pop(name, None)
            wanted |= {name: base[name]} if name in base else {}
        else:
            draft = draft.with_value(name, value)
            wanted[name] = value
    patch = {change.name: change.new for change in draft.changes}
    assert {**base, **patch} == wanted == draft.fields
    # The least that does it: nothing that the base has already, and unset, null and "" never stand for each other.
    assert all(name not in base or base[name] != value for name, value in patch.items())
    for name in "abcd":
        assert draft.value(name) == wanted.get(name, ABSENT)


@given(fields, edits, fields)
def test_a_fresh_reading_is_merged_as_field_by_field_reckoning_says(
    base: dict[str, Json], steps: list[tuple[str, Json | Absent]], fresh: dict[str, Json]
) -> None:
    draft = Draft(Record(base))
    for name, value in steps:
        draft = draft.without(name) if isinstance(value, Absent) else draft.with_value(name, value)
    found = freshen(draft, Record(fresh))

    def same(left: Json | Absent, right: Json | Absent) -> bool:
        if isinstance(left, Absent) or isinstance(right, Absent):
            return left == right
        return same_json(left, right)

    conflicts, moved = set(), set()
    for name in {*base, *draft.edits}:
        before, theirs = base.get(name, ABSENT), fresh.get(name, ABSENT)
        if same(before, theirs):
            continue
        if name not in draft.edits:
            moved.add(name)
        elif not same(theirs, draft.edits[name]):
            conflicts.add(name)
    assert (set(found.conflicts), set(found.moved)) == (conflicts, moved)
    assert found.draft.fields == {**fresh, **draft.edits}


def test_what_was_sent_and_taken_is_an_edit_no_longer() -> None:
    sent = Draft(BASE).with_value("grade", "B").with_value("note", "x")
    now = Record({**BASE.fields, "grade": "B", "note": "x"})
    assert sent.sent(sent, now) == Draft(now)
    assert sent.sent(sent, None) == Draft(BASE)


def test_what_was_sent_and_not_taken_stays_an_edit_that_says_so() -> None:
    sent = Draft(BASE).with_value("grade", "B").with_value("note", "x")
    now = Record({**BASE.fields, "grade": "b", "note": "x"})
    left = sent.sent(sent, now, ("grade",))
    assert left == Draft(now, {"grade": "B"}, frozenset({"grade"}))
    assert left.changes == (FieldChange("grade", "b", "B", untaken=True),)


def test_what_was_typed_while_it_was_sent_is_a_change_of_its_own() -> None:
    sent = Draft(BASE).with_value("grade", "B").with_value("note", "x")
    now = Record({**BASE.fields, "grade": "b", "note": "x"})
    typed = sent.with_value("grade", "C").without("note").with_value("new", "y")
    assert typed.sent(sent, now, ("grade",)) == Draft(now, {"grade": "C", "note": None, "new": "y"})


def test_an_edit_typed_anew_taken_back_or_found_in_place_is_not_untaken() -> None:
    draft = Draft(BASE, {"grade": "B"}, frozenset({"grade"}))
    assert draft.with_value("note", "x").untaken == {"grade"}
    assert draft.with_value("grade", "C").untaken == frozenset()
    assert draft.without("grade").untaken == frozenset()
    assert draft.rebased(Record({**BASE.fields, "note": "moved"})).untaken == {"grade"}
    assert draft.rebased(Record({**BASE.fields, "grade": "B"})).untaken == frozenset()
