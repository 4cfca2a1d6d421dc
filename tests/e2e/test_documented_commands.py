"""Every command that README and guide show is run as it stands there: in a shell, or on a terminal where it draws."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.ui.help.guide_pages import PAGES
from tests.command_words import find_command, parse_words
from tests.e2e import steps
from tests.e2e.packages import PROJECT
from tests.guide_blocks import README, block, shown_lines
from tests.terminal import PATIENCE, PROGRAM, quiet_environment, terminal

pytestmark = [
    pytest.mark.terminal,
    pytest.mark.skipif(not all(map(shutil.which, ("bash", "jq"))), reason="bash or jq is not here"),
]

ELSEWHERE = ("testing", "testing-reference", "team")
"""Pages whose commands are run by test_testing_guide and test_team_guide."""

TABLE = "commands"
"""The page with a table of the names of all commands, which shows only its blocks to be typed."""

PORT = "8765"
"""The port on the pages; a test takes one that is free."""

SCREENS, SERVICES, QUESTIONS = {"browse", "demo"}, {"sandbox"}, {"profiles add", "profiles rotate", "index drop"}
"""Commands that draw on a terminal, that run on until they are told to end, and that ask somebody."""

STATUS = {"plan": 4, "apply --resume": 2}
"""Exit statuses other than 0: there are changes; what was carried out whole is not carried out again."""

_COMMAND = re.compile(r"""^svc-tui(?: (?:'[^']*'|"[^"]*"|[^|&>'"])+)?""")
_PLACEHOLDER = re.compile(r"\b(NAME|FILE|VALUE|WORDS|QUERY|SELECT …|COLLECTION|PLAN|METHOD|SHELL|COMMAND)\b|…|\[")
_ONLY_NAMED = {("request",), ("profiles",)}
"""Commands that say no more than what they would take, where nothing comes after their names."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A command on a page, whole: the line that it stands in, its words, and its name."""

    page: str
    line: str
    words: tuple[str, ...]
    name: str


def name_of(words: list[str]) -> str | None:
    """The command that the words are, whole and right; None for one that is only named."""
    names, command, rest = find_command(words)
    if "--help" in rest:
        return "help"
    try:
        parse_words(names, command, rest)
    except click.UsageError:
        return None
    return " ".join(names)


def shown_on(page: str) -> Iterator[Shown]:
    """The commands of a page that can be run as they stand, in order."""
    for line in shown_lines(page, inline=page != TABLE):
        if (found := _COMMAND.match(re.sub(r"\s+#.*", "", line))) is None or _PLACEHOLDER.search(line):
            continue
        words = shlex.split(found[0])[1:]
        if tuple(words) not in _ONLY_NAMED and (name := name_of(words)):
            yield Shown(page, line, tuple(words), name)


SHOWN = [
    command for page in (README, *(page.name for page in PAGES)) if page not in ELSEWHERE for command in shown_on(page)
]
DRAWN = {c.words: c for c in SHOWN if c.name in SCREENS and "--reader" not in c.words}
IN_A_SHELL = [c for c in SHOWN if c.words not in DRAWN and c.name not in SERVICES | QUESTIONS]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home, and programs to be found first: this one, which notes what it was told and how it ended."""
    (tmp_path / "bin").mkdir()
    tool = tmp_path / "bin" / "svc-tui"
    run = f'"{sys.executable}" -m svc_tui "$@"'
    # What runs on is the process that the shell knows, to be ended by it.
    tool.write_text(
        f'#!/bin/sh\nexport PYTHONPATH="{PROJECT}"\ncase "$1 $2" in "sandbox --"*) exec {run};; esac\n'
        f"{run}\nstatus=$?\n"
        f'printf "%s\\n" "$status" "$@" "" >> "{tmp_path}/ran"\nexit $status\n',
        encoding="utf-8",
    )
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def ran(home: Path) -> list[tuple[int, tuple[str, ...]]]:
    """How each command ended, in order."""
    runs = [run.split("\n") for run in (home / "ran").read_text(encoding="utf-8").removesuffix("\n\n").split("\n\n")]
    return [(int(status), tuple(words)) for status, *words in runs]


def lines_of(page: str) -> list[str]:
    """The lines of a page for a shell; an export that is to be edited is followed by the edit."""
    lines = list(dict.fromkeys(c.line for c in IN_A_SHELL if c.page == page))
    return [text for line in lines for text in ([line, _EDIT] if "--for-edit" in line else [line])]


_EDIT = f"""{shlex.quote(sys.executable)} -c '
import csv
rows = list(csv.DictReader(open("grades.csv", encoding="utf-8-sig")))
rows[0]["grade"] = "1.25"
with open("grades.csv", "w", newline="") as file:
    table = csv.DictWriter(file, rows[0])
    table.writeheader()
    table.writerows(rows)
