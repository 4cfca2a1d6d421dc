"""What the index holds, as lines for people and as a document for a script."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo

from svc_tui.bootstrap.index.index_status import IndexReport
from svc_tui.cli.output.stderr import one_line
from svc_tui.core.bodies import size_text
from svc_tui.core.durations import age_words
from svc_tui.core.times import local_time
from svc_tui.storage.record_index.index_values import IndexedCollection, IndexStatus


def age_of(moment: datetime, now: datetime) -> str:
    """How long ago that was: `3 h ago`, `just now`."""
    words = age_words((now - moment).total_seconds())
    return f"{words} ago" if words else "just now"


def moment_text(moment: datetime, zone: tzinfo) -> str:
    """The moment in a zone, to the minute."""
    return local_time(moment.isoformat(), zone) or moment.isoformat(" ", "minutes")


def incomplete_line(collections: Sequence[IndexedCollection]) -> str:
    """Which collections the index does not hold to their end, and why."""
    return f"the index is incomplete: {'; '.join(f'{one.key} ({_why(one)})' for one in collections)}"


def _why(held: IndexedCollection) -> str:
    if held.problem:
        return held.problem.rstrip(".")
    return "not complete yet" if held.next_page is not None else "not indexed yet"


def report_lines(report: IndexReport, now: datetime, zone: tzinfo) -> Iterator[str]:
    """The index as lines: the file, what keeps it, and a line for each collection."""
    if not report.exists:
        yield "there is no index for the current key" if report.problem else "there is no index for this profile"
        yield f"{'file':10}  {report.path} (does not exist yet)"
        yield "create it with: svc-tui index update; or set index = true in the profile"
        if report.kept_by:
            yield f"{'updates':10}  {report.kept_by}"
        return
    yield f"{'file':10}  {report.path}"
    status = report.status
    if status is not None:
        yield f"{'size':10}  {size_text(status.size)}"
        yield f"{'created':10}  {moment_text(status.began_at, zone)}, {age_of(status.began_at, now)}"
    claimed = "another svc-tui process is updating it now" if report.claimed else ""
    kept = report.kept_by or "only when you run svc-tui index update"
    yield f"{'updates':10}  {'; '.join(filter(None, (kept, claimed)))}"
    if status is None:
        return
    yield f"{'records':10}  {status.records:,}"
    yield ""
    width = max((len(key) for key in report.keys), default=0)
    for key in report.keys:
        held = status.of(key)
        yield one_line(f"{key:{width}}  {held.records:>9,}  {'; '.join(_words(held, now, zone))}")


def _words(held: IndexedCollection, now: datetime, zone: tzinfo) -> Iterator[str]:
    """When it was read to its end, how far a reading has come, and what is to be known besides."""
    if held.completed_at is not None:
        yield f"updated {age_of(held.completed_at, now)} ({moment_text(held.completed_at, zone)})"
    elif held.next_page is None and not held.problem:
        yield "not indexed yet"
    if held.next_page is not None and not (held.problem and held.next_page == 1):
        of = "" if held.total is None else f" of {held.total:,}"
        yield f"update not finished: {held.records:,}{of}, continues at page {held.next_page:,}"
    if held.without_id:
        yield f"{held.without_id:,} without an id, skipped"
    if held.repeated_ids:
        yield f"{held.repeated_ids:,} with the id of another record, skipped"
    if held.problem:
        yield f"update failed: {held.problem}"


def json_report(report: IndexReport) -> str:
    """The same for a script."""
    status = report.status
    document = {
        "file": str(report.path),
        "exists": report.exists,
        "problem": report.problem,
        "kept_by": report.kept_by,
        "kept_up_to_date_now": report.claimed,
        "size": None if status is None else status.size,
        "began_at": None if status is None else _utc(status.began_at),
        "records": None if status is None else status.records,
        "collections": [] if status is None else [_document(status, key) for key in report.keys],
    }
    return json.dumps(document, indent=2)


def _document(status: IndexStatus, key: str) -> dict[str, object]:
    held = status.of(key)
    return {
        "collection": key,
        "records": held.records,
        "total": held.total,
        "completed_at": None if held.completed_at is None else _utc(held.completed_at),
        "next_page": held.next_page,
        "without_id": held.without_id,
        "repeated_ids": held.repeated_ids,
        "problem": held.problem,
    }


def _utc(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
