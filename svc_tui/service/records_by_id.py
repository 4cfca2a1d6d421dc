"""Many records read by their ids, behind what the user does."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from svc_tui.service.errors import ServiceError, is_about_one_record

if TYPE_CHECKING:
    from svc_tui.core.catalog import Collection
    from svc_tui.core.records import Record
    from svc_tui.service.gateway import Gateway

_AT_A_TIME = 4
"""Records that are asked for at the same time; the throttle sets the pace."""


async def read_by_id(
    gateway: Gateway,
    collection: Collection,
    ids: Iterable[str],
    take: Callable[[str, Record | ServiceError], object],
) -> None:
    """Read records in the background, a few at a time, and pass each to `take`, or the error that is about it alone.

    Raises the ServiceError of a request that failed for a reason that holds for all.
    """
    left = deque(ids)

    async def read() -> None:
        while left:
            record_id = left.popleft()
            try:
                take(record_id, await gateway.record(collection, record_id, background=True))
            except ServiceError as error:
                if not is_about_one_record(error):
                    # The others would fail as well.
                    left.clear()
                    raise
                take(record_id, error)

    readers = [asyncio.create_task(read()) for _ in range(_AT_A_TIME)]
    try:
        await asyncio.gather(*readers)
    finally:
        for reader in readers:
            reader.cancel()
