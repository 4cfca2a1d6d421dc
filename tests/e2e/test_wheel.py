"""What users install: the wheel, in an environment of its own, started from somewhere else."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from svc_tui import __version__
from tests.e2e import steps
from tests.terminal import PATIENCE, PROGRAM, quiet_environment, terminal

pytestmark = pytest.mark.terminal

PROJECT = Path(__file__).parents[2]
INSTALLING = 300.0
"""Seconds for pip to build and to fetch what it needs."""


def pip(python: Path | str, *words: str) -> None:
    """Run pip with the settings of whoever runs the tests, so that their package index and cache are used."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALLING, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_module_tells_its_version(tmp_path: Path) -> None:
    command = [*PROGRAM, "--version"]
    said = subprocess.run(command, env=quiet_environment(tmp_path), capture_output=True, timeout=PATIENCE, check=True)
    assert said.stdout.decode() == f"svc-tui {__version__}{os.linesep}"
    assert said.stderr == b""


def test_the_wheel_is_all_that_the_demo_needs(tmp_path: Path) -> None:
    wheels, environment, elsewhere = tmp_path / "wheels", tmp_path / "environment", tmp_path / "elsewhere"
    elsewhere.mkdir()
    pip(sys.executable, "wheel", str(PROJECT), "--no-deps", "--quiet", "--wheel-dir", str(wheels))
    (wheel,) = wheels.glob("svc_tui-*.whl")
    venv.create(environment, with_pip=True)
    pip(environment / "bin" / "python", "install", "--quiet", str(wheel))

    program = [str(environment / "bin" / "svc-tui")]
    with terminal(["demo"], quiet_environment(tmp_path), program=program, directory=elsewhere) as user:
        user.sees(r"SANDBOX .*WRITABLE")
        user.sees(r"lot-000001 ")
        user.sees(r" of 5,000 ")
        steps.quits(user)
    assert list(elsewhere.iterdir()) == []
