"""First-use hints: the one line worth a look where the user is, until it was done, or seen often enough."""

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from svc_tui.core.values import replace
from svc_tui.ui.keys.focused_pane import FocusedPane

MAX_SESSIONS = 3
"""In how many sessions a hint is shown at most."""


class HintContext(Struct, frozen=True):
    """Where the user is, and how things stand there."""

    pane: FocusedPane
    changed: bool = False
    """Whether the record at hand has edits that are not sent."""
    written: bool = False
    """Whether something was written in this session."""

    @property
    def has_change_keys(self) -> bool:
        """Whether there is a change, and its keys are at hand: the console has others on them."""
        return self.changed and self.pane is not FocusedPane.CONSOLE


class Hint(Struct, frozen=True):
    """A tip about a key: the id of its binding, the words behind the key, and when to show it."""

    binding: str
    words: str
    fits: Callable[[HintContext], bool]


HINTS = (
    Hint("record.take_back", "Discard the edit", lambda context: context.has_change_keys),
    Hint(
        "writes.journal",
        "Open the journal",
        lambda context: context.written and context.pane is not FocusedPane.CONSOLE,
    ),
    Hint("console.explain", "Explain the signature", lambda context: context.pane is FocusedPane.CONSOLE),
    Hint("record.next_tab", "Show JSON and history", lambda context: context.pane is FocusedPane.RECORD),
    Hint("record.follow", "Open the referenced record", lambda context: context.pane is FocusedPane.RECORD),
    Hint("go.find", "Search all collections", lambda context: context.pane is FocusedPane.TABLE),
    Hint("marks.toggle", "Mark the record", lambda context: context.pane is FocusedPane.TABLE),
    Hint("table.sort", "Sort the records", lambda context: context.pane is FocusedPane.TABLE),
)
"""The most urgent first. None is about a key that the key bar shows."""

_BINDINGS = frozenset(hint.binding for hint in HINTS)


class HintProgress(Struct, frozen=True):
    """What is known of the hints, by the ids of their bindings: the sessions in which each was shown, this one too."""

    sessions: Mapping[str, int] = field(default_factory=dict)
    """One that was done counts as shown in all of its sessions."""
    here: frozenset[str] = frozenset()
    """Those that were shown in this session, and are not done."""

    def due(self, context: HintContext) -> Hint | None:
        """The hint for this moment; None where there is none, or it is known by now."""
        return next((hint for hint in HINTS if hint.fits(context) and not self._over(hint.binding)), None)

    def shown(self, binding: str) -> "HintProgress":
        """After the hint was shown: that counts once in a session, and no more once it was done."""
        if binding in self.here or self._over(binding):
            return self
        counted = min(self.sessions.get(binding, 0) + 1, MAX_SESSIONS)
        return HintProgress({**self.sessions, binding: counted}, self.here | {binding})

    def done(self, binding: str) -> "HintProgress":
        """After what a hint tells was done, whether it was shown or not."""
        if binding not in _BINDINGS or self._over(binding):
            return self
        return replace(self, sessions={**self.sessions, binding: MAX_SESSIONS}, here=self.here - {binding})

    def _over(self, binding: str) -> bool:
        return self.sessions.get(binding, 0) >= MAX_SESSIONS and binding not in self.here
