"""Colleagues at a record that is about to be changed here: who changed it lately, and who has it open now."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from svc_tui.core.durations import age_words
from svc_tui.core.records import Place
from svc_tui.storage.errors import StoreError
from svc_tui.ui.context import Context

if TYPE_CHECKING:
    from svc_tui.team.team import Team

_RECENT = timedelta(days=1)
_MAX_WRITES = 200
"""Writes of a record whose authors are listed, more than those of a day."""


@dataclass(frozen=True, slots=True)
class ColleaguesAtRecord:
    """Colleagues at a record, for its card: `wrote` says who changed it lately, `others` returns who has it open now.

    `listen` adds a listener, called outside the screen when that may have changed, and returns a function that removes
    it.
    """

    wrote: str
    others: Callable[[], tuple[str, ...]]
    listen: Callable[[Callable[[], None]], Callable[[], None]]

    @property
    def open_words(self) -> str:
        """A sentence about who has it open for editing; "" for nobody."""
        from svc_tui.team.names import name_words

        others = self.others()
        return (
            f"{name_words(others)} {'has' if len(others) == 1 else 'have'} this record open for editing."
            if others
            else ""
        )


def open_for_editing(context: Context, place: Place) -> AbstractContextManager[None]:
    """Return a context manager that tells the team, if there is one, that a record is open for editing here."""
    team = context.session.team
    return nullcontext() if team is None else team.presence.open(place.key)


async def colleagues_at(context: Context, team: "Team", place: Place) -> ColleaguesAtRecord:
    """Return the colleagues at the record at `place`."""
    records, key = team.presence, place.key
    return ColleaguesAtRecord(await _recent_writers(context, team, key), lambda: records.others(key), records.listen)


async def _recent_writers(context: Context, team: "Team", place: str) -> str:
    """Return who changed the record in the last day, with the age of the newest change; "" for nobody."""
    from svc_tui.storage.journal_entries import entry_result
    from svc_tui.team.names import name_of, name_words, names_in, written_at

    try:
        entries = await team.mirror.entries(team.scope, place, _MAX_WRITES)
    except StoreError:
        # The team's sync reports that its copy can't be read; the card opens without it.
        return ""
    now = context.session.now()
    recent = [
        entry
        for entry in entries
        if entry_result(entry) not in ("refused", "not sent") and now - written_at(entry) < _RECENT
    ]
    if not recent:
        return ""
    names = names_in(recent)
    authors = tuple(dict.fromkeys(name_of(entry, names) for entry in recent))
    age = age_words((now - max(written_at(entry) for entry in recent)).total_seconds())
    newest = f"{age} ago" if age else "just now"
    if len(authors) == 1:
        return f"{authors[0]} changed this record {newest}."
    names_then = f"{name_words(authors)}, most recently {newest}"
    return f"{len(authors)} others changed this record in the last 24 hours: {names_then}."
