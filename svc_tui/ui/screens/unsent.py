"""What is not sent yet: its commands in the palette, and the question before the program ends.

Dialogs are imported where they open, so that the first paint does not wait for them.
"""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.screen import Screen

from svc_tui.domain.draft import Draft, age_words
from svc_tui.domain.jsontext import Json
from svc_tui.domain.records import Place
from svc_tui.ui.desk import Desk
from svc_tui.ui.text import shown

if TYPE_CHECKING:
    from svc_tui.ui.palette import Command

_MOST_NAMES = 6
"""Records, or fields, that are named one by one."""


class Unsent:
    """The drafts of one main screen as a list; `ask` runs what opens a dialog, `put` replaces a draft."""

    def __init__(
        self,
        screen: Screen[Any],
        desk: Desk,
        go: Callable[[Place], None],
        ask: Callable[[Coroutine[Any, Any, None]], None],
        put: Callable[[Place, Draft], None],
        *,
        lasting: bool,
    ) -> None:
        self._screen, self._desk, self._go, self._ask, self._put = screen, desk, go, ask, put
        self._lasting = lasting
        self._asked_about: dict[Place, Mapping[str, Json]] = {}

    def commands(self, command: "type[Command]") -> "Iterator[Command]":
        """For each draft: go to its record, and throw it away."""
        for place in self._desk.places:
            draft = self._desk.draft(place)
            assert draft is not None
            age = age_words(self._desk.age(place))
            said = f"{_named(draft.edits)} in {place.collection.key}{f', {age} old' if age else ''}"
            yield command(f"Not sent: {place.record_id}", said, partial(self._go, place))
            yield command(f"Throw away: edits of {place.record_id}", said, partial(self._offer_to_throw_away, place))

    def _offer_to_throw_away(self, place: Place) -> None:
        self._ask(self._throw_away(place))

    async def _throw_away(self, place: Place) -> None:
        draft = self._desk.draft(place)
        if draft is None:
            return
        from svc_tui.ui.screens.confirm import ConfirmScreen
        from svc_tui.ui.widgets.difference import difference

        title = Content.assemble("Throw away the edits of ", shown(place.record_id or ""))
        question = ConfirmScreen(title, difference(draft.changes), "Throw away", "Keep them")
        if await self._screen.app.push_screen_wait(question):
            self._put(place, Draft(draft.base))

    async def may_leave(self) -> bool:
        """Whether the program may end: each change that is not sent is asked about once."""
        edits = {place: draft.edits for place in self._desk.places if (draft := self._desk.draft(place)) is not None}
        fresh = [place for place, values in edits.items() if self._asked_about.get(place) != values]
        if not fresh:
            return True
        from svc_tui.ui.screens.confirm import ConfirmScreen

        body = Content.assemble(
            "1 record has" if len(fresh) == 1 else f"{len(fresh)} records have",
            " changes that are not sent: ",
            shown(_named(sorted(place.record_id or "" for place in fresh)), "$role-changed"),
            ". They are kept for the next start." if self._lasting else ". The demo forgets them.",
        )
        self._asked_about = edits
        question = ConfirmScreen(Content("Quit"), body, "Quit", "Stay")
        agreed = await self._screen.app.push_screen_wait(question)
        return agreed is True


def _named(names: Mapping[str, Json] | list[str]) -> str:
    """The names, the first few of many."""
    few = list(names)[:_MOST_NAMES]
    return ", ".join(few) + (f" and {len(names) - len(few)} more" if len(names) > len(few) else "")
