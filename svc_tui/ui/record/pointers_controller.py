"""What points at the record on show: gathered from the records that are held, and from the index."""

import asyncio
from contextlib import aclosing

from svc_tui.core.records import Place
from svc_tui.core.values import replace
from svc_tui.history.pointers import PointerGroup, PointerGroups, PointsHere
from svc_tui.history.timeline import TimelineNote
from svc_tui.storage.record_index.index_values import IndexProblem
from svc_tui.ui.finder.finder_controller import FinderController
from svc_tui.ui.record.nested_table import LOAD_DELAY_SECONDS
from svc_tui.ui.record.record_tabs import POINTERS
from svc_tui.ui.session.context import Context

_MAX_LISTED = 500
"""Records in the list at most; the others are counted."""
_GATHERING_TEXT = "Searching for references…"
_INDEX_TEXT = "Searching the index…"
_HELD_TEXT = "From loaded records. Press R to search more."
_INDEXED_TEXT = "From loaded records and the index."
_NONE_HELD_TEXT = "No references in loaded records. Press R to search more."
_NONE_INDEXED_TEXT = "No references in loaded records or in the index. Press R to search more."
_NO_ID_TEXT = "No references: the record has no id."


class PointersController:
    """Tells what points at the record on show, for one screen; `show` runs in a worker of the screen."""

    def __init__(self, context: Context, finder: FinderController) -> None:
        """Make it; `finder` knows the records that are held."""
        self._context, self._finder = context, finder

    async def show(self) -> None:
        """Show what is found in what is held, then in the index; whoever only passes by has nothing looked for."""
        display = self._context.workspace.record_display
        if display.shown is None:
            return
        place, _ = display.shown
        if place.record_id is None:
            display.show_pointers(PointsHere(place, notes=(TimelineNote(_NO_ID_TEXT),)))
            return
        display.show_pointers(PointsHere(place, notes=(TimelineNote(_GATHERING_TEXT),)))
        await asyncio.sleep(LOAD_DELAY_SECONDS)
        groups = PointerGroups(_MAX_LISTED)
        problems: list[TimelineNote] = []
        if not await self._add_held(place, groups):
            return
        if self._finder.index_held:
            self._show_groups(place, groups, TimelineNote(_INDEX_TEXT))
            try:
                if not await self._add_indexed(place, groups):
                    return
            except IndexProblem as error:
                problems.append(TimelineNote(f"Could not search the index: {error}", failed=True))
        self._show_groups(place, groups, *problems, self._source_note(empty=not groups.groups()))

    def opened(self, place: Place) -> None:
        """Enter on a record: go to it."""
        self._context.go(place)

    async def _add_held(self, place: Place, groups: PointerGroups) -> bool:
        """Add what is held; gives whether the list is still on show."""
        async with aclosing(self._finder.held_pointers(place)) as parts:
            async for pointers in parts:
                groups.add(pointers)
                if not self._is_on_show():
                    return False
        return self._is_on_show()

    async def _add_indexed(self, place: Place, groups: PointerGroups) -> bool:
        """Add what the index holds besides; gives whether the list is still on show. May raise IndexProblem."""
        async with aclosing(self._finder.indexed_pointers(place)) as parts:
            async for pointers in parts:
                groups.add(pointers)
                if not self._is_on_show():
                    return False
        return True

    def _is_on_show(self) -> bool:
        """Whether the list is still on show; it is gathered anew when it is opened again."""
        return self._context.workspace.record_display.open_tab == POINTERS

    def _source_note(self, *, empty: bool) -> TimelineNote:
        """Where the records are from, or that there are none, and what to do then."""
        if self._finder.index_held:
            return TimelineNote(_NONE_INDEXED_TEXT if empty else _INDEXED_TEXT)
        return TimelineNote(_NONE_HELD_TEXT if empty else _HELD_TEXT)

    def _show_groups(self, place: Place, groups: PointerGroups, *notes: TimelineNote) -> None:
        shown = tuple(map(self._masked, groups.groups()))
        self._context.workspace.record_display.show_pointers(PointsHere(place, shown, notes))

    def _masked(self, group: PointerGroup) -> PointerGroup:
        """The group as it may be seen."""
        mask, domain = self._context.privacy_mask, group.collection.domain
        seen = [replace(pointer, record=mask.record(pointer.record, domain)) for pointer in group.pointers]
        return replace(group, pointers=tuple(seen))
