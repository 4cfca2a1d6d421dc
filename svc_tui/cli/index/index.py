"""`svc-tui index`: the records of all collections on this machine, to be found at once."""

import os

import click

from svc_tui.bootstrap.start import CommandFailure
from svc_tui.cli import completers
from svc_tui.cli.help_layout import SectionedGroup
from svc_tui.cli.options import current_options, shared_options
from svc_tui.cli.output.stderr import print_message
from svc_tui.cli.output.stdout import print_line
from svc_tui.cli.prompts import confirm, is_interactive


@click.group(cls=SectionedGroup, invoke_without_command=True)
@shared_options
@click.pass_context
def index(ctx: click.Context) -> int:
    """Keep a local index of all records, for fast searches.

    The index holds the records of all collections on this machine, readable only by you. svc-tui find, sql and changes,
    and searches in the browser, use it without a request to the service. Build it with svc-tui index update; with
    index = true in a profile, the browser builds it and keeps it up to date.

    Without a command, it does what index status does.

    \b
    Examples:
      svc-tui index update
      svc-tui find wrk-0042
      svc-tui index status
    """
    return 0 if ctx.invoked_subcommand else ctx.invoke(status)


@index.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of lines.")
@shared_options
def status(as_json: bool = False) -> int:
    """Show where the index is, what it holds and how old it is.

    Nothing is sent to the service.

    \b
    Exit status:
      0  done, also if there is no index
      2  the index can't be used, or the command is wrong

    \b
    Examples:
      svc-tui index status
      svc-tui index status --json | jq '.collections[] | select(.problem != "")'
    """
    from datetime import UTC, datetime

    from svc_tui.bootstrap.environment import SystemTimeZone
    from svc_tui.bootstrap.index.status import index_report
    from svc_tui.cli.output.index_report import json_report, report_lines

    report = index_report(current_options(), os.environ)
    if as_json:
        print_line(json_report(report))
    else:
        for line in report_lines(report, datetime.now(UTC), SystemTimeZone()):
            print_line(line)
    if report.problem:
        print_message(report.problem)
    return 2 if report.problem else 0


@index.command()
@click.argument("collections", nargs=-1, metavar="[COLLECTION]...", shell_complete=completers.place)
@shared_options
def update(collections: tuple[str, ...]) -> int:
    """Read all collections into the index, or only those named.

    Requests keep to the rate that the key allows. After an interrupt, the next update continues where this one stopped.

    \b
    Exit status:
      0    every collection was read to its end
      1    the service refused some
      2    another program updates the index now, or the command is wrong
      3    the service was not reached
      130  interrupted

    \b
    Examples:
      svc-tui index update
      svc-tui index update lots workers
    """
    from svc_tui.bootstrap.index.update import update_index
    from svc_tui.cli.output.progress import ProgressLine
    from svc_tui.cli.output.request_report import error_status
    from svc_tui.domain.data.bodies import size_text
    from svc_tui.domain.data.counted import counted
    from svc_tui.domain.http.advice import error_text

    line = ProgressLine.for_terminal(beside_records=False)
    try:
        done = update_index(collections, current_options(), os.environ, on_progress=None if line is None else line.show)
    finally:
        if line is not None:
            line.clear()
    if done.notice:
        print_message(done.notice)
    for key, error in done.errors.items():
        print_message(f"{key} could not be read to its end: {error_text(error)}", done.secrets)
    if done.left:
        print_message(f"not tried: {', '.join(done.left)}")
    if line is not None and done.status is not None:
        held = sum(one.records > 0 for one in done.status.collections.values())
        print_message(f"{counted(done.status.records, 'record')} of {held} collections, {size_text(done.status.size)}")
    return max((error_status(error) for error in done.errors.values()), default=0)


@index.command()
@click.option("--force", is_flag=True, help="Remove it without asking.")
@shared_options
def drop(force: bool) -> int:
    """Remove the index of the profile in use from this machine.

    It also removes damaged indexes that were set aside. The service is not asked; its records stay. Unless you give
    --force, it asks first.

    \b
    Exit status:
      0  the index is removed, or there was none
      1  you answered no
      2  another program updates the index now, or nobody could be asked

    \b
    Examples:
      svc-tui index drop
      svc-tui --profile work index drop --force
    """
    from svc_tui.bootstrap.index.status import IndexRemoval
    from svc_tui.domain.data.bodies import size_text

    removal = IndexRemoval(current_options(), os.environ)
    files = removal.files()
    if not files:
        print_message("there is no index, so nothing was removed")
        return 0
    size = size_text(sum(count for _, count in files))
    if not force:
        if not is_interactive():
            raise CommandFailure(
                "the index was not removed: there is no terminal to ask on; --force removes it without asking"
            )
        if not confirm(f"Remove the index in {removal.directory} ({size})? The records at the service stay."):
            raise CommandFailure("the index was not removed", 1)
    built_again = removal.carry_out()
    for name, count in files:
        print_line(f"removed {removal.directory / name} ({size_text(count)})")
    if built_again:
        print_message("the profile says index = true: the browser builds it again")
    return 0
