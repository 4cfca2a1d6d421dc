"""The case file: what was looked at and changed in a session for a ticket, as Markdown to be put into it."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from svc_tui.domain.editing.journal import result_of
from svc_tui.domain.editing.ports import JournalEntry, StorageScope
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, JsonError, dumps, loads
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.model.requests import Exchange

MOST = 300
"""Records and exchanges of a session that are kept; of more, the oldest go."""

MOST_BYTES = 20_000
"""Bytes of a body that are put into the file."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A record that somebody looked at: as it was then, and as it was read last."""

    at: datetime
    place: Place
    first: Record
    last: Record


@dataclass(frozen=True, slots=True)
class SessionLog:
    """What happened since the program began at `began`; a pure value, bounded.

    `dropped` counts what was let go of because there was too much.
    """

    began: datetime
    looked: Mapping[Place, Looked] = field(default_factory=dict)
    exchanges: tuple[Exchange, ...] = ()
    dropped: int = 0

    def looking(self, at: datetime, place: Place, record: Record) -> "SessionLog":
        """With a record that is looked at, or was read again."""
        before = self.looked.get(place)
        if before is not None and before.last == record:
            return self
        seen = Looked(at, place, record, record) if before is None else replace(before, last=record)
        looked = {**self.looked, place: seen}
        if len(looked) <= MOST:
            return replace(self, looked=looked)
        del looked[next(iter(looked))]
        return replace(self, looked=looked, dropped=self.dropped + 1)

    def reading(self, place: Place, record: Record) -> "SessionLog":
        """With a newer reading of a record, if it was looked at."""
        return self.looking(self.looked[place].at, place, record) if place in self.looked else self

    def exchanging(self, exchange: Exchange) -> "SessionLog":
        """With a request and its answer."""
        exchanges = (*self.exchanges, exchange)
        over = len(exchanges) - MOST
        return replace(self, exchanges=exchanges[-MOST:], dropped=self.dropped + max(0, over))


@dataclass(frozen=True, slots=True)
class Sights:
    """How values look in the file: masked, or as they are."""

    record: Callable[[Record, str], Record]
    entry: Callable[[JournalEntry], JournalEntry]
    exchange: Callable[[Exchange], Exchange]
    note: str = ""


def writes_for(entries: Iterable[JournalEntry], session: SessionLog, ticket: str) -> tuple[list[JournalEntry], int]:
    """The writes of the session that are for the ticket or for none, the oldest first; and how many are for others."""
    since = [entry for entry in entries if entry.intent.at >= session.began]
    mine = [entry for entry in since if entry.intent.ticket in ("", ticket)]
    return sorted(mine, key=lambda entry: entry.number), len(since) - len(mine)


def case_file(
    ticket: str,
    session: SessionLog,
    entries: Iterable[JournalEntry],
    scope: StorageScope,
    sights: Sights,
    now: datetime,
) -> str:
    """The case file as Markdown, times in the zone of `now`; what `sights` hides is hidden in it."""
    writes, others = writes_for(entries, session, ticket)

    def told(at: datetime) -> str:
        return at.astimezone(now.tzinfo).strftime("%Y-%m-%d %H:%M:%S %Z")

    parts = [f"# Case file: {_plain(ticket) or 'no ticket'}", _facts(session, scope, sights, now, told)]
    parts.append(f"## Changed ({len(writes)})")
    parts += [_write(sights.entry(entry), told) for entry in writes] or ["Nothing was changed."]
    if others:
        parts.append(f"{others} more of this session went with other tickets, and are not in this file.")
    parts.append(f"## Looked at ({len(session.looked)})")
    parts += [_looked(seen, sights, told) for seen in session.looked.values()] or ["No record was opened."]
    parts.append(f"## Requests and answers ({len(session.exchanges)})")
    parts += [_exchange(sights.exchange(exchange), told) for exchange in session.exchanges] or ["None was kept."]
    return "\n\n".join(parts) + "\n"


def _facts(
    session: SessionLog, scope: StorageScope, sights: Sights, now: datetime, told: Callable[[datetime], str]
) -> str:
    lines = [
        f"- environment: **{scope.environment.label}**, profile {_code(scope.profile)}, {_code(scope.base_url)}",
        f"- session: {told(session.began)} to {told(now)}",
    ]
    if session.dropped:
        lines.append(f"- the session was long: its first {session.dropped} items are not in this file")
    if sights.note:
        lines.append(f"- {sights.note}")
    return "\n".join(lines)


