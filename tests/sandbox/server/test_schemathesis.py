"""Requests made up from the document, right and wrong, sent to the running service: it keeps to what it says.

Each route of a kind is served by the same handler, so one collection stands for those like it.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
from svc_tui.sandbox.variants import Variants
from tests.optional import skip_without

TOKEN = "a token of the test"

# In a process of its own: what it loads, patches and warns of stays out of the other tests.
COMMAND = (sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()")
CONFIG = Path(__file__).with_name("schemathesis.toml")

COLLECTIONS = "^/v1/(operations/(lots|custody|hash-chain)|environment/monitoring)"

SETTLED = {
    "usual": {},
    "other": {
        "ids": "awkward",
        "meta": "next",
        "over-cap": "refused",
        "filters": "refused",
        "errors": "problem",
        "idempotency": "ignored",
        "if-match": "ignored",
        "bodies": "any",
        "removed": "confirmed",
    },
}


def tried(variants: dict[str, str], paths: str, *options: str) -> int:
    """How many requests were made to the operations below these paths; fails with what was found."""
    skip_without("schemathesis")
    settled = SandboxOptions(records=20, variants=Variants(variants), control_token=TOKEN)
    with running_service(settled) as service:
        words = [f"--config-file={CONFIG}", "run", f"{service.base_url}/control/openapi.json"]
        words += [f"--url={service.base_url}", f"--header=x-svc-control:{TOKEN}", f"--include-path-regex={paths}"]
        words += ["--seed=1", "--generation-deterministic", *options]
        ran = subprocess.run(
            [*COMMAND, *words],
            env={**os.environ, "API_KEY": service.key("sandbox").api_key, "CONTROL_TOKEN": TOKEN},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout[-20_000:] + ran.stderr[-5_000:]
    made = re.search(r"(\d+) generated, \1 passed", ran.stdout)
    assert made is not None, ran.stdout[-20_000:]
    return int(made[1])


@pytest.mark.parametrize("settled", SETTLED)
def test_the_service_keeps_to_its_document(settled: str) -> None:
    assert tried(SETTLED[settled], COLLECTIONS, "--max-examples=5") > 500


def test_the_control_routes_keep_to_the_document() -> None:
    # No control route leads to another: there are no links to follow.
    assert tried({}, "^/control/", "--max-examples=10", "--phases=coverage,fuzzing") > 300
