"""The request console: any request, tried out through the same client as everything else."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar
from urllib.parse import urlsplit

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.message import Message
from textual.timer import Timer

from svc_tui.domain.attempts import Attempts
from svc_tui.domain.catalog import Collection, Route
from svc_tui.domain.compose import Composed, Form, KnownPath, completion, compose, form_of
from svc_tui.domain.copies import Copy
from svc_tui.domain.credentials import Environment
from svc_tui.domain.errors import RequestRefused, SentState, ServiceError
from svc_tui.domain.filling import settled, wanted
from svc_tui.domain.pastedcommand import CommandError, read_command
from svc_tui.domain.records import Place
from svc_tui.domain.references import Held
from svc_tui.domain.requestline import completed_line
from svc_tui.domain.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.domain.routes import PlaceError, parse_place
from svc_tui.domain.traffic import TrafficEvent
from svc_tui.domain.transcript import Entry, Transcript
from svc_tui.ui.bodyfile import BodyFileError, read_body
from svc_tui.ui.text import shown, visible
from svc_tui.ui.widgets.answer_view import AnswerView
from svc_tui.ui.widgets.completing_input import CompletingLine
from svc_tui.ui.widgets.request_form import RequestForm

WIDE = 110
"""Columns from which request and answer stand side by side."""

SHORT = 18
"""Rows below which the editor gives way to the answer."""

LONG_BODY = 50_000
"""Characters from which a body is checked when typing pauses, not at every key."""

SEEN = 200
"""Records that are looked at for the names of their fields."""


class ConsolePane(Container):
    """Edits a request, asks for it to be sent, and shows the answer. It sends nothing itself."""

    DEFAULT_CSS = """
    ConsolePane {
        layout: vertical;
        height: 1fr;
        width: 1fr;
        &.-short RequestForm > ContentSwitcher { height: 2; }
        &.-wide {
            layout: horizontal;
            & RequestForm { width: 2fr; height: 100%; margin-right: 1;
                padding-right: 1; border-right: solid $role-panel; }
            & RequestForm > ContentSwitcher { height: 1fr; }
            & RequestForm > #form-goes { height: auto; max-height: 3; text-wrap: wrap; }
            & AnswerView { width: 3fr; height: 100%; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+j,ctrl+enter",
            "send",
            "Send",
            id="console.send",
            priority=True,
            tooltip="Send the request as it stands",
        ),
        Binding(
            "f6",
            "copy",
            "Copy request",
            show=False,
            id="console.copy",
            tooltip="Copy the request: as a line, as curl, as Python, as a link",
        ),
        Binding(
            "y",
            "copy",
            "Copy request",
            show=False,
            id="console.copy-menu",
            tooltip="Copy the request, outside its fields",
        ),
        Binding(
            "f9",
            "explain",
            "Explain signature",
            show=False,
            id="console.explain",
            tooltip="Explain the request's signature: what was signed, and why it was refused if it was",
        ),
        Binding(
            "ctrl+e", "save", "Save answer", show=False, id="console.save", tooltip="Save the answer's body to a file"
        ),
        Binding(
            "f7",
            "keep_key",
            "Keep the key",
            show=False,
            id="console.keep-key",
            tooltip="Send again with the last idempotency key, or with a new one each time",
        ),
        Binding(
            "o",
            "open_place",
            "Open",
            show=False,
            id="console.open",
            tooltip="Open what the request reads: a list as a table, a record as a record",
        ),
        Binding(
            "ctrl+s",
            "keep",
            "Save request",
            show=False,
            id="console.keep",
            tooltip="Save the request under a name, for the sidebar, the palette and scripts",
        ),
        Binding("escape", "leave", "Leave", show=False, id="console.leave", tooltip="Back to where you came from"),
    ]

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
        form: Form

    @dataclass
    class ExplainWanted(Message):
        """The signature of a request is to be explained; `exchange` None where it has no answer."""

        request: SignedRequest
        exchange: Exchange | None = None
        failure: ServiceError | None = None

    @dataclass
    class OpenWanted(Message):
        """What the request on show reads is to be opened as a table or a record."""

        place: Place

    @dataclass
    class KeepWanted(Message):
        """What stands in the fields is to be saved under a name."""

        form: Form

    @dataclass
    class CopyWanted(Message):
        """One of these is to be copied."""

        copies: tuple[Copy, ...]

    @dataclass
    class Left(Message):
        """The user wants to go back to where they came from."""

    def __init__(
        self,
        environment: Environment,
        preview: Callable[[RequestSpec], SignedRequest],
        candidates: Sequence[KnownPath] = (),
        seen: Callable[[Exchange], Exchange] = lambda exchange: exchange,
        *,
        base_url: str = "",
        idempotency_header: str = "",
        collections: tuple[Collection, ...] = (),
        held: Callable[[], Held] = tuple,
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        """`preview` tells what would go out, and raises RequestRefused; `candidates` are completed in the path.

        `seen` gives an exchange as it may be seen now. A path may begin with the name of one of `collections`; the
        records that are `held` of them tell which fields there are. `base_url` is where a pasted address should lead,
        `idempotency_header` the name of the header that carries a write's key, "" for none.
        """
        super().__init__(id=id, classes="pane")
        self._seen = seen
        self._environment = environment
        self._preview = preview
        self._paths = tuple(candidates)
        self._base_url, self._collections, self._held = base_url, collections, held
        self._idempotency_header = idempotency_header
        self.transcript = Transcript()
        """This session's requests."""
        self._judging: Timer | None = None
        self.border_title = "Console"

    def compose(self) -> ComposeResult:
        """The request, and the answer."""
        yield RequestForm(
            lambda typed: completion(typed, self._form.form.method, self._known),
            lambda typed: completed_line(typed, self._known, self._names),
            self._names,
        )
        yield AnswerView()

    def on_mount(self) -> None:
        """Begin with a GET of nothing in particular."""
        self._judge()
        self._subtitle()
        self.post_message(self.Ready(self))

    def on_resize(self, event: events.Resize) -> None:
        """Side by side where there is room, the answer first where there is little."""
        self.set_class(event.size.width >= WIDE - 4, "-wide")
        self.set_class(event.size.height < SHORT, "-short")

    # For the main screen

    @property
    def text(self) -> str:
        """The answer's text in view, for the pager and the clipboard."""
        return self._answer.text

    def prefill(self, source: Route | RequestSpec) -> None:
        """Put a route or a request into the fields, the cursor on the first blank; nothing is sent."""
        form = form_of(source)
        self.load(form if isinstance(source, Route) else settled(form))

    def load(self, form: Form) -> None:
        """Put a request into the fields as it is written, the cursor on the first blank; nothing is sent."""
        self.transcript = self.transcript.written()
        self._form.fill(form)
        self._form.start()
        self._subtitle()

    def learn(self, paths: Sequence[KnownPath]) -> None:
        """Propose these paths too, after those that are known from the start."""
        self._paths = tuple(dict.fromkeys((*self._paths, *paths)))

    def send_again(self, spec: RequestSpec) -> None:
        """Ask for a request to be sent just as it is, and put it into the fields."""
        self.prefill(spec)
        if self._may_send():
            self.waiting(spec)
            self.post_message(self.Submitted(spec))

    def start(self) -> None:
        """Put the cursor where the next thing is to be typed."""
        self._form.start()

    def waiting(self, spec: RequestSpec) -> None:
        """The request is on its way."""
        signed = self._previewed(spec)
        form = self._form.form
        composed = self._composed(form)
        body = spec.body if composed.file else composed.spec.body
        if replace(composed.spec, body=body) != replace(spec, idempotency_key=""):
            form = settled(form_of(spec))
        attempts = Attempts(signed.method, signed.target) if signed else None
        self.transcript = self.transcript.sending(Entry(form, spec, signed, attempts=attempts))
        self._show_entry()

    def heard(self, event: TrafficEvent) -> None:
        """Something happened on the wire; what concerns the request on its way is told."""
        before, self.transcript = self.transcript, self.transcript.heard(event)
        entry = self.transcript.on_its_way
        if self.transcript is not before and entry is not None and entry is self.transcript.shown:
            self._answer.tell(entry.story)

    def show_exchange(self, exchange: Exchange, failure: ServiceError | None = None) -> None:
        """The request was answered; `failure` names what the answer means where it is no success."""
        self._ended(exchange, failure)

    def show_failure(self, error: ServiceError) -> None:
        """The request was not sent, or not answered."""
        self._ended(error.exchange, error)

    def show_again(self) -> None:
        """Values may be seen otherwise now."""
        self._show_entry()

    # What the user does

    async def action_send(self) -> None:
        """Ask for the request to be sent, or go to what stands in the way."""
        if not self._may_send():
            return
        composed = self._judge()
        problem = self._form.line_problem or next((found for found in composed.problems if not found.blank), None)
        if problem is not None:
            self._form.go_to(problem)
            if not composed.spec.path:
                self._tell("give a path first", "$role-warning")
            self.app.bell()
        elif wanted(self._form.form).lines:
            self.post_message(self.ValuesWanted(self, self._form.form))
        else:
            await self._send(composed)

    async def send_filled(self, form: Form) -> None:
        """Put a request into the fields whose blanks were filled in, and ask for it to be sent."""
        self._form.fill(form)
        await self.action_send()

    async def _send(self, composed: Composed) -> None:
        try:
            spec = await self._with_body(composed)
            self._preview(spec)
        except BodyFileError as error:
            self._tell(f"✕ {error}", "$role-danger")
            self.app.bell()
            return
        except RequestRefused:
            self.app.bell()
            return
        self.waiting(spec)
        self.post_message(self.Submitted(spec))

    async def action_copy(self) -> None:
        """Have one of the ways to write the request down copied, or go to what stands in the way."""
        from svc_tui.domain.requestcopies import request_copies

        composed = self._judge()
        problem = self._form.line_problem or next(iter(composed.problems), None)
        if problem is not None:
            self._form.go_to(problem)
            self.app.bell()
            return
        try:
            spec = await self._with_body(composed)
            request = self._preview(spec)
        except (BodyFileError, RequestRefused) as error:
            self._tell(f"✕ {error}", "$role-danger")
            self.app.bell()
            return
        host = urlsplit(self._base_url).netloc
        copies = request_copies(self._environment, host, request, spec.headers, self._collections, self._form.form)
        self.post_message(self.CopyWanted(copies))

    async def action_explain(self) -> None:
        """Have the signature of the request on show explained, or of the one that was written since."""
        composed = self._judge()
        entry = self.transcript.shown
        if entry is not None and entry.form == self._form.form and (entry.exchange or entry.signed):
            request = entry.exchange.request if entry.exchange else entry.signed
            assert request is not None
            self.post_message(self.ExplainWanted(request, entry.exchange, entry.failure))
            return
        try:
            self.post_message(self.ExplainWanted(self._preview(await self._with_body(composed))))
        except (BodyFileError, RequestRefused) as error:
            self._tell(f"✕ {error}", "$role-danger")

    def action_keep(self) -> None:
        """Have what stands in the fields saved under a name."""
        problem = self._form.line_problem
        if problem is not None:
            self._form.go_to(problem)
            self.app.bell()
        elif not self._form.form.path.strip():
            self._tell("give a path first", "$role-warning")
        else:
            self.post_message(self.KeepWanted(self._form.form))

    def action_keep_key(self) -> None:
        """Put the idempotency key of the last write into the headers, or take it out: then each send has its own."""
        form, name = self._form.form, self._idempotency_header
        if not name:
            self._tell("the profile has idempotency keys switched off", "$role-warning")
            return
        others = [line for line in form.headers.splitlines() if line.partition(":")[0].strip().lower() != name.lower()]
        if len(others) < len(form.headers.splitlines()):
            self._form.fill(replace(form, headers="\n".join(others)))
            return
        if key := self.transcript.last_key:
            self._form.fill(replace(form, headers="\n".join((*others, f"{name}: {key}"))))
        else:
            self._tell("no write was sent yet whose key could be kept", "$role-warning")

    def action_save(self) -> None:
        """Have the answer on show saved."""
        self._answer.action_save()

    def action_open_place(self) -> None:
        """Have the place that the request on show reads opened."""
        entry = self.transcript.shown
        if entry is None:
            return
        try:
            place = parse_place(entry.spec.path.partition("?")[0], self._collections)
        except PlaceError:
            self._tell("this path names no collection and no record", "$role-warning")
        else:
            self.post_message(self.OpenWanted(place))

    def action_leave(self) -> None:
        """Close what is open in the answer, else leave."""
        if not self._answer.close_line():
            self.post_message(self.Left())

    @on(CompletingLine.Walked)
    def _walk(self, event: CompletingLine.Walked) -> None:
        event.stop()
        if (walked := self.transcript.walked(self._form.form, event.steps)) is not None:
            self.transcript, form = walked
            self._form.fill(form)
            self._show_entry()

    @on(CompletingLine.CommandPasted)
    def _take_command(self, event: CompletingLine.CommandPasted) -> None:
        event.stop()
        try:
            form = read_command(event.text, self._base_url)
        except CommandError as error:
            self._tell(f"✕ not taken: {error}", "$role-danger")
            self.app.bell()
            return
        self.load(form)

    @on(RequestForm.Changed)
    def _changed(self, event: RequestForm.Changed) -> None:
        event.stop()
        if self._judging is not None:
            self._judging.stop()
            self._judging = None
        if len(event.form.body) < LONG_BODY:
            self._judge()
        else:
            self._judging = self.set_timer(0.3, self._judge)

    # Inside

    @property
    def _form(self) -> RequestForm:
        return self.query_one(RequestForm)

    @property
    def _answer(self) -> AnswerView:
        return self.query_one(AnswerView)

    @property
    def _known(self) -> Sequence[KnownPath]:
        """The paths that are proposed: those that are known, then those that were asked for in this session."""
        return (*self._paths, *self.transcript.paths)

    def _composed(self, form: Form) -> Composed:
        return compose(form, self._collections)

    def _names(self) -> Sequence[str]:
        """The names of the fields that records were seen to have where the path leads."""
        path = self._composed(self._form.form).spec.path.partition("?")[0]
        try:
            collection = parse_place(f"/{path.removeprefix('/')}", self._collections).collection
        except PlaceError:
            return ()
        records = next((records for held, records in self._held() if held == collection), ())
        return tuple(dict.fromkeys(name for record in islice(records, SEEN) for name in record.fields))

    async def _with_body(self, composed: Composed) -> RequestSpec:
        """The request with the body that is in a file, where one is; raises BodyFileError."""
        if not composed.file:
            return composed.spec
        return replace(composed.spec, body=await asyncio.to_thread(read_body, composed.file))

    def _judge(self) -> Composed:
        composed = self._composed(self._form.form)
        self._form.judged(composed, self._goes(composed))
        return composed

    def _goes(self, composed: Composed) -> Content:
        """What goes out, or the first reason why nothing would."""
        unread = self._form.line_problem
        if unread is not None:
            return shown(str(unread), "$role-muted") if self._form.line_begun else shown(f"✕ {unread}", "$role-danger")
        if not composed.spec.path:
            return shown("method, path, then ctrl+j", "$role-muted")
        elsewhere = next((p for p in composed.problems if p.field in ("method", "path") and not p.blank), None)
        if elsewhere is not None:
            return shown(f"✕ {elsewhere}", "$role-danger")
        blank = next((p for p in composed.problems if p.field in ("path", "query") and p.blank), None)
        if blank is not None:
            return shown(f"{blank.message}, or ctrl+j asks for it", "$role-warning")
        try:
            signed = self._preview(composed.spec)
        except RequestRefused as refusal:
            return shown(f"✕ {refusal}", "$role-danger")
        # Nothing between arrow and target: a line break would come there first.
        where = Content("")
        if self._environment is Environment.LIVE and composed.spec.writes:
            where = Content.assemble((" LIVE ", "bold reverse $role-live"), " ")
        return Content.assemble(where, ("→", "$role-muted"), (visible(signed.target), "$role-foreground"))

    def _tell(self, words: str, style: str) -> None:
        composed = self._composed(self._form.form)
        self._form.judged(composed, shown(words, style))

    def _previewed(self, spec: RequestSpec) -> SignedRequest | None:
        try:
            return self._preview(spec)
        except RequestRefused:
            return None

    def _may_send(self) -> bool:
        if self.transcript.on_its_way is not None:
            self._tell("still waiting for the answer to the last request", "$role-warning")
        return self.transcript.on_its_way is None

    def _ended(self, exchange: Exchange | None, failure: ServiceError | None) -> None:
        if self.transcript.on_its_way is None:
            # Refused before it left: nothing was waiting for it.
            composed = self._composed(self._form.form)
            entry = Entry(self._form.form, composed.spec, self._previewed(composed.spec))
            self.transcript = self.transcript.sending(entry)
        last = self.transcript.on_its_way
        in_view = last is self.transcript.shown
        self.transcript = self.transcript.ended(exchange, failure)
        if in_view:
            self._show_entry()
        self._judge()
        self._subtitle()

    def _show_entry(self) -> None:
        """Show the answer of the request that is looked at, and where among the others it is."""
        self._subtitle()
        entry = self.transcript.shown
        if entry is None:
            return
        if entry.exchange is not None:
            self._answer.show_exchange(self._seen(entry.exchange), entry.story, entry.words)
        elif entry.failure is not None:
            key = entry.idempotency_key
            request = self._previewed(replace(entry.spec, idempotency_key=key))
            sent = entry.failure.sent is not SentState.NO
            self._answer.show_failure(entry.words, request, entry.story, key, sent=sent)
        else:
            self._answer.show_waiting(entry.signed)
            if entry.attempts is not None:
                self._answer.tell(entry.story)

    def _subtitle(self) -> None:
        transcript = self.transcript
        if transcript.looking is not None:
            self.border_subtitle = f"{transcript.looking + 1} of {len(transcript.entries)} · ctrl+j sends it again"
        elif transcript.entries:
            self.border_subtitle = "ctrl+j sends · ↑ earlier requests"
        else:
            self.border_subtitle = "ctrl+j sends"
