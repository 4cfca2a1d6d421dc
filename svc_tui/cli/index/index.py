"""`svc-tui index`: the records of all collections on this machine, to be found at once."""

import os

import click

from svc_tui.bootstrap.start import CommandFailure
from svc_tui.cli import completers
from svc_tui.cli.options import current_options, shared_options
from svc_tui.cli.output.stderr import print_message
from svc_tui.cli.output.stdout import print_line
from svc_tui.cli.prompts import confirm, is_interactive


@click.group(invoke_without_command=True)
@shared_options
@click.pass_context
def index(ctx: click.Context) -> int:
    """Keep the records of all collections on this machine, for you alone; with no command, say what is there.

    svc-tui find, sql and changes look into it, and so does the browser, which keeps it up to date where its profile
    says index = true.

    \b
    Examples:
      svc-tui index update
      svc-tui find wrk-0042
      svc-tui index drop
    """
    return 0 if ctx.invoked_subcommand else ctx.invoke(status)


@index.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document in place of lines.")
@shared_options
def status(as_json: bool = False) -> int:
    """Say where the index lies, what it holds and how old that is; nothing is sent.

    Exit status: 0, also where there is none; 2 where the one that is there can't be used.

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
    """Read all collections to their end, or those named, and have the index hold what they hold.

    Keeps to the pace that the key allows. An interrupt loses nothing: the next update goes on where it stopped. Exit
    status: 0 all was read, 1 the service refused some, 2 another program keeps the index up to date, 3 the service
    can't be reached.

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
@click.option("--force", is_flag=True, help="Don't ask.")
@shared_options
def drop(force: bool) -> int:
    """Remove the index of the profile in use, and what was set aside of it; the service is not asked for anything.

    Exit status: 0, also where there was none; 1 you said no; 2 another program keeps it up to date.

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
            raise CommandFailure("nobody is there to ask; --force removes the index unasked")
        if not confirm(f"Remove the index in {removal.directory} ({size})? The records at the service stay."):
            raise CommandFailure("the index is as it was", 1)
    built_again = removal.carry_out()
    for name, count in files:
        print_line(f"removed {removal.directory / name} ({size_text(count)})")
    if built_again:
        print_message("the profile says index = true: the browser builds it again")
    return 0
