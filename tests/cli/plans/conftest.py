"""A file of corrections, the plan that is made of it, and what became of the run."""

import asyncio
import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from svc_tui.bootstrap.plans.plan_file import read_plan_file, write_plan_file
from svc_tui.core.credentials import Environment
from svc_tui.core.values import replace
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.storage.runs import Run
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from tests.cli.conftest import CompletedCommand
from tests.cli.conftest import Run as RunCommand


@dataclass(frozen=True, slots=True)
class Corrections:
    """One user's file, plan and report, and the commands on them."""

    home: Path
    service: RunningService
    run: RunCommand

    @property
    def file(self) -> Path:
        """The file of corrections."""
        return self.home / "lots.csv"

    @property
    def plan_file(self) -> Path:
        """The plan."""
        return self.home / "lots.plan.json"

    def write(self, text: str) -> None:
        """Put a text into the file."""
        self.file.write_text(text)

    def plan(self, text: str, *words: str) -> CompletedCommand:
        """Make a plan of a text."""
        self.write(text)
        return self.run("plan", "lots", str(self.file), "-o", str(self.plan_file), *words)

    def apply(self, *words: str) -> CompletedCommand:
        """Carry the plan out."""
        return self.run("apply", str(self.plan_file), *words)

    def age(self, hours: int = 2) -> None:
        """Have the plan be older than it is."""
        kept = read_plan_file(self.plan_file)
        made = kept.plan.made - timedelta(hours=hours)
        write_plan_file(self.plan_file, replace(kept, plan=replace(kept.plan, made=made)))

    def value(self, record: int, field: str) -> object:
        """What the service holds there now."""
        text = self.service.record("operations/lots", f"lot-{record:06d}")
        assert text is not None
        return json.loads(text).get(field)

    def report(self) -> list[dict[str, str]]:
        """The report's rows."""
        text = (self.home / "lots.plan.outcome.csv").read_text()
        return list(csv.DictReader(io.StringIO(text)))

    def outcomes(self) -> dict[str, str]:
        """What became of each row, by its number."""
        return {row["row"]: row["outcome"] for row in self.report()}

    def writes(self) -> list[str]:
        """The writes that arrived, by the last part of their target."""
        return [one.target.rpartition("/")[2] for one in self.service.attempts if one.method != "GET"]

    def journal(self) -> tuple[list[JournalEntry], list[Run]]:
        """What the program wrote down, newest first."""

        async def read() -> tuple[list[JournalEntry], list[Run]]:
            async with Store.open(self.home / "state" / "svc-tui" / "svc-tui.db") as store:
                scope = StorageScope("env", Environment.SANDBOX, self.service.base_url)
                return await store.journal(scope).entries(), await store.runs(scope).runs()

        return asyncio.run(read())


@pytest.fixture
def corrections(home: Path, service: RunningService, run: RunCommand, use: Callable[[str], None]) -> Corrections:
    """Those of a user of the embedded service with 30 lots."""
    use("sandbox")
    return Corrections(home, service, run)
