"""Reads the records that a list of ids names, behind what the user does: by their ids, or by pages if that is less."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from svc_tui.domain.http.errors import ServiceError
from svc_tui.domain.http.record_reading import read_by_id

if TYPE_CHECKING:
    from svc_tui.domain.http.gateway import Gateway
    from svc_tui.domain.model.catalog import Collection
    from svc_tui.domain.model.records import Page, Record

_AT_ONCE = 20
"""Records that are given at once."""


async def listed_records(
    gateway: Gateway, collection: Collection, ids: Sequence[str], *, page_size: int, total: int | None
) -> AsyncGenerator[Mapping[str, Record | None], None]:
    """The records with these ids, some at a time, None for one that is not there.

    `total` is how many there are in all, `page_size` how many of them a page is likely to have.

    Raises ServiceError for what is not about a single record. Leave it early under `contextlib.aclosing`.
    """
    left = dict.fromkeys(ids)
    if total is not None and -(-total // page_size) < len(left):
        walk = gateway.walk(collection, background=True)
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
    for at in range(0, len(rest), _AT_ONCE):
        answers: dict[str, Record | None] = {}
        problem: ServiceError | None = None

        def take(record_id: str, answer: Record | ServiceError, answers: dict[str, Record | None] = answers) -> None:
            answers[record_id] = None if isinstance(answer, ServiceError) else answer

        try:
            await read_by_id(gateway, collection, rest[at : at + _AT_ONCE], take)
        except ServiceError as error:
            problem = error
        # In the order of the list, whichever answer came first.
        yield {record_id: answers[record_id] for record_id in rest[at : at + _AT_ONCE] if record_id in answers}
        if problem is not None:
            raise problem
