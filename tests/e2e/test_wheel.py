"""What users install: what is in wheel and sdist, and the program from the wheel, started from somewhere else."""

import os
import platform
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from release.description import description
from svc_tui import __version__
from tests.e2e import steps
from tests.e2e.packages import PROJECT, InstalledWheel, Release, build
from tests.terminal import PATIENCE, PROGRAM, quiet_environment, terminal

pytestmark = pytest.mark.terminal

DIST_INFO = f"svc_tui-{__version__}.dist-info"


def files_of(directory: str) -> set[str]:
    """The files of the tree in a directory, by their path in the tree; what Python keeps there for itself is none."""
    paths = (path for path in (PROJECT / directory).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(PROJECT).as_posix() for path in paths}


def test_the_wheel_holds_the_package_its_themes_and_nothing_else(built: Release) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        held = set(wheel.namelist())
    about = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
    package, themes = files_of("svc_tui"), {f"svc_tui/{name}" for name in files_of("themes")}
    page = {f"svc_tui-{__version__}.data/data/share/man/man1/svc-tui.1"}
    assert held == package | themes | page | {f"{DIST_INFO}/{name}" for name in about}
    assert {Path(name).suffix for name in held if name.startswith("svc_tui/")} == {
        ".md",
        ".py",
        ".tcss",
        ".toml",
        ".typed",
    }
    assert {"svc_tui/themes/svc-dark.toml", "svc_tui/guide/setup.md", "svc_tui/py.typed"} <= held


def test_the_wheel_says_what_it_is(built: Release) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        about = wheel.read(f"{DIST_INFO}/METADATA").decode()
    assert "\nLicense-Expression: MIT\nLicense-File: LICENSE\n" in about
    assert "\nRequires-Python: >=3.11\n" in about
    assert "\nAuthor: svc-tui contributors\n" in about
    assert about.split("\n\n", 1)[1].strip() == description(PROJECT).strip()


def test_the_sdist_holds_what_building_and_checking_need_and_nothing_else(built: Release) -> None:
    with tarfile.open(built.sdist) as sdist:
        held = {name.split("/", 1)[1] for name in sdist.getnames()}
    alone = {
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "pyproject.toml",
        ".gitignore",
        ".pre-commit-config.yaml",
        "PKG-INFO",
    }
    folders = ("svc_tui", "themes", "tests", "screenshots", "release", ".ci", ".github")
    assert held == alone | set().union(*map(files_of, folders))


def test_the_sdist_is_enough_to_build_the_same_wheel(built: Release, tmp_path: Path) -> None:
    with tarfile.open(built.sdist) as sdist:
        # Where this Python can be careful about what is in there, it is.
        sdist.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        sdist.extractall(tmp_path)
    again = build(tmp_path / built.sdist.name.removesuffix(".tar.gz"), "wheel", tmp_path / "wheel")
    assert again.read_bytes() == built.wheel.read_bytes()


def test_a_release_is_the_same_wherever_and_whenever_it_is_built(
    built: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "another place"
    for name in ("svc_tui", "themes", "release", "screenshots"):
        shutil.copytree(PROJECT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(PROJECT / name, tree / name)
    for path in tree.rglob("*"):
        # As another umask has them, and as a later checkout.
        path.chmod(0o775 if path.is_dir() else 0o664)
        os.utime(path, (1_800_000_000, 1_800_000_000))
    monkeypatch.setenv("TZ", "Pacific/Apia")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    assert build(tree, "wheel", tmp_path / "wheel").read_bytes() == built.wheel.read_bytes()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    dated = build(tree, "wheel", tmp_path / "dated")
    assert dated.read_bytes() != built.wheel.read_bytes()
    assert build(tree, "wheel", tmp_path / "again").read_bytes() == dated.read_bytes()


def test_the_manual_page_is_installed_where_man_looks(installed: InstalledWheel) -> None:
    page = installed.directory / "share" / "man" / "man1" / "svc-tui.1"
    assert page.read_bytes() == (PROJECT / "release" / "svc-tui.1").read_bytes()


@pytest.mark.parametrize("started", ["as a module", "from the wheel"])
def test_the_program_tells_its_version(tmp_path: Path, installed: InstalledWheel, started: str) -> None:
    command = [*(PROGRAM if started == "as a module" else installed.program), "--version"]
    said = subprocess.run(command, env=quiet_environment(tmp_path), capture_output=True, timeout=PATIENCE, check=True)
    assert said.stdout.decode().startswith(f"svc-tui {__version__}, Python {platform.python_version()}, ")
    assert said.stderr == b""


def test_the_wheel_is_all_that_the_demo_needs(tmp_path: Path, installed: InstalledWheel) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = quiet_environment(tmp_path)
    with terminal(["demo"], environment, program=installed.program, directory=elsewhere) as user:
        user.sees(r"SANDBOX .*unsigned")
        user.sees(r"lot-000001 ")
        user.sees(r" of 5,000 ")
        steps.quits(user)
    assert list(elsewhere.iterdir()) == []
    assert installed.sources_opened() == []
