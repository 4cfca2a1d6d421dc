"""The golden trace: what scripted uses of the program send, print, show and store.

    python -m tests.golden record                  write the traces of this checkout to tests/golden/traces
    python -m tests.golden compare                 make them again, and show what differs from the files
    python -m tests.golden compare REV             make them with the program of a commit, and show what differs here

`--only TEXT` takes the uses whose name contains the text; `--jobs N` runs N at a time.
"""

import argparse
import difflib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.golden.stage import Stage
from tests.golden.uses import USES

ROOT = Path(__file__).parent.parent.parent
TRACES = Path(__file__).parent / "traces"


def make_trace(name: str, checkout: Path = ROOT, expected: str = "") -> str:
    """Return the trace of a use by the program of this checkout; `expected` is one that it is compared with.

    A use that comes to a stop, since the program does not do what it waits for, has a trace that ends with the reason.
    """
    with Stage(checkout, expected) as stage:
        try:
            USES[name](stage)
        except AssertionError as error:
            stage.note("stopped", f"{error}\n")
        return stage.trace()


def read_trace(name: str) -> str:
    """Return the recorded trace of a use, empty if there is none."""
    path = TRACES / f"{name}.txt"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def describe_difference(name: str, recorded: str, made: str) -> str:
    """Return a unified diff of two traces, empty if they are equal."""
    return "".join(
        difflib.unified_diff(recorded.splitlines(True), made.splitlines(True), f"{name}: recorded", f"{name}: now")
    )


def record(names: list[str], jobs: int) -> int:
    """Write the traces of this checkout; return 1 if a use came to a stop."""
    stopped = 0
    with ThreadPoolExecutor(jobs) as threads:
        for name, trace in zip(names, threads.map(make_trace, names), strict=True):
            (TRACES / f"{name}.txt").write_text(trace, encoding="utf-8")
            stopped += (is_stopped := "\n## stopped\n" in f"\n{trace}")
            sys.stdout.write(f"{'STOPPED' if is_stopped else 'recorded'} {name}\n")
    return 1 if stopped else 0


def compare(names: list[str], jobs: int, revision: str) -> int:
    """Print what differs from the recorded traces, or from those of a revision; return 1 if anything does."""
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(jobs) as threads:
        recorded = {name: read_trace(name) for name in names}
        if revision:
            checkout = Path(directory)
            archive = subprocess.run(["git", "archive", revision], cwd=ROOT, stdout=subprocess.PIPE, check=True)
            subprocess.run(["tar", "-x", "-C", directory], input=archive.stdout, check=True)
            recorded = dict(zip(names, threads.map(lambda name: make_trace(name, checkout), names), strict=True))
        made = threads.map(lambda name: make_trace(name, expected=recorded[name]), names)
        differences = [
            describe_difference(name, recorded[name], trace) for name, trace in zip(names, made, strict=True)
        ]
    sys.stdout.write("".join(differences))
    sys.stdout.write(f"{sum(map(bool, differences))} of {len(names)} traces differ\n")
    return 1 if any(differences) else 0


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("command", choices=("record", "compare"))
    parser.add_argument("revision", nargs="?", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    names = [name for name in USES if options.only in name]
    if options.command == "record":
        return record(names, options.jobs)
    return compare(names, options.jobs, options.revision)


if __name__ == "__main__":
    sys.exit(main())