'"""


@pytest.mark.parametrize("page", dict.fromkeys(c.page for c in IN_A_SHELL))
def test_the_commands_of_a_page_do_what_they_are_shown_for(page: str, home: Path) -> None:
    start, practice = block("commands", "sh", "export SVC_SANDBOX_TOKEN"), block("commands", "sh", "svc-tui doctor")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    small = start.replace("svc-tui sandbox --port", "svc-tui sandbox --records 100 --port").replace(PORT, port)
    script = [small, "trap 'kill %1; wait' EXIT", practice if page != "commands" else "", *lines_of(page)]
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=home,
        env=quiet_environment(home) | {"PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE * 3,
        check=False,
    )
    runs = ran(home)
    for command in (c for c in IN_A_SHELL if c.page == page):
        status = [status for status, words in runs if words == command.words]
        resumed = " --resume" if "--resume" in command.words else ""
        assert status, f"{command} was not run:\n{done.stderr}"
        assert status[-1] == STATUS.get(command.name + resumed, 0), f"{command}:\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("words", DRAWN, ids=" ".join)
def test_a_command_that_draws_begins_and_ends(words: tuple[str, ...], home: Path, service: RunningService) -> None:
    (home / "grades.csv").write_text("id,grade\nlot-000001,1.25\n")
    profiles = home / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True)
    (profiles / "work.toml").write_text(
        f'api_key = {{ env = "SVC_API_KEY" }}\nsandbox_base_url = "{service.base_url}"\n'
    )
    environment = quiet_environment(home, **steps.connection(service, "sandbox"))
    with terminal(words, environment, directory=home) as user:
        user.sees(
            r"row 2 .*1\.25|lot-000001" if "--corrections" in words else r"(SANDBOX|LIVE) +\w+ · 127\.0\.0\.1:\d+"
        )
        user.sees("lot-000001")
        user.press("ctrl+q")
        assert user.ends() == 0


def test_the_sandbox_says_where_it_is(home: Path) -> None:
    assert any(c.words == ("sandbox",) for c in SHOWN)
    with subprocess.Popen(
        [*PROGRAM, "sandbox"], env=quiet_environment(home), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        assert running.stdout is not None
        assert json.loads(running.stdout.readline())["base_url"].startswith("http://127.0.0.1:")
        running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE) == 0


def test_a_profile_is_added_and_used_as_the_page_about_setting_up_says(home: Path, service: RunningService) -> None:
    add, use = block("setup", "sh", "svc-tui profiles add").splitlines()
    environment = quiet_environment(home, PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring")
    with terminal(shlex.split(add)[1:], environment) as user:
        for question, answer in (
            (r"API key for work", service.key("sandbox").api_key),
            (r"Signing secret", ""),
            (r"[Bb]ase URL", service.base_url),
            (r"two files that only you can read\?", "y"),
        ):
            user.sees(question)
            user.press(answer, "enter")
        assert user.ends() == 0
    with terminal(shlex.split(use)[1:], environment) as user:
        user.sees(r"SANDBOX +work · 127\.0\.0\.1")
        user.press("ctrl+q")
        assert user.ends() == 0
