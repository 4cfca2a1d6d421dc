"""Copying from the main screen: the value under the cursor, or a choice of what is there."""

import os
from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from svc_tui.domain.exports import copies, value_text
from svc_tui.domain.fieldpath import value_at
from svc_tui.domain.gateway import Gateway
from svc_tui.domain.records import Place, Record
from svc_tui.ui.clipboard import Clipboard
from svc_tui.ui.report import Report


class Copying:
    """Copies for one screen, and says where it went; its methods run in workers of the screen."""

    def __init__(self, screen: Screen[Any], gateway: Gateway, tell: Callable[[Report], None]) -> None:
        self._screen, self._gateway, self._tell = screen, gateway, tell

    async def value(self, record: Record | None, path: str | None) -> None:
        """Copy the value of one field, raw."""
        if record is None or path is None:
            self._tell(Report("Nothing is under the cursor to copy."))
            return
        await self.text(value_text(value_at(record.fields, path)))

    async def menu(self, place: Place | None, record: Record | None, path: str | None) -> None:
        """Ask which of the things at `place` to copy."""
        if place is None:
            self._tell(Report("Nothing is open to copy from."))
            return
        from svc_tui.ui.screens.copy_menu import CopyMenu

        offered = copies(self._gateway.environment, self._gateway.host, place, record, path)
        text = await self._screen.app.push_screen_wait(CopyMenu(offered))
        if text is not None:
            await self.text(text)

    async def text(self, text: str) -> None:
        """Copy any text."""
        clipboard = Clipboard(self._screen.app.copy_to_clipboard, lambda: self._gateway.secrets, os.environ)
        self._tell(Report(await clipboard.copy(text)))
