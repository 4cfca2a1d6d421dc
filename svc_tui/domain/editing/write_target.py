"""What a request that the user wrote by hand is about, as far as its method and path tell."""

from collections.abc import Sequence
from dataclasses import dataclass

from svc_tui.domain.editing.actions import nested_in
from svc_tui.domain.http.routes import PlaceError, parse_place
from svc_tui.domain.model.catalog import COLLECTIONS, ROUTES, Collection
from svc_tui.domain.model.records import Place


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
