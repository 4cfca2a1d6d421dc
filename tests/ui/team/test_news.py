"""What came from the team is looked at from the start on, however late somebody begins to listen."""

import asyncio
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import cast

from svc_tui.storage.team.mirror import TeamMirror
from svc_tui.storage.team.own_chain import OwnChain
from svc_tui.team.sync import TeamState, TeamSync
from svc_tui.ui.context import Context
from svc_tui.ui.team.news import TeamNews


async def no_server() -> None:
    """Nobody is connected to."""


async def test_whoever_begins_to_listen_after_the_first_round_looks_at_once() -> None:
    sync = TeamSync(cast(OwnChain, None), cast(TeamMirror, None), no_server)  # type: ignore[arg-type]
    looked: list[int] = []
    workers: list[asyncio.Task[None]] = []

    def run_worker(work: Coroutine[None, None, None], group: str) -> None:
        workers.append(asyncio.ensure_future(work))

    async def look() -> None:
        looked.append(sync.state.news)

    screen = SimpleNamespace(is_running=True, run_worker=run_worker)
    news = TeamNews(cast(Context, SimpleNamespace(screen=screen)), sync, look)
    sync._set_state(TeamState(connected=True))
    news.begin()
    await asyncio.gather(*workers)
    assert looked == [0], "what comes next would be taken for what was there before"
    sync._set_state(TeamState(connected=True, news=1))
    await asyncio.gather(*workers)
    assert looked == [0, 1]
