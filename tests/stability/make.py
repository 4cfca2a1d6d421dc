"""Keeps for the tests of every later version what this one has: `python -m tests.stability.make`.

That is the store of its schema, and the names of its commands, options and keys. A store that is kept already stays as
the version wrote it that had its schema, and a name that is kept stays in its list. `store-1.db` was made in the same
way with the code that had schema 1.

`python -m tests.stability.make NAME COMMIT [PYTHON]` keeps what the version at COMMIT itself wrote (see
`drive_release`) under that name; PYTHON has the packages that it needs.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from release.commands import interface
from svc_tui.storage.schema import VERSION
from svc_tui.storage.store import Store
from svc_tui.ui.keys.keymap import bindings
from tests.stability import held

FILES = Path(__file__).parent / "files"


RELEASES = FILES / "releases"
"""What released versions wrote, in a directory each."""

RELEASE_NAMES = sorted(directory.name for directory in RELEASES.iterdir() if directory.is_dir())


def store_file(version: int) -> Path:
    """The kept store of a schema version; the end of its journal lies beside it."""
    return FILES / f"store-{version}.db"


async def fill(path: Path) -> None:
    """Write a store that holds something of everything."""
    async with Store.open(path) as store:
        journal = store.journal(held.LIVE)
        await journal.conclude(await journal.intend(held.DONE), held.ANSWER)
        await journal.intend(held.CUT_SHORT)
        await store.journal(held.SANDBOX).intend(held.ON_SANDBOX)
        await journal.conclude(await journal.intend(held.IN_RUN), held.REFUSED)
        await journal.conclude(await journal.intend(held.MAKING), held.MADE)
        await store.drafts(held.LIVE).keep(held.DRAFT)
        await store.drafts(held.SANDBOX).keep(held.UNTAKEN_DRAFT)
        await store.runs(held.LIVE).keep(held.PLAN)
        await store.forms(held.LIVE).keep(held.FORM)
        history = store.history(held.LIVE, 10)
        await history.end(await history.begin(held.SENT), held.ANSWERED)
        await history.begin(held.SENT)


def names() -> dict[str, set[str]]:
    """The lists of names, by their files: commands with their options, and the ids of keys."""
    return {"commands.txt": set(interface()), "key-ids.txt": {str(binding.id) for binding in bindings()}}


def kept_names(file: str) -> set[str]:
    """The names that a list has so far."""
    return set((FILES / file).read_text(encoding="utf-8").splitlines())


def keep_release(name: str, commit: str, python: str = sys.executable) -> None:
    """Have the version at a commit write its files, and note how."""
    directory, repository = RELEASES / name, FILES.parents[2]
    directory.mkdir()
    with tempfile.TemporaryDirectory() as checkout:
        archive = subprocess.run(["git", "archive", commit], cwd=repository, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x"], cwd=checkout, input=archive, check=True)
        # -P: nothing beside the script is imported but what it loads itself.
        script = [python, "-P", str(Path(__file__).with_name("drive_release.py")), str(directory)]
        environment = {"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": checkout}
        subprocess.run(script, cwd=checkout, env=environment, check=True)
    with (RELEASES / "README.md").open("a", encoding="utf-8") as readme:
        readme.write(f"- `{name}`: made by `python -m tests.stability.make {name} {commit}`\n")


def main() -> None:
    """Keep the names, and the store unless it is there."""
    for file, found in names().items():
        (FILES / file).write_text("".join(f"{name}\n" for name in sorted(kept_names(file) | found)), encoding="utf-8")
    kept = store_file(VERSION)
    if kept.exists():
        return
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "state" / "svc-tui.db"
        asyncio.run(fill(path))
        for suffix in ("", ".end"):
            shutil.copyfile(f"{path}{suffix}", f"{kept}{suffix}")


if __name__ == "__main__":
    keep_release(*sys.argv[1:]) if sys.argv[1:] else main()
