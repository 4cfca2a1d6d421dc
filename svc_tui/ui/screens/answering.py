"""What is done with an answer of the console: its body or a value of it is copied, or saved to a file."""

from collections.abc import Callable, Sequence
from typing import Any

from textual.screen import Screen

from svc_tui.domain.copies import Copy
from svc_tui.domain.gateway import Files, FilesError
from svc_tui.ui.report import Report
from svc_tui.ui.screens.copying import Copying


class Answering:
    """Serves the answer on show; its methods run in workers of the screen."""

    def __init__(self, screen: Screen[Any], files: Files, copying: Copying, tell: Callable[[Report], None]) -> None:
        self._screen, self._files, self._copying, self._tell = screen, files, copying, tell

    async def copy(self, text: str) -> None:
        """Copy a text."""
        await self._copying.text(text)

    async def choose_copy(self, copies: Sequence[Copy]) -> None:
        """Ask which of these to copy."""
        await self._copying.choice(copies)

    async def save(self, name: str, data: bytes) -> None:
        """Ask for a file, `name` proposed, and write the bytes there; ask again before another one is replaced."""
        from svc_tui.ui.screens.exporting import may_replace
        from svc_tui.ui.screens.naming import NameScreen

        chosen = await self._screen.app.push_screen_wait(NameScreen("Save the answer as", "a file's name", name))
        if not chosen:
            return
        try:
            if self._files.taken(chosen) and not await may_replace(self._screen, chosen):
                return
            path = await self._files.write(chosen, data)
        except FilesError as error:
            self._tell(Report(str(error), f"{chosen} was not written", "error"))
        else:
            self._tell(Report(f"In {path}.", "Answer saved"))
