"""Two tenants of one service: the same base URL with another key and other records, one after the other."""

from collections.abc import Iterator
from contextlib import contextmanager

from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.fixed_keys import fixed

NORTH = IssuedKey("sandbox", "svc_test_of-the-northern-mine", None)
SOUTH = IssuedKey("sandbox", "svc_test_of-the-southern-mine", None)


@contextmanager
def serving(key: IssuedKey, port: int = 0, records: int = 30) -> Iterator[RunningService]:
    """Run the service for the tenant of a key; each has data of its own."""
    seed = 1 if key is NORTH else 2
    with running_service(SandboxOptions(port=port, records=records, seed=seed, keys=fixed(key))) as service:
        yield service


def port_of(service: RunningService) -> int:
    """The port of a service, for the next tenant's."""
    return int(service.base_url.rpartition(":")[2])
