"""What stands in the console's fields as a request: how it would leave, which fields it may name, where it leads."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice

from textual.content import Content

from svc_tui.domain.console.request_form import ComposedRequest, RequestForm, compose_request
from svc_tui.domain.data.references import Held
from svc_tui.domain.http.errors import RequestRefused
from svc_tui.domain.http.routes import PlaceError, parse_place
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.credentials import Environment
from svc_tui.domain.model.records import Place
from svc_tui.domain.model.requests import RequestSpec, SignedRequest
from svc_tui.ui.console.body_file import read_body
from svc_tui.ui.text import shown, visible

MAX_SAMPLED_RECORDS = 200
"""Records that are looked at for the names of their fields."""


class RequestComposer:
    """Reads forms for one console; `preview` tells what would go out, and raises RequestRefused."""

    def __init__(
        self,
        environment: Environment,
        preview: Callable[[RequestSpec], SignedRequest],
        collections: tuple[Collection, ...],
        held: Callable[[], Held],
    ) -> None:
        self.environment, self.preview, self.collections, self._held = environment, preview, collections, held

    def composed(self, form: RequestForm) -> ComposedRequest:
        """The request that the form describes."""
        return compose_request(form, self.collections)

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
        return replace(composed.spec, body=await asyncio.to_thread(read_body, composed.file))

    def place(self, spec: RequestSpec) -> Place | None:
        """The collection or record that a request reads; None where its path names none."""
        try:
            return parse_place(f"/{spec.path.partition('?')[0].removeprefix('/')}", self.collections)
        except PlaceError:
            return None

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
            return shown("method, path, then ctrl+j", "$role-muted")
        elsewhere = next((p for p in composed.problems if p.field in ("method", "path") and not p.blank), None)
        if elsewhere is not None:
            return shown(f"✕ {elsewhere}", "$role-danger")
        blank = next((p for p in composed.problems if p.field in ("path", "query") and p.blank), None)
        if blank is not None:
            return shown(f"{blank.message}, or ctrl+j asks for it", "$role-warning")
        try:
            signed = self.preview(composed.spec)
        except RequestRefused as refusal:
            return shown(f"✕ {refusal}", "$role-danger")
        # Nothing between arrow and target: a line break would come there first.
        where = Content("")
        if self.environment is Environment.LIVE and composed.spec.writes:
            where = Content.assemble((" LIVE ", "bold reverse $role-live"), " ")
        return Content.assemble(where, ("→", "$role-muted"), (visible(signed.target), "$role-foreground"))
