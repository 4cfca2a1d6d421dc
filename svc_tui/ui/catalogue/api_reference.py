"""The pages of the API reference: each operation, signing, limits, every error.

Their texts are in `api_reference.toml`; here are those that depend on the profile, the key and the loaded records.
What the service's document leaves open is marked as "Not documented"; what this program does by itself is listed under
"In svc-tui".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template

import msgspec
from msgspec import Struct

from svc_tui.core.catalog import OPERATIONS, ROUTES, Collection, Domain, Operation, Route
from svc_tui.core.folded_text import fold
from svc_tui.core.requests import READS
from svc_tui.core.settings import Profile
from svc_tui.service.advice import remedy
from svc_tui.service.clock import WINDOW
from svc_tui.service.errors import (
    ERRORS_BY_CODE,
    CertificateRefused,
    Conflict,
    NotFound,
    Redirected,
    SendResult,
    ServerFault,
    ServiceError,
    Unreachable,
)
from svc_tui.service.routes import in_spelling_of
from svc_tui.writes.actions import blank_names

NOT_DOCUMENTED = "Not documented"
IN_SVC_TUI = "In svc-tui"

_MAX_SEEN_FIELDS = 60
"""The number of field names that the page of a collection lists."""


class Fact(Struct, frozen=True):
    """A line of a page: what it is about, and a sentence or two."""

    label: str
    text: str


class ApiReferenceEntry(Struct, frozen=True):
    """An entry of the API reference: its line in the list, indented by `depth` steps, and its page.

    Enter puts `route` into the console. `common` are facts that many pages share; a search leaves them out.
    """

    title: str
    depth: int = 0
    facts: tuple[Fact, ...] = ()
    route: Route | None = None
    common: tuple[Fact, ...] = ()
    heading: str = ""
    """The title of its page, if `title` alone is not clear without the list."""

    @property
    def searchable_text(self) -> str:
        """The text that a search looks in."""
        address = f"{self.route.method} {self.route.path}" if self.route else ""
        facts = (f"{fact.label} {fact.text}" for fact in self.facts)
        return fold(" ".join((self.title, self.heading, address, *facts)))


def reference_entries(
    profile: Profile, field_names: Mapping[str, Sequence[str]], base_url: str = "", *, signs: bool = False
) -> tuple[ApiReferenceEntry, ...]:
    """Return all entries, in the order of the list.

    `field_names` are the field names of loaded records, by the collection's key; `signs` is True for a key that signs.
    """
    return tuple(_entries(_ReferenceSource(profile, field_names, base_url, signs)))


def search_entries(catalogue: Sequence[ApiReferenceEntry], text: str) -> tuple[tuple[ApiReferenceEntry, ...], int]:
    """Return the entries that contain every word of `text` with those above them, and the index of the best match.

    The best match is the first with all words in its line, else the first match; its index is 0 if nothing matches.
    """
    words = fold(text).split()
    if not words:
        return tuple(catalogue), 0
    matches: list[ApiReferenceEntry] = []
    above: list[ApiReferenceEntry] = []
    ranked: list[tuple[bool, int]] = []
    for entry in catalogue:
        above = [*above[: entry.depth], entry]
        trail = fold(" ".join(other.title for other in above))
        if all(word in entry.searchable_text or word in trail for word in words) and any(
            w in entry.searchable_text for w in words
        ):
            matches += [other for other in above if other not in matches]
            line = f"{trail} {fold(entry.route.path if entry.route else '')}"
            ranked.append((not all(word in line for word in words), matches.index(entry)))
    return tuple(matches), min(ranked)[1] if ranked else 0


class ErrorTexts(Struct, frozen=True, forbid_unknown_fields=True):
    """An error: when it occurs, its status if it has a code, and what svc-tui does about it."""

    when: str
    status: int = 0
    in_svc_tui: str = ""


class ReferenceTexts(Struct, frozen=True, forbid_unknown_fields=True):
    """The tables of `api_reference.toml`."""

    operations: dict[str, dict[str, str]]
    routes: dict[str, dict[str, str]]
    any_route: dict[str, str]
    service: dict[str, dict[str, str]]
    errors: dict[str, ErrorTexts]


ERROR_TYPES: Mapping[str, type[ServiceError]] = {
    **ERRORS_BY_CODE,
    "not found": NotFound,
    "conflict": Conflict,
    "redirect": Redirected,
    "server error": ServerFault,
    "unreachable": Unreachable,
    "certificate not trusted": CertificateRefused,
}
"""The errors that have a page, by its title."""

_OUTCOME_TEXTS = {
    SendResult.NOT_SENT: "Nothing was sent.",
    SendResult.REFUSED: "Refused. Nothing was changed.",
    SendResult.UNKNOWN: "It is not known whether the change was saved.",
    SendResult.DONE: "The change was saved.",
}


@cache
def reference_texts() -> ReferenceTexts:
    """Load the texts; they are read once."""
    return msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=ReferenceTexts)


def _fill(text: str, **values: str) -> str:
    return Template(text).substitute(values, window=WINDOW)


def _facts(texts: Mapping[str, str], **values: str) -> tuple[Fact, ...]:
    return tuple(Fact(label, _fill(text, **values)) for label, text in texts.items())


class _ReferenceSource(Struct, frozen=True):
    profile: Profile
    field_names: Mapping[str, Sequence[str]]
    base_url: str
    signs: bool

    def common(self, route: Route) -> tuple[Fact, ...]:
        """Return the facts that apply to every request."""
        signed = "The path from /v1 with the query, and the digest of the body. See Signing."
        facts = (
            Fact("Signed", signed if self.signs else f"Not with this key: it has no signing secret. {signed}"),
            Fact("Scope", "The scope of the route, else 403 insufficient_scope. Its name is not documented."),
            Fact("Limit", "Per key. Above it: 429 with Retry-After."),
            Fact("Errors", "401 for key, clock or signature; 403 for scope or address; 429. See Errors."),
        )
        if route.method in READS:
            return facts
        header = self.profile.idempotency_header
        own_key = f"Has its own {header}. " if header else ""
        support = "It is not documented whether the service supports idempotency keys."
        return (*facts, Fact("Idempotency", f"{own_key}{support}"))


def _entries(source: _ReferenceSource) -> Iterator[ApiReferenceEntry]:
    for domain in source.profile.domains():
        yield _domain_entry(domain)
        for collection in domain.collections:
            yield from _collection_entries(source, collection)
        outside = [
            r for r in ROUTES if r.path.startswith(f"/v1/{domain.name}/") and not _is_below(r, domain.collections)
        ]
        for route in outside:
            yield _route_entry(source, route, 1)
    if source.profile.routes:
        yield ApiReferenceEntry("Your routes", facts=(Fact("Source", f"Profile {source.profile.name}."),))
        for route in source.profile.routes:
            yield _route_entry(source, route, 1)
    any_route = Route("Any other route", "GET", "/v1/")
    any_route_facts = _facts(reference_texts().any_route)
    yield ApiReferenceEntry(any_route.name, facts=any_route_facts, route=any_route, common=source.common(any_route))
    base_url = (Fact("Base URL", source.base_url),) if source.base_url else ()
    purpose = Fact("Purpose", "An HTTP API for mining operations: twelve collections of records in seven domains.")
    events = Fact("Events", "No events or webhooks are documented.")
    yield ApiReferenceEntry("The service", facts=(purpose, *base_url, events))
    for title, texts in reference_texts().service.items():
        yield ApiReferenceEntry(title, 1, _facts(texts))
    codes = [Fact(str(error.status), code) for code, error in reference_texts().errors.items() if error.status]
    yield ApiReferenceEntry(
        "Errors", facts=(*codes, Fact(NOT_DOCUMENTED, "The format of an error body. svc-tui reads the common formats."))
    )
    yield from _error_entries()


def _error_entries() -> Iterator[ApiReferenceEntry]:
    for title, texts in reference_texts().errors.items():
        error = ERROR_TYPES[title]("")
        facts = [
            Fact("When", _fill(texts.when)),
            Fact("Change", _OUTCOME_TEXTS[error.sent]),
            Fact("What to do", remedy(error)),
        ]
        if texts.status:
            facts.insert(0, Fact("Status", str(texts.status)))
        if texts.in_svc_tui:
            facts.append(Fact(IN_SVC_TUI, texts.in_svc_tui))
        yield ApiReferenceEntry(title, 1, tuple(facts), heading=f"{texts.status} {title}" if texts.status else "")


def _domain_entry(domain: Domain) -> ApiReferenceEntry:
    names = ", ".join(collection.name for collection in domain.collections)
    facts = [Fact("Collections", names), Fact("Path", f"/v1/{domain.name}/…")]
    if len(domain.collections) > 1:
        facts.append(Fact("Endpoints", "About 135."))
    facts.append(Fact(NOT_DOCUMENTED, "The purpose of this domain."))
    return ApiReferenceEntry(domain.name, facts=tuple(facts), heading=f"Domain {domain.name}")


def _collection_entries(source: _ReferenceSource, collection: Collection) -> Iterator[ApiReferenceEntry]:
    fields = source.field_names.get(collection.key, ())
    facts = [Fact("Path", collection.path), Fact("One record", f"{collection.path}/{{id}}")]
    if fields:
        more = f" and {len(fields) - _MAX_SEEN_FIELDS:,} more" if len(fields) > _MAX_SEEN_FIELDS else ""
        facts.append(Fact("Known fields", ", ".join(fields[:_MAX_SEEN_FIELDS]) + more))
    facts.append(Fact(NOT_DOCUMENTED, "The fields of a record, the format of an id, the states and their transitions."))
    if collection.name != "lots":
        facts.append(Fact("Source", "The operations are documented for lots; the other collections work the same way."))
    listed = OPERATIONS[0].route(collection)
    yield ApiReferenceEntry(collection.name, 1, tuple(facts), listed, heading=collection.key.replace("/", " / "))
    for operation in OPERATIONS:
        route = operation.route(collection)
        operation_facts = _operation_facts(operation, collection, source.profile)
        yield ApiReferenceEntry(operation.title, 2, operation_facts, route, source.common(route), heading=route.name)
    for route in ROUTES:
        if _is_below(route, (collection,)):
            yield _route_entry(source, route, 2, (collection,))


def _is_below(route: Route, collections: Iterable[Collection]) -> bool:
    return any(route.path.startswith(f"/v1/{c.domain}/{c.name}/") for c in collections)


def _route_entry(
    source: _ReferenceSource, route: Route, depth: int, of: Iterable[Collection] = ()
) -> ApiReferenceEntry:
    """Return the entry of a route outside the pattern, its path spelled as those of the collections that it is `of`."""
    facts = _facts(reference_texts().routes[route.path]) if route in ROUTES else tuple(_profile_route_facts(route))
    return ApiReferenceEntry(route.name, depth, facts, in_spelling_of(route, of), source.common(route))


def _profile_route_facts(route: Route) -> Iterator[Fact]:
    if names := ", ".join(dict.fromkeys(blank_names(route))):
        yield Fact("Placeholders", names)
    for name, value in route.query:
        yield Fact("Query", f"{name}={value}")
    if route.body:
        yield Fact("Body", route.body)


def _operation_facts(operation: Operation, collection: Collection, profile: Profile) -> tuple[Fact, ...]:
    texts = reference_texts().operations[operation.name]
    query = ", ".join(f"{name}={value}" for name, value in profile.query(collection))
    facts = _facts(texts, collection=collection.name, query=query)
    return facts if query else tuple(fact for fact in facts if fact.label != "Always sent")
