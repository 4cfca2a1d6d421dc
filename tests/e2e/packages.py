"""What users install: wheel and sdist, built from the tree, and an environment into which the wheel was put.

Nothing is fetched: the tree is built by the build backend that is installed for the checks, and the environment
borrows the packages that the program needs from the one that the checks run in.
"""

import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[2]

_SLOWLY = 120.0
"""Seconds for a step that takes one or two where nothing else runs."""

_WATCH = """\
import sys

def _note(event, arguments):
    if event == "open" and str(arguments[0]).startswith({sources!r}):
        with open({notes!r}, "a") as notes:
            notes.write(f"{{arguments[0]}}\\n")

sys.addaudithook(_note)
"""
"""Writes down which files of the source tree a Python opens; as `sitecustomize` it runs before anything else does."""


@dataclass(frozen=True, slots=True)
class Release:
    """The two files of a release."""

    wheel: Path
    sdist: Path


@dataclass(frozen=True, slots=True)
class InstalledWheel:
    """An environment with the wheel in it."""

    directory: Path
    _notes: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.directory / "bin" / "python"

    @property
    def program(self) -> tuple[str, ...]:
        """The command that was installed."""
        return (str(self.directory / "bin" / "svc-tui"),)

    def sources_opened(self) -> list[str]:
        """The files of the source tree that were opened from here so far."""
        return self._notes.read_text().splitlines() if self._notes.exists() else []


def build(tree: Path, target: str, directory: Path) -> Path:
    """Build the `wheel` or the `sdist` of a tree into an empty directory; gives the file."""
    _run(sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(directory), cwd=tree)
    (made,) = directory.iterdir()
    return made


def install(wheel: Path, directory: Path) -> InstalledWheel:
    """Make an environment of its own in `directory`, and put the wheel into it."""
    venv.create(directory)
    notes = directory / "sources-opened"
    installed = InstalledWheel(directory, notes)
    packages = Path(_run(str(installed.python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(installed.python))
    _run(*pip, "install", "--quiet", "--no-index", "--no-deps", str(wheel))
    # A path file is not read again behind this one, so that the tree that the checks run on stays out of the way.
    borrowed = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (packages / "borrowed.pth").write_text("".join(f"{path}\n" for path in borrowed))
    sources = (str(PROJECT / "svc_tui"), str(PROJECT / "themes"))
    (packages / "sitecustomize.py").write_text(_WATCH.format(sources=sources, notes=str(notes)))
    return installed


def _run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=_SLOWLY, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
