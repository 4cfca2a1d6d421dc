"""`svc-tui demo`: the embedded service, and the browser on it."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.cli import completers
from svc_tui.cli.options import corrections_option, current_options, shared_options
from svc_tui.cli.service_options import ServiceCommand, service_options

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=ServiceCommand)
@click.argument("place", required=False, shell_complete=completers.place)
@service_options
@click.option("--live", is_flag=True, help="Use a live key: requests are signed, and LIVE is locked until you press w.")
@corrections_option
@click.option("--tour", is_flag=True, help="Start with a tour of ten short steps. ctrl+x ends it.")
@shared_options
def demo(
    place: str | None,
    records: int | None,
    seed: int | None,
    latency_ms: int,
    faults: tuple[str, ...],
    variants: tuple[str, ...],
    database: "Path | None",
    live: bool,
    corrections: str,
    tour: bool,
) -> int:
    """Open full-screen mode with fictional data (local sandbox).

    The sandbox runs on this computer until you quit. Your changes are then lost, unless you use --database. The
    demo never uses your profiles, keys or base URLs. PLACE is the same as for svc-tui browse.

    \b
    Examples:
      svc-tui demo
      svc-tui demo --tour
      svc-tui demo lots --records 100000 --latency-ms 80
      svc-tui demo --live --faults 429:20
    """
    from svc_tui.bootstrap.demo import demo as browse_service
    from svc_tui.bootstrap.sandbox.service import ServiceOptions

    service = ServiceOptions(
        records=records, seed=seed, latency_ms=latency_ms, faults=faults, variants=variants, database=database
    )
    return browse_service(place, current_options(), service, os.environ, live=live, tour=tour, corrections=corrections)
