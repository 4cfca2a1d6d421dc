"""What the doctor's checks found, as lines for people and as a document for a script."""

import json
import os
import shutil
import textwrap
from collections.abc import Sequence

import click

from svc_tui.cli.output.stderr import one_line
from svc_tui.cli.output.stdout import can_encode, is_terminal
from svc_tui.connect.checks import CheckResult, CheckVerdict
from svc_tui.connect.diagnosis import CHECK_NAMES, overall_verdict

_MARKS = {CheckVerdict.PASSED: "✓", CheckVerdict.WARNING: "!", CheckVerdict.FAILED: "✗", CheckVerdict.SKIPPED: "–"}
_ASCII_MARKS = {
    CheckVerdict.PASSED: "+",
    CheckVerdict.WARNING: "!",
    CheckVerdict.FAILED: "x",
    CheckVerdict.SKIPPED: "-",
}
_COLORS = {
    CheckVerdict.PASSED: "green",
    CheckVerdict.WARNING: "yellow",
    CheckVerdict.FAILED: "red",
    CheckVerdict.SKIPPED: "bright_black",
}

_NAME_WIDTH = max(map(len, CHECK_NAMES))
_INDENT = " " * (2 + _NAME_WIDTH + 2)
_MIN_COLUMNS = 40
"""Columns of a terminal below which lines are left to break where they will."""


def check_lines(check: CheckResult) -> str:
    """Mark, name and what was found; below it what to do. A terminal gets them broken between words, and in colour."""
    marks = _MARKS if can_encode("".join(_MARKS.values())) else _ASCII_MARKS
    mark = marks[check.verdict]
    word = f"{check.verdict.value}: " if check.verdict in (CheckVerdict.WARNING, CheckVerdict.FAILED) else ""
    text = _wrapped(f"{word}{one_line(check.result)}")
    if _uses_color():
        mark = click.style(mark, fg=_COLORS[check.verdict])
        text = text.replace(word, click.style(word, fg=_COLORS[check.verdict]), 1) if word else text
    lines = f"{mark} {check.name:{_NAME_WIDTH}}  {text}"
    return f"{lines}\n{_INDENT}{_wrapped(one_line(check.advice))}" if check.advice else lines


def _wrapped(text: str) -> str:
    """The text in lines that stand beside the names; as it is where nobody looks."""
    columns = shutil.get_terminal_size().columns
    if not is_terminal() or columns < _MIN_COLUMNS:
        return text
    width = columns - len(_INDENT)
    return f"\n{_INDENT}".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


def _uses_color() -> bool:
    return is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def summary_line(checks: Sequence[CheckResult]) -> str:
    """How many checks failed and how many warn."""
    counts = {verdict: sum(check.verdict is verdict for check in checks) for verdict in CheckVerdict}
    words = (
        (counts[CheckVerdict.FAILED], "failed"),
        (counts[CheckVerdict.WARNING], "warned"),
        (counts[CheckVerdict.SKIPPED], "skipped"),
        (counts[CheckVerdict.PASSED], "passed"),
    )
    return ", ".join(f"{count} {word}" for count, word in words if count)


def json_document(checks: Sequence[CheckResult]) -> str:
    """The same for a script."""
    documents = [
        {
            "check": check.name,
            "verdict": check.verdict.value,
            "message": one_line(check.result),
            "advice": one_line(check.advice),
        }
        for check in checks
    ]
    return json.dumps({"overall": overall_verdict(checks).value, "checks": documents}, indent=2)
