"""The input line for the ticket of a write."""

from collections.abc import Callable

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.getters import query_one
from textual.widgets import Input, Static

from svc_tui.ui.text import visible
from svc_tui.ui.widgets.inputs.text_input import TextInput, paste_notice


class TicketInput(Horizontal):
    """An input line for a ticket's reference; texts for which `secret` is True are refused: tickets are journalled.

    A ticket `carried` over from the last write is marked until it is changed, since tickets are easily mixed up. The
    `last` one is offered while the line is empty; Enter takes it. The dialog handles the `Input.Submitted` of `#ticket`
    and leaves the line.
    """

    DEFAULT_CSS = """
    TicketInput { height: 1; }
    TicketInput Static { width: auto; color: $role-muted; }
    TicketInput TextInput { width: 1fr; }
    """

    field = query_one(TextInput)

    def __init__(self, ticket: str, secret: Callable[[str], bool], *, last: str = "", carried: bool = False) -> None:
        super().__init__(id="ticket-line")
        self._secret = secret
        self._offered = "" if ticket else last
        self._carried = ticket if carried else ""
        self._refused = False
        """True if the last typed text was a secret."""
        self.ticket = ticket
        """The reference in the line."""
        self.focus_key = "t"
        """The key that goes to the line."""
        self.label_cells = len("Ticket ")
        """The width of the label."""

    def compose(self) -> ComposeResult:
        """Compose the label and the input."""
        label = Static("Ticket", markup=False)
        label.styles.width = self.label_cells
        yield label
        yield TextInput(self.ticket, placeholder=self._placeholder(inside=False), id="ticket")
        if self._carried:
            yield Static(f" Same as last time · {self.focus_key} Change", id="carried", markup=False)

    def _placeholder(self, *, inside: bool) -> str:
        """Return the placeholder of the empty line, while the focus is `inside` it or elsewhere."""
        last = visible(self._offered)
        if inside:
            refusal = "not accepted: looks like a key or a secret" if self._refused else ""
            words = (refusal, f"⏎ Use {last}" if last else "", "such as T-1042; kept in the journal")
            return " · ".join(filter(None, words))
        return f"none · {self.focus_key} Add ticket" + (f" · last: {last}" if last else "")

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _show_placeholder(self) -> None:
        self.field.placeholder = self._placeholder(inside=self.field.has_focus)
        for carried in self.query("#carried"):
            # Inside the line, the key is a letter.
            carried.display = self.ticket == self._carried and not self.field.has_focus

    def begin(self) -> None:
        """Focus the line."""
        self.field.focus()

    def paste(self, text: str) -> None:
        """Replace the text by one that was pasted outside of the line."""
        self.field.value = " ".join(text.split())
        if notice := paste_notice(text, self.field.value):
            self.notify(notice, severity="warning", markup=False)
        self.begin()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self._secret(event.value):
            self._refused, event.input.value = True, ""
        else:
            self.ticket = event.value.strip()
            if event.value:
                # A ticket that the user deletes is not offered again.
                self._refused, self._offered = False, ""
        self._show_placeholder()

    @on(Input.Submitted)
    def _take_offered(self, event: Input.Submitted) -> None:
        if self._offered and not event.value:
            self.ticket = event.input.value = self._offered
