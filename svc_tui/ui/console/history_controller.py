"""The history of requests from the main screen: each is kept before it leaves, shown by F8, and sent again.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from svc_tui.core.requests import Exchange, RequestSpec
from svc_tui.core.values import replace
from svc_tui.service.errors import ServiceError
from svc_tui.storage.errors import StoreError
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report

if TYPE_CHECKING:
    from svc_tui.console.request_form import KnownPath
    from svc_tui.storage.history import HistoryEntry

_MAX_LISTED = 200
"""Requests in the list at most; a search looks through all there are."""


class HistoryController:
    """Keeps the requests of one console and brings them back; its dialogs run in workers of the screen."""

    def __init__(self, context: Context) -> None:
        """Make it; `console` gives the console, on show."""
        self._context = context
        preferences = context.session.preferences
        self._off, self._bodies = not preferences.history_limit, preferences.history_bodies

    # While a request is sent

    async def begin(self, spec: RequestSpec) -> int | None:
        """Keep a request that is about to leave; gives its number, None where it is not kept."""
        from svc_tui.console.recorded_requests import recorded_request

        if self._off:
            return None
        try:
            return await self._context.session.history_store.begin(
                recorded_request(spec, datetime.now(UTC), self._context.gateway.secrets)
            )
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not save the request in the history", "warning"))
            return None

    async def ended(self, number: int | None, exchange: Exchange | None, failure: ServiceError | None) -> None:
        """Keep how the request of that number ended."""
        from svc_tui.console.recorded_requests import recorded_result

        if number is None:
            return
        try:
            await self._context.session.history_store.end(
                number, recorded_result(exchange, failure, self._context.gateway.secrets, bodies=self._bodies)
            )
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not save the response in the history", "warning"))

    # Afterwards

    async def paths(self) -> "Sequence[KnownPath]":
        """The paths that were asked for, the newest first, for completion."""
        from svc_tui.console.request_form import KnownPath

        try:
            entries = await self._context.session.history_store.entries(_MAX_LISTED)
        except StoreError:
            # F8 says so; a path that is not proposed can still be typed.
            return ()
        specs = (entry.recorded_request.spec for entry in entries)
        return tuple(dict.fromkeys(KnownPath(spec.path.partition("?")[0], spec.method) for spec in specs))

    async def show(self) -> None:
        """Show the history until the user leaves it, or takes a request out of it."""
        from svc_tui.ui.console.history_screen import HistoryAction, HistoryScreen

        if self._off:
            self._context.notify(Report(availability.NO_HISTORY))
            return
        text = ""
        try:
            while True:
                screen = HistoryScreen(
                    await self._search(text), self._context.tz, self._search, self._forget, self._looked, text
                )
                choice = await self._context.show(screen)
                if choice is None:
                    return
                text = choice.search
                if choice.action is HistoryAction.CLEAR:
                    await self._clear()
                elif choice.entry is not None:
                    await self._recall(choice.entry, send=choice.action is HistoryAction.SEND)
                    return
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the history", "error"))

    async def clear(self) -> None:
        """Forget every request of this profile, once that was agreed to."""
        try:
            await self._clear()
        except StoreError as error:
            self._context.notify(Report(str(error), "History not cleared", "error"))

    async def _search(self, text: str) -> "Sequence[HistoryEntry]":
        return await (
            self._context.session.history_store.search(text, _MAX_LISTED)
            if text.strip()
            else self._context.session.history_store.entries(_MAX_LISTED)
        )

    async def _forget(self, entry: "HistoryEntry") -> None:
        await self._context.session.history_store.remove(entry.number)

    async def _clear(self) -> None:
        from textual.content import Content

        from svc_tui.ui.dialogs.confirm import ConfirmScreen
        from svc_tui.ui.text import styled

        environment = self._context.gateway.environment.label
        body = Content.assemble(
            styled(f"All requests of {self._context.profile.name} on {environment} will be deleted.", "bold"),
            " You can't undo this. The journal is not changed.",
        )
        if await self._context.show(ConfirmScreen(Content("Clear the history"), body, "Clear")):
            await self._context.session.history_store.clear()
            self._context.notify(Report("History cleared."))

    async def _recall(self, entry: "HistoryEntry", *, send: bool) -> None:
        """Put a request into the console, and send it as it was where that is wanted and can be done."""
        from svc_tui.console.recorded_requests import request_to_resend

        spec = request_to_resend(entry, self._context.profile.idempotency_header)
        console = await self._context.workspace.console()
        if missing := entry.recorded_request.missing:
            console.prefill(spec)
            self._context.notify(
                Report(f"Not saved in the history: {', '.join(missing)}. Fill in the missing values.", "", "warning")
            )
        elif send:
            console.send_again(spec)
        else:
            console.prefill(spec)

    def _looked(self, entry: "HistoryEntry") -> "HistoryEntry":
        """The entry as it may be seen now."""
        if not self._context.privacy_mask.on:
            return entry
        recorded_request, ended, privacy_mask = (
            entry.recorded_request,
            entry.recorded_result,
            self._context.privacy_mask,
        )
        spec = replace(
            recorded_request.spec,
            path=privacy_mask.text(recorded_request.spec.path),
            body=privacy_mask.body(recorded_request.spec.body, recorded_request.spec.path),
        )
        spec = replace(spec, query=tuple((name, privacy_mask.text(value)) for name, value in spec.query))
        if ended is not None:
            masked_body = None if ended.body is None else privacy_mask.body(ended.body, spec.path)
            ended = replace(ended, message=privacy_mask.text(ended.message), body=masked_body)
        return replace(entry, recorded_request=replace(recorded_request, spec=spec), recorded_result=ended)
