"""Saved requests: listed, read out, sent with the values that they ask for, and saved under a name."""

import asyncio
from collections.abc import Iterator

from svc_tui.console.saved_requests import (
    DamagedRequest,
    SavedRequest,
    SavedRequestError,
    SavedRequestFile,
    find_by_name,
    make_saved_request,
)
from svc_tui.core.phrases import capitalize_first, counted
from svc_tui.core.visible_text import visible
from svc_tui.reader.console.console_requests import ConsoleRequests
from svc_tui.reader.console.form_words import asked_words, form_head, form_line, form_lines, safe_words
from svc_tui.reader.console.unsent_requests import UnsentRequests
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.spoken_words import listed_number, shortened
from svc_tui.reader.talk import Talk

_MAX_CHARACTERS = 300
"""Characters of a request's line that are said before it is saved."""


class SavedRequests:
    """The saved requests of one conversation; numbers are those of the list that was said last."""

    def __init__(self, talk: Talk, sender: ConsoleRequests, unsent: UnsentRequests) -> None:
        self._talk, self._sender, self._unsent = talk, sender, unsent

    async def requests(self, text: str) -> None:
        """List the saved requests, or read one of them out."""
        files = await self._read()
        if text:
            await self._talk.say_part(list(self._details(self._found(text, files))))
            return
        self._talk.at.saved_requests = [one.file for one in files]
        if not files:
            self._talk.say("No saved requests. To save the last console request: save NAME.")
            return
        self._talk.say(f"{counted(len(files), 'saved request')}. To read number 1: requests 1. To send it: request 1.")
        await self._talk.say_part([f"{number}. {self._line(one)}" for number, one in enumerate(files, 1)])

    async def request(self, text: str) -> None:
        """Send the saved request of a number or a name; what it asks for is asked, and a write is read out first."""
        if not text:
            raise Mistake("Type a number or a name: request 1. For the list, type requests.")
        saved = self._found(text, await self._read())
        about = f" {self._safe(saved.description).rstrip('.')}." if saved.description else ""
        self._talk.say(f"{self._heading(saved)}.{about}")
        await self._sender.send(saved.form)

    async def save(self, text: str) -> None:
        """Save the last request of the console under a name."""
        waiting = self._unsent.request
        form = self._sender.last or (waiting.form if waiting is not None and not waiting.line else None)
        if form is None:
            raise Mistake("No request to save yet. Send one first, such as console GET lots.")
        if not text:
            raise Mistake("Type a name: save Lots by grade.")
        self._talk.say(f"Saving: {shortened(form_line(form, self._talk), _MAX_CHARACTERS)}.")
        description = await self._talk.ask("Description, or an empty line")
        session = self._talk.session
        store, secrets = session.saved_requests, session.gateway.secrets
        try:
            saved = make_saved_request(form, text, description, session.collections, secrets)
            there = await asyncio.to_thread(store.existing_name, saved)
            if there and not await self._may_replace(there):
                self._talk.say("Not saved.")
                return
            path = await asyncio.to_thread(store.keep, saved)
        except SavedRequestError as error:
            raise Mistake(
                f"Could not save the request. {capitalize_first(safe_words(str(error), self._talk)).rstrip('.')}."
            ) from None
        asked = asked_words(saved.form)
        each_time = f" The request {asked} each time." if asked else ""
        self._talk.say(f"Saved {self._safe(saved.name)} to {visible(path)}.{each_time}")

    async def _may_replace(self, there: str) -> bool:
        question = f"The file already contains another request: {self._safe(there)}. Replace it? yes or no"
        return (await self._talk.ask(question)).casefold() == "yes"

    async def _read(self) -> tuple[SavedRequestFile, ...]:
        return await asyncio.to_thread(self._talk.session.saved_requests.read)

    def _found(self, text: str, files: tuple[SavedRequestFile, ...]) -> SavedRequest:
        """The request of a number of the list that was said last, or of a name; raises Mistake."""
        listed = self._talk.at.saved_requests
        number = listed_number(text, len(listed))
        if number is not None:
            file = listed[number - 1]
            found = next((one for one in files if one.file == file), None)
            if found is None:
                raise Mistake(f"{visible(file)}.toml no longer exists. For the list, type requests.")
            if isinstance(found, DamagedRequest):
                raise Mistake(f"Invalid saved request: {self._safe(found.mistake).rstrip('.')}.")
            return found
        try:
            return find_by_name(files, text, self._talk.session.saved_requests.directory)
        except SavedRequestError as error:
            words = f"{capitalize_first(self._safe(str(error))).rstrip('.')}. For the list, type requests."
            raise Mistake(words) from None

    def _line(self, one: SavedRequestFile) -> str:
        if isinstance(one, DamagedRequest):
            return f"{visible(one.file)}, invalid file."
        asked = asked_words(one.form)
        return f"{self._heading(one)}{f', {asked}' if asked else ''}"

    def _heading(self, saved: SavedRequest) -> str:
        return f"{self._safe(saved.name)}: {form_head(saved.form, self._talk)}"

    def _details(self, saved: SavedRequest) -> Iterator[str]:
        yield f"{self._safe(saved.name)}, in {visible(saved.file)}.toml."
        if saved.description:
            yield self._safe(saved.description)
        yield from form_lines(saved.form, self._talk)

    def _safe(self, text: str) -> str:
        return safe_words(text, self._talk)
