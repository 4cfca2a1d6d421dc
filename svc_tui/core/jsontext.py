"""JSON that keeps the text of every number.

Python's `json` turns `1.50` into `1.5`, keeps the last of two equal names, accepts `NaN`, and fails on deep or
long input with errors of its own. Here a number keeps its text, and everything that is not plain JSON (RFC 8259)
is a `JsonError`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, TypeAlias

from msgspec import Struct


class Absent(Struct, frozen=True):
    """The old or new value of a field that a record does not have; null and "" are values."""


ABSENT = Absent()


MAX_DEPTH = 200
"""Objects and arrays inside each other; real records stay far below, and drawing stays safe."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_MAX_EXPONENT = 10_000
_CHUNK_SIZE = 10_000
"""How many pieces or values are joined or freed in one step."""
_COMMANDS = re.compile("[\x7f-\x9f\ud800-\udfff]")
TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
"""The reason of a `JsonError` for what is deeper than `MAX_DEPTH`."""


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
        """The exact value; None where the exponent is too large to compute with."""
        _, _, exponent = self.text.lower().partition("e")
        digits = exponent.lstrip("+-0")
        if len(digits) > 5 or int(digits or "0") > _MAX_EXPONENT:
            return None
        return Decimal(self.text)


Json: TypeAlias = bool | str | Number | Sequence["Json"] | Mapping[str, "Json"] | None
"""A JSON value as `loads` gives it: arrays are lists, objects are dicts, both to be left unchanged."""


def number(value: int | str) -> Number:
    """A number from an int or from its JSON text; raises JsonError for text that is not a JSON number."""
    return Number(str(value))


class RepeatedNames(dict[str, "Json"]):
    """An object with a name that stood twice: its second value is under `grade (2)`; `repeated` holds such names."""

    repeated: tuple[str, ...] = ()


def repeated_names(value: Json) -> tuple[str, ...]:
    """The names that stand twice in one object, anywhere in the value."""
    if isinstance(value, Mapping):
        own = value.repeated if isinstance(value, RepeatedNames) else ()
        return (*own, *(name for inner in value.values() for name in repeated_names(inner)))
    return tuple(name for inner in value for name in repeated_names(inner)) if _is_array(value) else ()  # type: ignore[union-attr]


def loads(text: str | bytes, *, keep_repeated: bool = False) -> Json:
    """The value of a JSON text (bytes are UTF-8, a leading byte-order mark is dropped); raises JsonError.

    `keep_repeated` takes an object in which a name stands twice as `RepeatedNames`, which else is an error.
    """
    value = _read(text, _LENIENT_DECODER if keep_repeated else _DECODER)
    if isinstance(value, JsonError):
        # Raised out here, it does not bring along Python's own error, which holds the whole text.
        raise value
    return value


