"""First-use hints: the one line worth a look where somebody is, until it was done, or seen often enough."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

SESSIONS = 3
"""In how many sessions a hint is shown at most."""


class Pane(Enum):
    """Where keys go."""

    SIDEBAR = auto()
    TABLE = auto()
    RECORD = auto()
    CONSOLE = auto()


@dataclass(frozen=True, slots=True)
class Moment:
    """Where somebody is, and how things stand there."""

    pane: Pane
    changed: bool = False
    """Whether the record at hand has edits that are not sent."""
    locked: bool = False
    """Whether LIVE is locked, and can be unlocked."""
    written: bool = False
    """Whether something was written in this session."""

    @property
    def of_change(self) -> bool:
        """Whether there is a change, and its keys are at hand: the console has others on them."""
        return self.changed and self.pane is not Pane.CONSOLE


@dataclass(frozen=True, slots=True)
class Hint:
    """What a key is good for: the id of its binding, the words behind the key, and the moments that they fit."""

    binding: str
    words: str
    fits: Callable[[Moment], bool]


HINTS = (
    Hint("writes.lock", "unlocks writes on LIVE", lambda moment: moment.of_change and moment.locked),
    Hint("record.review", "reviews it; nothing is sent before", lambda moment: moment.of_change and not moment.locked),
    Hint("writes.journal", "lists what was written", lambda moment: moment.written and moment.pane is not Pane.CONSOLE),
    Hint("console.send", "sends the request", lambda moment: moment.pane is Pane.CONSOLE),
    Hint("record.edit", "edits the field under the cursor", lambda moment: moment.pane is Pane.RECORD),
    Hint("record.next_tab", "shows JSON, answer and history", lambda moment: moment.pane is Pane.RECORD),
    Hint("table.open", "opens the record", lambda moment: moment.pane is Pane.TABLE),
    Hint("table.filter", "filters the rows", lambda moment: moment.pane is Pane.TABLE),
    Hint("go.to", "goes to any collection or record", lambda moment: moment.pane is Pane.TABLE),
)
"""The most urgent first."""

_BINDINGS = frozenset(hint.binding for hint in HINTS)


@dataclass(frozen=True, slots=True)
class Hinted:
    """What is known of the hints, by the ids of their bindings: the sessions in which each was shown, this one too."""

    sessions: Mapping[str, int] = field(default_factory=dict)
    """One that was done counts as shown in all of its sessions."""
    here: frozenset[str] = frozenset()
    """Those that were shown in this session, and are not done."""

    def due(self, moment: Moment) -> Hint | None:
        """The hint for this moment; None where there is none, or it is known by now."""
        return next((hint for hint in HINTS if hint.fits(moment) and not self._over(hint.binding)), None)

    def shown(self, binding: str) -> "Hinted":
        """After the hint was shown: that counts once in a session."""
        if binding in self.here:
            return self
        counted = min(self.sessions.get(binding, 0) + 1, SESSIONS)
        return Hinted({**self.sessions, binding: counted}, self.here | {binding})

    def done(self, binding: str) -> "Hinted":
        """After what a hint tells was done, whether it was shown or not."""
        if binding not in _BINDINGS or self._over(binding):
            return self
        return replace(self, sessions={**self.sessions, binding: SESSIONS}, here=self.here - {binding})

    def _over(self, binding: str) -> bool:
        return self.sessions.get(binding, 0) >= SESSIONS and binding not in self.here
