"""Opens the first session behind the first frame: the first page is asked for, then the rest is loaded and opened."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from svc_tui.bootstrap.log_file import log_to
from svc_tui.bootstrap.sessions import BrowserSessions, make_client
from svc_tui.bootstrap.start import translate_errors_to
from svc_tui.bootstrap.startup import BrowserStart, RunStorage, temporary_directory
from svc_tui.bootstrap.system_editor import SystemEditor
from svc_tui.config.child_environment import child_environment
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.session.first_page import FirstPage, collection_of, first_place
from svc_tui.session.hand_over import HandOver
from svc_tui.session.session import Session, SessionRefused

if TYPE_CHECKING:
    from svc_tui.client.client import SignedClient
    from svc_tui.session.write_words import Report
    from svc_tui.storage.store import Store


class SessionHost(Protocol):
    """What shows the session: the app, or the reader."""

    log_file: Path | None
    """The log, where it outlives the program."""

    def post_report(self, report: "Report") -> None:
        """Tell the user of something as soon as that can be."""


class FirstSession:
    """What the first session of a host works with; it lasts until the stack ends."""

    def __init__(
        self,
        start: BrowserStart,
        stack: AsyncExitStack,
        host: SessionHost,
        load_screen: Callable[[], None] | None = None,
    ) -> None:
        """Make it; `load_screen` loads what the host shows it on, None where it has no screen to be filled at once."""
        self._start, self._stack, self._host, self._load_screen = start, stack, host, load_screen
        self._storage, self._others = start.storage, start.other_profiles
        self._loop = asyncio.get_running_loop()
        self._client: SignedClient | None = None
        self._sessions: BrowserSessions | None = None
        self._log_notices: list[str] = []

    async def open(self) -> Session:
        """Open it; raises SessionRefused."""
        start = self._start
        self._begin_log()
        # A service that is not up yet, as the demo's, leaves time to load the rest; one that is, is asked first.
        rest = None if start.host else self._load_rest()
        with translate_errors_to(SessionRefused):
            connection = await asyncio.to_thread(start.connect)
            self._client = client = make_client(connection)
            self._stack.push_async_callback(client.aclose)
            first_page = self._ask_first_page(client, connection.profile)
            if first_page is not None and rest is None:
                await first_page.wait_until_sent()
            opening, loading = rest or self._load_rest()
            opened = _open_store(self._storage, opening, start.kept)
            self._storage, store, why = await self._stack.enter_async_context(opened)
            if why:
                self._host.log_file = None
                connection = connection.as_read_only()
                self._others = replace(self._others, read_only=True) if self._others else None
            profiles = self._storage.locations.profiles_directory
            editor = SystemEditor(lambda: child_environment(os.environ, profiles))
            sessions = await self._stack.enter_async_context(
                BrowserSessions(self._storage, store, editor, self._others)
            )
        self._sessions = sessions
        for notice in filter(None, (*self._storage.preferences.notices, why, store.notice)):
            self._notify(notice)
        for notice in self._log_notices:
            self._notify_of_log(notice)
        # A client that could write is none for a session that may not.
        session = sessions.begin(connection, None if why else client)
        await loading
        if first_page is not None:
            first_page.go_on_with(session.gateway)
        return replace(session, first_page=first_page)

    def following(self, carried: HandOver) -> BrowserStart:
        """The start that goes on from here, once this is over: the profile on show, by the connection that it has.

        What was asked for to reach it is not asked for again.
        """
        assert self._sessions is not None
        connection = self._sessions.connection(carried.profile)
        start = BrowserStart.at(connection, self._storage, self._start.options, self._others, carried.place or None)
        return replace(start, carried=carried, kept=self._start.kept)

    def _ask_first_page(self, client: "SignedClient", profile: Profile) -> FirstPage | None:
        """Ask for the first page that the table will want; None where that can't be told yet, or there is no table."""
        if self._load_screen is None:
            return None
        memory = self._storage.preferences.memory
        collection = collection_of(first_place(self._start.place, profile, client.environment, memory), profile)
        if collection is None:
            return None
        habit = memory.habits.get(collection.kind)
        return FirstPage(client, collection, profile.page_size, habit.last.query if habit else ())

    def _load_rest(self) -> "tuple[Awaitable[Store], Awaitable[None]]":
        """Open the database, and load what the screen is made of, where there is one."""
        opening = self._loop.run_in_executor(None, _open_database, self._storage.locations.database)
        # The user may leave before it is open.
        self._stack.push_async_callback(_close_when_open, opening)
        return opening, self._loop.run_in_executor(None, self._load_screen or _load_nothing)

    # The log

    def _begin_log(self) -> None:
        storage = self._storage

        def lost(line: str) -> None:
            self._loop.call_soon_threadsafe(self._notify_of_log, line)

        log = self._stack.enter_context(log_to(storage.directory, self._start.options.log_level, self._secrets, lost))
        self._host.log_file = log if storage.lasting else None

    def _secrets(self) -> tuple[str, ...]:
        """What the log may not hold."""
        return (
            *(self._client.secrets if self._client is not None else ()),
            *(self._sessions.secrets if self._sessions is not None else ()),
        )

    def _notify_of_log(self, line: str) -> None:
        if self._sessions is None:
            # Whether anything can be kept is known once the database is open.
            self._log_notices.append(line)
        elif self._storage.lasting:
            # Where nothing can be kept, that is told already.
            self._notify(line, "Log")

    def _notify(self, line: str, title: str = "") -> None:
        from svc_tui.session.write_words import Report

        self._host.post_report(Report(line, title, "warning"))


def load_main_screen() -> None:
    """Load what the main screen is made of."""
    import svc_tui.ui.main.screen  # noqa: F401  loading is the point


def _load_nothing() -> None:
    """Load nothing: there is no screen."""


def _open_database(path: Path) -> "Store":
    from svc_tui.storage.store import Store

    return Store.open(path)


async def _close_when_open(opening: "Awaitable[Store]") -> None:
    """Close the store that is, or is being, opened."""
    try:
        store = await opening
    except Exception:
        # There is nothing to close; why, was told by whoever waited for it, unless everybody has left.
        return
    await store.aclose()


@asynccontextmanager
async def _open_store(
    storage: RunStorage, opening: "Awaitable[Store]", kept: ExitStack
) -> "AsyncIterator[tuple[RunStorage, Store, str]]":
    """The store of a run and where it is; where nothing can be kept, one that goes with the run, and why.

    `kept` ends with the run.
    """
    from svc_tui.storage.errors import StoreUnavailable

    why = ""
    try:
        store = await asyncio.shield(opening)
    except StoreUnavailable as error:
        try:
            directory = kept.enter_context(temporary_directory())
        except OSError:
            raise error from None
        storage = storage.instead(Path(directory))
        why = (
            f"{error}. This session is read-only, because writes can't be saved in the journal. Drafts are "
            "lost when you quit."
        )
        store = await asyncio.to_thread(_open_database, storage.locations.database)
    async with store:
        yield storage, store, why
