"""What a running service is made of, for its places and for the control routes alike."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from svc_tui.sandbox.access.keys import LIVE_PREFIX, TEST_PREFIX, KeyStore
from svc_tui.sandbox.clock import ServiceClock
from svc_tui.sandbox.data.store import SandboxStore
from svc_tui.sandbox.faults import FaultInjector
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.request_log import RequestLog

PLACES = {"live": LIVE_PREFIX, "test": TEST_PREFIX}
"""The two places of a service that is split, and what the keys of each begin with."""

WHOLE = "all"
"""The only place of a service that is not."""


@dataclass(frozen=True, slots=True)
class ServiceState:
    """Keys, faults, attempts and clock of the whole service, and the data of each place by its name."""

    options: SandboxOptions
    keys: KeyStore = field(repr=False)
    faults: FaultInjector
    attempts: RequestLog
    clock: ServiceClock
    stores: Mapping[str, SandboxStore]

    def store(self, place: str = "") -> SandboxStore:
        """The data of a place, of the first where none is named; KeyError where there is no such place."""
        return self.stores[place or next(iter(self.stores))]
