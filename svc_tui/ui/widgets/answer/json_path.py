"""What a path finds in JSON: JSONPath (RFC 9535), jq's `.items[].id` too, every number compared by all its digits.

It is imported late: loading the library takes a tenth of a second.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from jsonpath import JSONPath, JSONPathEnvironment
from jsonpath.exceptions import JSONPathError
from jsonpath.filter import BaseExpression, FloatLiteral
from jsonpath.parse import Parser
from jsonpath.stream import TokenStream

from svc_tui.core.jsontext import MAX_DEPTH, Json, Number

_QUOTED_OR_BRACKETS = re.compile(r""""(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\[\]""", re.DOTALL)
"""Quoted text, or what jq writes for every element."""

_TOKEN_NAME = re.compile(r"'?\bTOKEN_([A-Z_]+)\b'?")


class PathError(ValueError):
    """A path that can't be understood: why, and at which column from 1."""

    def __init__(self, reason: str, column: int) -> None:
        super().__init__(reason, column)
        self.reason, self.column = reason, column

    def __str__(self) -> str:
        return f"column {self.column}: {self.reason}"


@dataclass(frozen=True, slots=True)
class PathMatches:
    """What was found: of a path that leads to one place at most the value there, else the list of all; their number."""

    value: Json
    count: int


def apply_path(value: Json, path: str) -> PathMatches:
    """What `path` finds in the value; raises PathError. It takes seconds for tens of megabytes."""
    translated, added = _translate_jq(path)
    try:
        query = _ENVIRONMENT.compile(translated)
        if not isinstance(value, (Mapping, Sequence)) or isinstance(value, str):
            # The library would read a text as JSON.
            raise PathError("the body is a single value, not an object or a list", 1)
        values = cast("list[Json]", query.findall(cast("dict[str, object]", value)))
    except JSONPathError as error:
        token = error.token
        place = len(path) if token is None or token.index < 0 else token.index
        column = 1 + place - sum(at < place for at in added)
        raise PathError(_readable_message(str(error.message)), column) from None
    except re.error:
        raise PathError("invalid regular expression", len(path) + 1) from None
    except RecursionError:
        raise PathError("the body is nested too deeply", 1) from None
    one = isinstance(query, JSONPath) and query.singular_query() and values
    return PathMatches(values[0] if one else values, len(values))


def _translate_jq(path: str) -> tuple[str, list[int]]:
    """The path with `[*]` for jq's `[]`, and where characters were added."""
    pieces: list[str] = []
    added: list[int] = []
    at = length = 0
    for piece in _QUOTED_OR_BRACKETS.finditer(path):
        taken = path[at : piece.start()] + (piece[0] if piece[0] != "[]" else "[*]")
        pieces.append(taken)
        length += len(taken)
        if piece[0] == "[]":
            added.append(length - 2)
        at = piece.end()
    return "".join((*pieces, path[at:])), added


_MISTAKES = {
    "expected a shorthand selector": "expected a name",
    "filter expression literals": "a filter must compare the value with something",
    "embedded query selectors": "a path in brackets must lead to one value",
    "non-singular query": "a path that is compared must lead to one value",
    "recursion limit": "the body is nested too deeply",
}
"""How messages of the library begin, and what users read instead; its others are plain."""

_ARGUMENT_TYPE = re.compile(r"must be of \w+Type")


def _readable_message(message: str) -> str:
    """The library's words, the names that it has for signs as people would say them."""
    plain = next((words for start, words in _MISTAKES.items() if message.startswith(start)), message)
    plain = _ARGUMENT_TYPE.sub("has the wrong type", plain)
    return _TOKEN_NAME.sub(lambda match: match[1].lower().replace("_", " "), plain)


class _ExactNumberParser(Parser):
    """Reads the numbers of a path as they are written."""

    def parse_integer_literal(self, stream: TokenStream) -> BaseExpression:
        """An integer of any length."""
        return self.parse_float_literal(stream)

    def parse_float_literal(self, stream: TokenStream) -> BaseExpression:
        """A number, exact; the library takes any kind that can be compared."""
        return FloatLiteral(value=cast("float", Decimal(stream.next().value)))


class _ExactJsonEnvironment(JSONPathEnvironment):
    """The library's settings: JSON's numbers are ours."""

    parser_class = _ExactNumberParser
    max_recursion_depth = MAX_DEPTH + 1

    def setup_function_extensions(self) -> None:
        """RFC 9535's functions and `startswith`; Python's type functions would not know our values."""
        super().setup_function_extensions()
        for name in ("isinstance", "is", "typeof", "type"):
            del self.function_extensions[name]

    def compare(self, left: object, operator: str, right: object) -> bool:
        """Compare by value, whatever digits a number is written with."""
        return super().compare(_to_decimals(left), operator, _to_decimals(right))


def _to_decimals(value: object) -> object:
    if isinstance(value, Number):
        return value if value.decimal is None else value.decimal
    if type(value) is list:
        return [_to_decimals(item) for item in value]
    if type(value) is dict:
        return {name: _to_decimals(item) for name, item in value.items()}
    return value


_ENVIRONMENT = _ExactJsonEnvironment()
