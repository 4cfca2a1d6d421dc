"""What holds for every test: it fails for what the program does, never for how fast the machine is that day.

A test that needs the embedded service has one of its own, in its own process, small.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests import budget

if sys.platform != "win32":  # it needs fcntl and pwd
    from tests.postgres import OwnDatabase, OwnServer, Server, own_database, shared_server

# Python's own thresholds (700, 10, 10) cost flow tests 29 % of their CPU time.
gc.set_threshold(50_000, 20, 100)

# A shell that starts the tests in the background has them ignore an interrupt, and whatever they start after them.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take `--deep`."""
    parser.addoption("--deep", action="store_true", help="give property tests and storms their large budgets")


def pytest_configure(config: pytest.Config) -> None:
    """Settle the budget before a module of tests reads it."""
    budget.deep = config.getoption("--deep")
    # The same examples at each run: a failure is of the change that is being tested.
    settings.register_profile(
        "steady",
        max_examples=budget.share_of(100),
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("steady")


def pytest_collection_finish() -> None:
    """Leave out of every later collection of garbage what stays to the end: modules and the tests themselves."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def service() -> Iterator[RunningService]:
    """The embedded service with 300 lots."""
    with running_service(SandboxOptions(records=300)) as service:
        yield service


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The PostgreSQL server of this run of the tests, which all workers share."""
    own = tmp_path_factory.getbasetemp()
    with shared_server(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) as server:
        yield server


@pytest.fixture
def team_database(postgres: Server) -> Iterator[OwnDatabase]:
    """An empty database on it."""
    with own_database(postgres) as database:
        yield database


@pytest.fixture
def own_postgres() -> Iterator[OwnServer]:
    """A server that the test may end and start again."""
    server = OwnServer()
    yield server
    server.close()


@pytest.fixture(autouse=True, scope="session")
def _rest_is_known() -> Iterator[None]:
    """After a key or a click, Textual's test driver waits until the app has come to rest."""
    if "textual.app" not in sys.modules:  # takes 0.5 s to load, which a test of anything else need not wait for
        yield
        return
    from tests.rest import come_to_rest

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textual.app.wait_for_idle", come_to_rest)
        patch.setattr("textual.pilot.wait_for_idle", come_to_rest)
        yield


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """A long text is named by its length: every worker holds the names of all tests, many times over."""
    return f"{argname}-of-{len(val)}" if isinstance(val, str | bytes) and len(val) > 200 else None
