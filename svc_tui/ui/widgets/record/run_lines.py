"""The words for a run in the journal: two lines in a list, or all its details."""

from datetime import tzinfo
from urllib.parse import urlsplit

from textual.content import Content

from svc_tui.core.credentials import Environment
from svc_tui.core.phrases import counted
from svc_tui.plans.journal_runs import RunGroup, RunStatus
from svc_tui.storage.scope import StorageScope
from svc_tui.ui.text import measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.record.journal_lines import LINE_CELLS, line_start, result_text, timestamp, who_content

_LABEL_CELLS = 17
_TICKET_CELLS = 20


def run_lines(
    group: RunGroup,
    environment: Environment,
    zone: tzinfo | None,
    cells: int = LINE_CELLS,
    who: str = "",
) -> Content:
    """Return two lines: time, number of writes and title; below the colleague `who`, the outcomes and the ticket."""
    run = group.run
    sign = "▾ " if group.unfolded else "▸ "
    start = line_start(run.last.intent.at, environment, zone, cells)
    head = Content.assemble(
        (sign, "$role-muted"), (counted(run.writes, "change"), "bold"), f" · {visible(group.title)}"
    )
    first = Content.assemble(start, head.truncate(max(1, cells - start.cell_length), ellipsis=True))
    ticket = shorten(visible(run.first.intent.ticket), _TICKET_CELLS)
    outcome = Content.assemble("  ", who_content(who), outcome_content(group))
    room = cells - (measure(ticket) + 2 if ticket else 0)
    outcome = outcome.truncate(room, ellipsis=True)
    gap = " " * (room - outcome.cell_length)
    return Content.assemble(first, "\n", outcome, gap, ("  " + ticket, "$role-reference") if ticket else "")


def outcome_content(group: RunGroup) -> Content:
    """Return the numbers of writes by outcome, and the status of the run unless it is done."""
    words = group.outcome_words.split(", ")
    parts = [styled(word, result_text(word.partition(" ")[2])[1]) for word in words]
    content = Content(", ").join(parts)
    if group.status in (None, RunStatus.DONE):
        return content
    return Content.assemble(content, (f" · {group.status.value}", "$role-warning"))


def run_details(group: RunGroup, scope: StorageScope, zone: tzinfo | None) -> Content:
    """Return all details of a run; as plain text, they are the record of it for a ticket."""
    run = group.run
    author, service = run.last.author, urlsplit(scope.base_url).netloc
    first, last = (timestamp(entry.intent.at, zone) for entry in (run.first, run.last))
    rows = [
        ("run", styled(run.id)),
        ("what", styled(group.title)),
        ("when", styled(first if first == last else f"{first} to {last}", "$role-time")),
        ("environment", styled(scope.environment.label)),
        ("profile", styled(f"{scope.profile} · {service}")) if author is None else ("service", styled(service)),
        ("ticket", styled(run.first.intent.ticket or "none")),
        ("outcome", Content.assemble(f"{counted(run.writes, 'change')}: ", outcome_content(group))),
        ("entries", styled(f"{run.first.number} to {run.last.number}")),
    ]
    if author is not None:
        rows[-1] = ("by", styled(f"{author} on {author.machine or 'an unnamed computer'}", "bold"))
    return Content("\n").join(
        Content.assemble((pad(label, _LABEL_CELLS), "$role-muted"), value) for label, value in rows
    )
