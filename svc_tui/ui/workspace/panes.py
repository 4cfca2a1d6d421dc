"""The panes of the workspace: the table from the start, the record and the console from when they are first needed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from svc_tui.core.catalog import Collection
from svc_tui.core.references import Held
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.session.remembered_choices import RememberedChoices
from svc_tui.session.session import Session
from svc_tui.storage.record_store import RecordStore
from svc_tui.ui.table.table_pane import TablePane

if TYPE_CHECKING:
    from svc_tui.ui.console.console_pane import ConsolePane
    from svc_tui.ui.record.record_pane import RecordPane
    from svc_tui.ui.widgets.record.field_lines import ValueFormat

_Table = TypeVar("_Table", bound=TablePane)


class Panes:
    """Makes the panes and holds them; `browse` is the table of collections, None the others that were not needed."""

    def __init__(
        self, session: Session, privacy_mask: PrivacyMask, remembered: RememberedChoices, records: RecordStore
    ) -> None:
        self._session, self._privacy_mask, self._remembered, self._records = session, privacy_mask, remembered, records
        self.browse = self._make_table(TablePane, "collections")
        self.record: RecordPane | None = None
        self.console: ConsolePane | None = None
        self._room: tuple[int, bool, bool] = (0, True, False)

    @property
    def active_table(self) -> TablePane:
        """The table that keys are about: the one in the record's open tab if the focus is there, else the large one."""
        table = self.record.table if self.record is not None else None
        return table if table is not None and table.has_focus_within else self.browse

    @property
    def tables(self) -> Sequence[TablePane]:
        """All tables there are."""
        record = self.record
        return (self.browse, record.views.nested) if record is not None and record.is_ready else (self.browse,)

    def tables_of(self, collection: Collection) -> Sequence[TablePane]:
        """The tables that show a collection."""
        return [table for table in self.tables if table.collection == collection]

    @property
    def held(self) -> Held:
        """The records that are held of every open collection."""
        return self.browse.open_collections.held

    @property
    def in_record(self) -> bool:
        """Whether the focus is in the record pane."""
        return self.record is not None and self.record.has_focus_within

    def refresh_rows(self) -> None:
        """Read again the rows that are shown."""
        for table in self.tables:
            table.refresh_rows()

    def give_room(self, cells: int, *, beside: bool, below: bool) -> None:
        """Give the record that many columns `beside` the table, or rows `below` it; else it has all the room."""
        self._room = cells, beside, below
        if self.record is not None:
            self.record.styles.width = cells if beside else "1fr"
            self.record.styles.height = cells if below else "1fr"

    def make_record(self, value_format: "ValueFormat") -> "RecordPane":
        """Make the pane of one record; it is to be mounted."""
        from svc_tui.ui.record.nested_table import NestedPane
        from svc_tui.ui.record.record_pane import RecordPane
        from svc_tui.ui.record.record_tabs import NESTED

        self.record = RecordPane(value_format, self._make_table(NestedPane, NESTED))
        cells, beside, below = self._room
        self.give_room(cells, beside=beside, below=below)
        return self.record

    def make_console(self, name: str) -> "ConsolePane":
        """Make the console, which completes by the records that are held; it is `console` once it is mounted."""
        from svc_tui.console.request_form import known_paths
        from svc_tui.ui.console.composer import RequestComposer
        from svc_tui.ui.console.console_pane import ConsolePane

        session = self._session
        return ConsolePane(
            RequestComposer(
                session.gateway,
                tuple(session.collections),
                known_paths=known_paths(session.profile.domains(), session.routes),
                idempotency_header=session.profile.idempotency_header,
                held=lambda: self.held,
                read_body=session.read_body,
            ),
            self._privacy_mask.exchange,
            id=name,
        )

    def _make_table(self, kind: type[_Table], name: str) -> _Table:
        session = self._session
        table = kind(
            session.pages,
            session.profile,
            self._remembered,
            self._records,
            session.monotonic,
            session.tz,
            self._privacy_mask,
        )
        table.id = name
        return table
