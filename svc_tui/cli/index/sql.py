"""`svc-tui sql`: a SELECT over the index on this machine."""

import os
import sys
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap.start import CommandFailure
from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.options import current_options, format_option, shared_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from svc_tui.cli.output.rows import Row, RowWriter

_MAX_STATEMENT = 1_000_000
"""Characters of a statement from stdin."""


@click.command(cls=SectionedCommand)
@click.argument("statement")
@format_option
@shared_options
def sql(statement: str, form: str) -> int:
    """Query the index with an SQL SELECT.

    The index is on this computer (see svc-tui index); nothing is sent to the service, and STATEMENT can't change
    anything. STATEMENT is SQLite SQL; use - to read it from stdin. Each collection is a table, each field a column.
    Nested fields are JSON (use -> or json_extract). _read_at is the time when a record was loaded.

    SQLite shortens numbers such as 1.50 to 1.5, and rounds numbers of more than 64 bits. svc-tui find prints numbers
    as the service sent them.

    \b
    Exit status:
      0  done, even if there are no rows
      2  the statement is wrong, or there is no usable index

    \b
    Examples:
      svc-tui sql 'select status, count(*) from lots group by 1'
      svc-tui sql 'select id, assay->>"$.auPpm" from lots' --format csv
      svc-tui sql - --format jsonl < question.sql
    """
    from svc_tui.bootstrap.index.query import query_index
    from svc_tui.cli.output.rows import row_writer
    from svc_tui.cli.output.stdout import ReaderGone

    writer: RowWriter | None = None

    def show(columns: "Sequence[str]", rows: "Sequence[Row]") -> None:
        nonlocal writer
        writer = writer or row_writer(form, columns)
        writer.add(rows)

    try:
        query_index(_from_stdin() if statement == "-" else statement, current_options(), os.environ, show)
        if writer is not None:
            writer.finish()
    except ReaderGone:
        # Whoever read it has seen enough.
        return 0
    return 0


def _from_stdin() -> str:
    if sys.stdin is None:
        raise CommandFailure("stdin is closed; write the statement on the command line")
    try:
        statement = sys.stdin.read(_MAX_STATEMENT + 1)
    except UnicodeDecodeError:
        raise CommandFailure("the statement on stdin is not UTF-8 text") from None
    if len(statement) > _MAX_STATEMENT:
        raise CommandFailure(f"the statement on stdin is longer than {_MAX_STATEMENT:,} characters")
    return statement
