"""Reads the records that a list of ids names, behind what the user does: by their ids, or by pages if that is less."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from svc_tui.domain.http.errors import NotFound, RequestRefused

if TYPE_CHECKING:
    from svc_tui.domain.http.gateway import Gateway
    from svc_tui.domain.model.catalog import Collection
    from svc_tui.domain.model.records import Page, Record

_AT_A_TIME = 4
"""Records that are asked for at the same time."""


async def listed_records(
    gateway: Gateway, collection: Collection, ids: Sequence[str], *, page_size: int, total: int | None
) -> AsyncGenerator[Mapping[str, Record | None], None]:
    """The records with these ids, some at a time, None for one that is not there; `total` is how many there are in all.

    Raises ServiceError for what is not about a single record. Leave it early under `contextlib.aclosing`.
    """
    left = dict.fromkeys(ids)
    if total is not None and -(-total // max(1, page_size)) < len(left):
        walk = gateway.walk(collection, limit=page_size, background=True)
        async with aclosing(cast("AsyncGenerator[Page, None]", walk)) as pages:
            async for page in pages:
                met: dict[str, Record | None] = {}
                met.update((record.id, record) for record in page.records if record.id is not None)
                met = {record_id: record for record_id, record in met.items() if record_id in left}
                for record_id in met:
                    del left[record_id]
                yield met
                if not left:
                    return
    # A page may have shifted, or the list may leave out what can be read by its id: the service is asked about each.
    rest = list(left)
    for at in range(0, len(rest), _AT_A_TIME):
        some = rest[at : at + _AT_A_TIME]
        answers = await asyncio.gather(
            *(gateway.record(collection, record_id, background=True) for record_id in some), return_exceptions=True
        )
        read_now: dict[str, Record | None] = {}
        problem: BaseException | None = None
        for record_id, answer in zip(some, answers, strict=True):
            if isinstance(answer, NotFound | RequestRefused):
                read_now[record_id] = None
            elif isinstance(answer, BaseException):
                problem = problem or answer
            else:
                read_now[record_id] = answer
        yield read_now
        if problem is not None:
            raise problem
