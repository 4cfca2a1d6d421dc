"""`svc-tui sandbox ctl`: what a running service is told, and what it tells."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from svc_tui.cli import completers
from svc_tui.cli.help_layout import SectionedGroup
from svc_tui.cli.options import shared_options
from svc_tui.cli.output.stdout import print_line

if TYPE_CHECKING:
    from svc_tui.bootstrap.sandbox.control import ControlTarget

F = TypeVar("F", bound=Callable[..., Any])


def _target_options(command: F) -> F:
    """The command with `--url` and `--token`, and those of every command."""
    for option in (
        shared_options,
        click.option(
            "--token",
            envvar="SVC_SANDBOX_TOKEN",
            show_envvar=True,
            default="",
            metavar="TOKEN",
            help="Control token of the sandbox. To hide it from the process list, set SVC_SANDBOX_TOKEN instead.",
        ),
        click.option(
            "--url",
            envvar="SVC_SANDBOX_URL",
            show_envvar=True,
            default="",
            metavar="URL",
            help="URL of the local sandbox, such as http://127.0.0.1:8000.",
        ),
    ):
        command = option(command)
    return command


_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of lines.")


@click.group(cls=SectionedGroup)
def ctl() -> None:
    """Control a running sandbox: faults, keys, clock, data.

    Start the sandbox with --control-token or SVC_SANDBOX_TOKEN; these commands need the same token.

    \b
    Exit status:
      0  done
      1  the sandbox refused the request
      2  the command is wrong
      3  the sandbox was not reached

    \b
    Examples:
      export SVC_SANDBOX_URL=http://127.0.0.1:8000 SVC_SANDBOX_TOKEN=for-tests
      svc-tui sandbox ctl health --wait 10
      svc-tui sandbox ctl arm 429 --count 2 --retry-after 1
      svc-tui sandbox ctl attempts
    """


@ctl.command()
@click.option(
    "--wait",
    type=click.FloatRange(0, 3_600),
    default=0.0,
    show_default=True,
    metavar="SECONDS",
    help="Wait up to SECONDS seconds for a response.",
)
@_json_option
@_target_options
def health(wait: float, as_json: bool, url: str, token: str) -> int:
    """Show whether the sandbox responds, and how it was started.

    \b
    Examples:
      svc-tui sandbox ctl health --wait 10
    """
    from svc_tui.cli.output.sandbox_report import health_lines, json_text

    told = _target(url, token).health(wait)
    _print([json_text(told)] if as_json else health_lines(told, url))
    return 0


@ctl.command()
@_target_options
def reset(url: str, token: str) -> int:
    """Reset the sandbox to its state at the start.

    This resets data, faults, keys, clock and the list of requests. Snapshots are kept.

    \b
    Examples:
      svc-tui sandbox ctl reset
    """
    return _done(url, token, "POST", "reset")


@ctl.command()
@_json_option
@_target_options
def faults(as_json: bool, url: str, token: str) -> int:
    """List the active faults and the number of affected requests.

    \b
    Examples:
      svc-tui sandbox ctl faults
    """
    from svc_tui.cli.output.sandbox_report import fault_lines, json_text

    told = _target(url, token).document("faults")
    _print([json_text(told)] if as_json else fault_lines(told))
    return 0


@ctl.command()
@click.argument("name", shell_complete=completers.fault)
@click.option("--count", type=click.IntRange(1), metavar="N", help="Affect the next N requests. Default: 1.")
@click.option(
    "--every",
    type=click.IntRange(1),
    metavar="N",
    help="Affect 1 in N requests until the fault is cleared; not with --count.",
)
@click.option(
    "--after", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Let N requests pass first."
)
@click.option(
    "--method", metavar="METHOD", shell_complete=completers.method, help="Affect only requests with this method."
)
@click.option("--path", default="", metavar="PATH", help="Affect only requests whose path begins with PATH.")
@click.option("--retry-after", metavar="TEXT", help="Send this Retry-After header. Default for 429: 1.")
@click.option(
    "--delay",
    type=click.FloatRange(0, 600),
    metavar="SECONDS",
    help="Delay of the fault 'slow' in seconds. Default: 3.",
)
@_target_options
def arm(
    name: str,
    count: int | None,
    every: int | None,
    after: int,
    method: str | None,
    path: str,
    retry_after: str | None,
    delay: float | None,
    url: str,
    token: str,
) -> int:
    """Activate a fault for the next requests.

    svc-tui sandbox --help lists the faults.

    \b
    Examples:
      svc-tui sandbox ctl arm 429 --count 2 --retry-after 1
      svc-tui sandbox ctl arm slow --delay 10 --path /v1/operations/lots
    """
    if count is not None and every is not None:
        raise click.UsageError("--count and --every can't be used together")
    body = {
        "name": name,
        "count": count,
        "every": every,
        "after": after,
        "method": method.upper() if method else None,
        "path": path,
        "retry_after": retry_after,
        "delay": delay,
    }
    return _done(url, token, "POST", "faults", body={key: value for key, value in body.items() if value is not None})


@ctl.command()
@click.argument("name", required=False, shell_complete=completers.fault)
@_target_options
def clear(name: str | None, url: str, token: str) -> int:
    """Clear a fault, or all faults.

    Responses on hold are released.

    \b
    Examples:
      svc-tui sandbox ctl clear
      svc-tui sandbox ctl clear 429
    """
    return _done(url, token, "DELETE", "faults", query={"name": name} if name else None)


@ctl.command()
@_target_options
def release(url: str, token: str) -> int:
    """Release all responses on hold.

    The fault hold keeps them waiting until then.

    \b
    Examples:
      svc-tui sandbox ctl release
    """
    return _done(url, token, "POST", "release")


@ctl.command()
@click.option(
    "--after", type=click.IntRange(0), default=0, metavar="N", help="List only requests after number N. Default: all."
)
@_json_option
@_target_options
def attempts(after: int, as_json: bool, url: str, token: str) -> int:
    """List the received requests, and why they were refused.

    Each line shows the name of the key and whether the signature is right. If it is wrong, the string to sign follows.
    Keys, secrets and signatures are never shown. The sandbox keeps the last 5,000 requests.

    \b
    Examples:
      svc-tui sandbox ctl attempts
    """
    from svc_tui.cli.output.sandbox_report import attempt_lines, json_text

    told = _target(url, token).document("attempts", {"after": str(after)})
    _print([json_text(told)] if as_json else attempt_lines(told))
    return 0


@ctl.command()
@_target_options
def forget(url: str, token: str) -> int:
    """Clear the list of received requests.

    \b
    Examples:
      svc-tui sandbox ctl forget
    """
    return _done(url, token, "DELETE", "attempts")


@ctl.command()
@click.argument("collection", shell_complete=completers.place)
@click.argument("record_id", metavar="ID")
@click.option(
    "--place",
    type=click.Choice(["live", "test"]),
    help="Data set of live or test keys, if the sandbox was started with --split.",
)
@_target_options
def record(collection: str, record_id: str, place: str | None, url: str, token: str) -> int:
    """Print a record as the sandbox stores it.

    \b
    Examples:
      svc-tui sandbox ctl record lots lot-000001
    """
    from svc_tui.core.catalog import find_collection

    found = find_collection(collection)
    query = {"key": found.key if found else collection, "id": record_id} | ({"place": place} if place else {})
    print_line(_target(url, token).call("GET", "record", query))
    return 0


@ctl.command()
@click.argument("key")
@click.option(
    "--overlap",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    metavar="SECONDS",
    help="Keep the old key valid for SECONDS seconds.",
)
@_target_options
def rotate(key: str, overlap: float, url: str, token: str) -> int:
    """Create a new key and secret in place of KEY, and print them.

    KEY is a name such as live. The output is one JSON object, in the format of the objects in keys that svc-tui sandbox
    prints.

    \b
    Examples:
      svc-tui sandbox ctl rotate live --overlap 60
    """
    print_line(_target(url, token).call("POST", "rotate", None, {"key": key, "overlap_seconds": overlap}))
    return 0


@ctl.command()
@click.option(
    "--offset", type=float, metavar="SECONDS", help="Set the clock to the real time plus SECONDS (negative: behind)."
)
@click.option("--advance", type=float, metavar="SECONDS", help="Move the clock forward by SECONDS (negative: back).")
@_json_option
@_target_options
def clock(offset: float | None, advance: float | None, as_json: bool, url: str, token: str) -> int:
    """Show the clock of the sandbox, or set it.

    Without an option, it shows the clock.

    \b
    Examples:
      svc-tui sandbox ctl clock
      svc-tui sandbox ctl clock --offset 400
      svc-tui sandbox ctl clock --advance 86400
    """
    import json

    from svc_tui.cli.output.sandbox_report import clock_line, json_text

    if offset is not None and advance is not None:
        raise click.UsageError("--offset and --advance can't be used together")
    body = {"offset_seconds": offset} if offset is not None else {"advance_seconds": advance}
    target = _target(url, token)
    asked = offset is None and advance is None
    told = target.document("clock") if asked else dict(json.loads(target.call("POST", "clock", None, body)))
    print_line(json_text(told) if as_json else clock_line(told))
    return 0


@ctl.command()
@click.argument("name", default="default")
@_target_options
def snapshot(name: str, url: str, token: str) -> int:
    """Save the present data as a snapshot.

    svc-tui sandbox ctl restore loads it again. Without NAME, the snapshot is named default.

    \b
    Examples:
      svc-tui sandbox ctl snapshot prepared
    """
    return _done(url, token, "POST", "snapshot", body={"name": name})


@ctl.command()
@click.argument("name", default="default")
@_target_options
def restore(name: str, url: str, token: str) -> int:
    """Replace the data with that of a snapshot.

    Without NAME, the snapshot named default is used.

    \b
    Examples:
      svc-tui sandbox ctl restore prepared
    """
    return _done(url, token, "POST", "restore", body={"name": name})


def _target(url: str, token: str) -> "ControlTarget":
    from svc_tui.bootstrap.sandbox.control import ControlTarget

    return ControlTarget(url, token)


def _done(
    url: str,
    token: str,
    method: str,
    path: str,
    query: dict[str, str] | None = None,
    body: dict[str, Any] | None = None,
) -> int:
    _target(url, token).call(method, path, query, body)
    return 0


def _print(lines: Any) -> None:
    for line in lines:
        print_line(line)
