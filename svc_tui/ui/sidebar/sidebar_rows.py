"""The lines of the sidebar: which there are, and how each is drawn."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct
from textual.content import Content

from svc_tui.core.catalog import Collection, Domain, Route
from svc_tui.ui.text import measure, pad, shorten, visible

ROUTES_TITLE = "Routes"
"""The title of the group of routes."""
REQUESTS_TITLE = "Requests"
"""The title of the last group, of saved requests."""


class SavedView(Struct, frozen=True):
    """A way to look at a collection that was given a name."""

    collection: Collection
    name: str


class SavedRequestEntry(Struct, frozen=True):
    """A saved request: the name of its file, and what it is called; `mistake` says why it can't be used."""

    file: str
    name: str
    method: str = ""
    mistake: str = ""


RowTarget: TypeAlias = str | Collection | SavedView | Route | SavedRequestEntry
"""What a line stands for; a text is the title of a group."""


class SidebarRow(Struct, frozen=True):
    """One line; `depth` 1 in a group, and one more for the view of a collection."""

    target: RowTarget
    depth: int = 0


def sidebar_rows(
    domains: Sequence[Domain],
    routes: Sequence[Route],
    folded: frozenset[str],
    views: Mapping[str, Sequence[str]] = MappingProxyType({}),
    requests: Sequence[SavedRequestEntry] = (),
) -> tuple[SidebarRow, ...]:
    """The lines shown; a domain of one collection is one line, a folded group shows its title alone.

    `views` gives the names of saved views by the collection's key.
    """
    return (
        *_domain_rows(domains, folded, views),
        *_group_rows(ROUTES_TITLE, routes, folded),
        *_group_rows(REQUESTS_TITLE, requests, folded),
    )


def _domain_rows(
    domains: Sequence[Domain], folded: frozenset[str], views: Mapping[str, Sequence[str]]
) -> Iterator[SidebarRow]:
    for domain in domains:
        depth = 0
        if len(domain.collections) > 1:
            depth = 1
            yield SidebarRow(domain.name)
            if domain.name in folded:
                continue
        for collection in domain.collections:
            yield SidebarRow(collection, depth)
            yield from (SidebarRow(SavedView(collection, name), depth + 1) for name in views.get(collection.key, ()))


def _group_rows(
    title: str, targets: Sequence[Route] | Sequence[SavedRequestEntry], folded: frozenset[str]
) -> Iterator[SidebarRow]:
    if targets:
        yield SidebarRow(title)
        if title not in folded:
            yield from (SidebarRow(target, 1) for target in targets)


def draw_row(
    row: SidebarRow, cells: int, *, count: int | None, opened: bool, folded: bool, unsent: bool = False
) -> Content:
    """One line of `cells` cells: a bar at the very left marks what is open, the count or method stands right.

    A dot before the count says that there are edits `unsent`.
    """
    dot = (" •", "$role-changed") if unsent else ""
    bar = ("▌", "$role-accent") if opened else " "
    name_style = "bold $role-accent" if opened else "$role-foreground"
    match row.target:
        case str() as group:
            sign = ("▸ " if folded else "▾ ", "$role-muted")
            name = pad(visible(group), cells - 5 if unsent else cells - 3)
            return Content.assemble(bar, sign, (name, "bold $role-foreground"), dot)
        case Route(name, method) | SavedRequestEntry(name=name, method=method, mistake=""):
            right = Content.assemble(" ", (visible(method), "$role-muted"))
            return Content.assemble(
                bar, ("  › ", "$role-muted"), pad(visible(name), cells - 5 - right.cell_length), right
            )
        case SavedRequestEntry() as damaged:
            return Content.assemble(
                bar, ("  ✕ ", "$role-danger"), (pad(visible(damaged.name), cells - 5), "$role-muted")
            )
        case SavedView() as view:
            indent = "  " * row.depth
            name = pad(visible(view.name), max(0, cells - 3 - len(indent)))
            return Content.assemble(bar, (f"{indent}▹ ", "$role-muted"), (name, "$role-foreground"))
        case Collection() as collection:
            number = "" if count is None else (f" {count:,}", "$role-number")
            right = Content.assemble(dot, number)
            room = cells - 1 - right.cell_length
            if not row.depth:
                return Content.assemble(bar, _full_name(collection, room, name_style), right)
            name = pad(visible(collection.name), room - 4)
            return Content.assemble(bar, ("  ▪ ", "$role-muted"), (name, name_style), right)


def _full_name(collection: Collection, room: int, name_style: str) -> Content:
    """`compliance / licenses`; where room is short, the domain gives way first."""
    name = visible(collection.name)
    domain = shorten(visible(collection.domain), max(3, room - measure(name) - 3))
    name = pad(name, max(0, room - measure(domain) - 3))
    return Content.assemble((f"{domain} / ", "$role-muted"), (name, name_style))
