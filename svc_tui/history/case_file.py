"""The case file: what was looked at and changed in a session for a ticket, as Markdown to be put into it."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import datetime, tzinfo

from msgspec import Struct, field

from svc_tui.core.jsontext import ABSENT, Absent, Json, JsonError, dumps, loads
from svc_tui.core.phrases import counted
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import Exchange
from svc_tui.core.values import replace
from svc_tui.plans.journal_runs import RunStatus, find_effective_undos, find_status, title_of_entries
from svc_tui.storage.journal_entries import JournalEntry, entry_result
from svc_tui.storage.runs import Run
from svc_tui.storage.scope import StorageScope
from svc_tui.team.names import oldest_first
from svc_tui.team.notes import Note

MAX_ITEMS = 300
"""Records and exchanges of a session that are kept; of more, the oldest go."""

MAX_BODY_CHARACTERS = 20_000
"""Bytes of a body that are put into the file."""

MAX_ROWS = 200
"""Rows of a run that are in its table; of more, those that were not done come first."""

_MAX_VALUE_CHARACTERS = 200
_MAX_TICKETS = 3
"""Tickets that a case file of many is called by."""


class ViewedRecord(Struct, frozen=True):
    """A record that the user looked at: as it was then, and as it was read last."""

    at: datetime
    place: Place
    first: Record
    last: Record


class SessionLog(Struct, frozen=True):
    """What happened since the program began at `began`; a pure value, bounded.

    `dropped` counts what was let go of because there was too much.
    """

    began: datetime
    viewed: Mapping[Place, ViewedRecord] = field(default_factory=dict)
    exchanges: tuple[Exchange, ...] = ()
    dropped: int = 0

    def with_viewed(self, at: datetime, place: Place, record: Record) -> "SessionLog":
        """The log with a record that was opened, or read again."""
        before = self.viewed.get(place)
        if before is not None and before.last == record:
            return self
        record_view = ViewedRecord(at, place, record, record) if before is None else replace(before, last=record)
        viewed = {**self.viewed, place: record_view}
        if len(viewed) <= MAX_ITEMS:
            return replace(self, viewed=viewed)
        del viewed[next(iter(viewed))]
        return replace(self, viewed=viewed, dropped=self.dropped + 1)

    def with_reading(self, place: Place, record: Record) -> "SessionLog":
        """The log with a newer reading of a record, if that was opened."""
        return self.with_viewed(self.viewed[place].at, place, record) if place in self.viewed else self

    def with_exchange(self, exchange: Exchange) -> "SessionLog":
        """The log with a request and its answer."""
        exchanges = (*self.exchanges, exchange)
        over = len(exchanges) - MAX_ITEMS
        return replace(self, exchanges=exchanges[-MAX_ITEMS:], dropped=self.dropped + max(0, over))


class CaseRun(Struct, frozen=True):
    """A run with all its writes, the first one first; `undos` took it back, each with its first write."""

    id: str
    title: str
    writes: tuple[JournalEntry, ...]
    status: RunStatus | None = None
    undos: tuple[tuple[Run, JournalEntry | None], ...] = ()


class CaseFileMask(Struct, frozen=True):
    """How values look in the file: masked, or as they are."""

    record: Callable[[Record, str], Record]
    entry: Callable[[JournalEntry], JournalEntry]
    exchange: Callable[[Exchange], Exchange]
    note: str = ""


def writes_for_ticket(
    entries: Iterable[JournalEntry], session: SessionLog, ticket: str
) -> tuple[list[JournalEntry], int]:
    """The writes of the session that are for the ticket or for none, the oldest first; and how many are for others.

    With those that colleagues made for the ticket meanwhile.
    """
    since = [entry for entry in entries if entry.intent.at >= session.began]
    mine = [entry for entry in since if entry.intent.ticket == ticket or not (entry.intent.ticket or entry.author)]
    # Colleagues' others are none of this session's.
    others = sum(entry.author is None for entry in since) - sum(entry.author is None for entry in mine)
    return oldest_first(entry for entry in mine if ticket or entry.author is None), others


def render_case_file(
    ticket: str,
    session: SessionLog,
    entries: Iterable[JournalEntry],
    scope: StorageScope,
    mask: CaseFileMask,
    now: datetime,
    known_runs: Sequence[Run] = (),
    notes: Sequence[Note] = (),
) -> str:
    """The case file as Markdown, times in the zone of `now`; what `mask` hides is hidden in it.

    The writes of a run are one section; `known_runs` are those that the store knows of, for what they are called. Of
    the team's `notes`, those on the session's records are in it; personal data in them is masked already.
    """
    entries = tuple(entries)
    writes, others = writes_for_ticket(entries, session, ticket)

    time_text = _time_text_in(now.tzinfo)
    parts = [_render_title(ticket), _render_facts(session, scope, mask, now, time_text)]
    parts += _render_changed(writes, case_runs(writes, entries, known_runs), mask.entry, time_text)
    if others:
        parts.append(f"Not included: {counted(others, 'change')} in this session with another ticket.")
    places = {*(place.key for place in session.viewed), *(entry.intent.place for entry in writes)}
    parts += _render_notes(notes, places, time_text)
    parts.append(f"## Viewed ({len(session.viewed)})")
    parts += [_render_viewed(record_view, mask, time_text) for record_view in session.viewed.values()] or [
        "No records."
    ]
    parts.append(f"## Requests and responses ({len(session.exchanges)})")
    parts += [_render_exchange(mask.exchange(exchange), time_text) for exchange in session.exchanges] or [
        "No requests."
    ]
    return "\n\n".join(parts) + "\n"


def render_journal_case_file(
    writes: Iterable[JournalEntry],
    scope: StorageScope,
    zone: tzinfo | None,
    *,
    ticket: str = "",
    note: str = "",
    known_runs: Sequence[Run] = (),
    first_of_undos: Iterable[JournalEntry] = (),
    notes: Sequence[Note] = (),
) -> str:
    """The case file of these writes alone, whatever session they are of, the oldest first; its times are in `zone`.

    With no `ticket` it is called by those that the writes went with. `first_of_undos` are the first writes of runs that
    took others back. Of the team's `notes`, those on the records written to are in it. Personal data in them is
    masked already; `note` is a sentence about that.
    """
    writes = oldest_first(writes)
    time_text = _time_text_in(zone)
    tickets = dict.fromkeys(entry.intent.ticket for entry in writes)
    facts = [_scope_line(scope)]
    if writes:
        facts.append(f"- changes: {time_text(writes[0].intent.at)} to {time_text(writes[-1].intent.at)}")
    if note:
        facts.append(f"- {note}")
    theirs = {entry.number: entry for entry in (*first_of_undos, *writes)}
    runs = case_runs(writes, theirs.values(), known_runs)
    parts = [_render_title(ticket or _ticket_words(tuple(tickets))), "\n".join(facts)]
    parts += _render_changed(writes, runs, lambda entry: entry, time_text)
    return "\n\n".join([*parts, *_render_notes(notes, {entry.intent.place for entry in writes}, time_text)]) + "\n"


def _render_title(ticket: str) -> str:
    return f"# Case file: {one_line(ticket) or 'no ticket'}"


def _ticket_words(tickets: Sequence[str]) -> str:
    if "" in tickets and len(tickets) > 1:
        return f"{_ticket_words([ticket for ticket in tickets if ticket])}, and changes without a ticket"
    more = f" and {len(tickets) - _MAX_TICKETS:,} more" if len(tickets) > _MAX_TICKETS else ""
    return ", ".join(tickets[:_MAX_TICKETS]) + more


def _time_text_in(zone: tzinfo | None) -> Callable[[datetime], str]:
    return lambda at: at.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S %Z")


def _scope_line(scope: StorageScope) -> str:
    environment = f"- environment: **{scope.environment.label}**"
    return f"{environment}, profile {inline_code(scope.profile)}, {inline_code(scope.base_url)}"


def _render_changed(
    writes: Sequence[JournalEntry],
    case_runs: Iterable[CaseRun],
    mask: Callable[[JournalEntry], JournalEntry],
    time_text: Callable[[datetime], str],
) -> list[str]:
    """What was changed, write by write, those of a run as one."""
    parts = [f"## Changed ({len(writes)})"]
    runs = {run.id: run for run in case_runs}
    for entry in writes:
        run = entry.intent.batch
        if not run:
            parts.append(_render_write(mask(entry), time_text))
        elif run in runs:
            # One section for all of its writes, where the first of them stands.
            parts.append(render_run(runs.pop(run), mask, time_text))
    return parts if writes else [*parts, "No changes."]


def _render_facts(
    session: SessionLog, scope: StorageScope, mask: CaseFileMask, now: datetime, time_text: Callable[[datetime], str]
) -> str:
    lines = [_scope_line(scope), f"- session: {time_text(session.began)} to {time_text(now)}"]
    if session.dropped:
        lines.append(f"- not included: the first {counted(session.dropped, 'item')} (the session is too long)")
    if mask.note:
        lines.append(f"- {mask.note}")
    return "\n".join(lines)


def _render_write(entry: JournalEntry, time_text: Callable[[datetime], str]) -> str:
    intent, outcome = entry.intent, entry.outcome
    how = entry_result(entry)
    if outcome is not None:
        how += "" if outcome.status is None else f" ({outcome.status})"
        how += f", {time_text(outcome.at)}"
    lines = [
        f"### {one_line(intent.method)} {inline_code(intent.place or intent.target)}",
        f"- sent: {time_text(intent.at)}",
        f"- outcome: {how}",
    ]
    if entry.author is not None:
        lines.insert(1, f"- by: {inline_code(entry.author.name)} on {inline_code(entry.author.machine)}")
    if entry.masked:
        lines.append(f"- masked fields: {', '.join(inline_code(name) for name in entry.masked)}")
    if outcome is not None and outcome.message:
        lines.append(f"- message: {inline_code(outcome.message)}")
    if outcome is not None and outcome.request_id:
        lines.append(f"- request id: {inline_code(outcome.request_id)}")
    if intent.idempotency_key:
        lines.append(f"- idempotency key: {inline_code(intent.idempotency_key)}")
    if intent.ticket:
        lines.append(f"- ticket: {inline_code(intent.ticket)}")
    if intent.approval:
        lines.append(f"- approved by: {inline_code(intent.approved_by)} (approval {inline_code(intent.approval)})")
    before, after = intent.before or {}, intent.after or {}
    table = _render_table(
        (name, before.get(name, ABSENT), after.get(name, ABSENT)) for name in dict.fromkeys((*before, *after))
    )
    return "\n".join(lines) + (f"\n\n{table}" if table else "")


def _render_notes(notes: Iterable[Note], places: Set[str], time_text: Callable[[datetime], str]) -> list[str]:
    """The notes on some records, none where there are none."""
    told = [_render_note(note, time_text) for note in notes if note.place in places]
    return [f"## Team notes ({len(told)})", *told] if told else []


def _render_note(note: Note, time_text: Callable[[datetime], str]) -> str:
    who = "you" if note.author is None else inline_code(f"{note.author} on {note.author.machine}")
    head = f"### {inline_code(note.place)}\n\n{time_text(note.written_at)}, by {who}:"
    return f"{head}\n\n{code_block(note.text, '')}"


def _render_viewed(record_view: ViewedRecord, mask: CaseFileMask, time_text: Callable[[datetime], str]) -> str:
    domain = record_view.place.collection.domain
    first, last = (mask.record(record, domain).fields for record in (record_view.first, record_view.last))
    head = f"### {inline_code(record_view.place.key)}\n\nOpened {time_text(record_view.at)}."
    if first == last:
        return f"{head}\n\n{code_block(dumps(first, indent=2), 'json')}"
    moved = _render_table(
        (name, first.get(name, ABSENT), last.get(name, ABSENT))
        for name in dict.fromkeys((*first, *last))
        if first.get(name, ABSENT) != last.get(name, ABSENT)
    )
    before, after = (code_block(dumps(fields, indent=2), "json") for fields in (first, last))
    return f"{head} The record changed afterwards:\n\n{moved}\n\nBefore:\n\n{before}\n\nAfter:\n\n{after}"


def _render_exchange(exchange: Exchange, time_text: Callable[[datetime], str]) -> str:
    request, answer = exchange.request, exchange.answer
    parts = [f"### {one_line(request.method)} {inline_code(request.target)}"]
    parts.append(
        f"{answer.status} {one_line(answer.reason)}, {time_text(exchange.received)}, "
        f"{counted(exchange.attempts, 'attempt')}"
    )
    if request.body:
        parts.append(f"Request body:\n\n{_render_body(request.body)}")
    if answer.body:
        parts.append(f"Response body:\n\n{_render_body(answer.body)}")
    return "\n\n".join(parts)


def _render_body(body: bytes) -> str:
    try:
        text, language = dumps(loads(body), indent=2), "json"
    except JsonError:
        text, language = body.decode(errors="replace"), ""
    if len(text) > MAX_BODY_CHARACTERS:
        text = f"{text[:MAX_BODY_CHARACTERS]}\n… {len(text) - MAX_BODY_CHARACTERS:,} characters more"
    return code_block(text, language)


def _render_table(rows: Iterable[tuple[str, Json | Absent, Json | Absent]]) -> str:
    lines = [f"| {code_cell(name)} | {_value_cell(old)} | {_value_cell(new)} |" for name, old, new in rows]
    return "\n".join(["| field | before | after |", "| --- | --- | --- |", *lines]) if lines else ""


def _value_cell(value: Json | Absent) -> str:
    return "" if isinstance(value, Absent) else code_cell(dumps(value))


def case_runs(
    mine: Iterable[JournalEntry], entries: Iterable[JournalEntry], known_runs: Sequence[Run]
) -> list[CaseRun]:
    """The runs that the writes `mine` are of, each with all its writes among `entries`, of earlier sessions too."""
    wanted = {entry.intent.batch for entry in mine} - {""}
    if not wanted:
        return []
    known, undos = {run.id: run for run in known_runs}, find_effective_undos(known_runs)
    by_run: dict[str, list[JournalEntry]] = {}
    for entry in oldest_first(entries):
        if entry.intent.batch:
            by_run.setdefault(entry.intent.batch, []).append(entry)
    runs = []
    for run_id in wanted:
        run, writes = known.get(run_id), tuple(by_run.get(run_id, ()))
        title = run.name if run is not None and run.name else title_of_entries(writes)
        undoers = tuple(
            (undo, next(iter(by_run.get(undo.id, ())), None))
            for undo in sorted(known_runs, key=lambda undo: undo.begun)
            if undo.undoes == run_id
        )
        runs.append(CaseRun(run_id, title, writes, None if run is None else find_status(run, undos), undoers))
    return runs


def render_run(run: CaseRun, mask: Callable[[JournalEntry], JournalEntry], time_text: Callable[[datetime], str]) -> str:
    """The section of a run; what `mask` hides is hidden in it."""
    first, last = run.writes[0], run.writes[-1]
    rows = list(_last_of_rows(run.writes).values())
    results = Counter(entry_result(entry) for entry in rows)
    ended = ", ".join(f"{count:,} {one_line(word)}" for word, count in results.most_common())
    lines = [
        f"### Run {inline_code(run.title)}",
        f"- run: {inline_code(run.id)}",
        f"- sent: {time_text(first.intent.at)} to {time_text(last.intent.at)}",
        f"- outcome: {ended}" + ("" if run.status in (None, RunStatus.DONE) else f"; the run is {run.status.value}"),
    ]
    if (author := last.author) is not None:
        lines.insert(2, f"- by: {inline_code(author.name)} on {inline_code(author.machine)}")
    if tickets := dict.fromkeys(entry.intent.ticket for entry in run.writes if entry.intent.ticket):
        lines.append(f"- ticket: {', '.join(inline_code(ticket) for ticket in tickets)}")
    if approvals := {entry.intent.approval: entry.intent.approved_by for entry in run.writes if entry.intent.approval}:
        words = (f"{inline_code(by)} (approval {inline_code(approval)})" for approval, by in approvals.items())
        lines.append(f"- approved by: {'; '.join(words)}")
    lines += [_undo_line(undo, entry, time_text) for undo, entry in run.undos]
    shown = _shown_rows(rows)
    table = [
        "| row | record | field | old | new | outcome |",
        "| ---: | --- | --- | --- | --- | --- |",
        *(line for entry in shown for line in _row_lines(mask(entry))),
    ]
    parts = ["\n".join(lines), "\n".join(table)]
    if left := len(rows) - len(shown):
        parts.append(
            f"{counted(left, 'more row')} not listed here. The run report and the journal export list all rows."
        )
    return "\n\n".join(parts)


def _undo_line(undo: Run, entry: JournalEntry | None, time_text: Callable[[datetime], str]) -> str:
    words = f"- undone: {time_text(undo.begun)} by run {inline_code(undo.id)}"
    if entry is not None and entry.key:
        words += f", with the key of {inline_code(entry.key)}"
    if entry is not None and entry.intent.ticket:
        words += f", ticket {inline_code(entry.intent.ticket)}"
    if undo.ended is None:
        return f"{words}; the undo was interrupted"
    return f"{words}; the undo was cancelled" if undo.given_up else words


def _last_of_rows(writes: Iterable[JournalEntry]) -> Mapping[object, JournalEntry]:
    """The last write of each row, by its number in the plan, or by its record where that is not known."""
    last: dict[object, JournalEntry] = {}
    for entry in writes:
        last[entry.intent.row or entry.intent.place] = entry
    return last


def _shown_rows(rows: Sequence[JournalEntry]) -> list[JournalEntry]:
    """As many rows as there is room for, in the order of the plan; those that were not done before others."""
    if len(rows) <= MAX_ROWS:
        return sorted(rows, key=lambda entry: entry.intent.row)
    first = sorted(rows, key=lambda entry: entry_result(entry) == "done")[:MAX_ROWS]
    return sorted(first, key=lambda entry: entry.intent.row)


def _row_lines(entry: JournalEntry) -> list[str]:
    intent, outcome = entry.intent, entry.outcome
    made = outcome.place if outcome is not None else ""
    place = made or intent.place or intent.target
    result = entry_result(entry)
    if outcome is not None and result != "done" and outcome.message:
        result += f": {outcome.message}"
    row = f"{intent.row}" if intent.row else ""
    start, end = f"| {row} | {code_cell(place)}", f"{_cell(result)} |"
    if intent.method == "DELETE":
        return [f"{start} | *deleted* | | | {end}"]
    before, after = intent.before or {}, intent.after or {}
    changes = [
        f"{start} | {code_cell(name)} | {_value(before.get(name, ABSENT))} | {_value(value)} | {end}"
        for name, value in after.items()
    ]
    return changes or [f"{start} | | | | {end}"]


def _value(value: Json | Absent) -> str:
    if isinstance(value, Absent):
        return ""
    text = dumps(value)
    return code_cell(text if len(text) <= _MAX_VALUE_CHARACTERS else f"{text[:_MAX_VALUE_CHARACTERS]}…")


def _cell(text: str) -> str:
    """Words in a cell; what the service said is code, so that it is read as nothing else."""
    word, colon, message = text.partition(": ")
    return f"{one_line(word)}{colon}{code_cell(message)}".replace("\n", " ")


def inline_code(text: str) -> str:
    """A text between backticks, more of them than are in it."""
    text = one_line(text)
    ticks = _backticks(text, 1)
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{room}{text}{room}{ticks}" if text else ""


def code_cell(text: str) -> str:
    """A text as code in a cell of a table."""
    return inline_code(text).replace("|", "\\|")


def code_block(text: str, language: str) -> str:
    """A text in a block of code."""
    ticks = _backticks(text, 3)
    return f"{ticks}{language}\n{_UNPRINTABLE.sub('�', text)}\n{ticks}"


def one_line(text: str) -> str:
    """A text on one line, without control characters."""
    return _UNPRINTABLE.sub("�", " ".join(text.split()))


def _backticks(text: str, least: int) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(least, longest + 1)


_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
