"""What may be loaded by what: `domain` the standard library alone, a version number next to nothing."""

import ast
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from svc_tui.cli.main import COMMANDS
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service

ROOT = Path(__file__).parents[1]


def modules_in(folder: str) -> list[Path]:
    """Every module below a folder of the program; an empty list would let a test pass that looks at nothing."""
    modules = sorted((ROOT / "svc_tui" / folder).rglob("*.py"))
    assert len(modules) > 10, f"{folder} is not there"
    return modules


DOMAIN = modules_in("domain")
SANDBOX = modules_in("sandbox")
SHARED = {"svc_tui.domain.model.catalog", "svc_tui.domain.model.jsontext"}
HEAVY = {"textual", "rich", "httpx", "pydantic", "starlette", "uvicorn", "sqlite3", "truststore"}

RARE = {
    *("httpx", "keyring", "pydantic", "starlette", "truststore", "uvicorn"),
    *("textual.widgets._markdown", "textual.widgets._text_area"),
    *(
        "svc_tui.client.sender",
        "svc_tui.domain.console.request_form",
        "svc_tui.domain.doctor.diagnosis",
        "svc_tui.domain.editing.whole_record",
        "svc_tui.domain.editing.field_entry",
        "svc_tui.domain.data.outline",
        "svc_tui.domain.app.hints",
        "svc_tui.domain.app.keymaps",
    ),
    *(
        "svc_tui.domain.editing.offered_actions",
        "svc_tui.ui.dialogs.command_palette",
        "svc_tui.ui.console.pane",
        "svc_tui.ui.record.pane",
    ),
    *("svc_tui.ui.writes.record_actions", "svc_tui.ui.editing.field_editing", "svc_tui.ui.dialogs.dialog"),
    *("svc_tui.ui.record.controller", "svc_tui.ui.keys.shortcuts", "svc_tui.ui.terminal.clipboard"),
}

BEHIND = {
    *(
        "sqlite3",
        "svc_tui.client.client",
        "svc_tui.domain.http.gateway",
        "svc_tui.domain.editing.write_pipeline",
        "svc_tui.store.store",
    ),
    *("svc_tui.ui.table.pane", "svc_tui.ui.main.controllers", "svc_tui.ui.main.screen"),
}
"""What is loaded behind the first frame."""

UNASKED = {
    *("importlib.resources", "tomli_w", "svc_tui.config.toml_positions", "svc_tui.config.profiles.secrets"),
    *("svc_tui.domain.collections.views", "svc_tui.domain.http.traffic_state", "svc_tui.domain.model.traffic"),
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


def imported(file: Path) -> Iterator[str]:
    """The names of the modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file.name} imports relatively"
            yield node.module or ""
            if Path(ROOT, *(node.module or "").split(".")).is_dir():
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("file", DOMAIN, ids=lambda file: "/".join(file.with_suffix("").parts[-2:]))
def test_domain_is_the_standard_library_alone(file: Path) -> None:
    foreign = {
        name
        for name in imported(file)
        if name.split(".")[0] not in sys.stdlib_module_names
        and name != "svc_tui.domain"
        and not name.startswith("svc_tui.domain.")
    }
    assert foreign == set()


@pytest.mark.parametrize("file", SANDBOX, ids=lambda file: "/".join(file.with_suffix("").parts[-2:]))
def test_the_sandbox_shares_names_and_numbers_with_the_client_and_nothing_else(file: Path) -> None:
    taken = {name for name in imported(file) if name.startswith("svc_tui.domain.")}
    assert {".".join(name.split(".")[:4]) for name in taken} <= {*SHARED, "svc_tui.domain.model"}


def test_no_class_has_more_methods_than_can_be_overlooked() -> None:
    large = {
        f"{node.name} in {file.relative_to(ROOT)}": count
        for file in modules_in("")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and (count := sum(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body)) > 40
    }
    assert large == {}


def test_no_class_is_made_of_more_parts_than_can_be_overlooked() -> None:
    many = {
        f"{node.name} in {file.relative_to(ROOT)}": count
        for file in modules_in("")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.FunctionDef) and part.name == "__init__" and (count := len(part.args.args) - 1) > 7
    }
    assert many == {}


def test_no_modules_need_each_other_in_a_circle() -> None:
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in modules_in("")}
    needed = {name: {other for other in imported(file) if other in modules} for name, file in modules.items()}
    assert sum(map(len, needed.values())) > len(modules)
    # Raises CycleError with those of a circle; what is imported for types alone counts too.
    TopologicalSorter(needed).prepare()


def test_no_folder_has_more_modules_than_can_be_overlooked() -> None:
    counts = Counter(file.parent.relative_to(ROOT) for file in modules_in("") if file.name != "__init__.py")
    assert {folder: count for folder, count in counts.items() if count > 21} == {}


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
        *("svc_tui.cli.browse", "svc_tui.client.client", "svc_tui.store.store", "svc_tui.ui.main.screen"),
        *("svc_tui.bootstrap.first_session", "svc_tui.bootstrap.sessions"),
        *("svc_tui.bootstrap.log_file", "svc_tui.bootstrap.external_editor"),
    )
    assert main & RARE == set()
    assert main >= BEHIND


REQUEST = """
import asyncio, sys
from svc_tui.client.client import SignedClient
from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.http.retry import RetryRules
from svc_tui.domain.model.credentials import KeyPair
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.domain.model.settings import Profile

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
            *("svc_tui.domain.console.request_form", "svc_tui.domain.editing.write_pipeline", "svc_tui.store.store"),
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
