"""The program where nothing is that only Unix has: each module loads, and the command line does its work."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
from tests.platform.fake_windows import BREAK

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
LOT = "/v1/operations/lots/lot-000001"


@dataclass(frozen=True, slots=True)
class Windows:
    """What became of the program there."""

    folder: Path
    report: dict[str, Any]
    written: str
    """What the service holds of the lot that was written to."""

    def ran(self, name: str) -> tuple[int, str, str]:
        """The exit status of a command, and what it wrote to stdout and stderr."""
        status, out, err = self.report["commands"][name]
        return status, out, err


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Windows:
    """One process that takes itself for one on Windows: it loads the program, and runs commands of one user."""
    folder = tmp_path_factory.mktemp("windows")
    with running_service(SandboxOptions(records=30)) as service:
        pair = service.key("sandbox")
        profiles = folder / "config" / "svc-tui" / "profiles"
        profiles.mkdir(parents=True)
        printed = json.dumps([sys.executable, "-c", f"print({pair.api_key!r})"])
        (profiles / "work.toml").write_text(
            f'sandbox_base_url = "{service.base_url}"\napi_key = {{ command = {printed} }}\n', "utf-8"
        )
        (folder / "fix.csv").write_text("id,priority\nlot-000001,urgent\n", "utf-8")
        file, plan = str(folder / "lots.jsonl"), str(folder / "fix.plan")
        commands = {
            "help": ["--help"],
            "version": ["--version"],
            "settings": ["config", "show"],
            "profiles": ["profiles", "list"],
            "read": ["request", "GET", LOT, "--profile", "work"],
            "write": ["request", "PATCH", LOT, "-d", '{"priority": "high"}'],
            "export": ["export", "lots", "-o", file],
            "replace": ["export", "lots", "--force", "-o", file],
            "print": ["export", "lots"],
            "plan": ["plan", "lots", str(folder / "fix.csv"), "-o", plan],
            "apply": ["apply", plan],
            "journal": ["journal", "--format", "jsonl"],
            "index": ["index", "update", "lots"],
            "find": ["find", "lot-000001"],
            "drop": ["index", "drop", "--force"],
            "browser": ["lots"],
            "demo": ["demo", "--records", "50"],
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        ran = subprocess.run(
            [sys.executable, "-m", "tests.platform.on_windows", json.dumps(commands)],
            cwd=ROOT,
            env={
                **kept,
                "SVC_API_KEY": pair.api_key,
                "SVC_SANDBOX_BASE_URL": service.base_url,
                "TEXTUAL_DRIVER": "textual.drivers.headless_driver:HeadlessDriver",
                "TEXTUAL_PRESS": "question_mark,escape,G,ctrl+z,ctrl+q",
                "XDG_CONFIG_HOME": str(folder / "config"),
                "XDG_STATE_HOME": str(folder / "state"),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert ran.returncode == 0, ran.stderr
        return Windows(folder, json.loads(ran.stdout), service.record("operations/lots", "lot-000001") or "")


def test_every_module_loads(windows: Windows) -> None:
    assert windows.report["modules"] == {}


def test_the_pieces_do_what_they_do_elsewhere(windows: Windows) -> None:
    assert windows.report["pieces"] == {
        "lock": [True, False, True, True, False],
        "removed": [True, True],
        "woken": True,
        "heard": [BREAK.name, BREAK.name],
        "first line": ["a\n", None],
        "ended": True,
        "on the terminal": 3,
        "words": [r"C:\Program Files\ed.exe", "-n"],
        "drawn": "\x1b]2;a>b\x1b\\",
        "clock": True,
    }


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("help", "A terminal browser for a mining-operations HTTP API with signed requests."),
        ("version", "svc-tui "),
        ("settings", "state = "),
        ("profiles", "work"),
        ("read", '"id":"lot-000001"'),
        ("print", '"id":"lot-000030"'),
        ("journal", '"fields":["priority"]'),
        ("find", "lot-000001"),
        ("drop", "deleted "),
    ],
)
def test_a_command_says_what_it_says_elsewhere(windows: Windows, name: str, words: str) -> None:
    status, out, err = windows.ran(name)
    assert (status, words in out) == (0, True), err


def test_writes_are_sent_and_journalled(windows: Windows) -> None:
    assert [windows.ran(name)[0] for name in ("write", "plan", "apply", "index")] == [0, 4, 0, 0]
    assert '"priority":"urgent"' in windows.written.replace(" ", "")
    journal = [json.loads(line) for line in windows.ran("journal")[1].splitlines()]
    assert [line["after"]["priority"] for line in journal] == ["urgent", "high"]


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(windows: Windows) -> None:
    assert [windows.ran(name)[0] for name in ("export", "replace")] == [0, 0]
    assert len((windows.folder / "lots.jsonl").read_text("utf-8").splitlines()) == 30
    assert not list(windows.folder.glob(".svc-tui-*"))
    # Each program that used the store is gone, and so is its file.
    assert not list((windows.folder / "state" / "svc-tui" / "running").iterdir())


def test_the_browser_needs_a_console(windows: Windows) -> None:
    status, _, err = windows.ran("browser")
    assert (status, "full-screen mode needs a terminal" in err) == (2, True)


def test_the_browser_opens_on_a_service_of_its_own_and_leaves_nothing(windows: Windows) -> None:
    assert windows.ran("demo") == (0, "", "")
