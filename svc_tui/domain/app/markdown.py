"""Text from outside in Markdown: on one line, between backticks or in a cell, never able to leave its place."""

import re


def inline_code(text: str) -> str:
    """A text between backticks, more of them than are in it."""
    text = one_line(text)
    ticks = _backticks(text, 1)
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{room}{text}{room}{ticks}" if text else ""


def code_cell(text: str) -> str:
    """A text as code in a cell of a table."""
    return inline_code(text).replace("|", "\\|")


def code_block(text: str, language: str) -> str:
    """A text in a block of code."""
    ticks = _backticks(text, 3)
    return f"{ticks}{language}\n{_UNPRINTABLE.sub('�', text)}\n{ticks}"


def one_line(text: str) -> str:
    """A text on one line, without control characters."""
    return _UNPRINTABLE.sub("�", " ".join(text.split()))


def _backticks(text: str, least: int) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(least, longest + 1)


_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
