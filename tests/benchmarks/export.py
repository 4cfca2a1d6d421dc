"""How long a whole collection takes to become a file, against a bare loop of httpx over the same pages.

Both are programs of their own, timed from start to end, and ask the embedded service, a third one, for the same pages.
The bare loop doesn't sign, gives up digits that a float can't hold, and asks for a page when the one before is written;
`svc-tui export` does none of that, and may ask ahead.
"""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from time import perf_counter

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from tests.terminal import quiet_environment

RECORDS = 100_000
PAGE_SIZE = 200
"""The most that the service gives on a page."""

ROUNDS = 3

BARE = """
import asyncio, json, os, sys
import httpx
async def export(file):
    headers = {"Authorization": f"Bearer {os.environ['SVC_API_KEY']}"}
    url = f"{os.environ['SVC_SANDBOX_BASE_URL']}/v1/operations/lots"
    async with httpx.AsyncClient(headers=headers) as client:
        number, came, total = 1, 0, 1
        while came < total:
            answer = await client.get(url, params={"page": number, "limit": sys.argv[2]})
            page = answer.raise_for_status().json()
            for item in page["items"]:
                file.write(json.dumps(item) + "\\n")
            number, came, total = number + 1, came + len(page["items"]), page["meta"]["total"]
with open(sys.argv[1], "w") as file:
    asyncio.run(export(file))
"""


def measure_export(records: int = RECORDS) -> float:
    """Records a second, ours over the bare loop's: the median of rounds in turn."""
    with SandboxProcess.start(SandboxOptions(records=records)) as service, tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "lots.jsonl"
        live, sandbox = service.key("live"), service.key("sandbox")
        assert live.signing_secret is not None
        signed = quiet_environment(
            Path(directory),
            SVC_API_KEY=live.api_key,
            SVC_SIGNING_SECRET=live.signing_secret,
            SVC_BASE_URL=service.base_url,
        )
        unsigned = quiet_environment(
            Path(directory), SVC_API_KEY=sandbox.api_key, SVC_SANDBOX_BASE_URL=service.base_url
        )
        ours = ["-m", "svc_tui", "export", "operations/lots", "--page-size", str(PAGE_SIZE), "-o", str(file)]
        bare = ["-c", BARE, str(file), str(PAGE_SIZE)]

        def seconds(arguments: list[str], environment: Mapping[str, str]) -> float:
            begun = perf_counter()
            subprocess.run([sys.executable, *arguments], env=environment, check=True)
            taken = perf_counter() - begun
            with file.open("rb") as lines:
                assert sum(1 for _ in lines) == records
            file.unlink()
            return taken

        return median([1 / (seconds(ours, signed) / seconds(bare, unsigned)) for _ in range(ROUNDS)])
