"""A run in the case file: what it was, how it ended, who took it back, and what became of each of its rows."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from svc_tui.domain.app.markdown import code_cell, inline_code, one_line
from svc_tui.domain.data.counted import counted
from svc_tui.domain.editing.journal import entry_result
from svc_tui.domain.editing.ports import JournalEntry
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.domain.plans.journal_groups import title_of_entries
from svc_tui.domain.plans.ports import Run
from svc_tui.domain.plans.run_standing import Standing, standing, standing_undos
from svc_tui.domain.team.names import oldest_first

MAX_ROWS = 200
"""Rows of a run that are in its table; of more, those that were not done come first."""

_MAX_VALUE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class CaseRun:
    """A run with all its writes, the first one first; `undos` took it back, each with its first write."""

    id: str
    title: str
    writes: tuple[JournalEntry, ...]
    standing: Standing | None = None
    undos: tuple[tuple[Run, JournalEntry | None], ...] = ()


def case_runs(
    mine: Iterable[JournalEntry], entries: Iterable[JournalEntry], known_runs: Sequence[Run]
) -> list[CaseRun]:
    """The runs that the writes `mine` are of, each with all its writes among `entries`, of earlier sessions too."""
    wanted = {entry.intent.batch for entry in mine} - {""}
    if not wanted:
        return []
    known, undos = {run.id: run for run in known_runs}, standing_undos(known_runs)
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
        runs.append(CaseRun(run_id, title, writes, None if run is None else standing(run, undos), undoers))
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
        f"- outcome: {ended}" + ("" if run.standing in (None, Standing.DONE) else f"; the run is {run.standing.value}"),
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
