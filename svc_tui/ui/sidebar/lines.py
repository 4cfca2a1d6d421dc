"""The lines of the sidebar: which there are, and how each is drawn."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from textual.content import Content

from svc_tui.domain.model.catalog import Collection, Domain, Route
from svc_tui.ui.text import measure, padded, shortened, visible

ROUTES = "Routes"
"""The title of the group of routes."""
REQUESTS = "Requests"
"""The title of the last group, of saved requests."""


@dataclass(frozen=True, slots=True)
class SavedView:
    """A way to look at a collection that was given a name."""

    collection: Collection
    name: str


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """A saved request: the name of its file, and what it is called; `mistake` says why it can't be used."""

    file: str
    name: str
    method: str = ""
    mistake: str = ""


Target: TypeAlias = str | Collection | SavedView | Route | KeptRequest
"""What a line stands for; a text is the title of a group."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line; `depth` 1 in a group, and one more for the view of a collection."""

    target: Target
    depth: int = 0


def rows(
    domains: Sequence[Domain],
    routes: Sequence[Route],
    folded: frozenset[str],
    views: Mapping[str, Sequence[str]] = MappingProxyType({}),
    requests: Sequence[KeptRequest] = (),
) -> tuple[Row, ...]:
    """The lines shown; a domain of one collection is one line, a folded group shows its title alone.

    `views` gives the names of saved views by the collection's key.
    """
    return (*_of_domains(domains, folded, views), *_group(ROUTES, routes, folded), *_group(REQUESTS, requests, folded))


def _of_domains(domains: Sequence[Domain], folded: frozenset[str], views: Mapping[str, Sequence[str]]) -> Iterator[Row]:
    for domain in domains:
        depth = 0
        if len(domain.collections) > 1:
            depth = 1
            yield Row(domain.name)
            if domain.name in folded:
                continue
        for collection in domain.collections:
            yield Row(collection, depth)
            yield from (Row(SavedView(collection, name), depth + 1) for name in views.get(collection.key, ()))


def _group(title: str, targets: Sequence[Route] | Sequence[KeptRequest], folded: frozenset[str]) -> Iterator[Row]:
    if targets:
        yield Row(title)
        if title not in folded:
            yield from (Row(target, 1) for target in targets)


def drawn(row: Row, cells: int, *, count: int | None, opened: bool, folded: bool, unsent: bool = False) -> Content:
    """One line of `cells` cells: a bar at the very left marks what is open, the count or method stands right.

    A dot before the count says that there are edits `unsent`.
    """
    dot = (" •", "$role-changed") if unsent else ""
    bar = ("▌", "$role-accent") if opened else " "
    name_style = "bold $role-accent" if opened else "$role-foreground"
    match row.target:
        case str() as group:
            sign = ("▸ " if folded else "▾ ", "$role-muted")
            name = padded(visible(group), cells - 5 if unsent else cells - 3)
            return Content.assemble(bar, sign, (name, "bold $role-foreground"), dot)
        case Route(name, method) | KeptRequest(name=name, method=method, mistake=""):
            right = Content.assemble(" ", (visible(method), "$role-muted"))
            return Content.assemble(
                bar, ("  › ", "$role-muted"), padded(visible(name), cells - 5 - right.cell_length), right
            )
        case KeptRequest() as damaged:
            return Content.assemble(
                bar, ("  ✕ ", "$role-danger"), (padded(visible(damaged.name), cells - 5), "$role-muted")
            )
        case SavedView() as view:
            indent = "  " * row.depth
            name = padded(visible(view.name), max(0, cells - 3 - len(indent)))
            return Content.assemble(bar, (f"{indent}▹ ", "$role-muted"), (name, "$role-foreground"))
        case Collection() as collection:
            number = "" if count is None else (f" {count:,}", "$role-number")
            right = Content.assemble(dot, number)
            room = cells - 1 - right.cell_length
            if not row.depth:
                return Content.assemble(bar, _both(collection, room, name_style), right)
            name = padded(visible(collection.name), room - 4)
            return Content.assemble(bar, ("  ▪ ", "$role-muted"), (name, name_style), right)


def _both(collection: Collection, room: int, name_style: str) -> Content:
    """`compliance / licenses`; where room is short, the domain gives way first."""
    name = visible(collection.name)
    domain = shortened(visible(collection.domain), max(3, room - measure(name) - 3))
    name = padded(name, max(0, room - measure(domain) - 3))
    return Content.assemble((f"{domain} / ", "$role-muted"), (name, name_style))
