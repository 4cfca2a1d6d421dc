"""The record on show beside the table: its pane, what is read of it, and what can be done with it."""

from functools import cached_property
from typing import TYPE_CHECKING

from svc_tui.core.catalog import Collection
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.service.errors import ServiceError
from svc_tui.service.gateway import RecordReading
from svc_tui.service.redact import mask_exchange, secrets_in
from svc_tui.service.scopes import MissingScopes
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.session import Session
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.ui.record.open_record import OpenRecord
from svc_tui.ui.table.table_frame import position_text
from svc_tui.ui.table.title import tab_label
from svc_tui.ui.workspace.panes import Panes
from svc_tui.ui.workspace.selection import Selection

if TYPE_CHECKING:
    from svc_tui.history.timeline import Timeline
    from svc_tui.writes.offered_actions import ActionOffers


class RecordDisplay:
    """Shows what is open in the record's pane, with its unsent edits and as much as the privacy mask lets through."""

    def __init__(
        self,
        session: Session,
        privacy_mask: PrivacyMask,
        panes: Panes,
        opened: OpenRecord,
        drafts: Drafts,
        selection: Selection,
    ) -> None:
        self._session, self._mask, self._panes, self._open, self._drafts = session, privacy_mask, panes, opened, drafts
        self._selection = selection
        self.scopes = MissingScopes()
        """What the key's answers have told of its scopes."""
        """Whether values are shown as they came."""
        self._edited: Place | None = None
        """The record on show that the team knows to be open for editing here."""

    @cached_property
    def offering(self) -> "ActionOffers":
        """What tells which actions fit a record; made when one is first open."""
        from svc_tui.writes.offered_actions import ActionOffers

        session = self._session
        return ActionOffers(session.routes, session.collections, session.team is not None)

    def show(self, place: Place, record: Record) -> None:
        """Show a record, of a row or of an answer."""
        self._panes.record_open = True
        self._open.show(place, record)
        self._panes.browse.cursor.release_record(place.record_id)
        pane = self._panes.record
        if pane is None:
            selection = self._selection
            from svc_tui.ui.widgets.record.field_lines import ValueFormat

            value_format = ValueFormat(
                selection.kind_in_record, selection.points_at_record, self._session.tz, self._panes.browse.table.raw
            )
            pane = self._panes.add_record(value_format)
        pane.frame.draft_age = self._drafts.age(place)
        reading, draft = self._open.reading, self._drafts.draft(place, record)
        self._share_edited(place if self._drafts.draft(place) is not None else None)
        self.show_colleagues()
        self.show_position()
        mask, domain = self._mask, place.collection.domain
        pane.show(
            None if draft is None else mask.draft(draft, domain),
            reading=None if reading is None else mask.reading(reading, domain),
            under=self.offering.nested(place),
        )

    def show_position(self) -> None:
        """Say where the record on show is: its collection, and its place among the rows of the table."""
        pane, place, browse = self._panes.record, self._open.place, self._panes.browse
        if pane is None or place is None:
            return
        opened, record = browse.open_collections.current, browse.table.cursor_record
        is_here = record is not None and browse.collection == place.collection and record.id == place.record_id
        position = position_text(opened, browse.table.cursor_row) if is_here and opened is not None else ""
        pane.show_place(tab_label(place.collection), position)

    def show_colleagues(self) -> None:
        """Say which colleagues have the record on show open for editing."""
        team, pane = self._session.team, self._panes.record
        if team is not None and pane is not None:
            pane.show_others(team.presence.others(self._open.shown[0].key) if self._open.shown is not None else ())

    def _share_edited(self, place: Place | None) -> None:
        """Let the team know which record is on show with edits, None: none is."""
        team = self._session.team
        if team is None or place == self._edited:
            return
        before, self._edited = self._edited, place
        if place is not None:
            team.presence.opened(place.key)
        if before is not None:
            team.presence.closed(before.key)

    def show_again(self) -> None:
        """Show what is open anew: its edits, or what is hidden of it, have changed."""
        if self._open.shown is not None:
            self.show(*self._open.shown)

    def follow_cursor(self) -> None:
        """While the user is in the table, a record that is open is the one under the cursor."""
        browse, pane = self._panes.browse, self._panes.record
        if not self._panes.record_open or not browse.has_focus_within or browse.collection is None:
            return
        if pane is not None and pane.focus_wanted:
            # The user went to that record; only the pane is not there yet to have the focus.
            return
        record = browse.table.cursor_record
        if record is not None:
            self.show(Place(browse.collection, record.id), record)
        else:
            # The row has not come yet.
            self.close()

    def start_reading(self, place: Place) -> None:
        """Show nothing until the record at `place` has come."""
        self._open.start_reading(place)
        self._share_edited(None)
        if self._panes.record is not None:
            self.show_position()
            self._panes.record.show(None, pending_id=place.record_id or "")

    def close(self) -> None:
        """Show nothing in the pane."""
        self._open.close()
        self._panes.browse.cursor.release_record(None)
        self._share_edited(None)
        if self._panes.record is not None:
            self._panes.record.show(None)

    def put_away(self) -> None:
        """Show nothing, and no pane for it; the next record begins with its fields."""
        self.close()
        if self._panes.record is not None:
            self._panes.record.tabs.reset()
        self._panes.put_record_away()

    async def read(self, place: Place) -> RecordReading | ServiceError | None:
        """Read the record that is awaited: what came of it, without key and secret; None where it came too late."""
        try:
            reading = await self._session.gateway.reading(place.collection, place.id)
        except ServiceError as error:
            return error if self._open.awaited == place else None
        return reading if self._open.awaited == place else None

    def take(self, place: Place, reading: RecordReading) -> None:
        """Show a record as an answer of its own tells it; its row in the table takes that too."""
        exchange = reading.exchange
        hidden = secrets_in(exchange, self._session.gateway.secrets)
        self._open.answered(place, replace(reading, exchange=mask_exchange(exchange, hidden)))
        self._panes.browse.replace(reading.record)
        self.show(place, reading.record)

    def show_raw(self, raw: bool) -> None:
        """Show values as they came, or as people read them."""
        if self._panes.record is not None:
            self._panes.record.show_raw(raw)

    @property
    def shown(self) -> tuple[Place, Record] | None:
        """The record on show and its place."""
        return self._open.shown

    @property
    def open_tab(self) -> str | None:
        """The id of what the open tab of the record shows; None where no record is shown."""
        return self._panes.record.views.current if self._panes.record is not None else None

    def loaded(self, under: Collection) -> SparseRows | None:
        """The rows of a collection under the record that its tab has loaded; None where it has not, or only some."""
        pane = self._panes.record
        opened = pane.views.nested.open_collections.get(under) if pane is not None and pane.is_ready else None
        return opened.rows if opened is not None and opened.rows.loaded and not opened.query else None

    def show_history(self, place: Place, timeline: "Timeline") -> None:
        """Show what happened to the record at `place`, if it is still open."""
        if self._panes.record is not None and self._open.shows(place):
            self._panes.record.views.history.show(timeline)

    def focus_elsewhere(self) -> None:
        """The focus goes elsewhere: do not take it when the record comes."""
        if self._panes.record is not None:
            self._panes.record.focus_elsewhere()

    def refresh_kinds(self) -> None:
        """The rows beside the record tell more of what kinds of values its fields hold."""
        if self._panes.record is not None:
            self._panes.record.views.refresh_kinds()

    def refresh_history(self) -> None:
        """Gather the history again: more may be known of the record than before."""
        if self._panes.record is not None:
            self._panes.record.views.refresh_history()
