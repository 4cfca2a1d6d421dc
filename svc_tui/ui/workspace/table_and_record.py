"""The table and the record: beside or below one another, or one in place of the other."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Region
from textual.reactive import var

from svc_tui.session.pane_layout import RecordPlacement
from svc_tui.ui.workspace.panes import Panes

if TYPE_CHECKING:
    from svc_tui.ui.record.record_pane import RecordPane


class TableAndRecord(Horizontal):
    """Knows whether a record is open, which of the two the user is at, and shows those that have room."""

    DEFAULT_CSS = """
    TableAndRecord {
        width: 1fr;
        height: 1fr;
        & #collections { width: 1fr; height: 1fr; }
        & RecordPane { width: 1fr; height: 1fr; }
    }
    """

    record_open: var[bool] = var(False, init=False)
    """Whether a record is shown."""
    alone: var[bool] = var(False, init=False)
    """Whether the record stands in place of the table, not beside or below it."""
    below: var[bool] = var(False, init=False)
    """Whether the record stands below the table."""
    table_alone: var[bool] = var(False, init=False)
    """Whether the table stands in place of the record that is open."""

    def __init__(self, panes: Panes, *, id: str) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._panes = panes
        self.at_record = False
        """Whether the user is at the record, not at the table."""

    def compose(self) -> ComposeResult:
        """The table; the record comes when one is first open."""
        yield self._panes.browse

    def _place_panes(self) -> None:
        # Not by a class: with one, everything in here is styled again.
        self.styles.layout = "vertical" if self.below else "horizontal"
        self._panes.browse.display = self.table_alone or not (self.alone and self.record_open)
        if self._panes.record is not None:
            self._panes.record.display = self.record_open and not (self.alone and self.table_alone)
            self._panes.record.show_alone(self.alone)

    watch_record_open = watch_alone = watch_below = watch_table_alone = _place_panes

    def add_record(self, pane: "RecordPane") -> None:
        """Put the pane of the record, just made, into its place."""
        self.mount(pane)
        self._place_panes()

    def focus_record(self) -> None:
        """Go to the record; where it has no room beside the table, it stands in its place."""
        self.table_alone, self.at_record = False, True
        if self._panes.record is not None:
            self._panes.record.focus_soon()

    def put_record_away(self) -> None:
        """Show no record."""
        self.record_open = self.table_alone = self.at_record = False

    def stand(self, placement: RecordPlacement, cells: int) -> None:
        """Have a record stand so, with that many columns beside the table or rows below it.

        Where they no longer share the screen, the one that the user is at stays in view.
        """
        shared, self.alone, self.below = (
            not self.alone,
            placement is RecordPlacement.ALONE,
            placement is RecordPlacement.BELOW,
        )
        self.table_alone = self.alone and (not self.at_record if shared else self.table_alone)
        self._panes.give_room(cells, beside=not (self.alone or self.below), below=self.below)

    @property
    def record_region(self) -> Region | None:
        """The region of a record that shares the screen with the table; None where there is none."""
        pane = self._panes.record
        shared = pane is not None and self.display and pane.display and self._panes.browse.display
        return pane.region if pane is not None and shared else None
