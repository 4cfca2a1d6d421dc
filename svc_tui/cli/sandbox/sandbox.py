"""`svc-tui sandbox`: the embedded service alone."""

from typing import TYPE_CHECKING

import click

from svc_tui.cli.options import FilePath, shared_options
from svc_tui.cli.output.stdout import is_terminal, print_line
from svc_tui.cli.sandbox.control import ctl
from svc_tui.cli.service_options import ServiceGroup, service_options, variant_option

if TYPE_CHECKING:
    from pathlib import Path


@click.group(cls=ServiceGroup, invoke_without_command=True)
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Listen on this IP address, or localhost."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    show_default=True,
    metavar="N",
    help="Listen on this port; 0: any free port.",
)
@service_options
@click.option(
    "--keys",
    "key_file",
    type=FilePath(),
    metavar="FILE",
    help="Use the keys in this JSON file, in the format of the first output line.",
)
@click.option("--split", is_flag=True, help="Serve live and test keys on two ports, each with its own data.")
@click.option(
    "--clock-offset",
    type=int,
    default=0,
    show_default=True,
    metavar="SECONDS",
    help="Set the clock of the sandbox to the real time plus SECONDS (negative: behind).",
)
@click.option(
    "--control-token",
    envvar="SVC_SANDBOX_TOKEN",
    show_envvar=True,
    metavar="TOKEN",
    help="Turn on the control routes for svc-tui sandbox ctl, with this token of at least 8 characters. To hide it "
    "from the process list, set SVC_SANDBOX_TOKEN instead.",
)
@click.option("--json", "as_json", is_flag=True, help="Print only the JSON line, even in a terminal.")
@shared_options
@click.pass_context
def sandbox(
    ctx: click.Context,
    host: str,
    port: int,
    records: int | None,
    seed: int | None,
    latency_ms: int,
    faults: tuple[str, ...],
    variants: tuple[str, ...],
    database: "Path | None",
    key_file: "Path | None",
    split: bool,
    clock_offset: int,
    control_token: str | None,
    as_json: bool,
) -> int:
    """Run the local sandbox, to test a client.

    It is the sandbox of svc-tui demo. ctrl+c stops it.

    The first line on stdout is a JSON object. base_url is its URL; with --split there is also sandbox_base_url, for
    test keys. keys is a list of objects with name, api_key, signing_secret and note. For more, read the page "Test your
    own client" of the guide (svc-tui, F1).

    \b
    Examples:
      svc-tui sandbox --port 8000
      svc-tui sandbox --keys keys.json --seed 7 --split
      svc-tui sandbox --records 100 --database mine.db --faults 500:10
      svc-tui sandbox --variant meta=count --variant errors=problem
    """
    if ctx.invoked_subcommand:
        return 0
    from svc_tui.bootstrap.sandbox.service import ServiceOptions, run_sandbox
    from svc_tui.cli.output.sandbox_report import running_lines

    def announce(line: str) -> None:
        print_line(line)
        if is_terminal() and not as_json:
            for words in running_lines(line, control=bool(control_token)):
                click.echo(words, err=True)

    service = ServiceOptions(
        host,
        port,
        records,
        latency_ms,
        faults,
        database,
        key_file,
        seed,
        clock_offset,
        variants,
        split,
        control_token or None,
    )
    return run_sandbox(service, announce)


@sandbox.command()
@variant_option
@shared_options
def openapi(variants: tuple[str, ...]) -> int:
    """Print the OpenAPI 3.1 document of the sandbox.

    It includes the control routes. svc-tui sandbox --help lists the variants.

    \b
    Examples:
      svc-tui sandbox openapi > service.json
      svc-tui sandbox openapi --variant errors=problem
    """
    import json

    from svc_tui.bootstrap.sandbox.service import openapi_document

    print_line(json.dumps(openapi_document(variants), indent=2, ensure_ascii=False))
    return 0


sandbox.add_command(ctl)
