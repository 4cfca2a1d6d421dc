"""The page of the guide that is made from the service's tables: it is as they are, and holds all of them."""

import subprocess
import sys
from importlib.resources import files

import pytest

from svc_tui.sandbox.access.keys import POLICIES
from svc_tui.sandbox.data.resources import ATTACHMENT_RULES, RULES
from svc_tui.sandbox.errors import ERROR_CODES
from svc_tui.sandbox.faults import FAULTS
from svc_tui.sandbox.reference import sandbox_reference
from svc_tui.sandbox.server.control import CONTROL_ROUTES
from svc_tui.sandbox.server.endpoints import ENDPOINTS
from svc_tui.sandbox.variants import OPEN_POINTS

MAKE = "python -m svc_tui.sandbox.reference > svc_tui/guide/testing-reference.md"


def test_the_page_of_the_guide_is_what_the_service_works_by() -> None:
    page = (files("svc_tui") / "guide" / "testing-reference.md").read_text(encoding="utf-8")
    if page != sandbox_reference():
        pytest.fail(f"the page is not what the service's tables say; make it anew and look at what changed:\n{MAKE}")


def test_it_is_written_as_the_message_says() -> None:
    words = MAKE.partition(" >")[0].split()[1:]
    written = subprocess.run([sys.executable, *words], capture_output=True, check=True, timeout=60)
    assert written.stdout.decode() == sandbox_reference()


def test_nothing_of_the_tables_is_left_out() -> None:
    page = sandbox_reference()
    fields = {name for rules in (*RULES.values(), ATTACHMENT_RULES) for name in rules}
    ways = {way for point in OPEN_POINTS.values() for way in point.ways}
    names = {*OPEN_POINTS, *ways, *FAULTS, *ERROR_CODES, *RULES, *fields, *(policy.name for policy in POLICIES)}
    assert {name for name in names if f"`{name}`" not in page} == set()
    assert {
        route.path for route in CONTROL_ROUTES if f"### `{route.method} /control/{route.path}`" not in page
    } == set()
    for route in CONTROL_ROUTES:
        said = page.split(f"### `{route.method} /control/{route.path}`\n")[1].split("\n#")[0]
        assert {*route.query, *route.answers, *(route.body.model_fields if route.body else ())} == {
            line.split("`")[1] for line in said.splitlines() if line.startswith(("| query", "| body", "| response"))
        }
    for endpoint in ENDPOINTS:
        assert f"`{endpoint.method}` {endpoint.operation}" in page.split(f"\n| `{endpoint.path}` |")[1].split("\n")[0]


def test_every_usual_way_is_marked_and_no_other() -> None:
    page = sandbox_reference()
    for point in OPEN_POINTS.values():
        said = page.split(f"### `{point.name}`\n")[1].split("\n#")[0]
        assert [line.split("`")[1] for line in said.splitlines() if "(default)" in line] == [point.usual]


@pytest.mark.parametrize(
    "line",
    [
        "| body | `count` | number of requests that it affects; not used with `every`; 1 to 1,000,000; default: `1` |",
        "| response | `offset_seconds` | seconds that its clock is ahead |",
        "| `rate.per_second` | average requests per second; 0.001 to 1,000,000; required |",
        "| `reset` | writes, 1 in 5 | the connection is reset after the write is saved |",
        "| `hold` | all | the response waits until `ctl release` |",
        "| one of `open`, `in_transit`, `closed`, `rejected` | `status` |",
        "| text; required | `fileName` |",
        "| set by the service | `id`, `createdAt`, `updatedAt` |",
    ],
)
def test_limits_and_what_is_usual_are_told(line: str) -> None:
    assert line in sandbox_reference().splitlines()
