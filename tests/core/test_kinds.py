"""Kinds are told from names and values; nothing shown or parsed changes a value's meaning."""

import inspect
from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core import kinds
from svc_tui.core.field_entry import entry_of
from svc_tui.core.field_forms import FormLine
from svc_tui.core.jsontext import ABSENT, Absent, Json, Number, loads, number
from svc_tui.core.kinds import Kind, choices_seen, display_text, kind_of, kind_of_value, raw_text
from svc_tui.core.outline import group_of

NOON = "2026-11-20T12:00:00Z"

scalars = st.none() | st.booleans() | st.integers().map(number) | st.text()
values: st.SearchStrategy[Json] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)


@pytest.mark.parametrize("kind", Kind)
def test_each_kind_has_a_name_a_group_an_entry_and_a_look(kind: Kind) -> None:
    assert kind.value == kind.facts.name
    assert group_of("x", kind) is kind.facts.group
    assert FormLine("x", kind).hint == kind.facts.form_hint != ""
    assert entry_of(kind).kind is kind
    assert entry_of(kind).hint == kind.facts.editor_hint != ""
    assert display_text("x", kind).text == "x"


def test_a_kind_without_all_its_facts_can_not_be_defined() -> None:
    members, methods = inspect.getsource(Kind).split("    _value_: str")
    with pytest.raises(TypeError, match="Missing required argument 'group'"):
        exec(f'{members}    MONEY = KindFacts("money", "money")\n    _value_: str{methods}', {**vars(kinds)})


@pytest.mark.parametrize(
    ("name", "seen", "kind"),
    [
        ("id", ["lot-1"], Kind.ID),
        ("ID", [number(1)], Kind.ID),
        ("tunnelId", ["tunnel-1"], Kind.REFERENCE),
        ("tunnel_id", [number(7)], Kind.REFERENCE),
        ("tunnelId", [None], Kind.REFERENCE),
        ("lotIds", [["lot-1"]], Kind.LIST),
        ("massKg", [number("1.50"), None], Kind.NUMBER),
        ("createdAt", [NOON, None, ""], Kind.TIME),
        ("day", ["2026-11-20"], Kind.TIME),
        ("createdAt", ["2026-11-20 12:00"], Kind.TEXT),
        ("sealed", [True, False], Kind.FLAG),
        ("status", ["open", "in_transit"], Kind.CHOICE),
        ("status", ["open since the flood of March, see the note"], Kind.TEXT),
        ("colour", ["grey", "black"] * 8, Kind.CHOICE),
        ("name", [f"Miner {n}" for n in range(40)], Kind.TEXT),
        ("assay", [{"goldPpm": number("1.5")}], Kind.OBJECT),
        ("parts", [[]], Kind.LIST),
        ("note", [None], Kind.NULL),
        ("note", [], Kind.NULL),
        ("mixed", [number(1), "one"], Kind.TEXT),
    ],
)
def test_kinds_are_told(name: str, seen: list[Json], kind: Kind) -> None:
    assert kind_of(name, seen) is kind


