"""Makes the store of today's schema for the tests of every later version: `python -m tests.stability.make`.

A store that is kept already stays as the version wrote it that had its schema. `store-1.db` was made in the same way
with the code that had schema 1.
"""

import asyncio
import shutil
import tempfile
from pathlib import Path

from svc_tui.store.schema import VERSION
from svc_tui.store.store import Store
from tests.stability import held

FILES = Path(__file__).parent / "files"


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


def main() -> None:
    """Make it, unless it is there."""
    kept = store_file(VERSION)
    if kept.exists():
        raise SystemExit(f"{kept} stays as it was made")
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "state" / "svc-tui.db"
        asyncio.run(fill(path))
        for suffix in ("", ".end"):
            shutil.copyfile(f"{path}{suffix}", f"{kept}{suffix}")


if __name__ == "__main__":
    main()
