"""Saved requests from the main screen: listed in the sidebar, put into the console, kept under a name, forgotten.

Dialogs, and what reads the files, are loaded where they are used, so that the first records do not wait for them.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from svc_tui.ui.context import Context
from svc_tui.ui.keys.command import Command
from svc_tui.ui.report import Report
from svc_tui.ui.sidebar.sidebar import SavedRequestEntry
from svc_tui.ui.text import styled

if TYPE_CHECKING:
    from svc_tui.console.request_form import KnownPath, RequestForm
    from svc_tui.console.saved_requests import SavedRequest, SavedRequestFile
    from svc_tui.ui.console.save_dialog import SavedRequestDetails


class SavedRequestsController:
    """The saved requests of one screen; its dialogs run in workers of the screen."""

    def __init__(
        self,
        context: Context,
        listed: Callable[[Sequence[SavedRequestEntry]], None],
    ) -> None:
        """Make it; `console` gives the console, on show, and `listed` takes what the sidebar shows."""
        self._context, self._listed = context, listed
        self._saved: tuple[SavedRequestFile, ...] = ()
        self._reading = asyncio.Lock()

    async def load(self) -> None:
        """Read the files anew, and list what is in them."""
        # One after the other: a slow one is not to be listed over what is there since.
        async with self._reading:
            self._saved = await asyncio.to_thread(self._context.session.saved_requests.read)
            self._listed([_sidebar_entry(one) for one in self._saved])

    async def open(self, file: str) -> None:
        """Put the request of that file into the console, as the file is now; one that is damaged is told."""
        from svc_tui.console.saved_requests import DamagedRequest

        await self.load()
        for one in self._saved:
            if one.file != file:
                continue
            if isinstance(one, DamagedRequest):
                self._context.notify(Report(one.mistake, "Could not load the saved request", "error"))
            else:
                (await self._context.workspace.console()).load(one.form)
                if one.description:
                    self._context.notify(Report(one.description, one.name))
            return
        self._context.notify(
            Report(
                f"{file}.toml was not found in {self._context.session.saved_requests.directory}.", severity="warning"
            )
        )

    async def save(self, form: "RequestForm") -> None:
        """Ask for a name, and save the console's request under it; ask again before another is replaced."""
        from svc_tui.console.request_form import value_form
        from svc_tui.console.saved_requests import SavedRequestError
        from svc_tui.ui.console.save_dialog import SaveRequestScreen

        names = tuple(line.name for line in value_form(form).lines)
        request = f"{form.method} {form.path}"
        details = await self._context.show(SaveRequestScreen(request, names, partial(self._problem, form)))
        if details is None:
            return
        try:
            saved = self._make(form, details)
            there = await asyncio.to_thread(self._context.session.saved_requests.existing_name, saved)
            if there and not await self._may_replace(there):
                return
            path = await asyncio.to_thread(self._context.session.saved_requests.keep, saved)
        except SavedRequestError as error:
            self._context.notify(Report(str(error), "Could not save the request", "error"))
            return
        await self.load()
        self._context.notify(Report(f"File: {path}. See Requests in the sidebar.", f"Saved as {saved.name}"))

    async def forget(self, request: SavedRequestEntry) -> None:
        """Remove a file, once that was agreed to."""
        from svc_tui.console.saved_requests import SavedRequestError
        from svc_tui.ui.dialogs.menu import MenuScreen

        lines = [(Content("Cancel"), False), (styled(f"Delete {request.file}.toml: {request.name}"), True)]
        if not await self._context.show(MenuScreen("Delete a saved request", lines)):
            return
        try:
            await asyncio.to_thread(self._context.session.saved_requests.remove, request.file)
        except SavedRequestError as error:
            self._context.notify(Report(str(error), severity="error"))
        await self.load()

    @property
    def sound(self) -> "Sequence[SavedRequest]":
        """Those that can be used, as they were read last."""
        if not self._saved:
            return ()
        from svc_tui.console.saved_requests import SavedRequest

        return [one for one in self._saved if isinstance(one, SavedRequest)]

    @property
    def paths(self) -> "tuple[KnownPath, ...]":
        """The paths of the saved requests, for completion."""
        from svc_tui.console.request_form import KnownPath

        return tuple(dict.fromkeys(KnownPath(one.form.path, one.form.method) for one in self.sound))

    async def add(self, saved: "SavedRequest") -> str:
        """Keep one under its name, in place of none; gives where. Raises SavedRequestError."""
        from svc_tui.console.saved_requests import SavedRequestError

        if there := await asyncio.to_thread(self._context.session.saved_requests.existing_name, saved):
            raise SavedRequestError(f"The file already contains another request: {there}.")
        path = await asyncio.to_thread(self._context.session.saved_requests.keep, saved)
        await self.load()
        return path

    def commands(self, run: Callable[[str], object]) -> Iterator[Command]:
        """A command for each saved request; `run` takes the name of its file."""
        for one in self.sound:
            about = one.description or f"{one.form.method} {one.form.path}"
            yield Command(f"Request: {one.name}", about, partial(run, one.file))

    def _problem(self, form: "RequestForm", details: "SavedRequestDetails") -> str:
        from svc_tui.console.saved_requests import SavedRequestError

        try:
            self._make(form, details)
        except SavedRequestError as error:
            return str(error)
        return ""

    def _make(self, form: "RequestForm", details: "SavedRequestDetails") -> "SavedRequest":
        from svc_tui.console.saved_requests import make_saved_request

        return make_saved_request(
            form, details.name, details.description, self._context.session.collections, self._context.gateway.secrets
        )

    async def _may_replace(self, there: str) -> bool:
        from svc_tui.ui.dialogs.confirm import ConfirmScreen

        body = styled(f"The file already contains another request: {there}.")
        question = ConfirmScreen(Content("Replace it?"), body, "Replace", "Cancel")
        agreed: bool | None = await self._context.show(question)
        return bool(agreed)


def _sidebar_entry(entry: "SavedRequestFile") -> SavedRequestEntry:
    """A saved request as the sidebar shows it."""
    from svc_tui.console.saved_requests import SavedRequest

    if isinstance(entry, SavedRequest):
        return SavedRequestEntry(entry.file, entry.name, entry.form.method)
    return SavedRequestEntry(entry.file, entry.file, mistake=entry.mistake)
