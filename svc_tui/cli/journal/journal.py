"""`svc-tui journal`: what was written from this machine, for people, scripts and reports."""

import os
from functools import cache
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap.start import ExitStatus
from svc_tui.cli import completers
from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.options import current_options, format_option, shared_options
from svc_tui.cli.output.stderr import print_message

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from svc_tui.bootstrap.journal.read_journal import JournalRequest, JournalResult, JournalWrite
    from svc_tui.cli.output.rows import RowWriter


@click.command(cls=SectionedCommand)
@click.option("--ticket", metavar="TEXT", help="Only writes with this ticket.")
@click.option(
    "--record",
    metavar="PLACE",
    shell_complete=completers.place,
    help="Only writes to this record, such as lots/lot-000001, including its creation.",
)
@click.option(
    "--since",
    metavar="WHEN",
    help="Only writes since this time: 30m, 12h, 1d, 2w (ago), today, yesterday, 2026-11-20 or 2026-11-20T06:00:00Z.",
)
@click.option(
    "--max-items",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Only the newest N writes; 0: all.",
)
@format_option
@click.option("--case-file", is_flag=True, help="Print a case file for a ticket, as Markdown, oldest first.")
@click.option("--mask", is_flag=True, help="Also mask personal data, as ctrl+o does in full-screen mode.")
@click.option("--mine", is_flag=True, help="Only your own writes, without a request to the team server.")
@shared_options
def journal(
    ticket: str | None,
    record: str | None,
    since: str | None,
    max_items: int,
    form: str,
    case_file: bool,
    mask: bool,
    mine: bool,
) -> int:
    """List your writes (and your team's), newest first.

    svc-tui saves every write in a journal on this computer; press @ in full-screen mode to see it. This command lists
    the writes with the current profile. It sends nothing to the service. The table has one line for each write; the
    other formats have all details, with the fields before and after. Fields in mask_fields in config.toml are always
    masked. stderr shows how many writes there were, to how many records.

    If the profile has a team, the list includes colleagues' writes to the same service, with the person and the
    computer (by, machine) and the time when the team server received them (received). svc-tui first loads new ones from
    the team server, for at most 5 seconds. If the server is not reached, stderr shows how old the copy on this computer
    is.

    \b
    Exit status:
      0  done, even if there are no writes
      1  the journal is damaged or was changed: readable writes are printed,
         stderr shows the damaged entries, svc-tui doctor shows what to do
      2  the journal can't be read, or the command is wrong

    \b
    Examples:
      svc-tui journal --ticket SUP-4711
      svc-tui journal --record lots/lot-000001 --since 2w
      svc-tui journal --ticket SUP-4711 --case-file > SUP-4711.md
      svc-tui journal --since 1d --format jsonl | jq 'select(.result != "done")'
    """
    from svc_tui.bootstrap.journal.read_journal import JournalRequest

    if case_file and form not in ("table", "markdown"):
        raise click.UsageError(f"--case-file prints Markdown, not {form}; remove --case-file or --format")
    request = JournalRequest(ticket, record, since, max_items or None, mask, mine)
    result = _print_case_file(request) if case_file else _print_rows(request, form)
    if result is None:
        # Whoever read it has seen enough.
        return 0
    print_message(_summary(result))
    for line in (*result.notices, *result.problems):
        print_message(line)
    return ExitStatus.FAILED if result.problems else 0


def _print_rows(request: "JournalRequest", form: str) -> "JournalResult | None":
    """Print the writes; None where the reader has gone away."""
    from svc_tui.bootstrap.environment import SystemTimeZone
    from svc_tui.bootstrap.journal.read_journal import read_journal
    from svc_tui.cli.output.journal_report import journal_line
    from svc_tui.cli.output.rows import row_writer
    from svc_tui.cli.output.stdout import ReaderGone
    from svc_tui.history.journal_rows import JOURNAL_COLUMNS, TEAM_COLUMNS

    zone: tzinfo = SystemTimeZone()

    @cache
    def writer(*, in_team: bool) -> "RowWriter":
        columns = (*JOURNAL_COLUMNS, *(TEAM_COLUMNS if in_team else ()))
        return row_writer(form, () if form == "table" else columns)

    def show(writes: "Sequence[JournalWrite]") -> None:
        writer(in_team=bool(writes[0].by)).add(
            [journal_line(write.entry, zone, write.by) if form == "table" else write.row for write in writes]
        )

    try:
        result = read_journal(request, current_options(), os.environ, show)
        writer(in_team=result.in_team).finish()
    except ReaderGone:
        return None
    return result


def _print_case_file(request: "JournalRequest") -> "JournalResult | None":
    """Print the case file; None where the reader has gone away."""
    from svc_tui.bootstrap.journal.read_journal import read_case_file
    from svc_tui.cli.output.stdout import is_terminal, write_bytes
    from svc_tui.cli.output.visible import escape_lines
    from svc_tui.core.export_formats import encode_utf8

    text, result = read_case_file(request, current_options(), os.environ)
    return result if write_bytes(encode_utf8(escape_lines(text) if is_terminal() else text)) else None


def _summary(result: "JournalResult") -> str:
    """How many writes there were, to how many records, since when."""
    from svc_tui.bootstrap.environment import SystemTimeZone
    from svc_tui.core.phrases import counted
    from svc_tui.core.times import local_time

    if not (result.exists or result.writes):
        # One that was there once is missed, which is said besides.
        yet = "" if result.problems else " yet; this computer has sent no writes"
        return f"there is no journal{yet}"
    words = counted(result.writes, "write") if result.writes else "no writes"
    if result.records:
        words += f" to {counted(result.records, 'record')}"
    if result.theirs:
        words += f" ({result.theirs:,} by colleagues)"
    if result.since is not None:
        at = result.since.isoformat()
        words += f" since {local_time(at, SystemTimeZone()) or at}"
    return f"{words}; older writes are skipped by --max-items" if result.more else words
