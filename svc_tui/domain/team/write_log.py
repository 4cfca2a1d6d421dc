"""One's own writes and colleagues', as one list."""

from collections import Counter
from collections.abc import Iterable

from svc_tui.domain.editing.ports import Journal, JournalEntry, RunWrites, WrittenRecord
from svc_tui.domain.team.lines import ServiceScope
from svc_tui.domain.team.ports import TeamMirror
from svc_tui.domain.team.writes import newest_first


class TeamWriteLog:
    """See `domain.editing.ports.WriteLog`: this machine's journal, and what its mirror knows of the others'."""

    def __init__(self, journal: Journal, mirror: TeamMirror, scope: ServiceScope) -> None:
        self._journal, self._mirror, self._scope = journal, mirror, scope

    async def entries(self, limit: int = 200, *, place: str = "") -> list[JournalEntry]:
        """The newest entries first; with `place` those of that one alone."""
        own = await self._journal.entries(limit, place=place)
        return newest_first([*own, *await self._mirror.entries(self._scope, place, limit)])[:limit]

    async def listed(self, limit: int = 200) -> list[JournalEntry | RunWrites]:
        """The newest writes first, all of one run in one."""
        own = await self._journal.listed(limit)
        return newest_first([*own, *await self._mirror.run_entries(self._scope, limit)])[:limit]

    async def find(self, number: int) -> JournalEntry | None:
        """The write of this number; None where there is none."""
        return await (self._mirror.entry(self._scope, number) if number < 0 else self._journal.find(number))

    async def record_after(self, number: int) -> WrittenRecord | None:
        """Return the record as the write of this number left it; None where that is not known."""
        return await (
            self._mirror.record_after(self._scope, number) if number < 0 else self._journal.record_after(number)
        )

    async def search(self, text: str, limit: int = 200, *, per_run: int = 0) -> list[JournalEntry]:
        """The newest entries that `text` is found in, of each run the newest `per_run` at most, 0: all."""
        own = await self._journal.search(text, limit, per_run=per_run)
        of_run: Counter[str] = Counter()
        theirs = []
        for entry in await self._mirror.search(self._scope, text, limit):
            of_run[entry.intent.batch] += 1
            if not (entry.intent.batch and per_run) or of_run[entry.intent.batch] <= per_run:
                theirs.append(entry)
        return newest_first([*own, *theirs])[:limit]

    async def runs_of(self, runs: Iterable[str]) -> list[RunWrites]:
        """Those of the runs that have writes here, in short, the one written to last first."""
        wanted = tuple(runs)
        return newest_first([
            *await self._journal.runs_of(wanted),
            *await self._mirror.runs_of(self._scope, wanted),
        ])  # fmt: skip

    async def newest_of_run(self, run: str, limit: int, *, before: int = 0) -> list[JournalEntry]:
        """The newest writes of one run first, those before the write of number `before`, 0 for all."""
        own = await self._journal.newest_of_run(run, limit, before=before) if before >= 0 else []
        return own or list(await self._mirror.run(self._scope, run, limit, before))
