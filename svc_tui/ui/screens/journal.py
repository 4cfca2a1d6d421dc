"""`@`: the journal of writes, newest first, and one entry whole."""

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.domain.bodies import size
from svc_tui.domain.catalog import VERSION_PREFIX
from svc_tui.domain.credentials import Environment
from svc_tui.domain.draft import ABSENT, FieldChange
from svc_tui.domain.gateway import Intent, JournalEntry
from svc_tui.ui.screens.dialog import Dialog
from svc_tui.ui.text import ELLIPSIS, measure, padded, shortened, shown, visible
from svc_tui.ui.widgets.difference import difference, written

_CELLS = 70
_WIDE = 64
"""Cells from which a line has room for the year and the environment."""
_AROUND = 6
"""Cells beside a line: the dialog's border and padding, the scroll bar, and one at the end."""
_LABELS = 17
_LONGEST = 28
"""Characters of one value in the list; the whole entry shows more."""

_OUTCOMES = {
    "done": ("✓ done", "$role-ok"),
    "refused": ("✕ refused", "$role-danger"),
    "unknown": ("? unknown", "bold $role-warning"),
    "not sent": ("· not sent", "$role-muted"),
}


def changes(intent: Intent) -> tuple[FieldChange, ...]:
    """What a write meant to change, field by field; a field gone by it has no line, since nothing replaced it.

    None where nobody knows what was there before.
    """
    if intent.before is None:
        return ()
    before, after = intent.before or {}, intent.after or {}
    return tuple(
        FieldChange(name, before.get(name, ABSENT), value)
        for name, value in after.items()
        if name not in before or before[name] != value
    )


def outcome_of(entry: JournalEntry) -> tuple[str, str]:
    """The mark and word for how a write ended, and their style; without an outcome line nobody knows."""
    result = "unknown" if entry.outcome is None else entry.outcome.result
    return _OUTCOMES.get(result) or (f"? {visible(result)}", "bold $role-warning")


def headline(entry: JournalEntry, environment: Environment, zone: tzinfo | None, cells: int = _CELLS) -> Content:
    """Two lines: when, where and how it ended; what was changed, and for which ticket."""
    intent = entry.intent
    word, style = outcome_of(entry)
    live = "bold $role-live" if environment is Environment.LIVE else "$role-sandbox"
    time = (_time(intent.at, zone)[:16], "$role-time")
    method = (padded(intent.method, 6), "bold")
    if cells >= _WIDE:
        start = Content.assemble(time, "  ", (environment.label, live), "  ", method, "  ")
    else:
        start = Content.assemble((time[0][5:], time[1]), "  ", method, "  ")
    room = max(1, cells - start.cell_length - measure(word) - 2)
    place = padded(whereabouts(intent, room), room)
    ticket = shortened(visible(intent.ticket), 20)
    what = padded(_what(intent), cells - 2 - (measure(ticket) + 2 if ticket else 0))
    second = Content.assemble("  ", (what, "$role-muted"), ("  " + ticket, "$role-reference") if ticket else "")
    return Content.assemble(start, place, "  ", (word, style), "\n", second)


def whereabouts(intent: Intent, cells: int) -> str:
    """The place of a write in at most `cells` cells; what is cut is cut at the left, so that the record is told."""
    place = visible(intent.place or intent.target)
    if measure(place) <= cells:
        return place
    segments = place.partition("?")[0].removeprefix(f"{VERSION_PREFIX}/").split("/")
    shorter = ["/".join(segments), "/".join(segments[1:])]
    shorter += [f"{ELLIPSIS}/{'/'.join(segments[start:])}" for start in range(2, len(segments))]
    fitting = next((text for text in shorter if text and measure(text) <= cells), None)
    return ELLIPSIS + _end(segments[-1], cells - 1) if fitting is None else fitting


def _end(text: str, cells: int) -> str:
    """The end of a text, at most `cells` cells of it."""
    text = text[-cells:] if cells > 0 else ""
    while measure(text) > cells:
        text = text[1:]
    return text


def whole(entry: JournalEntry, environment: Environment, zone: tzinfo | None) -> Content:
    """Everything the journal knows of one write."""
    intent, outcome = entry.intent, entry.outcome
    word, style = outcome_of(entry)
    rows = [
        ("entry", shown(f"{entry.number}")),
        ("when", shown(_time(intent.at, zone), "$role-time")),
        ("environment", shown(environment.label)),
        ("place", shown(intent.place)),
        ("request", shown(f"{intent.method} {intent.target}")),
        ("ticket", shown(intent.ticket or "none")),
        ("outcome", Content(word).stylize(style)),
    ]
    if outcome is not None:
        status = "" if outcome.status is None else f" · {outcome.status}"
        rows[-1] = (
            "outcome",
            Content.assemble((word, style), shown(f"{status} · {_time(outcome.at, zone)}", "$role-muted")),
        )
        if outcome.request_id:
            rows.append(("request id", shown(outcome.request_id)))
    rows.append(("idempotency key", shown(intent.idempotency_key or "none", "$role-muted")))
    lines = [Content.assemble((padded(label, _LABELS), "$role-muted"), value) for label, value in rows]
    said = [Content(), shown(outcome.message, lines=True)] if outcome is not None and outcome.message else []
    return Content("\n").join([*lines, *said, Content(), _difference(intent)])


