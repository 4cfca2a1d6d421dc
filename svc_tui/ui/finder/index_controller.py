"""The index of a session's records: kept up to date while its screen is there, begun and forgotten by the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime, timedelta

from textual.content import Content

from svc_tui.core.durations import age_words
from svc_tui.core.phrases import counted
from svc_tui.history.timeline import changes_among
from svc_tui.search.sources import IndexedRows, indexed_rows
from svc_tui.search.sweeping import Sweeping
from svc_tui.storage.record_index.index_values import IndexProblem
from svc_tui.ui.context import Context
from svc_tui.ui.keys.command import Command
from svc_tui.ui.report import Report

_GROUP = "index"
"""The group of the worker that keeps the index up to date."""

_MAX_CHANGES, _EVER_DAYS = 1_000, 36_500
"""Changes that are listed at most, and how far back where none is ever forgotten."""

KEEP = Content("Build a private index on this computer: load once, then search instantly")
"""What is offered where there is no index."""


class IndexController:
    """Keeps the index of the session up to date where the user wants one, and tells what it holds."""

    def __init__(self, context: Context, sort_newest_first: Callable[[], Awaitable[None]]) -> None:
        """Create it; `sort_newest_first` sorts the open collection, to show changes where there is no index."""
        self._context, self._index = context, context.session.index
        self._sort_newest_first = sort_newest_first
        self._sweeping = Sweeping(self._index, context.profile.bulk_page_size, context.session.now)

    @property
    def wanted(self) -> bool:
        """Whether the user wants an index kept."""
        return self._index.wanted

    @property
    def _has_index(self) -> bool:
        """Whether there is an index to show, even if it is still empty."""
        return self.wanted or self._index.has_records

    @property
    def is_updated(self) -> bool:
        """True if this program updates the index, and so loads the collections that it lacks."""
        return self._index.wanted and self._index.index is not None

    @property
    def changes(self) -> int:
        """How often so much was written into it that searching again is worth it."""
        return self._index.changes

    def start(self) -> None:
        """Keep it up to date from now on."""
        self._context.screen.run_worker(self._keep(), group=_GROUP, exclusive=True)

    async def _keep(self) -> None:
        if await self._index.open() and self._index.index is not None and self._index.index.notice:
            self._context.notify(Report(self._index.index.notice, "Index", "warning"))
        await self._sweeping.run()

    def keep(self) -> None:
        """Have an index kept of this profile, from now on and in later sessions."""
        self._index.wanted = True
        self.start()
        self._context.screen.run_worker(self._context.remembered.index(kept=True))

    async def forget(self) -> None:
        """Remove the index, and keep none any more."""
        self._context.screen.workers.cancel_group(self._context.screen, _GROUP)
        self._index.wanted = False
        try:
            if await self._index.open() and self._index.index is not None:
                await self._index.settled()
                await self._index.index.clear()
                # Another program may keep it up to date from now on.
                await self._index.aclose()
        except IndexProblem as error:
            self._context.notify(Report(str(error), "Could not delete the index", "error"))
            return
        finally:
            await self._context.remembered.index(kept=False)
        self._index.changed()
        self._context.notify(Report(_forgotten(self._context.profile.index)))

    async def look(self) -> None:
        """Read its status; open it first, since another program may have built it in the meantime."""
        await self._index.open()
        await self._index.look()

    def rows(self, on_problem: Callable[[IndexProblem], None] | None = None) -> Sequence[IndexedRows]:
        """What the index holds now, to be searched, nothing where there is none; for `on_problem` see IndexedRows."""
        index, status = self._index.index, self._index.status
        if index is None or status is None or not self._has_index:
            return ()
        return indexed_rows(index.records, status, self._index.collections, self._monotonic, on_problem)

    def note_problem(self, problem: IndexProblem) -> None:
        """Have `problem` say from now on why it can't be used."""
        self._index.problem = str(problem)

    def complete(self, key: str) -> bool:
        """Whether all of a collection is in the index."""
        return self._index.status is not None and self._index.status.of(key).completed_at is not None

    def state(self) -> str:
        """What it holds and what is being read for it, in a few words; "" where there is none."""
        status = self._index.status
        if status is None or not self._has_index:
            return ""
        indexed = counted(status.records, "indexed record")
        sweeping = self._sweeping.now_sweeping
        if sweeping is not None:
            total = self._sweeping.total
            limit = self._sweeping.limit
            pages = f" of {-(-total // limit):,}" if total is not None and limit else ""
            return f"{indexed}, updating {sweeping.name} {self._sweeping.page:,}{pages}"
        moments = [held.completed_at for held in status.collections.values() if held.completed_at is not None]
        if self._sweeping.elsewhere:
            return f"{indexed}, updated by another window"
        if not moments:
            return indexed
        age = age_words((self._context.session.now() - min(moments)).total_seconds())
        return f"{indexed}{f' ({age} ago)' if age else ''}"

    def problem(self) -> str:
        """What is not in it, and why; "" where all is well."""
        if self._index.problem:
            return self._index.problem
        status = self._index.status
        failed = [] if status is None else [held for held in status.collections.values() if held.problem]
        return "; ".join(f"{held.key.rpartition('/')[2]} is not indexed: {held.problem}" for held in failed)

    async def show_changes(self) -> None:
        """Show what others changed, and open the record that is chosen; without an index, sort by update time."""
        # The command line may have built one since the start.
        await self._index.open()
        if not self._has_index:
            await self._sort_newest_first()
            return
        from svc_tui.ui.finder.changes_screen import ChangesScreen

        context, now = self._context, self._context.session.now()
        try:
            changes = await self._index.changes_since(
                now - timedelta(days=self._index.rules.days or _EVER_DAYS), _MAX_CHANGES
            )
        except IndexProblem as error:
            context.notify(Report(str(error), "Could not load the changes by others", "error"))
            return
        collections = {collection.key: collection for collection in self._index.collections}
        mask = context.privacy_mask
        masked = [mask.seen_change(change, change.key.partition("/")[0], (change.path,)) for change in changes]
        place = await context.show(ChangesScreen(tuple(changes_among(masked, collections, context.tz))))
        if place is not None:
            context.go(place)

    @property
    def changes_command(self) -> Command:
        """What the palette offers to see what others changed."""
        about = (
            "Show records that others added, changed or deleted (from the index)"
            if self._has_index
            else "Sort the open collection by update time, newest first (no index)"
        )
        return Command("What changed?", about, lambda: self._context.ask(self.show_changes()), "changes by others")

    def commands(self) -> Iterator[Command]:
        """What the palette offers of the index itself."""
        if self._has_index:
            yield Command(
                "Delete the index",
                "Delete the local copy of the records; nothing is deleted on the service",
                lambda: self._context.ask(self.forget()),
            )
        if not self.wanted:
            yield Command(
                "Build an index",
                "Build a private index on this computer: load once, then search instantly",
                self.keep,
            )

    def _monotonic(self, moment: datetime) -> float:
        session = self._context.session
        return session.monotonic() - (session.now() - moment).total_seconds()


def _forgotten(by_profile: bool, /) -> str:
    if by_profile:
        return "The index is deleted. The profile has index = true, so it is built again at the next start."
    return "The index is deleted."
