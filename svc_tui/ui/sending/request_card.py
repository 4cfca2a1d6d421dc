"""The card of a request before it is sent: its record, its changes, its ticket, the lock, and the key that sends it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Generic

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
from svc_tui.ui.sending.colleagues import ColleaguesAtRecord
from svc_tui.ui.sending.lock_controller import LockController
from svc_tui.ui.text import styled
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.ui.widgets.inputs.ticket_input import TicketInput
from svc_tui.ui.widgets.request.request_preview import request_content
from svc_tui.ui.widgets.text.difference import change_rows
from svc_tui.ui.widgets.text.labeled_rows import LabeledRow, LabeledRows, label_cells
from svc_tui.ui.widgets.text.scroll_text import ScrollText
from svc_tui.writes.write_requests import RefreshedRequest

_WIDE_CELLS = 80
"""The width of the screen from which the buttons show all their words."""

_LOCK_INTERVAL_SECONDS = 0.2
"""Seconds between updates of the lock, which closes by itself."""


class TicketDialog(Dialog[DialogResult], Generic[DialogResult]):
    """A dialog with a `ticket_line`; a subclass checks `stray_key_pressed` before it sends anything.

    While the focus is in an input line, keys are letters: the buttons name no keys, and the line of keys says how to
    leave the line.
    """

    LINE_KEYS: ClassVar[Mapping[str, str]] = dict.fromkeys(("ticket", "word"), "enter done · esc back")
    """The words of the line of keys while the focus is in the input line of that id."""

    ticket_line: TicketInput
    said_below = ""
    _stray_key = False

    def on_key(self, event: events.Key) -> None:
        """Note a letter without effect: the user may be typing a ticket outside of its line."""
        if event.is_printable and event.key not in self.active_bindings and self.accepts(event):
            self._stray_key = True
            self._say_below("this key does nothing here · press t to add a ticket")

    def on_paste(self, event: events.Paste) -> None:
        """Paste into the ticket line, wherever the focus is; a paste never presses a key."""
        event.stop()
        self.ticket_line.paste(event.text)

    def action_ticket(self) -> None:
        """Go to the ticket line."""
        self.ticket_line.begin()

    @property
    def line_keys(self) -> str:
        """The words of the line of keys while the focus is in an input line; "" elsewhere."""
        return "" if self.focused is None else self.LINE_KEYS.get(self.focused.id or "", "")

    @property
    def usual_keys(self) -> str:
        """The words of the line of keys elsewhere; "" for the keys that no button names."""
        return ""

    @property
    def first_focus(self) -> str:
        """The selector of the widget with the focus at the start and after leaving a line."""
        return str(self.AUTO_FOCUS)

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _focus_moved(self) -> None:
        self.show_choice()

    def show_choice(self) -> None:
        """Show the keys for where the focus is."""
        self.set_class(bool(self.line_keys), "-in-line")
        for button in self.query(DialogButton):
            button.name_key(not self.line_keys)
        self.name_keys(self.line_keys or self.usual_keys)

    @on(Input.Submitted, "#ticket")
    @on(Input.Submitted, "#word")
    def leave_line(self) -> None:
        """Leave the line for the ticket or the message."""
        self.query(self.first_focus).first().focus()

    def action_cancel(self) -> None:
        """Leave the input line, or close the dialog if the focus is in none."""
        if self.line_keys:
            self.leave_line()
        else:
            super().action_cancel()

    def stray_key_pressed(self) -> bool:
        """Return True if letters without effect came before this key, and say that nothing is sent."""
        stray_key_pressed, self._stray_key = self._stray_key, False
        if stray_key_pressed:
            self._say_below(f"not sent · press t to add a ticket, or {self.confirm_key} again to send")
        return stray_key_pressed

    def _say_below(self, words: str) -> None:
        self.said_below = words
        self.query_one("#dialog").border_subtitle = words


@dataclass(frozen=True)
class CardContent:
    """The contents of a card: the record, the changes, the request, and the words on the buttons.

    `remarks` are about new values, by the names of their fields. A card with a `retry_reason` offers a request of
    unknown outcome again; `look` opens its record.
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
    """Return the first line of a card about a record: its name and its collection."""
    collection = styled(place.collection.key.replace("/", " / "), "$role-muted")
    return Content.assemble(styled(label, "bold"), (" · ", "$role-muted"), collection) if label else collection


