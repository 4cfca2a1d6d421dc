"""Modules that a start loads: a version number next to nothing, the first frame only what it shows."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from svc_tui.cli.main import COMMANDS
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service

HEAVY = {"textual", "rich", "httpx", "pydantic", "starlette", "uvicorn", "sqlite3", "truststore"}

RARE = {
    *("httpx", "keyring", "pydantic", "starlette", "truststore", "uvicorn"),
    *("textual.widgets._markdown", "textual.widgets._text_area"),
    *(
        "svc_tui.client.sender",
        "svc_tui.console.request_form",
        "svc_tui.connect.diagnosis",
        "svc_tui.writes.whole_record",
        "svc_tui.core.field_entry",
        "svc_tui.core.field_forms",
        "svc_tui.storage.record_index.record_index",
        "svc_tui.storage.team.mirror",
        "svc_tui.storage.team.own_chain",
        "svc_tui.core.outline",
        "svc_tui.ui.keys.keymap",
    ),
    *(
        "svc_tui.writes.offered_actions",
        "svc_tui.ui.dialogs.command_palette",
        "svc_tui.ui.console.console_pane",
        "svc_tui.ui.record.record_pane",
    ),
    *("svc_tui.ui.writes.record_actions", "svc_tui.ui.editing.editing_controller", "svc_tui.ui.dialogs.dialog"),
    *("svc_tui.ui.record.record_controller", "svc_tui.ui.keys.shortcuts", "svc_tui.ui.terminal.clipboard"),
}

BEHIND = {
    *(
        "sqlite3",
        "svc_tui.client.client",
        "svc_tui.service.gateway",
        "svc_tui.writes.pipeline",
        "svc_tui.storage.store",
    ),
    *("svc_tui.ui.table.table_pane", "svc_tui.ui.main.features", "svc_tui.ui.main.screen"),
}
"""What is loaded behind the first frame."""

UNASKED = {
    *("importlib.resources", "tomli_w", "svc_tui.config.toml_positions", "svc_tui.config.profiles.secrets"),
    *("svc_tui.core.views", "svc_tui.service.traffic_state", "svc_tui.service.traffic"),
}
"""What only some users' files, or the first traffic, ask for."""

PROGRAM = """
import sys
sys.argv[0] = "svc-tui"
from svc_tui.cli.main import main
try:
    main()
finally:
    print(*sys.modules)
"""


def loaded_by(words: list[str], variables: Mapping[str, str] = {}) -> set[str]:
    """The modules that the program had loaded when it ended."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(ran.stdout.splitlines()[-1].split())
    assert "svc_tui.bootstrap" in loaded
    return loaded


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        ["demo", "--help"],
        ["request", "--help"],
        ["doctor", "--help"],
        ["export", "--help"],
        ["profiles", "--help"],
        ["completion", "bash"],
    ],
)
def test_a_question_about_the_program_loads_no_part_of_it(words: list[str]) -> None:
    assert loaded_by(words) & HEAVY == set()


def loaded_with(*modules: str) -> set[str]:
    """The modules that are loaded when these are."""
    program = f"import sys; import {', '.join(modules)}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


@pytest.mark.parametrize("command", ["browse", "demo"])
def test_the_first_frame_waits_for_nothing_that_it_does_not_show(command: str) -> None:
    start = (
        *(f"svc_tui.cli.{command}", f"svc_tui.bootstrap.{'browser' if command == 'browse' else command}"),
        *("svc_tui.bootstrap.startup", "svc_tui.ui.app.browser_app"),
    )
    assert loaded_with(*start) & (BEHIND | RARE) == set()


def test_the_first_frame_loads_what_the_users_files_ask_for_when_they_do() -> None:
    loaded = loaded_with(
        *("svc_tui.cli.browse", "svc_tui.bootstrap.startup", "svc_tui.ui.app.browser_app"),
        *("svc_tui.config.preferences.preferences", "svc_tui.config.profiles.active_profile"),
    )
    assert loaded & (BEHIND | RARE | UNASKED) == set()


def test_the_first_records_do_not_wait_for_what_is_rarely_needed() -> None:
    main = loaded_with(
        *("svc_tui.cli.browse", "svc_tui.client.client", "svc_tui.storage.store", "svc_tui.ui.main.screen"),
        *("svc_tui.bootstrap.first_session", "svc_tui.bootstrap.sessions"),
        *("svc_tui.bootstrap.log_file", "svc_tui.bootstrap.system_editor"),
    )
    assert main & RARE == set()
    assert main >= BEHIND


REQUEST = """
import asyncio, sys
from svc_tui.client.client import SignedClient
from svc_tui.service.errors import ServiceError
from svc_tui.service.retry import RetryRules
from svc_tui.core.credentials import KeyPair
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile

