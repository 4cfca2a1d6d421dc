"""`svc-tui journal`: what was written from this machine, for people, scripts and reports."""

import os
from functools import cache
from typing import TYPE_CHECKING

import click

from svc_tui.cli import completers
from svc_tui.cli.options import current_options, format_option, shared_options
from svc_tui.cli.output.stderr import count_text, print_message

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from svc_tui.bootstrap.journal.read_journal import JournalRequest, JournalResult, JournalWrite
    from svc_tui.cli.output.rows import RowWriter

NOT_WHOLE_STATUS = 1


@click.command()
@click.option("--ticket", metavar="TEXT", help="Only the writes that went with exactly this ticket.")
@click.option(
    "--record",
    metavar="PLACE",
    shell_complete=completers.place,
    help="Only the writes to this record, such as lots/lot-000001, the one that made it too.",
)
@click.option("--since", metavar="WHEN", help="Only those since 30m, 12h, 1d, 2w ago, a date, or a time.")
@click.option(
    "--max-items",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Give the newest N; 0 gives all, which it does unless told.",
)
@format_option
@click.option("--case-file", is_flag=True, help="Print them as a case file in Markdown, the oldest first.")
@click.option("--mask", is_flag=True, help="Hide personal data too, as ctrl+o in the browser does.")
@click.option(
    "--mine", is_flag=True, help="Only your own writes, where the profile has a team; its server is not asked."
)
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
    """Say what was written with the profile in use from this machine, the newest first; nothing is sent or changed.

    It is the journal that the browser shows under @, all of it. The table tells each write on a line; jsonl, json, csv
    and markdown give all that is known of it, with the fields before and after. --case-file prints the case file of
    these writes, to be put into a ticket. The fields that mask_fields in config.toml names are hidden, always. stderr
    says how many writes there were, to how many records.

    Where the profile has a team, colleagues' writes to the same service are among them, with who made each (by,
    machine), and when the team's server got it (received). The server is asked for what is new first, for 5 s at most;
    where it can't be reached, stderr says how far the copy on this machine goes.

    Exit status: 0, whether there were any or not; 1 the journal is not as svc-tui wrote it (all that can be read of it
    is printed, and stderr says where it is broken; svc-tui doctor tells more); 2 it can't be read at all.

    \b
    Examples:
      svc-tui journal --ticket SUP-4711
      svc-tui journal --record lots/lot-000001 --since 2w
      svc-tui journal --ticket SUP-4711 --case-file > SUP-4711.md
      svc-tui journal --mine --since 1d
      svc-tui journal --since 1d --format jsonl | jq 'select(.result != "done")'
    """
    from svc_tui.bootstrap.journal.read_journal import JournalRequest

    if case_file and form not in ("table", "markdown"):
        raise click.UsageError(f"--case-file is Markdown, and can't be {form}; leave one of the two out")
    request = JournalRequest(ticket, record, since, max_items or None, mask, mine)
    result = _print_case_file(request) if case_file else _print_rows(request, form)
    if result is None:
        # Whoever read it has seen enough.
        return 0
    print_message(_summary(result))
    for line in (*result.notices, *result.problems):
        print_message(line)
    return NOT_WHOLE_STATUS if result.problems else 0


def _print_rows(request: "JournalRequest", form: str) -> "JournalResult | None":
    """Print the writes; None where the reader has gone away."""
    from svc_tui.bootstrap.environment import SystemTimeZone
    from svc_tui.bootstrap.journal.read_journal import read_journal
    from svc_tui.cli.output.journal_report import journal_line
    from svc_tui.cli.output.rows import row_writer
    from svc_tui.cli.output.stdout import ReaderGone
    from svc_tui.domain.editing.journal_rows import JOURNAL_COLUMNS, TEAM_COLUMNS

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
    from svc_tui.domain.data.export_formats import encode_utf8

    text, result = read_case_file(request, current_options(), os.environ)
    return result if write_bytes(encode_utf8(escape_lines(text) if is_terminal() else text)) else None


def _summary(result: "JournalResult") -> str:
    """How many writes there were, to how many records, since when."""
    from svc_tui.bootstrap.environment import SystemTimeZone
    from svc_tui.domain.data.times import local_time

    if not (result.exists or result.writes):
        # One that was there once is missed, which is said besides.
        yet = "" if result.problems else " yet: nothing was written from this machine"
        return f"there is no journal here{yet}"
    words = count_text(result.writes, "write") if result.writes else "no writes"
    if result.records:
        words += f" to {count_text(result.records, 'record')}"
    if result.theirs:
        words += f" ({result.theirs:,} by colleagues)"
    if result.since is not None:
        at = result.since.isoformat()
        words += f" since {local_time(at, SystemTimeZone()) or at}"
    return f"{words}; there are older ones, which --max-items leaves out" if result.more else words
