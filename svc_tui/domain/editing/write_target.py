"""What a request that the user wrote by hand is about, as far as its method and path tell."""

from collections.abc import Sequence
from dataclasses import dataclass

from svc_tui.domain.editing.actions import nested_in
from svc_tui.domain.editing.ports import Proposal, ProposedChange
from svc_tui.domain.editing.write_requests import body_fields
from svc_tui.domain.http.errors import RequestRefused
from svc_tui.domain.http.routes import PlaceError, parse_place, target_of
from svc_tui.domain.model.catalog import COLLECTIONS, ROUTES, VERSION_PREFIX, Collection
from svc_tui.domain.model.records import Place
from svc_tui.domain.model.requests import RequestSpec


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """What a write changes: a record or a collection, None where the path names neither.

    `makes` is the collection that it makes a record in, None where it makes none; `changes` the record whose fields it
    sets or that it deletes, None where it does neither, as an action.
    """

    place: Place | None = None
    makes: Collection | None = None
    changes: Place | None = None


def write_target(method: str, target: str, collections: Sequence[Collection] = COLLECTIONS) -> WriteTarget:
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


def written_change(spec: RequestSpec, collections: Sequence[Collection] = COLLECTIONS) -> ProposedChange:
    """What a request that was written out comes to: a request, and whatever else its method and path say."""
    target = _sent_target(spec)
    aim = write_target(spec.method, target, collections)
    # A path that names nothing known is still somewhere: a rule for a domain holds there too.
    path = target.partition("?")[0].removeprefix(f"{VERSION_PREFIX}/").casefold()
    return ProposedChange(("request", _kind(spec.method, aim)), aim.place.key if aim.place else "", spec, path=path)


def written_proposal(spec: RequestSpec, collections: Sequence[Collection] = COLLECTIONS) -> Proposal:
    """The same as its author sees it: nobody has seen the record yet that it changes."""
    aim = write_target(spec.method, _sent_target(spec), collections)
    edits = body_fields(spec.body) if aim.changes is not None and spec.method.upper() == "PATCH" else None
    return Proposal(written_change(spec, collections), aim.place, edits=edits)


def action_change(place: Place, spec: RequestSpec, collections: Sequence[Collection] = COLLECTIONS) -> ProposedChange:
    """What an action on the record at `place` comes to; one that sets its fields or deletes it is that as well."""
    kind = _kind(spec.method, write_target(spec.method, _sent_target(spec), collections))
    return ProposedChange(tuple(dict.fromkeys(("action", kind))), place.key, spec)


def _kind(method: str, aim: WriteTarget) -> str:
    if aim.changes is not None:
        return "delete" if method.upper() == "DELETE" else "update"
    return "action" if aim.makes is None else "create"


def _sent_target(spec: RequestSpec) -> str:
    try:
        return target_of(spec.path, spec.query)
    except RequestRefused:
        # It is refused before it leaves, whatever it is.
        return spec.path
