"""`svc-tui sandbox`: the embedded service alone."""

from typing import TYPE_CHECKING

import click

from svc_tui.cli.options import shared_options
from svc_tui.cli.service_options import ServiceCommand, service_options

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=ServiceCommand)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, show_default=True, metavar="N", help="0: any free port."
)
@service_options
@shared_options
def sandbox(
    host: str, port: int, records: int | None, latency_ms: int, faults: tuple[str, ...], database: "Path | None"
) -> int:
    """Run the embedded service until ctrl+c.

    The first line on stdout is one JSON object: base_url, and keys, a list of name, api_key, signing_secret, note.

    \b
    Examples:
      svc-tui sandbox --port 8000
      svc-tui sandbox --records 100 --database mine.db --faults 500:10
    """
    from svc_tui.bootstrap.service import ServiceOptions, run_sandbox

    return run_sandbox(ServiceOptions(host, port, records, latency_ms, faults, database), click.echo)
