"""Copying from the open record, and the curl command of a request."""

import asyncio
from collections.abc import Awaitable, Callable

from svc_tui.console.copy_as import CommandLineError, curl_line, record_json, value_text
from svc_tui.console.links import link_to
from svc_tui.core.field_path import value_at
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import RequestSpec, SignedRequest
from svc_tui.core.visible_text import visible
from svc_tui.reader.browsing import Browsing, field_of
from svc_tui.reader.console.console_requests import ConsoleRequests
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.talk import Talk
from svc_tui.service.errors import RequestRefused

Copy = Callable[[str], Awaitable[str]]
"""Copies a text to the user's clipboard, and returns the sentence that says where it went."""


async def no_clipboard(text: str) -> str:
    """Copy nothing, where the conversation is not held at a terminal."""
    return "Not copied: this is not a terminal. To read a value, type field; to read the command, type curl."


class Copying:
    """Copies values, records, links and commands."""

    def __init__(self, talk: Talk, browsing: Browsing, requests: ConsoleRequests, copy: Copy) -> None:
        self._talk, self._browsing, self._requests, self._copy = talk, browsing, requests, copy

    async def copy(self, text: str) -> None:
        """Copy a field of the open record, its `curl` command or its `link`; without a word the record as JSON."""
        talk = self._talk
        draft, place = self._browsing.draft(), talk.at.place
        assert place is not None
        fields = talk.mask.draft(draft, place.collection.domain).fields
        if text == "curl":
            copied = self._curl("")
        elif text == "link":
            copied = link_to(talk.session.gateway.environment, talk.session.gateway.host, place)
        elif text:
            copied = value_text(value_at(fields, field_of(fields, text, "")))
        else:
            copied = await asyncio.to_thread(record_json, Record(fields))
        talk.say(await self._copy(talk.mask.text(copied)) + talk.mask.notice)

    async def curl(self, text: str) -> None:
        """Say the curl command of a request; without one, of the request that reads what is open."""
        self._talk.say(visible(self._curl(text)))

    def _curl(self, text: str) -> str:
        try:
            return curl_line(self._requests.preview(text) if text else self._reading())
        except CommandLineError as error:
            raise Mistake(f"No curl command for this request: {visible(str(error))}.") from None

    def _reading(self) -> SignedRequest:
        at = self._talk.at
        place = at.place or (Place(at.listing.collection) if at.listing is not None else None)
        if place is None:
            raise Mistake("Type a request, such as curl GET lots/lot-000001, or open a record first.")
        try:
            return self._talk.session.gateway.preview(RequestSpec("GET", place.path))
        except RequestRefused as error:
            raise Mistake(f"No curl command for this request: {visible(str(error))}.") from None
