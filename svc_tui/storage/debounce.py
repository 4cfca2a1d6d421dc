"""Gathers what changes at every key for a moment before it goes to the disk, so that a keystroke costs nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar

from msgspec import Struct

from svc_tui.storage.errors import StoreError

T = TypeVar("T")

SAVE_DELAY = 0.03
"""Seconds for which changes are gathered; what a power cut or a kill can lose."""


class _Change(Struct, Generic[T], frozen=True, eq=False):
    """The newest state of one thing that is not on the disk yet; None: forget it."""

    state: T | None


class DebouncedSaves(Generic[T]):
    """The newest states by key that wait to be written, which `write` does; None: forget it.

    A change that could not be written stays here and is tried again with the next one; the `keep` that comes after the
    failure raises it.
    """

    def __init__(self, write: Callable[[Mapping[str, T | None]], Awaitable[None]]) -> None:
        self._write = write
        self._waiting: dict[str, _Change[T]] = {}
        self._timer: asyncio.Task[None] | None = None
        self._failure: StoreError | None = None

    def keep(self, key: str, state: T) -> None:
        """Take a state in place of the one before; it is on the disk after a moment. Raises StoreError."""
        self._waiting[key] = _Change(state)
        if self._timer is None or self._timer.done():
            self._timer = asyncio.create_task(self._flush_after_a_moment())
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    async def drop(self, key: str) -> None:
        """Forget it; it is gone from the disk when this returns. Raises StoreError."""
        self._waiting[key] = _Change(None)
        await self.flush()

    async def flush(self) -> None:
        """Write everything that waits. Raises StoreError."""
        if not self._waiting:
            return
        changes = dict(self._waiting)
        await self._write({key: change.state for key, change in changes.items()})
        for key, change in changes.items():
            if self._waiting.get(key) is change:
                del self._waiting[key]
        self._failure = None

    async def aclose(self) -> None:
        """Write everything that waits, and gather no more. Raises StoreError."""
        if self._timer is not None:
            self._timer.cancel()
        await self.flush()

    async def _flush_after_a_moment(self) -> None:
        # More may be kept while the disk is at work, and this task is still the one that will see to it.
        while self._waiting:
            await asyncio.sleep(SAVE_DELAY)
            try:
                await self.flush()
            except StoreError as error:
                self._failure = error
                return
