"""Synchronization of a team's chains in the background: to the local mirror first, then with the server."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from svc_tui.core.values import replace
from svc_tui.storage.errors import ChainTaken, StoreError, TeamServerError
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import BrokenChain, Presence, SealedLine, ServiceScope, text_without_author
from svc_tui.team.names import tell_apart

if TYPE_CHECKING:
    from svc_tui.storage.team.mirror import TeamMirror
    from svc_tui.storage.team.own_chain import OwnChain
    from svc_tui.storage.team.server import TeamServer

ROUND_SECONDS = 3.0
"""Pause between two rounds while the server answers."""

_FIRST_PAUSE_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 30.0
"""Pause after the server did not answer, at first and at most."""

_LEAVE_SECONDS = 1.0
"""Maximum time that closing the program waits for the server."""

_LINES_OF_ANSWER = 200
"""Lines of each chain that are loaded at once."""

_log = logging.getLogger("svc_tui.team")


class TeamState(Struct, frozen=True):
    """The state of the synchronization.

    `connected` is None while that is unknown. `waiting` lines are not known to be on the server; `problem` says why and
    what to do, "" if there is no problem. `broken` are the chains that were changed after they were written, `present`
    the records that colleagues have open for editing. `news` counts the lines added to the mirror so far, own ones as
    soon as they are written.
    """

    connected: bool | None = None
    waiting: int = 0
    problem: str = ""
    broken: Sequence[BrokenChain] = ()
    present: Sequence[Presence] = ()
    news: int = 0
    began_other_chain: bool = False
    """True if this program began a new chain: another copy of the journal continues the one before."""


class TeamSync:
    """Synchronizes the mirror and the own chain with the server; `run` does that until it is cancelled."""

    def __init__(self, own: OwnChain, mirror: TeamMirror, connect: Callable[[], Awaitable[TeamServer]]) -> None:
        """`connect` returns the server when it is first needed, and raises TeamServerError."""
        self._own, self._mirror, self._connect = own, mirror, connect
        self._server: TeamServer | None = None
        self.state = TeamState()
        self.open_places: set[Presence] = set()
        """Records that this program has open for editing; call `nudge` after a change."""
        self._listeners: list[Callable[[TeamState], None]] = []
        self._nudged = asyncio.Event()
        self._chain, self._in_mirror = "", 0
        """The chain of this computer, and the sequence of its last line in the mirror."""

    def listen(self, listener: Callable[[TeamState], None]) -> Callable[[], None]:
        """Call the listener with each new state; return what stops that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def nudge(self) -> None:
        """Begin the next round at once."""
        self._nudged.set()

    async def take_up(self) -> None:
        """Copy the own lines to the mirror, then send them in the background. Raises StoreError."""
        await self._copy_own(await self._own.author())
        self.nudge()

    async def run(self) -> None:
        """Run rounds until this is cancelled."""
        pause = 0.0
        while True:
            try:
                await self.round()
                pause = 0.0
            except TeamServerError as error:
                # A server can lock a role after several wrong passwords.
                longer = _LONGEST_PAUSE_SECONDS if error.lasting else max(2 * pause, _FIRST_PAUSE_SECONDS)
                pause = min(longer, _LONGEST_PAUSE_SECONDS)
                await self._report_problem(str(error))
            except StoreError as error:
                pause = _LONGEST_PAUSE_SECONDS
                await self._report_problem(str(error))
            except Exception as error:
                # Reported like a problem of the server, and the next round tries again: a bug must not end `run`.
                _log.exception("internal error while synchronizing with the team")
                pause = _LONGEST_PAUSE_SECONDS
                await self._report_problem(f"internal error in svc-tui ({type(error).__name__}); see the log")
            await self._wait(pause)

    async def round(self) -> None:
        """Load new lines from the server and send it own ones; raises TeamServerError and StoreError."""
        author = await self._own.author()
        await self._copy_own(author)
        if self._server is None:
            self._server = await self._connect()
        # First, because it also works for a role that may only read.
        await self._load_news(self._server, author)
        await self._publish(self._server, author)
        author = await self._own.author()
        places = [replace(place, author=author) for place in self.open_places]
        present = await self._server.meet(author, places)
        broken = [chain.broken for chain in await self._mirror.chains() if chain.broken is not None]
        self._set_state(
            replace(self.state, connected=True, waiting=0, problem="", broken=tuple(broken), present=tuple(present))
        )

    async def publish(self) -> None:
        """Send own lines to the server and load nothing; raises TeamServerError and StoreError."""
        author = await self._own.author()
        await self._copy_own(author)
        if self._server is None:
            self._server = await self._connect()
        await self._publish(self._server, author)

    async def aclose(self) -> None:
        """Send own lines and end the presence, if the server answers in time, and disconnect."""
        if self._server is None:
            return
        if self.state.connected:
            with suppress(TeamServerError, StoreError, TimeoutError):
                async with asyncio.timeout(_LEAVE_SECONDS):
                    author = await self._own.author()
                    await self._copy_own(author)
                    await self._publish(self._server, author)
                    await self._server.leave()
        await self._server.aclose()

    async def _copy_own(self, author: Author) -> None:
        """Copy new entries of the journal to the chain, and new lines of the chain to the mirror."""
        while await self._own.collect():
            pass
        if author.chain != self._chain:
            await self._mirror.reload_own()
            self._chain, self._in_mirror = author.chain, 0
        while lines := await self._own.waiting(self._in_mirror):
            await self._mirror.take_own(author, lines)
            self._in_mirror = lines[-1].sequence
            self._set_state(replace(self.state, news=self.state.news + len(lines)))

    async def _publish(self, server: TeamServer, author: Author) -> None:
        while lines := await self._own.waiting():
            try:
                # Another program on this computer may have begun another chain meanwhile.
                await server.publish(replace(author, chain=lines[0].chain), lines)
            except ChainTaken as error:
                await self._begin_other_chain(server, lines, error)
            else:
                await self._own.acknowledge(lines[-1])

    async def _begin_other_chain(self, server: TeamServer, lines: Sequence[SealedLine], error: ChainTaken) -> None:
        """Begin another chain for lines that can't be added to theirs.

        Raises the error if the server has only these lines: two programs on this computer sent them at once.
        """
        chain, first = lines[0].chain, lines[0].sequence
        digests = {line.sequence: line.digest for line in await server.lines_of(chain, first - 1, len(lines))}
        sent = [line for line in lines if digests.get(line.sequence) == line.digest]
        if sent:
            await self._own.acknowledge(sent[-1])
        if all(digests.get(line.sequence, line.digest) == line.digest for line in lines):
            raise error
        # Entries in both copies of the journal that were not in the chain yet: the other copy sent them already.
        sent_texts, after = set[str](), (sent[-1].sequence if sent else first - 1)
        while other_lines := await server.lines_of(chain, after, _LINES_OF_ANSWER):
            sent_texts.update(text_without_author(line.text) for line in other_lines)
            after = other_lines[-1].sequence
        if await self._own.begin_other_chain(chain, sent_texts):
            _log.warning("%s; this computer continues with a new chain", error)
            self._set_state(replace(self.state, began_other_chain=True))
        await self._copy_own(await self._own.author())
        # Load again what the other copy wrote.
        self.nudge()

    async def _load_news(self, server: TeamServer, author: Author) -> None:
        more = True
        while more:
            chains = await self._mirror.chains()
            heads = {chain.author.chain: chain.head for chain in chains}
            broken = {chain.author.chain for chain in chains if chain.broken is not None}
            colleagues_lines, more = 0, False
            for news in await server.news(heads, _LINES_OF_ANSWER):
                if news.author.chain not in broken:
                    added = await self._mirror.take(news)
                    colleagues_lines += added if news.author.chain != author.chain else 0
                    more = more or added == _LINES_OF_ANSWER
            if colleagues_lines:
                self._set_state(replace(self.state, news=self.state.news + colleagues_lines))

    async def _report_problem(self, problem: str) -> None:
        if problem != self.state.problem:
            _log.warning("%s", problem)
        waiting = self.state.waiting
        with suppress(StoreError):
            waiting = await self._own.count_waiting()
        self._set_state(replace(self.state, connected=False, problem=problem, waiting=waiting, present=()))

    async def _wait(self, pause: float) -> None:
        """Wait for the next round; `nudge` ends the wait, except while the server does not answer."""
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
                await self._copy_own(await self._own.author())

    def _set_state(self, state: TeamState) -> None:
        if state != self.state:
            self.state = state
            for listener in tuple(self._listeners):
                listener(state)


