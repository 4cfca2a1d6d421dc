"""Finding one's way in the indented text of a JSON value, without creating the value again.

The text is that of `jsontext.dumps(value, indent=2)`. A place is the offset of a character. The other end of a
bracket is on a line of its own, indented as far as the line that opens it.
"""

import re

from svc_tui.core.jsontext import Json, encode_json, loads

_INDENT = 2
_SPACES = re.compile(" *")
_MEMBER = re.compile(r' *("(?:[^"\\]|\\.)*"): ')
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def line_around(text: str, at: int) -> tuple[int, int]:
    """The start and the end of the line that holds `at`."""
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def opening_on(text: str, at: int) -> int | None:
    """The bracket that opens at the end of the line; None where none does."""
    _, end = line_around(text, at)
    # A text ends in a quotation mark, and something empty in its closing bracket.
    return end - 1 if end < len(text) and text[end - 1 : end] in ("{", "[") else None


def opening_around(text: str, at: int) -> int | None:
    """The bracket that opens what the line is in; a line that only closes something is in it."""
    start, end = line_around(text, at)
    depth = _depth(text, start) - (0 if text[start:end].lstrip()[:1] in ("}", "]") else _INDENT)
    if depth < 0:
        return None
    # The last line before that is indented so far opens it: all between are indented further.
    indent = "\n" + " " * depth
    starts = [text.rfind(indent + sign, 0, start) + 1 for sign in ('"', "{", "[")]
    opening = text.find("\n", max(starts)) - 1
    return opening if depth or max(starts) == 0 else None


def closing_of(text: str, opening: int) -> int:
    """The bracket that closes what opens at `opening`."""
    start = text.rfind("\n", 0, opening) + 1
    indent = "\n" + " " * _depth(text, start)
    return text.index(indent + {"{": "}", "[": "]"}[text[opening]], opening) + len(indent)


def value_on(text: str, at: int) -> Json:
    """The value that the line holds, begins or ends; raises JsonError where the text is not JSON."""
    start, end = line_around(text, at)
    if text[start:end].lstrip()[:1] in ("}", "]"):
        opening = opening_around(text, at)
        start, end = line_around(text, start if opening is None else opening)
    opening = opening_on(text, start)
    until = end if opening is None else closing_of(text, opening) + 1
    member = _MEMBER.match(text, start, end)
    return loads(text[member.end() if member else start : until].strip().removesuffix(","))


def path_on(text: str, at: int) -> str:
    """The JSONPath of the value that the line holds, begins or ends: `$.items[3].assay`."""
    start, end = line_around(text, at)
    if text[start:end].lstrip()[:1] in ("}", "]"):
        opening = opening_around(text, at)
        start, end = line_around(text, start if opening is None else opening)
    steps: list[str] = []
    while (around := opening_around(text, start)) is not None:
        member = _MEMBER.match(text, start, end)
        steps.append(member_step(str(loads(member[1]))) if member else f"[{_number_of(text, around, start)}]")
        start, end = line_around(text, around)
    return "$" + "".join(reversed(steps))


def member_step(name: str) -> str:
    """The step of a JSONPath to the member of that name: `.grade`, `['gold ppm']`."""
    if _PLAIN_NAME.fullmatch(name):
        return f".{name}"
    escaped = encode_json(name).decode()[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"['{escaped}']"


def _number_of(text: str, opening: int, start: int) -> int:
    """Which element, from 0, of the list that opens at `opening` begins on the line at `start`."""
    indent = "\n" + " " * _depth(text, start)
    lines = text.count(indent, opening, start)
    # The line itself is not counted: its line feed is, where the indentation was not yet.
    deeper = text.count(indent + " ", opening, start)
    closing = text.count(indent + "}", opening, start) + text.count(indent + "]", opening, start)
    return lines - deeper - closing


def _depth(text: str, start: int) -> int:
    spaces = _SPACES.match(text, start)
    return len(spaces[0]) if spaces else 0
