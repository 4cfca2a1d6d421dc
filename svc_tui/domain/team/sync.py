"""Keeps a team's chains together in the background: local first, the server after, however long it is away."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from svc_tui.domain.editing.ports import Author, StoreError
from svc_tui.domain.team.lines import SealedLine, line_matter
from svc_tui.domain.team.ports import (
    BrokenChain,
    ChainTaken,
    OwnChain,
    Presence,
    TeamMirror,
    TeamServer,
    TeamServerError,
)

ROUND_SECONDS = 3.0
"""How often the server is asked for what is new."""

_FIRST_PAUSE_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 30.0
"""How long a server that is away is left alone, at first and at most."""

_LEAVE_SECONDS = 1.0
"""How long whoever leaves the program waits for the server at most."""

_LINES_OF_ANSWER = 200
"""Lines of each chain that are asked for at once."""

_log = logging.getLogger("svc_tui.team")


@dataclass(frozen=True, slots=True)
class TeamState:
    """How things stand with the team server.

    `connected` None: nobody knows yet. `waiting` lines are not known to have arrived there; `problem` is one line that
    says why, and what to do, "" where all is well. `broken` are the chains that are not as they were written; `present`
    is what others have open for editing. `news` counts the lines that have come into this machine's copy so far, one's
    own as soon as they are written.
    """

    connected: bool | None = None
    waiting: int = 0
    problem: str = ""
    broken: Sequence[BrokenChain] = ()
    present: Sequence[Presence] = ()
    news: int = 0
    begun_anew: bool = False
    """Whether this program has begun another chain for this machine: somebody else goes on with the one before."""


class TeamSync:
    """One program's part in it; `run` goes on until it is cancelled. Everybody else only reads `state`."""

    def __init__(self, own: OwnChain, mirror: TeamMirror, connect: Callable[[], Awaitable[TeamServer]]) -> None:
        """Make it; `connect` gives the server when it is first needed, and raises TeamServerError."""
        self._own, self._mirror, self._connect = own, mirror, connect
        self._server: TeamServer | None = None
        self.state = TeamState()
        self.open_places: set[Presence] = set()
        """What this program has open for editing; whoever changes it calls `nudge`."""
        self._listeners: list[Callable[[TeamState], None]] = []
        self._nudged = asyncio.Event()
        self._chain, self._in_mirror = "", 0
        """This machine's chain, and its last line that is in its own mirror."""

    def listen(self, listener: Callable[[TeamState], None]) -> Callable[[], None]:
        """Have the listener called with each new state; gives what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def nudge(self) -> None:
        """There is something to tell: begin the next round at once."""
        self._nudged.set()

    async def take_up(self) -> None:
        """Have what was written here in the mirror when this returns; the server follows. Raises StoreError."""
        await self._take_up(await self._own.author())
        self.nudge()

    async def run(self) -> None:
        """Do round after round until this is cancelled."""
        pause = 0.0
        while True:
            try:
                await self.round()
                pause = 0.0
            except TeamServerError as error:
                # A password that is refused again and again can have the role locked out.
                longer = _LONGEST_PAUSE_SECONDS if error.lasting else max(2 * pause, _FIRST_PAUSE_SECONDS)
                pause = min(longer, _LONGEST_PAUSE_SECONDS)
                await self._away(str(error))
            except StoreError as error:
                pause = _LONGEST_PAUSE_SECONDS
                await self._away(str(error))
            except Exception as error:
                # A fault of this program's own: it is told like any other trouble, and the next round tries again.
                _log.exception("internal error while synchronizing with the team")
                pause = _LONGEST_PAUSE_SECONDS
                await self._away(f"internal error in svc-tui ({type(error).__name__}); see the log")
            await self._rest(pause)

    async def round(self) -> None:
        """Tell the server what it does not have yet, and learn what it has; raises TeamServerError and StoreError."""
        author = await self._own.author()
        await self._take_up(author)
        if self._server is None:
            self._server = await self._connect()
        # First: who can't tell anything can still learn.
        await self._learn(self._server, author)
        await self._publish(self._server, author)
        author = await self._own.author()
        places = [replace(place, author=author) for place in self.open_places]
        present = await self._server.meet(author, places)
        broken = [chain.broken for chain in await self._mirror.chains() if chain.broken is not None]
        self._set(
            replace(self.state, connected=True, waiting=0, problem="", broken=tuple(broken), present=tuple(present))
        )

    async def publish(self) -> None:
        """Tell the server what it does not have yet, and learn nothing; raises TeamServerError and StoreError."""
        author = await self._own.author()
        await self._take_up(author)
        if self._server is None:
            self._server = await self._connect()
        await self._publish(self._server, author)

    async def aclose(self) -> None:
        """Leave; what was open is open no more. What the server does not get in a moment waits for the next start."""
        if self._server is None:
            return
        if self.state.connected:
            with suppress(TeamServerError, StoreError, TimeoutError):
                async with asyncio.timeout(_LEAVE_SECONDS):
                    author = await self._own.author()
                    await self._take_up(author)
                    await self._publish(self._server, author)
                    await self._server.leave()
        await self._server.aclose()

    async def _take_up(self, author: Author) -> None:
        """Bring the journal's new lines into the chain, and the chain's into the mirror; no server is needed for it."""
        while await self._own.collect():
            pass
        if author.chain != self._chain:
            await self._mirror.meet_own()
            self._chain, self._in_mirror = author.chain, 0
        while lines := await self._own.waiting(self._in_mirror):
            await self._mirror.take_own(author, lines)
            self._in_mirror = lines[-1].sequence
            self._set(replace(self.state, news=self.state.news + len(lines)))

    async def _publish(self, server: TeamServer, author: Author) -> None:
        while lines := await self._own.waiting():
            try:
                # Another program here may have begun another chain meanwhile.
                await server.publish(replace(author, chain=lines[0].chain), lines)
            except ChainTaken as error:
                await self._part(server, lines, error)
            else:
                await self._own.acknowledge(lines[-1])

    async def _part(self, server: TeamServer, lines: Sequence[SealedLine], error: ChainTaken) -> None:
        """Have the lines, which can't be added to their chain, go out in another one.

        Raises the error where the server has none but these in their places: two programs here told them at once.
        """
        chain, first = lines[0].chain, lines[0].sequence
        there = {line.sequence: line.digest for line in await server.lines_of(chain, first - 1, len(lines))}
        told = [line for line in lines if there.get(line.sequence) == line.digest]
        if told:
            await self._own.acknowledge(told[-1])
        if not any(there.get(line.sequence, line.digest) != line.digest for line in lines):
            raise error
        # What both copies of the journal held, and was not in the chain yet, is told by either in words of its own.
        matters, after = set[str](), (told[-1].sequence if told else first - 1)
        while theirs := await server.lines_of(chain, after, _LINES_OF_ANSWER):
            matters.update(line_matter(line.text) for line in theirs)
            after = theirs[-1].sequence
        if await self._own.begin_anew(chain, matters):
            _log.warning("%s; this computer continues with a new chain", error)
            self._set(replace(self.state, begun_anew=True))
        await self._take_up(await self._own.author())
        # What they wrote is learnt anew.
        self.nudge()

    async def _learn(self, server: TeamServer, author: Author) -> None:
        more = True
        while more:
            chains = await self._mirror.chains()
            heads = {chain.author.chain: chain.head for chain in chains}
            broken = {chain.author.chain for chain in chains if chain.broken is not None}
            taken, more = 0, False
            for news in await server.news(heads, _LINES_OF_ANSWER):
                if news.author.chain not in broken:
                    took = await self._mirror.take(news)
                    taken += took if news.author.chain != author.chain else 0
                    more = more or took == _LINES_OF_ANSWER
            if taken:
                self._set(replace(self.state, news=self.state.news + taken))

    async def _away(self, problem: str) -> None:
        if problem != self.state.problem:
            _log.warning("%s", problem)
        waiting = self.state.waiting
        with suppress(StoreError):
            waiting = await self._own.count_waiting()
        self._set(replace(self.state, connected=False, problem=problem, waiting=waiting, present=()))

    async def _rest(self, pause: float) -> None:
        """Wait for the next round; what there is to tell hastens it, but a server that is away is left alone."""
        loop = asyncio.get_running_loop()
        end = loop.time() + (pause or ROUND_SECONDS)
        while (left := end - loop.time()) > 0:
            try:
                await asyncio.wait_for(self._nudged.wait(), left)
            except TimeoutError:
                return
            self._nudged.clear()
            if not pause:
                return
            with suppress(StoreError):
                await self._take_up(await self._own.author())

    def _set(self, state: TeamState) -> None:
        if state != self.state:
            self.state = state
            for listener in tuple(self._listeners):
                listener(state)
