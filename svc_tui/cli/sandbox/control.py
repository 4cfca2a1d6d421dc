"""`svc-tui sandbox ctl`: what a running service is told, and what it tells."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from svc_tui.cli import completers
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
            default="",
            metavar="TOKEN",
            help="The control token; better set SVC_SANDBOX_TOKEN.",
        ),
        click.option(
            "--url",
            envvar="SVC_SANDBOX_URL",
            default="",
            metavar="URL",
            help="Where the service is, such as http://127.0.0.1:8000; SVC_SANDBOX_URL unless told.",
        ),
    ):
        command = option(command)
    return command


_json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON document.")


@click.group()
def ctl() -> None:
    """Speak to a running sandbox.

    It was started with --control-token, or with SVC_SANDBOX_TOKEN set: this command takes the same token.

    Exit status: 0 done, 1 refused by the service, 2 wrongly asked, 3 not reached.

    \b
    Examples:
      export SVC_SANDBOX_URL=http://127.0.0.1:8000 SVC_SANDBOX_TOKEN=…
      svc-tui sandbox ctl health --wait 10
      svc-tui sandbox ctl arm 429 --count 2 --retry-after 1 --path /v1/operations/lots
      svc-tui sandbox ctl attempts
    """


@ctl.command()
@click.option("--wait", type=click.FloatRange(0, 3_600), default=0.0, metavar="SECONDS", help="Wait so long for it.")
@_json_option
@_target_options
def health(wait: float, as_json: bool, url: str, token: str) -> int:
    """Say whether the service answers, and how it was started."""
    from svc_tui.cli.output.sandbox_report import health_lines, json_text

    told = _target(url, token).health(wait)
    _print([json_text(told)] if as_json else health_lines(told, url))
    return 0


@ctl.command()
@_target_options
def reset(url: str, token: str) -> int:
    """Make everything what it was at the start.

    Data, faults, keys, clock and attempts; snapshots stay.
    """
    return _done(url, token, "POST", "reset")


@ctl.command()
@_json_option
@_target_options
def faults(as_json: bool, url: str, token: str) -> int:
    """List the faults in force, and how many requests they met."""
    from svc_tui.cli.output.sandbox_report import fault_lines, json_text

    told = _target(url, token).document("faults")
    _print([json_text(told)] if as_json else fault_lines(told))
    return 0


@ctl.command()
@click.argument("name", shell_complete=completers.fault)
@click.option("--count", type=click.IntRange(1), metavar="N", help="Meet so many requests; 1 unless told.")
@click.option("--every", type=click.IntRange(1), metavar="N", help="Meet one request in N, until it is cleared.")
@click.option("--after", type=click.IntRange(0), default=0, metavar="N", help="Let N requests pass first.")
@click.option("--method", metavar="METHOD", shell_complete=completers.method, help="Only requests with this method.")
@click.option("--path", default="", metavar="PATH", help="Only requests whose path begins so.")
@click.option("--retry-after", metavar="TEXT", help="What Retry-After says.")
@click.option("--delay", type=click.FloatRange(0, 600), metavar="SECONDS", help="How late, for slow.")
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
    """Arm the fault NAME; svc-tui sandbox --help lists them."""
    if count is not None and every is not None:
        raise click.UsageError("--count and --every can't be together: say how many requests it meets, or which")
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
    """Disarm the fault NAME, or all faults.

    Every answer on hold is let go.
    """
    return _done(url, token, "DELETE", "faults", query={"name": name} if name else None)


@ctl.command()
@_target_options
def release(url: str, token: str) -> int:
    """Let go of every answer on hold."""
    return _done(url, token, "POST", "release")


@ctl.command()
@click.option("--after", type=click.IntRange(0), default=0, metavar="N", help="Only those after number N.")
@_json_option
@_target_options
def attempts(after: int, as_json: bool, url: str, token: str) -> int:
    """List what arrived, and why it was refused.

    Each with what is known of its signature, and where that is wrong with what had to be signed; never a key or a
    secret.
    """
    from svc_tui.cli.output.sandbox_report import attempt_lines, json_text

    told = _target(url, token).document("attempts", {"after": str(after)})
    _print([json_text(told)] if as_json else attempt_lines(told))
    return 0


@ctl.command()
@_target_options
def forget(url: str, token: str) -> int:
    """Forget what arrived."""
    return _done(url, token, "DELETE", "attempts")


@ctl.command()
@click.argument("collection", shell_complete=completers.place)
@click.argument("record_id", metavar="ID")
@click.option("--place", type=click.Choice(["live", "test"]), help="Which of the two places, with --split.")
@_target_options
def record(collection: str, record_id: str, place: str | None, url: str, token: str) -> int:
    """Print a record as it is stored."""
    from svc_tui.domain.model.catalog import find_collection

    found = find_collection(collection)
    query = {"key": found.key if found else collection, "id": record_id} | ({"place": place} if place else {})
    print_line(_target(url, token).call("GET", "record", query))
    return 0


@ctl.command()
@click.argument("key")
@click.option(
    "--overlap", type=click.FloatRange(0), default=0.0, metavar="SECONDS", help="How long the old pair still works."
)
@_target_options
def rotate(key: str, overlap: float, url: str, token: str) -> int:
    """Replace the key called KEY and its secret.

    The new pair is printed as JSON, as the first line of the sandbox has it.
    """
    print_line(_target(url, token).call("POST", "rotate", None, {"key": key, "overlap_seconds": overlap}))
    return 0


@ctl.command()
@click.option("--offset", type=float, metavar="SECONDS", help="Set it so far ahead of the true time.")
@click.option("--advance", type=float, metavar="SECONDS", help="Set it so far ahead of now.")
@_json_option
@_target_options
def clock(offset: float | None, advance: float | None, as_json: bool, url: str, token: str) -> int:
    """Say what time it is for the service, or set its clock."""
    import json

    from svc_tui.cli.output.sandbox_report import clock_line, json_text

    if offset is not None and advance is not None:
        raise click.UsageError("--offset and --advance can't be together")
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
    """Keep the data as it is now under NAME.

    restore comes back to it. The name is "default" unless told.
    """
    return _done(url, token, "POST", "snapshot", body={"name": name})


@ctl.command()
@click.argument("name", default="default")
@_target_options
def restore(name: str, url: str, token: str) -> int:
    """Make the data what it was at snapshot NAME."""
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
