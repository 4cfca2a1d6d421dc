"""Who has which record open for editing: what this program has is told to the team, what others have is known here."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from svc_tui.domain.editing.ports import Author
from svc_tui.domain.team.lines import ServiceScope
from svc_tui.domain.team.names import tell_apart
from svc_tui.domain.team.ports import Presence
from svc_tui.domain.team.sync import TeamSync

_HERE = Author("", "")
"""Who is here; the one who tells the server knows."""


class OpenRecords:
    """The records of one session that are open for editing; places are keys. Nothing here waits for the server."""

    def __init__(self, sync: TeamSync, scope: ServiceScope) -> None:
        self._sync, self._scope = sync, scope
        self._opened: Counter[str] = Counter()

    def opened(self, place: str) -> None:
        """It is open for editing here, once more."""
        self._opened[place] += 1
        if self._opened[place] == 1:
            self._sync.open_places.add(self._presence(place))
            self._sync.nudge()

    def closed(self, place: str) -> None:
        """It is so once less."""
        self._opened[place] -= 1
        if self._opened[place] < 1:
            del self._opened[place]
            self._sync.open_places.discard(self._presence(place))
            self._sync.nudge()

    @contextmanager
    def open(self, place: str) -> Iterator[None]:
        """It is open for editing here for as long as this lasts."""
        self.opened(place)
        try:
            yield
        finally:
            self.closed(place)

    def others(self, place: str) -> tuple[str, ...]:
        """Who else has it open, by names that tell them apart."""
        present = [one for one in self._sync.state.present if one.scope == self._scope]
        names = tell_apart(one.author for one in present)
        return tuple(dict.fromkeys(names[one.author] for one in present if one.place == place))

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have the listener called whenever others may have opened or closed something; gives what ends that."""
        return self._sync.listen(lambda _: listener())

    def _presence(self, place: str) -> Presence:
        return Presence(_HERE, self._scope, place)
