"""The user's pager, which gets the terminal to show a text."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from svc_tui.platform.processes import split_command
from svc_tui.platform.terminal import PAGERS, start_on_terminal
from svc_tui.ui.text import without_commands


class PagerError(Exception):
    """An error of the pager; the message says why and what to do."""


def pager_command(variables: Mapping[str, str]) -> list[str]:
    """Return the pager's command: `PAGER`, or the first usual one that is installed; raises PagerError."""
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


async def show_in_pager(app: App[Any], text: str, variables: Mapping[str, str]) -> None:
    """Show the text without control characters, until the pager ends; raises PagerError.

    `variables` are the environment of the pager.
    """
    words = pager_command(variables)
    plain, _ = without_commands(text)
    problem = ""
    with tempfile.TemporaryDirectory(prefix="svc-tui-", ignore_cleanup_errors=True) as directory:
        file = Path(directory, "text")
        try:
            # The directory is accessible only to its owner.
            await asyncio.to_thread(file.write_text, f"{plain}\n", "utf-8")
        except OSError as error:
            raise PagerError(f"Could not save the text for {words[0]}: {error.strerror}.") from None
        try:
            with app.suspend():
                # After an error in this block the terminal would not be taken back.
                problem = await _run_to_end([*words, str(file)], variables)
        except SuspendNotSupported:
            raise PagerError("A pager can't be opened in this terminal.") from None
    if problem:
        raise PagerError(problem)


async def _run_to_end(words: list[str], variables: Mapping[str, str]) -> str:
    """Run the command to its end; return the problem, or ""."""
    # The interface draws on stderr, which is a terminal even if stdout is not.
    terminal = None if sys.stdout.isatty() else 2
    try:
        process = await start_on_terminal(words, terminal, variables)
    except OSError as error:
        return f"Could not start {words[0]}: {error.strerror}. Set PAGER to the command of your pager."
    try:
        await process.wait()
    except asyncio.CancelledError:
        process.terminate()
        raise
    return ""
