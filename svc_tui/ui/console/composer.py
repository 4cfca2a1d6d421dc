"""The console's fields as a request: how it would be sent, which fields it may name, which place it reads."""

import asyncio
from collections.abc import Callable, Sequence
from itertools import islice
from urllib.parse import parse_qsl
from uuid import uuid4

from textual.content import Content

from svc_tui.console.request_form import (
    ComposedRequest,
    KnownPath,
    RequestForm,
    complete_path,
    compose_request,
    toggle_header,
)
from svc_tui.console.request_line import complete_line
from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import Environment
from svc_tui.core.records import Place
from svc_tui.core.references import Held
from svc_tui.core.requests import RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.errors import RequestRefused
from svc_tui.service.gateway import Gateway
from svc_tui.service.routes import PlaceError, parse_place
from svc_tui.ui.text import styled, visible

MAX_SAMPLED_RECORDS = 200
"""Records that are looked at for the names of their fields."""


class RequestComposer:
    """Reads the forms of one console, and completes what is typed into them; sends nothing."""

    def __init__(
        self,
        gateway: Gateway,
        collections: tuple[Collection, ...],
        *,
        known_paths: Sequence[KnownPath] = (),
        idempotency_header: str = "",
        held: Callable[[], Held] = tuple,
        read_body: Callable[[str], bytes],
    ) -> None:
        """`known_paths` are proposed where a path is typed, which may begin with the name of one of `collections`.

        The records that are `held` of them tell which fields there are. `idempotency_header` is the name of the header
        that carries a write's key, "" for none. `read_body` reads a body from a file, see `Session`.
        """
        self.gateway, self.collections = gateway, collections
        self._known_paths, self._held = tuple(known_paths), held
        self.idempotency_header = idempotency_header
        self._read_body = read_body

    def composed(self, form: RequestForm) -> ComposedRequest:
        """The request that the form describes."""
        return compose_request(form, self.collections)

    def describes(self, form: RequestForm, spec: RequestSpec) -> bool:
        """Whether the form describes this request, but for the key that it was sent with."""
        composed = self.composed(form)
        body = spec.body if composed.file else composed.spec.body
        return replace(composed.spec, body=body) == replace(spec, idempotency_key="")

    def preview(self, spec: RequestSpec) -> SignedRequest:
        """What would go out; raises RequestRefused where nothing would."""
        return self.gateway.preview(spec)

    def preview_or_none(self, spec: RequestSpec) -> SignedRequest | None:
        """What would go out; None where nothing would."""
        try:
            return self.preview(spec)
        except RequestRefused:
            return None

    async def whole(self, composed: ComposedRequest) -> RequestSpec:
        """The request with the body that is in a file, where one is; raises BodyFileError."""
        if not composed.file:
            return composed.spec
        return replace(composed.spec, body=await asyncio.to_thread(self._read_body, composed.file))

    def place(self, spec: RequestSpec) -> Place | None:
        """The collection or record that a request reads; None where its path names none."""
        try:
            return parse_place(f"/{spec.path.partition('?')[0].removeprefix('/')}", self.collections)
        except PlaceError:
            return None

    def query(self, spec: RequestSpec) -> tuple[tuple[str, str], ...]:
        """What a request asks of the collection it reads, but for the page, which the table chooses."""
        query = (*parse_qsl(spec.path.partition("?")[2], keep_blank_values=True), *spec.query)
        return tuple((name, value) for name, value in query if name not in ("page", "limit"))

    def with_new_key(self, spec: RequestSpec) -> tuple[tuple[str, str], ...]:
        """The headers of a request that is copied, a write's with an idempotency key: run twice, it is done once."""
        name = self.idempotency_header
        if not name or not spec.writes or any(given.lower() == name.lower() for given, _ in spec.headers):
            return spec.headers
        return (*spec.headers, (name, str(uuid4())))

    def with_key_toggled(self, form: RequestForm, key: str) -> RequestForm:
        """The form with the header of the idempotency key added, or taken out; itself where there is no key."""
        return toggle_header(form, self.idempotency_header, key)

    # Completing

    def add_known_paths(self, paths: Sequence[KnownPath]) -> None:
        """Propose these paths too, after those that are known already."""
        self._known_paths = tuple(dict.fromkeys((*self._known_paths, *paths)))

    def complete_path(self, typed: str, method: str, recent: Sequence[KnownPath]) -> str | None:
        """The path that `typed` is the beginning of; `recent` ones are proposed after the known ones."""
        return complete_path(typed, method, (*self._known_paths, *recent))

    def complete_line(self, typed: str, form: RequestForm, recent: Sequence[KnownPath]) -> str | None:
        """The same for a request written on one line."""
        return complete_line(typed, (*self._known_paths, *recent), lambda: self.names(form))

    def names(self, form: RequestForm) -> Sequence[str]:
        """The names of the fields that records were seen to have where the path leads."""
        place = self.place(self.composed(form).spec)
        if place is None:
            return ()
        records = next((records for held, records in self._held() if held == place.collection), ())
        return tuple(dict.fromkeys(name for record in islice(records, MAX_SAMPLED_RECORDS) for name in record.fields))

    def status(self, composed: ComposedRequest) -> Content:
        """What goes out, or the first reason why nothing would."""
        if not composed.spec.path:
            return styled("type a path, then press ctrl+j to send", "$role-muted")
        elsewhere = next((p for p in composed.problems if p.field in ("method", "path") and not p.blank), None)
        if elsewhere is not None:
            return styled(f"✕ {elsewhere}", "$role-danger")
        blank = next((p for p in composed.problems if p.field in ("path", "query") and p.blank), None)
        if blank is not None:
            return styled(f"{blank.message}, or press ctrl+j to type the value", "$role-warning")
        try:
            signed = self.preview(composed.spec)
        except RequestRefused as refusal:
            return styled(f"✕ {refusal}", "$role-danger")
        # Nothing between arrow and target: a line break would come there first.
        where = Content("")
        if self.gateway.environment is Environment.LIVE and composed.spec.writes:
            where = Content.assemble((" LIVE ", "bold reverse $role-live"), " ")
        return Content.assemble(where, ("→", "$role-muted"), (visible(signed.target), "$role-foreground"))
