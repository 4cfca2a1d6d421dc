"""The main job, end to end: find a record, fix it, send it, see it everywhere, and leave the terminal as it was."""

import json
import subprocess
from pathlib import Path

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from tests.e2e import steps
from tests.terminal import PATIENCE, PROGRAM, Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal

WIDE, NARROW = (120, 40), (80, 24)
LAST = "lot-000300"


def fixes_the_last_lot(user: Terminal, *, live: bool) -> None:
    """From the first page to the answer of the write."""
    user.sees(r"lot-000001 ")
    user.press("G")
    user.sees(rf"{LAST} ")
    steps.opens_record(user, LAST)
    steps.edits(user, LAST, "name", "Renamed")
    if live:
        user.sees(r"LOCKED")
    steps.reviews(user, LAST)
    if live:
        user.sees(r"LIVE is locked\. +esc .+w Unlock LIVE")
        steps.unlocks(user)
    user.sees(r" LIVE   Change" if live else r"Change")
    user.sees(r"\+ Renamed")
    user.sees(rf"PATCH /v1/operations/lots/{LAST}")
    user.press("y")
    steps.dismisses(user, rf"Saved {LAST}")


def sees_it_everywhere(user: Terminal) -> None:
    """In the record, the journal, the console and the table."""
    user.sees(rf"─ (lots / )?{LAST} ")
    user.sees(r"[ ▌]name +Renamed ")
    user.press("@")
    user.sees(rf"{LAST} +✓ done")
    user.sees(r'name: .+ → "?Renamed"?')
    steps.closes(user, r"─ Journal ·")
    steps.requests(user, f"/v1/operations/lots/{LAST}")
    user.sees(r"✓ 200 OK")
    user.sees(r'"name": "Renamed"')
    steps.closes(user, r"─ Console ─")
    user.sees(rf"{LAST}  Renamed ")


@pytest.mark.parametrize(("live", "size"), [(False, WIDE), (True, NARROW)], ids=["sandbox", "live"])
def test_a_record_of_the_demo_is_found_fixed_and_seen_everywhere(
    tmp_path: Path, live: bool, size: tuple[int, int]
) -> None:
    words = ["demo", "--records", "300", *(["--live"] if live else [])]
    with terminal(words, quiet_environment(tmp_path), *size) as user:
        user.sees(r"LIVE .*signed.*LOCKED" if live else r"SANDBOX .*unsigned")
        fixes_the_last_lot(user, live=live)
        sees_it_everywhere(user)
        steps.quits(user)


@pytest.mark.parametrize(("key", "size"), [("sandbox", NARROW), ("live", WIDE)], ids=["sandbox", "live"])
def test_a_record_of_a_service_is_fixed_and_another_process_reads_it(
    tmp_path: Path, key: str, size: tuple[int, int]
) -> None:
    with SandboxProcess.start(SandboxOptions(records=300)) as service:
        environment = quiet_environment(tmp_path, **steps.connection(service, key))
        with terminal([], environment, *size) as user:
            fixes_the_last_lot(user, live=key == "live")
            sees_it_everywhere(user)
            read = subprocess.run(
                [*PROGRAM, "request", "GET", f"/v1/operations/lots/{LAST}"],
                env=environment,
                capture_output=True,
                timeout=PATIENCE,
                check=True,
            )
            assert json.loads(read.stdout)["name"] == "Renamed"
            assert read.stderr == b""
            steps.quits(user)
