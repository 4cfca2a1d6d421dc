"""The service's domains, collections and irregular routes, and how their names are spelled in URLs.

Source: service-interface, "What the service does" and "Endpoints". The document shows one path in full
(`/v1/operations/lots`); every other collection is reached at `/v1/<domain>/<collection>`, its segment spelled
as the document's table spells its name unless a profile says otherwise.
"""

import re

from msgspec import Struct

from svc_tui.core.values import replace

VERSION_PREFIX = "/v1"
"""The path segment that all routes carry and that the signed path includes."""


class Collection(Struct, frozen=True):
    """One collection of records.

    `domain` and `name` are the words of the service's table; `segment` is how the name is spelled in the URL.
    A nested collection (the attachments of a lot) carries the encoded path of the record it belongs to in `under`.
    """

    domain: str
    name: str
    segment: str = ""
    under: str = ""

    @property
    def path(self) -> str:
        """The URL path, percent-encoded as needed: `/v1/operations/lots`."""
        segment = self.segment or self.name
        return f"{self.under or f'{VERSION_PREFIX}/{self.domain}'}/{segment}"

    @property
    def key(self) -> str:
        """The name people and files use: `operations/lots`; for a nested one, its path below the version."""
        if self.under:
            return self.path.removeprefix(f"{VERSION_PREFIX}/")
        return f"{self.domain}/{self.name}"

    @property
    def kind(self) -> str:
        """What it is remembered by: its key, the record that a nested one is under left out, so that all share it."""
        above = self.under.removeprefix(f"{VERSION_PREFIX}/").rpartition("/")[0]
        return f"{above}/*/{self.name}" if self.under else self.key

    def spelled(self, segment: str) -> "Collection":
        """The same collection with another spelling in the URL."""
        return replace(self, segment=segment)


class Domain(Struct, frozen=True):
    """A named group of collections."""

    name: str
    collections: tuple[Collection, ...]


BLANK = re.compile(r"\{(\w+)\}")
"""A `{name}` in a route, to be filled in."""


class Route(Struct, frozen=True):
    """A route outside the uniform pattern; `{name}` in `path`, `query` values or `body` asks for a value."""

    name: str
    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: str = ""


class Operation(Struct, frozen=True):
    """One of the operations that every collection has; `query` and `body` are what a request of it begins with."""

    name: str
    method: str
    title: str
    on_record: bool = False
    query: tuple[tuple[str, str], ...] = ()
    body: str = ""

    def route(self, collection: Collection) -> Route:
        """The operation on a collection; one on a record asks for its id."""
        path = f"{collection.path}/{{id}}" if self.on_record else collection.path
        return Route(f"{self.title} · {collection.name}", self.method, path, self.query, self.body)


def _domain(name: str, *collections: str) -> Domain:
    return Domain(name, tuple(Collection(name, collection) for collection in collections))


DOMAINS: tuple[Domain, ...] = (
    _domain("operations", "lots", "tunnels", "productionLogs", "shiftLogs", "custody", "analytics"),
    _domain("compliance", "licenses"),
    _domain("inventory", "stock"),
    _domain("environment", "monitoring"),
    _domain("finance", "invoices"),
    _domain("workforce", "workers"),
    _domain("safety", "incidents"),
)
"""The service's resource table, in its order."""

COLLECTIONS: tuple[Collection, ...] = tuple(collection for domain in DOMAINS for collection in domain.collections)
"""All twelve collections."""

OPERATIONS: tuple[Operation, ...] = (
    Operation("list", "GET", "List the records", query=(("page", "1"), ("limit", "50"))),
    Operation("get", "GET", "Get one record", on_record=True),
    Operation("create", "POST", "Create a record", body="{}"),
    Operation("update", "PATCH", "Update a record", on_record=True, body="{}"),
    Operation("remove", "DELETE", "Delete a record", on_record=True),
)
"""The uniform pattern, in the document's order and by its names."""

SPLIT = Route("Split a lot", "POST", "/v1/operations/lots/{id}/split", body='{"parts": {parts}}')
ATTACHMENTS = Route("Attachments of a lot", "GET", "/v1/operations/lots/{id}/attachments")
VERIFY = Route("Verify a hash chain", "GET", "/v1/operations/hash-chain/verify", query=(("tunnelId", "{tunnelId}"),))

ROUTES: tuple[Route, ...] = (SPLIT, ATTACHMENTS, VERIFY)
"""The irregular routes that the document shows."""


def find_collection(text: str, collections: tuple[Collection, ...] = COLLECTIONS) -> Collection | None:
    """The collection that `text` names: `operations/lots`, or `lots` where that is unambiguous; case is ignored."""
    wanted = text.strip("/").casefold()
    for collection in collections:
        if collection.key.casefold() == wanted:
            return collection
    named = [c for c in collections if wanted in (c.name.casefold(), (c.segment or c.name).casefold())]
    return named[0] if len(named) == 1 else None
