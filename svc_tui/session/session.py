"""The session that the main screen or the reader works with, made outside, and where the others come from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from svc_tui.core.catalog import ROUTES, Collection, Route
from svc_tui.core.settings import Preferences, Profile
from svc_tui.service.routes import PlaceError

if TYPE_CHECKING:
    # Loaded when they are first needed, not with the program.
    from svc_tui.connect.key_rotation import KeyRotation
    from svc_tui.connect.new_connection import ConnectionSetup
    from svc_tui.core.credentials import Environment
    from svc_tui.plans.correction_file import Corrections
    from svc_tui.search.session_index import SessionIndex
    from svc_tui.service.gateway import Gateway, PageSource
    from svc_tui.session.first_page import FirstPage
    from svc_tui.session.ports import FileWriter, PreferenceStore, SavedRequestStore, TextEditor
    from svc_tui.storage.drafts import DraftStore
    from svc_tui.storage.history import HistoryStore
    from svc_tui.storage.journal import Journal
    from svc_tui.storage.journal_entries import WriteLog
    from svc_tui.storage.runs import RunStore
    from svc_tui.storage.scope import StorageScope
    from svc_tui.storage.team.kept_asks import AskStore
    from svc_tui.storage.unsent_forms import FormStore
    from svc_tui.team.team import Team
    from svc_tui.writes.approval_guard import ApprovalGuard


class Session(Struct, frozen=True):
    """The service, the user's settings, the stores, and the clocks of one session.

    `lasting` says whether what `draft_store` keeps outlives the program. `monotonic` is the clock for waiting and for
    locks, `now` the time of day in UTC; times are shown in `tz`. `sessions` opens the sessions of other profiles.
    `child_environment` gives the variables for programs that are started from here: none of them holds a key or a
    secret. `index` is that of the service's records. `first_page` is what was asked for before there was a screen, None
    where nothing was. `read_corrections` reads a file of corrections by its name; it may block, and raises
    CorrectionFileError. `read_body` reads the body of a request from a file (`~` is the user's home); it may block, and
    raises BodyFileError. `team` is whom the writes are shared with, None for nobody;
    `open_asked_plans` gives the plans that it was asked to approve.
    """

    gateway: Gateway
    profile: Profile
    preferences: Preferences
    preference_store: PreferenceStore
    journal: Journal
    run_store: RunStore
    draft_store: DraftStore
    unfinished_store: DraftStore
    """Texts typed into fields and not yet applied: drafts whose edits are those texts, by the path of the value."""
    form_store: FormStore
    history_store: HistoryStore
    saved_requests: SavedRequestStore
    files: FileWriter
    editor: TextEditor
    monotonic: Callable[[], float]
    now: Callable[[], datetime]
    tz: tzinfo
    lasting: bool
    sessions: Sessions
    child_environment: Callable[[], Mapping[str, str]]
    index: SessionIndex
    read_corrections: Callable[[str], Corrections]
    read_body: Callable[[str], bytes]
    first_page: FirstPage | None = None
    team: Team | None = None
    open_asked_plans: Callable[[], AskStore] | None = None

    @property
    def approval_guard(self) -> ApprovalGuard:
        """What knows which changes want a second person: on LIVE those that the profile names."""
        from svc_tui.core.credentials import Environment
        from svc_tui.writes.approval_guard import Unguarded

        if self.gateway.environment is not Environment.LIVE or not self.profile.approve:
            return Unguarded()
        if self.team is not None:
            return self.team.guard
        from svc_tui.team.approval_rules import ApprovalRules, RefusingGuard

        return RefusingGuard(
            ApprovalRules.parse(self.profile.approve), "the profile has no team, so nobody can approve it."
        )

    @property
    def asked_plans(self) -> AskStore | None:
        """The plans that the team was asked to approve; None where there is none."""
        return None if self.open_asked_plans is None else self.open_asked_plans()

    @property
    def writes(self) -> WriteLog:
        """The writes that are known: those of the journal, with a team the colleagues' too."""
        return self.journal if self.team is None else self.team.writes

    @property
    def pages(self) -> PageSource:
        """Where the table's pages come from."""
        return self.first_page or self.gateway

    @property
    def collections(self) -> tuple[Collection, ...]:
        """All collections of the service, spelled as the profile says."""
        return self.profile.catalog

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes of the service, then those of the user's own."""
        return routes_of(self.profile)

    @property
    def scope(self) -> StorageScope:
        """What the session's drafts, journal and history are filed under."""
        from svc_tui.storage.scope import StorageScope

        return StorageScope(self.profile.name, self.gateway.environment, self.gateway.base_url)


def routes_of(profile: Profile) -> tuple[Route, ...]:
    """The routes of the service, then those that the profile adds."""
    return (*ROUTES, *profile.routes)


class SessionStart(Struct, frozen=True):
    """The first session before it is there: what is known of it at once, and how to open it.

    `host` is "" where it is not known yet; `lasting` is as in the session, as far as is known. `session` is called
    once, when that much is on the screen; it raises SessionRefused.
    """

    profile: Profile
    environment: Environment
    host: str
    signs: bool
    preferences: Preferences
    store: PreferenceStore
    lasting: bool
    session: Callable[[], Awaitable[Session]]


class Sessions(Protocol):
    """The profiles that can be gone to while the program runs, each a session of its own."""

    def names(self) -> tuple[str, ...]:
        """The names of the profiles there are now, in order; those that can't be used, too. Raises SessionRefused."""

    async def at(self, environment: Environment, host: str) -> tuple[str, ...]:
        """The names of those whose keys of that environment, should theirs be one, work at `host` (with its port).

        Raises SessionRefused.
        """

    async def open(self, name: str) -> Session:
        """Connect to the service of a profile; may take as long as the command that keeps its secret.

        Nothing is sent. Raises SessionRefused.
        """

    def rotation(self, session: Session) -> KeyRotation:
        """What puts a new key pair in the place of the session's own.

        Raises SessionRefused where the pair is kept by no profile.
        """

    def connection_setup(self) -> ConnectionSetup:
        """What tries the key of a new profile, and keeps that; raises SessionRefused where none can be opened."""

    async def leave(self, session: Session) -> None:
        """End a session that is no longer on show, and its connections."""


class SessionRefused(Exception):
    """A profile can't be gone to, or a session can't do what was asked: one line for people, that says what to do."""


def other_profiles(session: Session) -> tuple[str, ...]:
    """The profiles that can be gone to; none where `check_profile` says why."""
    try:
        return tuple(name for name in session.sessions.names() if name != session.profile.name)
    except SessionRefused:
        return ()


def check_profile(session: Session, name: str) -> None:
    """Raises PlaceError where there is no such profile to go to."""
    if name == session.profile.name:
        raise PlaceError(f"{name} is the current profile")
    try:
        names = session.sessions.names()
    except SessionRefused as error:
        raise PlaceError(str(error)) from None
    if name not in names:
        others = ", ".join(f"@{other}" for other in other_profiles(session))
        known = f"available: {others}" if others else "add one with: svc-tui profiles add"
        raise PlaceError(f"there is no other profile {name}; {known}")
