"""The card before a request leaves: everything that is to be known of it, the ticket it is for, the lock, and `y`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Generic

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from svc_tui.core.draft import FieldChange, Freshness
from svc_tui.core.jsontext import ABSENT
from svc_tui.core.records import Place
from svc_tui.core.requests import SignedRequest
from svc_tui.core.values import replace
from svc_tui.session.write_words import changed_meanwhile_words
from svc_tui.ui.dialogs.dialog import (
    Dialog,
    DialogButton,
    DialogFrame,
    DialogResult,
    ReviewDialog,
    TitleText,
)
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.text import styled
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.ui.widgets.inputs.ticket_input import TicketInput
from svc_tui.ui.widgets.request.request_preview import request_content
from svc_tui.ui.widgets.text.difference import change_rows
from svc_tui.ui.widgets.text.labeled_rows import LabeledRow, LabeledRows, label_cells
from svc_tui.ui.widgets.text.scroll_text import ScrollText
from svc_tui.writes.write_requests import RefreshedRequest

if TYPE_CHECKING:
    from svc_tui.ui.sending.colleagues import ColleaguesAtRecord
    from svc_tui.ui.sending.lock_controller import LockController

_WIDE_CELLS = 80
"""The width of the screen from which all buttons have room for their words."""

_LOCK_INTERVAL_SECONDS = 0.2
"""Seconds between looks at the lock, which runs out by itself."""


class TicketDialog(Dialog[DialogResult], Generic[DialogResult]):
    """A dialog with a `ticket_line`; a subclass asks `stray_key_pressed` before it agrees to anything.

    While the focus is in a line, keys are letters of a text: the buttons name none, and the line of keys says what
    leaves it.
    """

    LINE_KEYS: ClassVar[Mapping[str, str]] = dict.fromkeys(("ticket", "word"), "enter done · esc back")
    """What the line of keys names while the focus is in a line of that id."""

    ticket_line: TicketInput
    said_below = ""
    _stray_key = False

    def on_key(self, event: events.Key) -> None:
        """A letter that does nothing is one of a text that the user thinks goes into the ticket line."""
        if event.is_printable and event.key not in self.active_bindings and self.accepts(event):
            self._stray_key = True
            self._say_below("this key does nothing here · press t to add a ticket")

    def on_paste(self, event: events.Paste) -> None:
        """A paste is a ticket's reference, wherever the focus is; it never presses a key."""
        event.stop()
        self.ticket_line.paste(event.text)

    def action_ticket(self) -> None:
        """Into the ticket line."""
        self.ticket_line.begin()

    @property
    def line_keys(self) -> str:
        """What the line of keys names while the focus is in a line; "" where it is in none."""
        return "" if self.focused is None else self.LINE_KEYS.get(self.focused.id or "", "")

    @property
    def usual_keys(self) -> str:
        """What the line of keys names elsewhere; "" for what no button does."""
        return ""

    @property
    def first_focus(self) -> str:
        """What has the focus first, and when a line is left."""
        return str(self.AUTO_FOCUS)

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _focus_moved(self) -> None:
        self.show_choice()

    def show_choice(self) -> None:
        """Show what can be done where the focus is."""
        self.set_class(bool(self.line_keys), "-in-line")
        for button in self.query(DialogButton):
            button.name_key(not self.line_keys)
        self.name_keys(self.line_keys or self.usual_keys)

    @on(Input.Submitted, "#ticket")
    @on(Input.Submitted, "#word")
    def leave_line(self) -> None:
        """Leave the line for the ticket, or for the message."""
        self.query(self.first_focus).first().focus()

    def action_cancel(self) -> None:
        """Leave the line that the focus is in; elsewhere, close."""
        if self.line_keys:
            self.leave_line()
        else:
            super().action_cancel()

    def stray_key_pressed(self) -> bool:
        """Whether the key that agrees is of a text typed beside the line, which is said; the next one is not."""
        stray_key_pressed, self._stray_key = self._stray_key, False
        if stray_key_pressed:
            self._say_below(f"not sent · press t to add a ticket, or {self.confirm_key} again to send")
        return stray_key_pressed

    def _say_below(self, words: str) -> None:
        self.said_below = words
        self.query_one("#dialog").border_subtitle = words


