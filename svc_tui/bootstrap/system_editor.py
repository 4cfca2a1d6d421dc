"""The user's own editor, run on the terminal with a file that nobody else can read and that is gone afterwards."""

import asyncio
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from svc_tui.platform.files import open_file
from svc_tui.platform.processes import split_command
from svc_tui.platform.signals import quit_key_left_to_others
from svc_tui.platform.terminal import EDITORS, start_on_terminal
from svc_tui.session.ports import EditedText, TextEditorError

_EDITOR_VARIABLES = ("VISUAL", "EDITOR")
_TERMINATE_SECONDS = 2.0
"""Seconds that an editor has to end by itself when the program ends first."""
_AT_ONCE_SECONDS = 4.0
"""Seconds within which hardly anybody reads a text and leaves it: an editor that ends sooner may have opened a window.

`code` without --wait can take 1 to 3 s to hand a file over to its window.
"""


class SystemEditor:
    """See `session.ports.TextEditor`: `VISUAL`, `EDITOR`, or the first of the usual ones that is there."""

    def __init__(self, environment: Callable[[], Mapping[str, str]]) -> None:
        """Make it; `environment` gives the variables that the editor gets, and is found by."""
        self.environment = environment
        self.running = False
        """Whether the terminal is an editor's now, and with it what the user interrupts there."""

    async def edit(self, text: str, ending: str) -> EditedText:
        """Have `text` edited as a file with that ending; raises TextEditorError."""
        environment = await asyncio.to_thread(self.environment)
        name, command = _editor_command(environment)
        try:
            data = text.encode()
        except UnicodeEncodeError:
            raise TextEditorError(
                "The text contains an incomplete Unicode character, which can't be saved in a file. Edit the text here."
            ) from None
        directory, failed = "", "saved"
        try:
            directory = await asyncio.to_thread(tempfile.mkdtemp, prefix="svc-tui-")
            file = Path(directory, f"edit.{ending}")
            await asyncio.to_thread(_write_private, file, data)
            began, written = time.monotonic(), _modified(file)
            status = await self._run([*command, str(file)], environment)
            failed = "read"
            edited = _edit_result(name, status, file, text)
            untouched = edited == EditedText(text, True) and _modified(file) == written
            if untouched and time.monotonic() - began < _AT_ONCE_SECONDS:
                # The window may show the file now.
                directory = ""
                raise TextEditorError(_at_once_problem(name, command, file))
            return edited
        except OSError as error:
            raise TextEditorError(f"The file for {name} can't be {failed}: {error.strerror}") from None
        finally:
            if directory:
                shutil.rmtree(directory, ignore_errors=True)

    async def _run(self, command: list[str], environment: Mapping[str, str]) -> int:
        # The interface draws on stderr, so that is a terminal even where stdout is none.
        terminal = None if sys.stdout.isatty() else 2
        self.running = True
        try:
            with quit_key_left_to_others():
                return await _run_to_end(command, terminal, environment)
        finally:
            self.running = False


def _editor_command(variables: Mapping[str, str]) -> tuple[str, list[str]]:
    """What the editor is called in sentences, and its command; raises TextEditorError."""
    for setting in _EDITOR_VARIABLES:
        if value := variables.get(setting, "").strip():
            try:
                return f"the editor in {setting}", split_command(value)
            except ValueError:
                raise TextEditorError(f"{setting} is not a valid command: a closing quote is missing.") from None
    for name in EDITORS:
        if program := shutil.which(name, path=variables.get("PATH")):
            return name, [program]
    raise TextEditorError("No editor was found. Set EDITOR to the command of your editor.")


def _at_once_problem(name: str, command: list[str], file: Path) -> str:
    """Return what to say of an editor that ended before anybody can have used it."""
    variable = next((variable for variable in _EDITOR_VARIABLES if name.endswith(variable)), "EDITOR")
    waits = {"--wait", "-w"} & set(command)
    remedy = "" if waits else f' If it opened a window, set {variable}="{command[0]} --wait".'
    return f"{name[0].upper()}{name[1:]} closed immediately without a change.{remedy} The file is kept: {file}"


async def _run_to_end(command: list[str], terminal: int | None, environment: Mapping[str, str]) -> int:
    """Start the command and wait for its end; gives its exit status, negative for a signal."""
    try:
        process = await start_on_terminal(command, terminal, environment)
    except OSError as error:
        problem = f"{command[0]} can't be started ({error.strerror})"
        raise TextEditorError(f"{problem}. Set EDITOR to the command of your editor.") from None
    try:
        return await process.wait()
    except asyncio.CancelledError:
        # The program ends: its terminal is about to be another's.
        with suppress(ProcessLookupError, TimeoutError):
            process.terminate()
            await asyncio.wait_for(process.wait(), _TERMINATE_SECONDS)
        raise


def _write_private(file: Path, data: bytes) -> None:
    """Write a new file for its owner alone."""
    with os.fdopen(open_file(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as out:
        out.write(data)


def _modified(file: Path) -> int:
    return file.stat().st_mtime_ns


def _edit_result(name: str, status: int, file: Path, sent: str) -> EditedText:
    try:
        left = file.read_bytes().decode()
    except FileNotFoundError:
        left = None
    except UnicodeDecodeError as error:
        raise TextEditorError(
            f"{name} saved text that is not UTF-8 (byte {error.start + 1:,}). Nothing was changed."
        ) from None
    if status < 0:
        problem = f"{name[0].upper()}{name[1:]} crashed ({signal.Signals(-status).name}). Nothing was changed."
        raise TextEditorError(problem, left if left != sent else None)
    if left is None:
        raise TextEditorError(f"{name[0].upper()}{name[1:]} deleted the file. Nothing was changed.")
    return EditedText(left, status == 0)
