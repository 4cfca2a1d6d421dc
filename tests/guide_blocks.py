"""What readers can type from the guide and the README: code blocks, commands, console lines, steps."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from svc_tui.ui.help.guide_pages import page_named, text_of

README = "README"
"""Stands for the README, among the names of the guide's pages."""

_TREE = Path(__file__).parents[1]

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FENCE_OR_CODE = re.compile(r"^```(\w+)\n(.*?)^```$|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"svc-tui [^\n`|&>;#]+")
_STEP = re.compile(r"^\d+\. (.*(?:\n   \S.*)*)$", re.MULTILINE)
_PRESSED_OR_SEEN = re.compile(r"`([^`]+)`|\*([^*]+)\*")
_KEY = re.compile(r".|(?:ctrl|shift|alt)\+\S+|f\d+|enter|escape|tab|space|backspace|delete|up|down|left|right")


def source(page: str) -> str:
    """A page of the guide, or the README, as Markdown."""
    return (_TREE / "README.md").read_text(encoding="utf-8") if page == README else text_of(page_named(page))


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in one language, in order."""
    return [text for name, text in _FENCE.findall(source(page)) if name == language]


def block(page: str, language: str, begins: str) -> str:
    """The one block that begins so."""
    [found] = [text for text in blocks(page, language) if text.startswith(begins)]
    return found


def inline_code(page: str) -> list[str]:
    """What stands between backticks outside the blocks."""
    return [found.replace("\\|", "|") for found in re.findall(r"`([^`\n]+)`", _FENCE.sub("", source(page)))]


def shown_lines(page: str, *, inline: bool = True) -> list[str]:
    """The lines of shell blocks and, `inline`, what stands between backticks, in the order of the page."""
    found: list[str] = []
    for language, text, code in _FENCE_OR_CODE.findall(source(page)):
        found += text.splitlines() if language == "sh" else [code.replace("\\|", "|")] if code and inline else []
    return found


def commands(page: str) -> list[list[str]]:
    """The words of each command of this program, in blocks and between backticks."""
    places = [text for language in ("sh", "yaml") for text in blocks(page, language)] + inline_code(page)
    return [shlex.split(found) for text in places for found in _COMMAND.findall(text)]


@dataclass(frozen=True, slots=True)
class Step:
    """One numbered step of a task: a tuple is a key to be pressed, a text is typed; `seen` is on the screen then."""

    keys: tuple[tuple[str] | str, ...]
    seen: tuple[str, ...]


def steps_of(page: str) -> list[Step]:
    """The numbered steps of a page: what stands between backticks is pressed or typed, what is italic is seen."""
    found = []
    for text in _STEP.findall(_FENCE.sub("", source(page))):
        parts = [(keys, " ".join(words.split())) for keys, words in _PRESSED_OR_SEEN.findall(text)]
        pressed = ((_textual_key(keys),) if _KEY.fullmatch(keys) else keys for keys, _ in parts if keys)
        found.append(Step(tuple(pressed), tuple(words for _, words in parts if words)))
    return found


def _textual_key(key: str) -> str:
    return {":": "colon", "/": "slash", "[": "left_square_bracket"}.get(key, key)


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
