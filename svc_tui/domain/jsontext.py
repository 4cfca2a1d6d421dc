"""JSON that gives back every number exactly as it came.

Python's `json` turns `1.50` into `1.5`, keeps the last of two equal names, accepts `NaN`, and fails on deep or
long input with errors of its own. Here a number keeps its text, and everything that is not plain JSON (RFC 8259)
is a `JsonError`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TypeAlias

MAX_DEPTH = 200
"""Objects and arrays inside each other; real records stay far below, and drawing stays safe."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_MAX_EXPONENT = 10_000


class JsonError(ValueError):
    """Text that is not JSON; `line` and `column` count from 1, 0 where the place is not known."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason, line, column)
        self.reason, self.line, self.column = reason, line, column

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}" if self.line else self.reason


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number by its text; two are equal when they are written the same."""

    text: str

    def __post_init__(self) -> None:
        if not _NUMBER.fullmatch(self.text):
            raise JsonError("not a number")

    def __str__(self) -> str:
        return self.text

    @property
    def decimal(self) -> Decimal | None:
        """The exact value; None where the exponent is too large to reckon with."""
        _, _, exponent = self.text.lower().partition("e")
        if exponent and (len(exponent) > 6 or abs(int(exponent)) > _MAX_EXPONENT):
            return None
        return Decimal(self.text)


Json: TypeAlias = bool | str | Number | Sequence["Json"] | Mapping[str, "Json"] | None
"""A JSON value as `loads` gives it: arrays are lists, objects are dicts, both to be left unchanged."""


def number(value: int | str) -> Number:
    """A number from an int or from its JSON text; raises JsonError for text that is not a JSON number."""
    return Number(str(value))


def loads(text: str | bytes) -> Json:
    """The value of a JSON text (bytes are UTF-8, a leading byte-order mark is dropped); raises JsonError."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise JsonError(f"not UTF-8 at byte {error.start}") from None
    text = text.removeprefix("\ufeff")
    try:
        value: Json = json.loads(
            text,
            parse_int=Number,
            parse_float=Number,
            parse_constant=_refuse_constant,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise JsonError(error.msg, error.lineno, error.colno) from None
    except RecursionError:
        raise JsonError(f"nested deeper than {MAX_DEPTH}") from None
    _check_depth(value)
    return value


def dumps(value: Json, *, indent: int | None = None, ascii_only: bool = False) -> str:
    """JSON text of `value`, numbers as they came; compact (`{"a":1}`) unless `indent` is given."""
    quote = encode_basestring_ascii if ascii_only else encode_basestring
    return "".join(_pieces(value, quote, indent, 0))


def encoded(value: Json) -> bytes:
    """The compact JSON text of `value` as UTF-8; half a character (a lone surrogate) leaves escaped, as it came."""
    # What Python writes for it, \udXXX, is JSON's own escape, and it can only stand inside a string.
    return dumps(value).encode("utf-8", "backslashreplace")


def plain(value: object) -> Json:
    """A value of Python's own (int, float, dict, list, str, bool, None) as Json; raises JsonError for others."""
    if value is None or isinstance(value, bool | str | Number):
        return value
    if isinstance(value, int | float):
        return Number(json.dumps(value))
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    raise JsonError(f"a {type(value).__name__} has no place in JSON")


def same_json(left: Json, right: Json) -> bool:
    """Whether two values mean the same: numbers by value (1.5 is 1.50), objects whatever their order."""
    if isinstance(left, Number) and isinstance(right, Number):
        if left == right:
            return True
        values = left.decimal, right.decimal
        return values[0] is not None and values[0] == values[1]
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same_json(left[name], right[name]) for name in left)
    if _is_array(left) and _is_array(right):
        return len(left) == len(right) and all(map(same_json, left, right))  # type: ignore[arg-type]
    return type(left) is type(right) and left == right


def _is_array(value: Json) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _refuse_constant(name: str) -> Json:
    raise JsonError(f"{name} is not JSON")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise JsonError(f"the name {json.dumps(twice[:40])} stands twice in one object")
    return made


def _check_depth(value: Json) -> None:
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH):
        below: list[Json] = []
        for item in level:
            if isinstance(item, Mapping):
                below.extend(v for v in item.values() if isinstance(v, dict | list))
            elif isinstance(item, list):
                below.extend(v for v in item if isinstance(v, dict | list))
        if not below:
            return
        level = below
    raise JsonError(f"nested deeper than {MAX_DEPTH}")


def _pieces(value: Json, quote: Callable[[str], str], indent: int | None, depth: int) -> Iterator[str]:
    if value is None:
        yield "null"
    elif value is True:
        yield "true"
    elif value is False:
        yield "false"
    elif isinstance(value, str):
        yield quote(value)
    elif isinstance(value, Number):
        yield value.text
    else:
        inner = "" if indent is None else "\n" + " " * (indent * (depth + 1))
        outer = "" if indent is None else "\n" + " " * (indent * depth)
        if isinstance(value, Mapping):
            opened, closed, colon = "{", "}", ":" if indent is None else ": "
            items = ((quote(name) + colon, item) for name, item in value.items())
        else:
            opened, closed = "[", "]"
            items = (("", item) for item in value)
        yield opened
        first = True
        for label, item in items:
            yield f"{'' if first else ','}{inner}{label}"
            yield from _pieces(item, quote, indent, depth + 1)
            first = False
        yield closed if first else outer + closed
