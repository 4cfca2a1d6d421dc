"""The first page of the place that opens first, asked for while the screen is loaded that is to show it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from svc_tui.core.catalog import Collection
    from svc_tui.core.credentials import Environment
    from svc_tui.core.records import Page
    from svc_tui.core.settings import Profile
    from svc_tui.service.gateway import Gateway
    from svc_tui.service.traffic import TrafficEvent
    from svc_tui.session.memory import SavedChoices


class FirstPage:
    """Reads pages for the table, the first of them ahead: it is under way before there is a table.

    The first reader gets that page where it is the one that was meant; else it is forgotten. Nothing is read
    ahead of what is in view until that is to be seen. The traffic until somebody listens is kept.
    """

    def __init__(
        self, gateway: Gateway, collection: Collection, limit: int, query: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Ask for the first page of the collection, to be chosen by `query`; to be made on the event loop."""
        self._gateway = gateway
        self._meant: tuple[object, ...] | None = (collection, 1, limit, tuple(query))
        self._traffic: list[TrafficEvent] | None = []
        self._left, self._shown = asyncio.Event(), asyncio.Event()
        gateway.listen(self._keep_traffic)
        self._reading = asyncio.create_task(gateway.page(collection, 1, limit, query=query))
        self._reading.add_done_callback(self._note_end)

    async def wait_until_sent(self) -> None:
        """Wait until the request is on its way, or is not to be."""
        await self._left.wait()

    async def page(
        self,
        collection: Collection,
        number: int,
        limit: int,
        *,
        query: Sequence[tuple[str, str]] = (),
        background: bool = False,
    ) -> Page:
        """See `service.gateway.PageSource`."""
        meant, self._meant = self._meant, None
        if meant == (collection, number, limit, tuple(query)):
            return await self._reading
        if background:
            await self._shown.wait()
        return await self._gateway.page(collection, number, limit, query=query, background=background)

    def go_on_with(self, gateway: Gateway) -> None:
        """Read all further pages by this gateway: that of the session, which there was not yet at first."""
        self._gateway = gateway

    def shown(self) -> None:
        """The table is to be seen now, with the page where that has come."""
        self._shown.set()

    def take_traffic(self) -> Sequence[TrafficEvent]:
        """What happened on the wire since the page was asked for; the one who takes it listens from now on."""
        traffic, self._traffic = self._traffic, None
        return traffic or ()

    def _keep_traffic(self, event: TrafficEvent) -> None:
        self._left.set()
        if self._traffic is not None:
            self._traffic.append(event)

    def _note_end(self, reading: asyncio.Task[Page]) -> None:
        self._left.set()
        if not reading.cancelled():
            # Of an error that nobody came for nothing is to be said.
            reading.exception()


def first_place(asked: str | None, profile: Profile, environment: Environment, memory: SavedChoices) -> str:
    """The text of the place that opens first: the one asked for, else the one left last; "" where there is neither."""
    last_position = memory.last_position(profile.name, environment)
    return asked or (last_position.path if last_position else "")


def collection_of(place: str, profile: Profile) -> Collection | None:
    """The collection that opens at a place, by its text; None where more must be known to tell."""
    for collection in profile.catalog:
        # What is mostly remembered; anything else takes a while longer to be understood.
        if place == collection.path:
            return collection
    if not place:
        return profile.first
    from svc_tui.service.routes import PlaceError, parse_place

    try:
        return parse_place(place, profile.catalog).collection
    except PlaceError:
        return None
