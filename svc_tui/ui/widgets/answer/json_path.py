"""Applying a path to JSON: JSONPath (RFC 9535) and jq's `.items[].id`, with exact comparison of numbers.

Imported late: loading the library takes a tenth of a second.
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
"""Quoted text, or jq's `[]` for every element."""

_TOKEN_NAME = re.compile(r"'?\bTOKEN_([A-Z_]+)\b'?")


class PathError(ValueError):
    """An invalid path: the reason, and the column from 1."""

    def __init__(self, reason: str, column: int) -> None:
        super().__init__(reason, column)
        self.reason, self.column = reason, column

    def __str__(self) -> str:
        return f"column {self.column}: {self.reason}"


@dataclass(frozen=True, slots=True)
class PathMatches:
    """The matches of a path and their number; for a path to a single place the value itself, else a list."""

    value: Json
    count: int


def apply_path(value: Json, path: str) -> PathMatches:
    """Return the matches of `path` in the value; raises PathError. It takes seconds for tens of megabytes."""
    translated, added = _translate_jq(path)
    try:
        query = _ENVIRONMENT.compile(translated)
        if not isinstance(value, (Mapping, Sequence)) or isinstance(value, str):
            # The library would parse a text as JSON.
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
    """Return the path with `[*]` for jq's `[]`, and the indexes of added characters."""
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
"""The starts of the library's messages, and the words that replace them."""

_ARGUMENT_TYPE = re.compile(r"must be of \w+Type")


def _readable_message(message: str) -> str:
    """Return the library's message in plain words."""
    plain = next((words for start, words in _MISTAKES.items() if message.startswith(start)), message)
    plain = _ARGUMENT_TYPE.sub("has the wrong type", plain)
    return _TOKEN_NAME.sub(lambda match: match[1].lower().replace("_", " "), plain)


class _ExactNumberParser(Parser):
    """A parser that keeps the digits of numbers."""

    def parse_integer_literal(self, stream: TokenStream) -> BaseExpression:
        """Parse an integer of any length."""
        return self.parse_float_literal(stream)

    def parse_float_literal(self, stream: TokenStream) -> BaseExpression:
        """Parse a number exactly; the library accepts any comparable type."""
        return FloatLiteral(value=cast("float", Decimal(stream.next().value)))


class _ExactJsonEnvironment(JSONPathEnvironment):
    """The library's environment, with the project's numbers."""

    parser_class = _ExactNumberParser
    max_recursion_depth = MAX_DEPTH + 1

    def setup_function_extensions(self) -> None:
        """Keep RFC 9535's functions and `startswith`; Python's type functions don't know the project's values."""
        super().setup_function_extensions()
        for name in ("isinstance", "is", "typeof", "type"):
            del self.function_extensions[name]

    def compare(self, left: object, operator: str, right: object) -> bool:
        """Compare numbers by value, not by digits."""
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
