"""Has work done when something came from the team: one piece at a time, none left out."""

from collections.abc import Awaitable, Callable

from svc_tui.storage.errors import StoreError
from svc_tui.team.sync import TeamState, TeamSync
from svc_tui.ui.context import Context
from svc_tui.ui.report import Report


class TeamNews:
    """Runs `look` in a worker of the screen: once when it is first known how things stand, then after each news."""

    def __init__(self, context: Context, sync: TeamSync, look: Callable[[], Awaitable[None]]) -> None:
        self._context, self._sync, self._look = context, sync, look
        self._looked_at: int | None = None
        self._looking = False

    def begin(self) -> None:
        """Listen from now on, for as long as the screen is there."""
        self._sync.listen(self._heard)
        if self._sync.state.connected is not None:
            self._heard(self._sync.state)

    def _heard(self, state: TeamState) -> None:
        if self._looking or state.news == self._looked_at or not self._context.screen.is_running:
            return
        self._looking = True
        self._context.screen.run_worker(self._run(), group="team-news")

    async def _run(self) -> None:
        try:
            while self._looked_at != (news := self._sync.state.news):
                self._looked_at = news
                await self._look()
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the team updates", "error"))
        finally:
            self._looking = False
