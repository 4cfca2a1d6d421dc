"""What the codec writes it reads back, and anything else it refuses with the sentence it was given."""

from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import Enum
from typing import TypeVar

import pytest
from msgspec import Struct

from svc_tui.core.jsontext import ABSENT, Absent, Json, loads, number
from svc_tui.storage.dataclass_codec import DataclassCodec, enum_by_name
from svc_tui.storage.errors import StoreError


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class Sample:
    name: str
    at: datetime
    count: int | None
    pairs: tuple[tuple[str, str], ...]
    colour: Colour
    value: Json | Absent
    beside: bytes
    note: str = ""


class StructSample(Struct, frozen=True):
    """The same fields as `Sample`."""

    name: str
    at: datetime
    count: int | None
    pairs: tuple[tuple[str, str], ...]
    colour: Colour
    value: Json | Absent
    beside: bytes
    note: str = ""


AnySample = TypeVar("AnySample", Sample, StructSample)


def make_codec(cls: type[AnySample]) -> DataclassCodec[AnySample]:
    return DataclassCodec(
        cls,
        "unreadable",
        names={"count": "number"},
        conversions={"colour": enum_by_name(Colour)},
        beside=("beside",),
        sparse=("note",),
    )


CODEC, STRUCT_CODEC = make_codec(Sample), make_codec(StructSample)
AT = datetime(2026, 11, 23, tzinfo=UTC)
WHOLE = Sample("a\x1b[31m\ud800", AT, 7, (("a", "b"), ("", "")), Colour.RED, {"x": [number("1.50")]}, b"raw", "n")
BARE = Sample("", AT, None, (), Colour.RED, ABSENT, b"")


@pytest.mark.parametrize("sample", [WHOLE, BARE], ids=["whole", "bare"])
def test_what_is_written_is_read_back(sample: Sample) -> None:
    text = CODEC.text(sample)

    assert text.isascii()
    assert CODEC.read_text(text, beside=sample.beside) == sample


@pytest.mark.parametrize("sample", [WHOLE, BARE], ids=["whole", "bare"])
def test_a_struct_is_written_like_a_dataclass(sample: Sample) -> None:
    struct = StructSample(**{field.name: getattr(sample, field.name) for field in fields(sample)})

    assert STRUCT_CODEC.text(struct) == CODEC.text(sample)
    assert STRUCT_CODEC.read_text(CODEC.text(sample), beside=sample.beside) == struct


def test_what_is_at_its_default_or_absent_is_left_out() -> None:
    assert CODEC.write(BARE).keys() == {"name", "at", "number", "pairs", "colour"}
    assert loads(CODEC.text(BARE, program="p")) == {**CODEC.write(BARE), "program": "p"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", None),
        ("name", number("1")),
        ("at", "yesterday"),
        ("number", "7"),
        ("number", number("1.5")),
        ("number", number("-1")),
        ("number", number("1" * 16)),
        ("pairs", ["ab"]),
        ("pairs", [["a", "b", "c"]]),
        ("pairs", {}),
        ("colour", "BLUE"),
        ("colour", number("1")),
        ("note", []),
    ],
)
def test_what_was_never_written_is_refused(name: str, value: Json) -> None:
    with pytest.raises(StoreError):
        CODEC.read({**CODEC.write(WHOLE), name: value}, beside=b"")


@pytest.mark.parametrize("name", ["name", "at", "number", "pairs", "colour"])
def test_what_is_missing_is_refused(name: str) -> None:
    fields = CODEC.write(WHOLE)
    del fields[name]

    with pytest.raises(StoreError, match="unreadable"):
        CODEC.read(fields, beside=b"")


def test_only_an_object_is_read() -> None:
    with pytest.raises(StoreError, match="unreadable"):
        CODEC.read([], beside=b"")
