"""Dataclasses and Structs as JSON objects: written field by field, read back as the types of their fields allow."""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from enum import Enum
from functools import cached_property
from types import UnionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.jsontext import ABSENT, Absent, Json, Number, dumps, number
from svc_tui.storage.errors import StoreError
from svc_tui.storage.row_values import place_key, place_of, read_object, read_time

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = TypeVar("Value", bound="DataclassInstance | Struct")

_INTEGER = re.compile(r"[0-9]{1,15}")
_LATE_NAMES = {"Json": Json, "Mapping": Mapping}
"""Names in annotations that their modules import for types alone."""


class Conversion(Struct, frozen=True):
    """How values of one type are written as JSON, and read; `read` raises ValueError for anything else."""

    write: Callable[[Any], Json]
    read: Callable[[Json], Any]


class _StoredField(Struct, frozen=True):
    """A field: its name, what it is stored as, how, and what it holds where it was left out (MISSING: it never is)."""

    name: str
    stored_name: str
    conversion: Conversion
    left_out: object


class DataclassCodec(Generic[Value]):
    """Writes and reads values of one dataclass or Struct."""

    def __init__(
        self,
        cls: type[Value],
        unreadable: str,
        *,
        names: Mapping[str, str] | None = None,
        conversions: Mapping[str, Conversion] | None = None,
        beside: tuple[str, ...] = (),
        sparse: tuple[str, ...] = (),
    ) -> None:
        """Make it; a text that it can't read is the StoreError `unreadable`.

        `names` are those under which fields are stored, where they differ; `conversions` stand in for what a field's
        type says. Fields `beside` are kept elsewhere and handed to `read`; `sparse` ones are left out while they hold
        their default.
        """
        self._class, self._unreadable = cls, unreadable
        self._names, self._conversions = names or {}, conversions or {}
        self._beside, self._sparse = beside, sparse

    def text(self, value: Value, **more: Json) -> str:
        """The value as ASCII text, with `more` of the caller's own at its end."""
        return dumps({**self.write(value), **more}, ascii_only=True)

    def write(self, value: Value) -> dict[str, Json]:
        """The value as a JSON object."""
        stored: dict[str, Json] = {}
        for field in self._fields:
            held = getattr(value, field.name)
            if field.left_out is MISSING or held != field.left_out:
                stored[field.stored_name] = field.conversion.write(held)
        return stored

    def read_text(self, text: str | bytes, **beside: object) -> Value:
        """The value that `text` was made of; raises StoreError."""
        return self.read(read_object(text), **beside)

    def read(self, stored: Json, **beside: object) -> Value:
        """The value that `write` made this of; raises StoreError."""
        if not isinstance(stored, dict):
            raise StoreError(self._unreadable)
        held: dict[str, Any] = {}
        try:
            for field in self._fields:
                if field.stored_name in stored:
                    held[field.name] = field.conversion.read(stored[field.stored_name])
                elif field.left_out is MISSING:
                    raise StoreError(self._unreadable)
                else:
                    held[field.name] = field.left_out
        except ValueError:
            raise StoreError(self._unreadable) from None
        return self._class(**held, **beside)

    @cached_property
    def as_conversion(self) -> Conversion:
        """How a field of another codec's class holds such a value."""
        return Conversion(self.write, self.read)

    @cached_property
    def as_optional(self) -> Conversion:
        """How a field of another codec's class holds such a value, or None."""
        return _optional(self.as_conversion)

    @cached_property
    def _fields(self) -> tuple[_StoredField, ...]:
        hints = get_type_hints(self._class, localns=_LATE_NAMES)
        stored = []
        for name, default in _defaults(self._class).items():
            if name in self._beside:
                continue
            hint = hints[name]
            conversion = self._conversions.get(name) or _conversion(hint)
            left_out = default if name in self._sparse else ABSENT if Absent in get_args(hint) else MISSING
            stored.append(_StoredField(name, self._names.get(name, name), conversion, left_out))
        return tuple(stored)


def enum_by_name(cls: type[Enum]) -> Conversion:
    """Members under their names."""

    def read(stored: Json) -> Enum:
        if (name := _instance(stored, str)) not in cls.__members__:
            raise ValueError(name)
        return cls[name]

    return Conversion(lambda member: member.name, read)


def sequence_of(item: Conversion) -> Conversion:
    """A tuple of any length."""
    return Conversion(
        lambda values: [item.write(value) for value in values],
        lambda stored: tuple(item.read(value) for value in _instance(stored, list)),
    )


def _defaults(cls: type[Any]) -> dict[str, object]:
    """Return the default of each field by name, in the order of the fields; MISSING where there is none."""
    if not issubclass(cls, Struct):
        return {field.name: field.default for field in fields(cls)}
    names, defaults = cls.__struct_fields__, cls.__struct_defaults__
    # The defaults are those of the last fields; `msgspec.structs.fields` would need the names in `_LATE_NAMES`.
    required = len(names) - len(defaults)
    return {**dict.fromkeys(names[:required], MISSING), **dict(zip(names[required:], defaults, strict=True))}


def _conversion(hint: Any) -> Conversion:
    """How values of an annotation's type are written and read."""
    options = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        if Number in options:
            return _JSON
        (only,) = (option for option in options if option is not type(None))
        return _optional(_conversion(only))
    if get_origin(hint) is Mapping:
        return _OBJECT
    if get_origin(hint) is tuple:
        if options[-1] is Ellipsis:
            return sequence_of(_conversion(options[0]))
        return _fixed(tuple(map(_conversion, options)))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return Conversion(lambda member: member.value, hint)
    return _PLAIN[hint]


def _optional(inner: Conversion) -> Conversion:
    return Conversion(
        lambda value: None if value is None else inner.write(value),
        lambda stored: None if stored is None else inner.read(stored),
    )


def _fixed(items: tuple[Conversion, ...]) -> Conversion:
    """A tuple with a type for each place."""

    def read(stored: Json) -> tuple[object, ...]:
        return tuple(item.read(one) for item, one in zip(items, _instance(stored, list), strict=True))

    return Conversion(lambda values: [item.write(one) for item, one in zip(items, values, strict=True)], read)


Kept = TypeVar("Kept")


def _instance(stored: Json, cls: type[Kept]) -> Kept:
    if isinstance(stored, cls):
        return stored
    raise ValueError(stored)


def _read_integer(stored: Json) -> int:
    if isinstance(stored, Number) and _INTEGER.fullmatch(stored.text):
        return int(stored.text)
    raise ValueError(stored)


def _same(value: Any) -> Any:
    return value


_JSON = Conversion(_same, _same)
_OBJECT = Conversion(dict, lambda stored: _instance(stored, dict))
_PLAIN: Mapping[object, Conversion] = {
    str: Conversion(_same, lambda stored: _instance(stored, str)),
    bool: Conversion(_same, lambda stored: _instance(stored, bool)),
    int: Conversion(number, _read_integer),
    datetime: Conversion(datetime.isoformat, lambda stored: read_time(_instance(stored, str))),
    # As the place of a record without an id.
    Collection: Conversion(
        lambda collection: place_key(collection, ""), lambda stored: place_of(_instance(stored, str))[0]
    ),
}
