"""Saves a text of the console into a file that somebody names."""

from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from svc_tui.domain.gateway import Files, FilesError
from svc_tui.ui.report import Report


async def save_answer(screen: Screen[Any], files: Files, tell: Callable[[Report], None], name: str, text: str) -> None:
    """Ask for the file, `name` proposed, and write the text there; ask again before another file is replaced."""
    from svc_tui.ui.screens.exporting import may_replace
    from svc_tui.ui.screens.naming import NameScreen

    chosen = await screen.app.push_screen_wait(NameScreen("Save the answer as", "a file's name", name))
    if not chosen:
        return
    try:
        if files.taken(chosen) and not await may_replace(screen, chosen):
            return
        path = await files.write(chosen, text)
    except FilesError as error:
        tell(Report(str(error), f"{chosen} was not written", "error"))
    else:
        tell(Report(f"In {path}.", "Answer saved"))
