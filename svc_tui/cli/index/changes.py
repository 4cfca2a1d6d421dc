"""`svc-tui changes`: what others made, changed or removed, as the readings of the index tell it."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.options import collections_option, current_options, format_option, shared_options
from svc_tui.cli.output.stderr import print_message

if TYPE_CHECKING:
    from datetime import tzinfo

    from svc_tui.cli.output.rows import Row
    from svc_tui.domain.model.jsontext import Json
    from svc_tui.domain.search.seen_changes import SeenChange

_COLUMNS = ("kind", "collection", "id", "label", "path", "before", "after", "read_before", "read_after")


@click.command(cls=SectionedCommand)
@click.option(
    "--since",
    default="1d",
    show_default=True,
    metavar="WHEN",
    help="List changes since this time: 30m, 12h, 1d, 2w (ago), today, yesterday, 2026-11-20 or 2026-11-20T06:00:00Z.",
)
@collections_option
@format_option
@shared_options
def changes(since: str, collections: tuple[str, ...], form: str) -> int:
    """List changes by others, newest first.

    The list comes from the index on this computer (see svc-tui index); nothing is sent to the service. Changes are
    found when the index is updated. Each line shows the two updates between which a record was created, changed or
    deleted. A value that was changed and restored between two updates is not listed. Changes that you made in
    full-screen mode are not listed; those that you made with svc-tui request or apply are listed.

    \b
    Exit status:
      0  done, even if there are no changes
      2  there is no usable index, or the command is wrong

    \b
    Examples:
      svc-tui changes
      svc-tui changes --since 2w -C lots --format csv
      svc-tui changes --since 2026-11-20 --format jsonl | jq .label
    """
    from datetime import UTC, datetime

    from svc_tui.bootstrap.environment import SystemTimeZone
    from svc_tui.bootstrap.index.changes import read_changes
    from svc_tui.cli.output.index_report import age_of, moment_text
    from svc_tui.cli.output.rows import row_writer
    from svc_tui.cli.output.stdout import ReaderGone
    from svc_tui.domain.data.counted import counted

    result = read_changes(since, collections, current_options(), os.environ)
    zone = SystemTimeZone()
    writer = row_writer(form, () if form == "table" else _COLUMNS)
    try:
        writer.add([_line(one, zone) if form == "table" else _row(one) for one in result.changes])
        writer.finish()
    except ReaderGone:
        # Whoever read it has seen enough.
        return 0
    updated = "not updated yet" if result.oldest is None else f"updated {age_of(result.oldest, datetime.now(UTC))}"
    records = len({(one.key, one.record_id) for one in result.changes})
    what = f"{counted(len(result.changes), 'change')} of {counted(records, 'record')}" if records else "no changes"
    print_message(f"{what} since {moment_text(result.since, zone)}; data {updated}")
    return 0


def _line(change: "SeenChange", zone: "tzinfo") -> "Row":
    """A change as a line of the table."""
    from svc_tui.cli.output.index_report import moment_text
    from svc_tui.cli.output.rows import value_text

    words = f"{change.kind.value}"
    if change.path:
        words = f"{change.path}: {value_text(change.before)} → {value_text(change.after)}"
    return {
        "between": moment_text(change.read_before, zone),
        "and": moment_text(change.read_after, zone),
        "collection": change.key.rpartition("/")[2],
        "id": change.record_id,
        "label": change.label if change.label != change.record_id else "",
        "change": words,
    }


def _row(change: "SeenChange") -> "Row":
    """A change as a script gets it; before and after are left out where there was nothing."""
    from svc_tui.domain.model.absent import Absent

    row: dict[str, Json] = {
        "kind": change.kind.value,
        "collection": change.key,
        "id": change.record_id,
        "label": change.label,
        "path": change.path,
    }
    values = (("before", change.before), ("after", change.after))
    row.update({name: value for name, value in values if not isinstance(value, Absent)})
    read = (("read_before", change.read_before), ("read_after", change.read_after))
    return {**row, **{name: at.isoformat(timespec="seconds").replace("+00:00", "Z") for name, at in read}}
