"""The requests that write: one for each change of a record, as bytes that are the same for the same change."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from svc_tui.domain.editing.draft import Draft, Freshness
from svc_tui.domain.editing.ports import Intent
from svc_tui.domain.http.errors import RequestRefused
from svc_tui.domain.http.routes import record_path, target_of
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import Json, JsonError, encode_json, loads
from svc_tui.domain.model.records import Place
from svc_tui.domain.model.requests import RequestSpec, SignedRequest

_IF_MATCH = "If-Match"
_STRONG = re.compile(r'"[!#-~]*"')
"""A strong entity tag of ASCII alone (RFC 9110, section 8.8.3)."""


@dataclass(frozen=True, slots=True)
class CompletedRequest:
    """A request with the `If-Match` of the record as it is now, and what that record means for its edits."""

    request: SignedRequest
    freshness: Freshness | None = None


def update_request(place: Place, draft: Draft) -> RequestSpec:
    """The PATCH that sends only what `draft` changes; one body for one set of edits, to the byte.

    It holds for the record as the draft's base tells it, where that came with an ETag.
    """
    spec = RequestSpec(
        "PATCH",
        record_path(place.collection, place.id),
        headers=(("Content-Type", "application/json"),),
        body=encode_json(draft.edits),
    )
    return with_if_match(spec, draft.base.etag)


def with_if_match(spec: RequestSpec, etag: str) -> RequestSpec:
    """The request for a record with this ETag alone: `If-Match` in its headers, or none where `etag` can't be there.

    A weak tag can't: it never matches (RFC 9110, section 13.1.1).
    """
    others = tuple((name, value) for name, value in spec.headers if name != _IF_MATCH)
    return replace(spec, headers=(*others, (_IF_MATCH, etag)) if _STRONG.fullmatch(etag) else others)


def is_under_record(place: Place, spec: RequestSpec) -> bool:
    """Whether the request's path is that of the record at `place` or under it, as `/lots/lot-1/split` is."""
    path = record_path(place.collection, place.id)
    return spec.path == path or spec.path.startswith(f"{path}/")


def create_request(collection: Collection, fields: Mapping[str, Json]) -> RequestSpec:
    """The POST that makes a record with these fields and no other."""
    return RequestSpec(
        "POST", collection.path, headers=(("Content-Type", "application/json"),), body=encode_json(fields)
    )


def delete_request(place: Place) -> RequestSpec:
    """The DELETE of the record at `place`; raises RequestRefused where no path can name it."""
    return RequestSpec("DELETE", record_path(place.collection, place.id))


def body_fields(body: bytes) -> Mapping[str, Json] | None:
    """The fields of a body that is a JSON object; None for any other body."""
    try:
        value = loads(body)
    except JsonError:
        return None
    return value if isinstance(value, Mapping) else None


def body_digest(body: bytes) -> str:
    """The SHA-256 of a body, in hex."""
    return hashlib.sha256(body).hexdigest()


def request_identity(spec: RequestSpec) -> str:
    """What makes two requests the same: method, target and body, to the byte."""
    return f"{spec.method.upper()} {_sent_target(spec)} {body_digest(spec.body)}"


def intent_identity(intent: Intent) -> str:
    """The identity of the request that the intent was written for; "" where an old one does not tell its body."""
    digest = intent.body_digest
    if not digest and intent.body_bytes is None:
        digest = body_digest(b"" if intent.after is None else encode_json(intent.after))
    return f"{intent.method} {intent.target} {digest}" if digest else ""


def _sent_target(spec: RequestSpec) -> str:
    try:
        return target_of(spec.path, spec.query)
    except RequestRefused:
        # It is never sent, and so the same as nothing that was: a target begins with a slash.
        return ""
