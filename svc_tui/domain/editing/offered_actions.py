"""What is offered to be done with a record: the lines of the `x` menu, and of the record's tab of actions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from svc_tui.domain.editing.actions import Action, actions_on, nested_in
from svc_tui.domain.http.scopes import Scopes
from svc_tui.domain.model.catalog import Collection, Route
from svc_tui.domain.model.records import Place, Record


@dataclass(frozen=True, slots=True)
class Copy:
    """A new record from a copy of this one."""


@dataclass(frozen=True, slots=True)
class ChangeMarked:
    """One change for all marked records."""


@dataclass(frozen=True, slots=True)
class Delete:
    """The record's deletion."""


@dataclass(frozen=True, slots=True)
class Export:
    """What the table shows, to a file."""


Choice: TypeAlias = Action | Collection | Copy | ChangeMarked | Delete | Export


@dataclass(frozen=True, slots=True)
class Offer:
    """One of the things that can be done: its `kind` is a method or a short word, `note` what it goes by.

    `request` is the request that it makes, `does` what happens when it is chosen; `lacking` says that the service
    refused such a request for lack of a scope.
    """

    choice: Choice
    kind: str
    name: str
    note: str = ""
    request: str = ""
    does: str = ""
    lacking: bool = False


@dataclass(frozen=True, slots=True)
class Offering:
    """Makes offers from the routes and collections that a profile knows."""

    routes: Sequence[Route]
    collections: Sequence[Collection]

    def nested(self, place: Place) -> tuple[Collection, ...]:
        """The collections that hang under the record at `place`."""
        return tuple(nested_in(place, self.routes, self.collections))

    def of_record(self, place: Place, record: Record, scopes: Scopes) -> list[Offer]:
        """What can be done with the record itself, in the tab of its actions."""
        return [*self._actions(place, record, scopes), self._copy(place, scopes), self._delete(place, scopes)]

    def menu(self, place: Place, record: Record, scopes: Scopes, marked: int) -> list[Offer]:
        """What the menu offers, `marked` records being marked."""
        offered = [*self._actions(place, record, scopes)]
        offered += [Offer(nested, "table", f"{nested.name} of {place.record_id}") for nested in self.nested(place)]
        offered.append(self._copy(place, scopes))
        if marked:
            offered.append(Offer(ChangeMarked(), "batch", f"Change a field of the {marked:,} marked…"))
        return [*offered, Offer(Export(), "file", "Export what the table shows…"), self._delete(place, scopes)]

    def _actions(self, place: Place, record: Record, scopes: Scopes) -> Iterator[Offer]:
        for action in actions_on(place, record, self.routes, self.collections):
            route = action.route
            asks = ", ".join(line.name for line in action.form.lines)
            reads = route.method.upper() in ("GET", "HEAD")
            yield Offer(
                action,
                route.method.upper(),
                route.name,
                ", ".join(value for name, value in action.known.items() if name != "id"),
                _filled(action),
                "; ".join(filter(None, (asks and f"asks for {asks}", "only reads" if reads else "reviewed first"))),
                scopes.lacking(route.method, route.path),
            )

    def _copy(self, place: Place, scopes: Scopes) -> Offer:
        path = place.collection.path
        return Offer(
            Copy(),
            "form",
            "A new record from a copy of this one…",
            request=f"POST {path}",
            does="a form, then reviewed",
            lacking=scopes.lacking("POST", path),
        )

    def _delete(self, place: Place, scopes: Scopes) -> Offer:
        lacking = scopes.lacking("DELETE", f"{place.collection.path}/{{id}}")
        return Offer(
            Delete(), "DELETE", "Delete the record…", request=f"DELETE {place.path}", does="asks first", lacking=lacking
        )


def _filled(action: Action) -> str:
    """The request's line with what the record gives; what is still to be given stands in braces."""
    path, query = action.route.path, "&".join(f"{name}={value}" for name, value in action.route.query)
    line = f"{action.route.method.upper()} {path}{'?' if query else ''}{query}"
    for name, value in action.known.items():
        line = line.replace(f"{{{name}}}", value)
    return line
