"""The program's first word: a command, a place, or a mistake."""

import gc
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from svc_tui import __version__
from svc_tui.cli.export import FORMATS
from svc_tui.core.export_formats import Format
from tests.cli.conftest import Run


@pytest.mark.parametrize("words", [["--version"], ["demo", "--version"], ["request", "--version"]])
def test_the_version(run: Run, words: list[str]) -> None:
    ran = run(*words)
    said = f"svc-tui {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
    assert (ran.status, ran.out.decode(), ran.err) == (0, said, "")


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["browse"],
        ["demo"],
        ["sandbox"],
        ["request"],
        ["export"],
        ["doctor"],
        ["profiles"],
        ["config"],
        *(["profiles", name] for name in ("list", "add", "show", "edit", "use", "remove", "rotate", "import")),
        ["config", "show"],
        ["config", "schema"],
    ],
)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_helps_with_an_example(run: Run, words: list[str], option: str) -> None:
    ran = run(*words, option)
    assert (ran.status, ran.err) == (0, "")
    assert re.search(r"^ +svc-tui \w+", ran.out.decode(), re.MULTILINE)
    for name in ("--profile", "--theme", "--read-only", "--config", "--version"):
        assert name in ran.out.decode()


def test_every_format_that_is_written_can_be_asked_for() -> None:
    assert tuple(Format) == FORMATS


@pytest.mark.parametrize("words", [[], ["lots"], ["/v1/operations/lots"], ["--read-only"], ["lots", "--theme", "x"]])
def test_without_a_key_it_says_what_to_do_demo_first(run: Run, words: list[str]) -> None:
    ran = run(*words)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith("svc-tui: no API key is set.\n")
    assert "svc-tui profiles add NAME" in ran.err
    assert ran.err.index("svc-tui demo") < ran.err.index("SVC_API_KEY") < ran.err.index("SVC_SIGNING_SECRET")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["demoo"], 'there is no command or collection called "demoo" (did you mean demo?); see svc-tui --help'),
        (["lots", "more"], "Got unexpected extra argument (more); see svc-tui browse --help"),
        (["--nonsense"], None),
        (
            ["demo", "--records", "-5"],
            "Invalid value for '--records': -5 is not in the range x>=0; see svc-tui demo --help",
        ),
        (
            ["sandbox", "--port", "x"],
            "Invalid value for '--port': 'x' is not a valid integer range; see svc-tui sandbox --help",
        ),
        (["sandbox", "--faults", "nonsense"], None),
        (["sandbox", "--host", "example.com"], "host 'example.com' is not an IP address or localhost"),
    ],
)
def test_a_mistake_is_one_line(run: Run, words: list[str], line: str | None) -> None:
    ran = run(*words)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("svc-tui: ")
    if line is not None:
        assert ran.err == f"svc-tui: {line}\n"


@pytest.mark.parametrize(
    ("variables", "words", "line"),
    [
        ({}, ["lots"], "no base URL for svc_live_ keys: set SVC_BASE_URL, or base_url in the profile env"),
        (
            {"SVC_BASE_URL": "https://a.example"},
            ["--theme", "pink"],
            '--theme is "pink"; allowed: svc-contrast, svc-dark, svc-ember, svc-forest, svc-ink, svc-light, '
            "svc-light-contrast, svc-safe, svc-sand",
        ),
        (
            {"SVC_BASE_URL": "https://a.example"},
            ["cellars"],
            "cellars is not a collection or a record; for other routes use the console or svc-tui request",
        ),
        (
            {"SVC_BASE_URL": "https://a.example"},
            ["--config", "/none.toml"],
            "/none.toml does not exist; create it, or remove --config and SVC_TUI_CONFIG",
        ),
    ],
)
def test_a_configuration_that_cannot_be_used_is_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], words: list[str], line: str
) -> None:
    for name, value in {"SVC_API_KEY": "svc_live_x", **variables}.items():
        monkeypatch.setenv(name, value)
    ran = run(*words)
    assert (ran.status, ran.err) == (2, f"svc-tui: {line}\n")


@pytest.mark.parametrize(
    "words", [["--theme", "pink", "demo"], ["demo", "--theme", "pink"], ["--theme", "x", "demo", "--theme", "pink"]]
)
def test_an_option_counts_before_the_command_and_after_it(run: Run, words: list[str]) -> None:
    assert run(*words).err.startswith('svc-tui: --theme is "pink"')


def test_the_demo_ignores_the_users_variables(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_TUI_CONFIG", "/none.toml")
    monkeypatch.setenv("SVC_API_KEY", "nonsense")
    assert run("demo", "cellars").err.startswith("svc-tui: cellars is not a collection")


def test_a_newer_database_is_refused_in_one_line(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sqlite3

    (home / "state" / "svc-tui").mkdir(parents=True)
    connection = sqlite3.connect(home / "state" / "svc-tui" / "svc-tui.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    monkeypatch.setenv("SVC_API_KEY", "svc_test_x")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    ran = run("request", "POST", "lots")
    assert ran.status == 2
    assert "was written by a newer svc-tui (schema 99" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("words", [["lots"], ["demo"], ["demo", "--live", "lots"]])
def test_the_browser_opens_in_a_terminal_alone(run: Run, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setenv("SVC_API_KEY", "svc_test_x")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    ran = run(*words)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == "svc-tui: full-screen mode needs a terminal; in a script, use svc-tui request\n"
    assert gc.isenabled(), "it is off while the browser starts alone"


def test_the_demo_leaves_nothing_behind(run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = sorted(tmp_path.iterdir())
    assert run("demo").status == 2
    assert sorted(tmp_path.iterdir()) == before


def test_what_could_not_be_said_on_a_terminal_that_is_gone_changes_no_exit_status() -> None:
    program = """
import os, sys
from svc_tui.cli.main import main
os.read(0, 1)
# As after a hang-up in the midst of a write.
sys.stderr.buffer.write(b"half a line")
main(["export", "--format", "nothing"])
"""
    terminal, its_end = os.openpty()
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stderr=its_end, env=buffered)
    os.close(its_end)
    os.close(terminal)
    process.communicate(b"x", timeout=60)
    assert process.returncode == 2


def test_at_its_end_the_program_searches_nothing_for_garbage() -> None:
    # What is registered first is called last.
    program = (
        "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0)); "
        "from svc_tui.cli.main import main; main(['--version'])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "True"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["completion", "bash"]])
def test_a_full_stdout_is_told_in_one_line(words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "svc_tui", *words], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ran.returncode == 3
    assert ran.stderr == b"svc-tui: can't write to stdout: No space left on device\n"


@pytest.mark.parametrize("words", [["--help"], ["request", "--help"], ["--version"]])
def test_help_that_nobody_reads_to_its_end_is_no_error(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, "-m", "svc_tui", *words], stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (0, b"")
