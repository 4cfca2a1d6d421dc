"""What a running service is made of, for its places and for the control routes alike."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from svc_tui.sandbox.access.keys import LIVE_PREFIX, TEST_PREFIX, KeyStore
from svc_tui.sandbox.access.rate_limit import RateLimiter
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
    """What the whole service has one of, and the data of each place by its name.

    `turn` is held by whoever changes the service by a control route: they come one after the other.
    """

    options: SandboxOptions
    keys: KeyStore = field(repr=False)
    faults: FaultInjector
    attempts: RequestLog
    clock: ServiceClock
    stores: Mapping[str, SandboxStore]
    limiter: RateLimiter = field(default_factory=RateLimiter)
    turn: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def store(self, place: str = "") -> SandboxStore:
        """The data of a place, of the first where none is named; KeyError where there is no such place."""
        return self.stores[place or next(iter(self.stores))]
