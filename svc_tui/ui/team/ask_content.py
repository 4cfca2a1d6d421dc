"""The words for what is asked of a team: a line in the list, or everything that its author was shown."""

from collections.abc import Mapping
from datetime import tzinfo

from textual.content import Content

from svc_tui.core.bodies import size_text
from svc_tui.core.draft import FieldChange, json_or_unset
from svc_tui.core.jsontext import ABSENT, Json
from svc_tui.core.phrases import counted
from svc_tui.core.requests import SignedRequest
from svc_tui.session.masking import domain_of
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.team.asks import Ask, AskedChange, AskState, VerdictKind, changed_fields
from svc_tui.ui.text import measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.record.journal_lines import timestamp
from svc_tui.ui.widgets.request.request_preview import request_content
from svc_tui.ui.widgets.text.difference import diff_content

_STATES = {
    AskState.WAITING: ("… waiting", "$role-accent"),
    AskState.ANSWERED: ("· replied", "$role-warning"),
    AskState.APPROVED: ("✓ approved", "$role-ok"),
    AskState.REFUSED: ("✕ declined", "$role-danger"),
    AskState.SENT: ("✓ sent", "$role-muted"),
    AskState.VOIDED: ("! outdated", "$role-warning"),
    AskState.WITHDRAWN: ("· withdrawn", "$role-muted"),
}

_VERDICTS = {
    VerdictKind.APPROVED: ("approved", "$role-ok"),
    VerdictKind.REFUSED: ("declined", "$role-danger"),
    VerdictKind.ANSWER: ("replied", "$role-warning"),
}

_MAX_FIELDS = 100
"""Fields of a record that are listed; a card is for reading."""
_MAX_VALUE_CHARACTERS = 600


def ask_lines(ask: Ask, zone: tzinfo | None, cells: int) -> Content:
    """Two lines: when, what and how it stands; who asks, for which ticket, with which word."""
    word, style = _STATES[ask.state]
    at = timestamp(ask.at, zone)[5:16]
    room = max(1, cells - len(at) - measure(word) - 4)
    what = pad(shorten(visible(ask.change.title), room), room)
    who = " · ".join(filter(None, (ask.author.name, ask.change.ticket, ask.change.word or f"rule {ask.change.rule}")))
    first = Content.assemble((at, "$role-time"), "  ", (what, "bold"), "  ", (word, style))
    return Content.assemble(first, "\n", styled(f"  {shorten(visible(who), max(1, cells - 2))}", "$role-muted"))


def ask_details(ask: Ask, mask: PrivacyMask, zone: tzinfo | None, base_url: str) -> Content:
    """What its author was shown, and what was said to it."""
    change = ask.change
    rows = [
        ("author", f"{ask.author.name} · {ask.author.machine}"),
        ("requested", timestamp(ask.at, zone)),
        ("rule", change.rule),
        ("ticket", change.ticket or "none"),
        ("message", mask.text(change.word) or "none"),
    ]
    parts = [Content("\n").join(Content.assemble((pad(name, 10), "$role-muted"), styled(text)) for name, text in rows)]
    if ask.verdicts or ask.told:
        parts.append(_said_content(ask, mask))
    if change.masked:
        words = f"Not shared (masked): {', '.join(change.masked[:_MAX_FIELDS])}. Ask the author for the values."
        parts.append(styled(words, "$role-warning", lines=True))
    if change.plan is not None:
        parts.append(_plan_content(change, mask))
    else:
        parts += [_change_content(change, mask), _request_content(change, mask, base_url)]
    return Content("\n\n").join(part for part in parts if part)