class RequestCard(ReviewDialog[str], TicketDialog[str]):
    """A dialog that shows a request before it is sent; the result is the ticket, "" for none.

    It is confirmed with `y` once all of its text was in view. A card with a `retry_reason` opens by itself. `complete`
    loads what the request still lacks, None if that can't be loaded.
    """

    TOUR_NAME = OpenDialog.CARD

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
    """The key that goes to the message."""

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
        """The words about similar requests whose outcome is unknown."""
        self.colleagues: ColleaguesAtRecord | None = None
        """Colleagues at the record; None without a team or a record."""
        self._end_listening: Callable[[], None] | None = None
        self.write_lock: LockController | None = None
        """The lock that must be open to send; None if none is needed."""
        self.approved_by = ""
        """The colleague who approved the request; "" if no approval was needed."""
        self.word = ""
        """The author's message to the approver."""
        self._rule = self._standing = ""
        self._request, self._headers_shown = content.request, False
        self._locked = False

    def ask_for_approval(self, rule: str, standing: str) -> None:
        """Request approval in place of sending, as a `rule` demands; `standing` is the approval's state in words."""
        self._rule, self._standing = rule, standing
        # Nothing is sent to the service, so no lock needs to be open.
        self.write_lock = None

    def compose(self) -> ComposeResult:
        """Compose the record, the changes, the ticket, the request, and the buttons."""
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
        """Compose the warnings and notes."""
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
        """Compose further text before the request."""
        yield from ()

    def compose_inputs(self) -> ComposeResult:
        """Compose inputs that stay in view below the text."""
        yield from ()

    def on_mount(self) -> None:
        """Start loading what the request lacks, and following the lock and colleagues."""
        if self._complete is not None:
            self.run_worker(self._show_completed(self._complete()), group="request")
        self.show_choice()
        if self.write_lock is not None:
            self._show_lock(self.write_lock)
            self.set_interval(_LOCK_INTERVAL_SECONDS, partial(self._show_lock, self.write_lock))
        if self.colleagues is not None:
            # Called outside of the screen, which shows it when it can.
            self._end_listening = self.colleagues.listen(self._colleagues_changed)

    def on_unmount(self) -> None:
        """Stop following colleagues."""
        if self._end_listening is not None:
            self._end_listening()
            self._end_listening = None

    async def _show_completed(self, completing: Awaitable[RefreshedRequest | None]) -> None:
        completed = await completing
        if completed is None:
            return
        self._request = completed.request
        self._show_request()
        if completed.freshness is not None:
            self._show_freshness(completed.freshness)

    def _show_freshness(self, freshness: Freshness) -> None:
        """Show the changes of others, with their values as the old ones of conflicts, unless the card was closed."""
        if freshness.conflicts:
            # Conflicts are resolved before anything is sent.
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
            for notice in self.query("#moved").results(Static):
                notice.update(styled(f"! {words}", "$role-warning"))
                notice.display = True

    def _change_rows(self, changes: Sequence[FieldChange]) -> list[LabeledRow]:
        remarks = {
            change.name: " ".join(filter(None, (self._content.remarks.get(change.name), change.caution)))
            for change in changes
        }
        return change_rows(changes, remarks)

    @property
    def _colleagues_content(self) -> Content:
        """The words about who has the record open now, and who changed it lately."""
        if self.colleagues is None:
            return Content()
        lines = (styled(self.colleagues.open_words, "$role-warning"), styled(self.colleagues.wrote))
        return Content("\n").join(line for line in lines if line)

    def _colleagues_changed(self) -> None:
        self.call_later(self._show_colleagues)

    def _show_colleagues(self) -> None:
        for notice in self.query("#colleagues").results(Static):
            content = self._colleagues_content
            notice.update(content)
            notice.display = bool(content)

    @property
    def _request_rows(self) -> Sequence[LabeledRow]:
        return [("Request", request_content(self._request, headers_shown=self._headers_shown))]

    def _show_request(self) -> None:
        # A card that was closed meanwhile has lost its rows.
        for rows in self.query("#request").results(LabeledRows):
            rows.update(self._request_rows)

    def action_headers(self) -> None:
        """Show the headers, or only their number."""
        self._headers_shown = not self._headers_shown
        self._show_request()

    def action_look(self) -> None:
        """Close, and open the record."""
        self.dismiss(None)
        if self._content.look is not None:
            self._content.look()

    # The choice

    def show_choice(self) -> None:
        """Show the button to unlock or the one to send."""
        super().show_choice()
        unlockable = self._locked and self.write_lock is not None and not self.write_lock.wait_words
        for button, shown in (("#unlock", unlockable), ("#send", not self._locked)):
            # A card that is being closed has lost its buttons.
            for found in self.query(button):
                # It keeps its place: a second click is never for another button than the first.
                found.display, found.disabled = shown, bool(self.line_keys)

    def _show_lock(self, lock: LockController) -> None:
        """Show the state of the lock."""
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
        """The selector of the widget with the focus at the start: of a locked card, a button."""
        return "#look, #back" if self._locked else self.AUTO_FOCUS

    def action_lock(self) -> None:
        """Unlock LIVE, or lock it again."""
        if self.write_lock is not None and self.write_lock.unlockable:
            self.run_worker(self._toggle(self.write_lock), group="lock", exclusive=True)

    async def _toggle(self, lock: LockController) -> None:
        await lock.toggle()
        # Before the next key, which is meant for the new state.
        self._show_lock(lock)
        if not self._locked:
            self._say_below("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the key of the message if no approval is needed, and the one of the lock if there is none."""
        match action:
            case "word":
                return bool(self._rule)
            case "lock":
                return self.write_lock is not None and self.write_lock.unlockable
        return super().check_action(action, parameters)

    def action_word(self) -> None:
        """Go to the line for the message."""
        self.query_one("#word", Input).focus()

    @on(Input.Changed, "#word")
    def _word_typed(self, event: Input.Changed) -> None:
        event.stop()
        self.word = event.value.strip()

    def action_send(self) -> None:
        """Send the request once all of it was in view, unless the key may be part of a text."""
        if not self.stray_key_pressed() and self.may_send() and self.all_read():
            self.dismiss(self.ticket_line.ticket)

    def may_send(self) -> bool:
        """Return True if the lock is open and the inputs are filled in; else say why not."""
        if self.write_lock is not None:
            # It may have closed since the last update.
            self._show_lock(self.write_lock)
        if self._locked:
            waits = self.write_lock is not None and self.write_lock.awaits_team
            self._say_below("not sent: waiting for the team server" if waits else "not sent: LIVE is locked")
        return not self._locked
