"""Runs the embedded service alone, and says how it is to run beside the browser."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from svc_tui.bootstrap.start import Notify, translate_errors

if TYPE_CHECKING:
    from pathlib import Path

    from svc_tui.sandbox.options import SandboxOptions


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """How the embedded service is to run; see `sandbox.options.SandboxOptions`."""

    host: str = "127.0.0.1"
    port: int = 0
    records: int | None = None
    latency_ms: int = 0
    faults: tuple[str, ...] = ()
    database: "Path | None" = None


def run_sandbox(service: ServiceOptions, announce: Notify) -> int:
    """Run the embedded service until it is told to stop; gives the exit status. Raises CommandFailure."""
    from svc_tui.sandbox.server.serve import serve

    with translate_errors():
        serve(sandbox_options(service), announce)
    return 0


def fault_meanings() -> tuple[tuple[str, str], ...]:
    """Every trouble that the embedded service can make, by name, with what it means."""
    from svc_tui.sandbox.faults import FAULTS

    return tuple((fault.name, fault.meaning) for fault in FAULTS.values())


def sandbox_options(service: ServiceOptions) -> "SandboxOptions":
    """The same in the embedded service's own words."""
    from svc_tui.sandbox.options import SandboxOptions

    return SandboxOptions(
        host=service.host,
        port=service.port,
        records=service.records,
        latency_ms=service.latency_ms,
        faults=service.faults,
        database=service.database,
    )
