"""What the parts of the main screen share: panes, controllers, notices, one dialog at a time, going places.

The parts, a module each, are mixed into one screen: messages and keys of an area end there, each in a line or two.
"""

import re
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from textual.getters import query_one
from textual.screen import Screen

from svc_tui.core.catalog import Collection
from svc_tui.core.phrases import capitalize_first
from svc_tui.core.records import Place
from svc_tui.core.values import replace
from svc_tui.service.gateway import RecordReading
from svc_tui.session.hand_over import HandOver
from svc_tui.session.memory import LastPosition
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.remembered_choices import RememberedChoices
from svc_tui.session.session import Session
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.keys.availability import DisabledReason, ExplainsAvailability
from svc_tui.ui.main.controllers import Controllers
from svc_tui.ui.main.focused_frame import FramesFocusedPane
from svc_tui.ui.main.workspace import Workspace
from svc_tui.ui.navigation.profile_switch import ShowSession
from svc_tui.ui.report import Report, Severity
from svc_tui.ui.session.context import Context
from svc_tui.ui.sidebar.sidebar import Sidebar
from svc_tui.ui.terminal.fresh_styles import KeepsFreshStyles
from svc_tui.ui.terminal.painting import PaintsDirtyCells
from svc_tui.ui.terminal.stale_resizes import IgnoresStaleResizes
from svc_tui.ui.text import visible
from svc_tui.ui.widgets.bars.status_bar import StatusBar

MAX_REPORTS = 200
"""How many of the things said are kept for the palette's "Messages"."""

_PLAIN_WORD = re.compile(r"[a-z]+[ ,]")
"""The beginning of a sentence that may get a capital letter: an id, a file or an address keeps its own."""

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

_TOAST_SEVERITIES: "Mapping[Severity, SeverityLevel]" = {"warning": "warning", "error": "error", "unknown": "error"}
"""How Textual calls them; the rest is information."""


class MainBase(
    ExplainsAvailability, KeepsFreshStyles, IgnoresStaleResizes, FramesFocusedPane, PaintsDirtyCells, Screen[None]
):
    """A main screen that has no keys yet, and hears nothing."""

    draws_in_batch = False
    sidebar = query_one(Sidebar)
    workspace = query_one(Workspace)
    status = query_one(StatusBar)

    def __init__(self, session: Session, show: ShowSession, *, carried: HandOver | None = None) -> None:
        """Make the screen of one session; `show` shows another in its place, `carried` goes along from before."""
        super().__init__()
        self._arrived = carried
        self.session = session
        self.privacy_mask = PrivacyMask(session.preferences.mask_fields)
        self.privacy_mask.on = carried is not None and carried.masked
        self.reports: list[Report] = []
        self._said: dict[str, set[tuple[str, str]]] = {}
        """The titles and bodies of the notices of each cause."""
        self.asking = False
        remembered = RememberedChoices(session.preference_store, session.profile.name, self._warn)
        self.context = Context(
            session,
            self,
            self.privacy_mask,
            remembered,
            RecordStore(),
            self.report,
            self.ask,
            self.go,
            lambda: self.workspace,
        )
        self.controllers = Controllers(self.context, lambda: self.workspace, lambda: self.sidebar, show)
        if carried is not None:
            self.controllers.writes.reviewer.ticket = carried.ticket
            self.controllers.editing.drafts.take_over(carried.drafts)

    # A word to the user

    def report(self, report: Report) -> None:
        """Tell the user something; words from outside are made visible here."""
        report = replace(report, body=self.privacy_mask.text(report.body))
        if self.reports and self.reports[-1] == report:
            # Said again: one notice is enough.
            self.app.clear_notifications()
        self.reports = [*self.reports, report][-MAX_REPORTS:]
        words = report.marked
        body, title = visible(words.body, lines=True), visible(words.title)
        if title and _PLAIN_WORD.match(body):
            body = capitalize_first(body)
        self.notify(
            body,
            title=title,
            severity=_TOAST_SEVERITIES.get(report.severity, "information"),
            timeout=None if report.severity == "information" else 12.0,
            markup=False,
        )
        if report.cause:
            said = self._said.setdefault(report.cause, set())
            said.add((title, body))
            # Once the app has taken the notice, and those that were posted just before.
            self.app.call_later(self._keep_newest_notice, said)

    def _keep_newest_notice(self, said: set[tuple[str, str]]) -> None:
        """Take the notices of one cause away but for the newest."""
        notices = [one for one in self.app._notifications if (one.title, one.message) in said]
        for notice in notices[:-1]:
            self.app._unnotify(notice)

    @property
    def seen_reports(self) -> list[Report]:
        """What was said, as anybody may read it."""
        return [replace(report, body=self.privacy_mask.text(report.body)) for report in self.reports]

    def _warn(self, body: str) -> None:
        self.report(Report(body, severity="warning"))

    # What would not be done here and now

    def disabled_reason(self, action: str, parameters: tuple[object, ...]) -> DisabledReason | None:
        """Why the action's key is not taken; None where it is."""
        return self.controllers.switched_off.asleep(action, parameters) if self.is_mounted else None

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why the action would do nothing; "" where it would act."""
        return self.controllers.switched_off.in_vain(action, parameters)

    # One dialog at a time

    def ask(self, work: Coroutine[Any, Any, None]) -> None:
        """Run what opens a dialog; while one is being opened or is open, nothing else opens one over it."""
        if self.asking:
            work.close()
            return
        self.asking = True
        self.run_worker(self._run_dialog(work), group="dialogs")

    async def _run_dialog(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        finally:
            self.asking = False

    # Going places

    def go(self, place: Place, reading: RecordReading | None = None, *, visit: bool = True) -> None:
        """Open a collection, or a record in it; `reading` is one of that record made just now."""
        if visit:
            self.controllers.navigation.visited(place)
        gateway, profile = self.session.gateway, self.session.profile
        self.app.title = f"{gateway.environment.label} {profile.name} · {place.key} · svc-tui"
        self.run_worker(self.controllers.remembered.left(LastPosition(place.path)), group="memory")
        self.sidebar.reveal(place.collection)
        self.workspace.open(place, reading)

    def look_at(self, collection: Collection, view: str) -> None:
        """Open a collection as one of its saved views shows it."""
        self.go(Place(collection))
        self.controllers.views.show_named(collection.key, view)