def record_now(change: AskedChange, fields: Mapping[str, Json], mask: PrivacyMask) -> Content:
    """What the record is now beside what it was when it was asked for."""
    domain = domain_of(change.path)
    now, before = _seen(fields, domain, mask), _seen(change.before, domain, mask)
    moved = changed_fields(change, fields)
    if not moved:
        return styled("Checked now: the record has not changed since the request.", "$role-ok")
    lines = [styled(f"! Changed since the request: {', '.join(moved[:_MAX_FIELDS])}", "bold $role-warning")]
    changes = [
        FieldChange(name, before.get(name, ABSENT), now[name])
        if name in now
        else FieldChange(name, before.get(name, ABSENT), "(field removed)")
        for name in moved[:_MAX_FIELDS]
    ]
    return Content("\n").join([*lines, diff_content(changes), styled("This request can no longer be sent.")])


def _seen(fields: Mapping[str, Json], domain: str, mask: PrivacyMask) -> Mapping[str, Json]:
    return mask.mask.fields(fields, domain) if mask.on else fields


def _said_content(ask: Ask, mask: PrivacyMask) -> Content:
    lines = []
    for verdict in ask.verdicts:
        word, style = _VERDICTS[verdict.kind]
        said = f": {mask.text(verdict.word)}" if verdict.word else ""
        lines.append(Content.assemble(styled(verdict.author.name, "bold"), " ", (word, style), styled(said)))
    if ask.told is not None:
        word, style = _STATES[ask.told]
        lines.append(Content.assemble((word, style), styled(f": {mask.text(ask.reason)}" if ask.reason else "")))
    return Content("\n").join(lines)


def _change_content(change: AskedChange, mask: PrivacyMask) -> Content:
    domain = domain_of(change.path)
    before = _seen(change.before, domain, mask)
    after = None if change.after is None else _seen(change.after, domain, mask)
    if after and change.method in ("PATCH", "PUT"):
        return diff_content([FieldChange(name, before.get(name, ABSENT), after[name]) for name in after])
    parts = []
    if after:
        parts.append(_fields_content("Fields to send", "+ ", "$role-ok", after))
    if before and change.method == "DELETE":
        parts.append(_fields_content("Record at the time of the request", "- ", "$role-danger", before))
    elif before:
        parts.append(_fields_content("Record at the time of the request", "  ", "$role-muted", before))
    return Content("\n").join(parts)


def _fields_content(title: str, mark: str, style: str, fields: Mapping[str, Json]) -> Content:
    lines = [styled(title, "bold")]
    for name, value in list(fields.items())[:_MAX_FIELDS]:
        text = f"{name}: {json_or_unset(value)}"
        lines.append(Content.assemble((mark, style), styled(shorten(visible(text), _MAX_VALUE_CHARACTERS))))
    if (left := len(fields) - _MAX_FIELDS) > 0:
        lines.append(styled(f"… and {counted(left, 'more field')}", "$role-muted"))
    return Content("\n").join(lines)


def _request_content(change: AskedChange, mask: PrivacyMask, base_url: str) -> Content:
    body = change.body
    request = SignedRequest(
        change.method,
        f"{base_url}/",
        change.target,
        change.headers,
        b"" if body is None else body.encode(errors="replace"),
    )
    content = request_content(mask.request(request, beside=change.before), headers_shown=True)
    if body is not None:
        return content
    words = f"Body ({size_text(change.body_bytes)}) not shared: it may contain masked values."
    return Content.assemble(content, "\n", styled(words, "$role-warning"))


def _plan_content(change: AskedChange, mask: PrivacyMask) -> Content:
    plan = change.plan
    assert plan is not None
    lines = [
        Content.assemble(styled(plan.title, "bold"), styled(f" · {counted(plan.rows, 'row')}", "$role-muted")),
        styled(f"hash {plan.digest[:16]}", "$role-muted"),
        *(
            Content.assemble(
                styled(name, "bold"), styled(f"  {shorten(visible(mask.text(text)), _MAX_VALUE_CHARACTERS)}")
            )
            for name, text in plan.sample[:_MAX_FIELDS]
        ),
    ]
    if (left := plan.rows - len(plan.sample)) > 0:
        lines.append(styled(f"… and {counted(left, 'more row')} in the author's plan", "$role-muted"))
    return Content("\n").join(lines)