def _difference(intent: Intent) -> Content:
    if found := changes(intent):
        return difference(found)
    if intent.after:
        sent = [
            Content.assemble(("+ ", "$role-ok"), shown(f"{name}: {written(value)}"))
            for name, value in intent.after.items()
        ]
        return Content("\n").join([shown("The fields that were sent", "bold"), *sent])
    if intent.before:
        gone = [
            Content.assemble(("- ", "$role-danger"), shown(f"{name}: {written(value)}"))
            for name, value in intent.before.items()
        ]
        return Content("\n").join([shown("The record before", "bold"), *gone])
    return shown(f"The fields concerned are not known: {_unnamed(intent)}.", "$role-muted")


def _what(intent: Intent) -> str:
    if found := changes(intent):
        return "   ".join(
            f"{visible(change.name)}: {_short(written(change.old))} → {_short(written(change.new))}" for change in found
        )
    if intent.after:
        return "   ".join(f"{visible(name)}: → {_short(written(value))}" for name, value in intent.after.items())
    return "deletes the record" if intent.method == "DELETE" else _unnamed(intent)


def _unnamed(intent: Intent) -> str:
    """What is known of a body without fields."""
    if intent.body_bytes is None:
        return "no fields recorded"
    return f"a body of {size(intent.body_bytes)}" if intent.body_bytes else "no body"


def _short(text: str) -> str:
    return shortened(visible(text[: _LONGEST + 1]), _LONGEST)


def _time(at: datetime, zone: tzinfo | None) -> str:
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S %Z")


class EntryScreen(Dialog[None]):
    """One entry of the journal, whole."""

    DEFAULT_CSS = """
    EntryScreen VerticalScroll { height: auto; max-height: 80vh; scrollbar-size-vertical: 1; }
    """

    def __init__(self, entry: JournalEntry, environment: Environment, zone: tzinfo | None = None) -> None:
        super().__init__()
        self._entry, self._environment, self._zone = entry, environment, zone

    def compose(self) -> ComposeResult:
        """The entry's facts, then its fields."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = f"Write {self._entry.number}"
            dialog.border_subtitle = "↑ ↓ scroll · esc back"
            with VerticalScroll():
                yield Static(whole(self._entry, self._environment, self._zone))


class JournalScreen(Dialog[None]):
    """The writes of this profile and environment; Enter shows one whole."""

    DEFAULT_CSS = """
    JournalScreen > #dialog { height: 80%; }
    JournalScreen OptionList { height: 1fr; }
    JournalScreen OptionList > .option-list--option { padding: 0 1 0 0; }
    """

    BINDINGS = [
        Binding("j", "move(1)", "Down", show=False, id="journal.down", tooltip="To the older write"),
        Binding("k", "move(-1)", "Up", show=False, id="journal.up", tooltip="To the newer write"),
    ]

    def __init__(self, entries: Sequence[JournalEntry], environment: Environment, zone: tzinfo | None = None) -> None:
        super().__init__()
        self._entries = tuple(entries)
        self._environment = environment
        self._zone = zone
        self._cells = _CELLS

    def compose(self) -> ComposeResult:
        """The list, or the sentence that there is nothing in it."""
        with Vertical(id="dialog") as dialog:
            count = f" · {len(self._entries):,}" if self._entries else ""
            dialog.border_title = f"Journal of writes{count}"
            dialog.border_subtitle = "esc back"
            if self._entries:
                zone = self._zone.tzname(None) if self._zone is not None else None
                times = f"times in {visible(zone)} · " if zone else ""
                dialog.border_subtitle = f"{times}enter whole entry · esc back"
                yield OptionList(*self._lines(_CELLS), markup=False)
            else:
                yield Static("No writes yet. What is sent from here is kept here.", classes="hint", markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """Write the lines anew for the room they have."""
        cells = min(_CELLS, event.size.width - _AROUND)
        if cells == self._cells:
            return
        self._cells = cells
        for entries in self.query(OptionList):
            at = entries.highlighted
            entries.set_options(self._lines(cells))
            entries.highlighted = at

    def _lines(self, cells: int) -> Iterator[Option]:
        return (Option(headline(entry, self._environment, self._zone, cells)) for entry in self._entries)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Show the entry whole."""
        self.app.push_screen(EntryScreen(self._entries[event.option_index], self._environment, self._zone))

    def action_move(self, direction: int) -> None:
        """To the next line, or the one before."""
        for entries in self.query(OptionList):
            if direction > 0:
                entries.action_cursor_down()
            else:
                entries.action_cursor_up()
