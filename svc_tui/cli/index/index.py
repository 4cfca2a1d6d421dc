"""`svc-tui index`: the records of all collections on this machine, to be found at once."""

import os

import click

from svc_tui.bootstrap.start import CommandFailure, ExitStatus
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
    """Manage the local index of all records, for fast searches.

    The index is a copy of all records on this computer that only you can read. svc-tui find, sql and changes, and
    searches in full-screen mode, use it without a request to the service. Create it with svc-tui index update. With
    index = true in a profile, full-screen mode creates it and keeps it up to date.

    Without a command, svc-tui index shows the status.

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
    """Show the path, the contents and the age of the index.

    Nothing is sent to the service.

    \b
    Exit status:
      0  done, even if there is no index
      2  the index can't be used, or the command is wrong

    \b
    Examples:
      svc-tui index status
      svc-tui index status --json | jq '.collections[] | select(.problem != "")'
    """
    from datetime import UTC, datetime

    from svc_tui.bootstrap.environment import SystemTimeZone
    from svc_tui.bootstrap.index.index_status import index_report
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
    """Load all collections into the index, or only the given ones.

    Requests stay below the rate limit of the key. After an interruption, the next update continues where this
    one stopped.

    \b
    Exit status:
      0    every collection is up to date
      1    the service refused a collection
      2    another svc-tui process is updating the index, or the command is
           wrong
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
    from svc_tui.core.bodies import size_text
    from svc_tui.core.phrases import counted
    from svc_tui.service.advice import error_text

    line = ProgressLine.for_terminal(beside_records=False)
    try:
        done = update_index(collections, current_options(), os.environ, on_progress=None if line is None else line.show)
    finally:
        if line is not None:
            line.clear()
    if done.notice:
        print_message(done.notice)
    for key, error in done.errors.items():
        print_message(f"{key} was not updated: {error_text(error)}", done.secrets)
    if done.left:
        print_message(f"not started: {', '.join(done.left)}")
    if line is not None and done.status is not None:
        held = sum(one.records > 0 for one in done.status.collections.values())
        print_message(f"{counted(done.status.records, 'record')} of {held} collections, {size_text(done.status.size)}")
    return max((error_status(error) for error in done.errors.values()), default=0)


@index.command()
@click.option("--force", is_flag=True, help="Delete without asking.")
@shared_options
def drop(force: bool) -> int:
    """Delete the index of the profile from this computer.

    It also deletes old damaged indexes. Records on the service are not deleted. It asks first, unless
    you use --force.

    \b
    Exit status:
      0  the index is deleted, or there was none
      1  you answered no
      2  another svc-tui process is updating the index, or svc-tui can't ask
         because there is no terminal

    \b
    Examples:
      svc-tui index drop
      svc-tui --profile work index drop --force
    """
    from svc_tui.bootstrap.index.index_status import IndexRemoval
    from svc_tui.core.bodies import size_text

    removal = IndexRemoval(current_options(), os.environ)
    files = removal.files()
    if not files:
        print_message("there is no index to delete")
        return 0
    size = size_text(sum(count for _, count in files))
    if not force:
        if not is_interactive():
            raise CommandFailure("the index was not deleted: svc-tui can't ask without a terminal; add --force")
        if not confirm(f"Delete the index in {removal.directory} ({size})? Records on the service are not deleted."):
            raise CommandFailure("the index was not deleted", ExitStatus.FAILED)
    built_again = removal.carry_out()
    for name, count in files:
        print_line(f"deleted {removal.directory / name} ({size_text(count)})")
    if built_again:
        print_message("the profile has index = true, so full-screen mode will create it again")
    return 0
