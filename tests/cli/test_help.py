"""What `--help` shows of every command: lines that fit, sentences, defaults, and examples that the program takes."""

import re
from pathlib import Path

import click
import pytest

from release.commands import SHARED, commands, options_of
from svc_tui.bootstrap.start import Options
from svc_tui.cli.help_layout import SHARED_HEADING
from svc_tui.cli.main import COMMAND_SECTIONS, COMMANDS
from tests.cli.conftest import Run
from tests.help_examples import Example, examples

EVERY = dict(commands())
OPTIONS = [
    pytest.param(option, id=f"{words} {option.opts[0]}")
    for words, command in EVERY.items()
    for option in (*options_of(command), *(SHARED.values() if words == "svc-tui" else ()))
]


def help_of(run: Run, words: str) -> str:
    """The help of a command on a terminal of 80 columns."""
    ran = run(*words.split()[1:], "--help")
    assert (ran.status, ran.err) == (0, "")
    return ran.out.decode()


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("words", EVERY)
def test_every_line_fits_and_every_command_of_a_list_is_told_of_whole(run: Run, words: str) -> None:
    lines = help_of(run, words).splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line.endswith("...") and not line.startswith("Usage:")]


@pytest.mark.parametrize("words", EVERY)
def test_every_command_shows_an_example_of_itself(run: Run, words: str) -> None:
    shown = help_of(run, words)
    # The browser needs no name.
    words = words.removesuffix(" browse")
    assert re.search(rf"^    (?:eval .*)?{words}\b", shown.partition("Examples:\n")[2], re.MULTILINE)


@pytest.mark.parametrize("words", [words for words in EVERY if words != "svc-tui sandbox ctl"])
def test_what_every_command_takes_stands_apart(run: Run, words: str) -> None:
    own, _, shared = help_of(run, words).partition(f"{SHARED_HEADING}:\n")
    for option in SHARED.values():
        assert f"  {option.opts[0]}" in shared
        assert f"\n  {option.opts[0]} " not in own


def test_the_commands_stand_under_a_heading_each_once(run: Run) -> None:
    assert sorted(name for names in COMMAND_SECTIONS.values() for name in names) == sorted(COMMANDS)
    shown = help_of(run, "svc-tui")
    for heading, names in COMMAND_SECTIONS.items():
        section = shown.partition(f"{heading}:\n")[2].partition("\n\n")[0]
        assert tuple(line.split()[0] for line in section.splitlines()) == names


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_is_told_of_in_sentences_with_its_default(option: click.Option) -> None:
    told = option.help or ""
    assert re.fullmatch(r"[A-Z].*\.", told)
    if not (option.is_flag or option.multiple or option.to_info_dict()["default"] in (None, "")):
        assert option.show_default or "Default" in told


def test_the_level_of_the_log_is_the_one_that_help_tells() -> None:
    option = SHARED["log_level"]
    assert isinstance(option, click.Option)
    assert f"Default: {Options().log_level}." in str(option.help)


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.line)
def test_the_program_takes_every_example(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openapi.json").touch()
    # It raises where the words are wrong.
    example.parse()
