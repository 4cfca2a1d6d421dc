"""Runs the embedded service alone, and says how it is to run beside the browser."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from svc_tui.bootstrap.start import translate_errors

if TYPE_CHECKING:
    from pathlib import Path

    from svc_tui.sandbox.options import SandboxOptions


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """How the embedded service is to run; see `sandbox.options.SandboxOptions`.

    `key_file` holds the keys to fix, `variants` are `NAME=VALUE`.
    """

    host: str = "127.0.0.1"
    port: int = 0
    records: int | None = None
    latency_ms: int = 0
    faults: tuple[str, ...] = ()
    database: "Path | None" = None
    key_file: "Path | None" = None
    seed: int | None = None
    clock_offset: int = 0
    variants: tuple[str, ...] = ()
    split: bool = False
    control_token: str | None = field(default=None, repr=False)


def run_sandbox(service: ServiceOptions, announce: Callable[[str], None]) -> int:
    """Run the embedded service until it is told to stop; gives the exit status. Raises CommandFailure.

    `announce` gets the line of JSON that says where it answers and which keys it takes.
    """
    from svc_tui.sandbox.server.serve import serve

    with translate_errors():
        serve(sandbox_options(service), announce)
    return 0


def openapi_document(variants: tuple[str, ...]) -> Mapping[str, Any]:
    """The OpenAPI document of the embedded service; raises CommandFailure."""
    from svc_tui.sandbox.server.openapi import openapi_document as document
    from svc_tui.sandbox.variants import parse_variants

    with translate_errors():
        return document(parse_variants(variants))


def fault_meanings() -> tuple[tuple[str, str], ...]:
    """Every trouble that the embedded service can make, by name, with what it means."""
    from svc_tui.sandbox.faults import FAULTS

    return tuple((fault.name, fault.meaning) for fault in FAULTS.values())


def variant_values() -> tuple[tuple[str, str], ...]:
    """Every variant by name, with what it is about and its values, the usual one first."""
    from svc_tui.sandbox.variants import OPEN_POINTS

    return tuple(
        (name, f"{point.not_shown[:1].lower()}{point.not_shown[1:]}: {', '.join(point.ways)}")
        for name, point in OPEN_POINTS.items()
    )


def sandbox_options(service: ServiceOptions) -> "SandboxOptions":
    """The same in the embedded service's own words; raises SandboxError."""
    from svc_tui.sandbox.options import SandboxOptions
    from svc_tui.sandbox.variants import parse_variants

    return SandboxOptions(
        host=service.host,
        port=service.port,
        records=service.records,
        latency_ms=service.latency_ms,
        faults=service.faults,
        database=service.database,
        keys=_keys_of(service.key_file),
        control_token=service.control_token,
        seed=service.seed,
        clock_offset=service.clock_offset,
        variants=parse_variants(service.variants),
        split=service.split,
    )


def _keys_of(file: "Path | None") -> "tuple[Any, ...]":
    if file is None:
        return ()
    from svc_tui.sandbox.access.key_file import read_key_file

    return read_key_file(file)
