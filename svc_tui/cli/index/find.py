"""`svc-tui find`: records of all collections by a few words, from the index on this machine."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap.start import ExitStatus
from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.options import collections_option, current_options, format_option, shared_options
from svc_tui.cli.output.stderr import print_message

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from svc_tui.bootstrap.index.search import FoundRecord
    from svc_tui.cli.output.rows import Row

_TABLE_ITEMS = 100
"""Records that are given by default."""


@click.command(cls=SectionedCommand)
@click.argument("words", nargs=-1, required=True, metavar="WORDS...")
@collections_option
@format_option
@click.option(
    "--max-items",
    type=click.IntRange(0),
    default=_TABLE_ITEMS,
    show_default=True,
    metavar="N",
    help="Print the N best matches; 0: all, newest first.",
)
@shared_options
def find(words: tuple[str, ...], collections: tuple[str, ...], form: str, max_items: int) -> int:
    """Search the index for records of all collections.

    The index is on this computer (see svc-tui index); nothing is sent to the service. A record is found if all WORDS
    match, as in the search (/) of full-screen mode:

    \b
      silver         a word in any field
      name:silver    part of a field
      status=open    the exact value of a field
      massKg>10      compare a number, or a time: updatedAt>1h (also 2d,
                     today, yesterday)
      !damp          leave out records with this word

    The table shows where the words match. The other formats print the fields _collection and _read_at, then the full
    record, with numbers exactly as the service sent them. stderr shows how many records match, how old the data is, and
    which collections are incomplete.

    \b
    Exit status:
      0  there are matches
      1  there are no matches
      2  there is no usable index, or the command is wrong

    \b
    Examples:
      svc-tui find wrk-0042
      svc-tui find 'status:open' 'massKg>1000' -C lots
      svc-tui find silver --format jsonl --max-items 0 | jq -r ._collection
    """
    from datetime import UTC, datetime

    from svc_tui.bootstrap.index.search import FindRequest, find_records
    from svc_tui.cli.output.index_report import age_of, incomplete_line
    from svc_tui.cli.output.rows import FormatWriter, row_writer
    from svc_tui.cli.output.stdout import ReaderGone
    from svc_tui.core.phrases import counted

    now = datetime.now(UTC)
    writer = row_writer(form)

    def show(found: "Sequence[FoundRecord]") -> None:
        writer.add([_line(one, now) if form == "table" else _record(one) for one in found])

    request = FindRequest(" ".join(words), collections, max_items or None)
    try:
        result = find_records(request, current_options(), os.environ, show)
        writer.finish()
    except ReaderGone:
        # Whoever read it has seen enough.
        return 0
    best = f", showing the best {result.given:,}" if result.given < result.fitting else ""
    read = "" if result.oldest is None else f"; data updated {age_of(result.oldest, now)}"
    match = "matches" if result.fitting == 1 else "match"
    print_message(f"{result.fitting:,} of {counted(result.searched, 'record')} in the index {match}{best}{read}")
    if result.problem and not result.fitting:
        print_message(result.problem)
    if result.incomplete:
        print_message(incomplete_line(result.incomplete))
    if isinstance(writer, FormatWriter) and writer.left_out:
        print_message(f"fields without a column were skipped: {', '.join(writer.left_out)}")
    return 0 if result.fitting else ExitStatus.FAILED


def _line(found: "FoundRecord", now: "datetime") -> "Row":
    """A record as a line of the table."""
    from svc_tui.cli.output.index_report import age_of

    excerpt = found.excerpt
    return {
        "collection": found.collection.name,
        "id": found.record.id or "",
        "label": found.record.label,
        "read": age_of(found.read_at, now),
        "where": "" if excerpt is None else f"{excerpt.path}: {excerpt.text}",
    }


def _record(found: "FoundRecord") -> "Row":
    """A record as a script gets it."""
    read_at = found.read_at.isoformat(timespec="seconds").replace("+00:00", "Z")
    about = {"_collection": found.collection.key, "_read_at": read_at}
    return {**about, **{name: value for name, value in found.record.fields.items() if name not in about}}
