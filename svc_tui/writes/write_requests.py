"""The requests that write: those of each change of a record, and what one that is written out changes."""

import hashlib
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from svc_tui.core.catalog import COLLECTIONS, ROUTES, VERSION_PREFIX, Collection
from svc_tui.core.draft import Draft, Freshness
from svc_tui.core.jsontext import Json, JsonError, encode_json, loads
from svc_tui.core.records import Place
from svc_tui.core.requests import RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.errors import RequestRefused
from svc_tui.service.routes import PlaceError, nested_in, parse_place, record_path, target_of
from svc_tui.storage.journal_entries import Intent
from svc_tui.writes.approval_guard import Proposal, ProposedChange

_IF_MATCH = "If-Match"
_STRONG = re.compile(r'"[!#-~]*"')
"""A strong entity tag of ASCII alone (RFC 9110, section 8.8.3)."""


class RefreshedRequest(Struct, frozen=True):
    """A request with the `If-Match` of the record as it is now, and what that record means for its edits."""

    request: SignedRequest
    freshness: Freshness | None = None


def build_update_request(place: Place, draft: Draft) -> RequestSpec:
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


def build_create_request(collection: Collection, fields: Mapping[str, Json]) -> RequestSpec:
    """The POST that creates a record with these fields and no other."""
    return RequestSpec(
        "POST", collection.path, headers=(("Content-Type", "application/json"),), body=encode_json(fields)
    )


def build_delete_request(place: Place) -> RequestSpec:
    """The DELETE of the record at `place`; raises RequestRefused where no path can name it."""
    return RequestSpec("DELETE", record_path(place.collection, place.id))


def parse_fields(body: bytes) -> Mapping[str, Json] | None:
    """The fields of a body that is a JSON object; None for any other body."""
    try:
        value = loads(body)
    except JsonError:
        return None
    return value if isinstance(value, Mapping) else None


def hash_body(body: bytes) -> str:
    """The SHA-256 of a body, in hex."""
    return hashlib.sha256(body).hexdigest()


def identify_request(spec: RequestSpec) -> str:
    """Return what makes two requests the same: method, target and body, to the byte."""
    return f"{spec.method.upper()} {_sent_target(spec)} {hash_body(spec.body)}"


def identify_intent(intent: Intent) -> str:
    """The identity of the request that the intent was written for; "" where an old one does not tell its body."""
    digest = intent.body_digest
    if not digest and intent.body_bytes is None:
        digest = hash_body(b"" if intent.after is None else encode_json(intent.after))
    return f"{intent.method} {intent.target} {digest}" if digest else ""


def _sent_target(spec: RequestSpec) -> str:
    try:
        return target_of(spec.path, spec.query)
    except RequestRefused:
        # It is never sent, and so the same as nothing that was: a target begins with a slash.
        return ""


class WriteTarget(Struct, frozen=True):
    """What a write changes: a record or a collection, None where the path names neither.

    `creates` is the collection that gets a new record, None where none does; `changes` the record whose fields it
    sets or that it deletes, None where it does neither, as an action.
    """

    place: Place | None = None
    creates: Collection | None = None
    changes: Place | None = None


def parse_write_target(method: str, target: str, collections: Sequence[Collection] = COLLECTIONS) -> WriteTarget:
    """The aim of a request; `target` is its path from `/v1` on, with or without its query.

    What follows a record in a path and is no collection that is known there, such as `/split`, is done to the record.
    """
    try:
        place = parse_place(target.partition("?")[0], collections)
        above = parse_place(place.collection.under, collections) if place.collection.under else None
    except PlaceError:
        return WriteTarget()
    if above is not None and place.collection not in nested_in(above, ROUTES, collections):
        if place.record_id is None:
            return WriteTarget(above)
    elif method.upper() == "POST" and place.record_id is None:
        return WriteTarget(place, place.collection)
    own = place.record_id is not None and method.upper() in ("PATCH", "PUT", "DELETE")
    return WriteTarget(place, changes=place if own else None)


def change_from_request(spec: RequestSpec, collections: Sequence[Collection] = COLLECTIONS) -> ProposedChange:
    """What a request that was written out comes to: a request, and whatever else its method and path say."""
    target = _written_target(spec)
    aim = parse_write_target(spec.method, target, collections)
    # A path that names nothing known is still somewhere: a rule for a domain holds there too.
    path = target.partition("?")[0].removeprefix(f"{VERSION_PREFIX}/").casefold()
    return ProposedChange(("request", _kind(spec.method, aim)), aim.place.key if aim.place else "", spec, path=path)


def proposal_from_request(spec: RequestSpec, collections: Sequence[Collection] = COLLECTIONS) -> Proposal:
    """The same as its author sees it: nobody has seen the record yet that it changes."""
    aim = parse_write_target(spec.method, _written_target(spec), collections)
    edits = parse_fields(spec.body) if aim.changes is not None and spec.method.upper() == "PATCH" else None
    return Proposal(change_from_request(spec, collections), aim.place, edits=edits)


def change_from_action(
    place: Place, spec: RequestSpec, collections: Sequence[Collection] = COLLECTIONS
) -> ProposedChange:
    """What an action on the record at `place` comes to; one that sets its fields or deletes it is that as well."""
    kind = _kind(spec.method, parse_write_target(spec.method, _written_target(spec), collections))
    return ProposedChange(tuple(dict.fromkeys(("action", kind))), place.key, spec)


def _kind(method: str, aim: WriteTarget) -> str:
    if aim.changes is not None:
        return "delete" if method.upper() == "DELETE" else "update"
    return "action" if aim.creates is None else "create"


def _written_target(spec: RequestSpec) -> str:
    """The target as it is sent, or as it is written where it is refused."""
    try:
        return target_of(spec.path, spec.query)
    except RequestRefused:
        return spec.path