@dataclass(frozen=True)
class CardContent:
    """The parts of a card: what the request is about, what it changes, the request, and the words on the buttons.

    `remarks` are about new values, by the names of their fields. A card with a `retry_reason` offers a request of
    unknown outcome again; `look` shows the record it is about.
    """

    title: TitleText
    request: SignedRequest
    about: Content = field(default_factory=Content)
    changes: Sequence[FieldChange] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)
    back: str = "Cancel"
    send: str = "Send"
    danger: bool = False
    retry_reason: str = ""
    look: Callable[[], None] | None = None


def about_record(label: str, place: Place) -> Content:
    """Return the first line of a card about a record: its name, and its collection."""
    collection = styled(place.collection.key.replace("/", " / "), "$role-muted")
    return Content.assemble(styled(label, "bold"), (" · ", "$role-muted"), collection) if label else collection


@tour_name(OpenDialog.CARD)
class RequestCard(ReviewDialog[str], TicketDialog[str]):
    """The ticket's reference ("" for none) once all was seen and `y` pressed; None: not now.

    A card with a `retry_reason` comes by itself. `complete` gives the request once more is known of it, None where no
    more can be known.
    """

    DEFAULT_CSS = """
    RequestCard ScrollText > Static, RequestCard #fields { margin-bottom: 1; }
    RequestCard.-short ScrollText > Static, RequestCard.-short #fields { margin-bottom: 0; }
    RequestCard #word-line { height: 1; }
    RequestCard #word-line Static { color: $role-muted; }
    RequestCard #word-line TextInput { width: 1fr; }
    RequestCard.-in-line Button { color: $role-muted; }
    RequestCard #lock { width: 1fr; height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    AUTO_FOCUS = "#look, #back"
    rows_below = 1
    word_key = "m"
    """The key that leads to the message."""

    BINDINGS = [
        Binding("y", "send", "Send", id="card.send", tooltip="Send this request"),
        Binding("t", "ticket", "Ticket", id="card.ticket", tooltip="Add the ticket"),
        Binding("h", "headers", "Headers", id="card.headers", tooltip="Show or hide the headers"),
        Binding("w", "lock", "Unlock or lock", id="card.lock", tooltip="Unlock or lock LIVE"),
        Binding("m", "word", "Message", id="card.word", tooltip="Write a message to the approver"),
    ]

    def __init__(
        self,
        content: CardContent,
        ticket_line: TicketInput,
        *,
        complete: Callable[[], Awaitable[RefreshedRequest | None]] | None = None,
    ) -> None:
        super().__init__()
        self._content, self._complete = content, complete
        self.unsolicited = bool(content.retry_reason)
        self._fields = self._change_rows(content.changes)
        self._label_cells = label_cells(self._fields)
        self.ticket_line = ticket_line
        # The padding of the line is part of the gap.
        ticket_line.label_cells = self._label_cells - 1
        self.sent_before = ""
        """What is to be known of requests like it that were sent and have no known outcome."""
        self.colleagues: ColleaguesAtRecord | None = None
        """What colleagues do with the record; None where there are none, or it is about no record."""
        self._end_listening: Callable[[], None] | None = None
        self.write_lock: LockController | None = None
        """What holds requests back until it is opened; None where nothing does."""
        self.approved_by = ""
        """Who approved exactly this, "" where nobody had to."""
        self.word = ""
        """What its author says to whom it asks for approval."""
        self._rule = self._standing = ""
        self._request, self._headers_shown = content.request, False
        self._locked = False

    def ask_for_approval(self, rule: str, standing: str) -> None:
        """Have it ask colleagues in place of sending: a `rule` wants a second person; `standing` says how that is."""
        self._rule, self._standing = rule, standing
        # Nothing leaves for the service, so that it need not be unlocked.
        self.write_lock = None

    def compose(self) -> ComposeResult:
        """The record, what changes, the ticket, the request, and below them the choices."""
        content = self._content
        with DialogFrame(content.title, danger=content.danger):
            with ScrollText():
                if content.about:
                    yield Static(content.about, id="about")
                yield from self._compose_notices()
                yield from self.compose_details()
                if self._fields:
                    yield LabeledRows(self._fields, self._label_cells, "fields")
                yield self.ticket_line
                if self._rule:
                    with Horizontal(id="word-line"):
                        label = Static("Message", markup=False)
                        label.styles.width = self._label_cells - 1
                        yield label
                        yield TextInput(placeholder=f"{self.word_key} Add a message to the approver", id="word")
                yield LabeledRows(self._request_rows, self._label_cells, "request")
            yield from self.compose_inputs()
            with Horizontal(classes="buttons"):
                yield Static(id="lock", markup=False)
                if content.look is not None:
                    look = "⏎ Look at the record" if self.app.size.width >= _WIDE_CELLS else "⏎ Look"
                    yield DialogButton(look, "look", button_id="look")
                yield DialogButton(f"esc {content.back}", "cancel", button_id="back")
                key = "⏎" if self.confirm_key == "enter" else self.confirm_key
                send = "Request approval" if self._rule else content.send
                yield DialogButton(f"{key} {send}", "send", button_id="send")
                yield DialogButton("w Unlock LIVE…", "lock", button_id="unlock")

    def _compose_notices(self) -> ComposeResult:
        """What is to be known before it is agreed to."""
        if self._content.retry_reason:
            yield Static(styled(self._content.retry_reason, "$role-warning", lines=True), id="doubt")
        if self.sent_before:
            yield Static(styled(self.sent_before, "$role-warning", lines=True), id="sent-before")
        if self._rule:
            words = f"Needs approval (rule {self._rule}). {self._standing}".rstrip()
            yield Static(styled(words, "$role-warning", lines=True), id="approval")
        elif self.approved_by:
            yield Static(styled(f"Approved by {self.approved_by}.", "$role-ok"), id="approval")
        colleagues = Static(self._colleagues_content, id="colleagues")
        colleagues.display = bool(self._colleagues_content)
        yield colleagues
        moved = Static(id="moved")
        moved.display = False
        yield moved

    def compose_details(self) -> ComposeResult:
        """What else is to be read before the request."""
        yield from ()

    def compose_inputs(self) -> ComposeResult:
        """What is asked for beside the key; it stays in view."""
        yield from ()

    def on_mount(self) -> None:
        """Find out what is still missing in the request; a card that is closed need not know it."""
        if self._complete is not None:
            self.run_worker(self._show_completed(self._complete()), group="request")
        self.show_choice()
        if self.write_lock is not None:
            self._show_lock(self.write_lock)
            self.set_interval(_LOCK_INTERVAL_SECONDS, partial(self._show_lock, self.write_lock))

        if self.colleagues is not None:
            # Heard in the background: the card shows it in its own time.
            self._end_listening = self.colleagues.listen(self._hear_of_colleagues)

    def on_unmount(self) -> None:
        """Hear no longer of colleagues."""
        if self._end_listening is not None:
            self._end_listening()
            self._end_listening = None

    async def _show_completed(self, coming: Awaitable[RefreshedRequest | None]) -> None:
        completed = await coming
        if completed is None:
            return
        self._request = completed.request
        self._show_request()
        if completed.freshness is not None:
            self._show_freshness(completed.freshness)

    def _show_freshness(self, freshness: Freshness) -> None:
        """Show what others changed, each old value as it is now; a card that was closed has no place for it."""
        if freshness.conflicts:
            # Nothing leaves before it is decided whose values are to be kept.
            for button in self.query("#send").results(DialogButton):
                button.relabel(f"{self.confirm_key} Resolve conflict…")
            now = freshness.draft.base.fields
            changes = [
                replace(change, old=now.get(change.name, ABSENT)) if change.name in freshness.conflicts else change
                for change in self._content.changes
            ]
            for rows in self.query("#fields").results(LabeledRows):
                rows.update(self._change_rows(changes))
        if words := changed_meanwhile_words(freshness):
            for place in self.query("#moved").results(Static):
                place.update(styled(f"! {words}", "$role-warning"))
                place.display = True

    def _change_rows(self, changes: Sequence[FieldChange]) -> list[LabeledRow]:
        remarks = {
            change.name: " ".join(filter(None, (self._content.remarks.get(change.name), change.caution)))
            for change in changes
        }
        return change_rows(changes, remarks)

    @property
    def _colleagues_content(self) -> Content:
        """Who has the record open now, and who wrote to it lately."""
        if self.colleagues is None:
            return Content()
        lines = (styled(self.colleagues.open_words, "$role-warning"), styled(self.colleagues.wrote))
        return Content("\n").join(line for line in lines if line)

    def _hear_of_colleagues(self) -> None:
        self.call_later(self._show_colleagues)

    def _show_colleagues(self) -> None:
        for place in self.query("#colleagues").results(Static):
            content = self._colleagues_content
            place.update(content)
            place.display = bool(content)

    @property
    def _request_rows(self) -> Sequence[LabeledRow]:
        return [("Request", request_content(self._request, headers_shown=self._headers_shown))]

    def _show_request(self) -> None:
        # A card that was closed meanwhile has nothing left to show it in.
        for rows in self.query("#request").results(LabeledRows):
            rows.update(self._request_rows)

    def action_headers(self) -> None:
        """Show the headers, or fold them to one line again."""
        self._headers_shown = not self._headers_shown
        self._show_request()

    def action_look(self) -> None:
        """Close, and show the record."""
        self.dismiss(None)
        if self._content.look is not None:
            self._content.look()

    # The choice

    def show_choice(self) -> None:
        """Show the one button for what can be done now: unlock, or send."""
        super().show_choice()
        unlockable = self._locked and self.write_lock is not None and not self.write_lock.wait_words
        for button, shown in (("#unlock", unlockable), ("#send", not self._locked)):
            # A card that is being closed has lost its buttons.
            for found in self.query(button):
                # It keeps its place: a second click is never for another button than the first.
                found.display, found.disabled = shown, bool(self.line_keys)

    def _show_lock(self, lock: "LockController") -> None:
        """Show whether the request may be sent."""
        if not self.is_current or not lock.unlockable:
            return
        locked = lock.refusal() is not None
        words = (lock.wait_words or "LIVE is locked.") if locked else ""
        self.query_one("#lock", Static).update(styled(words))
        changed, self._locked = locked != self._locked, locked
        self.show_choice()
        if changed:
            self.refresh_bindings()
            self.set_focus(self.query(self.first_focus).first())

    @property
    def first_focus(self) -> str:
        """What gets the focus first: a card that can't be sent yet has no field to fill in."""
        return "#look, #back" if self._locked else self.AUTO_FOCUS

    def action_lock(self) -> None:
        """Unlock LIVE after its word, or lock it again."""
        if self.write_lock is not None and self.write_lock.unlockable:
            self.run_worker(self._toggle(self.write_lock), group="lock", exclusive=True)

    async def _toggle(self, lock: "LockController") -> None:
        await lock.toggle()
        # At once: the next key is meant for the card as it is now.
        self._show_lock(lock)
        if not self._locked:
            self._say_below("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys for a message where no approval is asked, and for the lock where there is none."""
        match action:
            case "word":
                return bool(self._rule)
            case "lock":
                return self.write_lock is not None and self.write_lock.unlockable
        return super().check_action(action, parameters)

    def action_word(self) -> None:
        """Into the line for a word to whoever is asked."""
        self.query_one("#word", Input).focus()

    @on(Input.Changed, "#word")
    def _word_typed(self, event: Input.Changed) -> None:
        event.stop()
        self.word = event.value.strip()

    def action_send(self) -> None:
        """Send it, once all of it was in view; the first `y` after a letter that does nothing is of that text too."""
        if not self.stray_key_pressed() and self.may_send() and self.all_read():
            self.dismiss(self.ticket_line.ticket)

    def may_send(self) -> bool:
        """Whether writes are unlocked, and what is asked for is there; where it is not, say so."""
        if self.write_lock is not None:
            # It may have run out since it was last looked at.
            self._show_lock(self.write_lock)
        if self._locked:
            waits = self.write_lock is not None and self.write_lock.awaits_team
            self._say_below("not sent: waiting for the team server" if waits else "not sent: LIVE is locked")
        return not self._locked
