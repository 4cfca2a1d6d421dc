"""The position of a mistake in a JSON text, also where its reader names none."""

import re

from svc_tui.domain.model.jsontext import MAX_DEPTH, TOO_DEEP, Json, JsonError, loads

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|-?[A-Za-z][A-Za-z0-9]*|[^\s{}\[\]:,"]+', re.DOTALL)
_CONSTANTS = frozenset({"NaN", "Infinity", "-Infinity"})


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
        elif character in _CONSTANTS:
            return place
        elif at_name and (known := names[-1]) is not None:
            # Names are compared as they are read: "a" and "\u0061" are one.
            name = str(loads(character))
            if name in known and twice[-1] is None:
                twice[-1] = place
            known.add(name)
            at_name = False
    raise AssertionError("internal error in the JSON parser")
