"""A long run that is killed again and again on a service that makes trouble: what was done twice, or told wrongly."""

import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import sleep

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service

_UPDATES, _CREATIONS, _DELETIONS = 8, 1, 1
"""Of so many rows, how many are changes, new records and deletions."""


@dataclass(frozen=True, slots=True)
class CrashFigures:
    """So many rows, carried out with so many kills in `starts` starts; `twice` and `wrong` rows must be none.

    `twice` are rows that were done more than once, `wrong` those of which the report says otherwise than the service.
    `outcomes` counts the report's words.
    """

    rows: int
    kills: int
    starts: int
    twice: int
    wrong: int
    outcomes: Mapping[str, int]


def measure_crashes(rows: int = 500, kills: int = 50, seed: int = 0) -> CrashFigures:
    """Carry out a plan of so many rows; the program is killed so often at random moments, and goes on each time."""
    chosen = random.Random(seed)
    share = rows // (_UPDATES + _CREATIONS + _DELETIONS)
    changed, made = share * _UPDATES, share * _CREATIONS
    deleted = rows - changed - made
    with (
        tempfile.TemporaryDirectory() as directory,
        running_service(SandboxOptions(records=rows, faults=("500:10", "reset:10"))) as service,
    ):
        user = _User(Path(directory), service)
        lines = [f"lot-{number:06d},,{number}.5," for number in range(1, changed + 1)]
        lines += [f",,1,Made {number}" for number in range(made)]
        lines += [f"lot-{number:06d},delete,," for number in range(changed + 1, changed + deleted + 1)]
        user.plan("\n".join(("id,_action,massKg,name", *lines, "")))
        killed, starts, between = 0, 0, max(1, rows // (kills + 1))
        resume: tuple[str, ...] = ()
        while True:
            process = user.start("apply", user.plan_file, *resume)
            starts, resume = starts + 1, ("--resume",)
            goal = user.written + chosen.randint(1, between)
            while killed < kills and process.poll() is None and user.written < goal:
                sleep(0.002)
            if killed < kills and process.poll() is None:
                sleep(0.02 * chosen.random())
                process.kill()
                process.communicate()
                killed += 1
            elif b"not sent" not in process.communicate()[1]:
                break
        return _figures(user, changed, made, deleted, killed, starts)


class _User:
    """Somebody's files, and the program run on them."""

    def __init__(self, home: Path, service: RunningService) -> None:
        self.service = service
        self._file, self.plan_file = home / "lots.csv", str(home / "lots.plan.json")
        self.report = home / "lots.plan.outcome.csv"
        self._variables = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")} | {
            "SVC_API_KEY": service.key("sandbox").api_key,
            "SVC_SANDBOX_BASE_URL": service.base_url,
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_STATE_HOME": str(home / "state"),
        }

    @property
    def written(self) -> int:
        """How many writes have arrived lately."""
        return sum(attempt.method != "GET" for attempt in self.service.attempts)

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        """Start the program."""
        command = [sys.executable, "-m", "svc_tui", *words]
        return subprocess.Popen(command, env=self._variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def plan(self, text: str) -> None:
        """Make the plan; the service's troubles may need a second try."""
        self._file.write_text(text)
        status = None
        while status != 4:
            process = self.start("plan", "lots", str(self._file), "-o", self.plan_file)
            process.communicate()
            status = process.returncode


def _figures(user: _User, changed: int, made: int, deleted: int, kills: int, starts: int) -> CrashFigures:
    with user.report.open(newline="") as file:
        outcomes = {int(row["row"]): row["outcome"] for row in csv.DictReader(file)}
    service, numbers = user.service, iter(range(2, 2 + changed + made + deleted))
    created = Counter(
        json.loads(text)["name"]
        for number in range(changed + deleted + made, 3 * (changed + deleted + made))
        if (text := service.record("operations/lots", f"lot-{number:06d}")) is not None
    )
    twice = wrong = 0
    for number in range(1, changed + 1):
        text = service.record("operations/lots", f"lot-{number:06d}")
        done = text is not None and json.loads(text)["massKg"] == number + 0.5
        wrong += (outcomes[next(numbers)] == "done") != done
    for number in range(made):
        count, outcome = created[f"Made {number}"], outcomes[next(numbers)]
        twice += count > 1
        wrong += outcome != "unknown" and (outcome == "done") != (count == 1)
    for number in range(changed + 1, changed + deleted + 1):
        gone = service.record("operations/lots", f"lot-{number:06d}") is None
        wrong += (outcomes[next(numbers)] in ("done", "already so")) != gone
    keys: dict[str, set[str | None]] = {}
    for attempt in service.attempts:
        if attempt.method in ("PATCH", "DELETE") and (attempt.status or 500) < 300:
            keys.setdefault(f"{attempt.method} {attempt.target}", set()).add(attempt.idempotency_key)
    twice += sum(len(found) > 1 for found in keys.values())
    return CrashFigures(changed + made + deleted, kills, starts, twice, wrong, Counter(outcomes.values()))
