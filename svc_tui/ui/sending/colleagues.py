"""What colleagues do with a record that is about to be changed here: who wrote to it lately, who has it open now."""

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

_LATELY = timedelta(days=1)
_MAX_WRITES = 200
"""Writes that are looked through for who made them; a day's to one record are fewer."""


@dataclass(frozen=True, slots=True)
class ColleaguesAtRecord:
    """What a card says of a record's colleagues: `wrote` tells who wrote to it, `others` who have it open now.

    `listen` has its listener called when that may be others, from outside the screen, and gives what ends it.
    """

    wrote: str
    others: Callable[[], tuple[str, ...]]
    listen: Callable[[Callable[[], None]], Callable[[], None]]

    @property
    def open_words(self) -> str:
        """Who has it open for editing, in a sentence; "" for nobody."""
        from svc_tui.team.names import name_words

        others = self.others()
        return (
            f"{name_words(others)} {'has' if len(others) == 1 else 'have'} this record open for editing."
            if others
            else ""
        )


def open_for_editing(context: Context, place: Place) -> AbstractContextManager[None]:
    """Tell the team that a record is open for editing here, for as long as this lasts; nothing where there is none."""
    team = context.session.team
    return nullcontext() if team is None else team.presence.open(place.key)


async def colleagues_at(context: Context, team: "Team", place: Place) -> ColleaguesAtRecord:
    """What colleagues do with the record at `place`."""
    records, key = team.presence, place.key
    return ColleaguesAtRecord(await _wrote(context, team, key), lambda: records.others(key), records.listen)


async def _wrote(context: Context, team: "Team", place: str) -> str:
    """Who wrote to it in the last day, the newest write's age with it; "" where nobody did."""
    from svc_tui.storage.journal_entries import entry_result
    from svc_tui.team.names import name_of, name_words, names_in, written_at

    try:
        entries = await team.mirror.entries(team.scope, place, _MAX_WRITES)
    except StoreError:
        # That the copy can't be read is told by what keeps it; nothing is held up for it.
        return ""
    now = context.session.now()
    lately = [
        entry
        for entry in entries
        if entry_result(entry) not in ("refused", "not sent") and now - written_at(entry) < _LATELY
    ]
    if not lately:
        return ""
    names = names_in(lately)
    known = tuple(dict.fromkeys(name_of(entry, names) for entry in lately))
    age = age_words((now - max(written_at(entry) for entry in lately)).total_seconds())
    newest = f"{age} ago" if age else "just now"
    if len(known) == 1:
        return f"{known[0]} changed this record {newest}."
    names_then = f"{name_words(known)}, most recently {newest}"
    return f"{len(known)} others changed this record in the last 24 hours: {names_then}."
