"""`svc-tui find`: records of all collections by a few words, from the index on this machine."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.cli.options import collections_option, current_options, format_option, shared_options
from svc_tui.cli.output.stderr import print_message

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from svc_tui.bootstrap.index.search import FoundRecord
    from svc_tui.cli.output.rows import Row

NOTHING_FOUND_STATUS = 1

_TABLE_ITEMS = 100
"""Records that are given unless told."""


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="WORDS...")
@collections_option
@format_option
@click.option(
    "--max-items",
    type=click.IntRange(0),
    default=_TABLE_ITEMS,
    metavar="N",
    help="Give the N that fit best, 100 unless told; 0 gives all, the newest in the index first.",
)
@shared_options
def find(words: tuple[str, ...], collections: tuple[str, ...], form: str, max_items: int) -> int:
    """Find records in the index that svc-tui index update, or the browser, keeps on this machine; nothing is sent.

    WORDS are what the browser's / takes: words that stand anywhere, field:text, field=text, massKg>10, and ! for what
    must not be. The table says where they stand; jsonl, json, csv and markdown give the records, numbers exactly as
    the service wrote them, after _collection and _read_at. stderr says how many fit, as of when, and what is not in the
    index.

    Exit status: 0 something was found, 1 nothing was, 2 there is no index that can be asked.

    \b
    Examples:
      svc-tui find wrk-0042
      svc-tui find 'status:open' 'massKg>1000' -C lots
      svc-tui find damp --format jsonl --max-items 0 | jq -r ._collection
    """
    from datetime import UTC, datetime

    from svc_tui.bootstrap.index.search import FindRequest, find_records
    from svc_tui.cli.output.index_report import age_of, incomplete_line
    from svc_tui.cli.output.rows import FormatWriter, row_writer
    from svc_tui.cli.output.stdout import ReaderGone
    from svc_tui.domain.data.counted import counted

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
    best = f", of which these are the {result.given:,} best" if result.given < result.fitting else ""
    read = "" if result.oldest is None else f", read {age_of(result.oldest, now)}"
    fit = "fits" if result.fitting == 1 else "fit"
    print_message(f"{result.fitting:,} {fit}{best}, of {counted(result.searched, 'record')} in the index{read}")
    if result.incomplete:
        print_message(incomplete_line(result.incomplete))
    if isinstance(writer, FormatWriter) and writer.left_out:
        print_message(f"fields of later records that had no column were left out: {', '.join(writer.left_out)}")
    return 0 if result.fitting else NOTHING_FOUND_STATUS


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
