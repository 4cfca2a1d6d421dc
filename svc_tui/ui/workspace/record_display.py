"""The pane of the open record: its contents, and the actions offered for it."""

from functools import cached_property
from typing import TYPE_CHECKING

from svc_tui.core.catalog import Collection
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.service.gateway import RecordReading
from svc_tui.service.redact import mask_exchange, secrets_in
from svc_tui.service.scopes import MissingScopes
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.session import Session
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.ui.table.table_frame import position_text
from svc_tui.ui.table.title import tab_label
from svc_tui.ui.workspace.open_record import OpenRecord
from svc_tui.ui.workspace.panes import Panes
from svc_tui.ui.workspace.selection import Selection

if TYPE_CHECKING:
    from svc_tui.history.timeline import Timeline
    from svc_tui.writes.offered_actions import ActionOffers


class RecordDisplay:
    """The record pane with the open record, its unsent edits, masked personal data and colleagues."""

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
        """The scopes that the key lacks, as far as responses told."""
        self._edited: Place | None = None
        """The shown record that the team knows as open for editing here."""

    @cached_property
    def offering(self) -> "ActionOffers":
        """The actions offered for records; created with the first record."""
        from svc_tui.writes.offered_actions import ActionOffers

        session = self._session
        return ActionOffers(session.routes, session.collections, session.team is not None)

    def show(self, place: Place, record: Record) -> None:
        """Show a record, from a row or from a response."""
        self._panes.record_open = True
        self._open.show(place, record)
        self._panes.browse.cursor.release_record(place.record_id)
        pane = self._panes.record
        if pane is None:
            from svc_tui.ui.widgets.record.field_lines import ValueFormat

            selection = self._selection
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
        """Show the collection of the open record, and its position in the table."""
        pane, place, browse = self._panes.record, self._open.place, self._panes.browse
        if pane is None or place is None:
            return
        opened, record = browse.open_collections.current, browse.table.cursor_record
        is_here = record is not None and browse.collection == place.collection and record.id == place.record_id
        position = position_text(opened, browse.table.cursor_row) if is_here and opened is not None else ""
        pane.show_place(tab_label(place.collection), position)

    def show_colleagues(self) -> None:
        """Show which colleagues have the record open for editing."""
        team, pane = self._session.team, self._panes.record
        if team is not None and pane is not None:
            pane.show_others(team.presence.others(self._open.shown[0].key) if self._open.shown is not None else ())

    def _share_edited(self, place: Place | None) -> None:
        """Tell the team which record is shown with unsent edits; None if there is none."""
        team = self._session.team
        if team is None or place == self._edited:
            return
        before, self._edited = self._edited, place
        if place is not None:
            team.presence.opened(place.key)
        if before is not None:
            team.presence.closed(before.key)

    def show_again(self) -> None:
        """Show the open record again: its edits changed, or the privacy mask."""
        if self._open.shown is not None:
            self.show(*self._open.shown)

    def follow_cursor(self) -> None:
        """Show the record under the cursor if the record pane is open and the table has the focus."""
        browse, pane = self._panes.browse, self._panes.record
        if not self._panes.record_open or not browse.has_focus_within or browse.collection is None:
            return
        if pane is not None and pane.focus_wanted:
            # The user opened this record; its pane is not ready yet to take the focus.
            return
        record = browse.table.cursor_record
        if record is not None:
            self.show(Place(browse.collection, record.id), record)
        else:
            # The row is not loaded yet.
            self.close()

    def start_reading(self, place: Place) -> None:
        """Show no record until the one at `place` is loaded."""
        self._open.start_reading(place)
        self._share_edited(None)
        if self._panes.record is not None:
            self.show_position()
            self._panes.record.show(None, pending_id=place.record_id or "")

    def close(self) -> None:
        """Show no record in the pane."""
        self._open.close()
        self._panes.browse.cursor.release_record(None)
        self._share_edited(None)
        if self._panes.record is not None:
            self._panes.record.show(None)

    def put_away(self) -> None:
        """Close the record and hide its pane; the next record begins with its first tab."""
        self.close()
        if self._panes.record is not None:
            self._panes.record.tabs.reset()
        self._panes.put_record_away()

    def take(self, place: Place, reading: RecordReading) -> None:
        """Show a record from its own response, without secrets, also in its row of the table."""
        exchange = reading.exchange
        hidden = secrets_in(exchange, self._session.gateway.secrets)
        self._open.answered(place, replace(reading, exchange=mask_exchange(exchange, hidden)))
        self._panes.browse.replace(reading.record)
        self.show(place, reading.record)

    @property
    def shown(self) -> tuple[Place, Record] | None:
        """The shown record and its place."""
        return self._open.shown

    @property
    def open_tab(self) -> str | None:
        """The id of the view of the open tab; None if no record was shown yet."""
        return self._panes.record.views.current if self._panes.record is not None else None

    def loaded(self, under: Collection) -> SparseRows | None:
        """Return the rows that the tab of a collection under the record has loaded without a query, or None."""
        pane = self._panes.record
        opened = pane.views.nested.open_collections.get(under) if pane is not None and pane.is_ready else None
        return opened.rows if opened is not None and opened.rows.loaded and not opened.query else None

    def show_history(self, place: Place, timeline: "Timeline") -> None:
        """Show the history of the record at `place`, if it is still open."""
        if self._panes.record is not None and self._open.shows(place):
            self._panes.record.views.history.show(timeline)

    def focus_elsewhere(self) -> None:
        """Do not focus the record when it is loaded: the user went elsewhere."""
        if self._panes.record is not None:
            self._panes.record.focus_elsewhere()

    def refresh_kinds(self) -> None:
        """Show the fields by their kinds, of which the rows tell more now."""
        if self._panes.record is not None:
            self._panes.record.views.refresh_kinds()

    def refresh_history(self) -> None:
        """Load the history again: more may be known of the record now."""
        if self._panes.record is not None:
            self._panes.record.views.refresh_history()
