"""The words for a write in the journal: two lines in a list, or all its details."""

from datetime import datetime, timedelta, tzinfo
from urllib.parse import urlsplit

from textual.content import Content

from svc_tui.core.bodies import size_text
from svc_tui.core.catalog import VERSION_PREFIX
from svc_tui.core.credentials import Environment
from svc_tui.core.draft import json_or_unset
from svc_tui.history.journal_rows import field_changes
from svc_tui.storage.journal_entries import Intent, JournalEntry, entry_result
from svc_tui.storage.scope import StorageScope
from svc_tui.ui.text import ELLIPSIS, field_label, measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.text.difference import diff_content

LINE_CELLS = 70
"""Cells of a line in the journal."""
_MIN_CELLS_FOR_ENVIRONMENT = 64
"""The narrowest line with the year and the environment."""
_LABEL_CELLS = 17
_MAX_VALUE_CHARACTERS = 28
"""Characters of a value in the list; the details show more."""

_MAX_MASKED_NAMES = 8
"""Masked fields that are named at most."""
_WHO_CELLS = 20
"""Cells of a colleague's name in the list."""
_SAME_TIME = timedelta(minutes=1)
"""The difference of two clocks up to which only one time is shown."""

_OUTCOME_TEXTS = {
    "done": ("✓ done", "$role-ok"),
    "refused": ("✕ refused", "$role-danger"),
    "unknown": ("? unknown", "bold $role-warning"),
    "not sent": ("· not sent", "$role-muted"),
    "running": (f"{ELLIPSIS} running", "$role-accent"),
}


def outcome_text(entry: JournalEntry) -> tuple[str, str]:
    """Return the mark and word for the outcome of a write, and their style."""
    return result_text(entry_result(entry))


def result_text(result: str) -> tuple[str, str]:
    """Return the mark and word for a result as the journal names it, and their style."""
    return _OUTCOME_TEXTS.get(result) or (f"? {visible(result)}", "bold $role-warning")


def line_start(at: datetime, environment: Environment, zone: tzinfo | None, cells: int) -> Content:
    """Return the start of a line in the journal: the time and, if there is room, the environment."""
    live = "bold $role-live" if environment is Environment.LIVE else "$role-sandbox"
    time = timestamp(at, zone)[:16]
    if cells >= _MIN_CELLS_FOR_ENVIRONMENT:
        return Content.assemble((time, "$role-time"), "  ", (environment.label, live), "  ")
    return Content.assemble((time[5:], "$role-time"), "  ")


def entry_lines(
    entry: JournalEntry, environment: Environment, zone: tzinfo | None, cells: int = LINE_CELLS, who: str = ""
) -> Content:
    """Return two lines: time, method, place and outcome; below the colleague `who`, the changes and the ticket."""
    intent = entry.intent
    word, style = outcome_text(entry)
    start = Content.assemble(line_start(intent.at, environment, zone, cells), (pad(intent.method, 6), "bold"), "  ")
    room = max(1, cells - start.cell_length - measure(word) - 2)
    place = pad(shorten_place(intent, room), room)
    ticket = shorten(visible(intent.ticket), 20)
    by = who_content(who)
    changes = f"other API key · {_changes_text(entry)}" if entry.other_key else _changes_text(entry)
    what = pad(changes, cells - 2 - by.cell_length - (measure(ticket) + 2 if ticket else 0))
    second = Content.assemble("  ", by, (what, "$role-muted"), ("  " + ticket, "$role-reference") if ticket else "")
    return Content.assemble(start, place, "  ", (word, style), "\n", second)


def who_content(who: str) -> Content:
    """Return the name of a colleague before their changes; empty for a write from here."""
    return Content.assemble((shorten(visible(who), _WHO_CELLS), "bold"), "  ") if who else Content()


def write_text(entry: JournalEntry) -> str:
    """Return a write on one line: its method, the name of its action, the changed fields."""
    intent = entry.intent
    above = f"{VERSION_PREFIX}/{intent.place}/"
    path = intent.target.partition("?")[0]
    action = visible(path.removeprefix(above)) if path.startswith(above) else ""
    changes = _changes_text(entry)
    # The changed values imply the method, and need the room more.
    method = "" if intent.method == "PATCH" and changes and not action else visible(intent.method)
    return " ".join(filter(None, (method, action, changes)))


def shorten_place(intent: Intent, cells: int) -> str:
    """Return the place of a write in at most `cells` cells, cut at the left: the record matters most."""
    place = visible(_place_text(intent))
    if measure(place) <= cells:
        return place
    segments = place.partition("?")[0].removeprefix(f"{VERSION_PREFIX}/").split("/")
    shorter = ["/".join(segments), "/".join(segments[1:])]
    shorter += [f"{ELLIPSIS}/{'/'.join(segments[start:])}" for start in range(2, len(segments))]
    fitting = next((text for text in shorter if text and measure(text) <= cells), None)
    return ELLIPSIS + _last_cells(segments[-1], cells - 1) if fitting is None else fitting


def _place_text(intent: Intent) -> str:
    """Return the place of the record, with the name of the action if the write was one."""
    path = intent.target.partition("?")[0].removeprefix(f"{VERSION_PREFIX}/")
    return path if path.startswith(f"{intent.place}/") else intent.place or intent.target


def _last_cells(text: str, cells: int) -> str:
    """Return the end of a text in at most `cells` cells."""
    text = text[-cells:] if cells > 0 else ""
    while measure(text) > cells:
        text = text[1:]
    return text


