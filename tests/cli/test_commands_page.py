"""The guide's page of commands has every command, and no option that a command has not."""

import re

from release.commands import SHARED, commands, options_of
from tests.guide_blocks import source

_ROW = re.compile(r"^\| `svc-tui ?([a-z ]*?)(?: ?\[?[A-Z]+\]?)*`((?:, `[a-z]+`)*) \| (.*) \|$", re.MULTILINE)
_PAGE = source("commands")


def rows() -> dict[str, str]:
    """Each command that has a row, and what the row says of it."""
    return {
        name: said
        for first, others, said in _ROW.findall(_PAGE)
        for name in (first, *(f"{first.split()[0]} {other}" for other in re.findall(r"[a-z]+", others)))
    }


def test_every_command_is_named_in_a_row_of_its_group() -> None:
    lines = [line for line in _PAGE.splitlines() if line.startswith("| `svc-tui")]
    # What a running sandbox can be told stands on the page about a service for tests.
    names = [words.split()[1:] for words, _ in commands() if not words.startswith("svc-tui sandbox ctl ")]
    for name in names:
        if name not in ([], ["browse"]):
            row = " ".join(line for line in lines if line.startswith(f"| `svc-tui {name[0]}"))
            assert re.search(rf"\b{name[-1]}\b", row), name


def test_every_option_in_a_row_is_one_of_its_command() -> None:
    known = {words.removeprefix("svc-tui").strip(): command for words, command in commands()}
    for name, said in rows().items():
        option_names = {
            option for code in re.findall(r"`([^`]+)`", said) for option in re.findall(r"^--?[a-z-]+", code)
        }
        command = known[name or "browse"]
        taken = {text for option in (*options_of(command), *SHARED.values()) for text in option.opts}
        assert option_names <= taken, (name, option_names - taken)
