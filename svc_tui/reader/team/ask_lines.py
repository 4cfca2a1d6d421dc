"""The words for what is asked of a team: a line in the list, or everything that its author was shown."""

from collections.abc import Iterator, Mapping
from datetime import tzinfo

from svc_tui.core.bodies import size_text
from svc_tui.core.draft import FieldChange, json_or_unset
from svc_tui.core.jsontext import ABSENT, Json
from svc_tui.core.phrases import counted
from svc_tui.core.requests import SignedRequest
from svc_tui.core.times import local_time
from svc_tui.core.visible_text import field_label, visible
from svc_tui.reader.reviewed_writes import request_lines
from svc_tui.reader.spoken_words import change_words
from svc_tui.session.masking import domain_of
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.team.asks import Ask, AskedChange, changed_fields


def ask_line(ask: Ask, tz: tzinfo) -> str:
    """An ask in the list: how it stands, what, by whom, when, for which ticket, with which word."""
    change = ask.change
    parts = [
        ask.state.value,
        visible(change.title),
        f"requested by {visible(ask.author.name)}",
        _time(ask, tz),
        f"ticket {visible(change.ticket)}" if change.ticket else "",
        visible(change.word) or f"rule {visible(change.rule)}",
    ]
    return ", ".join(filter(None, parts))


def ask_details(ask: Ask, mask: PrivacyMask, tz: tzinfo, base_url: str) -> Iterator[str]:
    """What its author was shown, and what was said to it."""
    change = ask.change
    yield f"{visible(change.title)}: {ask.state.value}."
    yield f"Requested by {visible(ask.author.name)} on {visible(ask.author.machine)}, {_time(ask, tz)}."
    ticket = f"Ticket {visible(change.ticket)}" if change.ticket else "No ticket"
    yield f"Rule {visible(change.rule)}. {ticket}. Message: {visible(mask.text(change.word)) or 'none'}."
    for verdict in ask.verdicts:
        word = f": {visible(mask.text(verdict.word))}" if verdict.word else ""
        yield f"{visible(verdict.author.name)} {verdict.kind.value}{word}."
    if ask.told is not None:
        yield f"{ask.told.value.capitalize()}{f': {visible(mask.text(ask.reason))}' if ask.reason else ''}."
    if change.masked:
        yield f"Not shared (masked): {', '.join(map(visible, change.masked))}. Ask the author for the values."
    if change.plan is not None:
        yield from _plan_lines(change, mask)
    else:
        yield from _change_lines(change, mask)
        yield from _request_lines(change, mask, base_url)


def now_lines(change: AskedChange, fields: Mapping[str, Json], mask: PrivacyMask) -> Iterator[str]:
    """What the record is now beside what it was when it was asked for."""
    moved = changed_fields(change, fields)
    if not moved:
        yield "Not changed since the request."
        return
    domain = domain_of(change.path)
    now, before = _seen(fields, domain, mask), _seen(change.before, domain, mask)
    yield f"Changed since the request: {', '.join(map(visible, moved))}. This request can no longer be sent."
    for name in moved:
        if name in now:
            yield f"{change_words(FieldChange(name, before.get(name, ABSENT), now[name]))}."
        else:
            yield f"{field_label(name)}: removed."


def _time(ask: Ask, tz: tzinfo) -> str:
    at = ask.at.isoformat()
    return local_time(at, tz, seconds=True) or at


def _seen(fields: Mapping[str, Json], domain: str, mask: PrivacyMask) -> Mapping[str, Json]:
    return mask.mask.fields(fields, domain) if mask.on else fields


def _change_lines(change: AskedChange, mask: PrivacyMask) -> Iterator[str]:
    domain = domain_of(change.path)
    before = _seen(change.before, domain, mask)
    after = None if change.after is None else _seen(change.after, domain, mask)
    if after and change.method in ("PATCH", "PUT"):
        for name in after:
            yield f"{change_words(FieldChange(name, before.get(name, ABSENT), after[name]))}."
        return
    if after:
        yield "Fields to send:"
        yield from _field_lines(after)
    if before:
        yield "The record at the time of the request:"
        yield from _field_lines(before)


def _field_lines(fields: Mapping[str, Json]) -> Iterator[str]:
    for name, value in fields.items():
        yield f"{field_label(name)}: {visible(json_or_unset(value))}"


def _request_lines(change: AskedChange, mask: PrivacyMask, base_url: str) -> Iterator[str]:
    body = change.body
    sent = b"" if body is None else body.encode(errors="replace")
    request = SignedRequest(change.method, f"{base_url}/", change.target, change.headers, sent)
    yield from request_lines(mask.request(request, tuple(change.before)))
    if body is None:
        size = size_text(change.body_bytes)
        yield f"Body ({size}) not shared: it may contain masked values."


def _plan_lines(change: AskedChange, mask: PrivacyMask) -> Iterator[str]:
    plan = change.plan
    assert plan is not None
    yield f"{visible(plan.title)}, {counted(plan.rows, 'row')}, hash {visible(plan.digest[:16])}."
    for name, text in plan.sample:
        yield f"{visible(name)}: {visible(mask.text(text))}"
    if (left := plan.rows - len(plan.sample)) > 0:
        yield f"{left:,} more in the author's plan."
