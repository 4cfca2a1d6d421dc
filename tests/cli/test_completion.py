"""Completion by the shell: what is offered where, and a real bash that takes it."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from svc_tui.config.preferences.palettes import themes_directory
from tests.cli.conftest import Run


def offered(home: Path, line: str) -> list[str]:
    """What a shell is given for the last word of the line."""
    words = line.split(" ")
    environment = {
        **os.environ,
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_SVC_TUI_COMPLETE": "bash_complete",
    }
    ran = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'svc-tui'; from svc_tui.cli.main import main; main()"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    return [item.partition(",")[2] for item in ran.stdout.splitlines() if item]


@pytest.fixture
def files(home: Path) -> Path:
    """A profile and a saved request."""
    directory = home / "config" / "svc-tui"
    (directory / "profiles").mkdir(parents=True)
    (directory / "profiles" / "work.toml").write_text('api_key = { env = "X" }\nbase_url = "https://a.example"\n')
    (directory / "requests").mkdir()
    (directory / "requests" / "open.toml").write_text(
        'name = "open-lots"\nmethod = "GET"\npath = "/v1/operations/lots"\n'
    )
    (directory / "requests" / "split.toml").write_text(
        'name = "Split a lot (now)"\nmethod = "GET"\npath = "/v1/operations/lots"\n'
    )
    return home


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("svc-tui lo", ["lots"]),
        ("svc-tui operations/l", ["operations/lots"]),
        ("svc-tui exp", ["export"]),
        ("svc-tui export tu", ["tunnels"]),
        ("svc-tui index ", ["drop", "status", "update"]),
        ("svc-tui index update tu", ["tunnels"]),
        ("svc-tui find gold -C tu", ["tunnels"]),
        ("svc-tui sql --format j", ["jsonl", "json"]),
        ("svc-tui changes --si", ["--since"]),
        ("svc-tui journal --case", ["--case-file"]),
        ("svc-tui journal --record operations/l", ["operations/lots"]),
        ("svc-tui demo wor", ["workers", "workforce/workers"]),
        ("svc-tui demo --to", ["--tour"]),
        ("svc-tui request pa", ["PATCH"]),
        ("svc-tui --profile w", ["work"]),
        ("svc-tui profiles show w", ["work"]),
        ("svc-tui request --saved op", ["open-lots"]),
        ("svc-tui request --saved Sp", ["Split\\ a\\ lot\\ \\(now\\)"]),
        ("svc-tui request --saved 'Sp", ["Split a lot (now)"]),
        ("svc-tui request GET lo", ["lots"]),
        ("svc-tui demo --faults log", ["login-page"]),
        ("svc-tui sandbox --faults 42", ["429"]),
        ("svc-tui --theme svc-saf", ["svc-safe"]),
        ("svc-tui doctor --bun", ["--bundle"]),
    ],
)
def test_each_word_is_completed_with_what_can_stand_there(files: Path, line: str, some: list[str]) -> None:
    assert offered(files, line) == some


def test_where_files_can_not_be_read_nothing_is_offered_and_nothing_said(home: Path) -> None:
    (home / "config").write_text("not a directory")
    assert offered(home, "svc-tui --profile w") == []


def test_themes_are_offered_whatever_else_is_wrong_and_no_file_is_touched(files: Path) -> None:
    state = files / "state" / "svc-tui" / "state.toml"
    state.parent.mkdir(parents=True)
    state.write_text("no TOML")
    (files / "config" / "svc-tui" / "config.toml").write_text("theme = 7")
    assert offered(files, "svc-tui --theme svc-s") == ["svc-safe", "svc-sand"]
    assert list(state.parent.iterdir()) == [state]


def test_a_theme_of_the_users_own_is_offered(files: Path) -> None:
    own = files / "config" / "svc-tui" / "themes" / "own.toml"
    own.parent.mkdir()
    shipped = themes_directory() / "svc-dark.toml"
    own.write_text(shipped.read_text(encoding="utf-8").replace('"svc-dark"', '"pit"'), encoding="utf-8")
    assert offered(files, "svc-tui --theme p") == ["pit"]


def test_a_saved_request_with_a_mistake_is_offered_and_the_command_tells_it(run: Run, files: Path) -> None:
    file = files / "config" / "svc-tui" / "requests" / "up.toml"
    file.write_text('name = "up"\nmethod = "GET"\npath = "/v1/../x"\n')
    assert offered(files, "svc-tui request --saved u") == ["up"]
    ran = run("request", "--saved", "up")
    assert ran.status == 2
    assert f"{file}:3: path can't be used" in ran.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(run: Run, shell: str) -> None:
    ran = run("completion", shell)
    assert ran.status == 0
    assert f"_SVC_TUI_COMPLETE={shell}_complete" in ran.out.decode()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_takes_the_script(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "completion.sh"
    script.write_bytes(run("completion", "bash").out)
    ran = subprocess.run(
        ["bash", "--norc", "-c", f"source {script} && complete -p svc-tui"], capture_output=True, text=True, check=False
    )
    assert ran.stdout == "complete -o nosort -F _svc_tui_completion svc-tui\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_puts_a_name_on_the_line_with_its_quotes(run: Run, tmp_path: Path) -> None:
    script, answering = tmp_path / "completion.sh", tmp_path / "svc-tui"
    script.write_bytes(run("completion", "bash").out)
    answering.write_text("#!/bin/sh\necho 'plain,Split\\ a\\ lot\\ \\(now\\)'\n")
    answering.chmod(0o755)
    ran = subprocess.run(
        [
            "bash",
            "--norc",
            "-c",
            f"source {script}; _svc_tui_completion {answering}; printf '%s\n' \"${{COMPREPLY[@]}}\"",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("Split\\ a\\ lot\\ \\(now\\)\n", "")


PLACES = {
    "bash": "data/bash-completion/completions/svc-tui",
    "zsh": "home/.zfunc/_svc-tui",
    "fish": "config/fish/completions/svc-tui.fish",
}


@pytest.fixture
def places(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory that a user's home and data are in."""
    monkeypatch.setenv("HOME", str(home / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    for name in ("BASH_COMPLETION_USER_DIR", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_put_where_the_shell_looks_and_replaced_there(run: Run, places: Path, shell: str) -> None:
    file, printed = places / PLACES[shell], run("completion", shell).out.decode()
    ran = run("completion", shell, "--install")
    assert (ran.status, ran.out) == (0, b"")
    assert ran.err.startswith(f"svc-tui: saved {file}; start a new {shell} to use it")
    assert file.read_text().startswith(printed)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    whole = file.read_text()
    file.write_text(f"# of an older svc-tui\n{whole.splitlines()[-1]}\n")
    assert run("completion", shell, "--install").status == 0
    assert file.read_text() == whole
    file.write_text(printed)
    assert run("completion", shell, "--install").status == 0
    assert file.read_text() == whole


@pytest.mark.parametrize("foreign", ["complete -F own svc-tui\n", "", "a link"])
def test_a_file_of_somebody_else_stays_as_it_is(run: Run, places: Path, foreign: str) -> None:
    file, own = places / PLACES["bash"], places / "own"
    file.parent.mkdir(parents=True)
    own.write_text(foreign)
    if foreign == "a link":
        file.symlink_to(own)
    else:
        file.write_text(foreign)
    ran = run("completion", "bash", "--install")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == f"svc-tui: {file} exists and is not from svc-tui; move it away and try again\n"
    assert file.read_text() == foreign == own.read_text()


def test_shells_that_are_told_to_look_elsewhere_find_it_there(
    run: Run, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BASH_COMPLETION_USER_DIR", f"{places}/mine:{places}/others")
    monkeypatch.setenv("ZDOTDIR", str(places / "z"))
    for shell, name in (("bash", "mine/completions/svc-tui"), ("zsh", "z/.zfunc/_svc-tui")):
        assert run("completion", shell, "--install").status == 0
        assert (places / name).is_file()


def test_a_place_that_can_not_be_made_is_told_in_one_line(run: Run, places: Path) -> None:
    (places / "data").write_text("not a directory")
    ran = run("completion", "bash", "--install")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == f"svc-tui: {places / PLACES['bash']} can't be written: Not a directory\n"
