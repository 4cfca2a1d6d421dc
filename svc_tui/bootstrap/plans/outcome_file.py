"""What became of every row of a plan, as a CSV file beside it."""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from svc_tui.bootstrap.output import atomic_file
from svc_tui.bootstrap.plans.plan_file import check_replaceable
from svc_tui.bootstrap.start import CommandFailure
from svc_tui.core.export_formats import Csv, encode_utf8
from svc_tui.plans.run import RowOutcome
from svc_tui.plans.run_report import REPORT_COLUMNS, make_report_rows
from svc_tui.service.redact import mask_fields
from svc_tui.storage.journal_entries import RowWrite
from svc_tui.storage.plan import Plan

_FORMAT = Csv(REPORT_COLUMNS)
_ROWS_AT_ONCE = 500


def report_path(plan_file: Path) -> Path:
    """Where the outcomes of a plan are written by default: `lots.plan.json` has `lots.plan.outcome.csv` beside it."""
    name = plan_file.name
    stem = name[: -len(".json")] if name.casefold().endswith(".json") else name
    return plan_file.with_name(f"{stem}.outcome.csv")


def check_report(file: Path, others: Iterable[Path]) -> None:
    """Refuse a place where no report can be put: what is there must be one; raises CommandFailure.

    `others` are files of the user's that it must not be.
    """
    for other in others:
        if file.exists() and other.exists() and file.samefile(other):
            raise CommandFailure(f"--report {file} is the plan or its source file; use another file")
    if file.is_dir():
        raise CommandFailure(f"--report {file} is a directory; add a file name")
    if not file.parent.is_dir():
        raise CommandFailure(f"{file} can't be written: the directory {file.parent} does not exist")
    check_replaceable(file, encode_utf8(_FORMAT.head), "an outcome file")


def write_report(
    file: Path, plan: Plan, writes: Iterable[RowWrite], outcomes: Sequence[RowOutcome], secrets: tuple[str, ...]
) -> None:
    """Put the report in its place, whole or not at all, readable by its owner alone; raises CommandFailure."""
    rows = (mask_fields(row, secrets) for row in make_report_rows(plan, writes, outcomes))
    with atomic_file(file) as out:
        out.put(encode_utf8(_FORMAT.head))
        after = 0
        while some := list(islice(rows, _ROWS_AT_ONCE)):
            out.put(encode_utf8(_FORMAT.text(some, after=after)))
            after += len(some)
