"""What can be done with a record, one under the other, each with the request it makes; Enter begins it."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.ui.text import pad, shorten, styled, visible
from svc_tui.ui.widgets.inputs.pane_list import PaneList
from svc_tui.ui.widgets.text.wrapping import wrap_text
from svc_tui.writes.offered_actions import OfferedAction

_KIND_CELLS = 8
_MAX_REQUEST_ROWS = 4
"""Rows that a request takes at most."""
_MISSING_SCOPE = "the key does not have the scope"


def offer_line(offer: OfferedAction) -> Content:
    """An offer on one line: what kind it is, its name, what it goes by; and that it was refused."""
    return Content.assemble(
        (pad(visible(offer.kind), _KIND_CELLS - 1), "$role-muted"),
        styled(offer.name),
        styled(f"  {offer.note}" if offer.note else "", "$role-reference"),
        (f"  ✕ {_MISSING_SCOPE}", "$role-warning") if offer.lacking else "",
    )


class ActionList(PaneList):
    """The offers for one record."""

    BINDINGS = [
        Binding("down,j", "cursor_down", "Down", id="actions.down", show=False, tooltip="Move down"),
        Binding("up,k", "cursor_up", "Up", id="actions.up", show=False, tooltip="Move up"),
        Binding("home,g", "first", "First", id="actions.first", show=False, tooltip="Go to the first action"),
        Binding("end,G", "last", "Last", id="actions.last", show=False, tooltip="Go to the last action"),
    ]

    @dataclass
    class Chosen(Message):
        """Enter on an action."""

        offer: OfferedAction

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._offers: tuple[OfferedAction, ...] = ()

    def show(self, offers: Sequence[OfferedAction]) -> None:
        """Show these; the cursor stays on the same action where it is offered again."""
        if tuple(offers) == self._offers:
            return
        at = self.highlighted
        name = self._offers[at].name if at is not None and at < len(self._offers) else ""
        self._offers = tuple(offers)
        self._write()
        names = [offer.name for offer in self._offers]
        self.highlighted = names.index(name) if name in names else 0 if names else None

    def on_resize(self) -> None:
        """Requests are wrapped to the width there is."""
        at = self.highlighted
        self._write()
        self.highlighted = at

    def _write(self) -> None:
        self.set_options([Option(_draw_offer(offer, self.line_cells)) for offer in self._offers])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click chooses."""
        event.stop()
        self.post_message(self.Chosen(self._offers[event.option_index]))


def _draw_offer(offer: OfferedAction, cells: int) -> Content:
    """What it is, the request it makes, what happens then."""
    indent, room = " " * _KIND_CELLS, max(1, cells - _KIND_CELLS)
    then, role = (f"✕ {_MISSING_SCOPE}", "$role-warning") if offer.lacking else (offer.does, "$role-muted")
    request = offer.request.removeprefix(f"{offer.kind} ")
    kind = (pad(visible(offer.kind), _KIND_CELLS), "$role-muted")
    lines = [Content.assemble(kind, styled(shorten(visible(offer.name), room), "bold"))]
    for text, style in ((request, "$role-reference"), (then, role)):
        rows, _ = wrap_text(text, room, _MAX_REQUEST_ROWS)
        lines += [Content.assemble(indent, (row, style)) for row in rows]
    return Content("\n").join(lines)
