"""Rules of imports and names: which module may import what, and that a public name has one meaning."""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def modules_in(folder: str) -> list[Path]:
    """Every module below a folder of the program; an empty list would let a test pass that looks at nothing."""
    modules = sorted((ROOT / "svc_tui" / folder).rglob("*.py"))
    assert len(modules) > 3, f"{folder} is not there"
    return modules


MODULES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in modules_in("")
}
SANDBOX = modules_in("sandbox")
SHARED = {"svc_tui.core.catalog", "svc_tui.core.jsontext", "svc_tui.__version__"}


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that import statements among `nodes` ask for, in full: `a.b` of `import a.b` and `from a import b`."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{ast.unparse(node)} is relative"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported(file: Path) -> Iterator[str]:
    """The names that a file imports, wherever in it."""
    yield from imports(ast.walk(parsed(file)))


@pytest.mark.parametrize(
    "package",
    ["core", "service", "records", "writes", "team", "console", "plans", "search", "connect", "history", "session"],
)
def test_decisions_are_the_standard_library_and_msgspec_alone(package: str) -> None:
    foreign = {
        name
        for file in modules_in(package)
        for name in imported(file)
        if name.split(".")[0] not in {*sys.stdlib_module_names, "msgspec", "svc_tui"}
    }
    assert foreign == set()


@pytest.mark.parametrize("file", SANDBOX, ids=lambda file: "/".join(file.with_suffix("").parts[-2:]))
def test_the_sandbox_shares_names_and_numbers_with_the_client_and_nothing_else(file: Path) -> None:
    own = ("svc_tui.sandbox.", "svc_tui.platform.")
    shared = {name for name in imported(file) if name.startswith("svc_tui.") and not name.startswith(own)}
    assert {".".join(name.split(".")[:3]) for name in shared} <= SHARED


HOMES = {
    "cli": {"click"},
    "bootstrap.plans": {"python_calamine"},
    "ui": {"jsonpath", "pygments", "rich", "textual"},
    "client": {"httpcore", "httpx", "truststore"},
    "config": {"keyring", "platformdirs", "pydantic", "pydantic_core", "tomli_w", "tomllib"},
    "storage": {"sqlite3"},
    "storage.team": {"psycopg"},
    "sandbox": {"h11", "pydantic", "sqlite3", "starlette", "uvicorn"},
    # These are not on every system.
    "platform": {
        *("ctypes", "curses", "fcntl", "grp", "msvcrt", "pwd"),
        *("resource", "select", "selectors", "termios", "tty", "winreg"),
    },
    "ui.terminal.driver": {"selectors"},  # of Unix terminals: not loaded on Windows
}
"""The libraries that only some packages may import, by package."""


def test_each_library_is_imported_in_its_own_packages_only() -> None:
    misplaced = []
    for module, file in MODULES.items():
        for name in imported(file):
            homes = [home for home, libraries in HOMES.items() if name.partition(".")[0] in libraries]
            if homes and not any(f"{module}.".startswith(f"svc_tui.{home}.") for home in homes):
                misplaced.append(f"{module} imports {name}, which belongs in {' or '.join(homes)}")
    assert not misplaced, "\n".join(misplaced)


def run_time_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a module is imported: those outside of functions and of `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.If(test=ast.Name("TYPE_CHECKING")):
                continue
        yield child
        yield from run_time_nodes(child)


def test_no_modules_import_each_other_in_a_circle() -> None:
    imports_of = {
        module: {
            name if name in MODULES else name.rpartition(".")[0]
            for name in imports(run_time_nodes(parsed(file)))
            if name.startswith("svc_tui.")
        }
        for module, file in MODULES.items()
    }
    circle = []
    try:
        TopologicalSorter(imports_of).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
    assert not circle, " imports ".join(circle)


def private_names_used(file: Path) -> Iterator[str]:
    """The names with an underscore that a file takes from other modules: `from other import _x`, `other._x`."""
    private = re.compile(r"_(?!_)")
    origins = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for name in imported(file):
        if any(map(private.match, name.split("."))):
            yield name
    for node in ast.walk(parsed(file)):
        match node:
            case ast.Attribute(value=ast.Name(owner), attr=name) if owner in origins and private.match(name):
                yield f"{origins[owner]}.{name}"


def test_no_module_uses_a_private_name_of_another() -> None:
    uses = [
        f"{module} uses {name}"
        for module, file in MODULES.items()
        for name in private_names_used(file)
        if name.startswith("svc_tui.")
    ]
    assert not uses, "\n".join(uses)


def test_no_two_public_classes_have_the_same_name() -> None:
    definitions = defaultdict(list)
    for module, file in MODULES.items():
        for node in parsed(file).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                definitions[node.name].append(module)
    shared = [
        f"{name} is defined in {' and '.join(modules)}" for name, modules in definitions.items() if len(modules) > 1
    ]
    assert not shared, "\n".join(shared)
