"""`svc-tui sandbox`: one line of JSON, then the service."""

import json
import signal
import urllib.request

import pytest

from svc_tui.sandbox.faults import FAULTS
from tests.cli.conftest import Run, Start


def test_the_first_line_is_all_that_a_client_needs(start: Start) -> None:
    process = start("sandbox", "--records", "10")
    assert process.stdout is not None
    announced = json.loads(process.stdout.readline())
    assert set(announced) == {"base_url", "keys"}
    keys = {key["name"]: key for key in announced["keys"]}
    assert set(keys["live"]) == {"name", "api_key", "signing_secret", "note"}
    request = urllib.request.Request(
        f"{announced['base_url']}/v1/operations/lots?limit=3",
        headers={"Authorization": f"Bearer {keys['sandbox']['api_key']}"},
    )
    with urllib.request.urlopen(request) as answer:
        assert len(json.loads(answer.read())["items"]) == 3
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.parametrize("command", ["demo", "sandbox"])
def test_help_lists_every_fault(run: Run, command: str) -> None:
    told = run(command, "--help").out.decode()
    _, _, faults = told.partition("Faults:")
    assert {line.split()[0] for line in faults.splitlines() if line.startswith("  ") and line[2] != " "} == set(FAULTS)
