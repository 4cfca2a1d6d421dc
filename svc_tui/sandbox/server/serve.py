"""The service in the foreground: announces itself in one line, then runs until it is told to stop."""

import json
import signal
import threading
from collections.abc import Callable
from types import FrameType

from svc_tui.platform.signals import STOPPING, wait_for
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service

Announce = Callable[[str], None]


def serve(options: SandboxOptions, announce: Announce) -> None:
    """Runs until a signal stops it; `announce` gets the one line of JSON that names address and keys.

    Belongs in the main thread. Raises SandboxError if the service cannot start.
    """
    stop = threading.Event()

    def stopped(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, stopped) for number in STOPPING}
    try:
        serve_until(stop, options, announce)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def serve_until(stop: threading.Event, options: SandboxOptions, announce: Announce) -> None:
    """Runs until `stop` is set; raises SandboxError if the service cannot start."""
    with running_service(options) as service:
        announce(announcement(service))
        wait_for(stop)


def announcement(service: RunningService) -> str:
    """`{"base_url": …, "keys": [{name, api_key, signing_secret, note}, …]}` on one line.

    A service that is split has a `sandbox_base_url` too, where test keys work.
    """
    urls = dict(zip(("base_url", "sandbox_base_url"), service.base_urls.values(), strict=False))
    return json.dumps({**urls, "keys": [key.announced() for key in service.keys]})