def entry_details(entry: JournalEntry, scope: StorageScope, zone: tzinfo | None) -> Content:
    """Return all details of a write; as plain text, they are the record of it for a ticket."""
    intent, outcome = entry.intent, entry.outcome
    word, style = outcome_text(entry)
    service = urlsplit(scope.base_url).netloc
    rows = [
        *_origin_rows(entry, zone),
        ("environment", styled(scope.environment.label)),
        ("profile", styled(f"{scope.profile} · {service}")) if entry.author is None else ("service", styled(service)),
        ("place", styled(intent.place)),
        ("request", styled(f"{intent.method} {intent.target}")),
        ("ticket", styled(intent.ticket or "none")),
        ("outcome", Content(word).stylize(style)),
    ]
    if outcome is not None:
        status = "" if outcome.status is None else f" · {outcome.status}"
        rows[-1] = (
            "outcome",
            Content.assemble((word, style), styled(f"{status} · {timestamp(outcome.at, zone)}", "$role-muted")),
        )
        if outcome.request_id:
            rows.append(("request id", styled(outcome.request_id)))
    elif entry.under_way is not None:
        rows[-1] = ("outcome", styled(f"{ELLIPSIS} {entry.under_way.value}", style))
    if entry.other_key:
        rows.append(("key", styled("another key of this profile", "$role-warning")))
    rows.append(("idempotency key", styled(intent.idempotency_key or "none", "$role-muted")))
    if entry.masked:
        rows.append(("masked", styled(f"{_masked_names(entry)} (values not shared)", "$role-warning")))
    if intent.approval:
        rows.append(("approved by", styled(f"{intent.approved_by} · {intent.approval}")))
    lines = [Content.assemble((pad(label, _LABEL_CELLS), "$role-muted"), value) for label, value in rows]
    message = [Content(), styled(outcome.message, lines=True)] if outcome is not None and outcome.message else []
    changes = [] if entry.masked and not (intent.before or intent.after) else [Content(), _changes_content(intent)]
    return Content("\n").join([*lines, *message, *changes])


def entry_title(entry: JournalEntry) -> str:
    """Return the title for the details of a write."""
    return f"Change {entry.number}" if entry.author is None else f"Change by {entry.author}"


def _origin_rows(entry: JournalEntry, zone: tzinfo | None) -> list[tuple[str, Content]]:
    """Return the number of a write, or its author, and its time; the times of both clocks if they differ."""
    at, received = entry.intent.at, entry.received
    when = ("when", styled(timestamp(at, zone), "$role-time"))
    if entry.author is None:
        return [("entry", styled(f"{entry.number}")), when]
    rows = [("by", styled(f"{entry.author} on {entry.author.machine or 'an unnamed computer'}", "bold")), when]
    if received is not None and abs(received - at) > _SAME_TIME:
        rows[-1] = ("when", styled(f"{timestamp(at, zone)} by the author's clock", "$role-time"))
        rows.append(("received", styled(f"{timestamp(received, zone)} by the server's clock", "$role-time")))
    return rows


def _masked_names(entry: JournalEntry) -> str:
    """Return the names of the fields whose values are not shared by a colleague's program."""
    named = ", ".join(field_label(name) for name in entry.masked[:_MAX_MASKED_NAMES])
    more = len(entry.masked) - _MAX_MASKED_NAMES
    return f"{named} and {more:,} more" if more > 0 else named


def _changes_content(intent: Intent) -> Content:
    if changes := field_changes(intent):
        return diff_content(changes)
    if intent.after:
        sent = [
            Content.assemble(("+ ", "$role-ok"), styled(f"{name}: {json_or_unset(value)}"))
            for name, value in intent.after.items()
        ]
        return Content("\n").join([styled("Sent fields", "bold"), *sent])
    if intent.before:
        removed = [
            Content.assemble(("- ", "$role-danger"), styled(f"{name}: {json_or_unset(value)}"))
            for name, value in intent.before.items()
        ]
        return Content("\n").join([styled("Record before the change", "bold"), *removed])
    return styled(f"Changed fields unknown: {_body_note(intent)}.", "$role-muted")


def _changes_text(entry: JournalEntry) -> str:
    if not entry.masked:
        return _intent_text(entry.intent)
    masked = f"{_masked_names(entry)} masked"
    return f"{_intent_text(entry.intent)}   {masked}" if entry.intent.after else masked


def _intent_text(intent: Intent) -> str:
    if changes := field_changes(intent):
        return "   ".join(
            f"{field_label(change.name)}: "
            f"{_shorten_value(json_or_unset(change.old))} → {_shorten_value(json_or_unset(change.new))}"
            for change in changes
        )
    if intent.after:
        return "   ".join(
            f"{field_label(name)}: → {_shorten_value(json_or_unset(value))}" for name, value in intent.after.items()
        )
    return "deletes the record" if intent.method == "DELETE" else _body_note(intent)


def _body_note(intent: Intent) -> str:
    """Return the size of a body without fields."""
    if intent.body_bytes is None:
        return "no fields recorded"
    return f"a body of {size_text(intent.body_bytes)}" if intent.body_bytes else "no body"


def _shorten_value(text: str) -> str:
    return shorten(visible(text[: _MAX_VALUE_CHARACTERS + 1]), _MAX_VALUE_CHARACTERS)


def timestamp(at: datetime, zone: tzinfo | None) -> str:
    """Return a time to the second in a zone, with its name."""
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S %Z")
