"""Checks every machine's chain, as a team server has it, for the command line: line by line, from the first one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from svc_tui.bootstrap.start import Options, translate_errors
from svc_tui.bootstrap.team.located_team import LocatedTeam, failure_of, locate_team
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.storage.errors import TeamServerError
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import ChainHead
from svc_tui.team.chain_check import ChainVerifier, MachineChainCheck, lost_chain

if TYPE_CHECKING:
    from svc_tui.storage.team.server import TeamServer

_PAGE = 200
"""Lines that are held at once."""


@dataclass(frozen=True, slots=True)
class CheckedChain:
    """A chain, what was found of it, and whether it is this machine's own; `known` lines of it were known here."""

    verdict: MachineChainCheck
    known: int
    is_own: bool


ChainListener = Callable[[CheckedChain], None]
"""Takes each chain as soon as it is checked."""


def check_team(options: Options, variables: Mapping[str, str], on_chain: ChainListener) -> None:
    """Check the chains of the team of the profile in use; raises CommandFailure."""
    with translate_errors():
        run_on_loop(check_chains(locate_team(options, variables), on_chain))


async def check_chains(team: LocatedTeam, on_chain: ChainListener) -> None:
    """Check them all; raises CommandFailure, StoreError."""
    mirror, own = team.mirror_reader(), team.own_chain()
    # First: what comes there meanwhile is no line that is missed here.
    known = {chain.author.chain: chain for chain in mirror.chains()}
    async with team.server() as server:
        try:
            there = {author.chain: author for author in await server.machines()}
            for chain, author in there.items():
                head = known[chain].head if chain in known else ChainHead()
                verified = _Verified(author, head, own.published if chain == own.chain else ChainHead())
                on_chain(await verified.check(server, mirror.digests, is_own=chain == own.chain))
        except TeamServerError as error:
            raise failure_of(error) from None
    for chain, of_chain in known.items():
        end = max(of_chain.head.sequence, own.published.sequence if chain == own.chain else 0)
        if chain not in there and end:
            on_chain(CheckedChain(lost_chain(of_chain.author, end), end, chain == own.chain))
    if own.chain and own.chain not in known and own.chain not in there and own.published.sequence:
        author = Author(team.rules.name, team.rules.machine, own.chain)
        on_chain(CheckedChain(lost_chain(author, own.published.sequence), own.published.sequence, is_own=True))


@dataclass(frozen=True, slots=True)
class _Verified:
    """One chain at the server; `head` is how far the copy here knows it, `published` what this machine sent of it."""

    author: Author
    head: ChainHead
    published: ChainHead

    async def check(
        self, server: "TeamServer", digests: Callable[[str, int, int], Mapping[int, str]], *, is_own: bool
    ) -> CheckedChain:
        """Read all of it; raises TeamServerError, StoreError."""
        verifier = ChainVerifier(self.author)
        while lines := await server.lines_of(self.author.chain, verifier.head.sequence, _PAGE):
            # Behind the head are own lines that the server was not known to have.
            last = min(lines[-1].sequence, self.head.sequence)
            known = dict(digests(self.author.chain, verifier.head.sequence, last)) if last else {}
            known.update({end.sequence: end.digest for end in (self.head, self.published) if end.sequence})
            verifier.take(lines, known)
        end = max(self.head.sequence, self.published.sequence)
        return CheckedChain(verifier.finish(end), end, is_own)
