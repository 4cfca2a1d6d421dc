"""What is remembered of the user's choices, and its way to the disk."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from svc_tui.core.credentials import Environment
from svc_tui.core.values import replace
from svc_tui.core.views import RememberedView
from svc_tui.session.memory import LastPosition, position_name
from svc_tui.session.pane_layout import PaneSizes
from svc_tui.session.ports import PreferenceStore


class RememberedChoices:
    """The choices of this session and of those before; `keep` gets the work of writing, `notify` what went wrong.

    Nothing waits for the disk: each change counts at once, and the latest of several is written.
    """

    def __init__(
        self, store: PreferenceStore, profile: str, environment: Environment, notify: Callable[[str], None]
    ) -> None:
        self._store, self._profile, self._notify = store, profile, notify
        self._environment = environment
        self._memory = store.memory
        self._writing = asyncio.Lock()
        self._complained = ""

    @property
    def last_position(self) -> LastPosition | None:
        """The last position in this profile, with a key of the same environment."""
        return self._memory.last_position(self._profile, self._environment)

    def habit(self, key: str) -> RememberedView:
        """What is remembered of the collection with that key."""
        return self._memory.habits.get(key, RememberedView())

    @property
    def sizes(self) -> PaneSizes:
        """How large the panes are to be."""
        return self._memory.panes

    async def left(self, last_position: LastPosition) -> None:
        """Remember the position."""
        if last_position == self.last_position:
            return
        name = position_name(self._profile, self._environment)
        self._memory = replace(self._memory, places={**self._memory.places, name: last_position})
        await self._write(lambda: self._store.remember_place(name, last_position))

    async def changed(self, key: str, habit: RememberedView) -> None:
        """The collection with that key is looked at like this now."""
        if habit == self.habit(key):
            return
        self._memory = replace(self._memory, habits={**self._memory.habits, key: habit})
        await self._write(lambda: self._store.remember_habit(key, self.habit(key)))

    async def sized(self, sizes: PaneSizes) -> None:
        """The panes are so large now."""
        if sizes == self.sizes:
            return
        self._memory = replace(self._memory, panes=sizes)
        await self._write(lambda: self._store.remember_panes(self.sizes))

    async def index(self, *, kept: bool) -> None:
        """An index of this profile is kept from now on, or is not."""
        await self._write(lambda: self._store.remember_index(self._profile, kept=kept))

    @property
    def search_loading(self) -> bool | None:
        """True if a search loads all collections of this profile, None if the user has not answered yet."""
        return self._memory.searched.get(self._profile)

    def choose_search_loading(self, *, on: bool) -> Coroutine[Any, Any, None]:
        """Set whether a search loads all collections of this profile; the returned coroutine saves that."""
        self._memory = replace(self._memory, searched={**self._memory.searched, self._profile: on})
        return self._write(lambda: self._store.remember_search_loading(self._profile, on=on))

    async def _write(self, write: Callable[[], None]) -> None:
        async with self._writing:
            try:
                await asyncio.to_thread(write)
            except OSError as error:
                complaint = f"Could not save the setting: {error.strerror or type(error).__name__}"
                # Where nothing can be written, each step would say so.
                if complaint != self._complained:
                    self._notify(complaint)
                self._complained = complaint
