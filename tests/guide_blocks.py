"""What stands in the guide to be typed: the blocks of a page, and the commands of this program in them."""

import re
import shlex
from collections.abc import Iterator

from svc_tui.ui.help.guide_pages import page_named, text_of

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"svc-tui [^\n`|&>;#]+")


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in one language, in order."""
    return [text for name, text in _FENCE.findall(text_of(page_named(page))) if name == language]


def block(page: str, language: str, begins: str) -> str:
    """The one block that begins so."""
    [found] = [text for text in blocks(page, language) if text.startswith(begins)]
    return found


def inline_code(page: str) -> list[str]:
    """What stands between backticks outside the blocks."""
    return re.findall(r"`([^`\n]+)`", _FENCE.sub("", text_of(page_named(page))))


def commands(page: str) -> list[list[str]]:
    """The words of each command of this program, in blocks and between backticks."""
    places = [text for language in ("sh", "yaml") for text in blocks(page, language)] + inline_code(page)
    return [shlex.split(found) for text in places for found in _COMMAND.findall(text)]


def steps(yaml: str) -> Iterator[str]:
    """The commands of a pipeline as it stands in the guide: its `run` and `script` entries, in order."""
    lines = yaml.splitlines()
    for number, line in enumerate(lines):
        if line.strip() in ("script:", "run: |"):
            column = len(line) - len(line.lstrip(" -"))
            rest = lines[number + 1 :]
            end = next((n for n, later in enumerate(rest) if _column(later) <= column), len(rest))
            inner = [later.strip().removeprefix("- ") for later in rest[:end]]
            if line.strip() == "run: |":
                yield "\n".join(inner)
            else:
                yield from inner
        elif found := re.match(r" *(?:- )?run: (.+)", line):
            yield found[1]


def variables(yaml: str) -> dict[str, str]:
    """The `SVC_…` variables that a pipeline of the guide sets."""
    return dict(re.findall(r"^ +(SVC_\w+): (\S+)$", yaml, re.MULTILINE))


def _column(line: str) -> int:
    return len(line) - len(line.lstrip())