async def ask():
    profile = Profile("test", sandbox_base_url="http://127.0.0.1:1")
    async with SignedClient(profile, KeyPair("svc_test_x"), rules=RetryRules(attempts=1)) as client:
        try:
            await client.send(RequestSpec("GET", "/v1/lots"))
        except ServiceError:
            print(*sys.modules)

asyncio.run(ask())
"""


def test_the_reader_loads_nothing_that_draws() -> None:
    loaded = loaded_by(["demo", "lots", "--reader", "--records", "5"])
    assert "svc_tui.reader.conversation" in loaded
    assert {name.partition(".")[0] for name in loaded} & {"textual", "rich", "pygments"} == set()


def test_a_request_does_not_wait_for_the_command_line_of_httpx() -> None:
    ran = subprocess.run([sys.executable, "-c", REQUEST], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert "httpx" in loaded
    assert not loaded & {"rich", "pygments", "click"}


@pytest.mark.parametrize("words", [["--version"], ["-h"], ["completion", "fish"]])
def test_a_command_is_loaded_when_it_is_asked_for(words: list[str]) -> None:
    commands = {f"svc_tui.cli.{module}" for module in COMMANDS.values()}
    assert (
        loaded_by(words) & commands
        == {
            "--version": set(),
            "-h": commands,
            "completion": {"svc_tui.cli.completion"},
        }[words[0]]
    )


@pytest.mark.parametrize("words", [[], *([name] for name in COMMANDS), ["profiles", "add"], ["config", "schema"]])
def test_help_loads_the_command_line_and_nothing_that_a_command_runs(words: list[str]) -> None:
    loaded = loaded_by([*words, "--help"])
    switches = {
        *("svc_tui.bootstrap.sandbox", "svc_tui.bootstrap.sandbox.service", "svc_tui.sandbox"),
        *("svc_tui.sandbox.faults", "svc_tui.sandbox.variants", "svc_tui.sandbox.errors"),
    }
    assert {name for name in loaded if name.startswith("svc_tui.") and not name.startswith("svc_tui.cli")} == {
        *("svc_tui.bootstrap", "svc_tui.bootstrap.start", "svc_tui.bootstrap.completion_names"),
        *(switches if words in (["demo"], ["sandbox"]) else ()),
    }
    assert loaded & {"asyncio", "pathlib"} == set()


def test_a_read_loads_nothing_that_other_requests_need(home: Path) -> None:
    with running_service(SandboxOptions(records=1)) as service:
        variables = {"SVC_API_KEY": service.key("sandbox").api_key, "SVC_SANDBOX_BASE_URL": service.base_url}
        loaded = loaded_by(["request", "GET", "lots"], {**directories(home), **variables})
    assert "httpx" in loaded
    assert (
        loaded
        & {
            *("keyring", "pydantic", "sqlite3", "textual", "tomllib"),
            *("svc_tui.config.preferences.preferences", "svc_tui.config.profiles.profiles"),
            *("svc_tui.console.request_form", "svc_tui.writes.pipeline", "svc_tui.storage.store"),
        }
        == set()
    )


@pytest.mark.parametrize(
    "line",
    [
        *("svc-tui ", "svc-tui lo", "svc-tui --profile ", "svc-tui --theme ", "svc-tui demo --"),
        *("svc-tui demo --faults ", "svc-tui request --saved ", "svc-tui request GET ", "svc-tui profiles show "),
    ],
)
def test_a_shell_that_completes_waits_for_no_part_that_is_slow_to_load(home: Path, line: str) -> None:
    asked = {
        **directories(home),
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
        "_SVC_TUI_COMPLETE": "bash_complete",
    }
    assert loaded_by([], asked) & {*HEAVY, "asyncio"} == set()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with settings, a profile and a saved request."""
    for name, text in (
        ("config", 'theme = "svc-ink"\n'),
        ("profiles/work", ""),
        ("requests/lots", 'name = "Lots"\nmethod = "GET"\npath = "/v1/operations/lots"\n'),
    ):
        file = tmp_path / "svc-tui" / f"{name}.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o600)
    return tmp_path


def directories(home: Path) -> dict[str, str]:
    """The variables that have the program find its files there."""
    return {"XDG_CONFIG_HOME": str(home), "XDG_STATE_HOME": str(home)}