def _write(entry: JournalEntry, told: Callable[[datetime], str]) -> str:
    intent, outcome = entry.intent, entry.outcome
    how = result_of(entry)
    if outcome is not None:
        how += "" if outcome.status is None else f" ({outcome.status})"
        how += f", {told(outcome.at)}"
    lines = [
        f"### {_plain(intent.method)} {_code(intent.place or intent.target)}",
        f"- sent: {told(intent.at)}",
        f"- outcome: {how}",
    ]
    if outcome is not None and outcome.message:
        lines.append(f"- said: {_code(outcome.message)}")
    if outcome is not None and outcome.request_id:
        lines.append(f"- request id: {_code(outcome.request_id)}")
    if intent.idempotency_key:
        lines.append(f"- idempotency key: {_code(intent.idempotency_key)}")
    if intent.ticket:
        lines.append(f"- ticket: {_code(intent.ticket)}")
    before, after = intent.before or {}, intent.after or {}
    table = _table(
        (name, before.get(name, ABSENT), after.get(name, ABSENT)) for name in dict.fromkeys((*before, *after))
    )
    return "\n".join(lines) + (f"\n\n{table}" if table else "")


def _looked(seen: Looked, sights: Sights, told: Callable[[datetime], str]) -> str:
    domain = seen.place.collection.domain
    first, last = (sights.record(record, domain).fields for record in (seen.first, seen.last))
    head = f"### {_code(seen.place.key)}\n\nOpened {told(seen.at)}."
    if first == last:
        return f"{head}\n\n{_block(dumps(first, indent=2), 'json')}"
    moved = _table(
        (name, first.get(name, ABSENT), last.get(name, ABSENT))
        for name in dict.fromkeys((*first, *last))
        if first.get(name, ABSENT) != last.get(name, ABSENT)
    )
    before, after = (_block(dumps(fields, indent=2), "json") for fields in (first, last))
    return f"{head} It changed while it was looked at:\n\n{moved}\n\nBefore:\n\n{before}\n\nAfter:\n\n{after}"


def _exchange(exchange: Exchange, told: Callable[[datetime], str]) -> str:
    request, answer = exchange.request, exchange.answer
    parts = [f"### {_plain(request.method)} {_code(request.target)}"]
    parts.append(f"{answer.status} {_plain(answer.reason)}, {told(exchange.received)}, {exchange.attempts} attempt(s)")
    if request.body:
        parts.append(f"Sent:\n\n{_body(request.body)}")
    if answer.body:
        parts.append(f"Answered:\n\n{_body(answer.body)}")
    return "\n\n".join(parts)


def _body(body: bytes) -> str:
    try:
        text, language = dumps(loads(body), indent=2), "json"
    except JsonError:
        text, language = body.decode(errors="replace"), ""
    if len(text) > MOST_BYTES:
        text = f"{text[:MOST_BYTES]}\n… {len(text) - MOST_BYTES:,} characters more"
    return _block(text, language)


def _table(rows: Iterable[tuple[str, Json | Absent, Json | Absent]]) -> str:
    lines = [f"| {_cell(name)} | {_value(old)} | {_value(new)} |" for name, old, new in rows]
    return "\n".join(["| field | before | after |", "| --- | --- | --- |", *lines]) if lines else ""


def _value(value: Json | Absent) -> str:
    return "" if isinstance(value, Absent) else _cell(dumps(value))


def _cell(text: str) -> str:
    return _code(text).replace("|", "\\|")


def _code(text: str) -> str:
    """A text between backticks, more of them than are in it."""
    text = _plain(text)
    ticks = _ticks(text, 1)
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{room}{text}{room}{ticks}" if text else ""


def _block(text: str, language: str) -> str:
    ticks = _ticks(text, 3)
    return f"{ticks}{language}\n{_UNFIT.sub('�', text)}\n{ticks}"


def _ticks(text: str, least: int) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(least, longest + 1)


_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def _plain(text: str) -> str:
    """A text on one line, without what could command whoever shows it."""
    return _UNFIT.sub("�", " ".join(text.split()))
