"""A run of another program: not to be had while that one lives, and taken up once it was killed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from svc_tui.core.jsontext import loads
from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import quiet_environment, terminal

pytestmark = pytest.mark.terminal

OTHER = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.plan import Plan, PlanRow
from svc_tui.storage.store import Store

EDITS = {"mineral": "testite"}

async def main(path, base_url, *minerals):
    rows = [
        PlanRow(at, record_id=f"lot-00000{at}", base={"mineral": old}, edits=EDITS, fields=("mineral",))
        for at, old in enumerate(minerals, 1)
    ]
    async with Store.open(Path(path)) as store:
        scope = StorageScope("env", Environment.SANDBOX, base_url)
        await store.runs(scope).keep(Plan("b-1", COLLECTIONS[0], tuple(rows), datetime.now(UTC)))
        print("at it", flush=True)
        sys.stdin.read()

asyncio.run(main(*sys.argv[1:]))
"""


def mineral(service: RunningService, record_id: str) -> str:
    """What a lot is of, as the service holds it."""
    record = loads(service.record("operations/lots", record_id) or "")
    assert isinstance(record, dict)
    return str(record["mineral"])


def test_a_run_is_not_to_be_had_while_its_program_lives_and_is_taken_up_once_that_was_killed(
    service: RunningService, tmp_path: Path
) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    database = tmp_path / "state" / "svc-tui" / "svc-tui.db"

    def minerals_now() -> list[str]:
        return [mineral(service, record_id) for record_id in ("lot-000001", "lot-000002")]

    command = [sys.executable, "-c", OTHER, str(database), service.base_url, *minerals_now()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "at it\n"
            with terminal(["lots"], environment) as user:
                user.sees(r"lot-000001 ")
                steps.dismisses(user, r"running in another window")
                user.press("@")
                user.sees(r"─ Journal")
                user.press("b")
                user.sees(r"running in another window")
                assert "Cancel the rest" not in user.text
                other.send_signal(signal.SIGKILL)
                other.wait()
                user.press("@")
                user.sees(r"─ Journal")
                user.press("b")
                user.sees(r"mineral of 2 lots: 0 of 2 done")
                user.sees(r"Resume: 2 remaining records")
                user.press("enter")
                user.sees(r"Change mineral of 2 lots")
                user.press("y")
                user.until(lambda: minerals_now() == ["testite"] * 2, "the changes never arrived")
                user.sees(r"Changed mineral")
                user.loses(r"Change mineral of 2 lots")
                steps.quits(user)
        finally:
            other.kill()