def _read(text: str | bytes, decoder: json.JSONDecoder) -> Json | JsonError:
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            return JsonError(f"not UTF-8 text (byte {error.start + 1:,})")
    try:
        value: Json = decoder.decode(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        return JsonError(_describe_mistake(error), error.lineno, error.colno)
    except JsonError as error:
        return JsonError(error.reason)
    except RecursionError:
        return JsonError(TOO_DEEP)
    return JsonError(TOO_DEEP) if _is_too_deep(value) else value


_MISTAKES = {
    "Expecting property name": "a property name in double quotes is expected",
    "Expecting ':'": "a colon is missing after the property name",
    "Expecting ','": "a comma or a closing bracket is missing",
    "Illegal trailing comma": "the comma before the closing bracket is not allowed",
    "Extra data": "unexpected text after the value",
    "Unterminated string": "the closing quote of a text is missing",
    "Invalid control character": r"a line break in a text must be written as \n",
    "Invalid \\uXXXX escape": r"\u needs four hexadecimal digits",
    "Invalid \\escape": r"a backslash in a text must be written as \\",
}
"""How the messages of `json.JSONDecodeError` begin (Python 3.11 to 3.14), and what users read instead."""


def _describe_mistake(error: json.JSONDecodeError) -> str:
    """Return the reason for a user, without Python's words."""
    before, after = error.doc[: error.pos].rstrip(), error.doc[error.pos :].strip()
    if not after and not error.msg.startswith("Unterminated"):
        return "the text ends too early" if before else "there is no value"
    if before.endswith(",") and after[:1] in ("}", "]"):
        return "the comma before the closing bracket is not allowed"
    return next((words for message, words in _MISTAKES.items() if error.msg.startswith(message)), "a value is expected")


def dumps(value: Json, *, indent: int | None = None, ascii_only: bool = False) -> str:
    """JSON text of `value`, numbers as they came; compact (`{"a":1}`) unless `indent` is given."""
    quote = encode_basestring_ascii if ascii_only else encode_basestring
    pieces: list[str] = []
    if indent is None:
        _write_compact(value, pieces.append, quote)
    else:
        _write(value, pieces.append, quote, indent, 0)
    return "".join(pieces)


def dumps_in_steps(value: Json, *, indent: int) -> str:
    """The same for a value of any size, in a thread: millions of pieces joined at once would stop all others."""
    joined: list[str] = []
    pieces: list[str] = []

    def put(piece: str) -> None:
        pieces.append(piece)
        if len(pieces) == _CHUNK_SIZE:
            joined.append("".join(pieces))
            pieces.clear()

    _write(value, put, encode_basestring, indent, 0)
    return "".join((*joined, *pieces))


def release_in_steps(value: Json) -> None:
    """Take apart a value that nobody needs any more, in steps.

    Python frees what is dropped at one go, and no other thread does anything while it frees millions of objects.
    """
    if isinstance(value, dict):
        for inner in value.values():
            release_in_steps(inner)
        value.clear()
    elif isinstance(value, list):
        while value:
            for inner in value[-_CHUNK_SIZE:]:
                if isinstance(inner, list) and len(inner) > _CHUNK_SIZE:
                    release_in_steps(inner)
            del value[-_CHUNK_SIZE:]


def encode_json(value: Json) -> bytes:
    """The compact JSON text of `value` as UTF-8; a lone surrogate is escaped, as it was received."""
    # What Python writes for it, \udXXX, is JSON's own escape, and it can only stand inside a string.
    return dumps(value).encode("utf-8", "backslashreplace")


def escape_control_characters(text: str) -> str:
    """The same JSON text with those characters escaped that a clipboard or a terminal would not take as text.

    Those below a space are escaped already, wherever JSON lets them stand in a string.
    """
    return _COMMANDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def to_plain(value: object) -> Json:
    """A value of Python's own (int, float, dict, list, str, bool, None) as Json; raises JsonError for others."""
    if value is None or isinstance(value, bool | str | Number):
        return value
    if isinstance(value, int | float):
        return Number(json.dumps(value))
    if isinstance(value, Mapping):
        return {str(name): to_plain(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [to_plain(item) for item in value]
    raise JsonError("a value of this kind can't be written as JSON")


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
    raise JsonError(f"{name} is not a JSON value")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    parsed = dict(pairs)
    if len(parsed) != len(pairs):
        names: set[str] = set()
        for name, _ in pairs:
            if name in names:
                raise JsonError(f"an object has the property {json.dumps(name[:40])} more than once")
            names.add(name)
    return parsed


def _object_keeping_all(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    parsed = dict(pairs)
    if len(parsed) == len(pairs):
        return parsed
    given = {name for name, _ in pairs}
    kept, repeated, times = RepeatedNames(), [], Counter[str]()
    for name, value in pairs:
        times[name] += 1
        if name not in kept:
            kept[name] = value
            continue
        repeated.append(name)
        number = times[name]
        while (label := f"{name} ({number})") in given or label in kept:
            number += 1
        kept[label] = value
    kept.repeated = tuple(dict.fromkeys(repeated))
    return kept


# A frozen dataclass is filled past its own refusal: a page holds a thousand numbers.
_new_number: Callable[[type[Number]], Number] = Number.__new__
_set_text: Callable[[Number, str], None] = vars(Number)["text"].__set__


def _scan(text: str) -> Number:
    """A number whose text the decoder has already found to be one: it is not looked at again."""
    parsed = _new_number(Number)
    _set_text(parsed, text)
    return parsed


_DECODER = json.JSONDecoder(
    parse_int=_scan, parse_float=_scan, parse_constant=_refuse_constant, object_pairs_hook=_object
)


_LENIENT_DECODER = json.JSONDecoder(
    parse_int=_scan, parse_float=_scan, parse_constant=_refuse_constant, object_pairs_hook=_object_keeping_all
)


_CONTAINERS = frozenset({dict, list, RepeatedNames})
"""What the decoders make of objects and arrays, and nothing like them: looking a type up is quicker than asking."""


def _is_too_deep(value: Json) -> bool:
    level: list[Any] = [value] if type(value) in _CONTAINERS else []
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer if type(outer) is list else outer.values())
            if type(inner) in _CONTAINERS
        ]
        if not level:
            return False
    return True


_CONSTANTS = {None: "null", True: "true", False: "false"}


def _write_compact(value: Any, put: Callable[[str], object], quote: Callable[[str], str]) -> None:
    """What `_write` writes without an indent, for the types that the decoders make; it is left the others."""
    kind = type(value)
    if kind is dict:
        before = "{"
        for name, item in value.items():
            kind = type(item)
            # Most of what records hold is written here, without a call and a piece of its own.
            if kind is str:
                put(f"{before}{quote(name)}:{quote(item)}")
            elif kind is Number:
                put(f"{before}{quote(name)}:{item.text}")
            elif item is None or kind is bool:
                put(f"{before}{quote(name)}:{_CONSTANTS[item]}")
            else:
                put(f"{before}{quote(name)}:")
                _write_compact(item, put, quote)
            before = ","
        put("}" if value else "{}")
    elif kind is list:
        before = "["
        for item in value:
            put(before)
            _write_compact(item, put, quote)
            before = ","
        put("]" if value else "[]")
    else:
        _write(value, put, quote, None, 0)


def _write(
    value: Json, put: Callable[[str], object], quote: Callable[[str], str], indent: int | None, depth: int
) -> None:
    if value is None or isinstance(value, bool):
        put(_CONSTANTS[value])
    elif isinstance(value, str):
        put(quote(value))
    elif isinstance(value, Number):
        put(value.text)
    else:
        inner = "" if indent is None else "\n" + " " * (indent * (depth + 1))
        outer = "" if indent is None else "\n" + " " * (indent * depth)
        if isinstance(value, Mapping):
            opened, closed, colon = "{", "}", ":" if indent is None else ": "
            items = ((quote(name) + colon, item) for name, item in value.items())
        else:
            opened, closed = "[", "]"
            items = (("", item) for item in value)
        put(opened)
        first = True
        for label, item in items:
            put(f"{'' if first else ','}{inner}{label}")
            _write(item, put, quote, indent, depth + 1)
            first = False
        put(closed if first else outer + closed)


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|-?[A-Za-z][A-Za-z0-9]*|[^\s{}\[\]:,"]+', re.DOTALL)
_NOT_VALUES = frozenset({"NaN", "Infinity", "-Infinity"})


def check_document(text: str) -> Json:
    """The value of a JSON text; raises JsonError, always with line and column."""
    try:
        return loads(text)
    except JsonError as error:
        if error.line:
            raise
        reason = error.reason
    place = _depth_error(text) if reason == TOO_DEEP else _refusal_of(text)
    raise JsonError(reason, text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place))


def _depth_error(text: str) -> int:
    """The position of the first object or list that is nested too deep."""
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += (token[0] in "{[") - (token[0] in "}]")
        if depth > MAX_DEPTH:
            break
    return token.start()


def _refusal_of(text: str) -> int:
    """The position of the first word that is no value, or of the first name that its object has twice."""
    names: list[set[str] | None] = []
    """The names so far of each object that is open; None for a list."""
    twice: list[int | None] = []
    at_name = False
    for token in _TOKEN.finditer(text):
        character, place = token[0], token.start()
        if character in "{[":
            names.append(set() if character == "{" else None)
            twice.append(None)
            at_name = character == "{"
        elif character in "}]":
            names.pop()
            # Objects are judged as they end, the inner ones first.
            if (second := twice.pop()) is not None:
                return second
            at_name = False
        elif character == ",":
            at_name = names[-1] is not None
        elif character in _NOT_VALUES:
            return place
        elif at_name and (known := names[-1]) is not None:
            # Names are compared as they are read: "a" and "\u0061" are one.
            name = str(loads(character))
            if name in known and twice[-1] is None:
                twice[-1] = place
            known.add(name)
            at_name = False
    raise AssertionError("internal error in the JSON parser")
