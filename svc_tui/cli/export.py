"""`svc-tui export`: the records of a collection as JSON Lines, JSON, CSV or Markdown."""

import os
import sys
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap.start import CommandFailure, ExitStatus
from svc_tui.cli import completers
from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.options import current_options, shared_options
from svc_tui.cli.output.stderr import print_message
from svc_tui.cli.prompts import confirm, is_interactive

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("jsonl", "json", "csv", "markdown")
"""What can be written, by the names that `core.export_formats.Format` gives."""


@click.command(cls=SectionedCommand)
@click.argument("collection", metavar="[DOMAIN/]COLLECTION", shell_complete=completers.place)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Output format. Default: from the file extension, otherwise jsonl.",
)
@click.option("--for-edit", is_flag=True, help="Write a file to edit and use with svc-tui plan; as csv, jsonl or json.")
@click.option("--max-items", type=click.IntRange(1), metavar="N", help="Stop after N records. Default: all.")
@click.option(
    "--page-size",
    type=click.IntRange(1),
    metavar="N",
    help="Request N records per page. Default: page_size of the profile, otherwise 200.",
)
@click.option(
    "-q",
    "--query",
    multiple=True,
    metavar="KEY=VALUE",
    help="Send this query parameter, such as status=open. May be repeated.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to this file. Without it, or with -, write to stdout.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@shared_options
def export(
    collection: str,
    form: str | None,
    for_edit: bool,
    max_items: int | None,
    page_size: int | None,
    query: tuple[str, ...],
    output: str | None,
    force: bool,
) -> int:
    """Write the records of a collection to a file or to stdout.

    Numbers are written exactly as the service sends them. If a record is on two pages because others changed the
    collection during the export, it is written once, with a message on stderr.

    FILE is saved completely or not at all, and is readable only by you. In CSV, nested fields are JSON, and text cannot
    run as a formula in a spreadsheet. CSV on stdout has the columns of the first page.

    With --for-edit you can edit the file and use it with svc-tui plan. The first column is the id; nested fields have
    their own columns (assay.auPpm). The last column, _version, tells svc-tui plan which fields others have changed
    since the export: do not edit it. An empty cell does not change the field; (null) sets null, (empty) sets empty
    text. Add a column _action with create or delete to create or delete records.

    \b
    Examples:
      svc-tui export operations/lots -o lots.csv
      svc-tui export lots -q status=rejected --for-edit -o rejected.csv
      svc-tui export lots -q status=open --max-items 500 | jq .id
      svc-tui export operations/lots/lot-000001/attachments --format json
    """
    from pathlib import Path

    from svc_tui.bootstrap.export.export import ExportRequest
    from svc_tui.bootstrap.export.export import export as run_export
    from svc_tui.cli.key_values import parse_query
    from svc_tui.cli.output.progress import ProgressLine
    from svc_tui.cli.output.request_report import error_status
    from svc_tui.core.export_formats import Format
    from svc_tui.core.phrases import counted
    from svc_tui.service.advice import error_text

    file = None if output in (None, "-") else Path(output)
    if file is not None and not force:
        _check_free(file)
    request = ExportRequest(
        collection, file, None if form is None else Format(form), max_items, page_size, parse_query(query), for_edit
    )
    line = ProgressLine.for_terminal(beside_records=file is None)
    try:
        done = run_export(request, current_options(), os.environ, on_progress=None if line is None else line.show)
    finally:
        if line is not None:
            line.clear()
    for notice in done.notices:
        print_message(notice, done.secrets)
    if done.error is not None:
        print_message(
            f"stopped {done.progress_text}: {error_text(done.error)}" if done.count else error_text(done.error),
            done.secrets,
        )
    elif line is not None:
        print_message(
            f"{counted(done.count, 'record')} in {output}" if file is not None else counted(done.count, "record")
        )
    return error_status(done.error)


def _check_free(file: "Path") -> None:
    """Ask before a file is replaced, where somebody is there to ask; raises CommandFailure."""
    if not file.is_file():
        return
    if sys.stdin is None or not is_interactive():
        raise CommandFailure(f"{file} already exists; use --force to replace it")
    if not confirm(f"{file} already exists. Replace it?"):
        raise CommandFailure(f"{file} was not replaced", ExitStatus.FAILED)
