"""What is done with an answer of the console: it is compared with another one, or saved to a file.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from svc_tui.console.transcript import Transcript, TranscriptEntry
from svc_tui.ui.context import Context
from svc_tui.ui.record.copy import CopyController
from svc_tui.ui.report import Report

if TYPE_CHECKING:
    from svc_tui.console.comparison import ComparedAnswer, ComparedPart


class AnswerController:
    """Serves the answer on show; its methods run in workers of the screen."""

    def __init__(self, context: Context, copying: CopyController, page: Callable[[str], Awaitable[None]]) -> None:
        """Make it; `page` shows a text in the user's pager."""
        self._context, self._copying, self._page = context, copying, page

    async def save(self, name: str, data: bytes) -> None:
        """Ask for a file, `name` proposed, and write the bytes there; ask again before another one is replaced."""
        from svc_tui.ui.dialogs.name_prompt import NamePromptScreen

        chosen = await self._context.show(NamePromptScreen("Save the response as", "file name", name))
        if chosen:
            await self._context.save_file(chosen, data, "Saved the response")

    async def compare(self, transcript: Transcript) -> None:
        """Ask which answer of the session to compare the one on show with, and show the comparison."""
        from textual.content import Content

        from svc_tui.console.comparison import comparable_entries
        from svc_tui.ui.dialogs.menu import MenuScreen
        from svc_tui.ui.text import styled

        here = transcript.shown
        if here is None or here.exchange is None:
            return
        others = comparable_entries(transcript.entries, here)
        if not others:
            self._context.notify(Report("There is no other response to compare with. Send the request again first."))
            return
        lines = [(Content.assemble(*map(styled, self._title(entry))), entry) for entry in others]
        chosen = await self._context.show(MenuScreen("Compare with", lines))
        if chosen is None:
            return
        assert chosen.exchange is not None
        earlier = chosen.exchange.received <= here.exchange.received
        await self._show(*((chosen, here) if earlier else (here, chosen)))

    async def _show(self, old: TranscriptEntry, new: TranscriptEntry) -> None:
        from svc_tui.ui.console.answer_comparison import ComparisonAction, ComparisonScreen

        sides = await asyncio.to_thread(self._sides, old, new)
        match await self._context.show(ComparisonScreen(*sides)):
            case (ComparisonAction.COPY, text):
                await self._copying.text(text)
            case (ComparisonAction.PAGE, text):
                await self._page(text)

    def _sides(
        self, old: TranscriptEntry, new: TranscriptEntry
    ) -> "tuple[ComparedAnswer, ComparedAnswer, tuple[ComparedPart, ...]]":
        """Both answers, masked, and their comparison; slow for tens of megabytes."""
        from svc_tui.console.comparison import ComparedAnswer, compare_answers

        assert old.exchange is not None
        assert new.exchange is not None
        before = ComparedAnswer("".join(self._title(old)), self._context.privacy_mask.exchange(old.exchange).answer)
        after = ComparedAnswer("".join(self._title(new)), self._context.privacy_mask.exchange(new.exchange).answer)
        return before, after, compare_answers(before, after)

    def _title(self, entry: TranscriptEntry) -> tuple[str, str]:
        """What was asked for, and when and how it was answered."""
        exchange = entry.exchange
        assert exchange is not None
        when = f"{exchange.received.astimezone(self._context.tz):%Y-%m-%d %H:%M:%S}"
        return f"{exchange.request.method} {exchange.request.target}", f"  {when}  {exchange.answer.status}"
