"""Watches the state of the team server and notifies the user when it changes; it blocks nothing."""

from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message

from svc_tui.core.phrases import capitalize_first
from svc_tui.storage.team.lines import BrokenChain
from svc_tui.team.sync import TeamState
from svc_tui.team.team import Team
from svc_tui.ui.context import Context
from svc_tui.ui.report import Report
from svc_tui.ui.widgets.bars.status_bar import TeamMark

_ANEW_TITLE = "The journal of this computer was copied or restored from a backup"
_ANEW = "Another computer continues the old journal. This computer starts a new one. No entries were lost."

CHECK_IT = "For details run: svc-tui team check"


class TeamWatch:
    """Hears of each new state, and has the screen hear of it by a message."""

    @dataclass
    class Changed(Message):
        """Something is different; `watch` knows what."""

        watch: "TeamWatch"

    def __init__(self, context: Context, team: Team) -> None:
        self._context, self._team = context, team
        self._told = TeamState()
        self._told_away = self._told_anew = False
        self._told_broken: set[str] = set()
        self._stop: Callable[[], None] | None = None

    def begin(self) -> None:
        """Begin to listen."""
        self._stop = self._team.sync.listen(lambda _: self._post())
        self._post()

    def end(self) -> None:
        """Listen no longer."""
        if self._stop is not None:
            self._stop()
            self._stop = None

    def _post(self) -> None:
        # Called by the work in the background: the screen does the rest, in its own time.
        self._context.screen.post_message(self.Changed(self))

    @property
    def mark(self) -> TeamMark:
        """What the status bar has to say."""
        state = self._team.state
        return TeamMark(state.connected is False, state.waiting, bool(state.broken))

    def tell(self) -> bool:
        """Tell the user what is new, each thing once; gives whether lines of colleagues have come."""
        state, before = self._team.state, self._told
        self._told = state
        if state.connected is False and not self._told_away:
            self._told_away = True
            self._context.notify(_away_report(state))
        elif state.connected is True and self._told_away:
            self._told_away = False
            self._context.notify(Report("Waiting journal entries were shared.", "Team server connected"))
        if state.began_other_chain and not self._told_anew:
            self._told_anew = True
            self._context.notify(Report(_ANEW, _ANEW_TITLE, "warning"))
        for broken in state.broken:
            if broken.author.chain not in self._told_broken:
                self._told_broken.add(broken.author.chain)
                self._context.notify(_broken_report(broken))
        return state.news != before.news


def _away_report(state: TeamState) -> Report:
    waits = "" if not state.waiting else f"\n{_lines(state.waiting)} to be shared."
    return Report(f"{capitalize_first(state.problem)}{waits}", "Team server offline", "warning")


def _lines(count: int) -> str:
    return "1 journal entry is waiting" if count == 1 else f"{count:,} journal entries are waiting"


def _broken_report(broken: BrokenChain) -> Report:
    whose = f"Shared journal of {broken.author} on {broken.author.machine}"
    body = f"From entry {broken.sequence:,}: {broken.why}. {CHECK_IT}"
    return Report(body, f"{whose} is damaged", "error")
