"""Every endpoint of the service, one method on one path: the table that is served, and that its documents tell."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from svc_tui.core.catalog import ATTACHMENTS, COLLECTIONS, OPERATIONS, SPLIT, VERIFY, VERSION_PREFIX
from svc_tui.sandbox.data.resources import ATTACHMENT_RULES, LOTS, RULES
from svc_tui.sandbox.data.schema import FieldRule


class EndpointOperation(StrEnum):
    """What an endpoint does; the first five are those of every collection."""

    LIST = "list"
    GET = "get"
    CREATE = "create"
    UPDATE = "update"
    REMOVE = "remove"
    SPLIT = "split"
    VERIFY = "verify"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method on one path, whose `{names}` stand for any one segment; `rules` are those of the records it is about.

    `collection` is that of these records; for attachments it has a `{id}` where the lot's id stands.
    """

    operation: EndpointOperation
    method: str
    path: str
    collection: str
    rules: Mapping[str, FieldRule]

    @property
    def segments(self) -> tuple[str | None, ...]:
        """The path's segments, None for one that may be anything."""
        return tuple(None if segment.startswith("{") else segment for segment in self.path.split("/")[1:])

    @property
    def names(self) -> tuple[str, ...]:
        """What stands in braces in the path, in order."""
        return tuple(segment[1:-1] for segment in self.path.split("/") if segment.startswith("{"))


@dataclass(frozen=True, slots=True)
class FoundEndpoint:
    """An endpoint, and what stands in the path of a request where the endpoint's has names."""

    endpoint: Endpoint
    values: tuple[str, ...]

    @property
    def record_id(self) -> str:
        """The id of the record that the request is about."""
        return self.values[-1]

    @property
    def under(self) -> str | None:
        """The id of the record that the collection is under; None for one that stands alone."""
        return self.values[0] if "{" in self.endpoint.collection else None

    @property
    def collection(self) -> str:
        """The key of the collection: `operations/lots`, `operations/lots/lot-000001/attachments`."""
        return self.endpoint.collection.replace("{id}", self.values[0]) if self.under else self.endpoint.collection


def allowed_methods(methods: Iterable[str]) -> str:
    """What `Allow` says of a path with these methods: who gives an answer gives its head alone too."""
    return ", ".join(each for method in methods for each in ((method, "HEAD") if method == "GET" else (method,)))


def _all() -> Iterator[Endpoint]:
    for collection in COLLECTIONS:
        yield from _of_collection(collection.path, RULES[collection.key])
    yield Endpoint(EndpointOperation.SPLIT, SPLIT.method, SPLIT.path, LOTS, RULES[LOTS])
    yield from _of_collection(ATTACHMENTS.path, ATTACHMENT_RULES)
    yield Endpoint(
        EndpointOperation.VERIFY, VERIFY.method, VERIFY.path, "operations/custody", RULES["operations/custody"]
    )


def _of_collection(path: str, rules: Mapping[str, FieldRule]) -> Iterator[Endpoint]:
    key = path.removeprefix(f"{VERSION_PREFIX}/")
    # A nested collection has the other's id in its path already.
    record = "{itemId}" if "{id}" in path else "{id}"
    for operation in OPERATIONS:
        whole = f"{path}/{record}" if operation.on_record else path
        yield Endpoint(EndpointOperation(operation.name), operation.method, whole, key, rules)


ENDPOINTS: tuple[Endpoint, ...] = tuple(_all())
"""All of them, in the order of the document."""
