"""Shows a text in the user's own pager, which has the terminal meanwhile."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from svc_tui.platform.processes import split_command
from svc_tui.platform.terminal import PAGERS, start_on_terminal
from svc_tui.ui.text import without_commands


class PagerError(Exception):
    """The pager can't be used; the message says why and what to do."""


def pager_command(variables: Mapping[str, str]) -> list[str]:
    """The pager's command: `PAGER`, or the first of the usual ones that is there; raises PagerError."""
    if value := variables.get("PAGER", "").strip():
        try:
            words = split_command(value)
        except ValueError:
            raise PagerError("PAGER is not a valid command: a quote is not closed.") from None
        if shutil.which(words[0], path=variables.get("PATH")) is None:
            raise PagerError(f"{words[0]} was not found. Set PAGER to the command of your pager.")
        return words
    for words in map(list, PAGERS):
        if shutil.which(words[0], path=variables.get("PATH")):
            return words
    raise PagerError("No pager was found. Set PAGER to the command of your pager.")


class Pager:
    """Lends the terminal to the pager and takes it back; what hinders it is raised as PagerError."""

    def __init__(self, app: Callable[[], App[Any]], variables: Mapping[str, str]) -> None:
        """Make it; `variables` are the environment that the pager gets."""
        self._app, self._variables = app, variables

    async def show(self, text: str) -> None:
        """Show the text, without the characters that could command a terminal, until the pager ends."""
        words = pager_command(self._variables)
        plain, _ = without_commands(text)
        problem = ""
        with tempfile.TemporaryDirectory(prefix="svc-tui-", ignore_cleanup_errors=True) as directory:
            file = Path(directory, "text")
            try:
                # For its owner alone, as the directory is.
                await asyncio.to_thread(file.write_text, f"{plain}\n", "utf-8")
            except OSError as error:
                raise PagerError(f"Could not save the text for {words[0]}: {error.strerror}.") from None
            try:
                with self._app().suspend():
                    # Nothing may leave this block by an error: the terminal would not be taken back.
                    problem = await self._run([*words, str(file)])
            except SuspendNotSupported:
                raise PagerError("A pager can't be opened in this terminal.") from None
        if problem:
            raise PagerError(problem)

    async def _run(self, words: list[str]) -> str:
        """Run the command to its end; gives what was wrong, "" where nothing was."""
        # The interface draws on stderr, so that is a terminal even where stdout is none.
        terminal = None if sys.stdout.isatty() else 2
        try:
            process = await start_on_terminal(words, terminal, self._variables)
        except OSError as error:
            return f"Could not start {words[0]}: {error.strerror}. Set PAGER to the command of your pager."
        try:
            await process.wait()
        except asyncio.CancelledError:
            process.terminate()
            raise
        return ""
