"""The conversation: a line is read, the command that it calls is run, and what happens is said, a line for each."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from svc_tui.core.phrases import capitalize_first, counted
from svc_tui.core.visible_text import visible
from svc_tui.reader.browsing import Browsing
from svc_tui.reader.commands import Features, command_of, command_table, help_lines
from svc_tui.reader.console.console_requests import ConsoleRequests
from svc_tui.reader.console.saved_request_commands import SavedRequests
from svc_tui.reader.console.unsent_requests import UnsentRequests
from svc_tui.reader.copying import Copy, Copying, no_clipboard
from svc_tui.reader.editing import Editing
from svc_tui.reader.finding import Finding
from svc_tui.reader.journal_reading import JournalReading, Removals, Undoing
from svc_tui.reader.leaving import ConversationEnd, Leaving, no_screen_here
from svc_tui.reader.line_completion import completions
from svc_tui.reader.line_reader import Dropped, Ended, LineReader
from svc_tui.reader.locking import Locking
from svc_tui.reader.mask_command import HIDDEN, Masking
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.reviewed_writes import Writes
from svc_tui.reader.reviewing import Reviewing
from svc_tui.reader.standing import StateSummary
from svc_tui.reader.talk import Position, Say, Talk
from svc_tui.reader.team.approval_commands import ApprovalCommands, AskReading
from svc_tui.reader.wire import Wire
from svc_tui.search.sweeping import Sweeping
from svc_tui.service.errors import ServiceError
from svc_tui.service.redact import holds_secret
from svc_tui.session.hand_over import HandOver
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.session import Session
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.session.write_words import error_sentences
from svc_tui.storage.errors import StoreError

_log = logging.getLogger("svc_tui.reader")


class Conversation:
    """One user's conversation with one session, until they leave it."""

    def __init__(
        self,
        session: Session,
        lines: LineReader,
        say: Say,
        take_notices: Callable[[], Sequence[str]] = tuple,
        screen_problem: Callable[[], str] = no_screen_here,
        carried: HandOver | None = None,
        copy: Copy = no_clipboard,
    ) -> None:
        """Make it; `take_notices` gives what came up meanwhile, a line each, to be said before the next prompt.

        `screen_problem` says why there can be no screen, "" where there can. `carried` is what goes along from there,
        or from another session. `copy` copies to the clipboard.
        """
        self._session, self._lines, self._take_notices = session, lines, take_notices
        self._carried, self._copy = carried, copy
        self._at = Position()
        self._drafts = Drafts(session.draft_store, session.now)
        self._command: asyncio.Task[None] | None = None
        mask = PrivacyMask(session.preferences.mask_fields)
        self._talk = talk = Talk(session, say, self._ask, lines.offer, self._at, mask)
        self._locking = Locking(talk)
        self._unsent = UnsentRequests(talk)
        self._features, self._wire = self._make_features(talk, screen_problem)
        self._table = command_table(self._features, self._help)
        if carried is not None:
            mask.on, self._features.writes.ticket = carried.masked, carried.ticket
            self._unsent.arrive(carried.request)
            self._drafts.take_over(carried.drafts)

    def _make_features(self, talk: Talk, screen_problem: Callable[[], str]) -> tuple[Features, Wire]:
        drafts, locking = self._drafts, self._locking
        wire = Wire(talk.say, self._session.monotonic, lambda: self._command is not None)
        browsing = Browsing(talk, drafts)
        editing = Editing(talk, browsing, drafts)
        writes = Writes(talk, locking)
        reviewing = Reviewing(talk, browsing, editing, drafts, writes)
        journal = JournalReading(talk)
        asks = AskReading(talk)
        requests = ConsoleRequests(talk, writes, self._unsent)
        return (
            Features(
                browsing,
                Copying(talk, browsing, requests, self._copy),
                editing,
                reviewing,
                writes,
                locking,
                journal,
                Undoing(talk, journal, browsing, reviewing, Removals(talk, editing, drafts, writes)),
                requests,
                SavedRequests(talk, requests, self._unsent),
                Finding(talk, drafts),
                StateSummary(talk, drafts, locking, wire, writes, self._unsent),
                Masking(talk),
                Leaving(talk, drafts, writes, self._unsent, screen_problem, self._carried),
                asks,
                ApprovalCommands(talk, asks, editing, drafts, writes, self._unsent),
            ),
            wire,
        )

    def complete(self, line: str, word: str) -> Sequence[str]:
        """The words that can stand at the end of a line; from any thread."""
        return completions(line, word, self._table.keys(), self._session, self._at)

    def interrupt(self) -> None:
        """Break off the command that runs; a write that is on its way is waited for."""
        if self._features.writes.sending:
            self._say("A change was sent and can't be cancelled. Wait for the response.")
        elif self._command is not None:
            self._command.cancel()

    async def hold(self, place: str = "") -> ConversationEnd:
        """Talk until the user leaves; `place` is what is opened first, "" for where this profile was left."""
        self._session.gateway.listen(self._wire.hear)
        leaving = self._features.leaving
        self._greet()
        sweeping = self._keep_index()
        try:
            await self._run(self._begin)
            await self._run(lambda: self._open_first(place))
            while leaving.end is None:
                for notice in self._take_notices():
                    self._say(notice)
                await self._run(self._features.asks.tell)
                try:
                    line = (await self._lines.read(self._prompt(), remember=True)).strip()
                except Dropped:
                    continue
                self._locking.note_input()
                if line:
                    await self._run(lambda line=line: self._obey(line))  # type: ignore[misc]
        except Ended as ended:
            await leaving.say_kept()
            return ConversationEnd(ended.status)
        finally:
            await leaving.remember_place()
            if sweeping is not None:
                sweeping.cancel()
                with suppress(asyncio.CancelledError):
                    await sweeping
        return leaving.end

    def _greet(self) -> None:
        """Say what this is, and on LIVE that it is: whoever comes from elsewhere finds it locked."""
        first = "svc-tui." if self._carried is None else "Reader."
        self._say(f"{first} {self._features.standing.greeting()} For the commands, type help.")
        if self._carried is not None and (refusal := self._locking.refusal()):
            self._say(refusal)
        if self._talk.mask.on:
            self._say(HIDDEN)
        if self._features.writes.ticket:
            self._say(f"Ticket {visible(self._features.writes.ticket)}.")
        if self._unsent.words:
            self._say(f"{self._unsent.words} To send, change or discard it, type console.")

    def _say(self, line: str) -> None:
        self._talk.say(line)

    def _keep_index(self) -> "asyncio.Task[None] | None":
        index, profile = self._session.index, self._session.profile
        if not index.wanted:
            return None
        return asyncio.create_task(Sweeping(index, profile.bulk_page_size, self._session.now).run())

    async def _begin(self) -> None:
        """Take up the drafts of earlier sessions, and the writes whose end is not known."""
        await self._drafts.load()
        writes, journal = self._features.writes, self._session.journal
        for place in await self._drafts.sent_with_unknown_outcome(journal):
            await writes.pipeline.read_again(place)
        for place in await self._drafts.remove_sent(journal):
            self._say(f"The change to {visible(place.key)} was sent before svc-tui was closed. It was saved.")
        for place in self._drafts.places:
            self._features.editing.say_others(place)
        if count := len(self._drafts):
            drafts = "1 record has a draft" if count == 1 else f"{count:,} records have drafts"
            self._say(f"{drafts}. To list {'it' if count == 1 else 'them'}, type edits.")
        unsettled = await writes.load_earlier()
        if unsettled:
            unknown = counted(len(unsettled), "change")
            self._say(f"{unknown} with unknown outcome: check the records. For the list, type journal.")

    async def _open_first(self, place: str) -> None:
        """Open the place that is asked for, else the one that this profile was left at."""
        leaving, browsing, carried = self._features.leaving, self._features.browsing, self._carried
        if carried is not None and carried.view is not None and place:
            await browsing.go_on(place, carried.view, leaving.last_row)
        elif place := place or leaving.last_place():
            await browsing.go(place)

    def _prompt(self) -> str:
        """LIVE or SANDBOX, and the place in few words: it is heard with every line."""
        return f"{' '.join(filter(None, (self._talk.label, visible(self._at.words))))}> "

    async def _ask(self, question: str) -> str:
        """The answer to a question; raises Dropped, also where no more lines come."""
        try:
            answer = await self._lines.read(f"{self._talk.label}. {question}: ")
        except Ended:
            raise Dropped from None
        self._locking.note_input()
        return answer.strip()

    async def _run(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a command to its end, and say why where it comes to none."""
        self._command = asyncio.create_task(_awaited(work))
        try:
            await asyncio.wait({self._command})
            self._command.result()
        except asyncio.CancelledError:
            self._say("Cancelled.")
        except Dropped:
            self._say("Cancelled. Nothing was changed.")
        except Mistake as mistake:
            self._say(visible(str(mistake)))
        except ServiceError as error:
            self._say(visible(capitalize_first(error_sentences(error, self._talk.steps))))
        except StoreError as error:
            self._say(visible(capitalize_first(str(error))))
        except Ended:
            raise
        except Exception as error:
            _log.exception("a command failed")
            self._say(
                f"The command failed: internal error in svc-tui ({type(error).__name__}). Drafts are kept. "
                "For details, see the log file."
            )
        finally:
            self._command = None

    async def _obey(self, line: str) -> None:
        if holds_secret(line, self._session.gateway.secrets):
            raise Mistake("The line contains your API key or signing secret. It was ignored.")
        command, text = command_of(line, self._table)
        if not command.keeps_review:
            self._features.writes.forget_review()
        await command.run(text)

    async def _help(self, text: str) -> None:
        await self._talk.say_part(help_lines(self._table, text))


async def _awaited(work: Callable[[], Awaitable[None]]) -> None:
    await work()
