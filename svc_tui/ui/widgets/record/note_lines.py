"""The words for notes that the team left on a record: a list of them, or the details of one."""

from collections.abc import Sequence
from datetime import timedelta, tzinfo

from textual.content import Content

from svc_tui.team.names import tell_apart
from svc_tui.team.notes import Note
from svc_tui.ui.text import pad, styled, visible
from svc_tui.ui.widgets.record.journal_lines import timestamp

_LABEL_CELLS = 12
_SAME_TIME = timedelta(minutes=1)
"""The difference of two clocks up to which only one time is shown."""
_YOU = "you"


def notes_content(notes: Sequence[Note], zone: tzinfo | None) -> Content:
    """Return notes one below the other, each with its author and its time."""
    names = tell_apart((note.author for note in notes), taken=(_YOU,))
    return Content("\n").join(
        line
        for note in notes
        for line in (
            Content.assemble(
                styled(_YOU if note.author is None else names[note.author], "bold"),
                "  ",
                (timestamp(note.written_at, zone)[:16], "$role-time"),
            ),
            styled(note.text, lines=True),
        )
    )


def note_details(note: Note, zone: tzinfo | None) -> Content:
    """Return all details of a note."""
    author, at, received = note.author, note.at, note.received
    who = "you" if author is None else f"{author} on {author.machine or 'an unnamed computer'}"
    rows = [("by", styled(who, "bold")), ("when", styled(timestamp(at, zone), "$role-time"))]
    if received is not None and abs(received - at) > _SAME_TIME:
        rows.append(("received", styled(f"{timestamp(received, zone)} by the server's clock", "$role-time")))
    rows.append(("record", styled(visible(note.place))))
    lines = [Content.assemble((pad(label, _LABEL_CELLS), "$role-muted"), value) for label, value in rows]
    return Content("\n").join([*lines, Content(), styled(note.text, lines=True)])
