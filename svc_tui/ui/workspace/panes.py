"""The table and the record pane: side by side, one below the other, or one in place of the other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Region
from textual.reactive import var

from svc_tui.core.catalog import Collection
from svc_tui.session.pane_layout import RecordPlacement
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.remembered_choices import RememberedChoices
from svc_tui.session.session import Session
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.table.table_pane import TablePane

if TYPE_CHECKING:
    # Loaded with the first record.
    from svc_tui.ui.record.record_pane import RecordPane
    from svc_tui.ui.widgets.record.field_lines import ValueFormat

_Table = TypeVar("_Table", bound=TablePane)


class Panes(Horizontal):
    """The table of collections, `browse`, and the record pane, which is created with the first record."""

    DEFAULT_CSS = """
    Panes {
        width: 1fr;
        height: 1fr;
        & #collections { width: 1fr; height: 1fr; }
        & RecordPane { width: 1fr; height: 1fr; }
    }
    """

    record_open: var[bool] = var(False, init=False)
    """True if a record is shown."""
    alone: var[bool] = var(False, init=False)
    """True if the record is in place of the table, not beside or below it."""
    below: var[bool] = var(False, init=False)
    """True if the record is below the table."""
    table_alone: var[bool] = var(False, init=False)
    """True if the table is in place of the open record."""

    def __init__(
        self,
        session: Session,
        privacy_mask: PrivacyMask,
        remembered: RememberedChoices,
        records: RecordStore,
        drafts: Drafts,
        *,
        id: str,  # noqa: A002 - Textual's own name
    ) -> None:
        super().__init__(id=id)
        self._session, self._privacy_mask, self._remembered = session, privacy_mask, remembered
        self._records, self._drafts = records, drafts
        self.browse = self._make_table(TablePane, "collections")
        self.record: RecordPane | None = None
        self._cells = 0
        """The width of a record beside the table, or the height of one below it."""
        self.at_record = False
        """True if the user is in the record, not in the table."""

    def compose(self) -> ComposeResult:
        """Compose the table; the record is added when one is first opened."""
        yield self.browse

    def _make_table(self, kind: type[_Table], name: str) -> _Table:
        session = self._session
        table = kind(
            session.pages,
            session.profile,
            self._remembered,
            self._records,
            self._drafts,
            session.monotonic,
            session.tz,
            self._privacy_mask,
        )
        table.id = name
        return table

    def add_record(self, value_format: "ValueFormat") -> "RecordPane":
        """Create the record pane and add it."""
        from svc_tui.ui.record.record_pane import RecordPane
        from svc_tui.ui.record.record_views import NESTED, NestedPane

        self.record = RecordPane(value_format, self._make_table(NestedPane, NESTED))
        self.mount(self.record)
        self._place_panes()
        return self.record

    # The active pane

    @property
    def active_table(self) -> TablePane:
        """The table that keys act on: the one in the record's open tab if it has the focus, else `browse`."""
        table = self.record.table if self.record is not None else None
        return table if table is not None and table.has_focus_within else self.browse

    @property
    def tables(self) -> Sequence[TablePane]:
        """All tables."""
        record = self.record
        return (self.browse, record.views.nested) if record is not None and record.is_ready else (self.browse,)

    def tables_of(self, collection: Collection) -> Sequence[TablePane]:
        """Return the tables that show a collection."""
        return [table for table in self.tables if table.collection == collection]

    @property
    def in_record(self) -> bool:
        """True if the focus is in the record pane."""
        return self.record is not None and self.record.has_focus_within

    @property
    def value_region(self) -> Region | None:
        """The region of the value under the cursor in the pane with the focus; None if neither pane has it."""
        if self.in_record and self.record is not None:
            return self.record.value_region
        return self.browse.value_region if self.browse.has_focus_within else None

    def refresh_rows(self) -> None:
        """Load the rows that are shown again."""
        for table in self.tables:
            table.refresh_rows()

    # Layout

    def _place_panes(self) -> None:
        # Not by a class: that would style all widgets in here again.
        self.styles.layout = "vertical" if self.below else "horizontal"
        self.browse.display = self.table_alone or not (self.alone and self.record_open)
        if self.record is not None:
            self.record.display = self.record_open and not (self.alone and self.table_alone)
            self.record.show_alone(self.alone)
            self.record.styles.width = "1fr" if self.alone or self.below else self._cells
            self.record.styles.height = self._cells if self.below else "1fr"

    watch_record_open = watch_alone = watch_below = watch_table_alone = _place_panes

    def focus_record(self) -> None:
        """Focus the record; without room beside the table, it takes its place."""
        self.table_alone, self.at_record = False, True
        if self.record is not None:
            self.record.focus_soon()

    def put_record_away(self) -> None:
        """Show no record."""
        self.record_open = self.table_alone = self.at_record = False

    def stand(self, placement: RecordPlacement, cells: int) -> None:
        """Place the record, with `cells` columns beside the table or rows below it.

        If they no longer share the screen, the pane that the user is in stays in view.
        """
        shared, self._cells = not self.alone, cells
        self.alone, self.below = placement is RecordPlacement.ALONE, placement is RecordPlacement.BELOW
        self.table_alone = self.alone and (not self.at_record if shared else self.table_alone)
        self._place_panes()

    @property
    def record_region(self) -> Region | None:
        """The region of the record if it shares the screen with the table."""
        record = self.record
        shared = record is not None and self.display and record.display and self.browse.display
        return record.region if record is not None and shared else None
