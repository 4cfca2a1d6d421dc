"""Copying to the clipboard: the value under the cursor, or one of several forms of a record."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from svc_tui.core.jsontext import Absent, Json
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import RequestSpec, SignedRequest
from svc_tui.service.errors import RequestRefused
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report

if TYPE_CHECKING:
    from svc_tui.console.copy_as import CopyOption


class CopyController:
    """Copying with a notice of where the text went; the methods run in workers of the screen."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def value(self, value: Json | Absent) -> None:
        """Copy a value, raw."""
        if isinstance(value, Absent):
            self._context.notify(Report(availability.NO_VALUE))
            return
        from svc_tui.console.copy_as import value_text

        await self.text(value_text(value))

    async def menu(
        self,
        place: Place | None,
        record: Record | None,
        path: str | None,
        marked: Sequence[Record] = (),
        not_found: Sequence[str] = (),
        *,
        key: str = "",
    ) -> None:
        """Ask what to copy: a form of the record at `place`, of the marked records, or of the ids not found.

        With `key`, copy the option of that key without asking.
        """
        if place is None:
            self._context.notify(Report(availability.NOTHING_OPEN))
            return
        from svc_tui.console.copy_as import copy_options

        gateway = self._context.gateway
        await self.choice(
            copy_options(
                gateway.environment, gateway.host, place, record, path, self._request(place), marked, not_found
            ),
            key,
        )

    async def choice(self, offered: "Sequence[CopyOption]", key: str = "") -> None:
        """Ask which option to copy; with `key`, copy the option of that key without asking."""
        from svc_tui.ui.record.copy_menu import CopyMenu

        if key:
            chosen = next((option for option in offered if option.key == key), None)
            if chosen is None:
                self._context.notify(Report(availability.NO_RECORD))
        else:
            chosen = await self._context.show(CopyMenu(offered))
        if chosen is not None:
            await self.text(await asyncio.to_thread(chosen.make))

    def _request(self, place: Place) -> SignedRequest | None:
        """Return the request for the record at `place`; None for a collection, or if it would be refused."""
        if place.record_id is None:
            return None
        try:
            return self._context.gateway.preview(RequestSpec("GET", place.path))
        except RequestRefused:
            return None

    async def text(self, text: str) -> None:
        """Copy a text, masked, and tell the user where it went."""
        from svc_tui.ui.terminal.clipboard import Clipboard

        to_terminal = self._context.screen.app.copy_to_clipboard
        session = self._context.session
        environment = await asyncio.to_thread(session.child_environment)
        clipboard = Clipboard(to_terminal, lambda: session.gateway.secrets, session.files.keep, environment)
        self._context.notify(
            Report(await clipboard.copy(self._context.privacy_mask.text(text)) + self._context.privacy_mask.notice)
        )
