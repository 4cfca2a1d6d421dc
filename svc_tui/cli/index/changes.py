"""`svc-tui changes`: what others created, changed or deleted, from the index or by the records' own times."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap.start import ExitStatus
from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.options import collections_option, current_options, format_option, shared_options
from svc_tui.cli.output.stderr import print_message

if TYPE_CHECKING:
    from datetime import tzinfo

    from svc_tui.bootstrap.index.changed_records import ChangedRecords
    from svc_tui.bootstrap.index.changes import ChangesResult
    from svc_tui.cli.output.rows import Row
    from svc_tui.core.jsontext import Json
    from svc_tui.storage.record_index.seen_changes import SeenChange

_COLUMNS = ("kind", "collection", "id", "label", "path", "before", "after", "read_before", "read_after")
_RECORD_COLUMNS = ("collection", "id", "label", "path", "time")


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

    The list comes from the index on this computer (see svc-tui index), without a request to the service. Changes are
    found when the index is updated. Each line shows the two updates between which a record was created, changed or
    deleted. A value that was changed and restored between two updates is not listed. Changes that you made in
    full-screen mode are not listed; those that you made with svc-tui request or apply are listed.

    If the index does not have all the collections that you name with -C, their records are loaded. Each line then shows
    a record and its own time, such as updatedAt, otherwise createdAt. Values are not compared, deleted records are not
    listed, and all your own changes are.

    \b
    Exit status:
      0    done, even if there are no changes
      1    the service refused a collection
      2    there is no usable index, and no collection is named or no record
           has such a time; or the command is wrong
      3    the service was not reached
      130  interrupted

    \b
    Examples:
      svc-tui changes
      svc-tui changes --since 2w -C lots --format csv
      svc-tui changes --since 2026-11-20 --format jsonl | jq .label
    """
    from svc_tui.bootstrap.index.changes import ChangesResult, read_changes
    from svc_tui.cli.output.progress import ProgressLine
    from svc_tui.cli.output.stdout import ReaderGone

    line = ProgressLine.for_terminal(beside_records=False)
    try:
        on_progress = None if line is None else line.show
        result = read_changes(since, collections, current_options(), os.environ, on_progress=on_progress)
    finally:
        if line is not None:
            line.clear()
    try:
        return _print_changes(result, form) if isinstance(result, ChangesResult) else _print_records(result, form)
    except ReaderGone:
        # The reader of the output has seen enough.
        return 0


def _print_changes(result: "ChangesResult", form: str) -> int:
    from datetime import UTC, datetime

    from svc_tui.bootstrap.environment import SystemTimeZone
    from svc_tui.cli.output.index_report import age_of, moment_text
    from svc_tui.cli.output.rows import row_writer
    from svc_tui.core.phrases import counted

    zone = SystemTimeZone()
    writer = row_writer(form, () if form == "table" else _COLUMNS)
    writer.add([_line(one, zone) if form == "table" else _row(one) for one in result.changes])
    writer.finish()
    updated = "not updated yet" if result.oldest is None else f"updated {age_of(result.oldest, datetime.now(UTC))}"
    records = len({(one.key, one.record_id) for one in result.changes})
    what = f"{counted(len(result.changes), 'change')} of {counted(records, 'record')}" if records else "no changes"
    since = moment_text(max(result.since, result.began_at), zone)
    creation = ", when the index was created" if result.began_at > result.since else ""
    print_message(f"{what} since {since}{creation}; data {updated}")
    return 0


def _print_records(result: "ChangedRecords", form: str) -> int:
    from svc_tui.bootstrap.environment import SystemTimeZone
    from svc_tui.cli.output.index_report import moment_text
    from svc_tui.cli.output.request_report import error_status
    from svc_tui.cli.output.rows import row_writer
    from svc_tui.core.phrases import counted
    from svc_tui.core.times import local_time
    from svc_tui.service.advice import error_text

    if result.error is not None:
        key, error = result.error
        print_message(f"{key} was not loaded: {error_text(error)}", result.secrets)
        return error_status(error)
    zone = SystemTimeZone()
    writer = row_writer(form, () if form == "table" else _RECORD_COLUMNS)
    writer.add(
        [
            {
                "time": local_time(one.time, zone) or one.time,
                "collection": one.key.rpartition("/")[2],
                "id": one.record_id,
                "label": one.label,
                "field": one.path,
            }
            if form == "table"
            else {"collection": one.key, "id": one.record_id, "label": one.label, "path": one.path, "time": one.time}
            for one in result.records
        ]
    )
    writer.finish()
    if result.timed or not result.untimed:
        times = f" ({', '.join(result.paths)})" if result.paths else ""
        print_message(
            f"{len(result.records):,} of {counted(result.timed, 'record')} changed since "
            f"{moment_text(result.since, zone)}, by the records' own times{times}; no values were compared"
        )
    for key, count in result.untimed.items():
        print_message(
            f"{key}: {counted(count, 'record')} without a time such as updatedAt; to find all changes, run svc-tui "
            f"index update {key}"
        )
    for key in result.incomplete:
        print_message(f"records of {key} may be missing; run the command again to be sure")
    return 0 if result.timed or not result.untimed else ExitStatus.REFUSED


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
    from svc_tui.core.jsontext import Absent

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
