"""The request console: any request, tried out through the same client as everything else."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.getters import query_one
from textual.message import Message

from svc_tui.console.copy_as import CopyOption
from svc_tui.console.pasted_command import PastedCommandError, read_command
from svc_tui.console.request_form import RequestForm, escape_braces, form_of, value_form
from svc_tui.console.request_line import UnsentRequest
from svc_tui.core.catalog import Route
from svc_tui.core.records import Place
from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.errors import ServiceError
from svc_tui.service.signing import ForeignSignature
from svc_tui.ui.console.composer import RequestComposer
from svc_tui.ui.console.console_bindings import CONSOLE_BINDINGS
from svc_tui.ui.console.form_check import FormCheck
from svc_tui.ui.console.transcript_display import TranscriptDisplay
from svc_tui.ui.keys import availability
from svc_tui.ui.keys.availability import ExplainsAvailability
from svc_tui.ui.keys.key_scopes import keys_count_in
from svc_tui.ui.widgets.answer.answer_view import AnswerView
from svc_tui.ui.widgets.request.request_form_view import RequestFormView
from svc_tui.ui.widgets.request.request_inputs import AutocompleteInput
from svc_tui.ui.widgets.text.folding_json_view import FoldingJsonView

WIDE_COLUMNS = 110
"""Columns from which request and answer stand side by side."""

SHORT_ROWS = 18
"""Rows below which the editor gives way to the answer."""


@keys_count_in(RequestFormView, AnswerView, FoldingJsonView)
class ConsolePane(ExplainsAvailability, Container):
    """Edits a request, asks for it to be sent, and shows the answer. It sends nothing itself."""

    DEFAULT_CSS = """
    ConsolePane {
        layout: vertical;
        height: 1fr;
        width: 1fr;
        &.-short RequestFormView > ContentSwitcher { height: 2; }
        &.-wide {
            layout: horizontal;
            & RequestFormView { width: 2fr; height: 100%; margin-right: 1;
                padding-right: 1; border-right: solid $role-panel; }
            & RequestFormView > ContentSwitcher { height: 1fr; }
            & AnswerView { width: 3fr; height: 100%; }
        }
    }
    """
    BINDINGS = CONSOLE_BINDINGS

    _form = query_one(RequestFormView)
    _answer = query_one(AnswerView)

    @dataclass
    class Submitted(Message):
        """A request is to be sent."""

        spec: RequestSpec

    @dataclass
    class Ready(Message):
        """The console is there, and can be told what else to propose."""

        console: "ConsolePane"

    @dataclass
    class ValuesWanted(Message):
        """The request is to be sent, and has blanks that ask for values."""

        console: "ConsolePane"
        form: RequestForm

    @dataclass
    class ExplainWanted(Message):
        """The signature of a request is to be explained, the `pasted` one, or ours.

        `exchange` None: no answer yet; with `edited`, the one in view is that of another request.
        """

        request: SignedRequest
        exchange: Exchange | None = None
        failure: ServiceError | None = None
        pasted: ForeignSignature | None = None
        edited: bool = False

    @dataclass
    class OpenWanted(Message):
        """What the request on show reads is to be opened as a table that asks by its `query`, or as a record."""

        place: Place
        query: tuple[tuple[str, str], ...] = ()

    @dataclass
    class EditWanted(Message):
        """The request's body is to be edited outside."""

        console: "ConsolePane"
        body: str

    @dataclass
    class SaveWanted(Message):
        """The request in the fields is to be saved under a name."""

        form: RequestForm

    @dataclass
    class CopyWanted(Message):
        """One of these is to be copied, the one of the `key` without asking."""

        copies: tuple[CopyOption, ...]
        key: str = ""

    class CancelWanted(Message):
        """The read that is on its way is to be given up."""

    @dataclass
    class LeaveWanted(Message):
        """The user wants to go back to where they came from."""

    def __init__(
        self,
        composer: RequestComposer,
        mask: Callable[[Exchange], Exchange] = lambda exchange: exchange,
        *,
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        """Make the console of what `composer` reads and completes; `mask` gives an exchange as it may be seen now."""
        super().__init__(id=id, classes="pane")
        self.composer = composer
        self.requests = TranscriptDisplay(
            composer, lambda: self._answer, mask, lambda hint: setattr(self, "border_subtitle", hint)
        )
        """This session's requests."""
        self._check = FormCheck(composer, lambda: self._form)
        self._warned: RequestSpec | None = None
        """The write in flight that the user was told can't be cancelled."""
        self._has_path = False
        """Whether there was a path at the last change: without one, nothing can be sent."""
        self._pasted: tuple[RequestForm, ForeignSignature | None] = (RequestForm(), None)
        """The form that a pasted command made, and the signature that it came with, for `ExplainWanted` alone."""
        self.border_title = "Console"

    def compose(self) -> ComposeResult:
        """The request, and the answer."""
        composer, requests = self.composer, self.requests
        yield RequestFormView(
            lambda typed: composer.complete_path(typed, self._form.form.method, requests.transcript.paths),
            lambda typed: composer.complete_line(typed, self._form.form, requests.transcript.paths),
            lambda: composer.names(self._form.form),
        )
        yield AnswerView()

    def on_mount(self) -> None:
        """Begin with a GET of nothing in particular."""
        self._check.run()
        self.requests.show_hint()
        self.post_message(self.Ready(self))

    def on_resize(self, event: events.Resize) -> None:
        """Side by side where there is room, the answer first where there is little."""
        self.set_class(event.size.width >= WIDE_COLUMNS - 4, "-wide")
        self.set_class(event.size.height < SHORT_ROWS, "-short")

    # For the main screen

    @property
    def text(self) -> str:
        """The answer's text in view, for the pager and the clipboard."""
        return self._answer.text

    def prefill(self, source: Route | RequestSpec) -> None:
        """Put a route or a request into the fields, the cursor on the first blank; nothing is sent."""
        form = form_of(source)
        self.load(form if isinstance(source, Route) else escape_braces(form))

    def load(self, form: RequestForm) -> None:
        """Put a request into the fields as it is written, the cursor on the first blank; nothing is sent."""
        self._form.fill(form)
        self._form.start()
        self.requests.leave_history()

    @property
    def unsent(self) -> UnsentRequest | None:
        """What was typed and not sent, None where nothing was."""
        line = self._form.half_written_line
        form = self.requests.transcript.unsent(self._form.form)
        if form is None and not line:
            return None
        return UnsentRequest(form or self._form.form, line)

    def take_up(self, request: UnsentRequest) -> None:
        """Put in what was typed before and not sent; the cursor stays where it is."""
        self._form.fill(request.form)
        if request.line:
            self._form.write_line(request.line)

    def send_again(self, spec: RequestSpec) -> None:
        """Ask for a request to be sent just as it is, and put it into the fields."""
        self.prefill(spec)
        if self._may_send():
            as_typed = self.composer.describes(self._form.form, spec)
            form = self._form.form if as_typed else escape_braces(form_of(spec))
            self._submit(form, spec, self.composer.preview_or_none(spec))

    def start(self) -> None:
        """Put the cursor where the next thing is to be typed."""
        self._form.start()

    def show_end(self, exchange: Exchange | None, failure: ServiceError | None) -> None:
        """The request was answered, refused or lost; `failure` says what an answer means that is no success."""
        if not self.is_attached:
            # The program is ending: nobody sees it here; journal and history have it.
            return
        self.requests.end(self._form.form, exchange, failure)
        self._check.run()

    # What the user does

    @on(RequestFormView.ReadEntered)
    async def action_send(self) -> None:
        """Ask for the request to be sent, or go to its first problem."""
        if not self._may_send():
            return
        composed = self._check.run()
        if self._check.go_to_problem([problem for problem in composed.problems if not problem.blank]):
            if not composed.spec.path:
                self._check.warn(availability.PATH_FIRST)
        elif value_form(self._form.form).lines:
            self.post_message(self.ValuesWanted(self, self._form.form))
        elif (sendable := await self._check.sendable(composed)) is not None:
            self._submit(self._form.form, *sendable)

    async def send_filled(self, form: RequestForm) -> None:
        """Put a request into the fields whose blanks were filled in, and ask for it to be sent."""
        self._form.fill(form)
        await self.action_send()

    def _submit(self, form: RequestForm, spec: RequestSpec, signed: SignedRequest | None) -> None:
        self.requests.start(form, spec, signed)
        self.post_message(self.Submitted(spec))

    def _may_send(self) -> bool:
        if self.requests.in_flight is not None:
            self._check.warn(availability.STILL_WAITING)
        return self.requests.in_flight is None

    async def action_copy(self, key: str = "") -> None:
        """Offer the request for copying, or go to its first problem; with `key` copy it in that way."""
        from svc_tui.console.copy_as import request_copy_options

        composed, composer = self._check.run(), self.composer
        if self._check.go_to_problem(composed.problems):
            return
        if (sendable := await self._check.sendable(composed)) is not None:
            spec, request = sendable
            environment, host = composer.gateway.environment, urlsplit(composer.gateway.base_url).netloc
            form = self._form.form
            copies = request_copy_options(
                environment, host, request, spec.headers, composer.collections, form, composer.with_new_key(spec)
            )
            self.post_message(self.CopyWanted(copies, key))

    async def action_explain(self) -> None:
        """Have the signature explained, of the request shown or of the one written since."""
        composed = self._check.run()
        entry = self.requests.shown
        if entry is not None and entry.form == self._form.form and (entry.exchange or entry.signed):
            request = entry.exchange.request if entry.exchange else entry.signed
            assert request is not None
            self.post_message(self.ExplainWanted(request, entry.exchange, entry.failure))
            return
        if (sendable := await self._check.sendable(composed)) is not None:
            form, signature = self._pasted
            pasted = signature if form == self._form.form else None
            edited = entry is not None and entry.exchange is not None
            self.post_message(self.ExplainWanted(sendable[1], pasted=pasted, edited=edited))

    def action_keep(self) -> None:
        """Have the request in the fields saved under a name."""
        if self._check.go_to_problem():
            return
        if not self._form.form.path.strip():
            self._check.warn(availability.PATH_FIRST)
        else:
            self.post_message(self.SaveWanted(self._form.form))

    def action_keep_key(self) -> None:
        """Put the idempotency key of the last write into the headers, or take it out: then each send has its own."""
        if why := self.noop_reason("keep_key", ()):
            self._check.warn(why)
        else:
            self._form.fill(self.requests.with_key_toggled(self._form.form))

    def action_save(self) -> None:
        """Have the answer on show saved."""
        self._answer.action_save()

    def action_open_place(self) -> None:
        """Have the place that the request on show reads opened."""
        entry = self.requests.shown
        place = None if entry is None else self.composer.place(entry.spec)
        if entry is None or place is None:
            self._check.warn(self.noop_reason("open_place", ()))
            return
        self.post_message(self.OpenWanted(place, () if place.record_id else self.composer.query(entry.spec)))

    def action_edit_body(self) -> None:
        """Have the request's body edited in the user's editor."""
        self.post_message(self.EditWanted(self, self._form.form.body))

    def take_body(self, body: str) -> None:
        """Put what was edited into the body."""
        self._form.fill(replace(self._form.form, body=body))

    def action_leave(self) -> None:
        """Close what is open in the answer, else cancel the read that is on its way, else leave.

        A write that is on its way can't be called back; whoever leaves then is told so first.
        """
        under_way = self.requests.in_flight
        if self._answer.close_line():
            return
        if under_way is not None and not under_way.spec.writes:
            self.post_message(self.CancelWanted())
        elif under_way is not None and self._warned is not under_way.spec:
            self._warned = under_way.spec
            words = (
                f"{under_way.spec.method} was already sent and can't be cancelled; press esc again to leave it running"
            )
            self._check.warn(words)
        else:
            self.post_message(self.LeaveWanted())

    @on(AutocompleteInput.HistoryStepped)
    def _step_history(self, event: AutocompleteInput.HistoryStepped) -> None:
        event.stop()
        if (form := self.requests.step(self._form.form, event.steps)) is not None:
            self._form.fill(form)
            self.requests.show()

    @on(AutocompleteInput.CommandPasted)
    def _take_command(self, event: AutocompleteInput.CommandPasted) -> None:
        event.stop()
        try:
            form = read_command(event.text, self.composer.gateway.base_url)
        except PastedCommandError as error:
            self._check.fail(f"not pasted: {error}")
            return
        self.load(form)
        self._pasted = (self._form.form, form.signature)

    @on(RequestFormView.Changed)
    def _changed(self, event: RequestFormView.Changed) -> None:
        event.stop()
        self.requests.show_owner(event.form)
        self._check.follow(event.form)
        if (has_path := bool(event.form.path.strip())) is not self._has_path:
            # There is something to send now, or no longer.
            self._has_path = has_path
            self.screen.refresh_bindings()

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why the action's key would do nothing; "" where it would act."""
        entry = self.requests.shown
        match action:
            case "send" if self.requests.in_flight is not None:
                return availability.STILL_WAITING
            case "send" | "copy" | "keep" if not self._form.form.path.strip():
                return availability.PATH_FIRST
            case "keep_key" if not self.composer.idempotency_header:
                return availability.NO_KEYS
            case "keep_key" if self.requests.with_key_toggled(self._form.form) == self._form.form:
                return availability.NO_LAST_KEY
            case "open_place" if entry is None:
                return availability.NOT_SENT_YET
            case "open_place" if entry is not None and self.composer.place(entry.spec) is None:
                return availability.NAMES_NOTHING
            case "save":
                return self._answer.noop_reason(action, parameters)
        return ""
