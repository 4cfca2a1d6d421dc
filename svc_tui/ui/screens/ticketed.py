"""What every dialog does that has a line for a ticket's reference: where letters and a paste go, and what `y` means."""

from typing import Generic

from textual import events

from svc_tui.ui.screens.dialog import Choice, Dialog
from svc_tui.ui.widgets.ticket_line import TicketLine


class Ticketed(Dialog[Choice], Generic[Choice]):
    """A dialog with a `ticket_line`; a subclass asks `strayed` before it agrees to anything."""

    ticket_line: TicketLine
    _strayed = False

    def on_key(self, event: events.Key) -> None:
        """A letter that does nothing is one of a text that somebody thinks goes into the ticket line."""
        if event.is_printable and event.key not in self.active_bindings and self.heeds(event):
            self._strayed = True
            self._say_below("t goes to the ticket line · that was no key here")

    def on_paste(self, event: events.Paste) -> None:
        """A paste is a ticket's reference, wherever the focus is; it never presses a key."""
        event.stop()
        self.ticket_line.paste(event.text)

    def action_ticket(self) -> None:
        """Into the ticket line."""
        self.ticket_line.begin()

    def strayed(self) -> bool:
        """Whether the key that agrees is of a text typed beside the line, which is said; the next one is not."""
        strayed, self._strayed = self._strayed, False
        if strayed:
            self._say_below(f"nothing done: typed beside the ticket line? · {self.agreed_by} again does it")
        return strayed

    def _say_below(self, words: str) -> None:
        self.query_one("#dialog").border_subtitle = words