@pytest.mark.parametrize(
    ("value", "kind", "text", "role"),
    [
        (None, Kind.TEXT, "∅", "muted"),
        ("", Kind.TEXT, '""', "muted"),
        (ABSENT, Kind.TEXT, "", "muted"),
        (True, Kind.FLAG, "✓", "ok"),
        (False, Kind.FLAG, "✗", "muted"),
        (number("1.50"), Kind.NUMBER, "1.50", "number"),
        (number("1e400"), Kind.NUMBER, "1e400", "number"),
        ({"a": None}, Kind.OBJECT, "{1}", "muted"),
        ([None, None], Kind.LIST, "[2]", "muted"),
        ([], Kind.LIST, "[]", "muted"),
        ({}, Kind.OBJECT, "{}", "muted"),
        ("open", Kind.CHOICE, "● open", "ok"),
        ("in_transit", Kind.CHOICE, "◐ in transit", "warning"),
        ("Closed", Kind.CHOICE, "✓ Closed", "muted"),
        ("REJECTED", Kind.CHOICE, "✕ REJECTED", "danger"),
        ("silver", Kind.CHOICE, "silver", "text"),
        ("A", Kind.CHOICE, "A", "text"),
        ("1,234,567", Kind.ID, "1,234,567", "text"),
        (number("1234567"), Kind.ID, "1234567", "text"),
        ("tunnel-1", Kind.REFERENCE, "tunnel-1", "reference"),
        ("2026-11-20T05:12:33.123456789Z", Kind.TIME, "2026-11-20 05:12", "time"),
        ("2026-11-20t05:12:33-02:00", Kind.TIME, "2026-11-20 07:12", "time"),
        ("2026-11-20", Kind.TIME, "2026-11-20", "time"),
        ("9999-12-31T23:59:59-10:00", Kind.TIME, "9999-12-31T23:59:59-10:00", "time"),
        ("2026-02-30T00:00:00Z", Kind.TIME, "2026-02-30T00:00:00Z", "time"),
    ],
)
def test_values_are_shown(value: Json, kind: Kind, text: str, role: str) -> None:
    shown = display_text(value, kind)
    assert (shown.text, shown.role) == (text, role)


@pytest.mark.parametrize(
    ("value", "text"), [(False, "✗ no"), (True, "✓ yes"), ([], "[] empty"), ({}, "{} empty"), ([1], "[1]")]
)
def test_a_record_says_in_words_what_a_sign_would_leave_open(value: Json, text: str) -> None:
    assert display_text(value, kind_of_value(value), words=True).text == text


def test_times_are_shown_where_the_reader_is() -> None:
    kathmandu = timezone(timedelta(hours=5, minutes=45))
    assert display_text(NOON, Kind.TIME, tz=kathmandu).text == "2026-11-20 17:45"


def test_a_time_has_its_zone_where_it_is_asked_for() -> None:
    cet = timezone(timedelta(hours=1), "CET")
    assert display_text(NOON, Kind.TIME, tz=cet, zone=True).text == "2026-11-20 13:00 CET"
    assert display_text("2026-11-20", Kind.TIME, tz=cet, zone=True).text == "2026-11-20"


@pytest.mark.parametrize(
    ("text", "hours", "shown"),
    [
        ("0001-01-01T00:30:00Z", 1, "0001-01-01 01:30"),
        ("0001-01-01T00:30:00Z", -1, "0001-01-01T00:30:00Z"),
        ("9999-12-31T23:30:00Z", 1, "9999-12-31T23:30:00Z"),
    ],
)
def test_the_ends_of_the_calendar_are_shown(text: str, hours: int, shown: str) -> None:
    assert display_text(text, Kind.TIME, tz=timezone(timedelta(hours=hours))).text == shown


def test_raw_values_are_as_they_came() -> None:
    came: list[tuple[Json | Absent, Kind]] = [
        (NOON, Kind.TIME), ("in_transit", Kind.CHOICE), (True, Kind.FLAG), (None, Kind.NULL), ("", Kind.TEXT),
        (Number("1.50"), Kind.NUMBER), ({"a": [Number("1.0")]}, Kind.OBJECT), (ABSENT, Kind.TEXT),
    ]  # fmt: skip
    shown = [raw_text(value, kind).text for value, kind in came]
    assert shown == [NOON, "in_transit", "true", "null", '""', "1.50", '{"a":[1.0]}', ""]


def test_a_reference_has_an_arrow_where_it_is_asked_for() -> None:
    assert display_text("tunnel-1", Kind.REFERENCE, arrow=True).text == "tunnel-1 →"


@given(values, st.sampled_from(Kind))
def test_anything_can_be_shown_as_any_kind(value: Json, kind: Kind) -> None:
    shown = display_text(value, kind)
    assert shown.role
    if isinstance(value, Number):
        assert value.text in shown.text, "a number keeps every digit"


def test_choices_come_most_frequent_first() -> None:
    seen = loads('["open", "closed", null, "", "closed", 3, "draft", "closed", "open"]')
    assert isinstance(seen, list)
    assert choices_seen(seen) == (("closed", 3), ("open", 2), ("draft", 1))
