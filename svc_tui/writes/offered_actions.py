"""The actions that the `x` menu offers for a record, or for the marked records."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from svc_tui.core.catalog import Collection, Route
from svc_tui.core.phrases import counted
from svc_tui.core.records import Place, Record
from svc_tui.service.routes import nested_in
from svc_tui.service.scopes import MissingScopes
from svc_tui.writes.actions import Action, actions_on


class CopyRecord(Struct, frozen=True):
    """A new record from a copy of this one."""


class ChangeMarked(Struct, frozen=True):
    """One change for all marked records."""


class DeleteRecord(Struct, frozen=True):
    """The record's deletion."""


class ExportRecords(Struct, frozen=True):
    """What the table shows, to a file."""


class AddField(Struct, frozen=True):
    """A field that only other records have, for this one."""


class CompareMarked(Struct, frozen=True):
    """The two marked records side by side."""


class CompareEarlier(Struct, frozen=True):
    """The record beside an earlier version of itself."""


class UnmarkAll(Struct, frozen=True):
    """No record marked any more."""


class CorrectFromFile(Struct, frozen=True):
    """Changes of many records, as a file says."""


class NoteForTeam(Struct, frozen=True):
    """A note on the record, for the team."""


ChoiceElsewhere: TypeAlias = (
    AddField | ChangeMarked | ExportRecords | CompareMarked | CompareEarlier | UnmarkAll | CorrectFromFile | NoteForTeam
)
"""What is offered for a record and done elsewhere."""

ActionChoice: TypeAlias = Action | Collection | CopyRecord | DeleteRecord | ChoiceElsewhere


class OfferedAction(Struct, frozen=True):
    """One of the things that can be done: its `kind` is a method or a short word, `note` what it goes by.

    `request` is the request that it makes, `does` what happens when it is chosen; `lacking` says that the service
    refused such a request for lack of a scope.
    """

    choice: ActionChoice
    kind: str
    name: str
    note: str = ""
    request: str = ""
    does: str = ""
    lacking: bool = False


class ActionOffers(Struct, frozen=True):
    """Makes offers from the routes and collections that a profile knows; `in_team` where there is a team."""

    routes: Sequence[Route]
    collections: Sequence[Collection]
    in_team: bool = False

    def nested(self, place: Place) -> tuple[Collection, ...]:
        """The collections that hang under the record at `place`."""
        return tuple(nested_in(place, self.routes, self.collections))

    def of_marked(self, marked: int) -> list[OfferedAction]:
        """What can be done with `marked` records at once, where there are any."""
        if not marked:
            return []
        these = counted(marked, "marked record")
        offered = [
            OfferedAction(ChangeMarked(), "batch", f"Change a field of {these}…"),
            OfferedAction(ExportRecords(), "file", f"Export {these}…"),
        ]
        if marked == 2:
            offered.append(OfferedAction(CompareMarked(), "fields", "Compare the 2 marked records…"))
        return [*offered, OfferedAction(UnmarkAll(), "marks", f"Unmark {counted(marked, 'record')}")]

    def menu(
        self, place: Place, record: Record, scopes: MissingScopes, marked: int
    ) -> tuple[list[OfferedAction], list[OfferedAction]]:
        """What the menu offers for `marked` records, and what for the record at `place`."""
        offered = [*self._actions(place, record, scopes)]
        offered += [
            OfferedAction(nested, "table", f"{nested.name} of {place.record_id}") for nested in self.nested(place)
        ]
        offered.append(self._copy(place, scopes))
        offered.append(
            OfferedAction(AddField(), "fields", "Add a field…", does="a field that this record does not have yet")
        )
        offered.append(OfferedAction(CompareEarlier(), "fields", "Compare with an earlier version…"))
        if self.in_team:
            offered.append(OfferedAction(NoteForTeam(), "note", "Team note…"))
        if not marked:
            offered.append(OfferedAction(ExportRecords(), "file", "Export the table…"))
        offered.append(OfferedAction(CorrectFromFile(), "file", "Corrections from a file…"))
        return self.of_marked(marked), [*offered, self._delete(place, scopes)]

    def _actions(self, place: Place, record: Record, scopes: MissingScopes) -> Iterator[OfferedAction]:
        for action in actions_on(place, record, self.routes, self.collections):
            route = action.route
            asks = ", ".join(line.name for line in action.form.lines)
            reads = route.method.upper() in ("GET", "HEAD")
            yield OfferedAction(
                action,
                route.method.upper(),
                route.name,
                ", ".join(value for name, value in action.known.items() if name != "id"),
                _fill_path(action),
                "; ".join(
                    filter(
                        None, (asks and f"you fill in {asks}", "changes nothing" if reads else "review before sending")
                    )
                ),
                scopes.lacking(route.method, route.path),
            )

    def _copy(self, place: Place, scopes: MissingScopes) -> OfferedAction:
        path = place.collection.path
        return OfferedAction(
            CopyRecord(),
            "form",
            "Add a copy…",
            request=f"POST {path}",
            does="form, then review",
            lacking=scopes.lacking("POST", path),
        )

    def _delete(self, place: Place, scopes: MissingScopes) -> OfferedAction:
        lacking = scopes.lacking("DELETE", f"{place.collection.path}/{{id}}")
        return OfferedAction(
            DeleteRecord(),
            "DELETE",
            "Delete the record…",
            request=f"DELETE {place.path}",
            does="asks for confirmation",
            lacking=lacking,
        )


def _fill_path(action: Action) -> str:
    """The request's line with the record's values; those still to be given are in braces."""
    path, query = action.route.path, "&".join(f"{name}={value}" for name, value in action.route.query)
    line = f"{action.route.method.upper()} {path}{'?' if query else ''}{query}"
    for name, value in action.known.items():
        line = line.replace(f"{{{name}}}", value)
    return line