class RecordPresence:
    """The records of one session that are open for editing, here and by colleagues; places are keys.

    Nothing here waits for the server.
    """

    def __init__(self, sync: TeamSync, scope: ServiceScope) -> None:
        self._sync, self._scope = sync, scope
        self._opened: Counter[str] = Counter()

    def opened(self, place: str) -> None:
        """Count one more editor that has the record open here."""
        self._opened[place] += 1
        if self._opened[place] == 1:
            self._sync.open_places.add(self._presence(place))
            self._sync.nudge()

    def closed(self, place: str) -> None:
        """Count one editor less."""
        self._opened[place] -= 1
        if self._opened[place] < 1:
            del self._opened[place]
            self._sync.open_places.discard(self._presence(place))
            self._sync.nudge()

    @contextmanager
    def open(self, place: str) -> Iterator[None]:
        """Count the record as open for editing until the block ends."""
        self.opened(place)
        try:
            yield
        finally:
            self.closed(place)

    def others(self, place: str) -> tuple[str, ...]:
        """Return the names of colleagues who have the record open."""
        present = [presence for presence in self._sync.state.present if presence.scope == self._scope]
        names = tell_apart(presence.author for presence in present)
        return tuple(dict.fromkeys(names[presence.author] for presence in present if presence.place == place))

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call the listener when colleagues may have opened or closed something; return what stops that."""
        return self._sync.listen(lambda _: listener())

    def _presence(self, place: str) -> Presence:
        return Presence(_HERE, self._scope, place)


_HERE = Author("", "")
"""This user, in `open_places`: `TeamSync.round` replaces it by the author of the chain."""
