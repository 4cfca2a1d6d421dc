"""The check of the index of records: how much it holds, how old that is, and what is not in it."""

from collections.abc import Sequence
from datetime import datetime

from svc_tui.domain.data.bodies import size_text
from svc_tui.domain.data.counted import counted
from svc_tui.domain.doctor.check_result import CheckResult, CheckVerdict
from svc_tui.domain.model.durations import age_words
from svc_tui.domain.search.record_index import IndexProblem, IndexStatus, NoIndex

INDEX = "index"
"""The check's name."""


def check_index(index: IndexStatus | IndexProblem, keys: Sequence[str], now: datetime, *, wanted: bool) -> CheckResult:
    """What the index holds of these collections; none, or one that must be built anew, is no failure."""
    if isinstance(index, NoIndex):
        none = "no index yet; svc-tui creates it when you open it" if wanted else "no index"
        return CheckResult(INDEX, CheckVerdict.PASSED, f"{none}; for help, run svc-tui index --help")
    if isinstance(index, IndexProblem):
        return CheckResult(INDEX, CheckVerdict.WARNING, str(index))
    collections = [index.of(key) for key in keys]
    held = [one for one in collections if one.completed_at is not None]
    moments = [one.completed_at for one in held if one.completed_at is not None]
    age = age_words((now - min(moments)).total_seconds()) if moments else ""
    read = f", updated {f'{age} ago' if age else 'just now'}" if moments else ""
    finding = f"{counted(index.records, 'record')} in {counted(len(held), 'collection')}, {size_text(index.size)}{read}"
    refused = [f"{one.key} ({one.problem.rstrip('.')})" for one in collections if one.problem]
    unfinished = [one.key for one in collections if one.completed_at is None and not one.problem]
    left_out = [f"not indexed: {'; '.join(refused)}"] if refused else []
    if unfinished:
        left_out.append(f"incomplete: {', '.join(unfinished)}")
    if not left_out:
        return CheckResult(INDEX, CheckVerdict.PASSED, finding)
    advice = (
        "To load the rest, run svc-tui index update." if unfinished else "The index has only what the key can read."
    )
    return CheckResult(INDEX, CheckVerdict.WARNING, "; ".join((finding, *left_out)), advice)
