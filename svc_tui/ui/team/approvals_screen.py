"""`A` in the journal: what colleagues want approved, and what became of one's own asks."""

from datetime import tzinfo

from textual import on
from textual.content import Content
from textual.widgets import OptionList

from svc_tui.team.approvals import AskOverview
from svc_tui.team.asks import Ask
from svc_tui.ui.dialogs.entry_list import EntryListDialog
from svc_tui.ui.team.ask_content import ask_lines
from svc_tui.ui.text import styled


class ApprovalsScreen(EntryListDialog[Ask, Ask]):
    """Gives the ask that is to be looked at."""

    HEADING = "Approvals"
    EMPTY_TEXT = "No approval requests. Changes on LIVE that need approval appear here."

    def __init__(self, overview: AskOverview, zone: tzinfo | None) -> None:
        super().__init__(overview.listed, search=None)
        self.overview, self._zone = overview, zone

    @property
    def heading(self) -> Content:
        """How many wait for whom."""
        overview = self.overview
        waiting = f" · {len(overview.waiting):,} to approve" if overview.waiting else ""
        approved = f" · {len(overview.approved):,} of your requests approved" if overview.approved else ""
        return styled(f"{self.HEADING}{waiting}{approved}")

    @property
    def keys(self) -> str:
        """What can be done, for the frame."""
        return "enter open · esc close"

    def renew(self, overview: AskOverview) -> None:
        """Show what there is now, the cursor on the ask that it was on."""
        entries, before = tuple(overview.listed), self.overview
        self.overview = overview
        if not self.is_mounted or (entries == self.entries and overview == before):
            self.entries = entries
            return
        chosen = self.chosen
        self.show(entries)
        for at, ask in enumerate(entries):
            if chosen is not None and ask.digest == chosen.digest:
                self.query_one(OptionList).highlighted = at

    def line(self, entry: Ask, cells: int) -> Content:
        """What is asked for, by whom, and how that stands."""
        return ask_lines(entry, self._zone, cells)

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.entries[event.option_index])
