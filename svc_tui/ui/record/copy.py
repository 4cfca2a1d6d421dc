"""Copying from the main screen: the value under the cursor, or a choice of what is there."""

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from svc_tui.domain.app.ports import Files
from svc_tui.domain.http.errors import RequestRefused
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.records import Place, Record
from svc_tui.domain.model.requests import RequestSpec, SignedRequest
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report
from svc_tui.ui.session.privacy_mask import PrivacyMask
from svc_tui.ui.terminal.clipboard import Clipboard

if TYPE_CHECKING:
    from svc_tui.domain.console.copies import Copy


class CopyController:
    """Copies for one screen, and says where it went; its methods run in workers of the screen."""

    def __init__(
        self,
        screen: Screen[Any],
        gateway: Gateway,
        files: Files,
        tell: Callable[[Report], None],
        privacy_mask: PrivacyMask,
    ) -> None:
        self._screen, self._gateway, self._files, self._tell, self._privacy_mask = (
            screen,
            gateway,
            files,
            tell,
            privacy_mask,
        )

    async def value(self, value: Json | Absent) -> None:
        """Copy one value, raw."""
        if isinstance(value, Absent):
            self._tell(Report(availability.NO_VALUE))
            return
        from svc_tui.domain.console.copies import value_text

        await self.text(value_text(value))

    async def menu(
        self, place: Place | None, record: Record | None, path: str | None, marked: Sequence[Record] = ()
    ) -> None:
        """Ask which of the things at `place`, or of the marked records, to copy."""
        if place is None:
            self._tell(Report(availability.NOTHING_OPEN))
            return
        from svc_tui.domain.console.copies import copies

        gateway = self._gateway
        await self.choice(copies(gateway.environment, gateway.host, place, record, path, self._request(place), marked))

    async def choice(self, offered: "Sequence[Copy]") -> None:
        """Ask which of these to copy."""
        from svc_tui.ui.record.copy_menu import CopyMenu

        chosen = await self._screen.app.push_screen_wait(CopyMenu(offered))
        if chosen is not None:
            await self.text(await asyncio.to_thread(chosen.make))

    def _request(self, place: Place) -> SignedRequest | None:
        """The request that reads the record at `place`; None where there is none, or it can't be asked for."""
        if place.record_id is None:
            return None
        try:
            return self._gateway.preview(RequestSpec("GET", place.path))
        except RequestRefused:
            return None

    async def text(self, text: str) -> None:
        """Copy any text."""
        to_terminal = self._screen.app.copy_to_clipboard
        clipboard = Clipboard(to_terminal, lambda: self._gateway.secrets, self._files.keep, os.environ)
        self._tell(Report(await clipboard.copy(self._privacy_mask.text(text)) + self._privacy_mask.notice))
