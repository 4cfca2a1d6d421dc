"""The body of a response: coloured, foldable, of any size; a JSONPath narrows it to its matches."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from svc_tui.core.bodies import ReadableBody, make_readable, size_text
from svc_tui.core.gc_control import gc_paused
from svc_tui.core.jsontext import Json, dumps_in_steps, loads, release_in_steps
from svc_tui.core.requests import Answer
from svc_tui.ui.widgets.inputs.filter_input import FilterInput
from svc_tui.ui.widgets.text.folding_json_view import FoldingJsonView

if TYPE_CHECKING:
    from svc_tui.ui.widgets.answer.json_path import PathMatches

LARGE_BODY_BYTES = 256_000
"""Bytes from which a body is decoded in a thread."""


class JsonPathInput(FilterInput, inherit_bindings=False):
    """The line for a JSONPath, with the number of its matches or its error at the right end."""

    PROMPT: ClassVar[str] = "|"
    PLACEHOLDER: ClassVar[str] = "$.items[0].id  $..id  $.items[?@.grade>9]  .items[].id"
    DEFAULT_CSS = """
    JsonPathInput > .hint { max-width: 60%; }
    JsonPathInput.-wrong > .hint { color: $role-danger; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Clear filter", show=False, id="narrow.leave", tooltip="Show the full body"),
    ]

    def say(self, words: str, *, wrong: bool = False) -> None:
        """Show the result of the path."""
        self.set_class(wrong, "-wrong")
        self.hint(words)


class AnswerBody(Vertical):
    """A view of one body at a time, whole or narrowed; slow work is done in a thread, the newest request first."""

    DEFAULT_CSS = """
    AnswerBody { height: 1fr; }
    """

    @dataclass
    class NoteChanged(Message):
        """The short note about the body changed."""

        note: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._answer: Answer | None = None
        self._whole = ReadableBody("")
        self._value: Json | None = None
        self._pending_path: str | None = None
        """The last typed path that has not been applied."""
        self._narrowed = self._reading = False

    def compose(self) -> ComposeResult:
        """Compose the text, and the line for the path."""
        yield FoldingJsonView(id="answer-body")
        line = JsonPathInput()
        self.watch(line, "text", self._follow, init=False)
        yield line

    @property
    def view(self) -> FoldingJsonView:
        """The view of the body."""
        return self.query_one(FoldingJsonView)

    @property
    def narrowed(self) -> str | None:
        """The text of a path's matches; None if the whole body is shown."""
        return self.view.text if self._narrowed else None

    # What is shown

    def show(self, answer: Answer | None) -> None:
        """Show the body of a response from its beginning, or nothing."""
        self.workers.cancel_group(self, "body")
        if self._value is not None:
            self._release(self._value)
        self._answer, self._value, self._pending_path = answer, None, None
        if self.query_one(JsonPathInput).line.has_focus:
            self.view.focus()
        self._close_line()
        self._take(ReadableBody(""))
        if answer is not None and len(answer.body) < LARGE_BODY_BYTES:
            self._take(make_readable(answer))
        elif answer is not None:
            self._decode_in_thread(answer)

    def _take(self, whole: ReadableBody) -> None:
        self._whole, self._narrowed, self._reading = whole, False, False
        self.view.show_text(whole.text, "json" if whole.json else None)
        self.post_message(self.NoteChanged(whole.note))

    @work(exclusive=True, group="body")
    async def _decode_in_thread(self, answer: Answer) -> None:
        self._reading = True
        self.post_message(self.NoteChanged(f"loading {size_text(len(answer.body))}"))
        whole = await asyncio.to_thread(_readable, answer)
        await self.view.show_text_in_thread(whole.text, "json" if whole.json else None)
        self._whole, self._reading = whole, False
        self.post_message(self.NoteChanged(whole.note))

    @work(group="release")
    async def _release(self, value: Json) -> None:
        await asyncio.to_thread(release_in_steps, value)

    # Narrowing

    def start_path(self) -> None:
        """Open the line for a path, with the last one in it."""
        line = self.query_one(JsonPathInput)
        if not self._whole.json:
            self.post_message(self.NoteChanged("still loading" if self._reading else "JSONPath works only on JSON"))
            return
        line.start(line.line.value if line.is_open else "")

    def close_path(self) -> bool:
        """Show the whole body again; return False if it is shown."""
        line = self.query_one(JsonPathInput)
        if not line.is_open:
            return False
        inside = line.line.has_focus
        self._close_line()
        self._follow("")
        if inside:
            self.view.focus()
        return True

    @on(JsonPathInput.Submitted)
    def _path_kept(self, event: JsonPathInput.Submitted) -> None:
        event.stop()
        self.view.focus()

    @on(JsonPathInput.Cancelled)
    def _path_left(self, event: JsonPathInput.Cancelled) -> None:
        event.stop()
        self.close_path()

    def _close_line(self) -> None:
        line = self.query_one(JsonPathInput)
        line.close()
        line.say("")

    def _follow(self, path: str) -> None:
        """Narrow to the path; while one is being applied, only the newest waits."""
        busy, self._pending_path = self._pending_path is not None, path.strip()
        if not busy:
            self._follow_pending()

    @work(exclusive=True, group="body")
    async def _follow_pending(self) -> None:
        while (path := self._pending_path) is not None:
            if path:
                await self._narrow(path)
            elif self._narrowed:
                await self._show(self._whole.text)
                self._narrowed = False
                self.query_one(JsonPathInput).say("")
            if self._pending_path == path:
                self._pending_path = None

    async def _narrow(self, path: str) -> None:
        from svc_tui.ui.widgets.answer.json_path import PathError

        line = self.query_one(JsonPathInput)
        try:
            matches = await asyncio.to_thread(self._find_matches, path)
        except PathError as error:
            if self._pending_path == path:
                line.say(str(error), wrong=True)
            return
        text = await asyncio.to_thread(dumps_in_steps, matches.value, indent=2)
        if self._pending_path == path:
            await self._show(text)
            self._narrowed = True
            line.say(
                f"{matches.count:,} {'match' if matches.count == 1 else 'matches'}" if matches.count else "no matches"
            )

    def _find_matches(self, path: str) -> "PathMatches":
        """Return the path's matches in the body, which is parsed for the first path; slow."""
        from svc_tui.ui.widgets.answer.json_path import apply_path

        assert self._answer is not None
        answer = self._answer
        with gc_paused():
            value = loads(answer.body) if self._value is None else self._value
            if self._answer is answer:
                self._value = value
            return apply_path(value, path)

    async def _show(self, text: str) -> None:
        if len(text) < LARGE_BODY_BYTES:
            self.view.show_text(text, "json")
        else:
            await self.view.show_text_in_thread(text, "json")


def _readable(answer: Answer) -> ReadableBody:
    # JSON has no cycles, and a collection over millions of values stops every thread.
    with gc_paused():
        return make_readable(answer)
