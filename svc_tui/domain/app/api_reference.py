"""What the service's document says, as pages to look things up in: each operation, signing, limits, every error.

Source: service-interface, whole. What it leaves open is marked as "not documented"; what this program does by
itself is listed under "In svc-tui".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from svc_tui.domain.data.folded_text import fold
from svc_tui.domain.editing.actions import blank_names, in_spelling_of
from svc_tui.domain.http.advice import remedy
from svc_tui.domain.http.clock import WINDOW
from svc_tui.domain.http.errors import (
    ERRORS_BY_CODE,
    CertificateRefused,
    Conflict,
    NotFound,
    Redirected,
    SentState,
    ServerFault,
    ServiceError,
    Unreachable,
)
from svc_tui.domain.model.catalog import (
    ATTACHMENTS,
    OPERATIONS,
    ROUTES,
    SPLIT,
    VERIFY,
    Collection,
    Domain,
    Operation,
    Route,
)
from svc_tui.domain.model.requests import READS
from svc_tui.domain.model.settings import Profile

NOT_SHOWN = "Not documented"
HERE = "In svc-tui"

_MAX_SEEN_FIELDS = 60
"""Names of fields that are told for one collection."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is known: what it is about, and a sentence or two."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class ApiReferenceEntry:
    """One thing to look up: its line in the list, `depth` steps in from the left, and its page.

    `route` is what Enter puts into the console; `common` are the facts that it shares with many others, which nobody
    searches for here.
    """

    title: str
    depth: int = 0
    facts: tuple[Fact, ...] = ()
    route: Route | None = None
    common: tuple[Fact, ...] = ()
    heading: str = ""
    """The title of its page, where its line alone would not say enough."""

    @property
    def searchable_text(self) -> str:
        """The text in which words are looked for."""
        address = f"{self.route.method} {self.route.path}" if self.route else ""
        facts = (f"{fact.label} {fact.text}" for fact in self.facts)
        return fold(" ".join((self.title, self.heading, address, *facts)))


def reference_entries(
    profile: Profile, field_names: Mapping[str, Sequence[str]], base_url: str = "", *, signs: bool = False
) -> tuple[ApiReferenceEntry, ...]:
    """The whole catalogue, in the order in which it is read.

    `field_names` are the names of fields that records were seen to have, by the collection's key; `signs` says whether
    requests are signed with the key in use.
    """
    return tuple(_entries(_ReferenceSource(profile, field_names, base_url, signs)))


def search_entries(catalogue: Sequence[ApiReferenceEntry], text: str) -> tuple[tuple[ApiReferenceEntry, ...], int]:
    """The entries that hold every word of `text`, each under what it is part of, and which of them is the nearest.

    That is the first whose line has the words, else the first that has them at all; 0 where nothing is found.
    """
    words = fold(text).split()
    if not words:
        return tuple(catalogue), 0
    matches: list[ApiReferenceEntry] = []
    above: list[ApiReferenceEntry] = []
    fitting: list[tuple[bool, int]] = []
    for entry in catalogue:
        above = [*above[: entry.depth], entry]
        trail = fold(" ".join(other.title for other in above))
        if all(word in entry.searchable_text or word in trail for word in words) and any(
            w in entry.searchable_text for w in words
        ):
            matches += [other for other in above if other not in matches]
            line = f"{trail} {fold(entry.route.path if entry.route else '')}"
            fitting.append((not all(word in line for word in words), matches.index(entry)))
    return tuple(matches), min(fitting)[1] if fitting else 0


@dataclass(frozen=True, slots=True)
class KnownError:
    """A code of the service: with which status, and when."""

    status: int
    code: str
    when: str
    here: str = ""


KNOWN_ERRORS: tuple[KnownError, ...] = (
    KnownError(401, "api_key_missing", "The request has no Authorization header."),
    KnownError(401, "api_key_invalid", "The key is unknown, for example because it is incomplete."),
    KnownError(401, "api_key_revoked", "The key was revoked. A rotation revokes the old key when it ends.",
               "svc-tui reads the key again from where it is stored."),
    KnownError(401, "api_key_expired", "The key has expired."),
    KnownError(401, "signature_missing", "The key must sign requests, and the two signing headers are missing.",
               "Press f9 in the console to check the signature."),
    KnownError(401, "timestamp_stale", f"The timestamp is more than {WINDOW} s away from the service's time. The "
               "cause is the clock, not the secret.",
               "svc-tui takes the clock offset from the response, then signs and sends the request again."),
    KnownError(401, "signature_mismatch", "The signature is not the one that the service computed.",
               "Press f9 in the console to see if the secret, the path or the body is wrong."),
    KnownError(403, "insufficient_scope", "The key does not have the scope that the route requires. The names of "
               "scopes are not documented."),
    KnownError(403, "ip_not_allowed", "The key has an allowlist, and the address of the request is not on it."),
    KnownError(429, "rate_limit_exceeded", "The key's rate limit is exceeded. Retry-After says how long to wait.",
               "All requests of the key wait that long, then are sent one by one. The status bar counts down."),
)  # fmt: skip
"""Source: service-interface, "Errors"."""

_OTHER_ERRORS: tuple[tuple[str, type[ServiceError], str], ...] = (
    ("not found", NotFound, "404 or 410: nothing exists at this path. No error code is documented."),
    ("conflict", Conflict, "409 or 412: the record is not in the expected state. No error code is documented."),
    ("redirect", Redirected, "3xx: redirects are not followed, because a signature is valid for one host and path."),
    ("server error", ServerFault, "5xx or 408: the service, or a gateway in front of it, failed."),
    ("unreachable", Unreachable, "The connection failed."),
    ("certificate not trusted", CertificateRefused, "The server's certificate is not trusted for this address."),
)

_OUTCOME_TEXTS = {
    SentState.NO: "Nothing was sent.",
    SentState.REFUSED: "Refused. Nothing was changed.",
    SentState.UNKNOWN: "It is not known whether the change was saved.",
    SentState.DONE: "The change was saved.",
}

_SERVICE_ENTRIES: tuple[ApiReferenceEntry, ...] = (
    ApiReferenceEntry("Keys and environments", 1, (
        Fact("Header", "Authorization: Bearer and the API key, on every request. The key selects the tenant; there "
             "is no tenant header."),
        Fact("svc_live_", "Keys for LIVE, the production environment (the profile's base_url)."),
        Fact("svc_test_", "Keys for the sandbox (the profile's sandbox_base_url)."),
        Fact("Not allowed", "An API key can't call routes under /v1/auth and can't manage keys. Sign in to the "
             "management portal for this. svc-tui refuses such a path while you type it."),
        Fact("Per key", "Scopes, expiry, allowed addresses, rate limit and signing are set per key in the management "
             "portal."),
        Fact("Storage", "The service stores only a one-way hash of the key and of the signing secret, so it can't "
             "show them again. If you lose one, rotate the key."),
        Fact(NOT_SHOWN, "The names of the scopes."),
    )),
    ApiReferenceEntry("Signing", 1, (
        Fact("Which keys", "Live keys, unless signing is switched off for the key."),
        Fact("Purpose", f"Proves that the request was not altered, and prevents replays more than {WINDOW} s "
             "before or after the signed time."),
        Fact("x-svc-timestamp", "Unix time in whole seconds."),
        Fact("x-svc-signature", "t=<timestamp>,v1=<signature>; t is equal to x-svc-timestamp."),
        Fact("String to sign", "{timestamp}.{METHOD}.{path and query}.{SHA-256 of the body}"),
        Fact("METHOD", "In uppercase."),
        Fact("Path and query", "As sent, starting at /v1. A path prefix in the base URL is not signed."),
        Fact("Body", "Its SHA-256 in lowercase hex; without a body, the SHA-256 of the empty string."),
        Fact("v1", "HMAC-SHA256 of the string to sign with the signing secret, in hex."),
        Fact("Errors", "signature_missing, timestamp_stale (the clock) and signature_mismatch (the secret, the path or "
             "the body)."),
        Fact(HERE, "Press f9 in the console to see the four parts of the string to sign, and why a signature was "
             "refused."),
    )),
    ApiReferenceEntry("Allowed addresses", 1, (
        Fact("Allowlist", "A key can be restricted to addresses or CIDR blocks, separately for each environment. "
             "Without an allowlist, all addresses are allowed."),
        Fact("IPv4 and IPv6", "Both. An IPv4 address written as IPv6 matches IPv4 blocks: ::ffff:10.0.0.1 is in "
             "10.0.0.0/8."),
        Fact("Other addresses", "403 ip_not_allowed."),
    )),
    ApiReferenceEntry("Rotation", 1, (
        Fact("Order", "The new key is created first. The old key is revoked when the rotation ends."),
        Fact("Both change", "The key and the signing secret. Replace both together."),
    )),
    ApiReferenceEntry("Pages of a list", 1, (
        Fact("page", "A whole number; the first page is 1."),
        Fact("limit", "Records per page; 50 in the documented examples."),
        Fact("Response", "items (the records) and meta (about the page)."),
        Fact(NOT_SHOWN, "The fields of meta, the largest page and the largest limit."),
        Fact(HERE, "Tables load pages while you scroll. Press g or G to go to the first or last record. svc-tui export "
             "loads all pages."),
    )),
    ApiReferenceEntry("Limits", 1, (
        Fact("Rate", "Per key. Above the limit the response is 429, with the time to wait in Retry-After."),
        Fact("Signature", f"Valid for {WINDOW} s before and after the service's time."),
        Fact(NOT_SHOWN, "How many requests a key can send."),
    )),
    ApiReferenceEntry("Retries of writes", 1, (
        Fact(NOT_SHOWN, "How the service handles idempotency keys, and when to retry."),
        Fact(HERE, "Every write has its own idempotency key. A POST with an unknown outcome is sent again only if the "
             "profile says that the service supports idempotency keys. Other requests are tried up to three times."),
    )),
    ApiReferenceEntry("Versions", 1, (
        Fact("/v1", "Every route starts with /v1, which is part of the string to sign. The console adds it if it is "
             "missing."),
        Fact(NOT_SHOWN, "How versions are introduced and removed."),
    )),
)  # fmt: skip
"""Source: service-interface, "Authentication", "Pagination", "Limits", "Versioning"."""

_ANY_ROUTE_FACTS = (
    Fact("Method", "Any."),
    Fact("Path", "Any path under /v1, except /v1/auth."),
    Fact("Query, body", "Any, or none."),
    Fact("Rules", "Signing, retries, idempotency keys and limits are the same as for all other routes."),
    Fact(NOT_SHOWN, "The full list of endpoints; operations alone has about 135."),
)
"""Source: service-interface, "Irregular routes"."""

_IRREGULAR_ROUTE_FACTS: Mapping[str, tuple[Fact, ...]] = {
    SPLIT.path: (
        Fact("Purpose", "An action on one lot: splits it."),
        Fact("id", "The lot's id, in the path."),
        Fact("Body", "The parameters of the action, as JSON."),
        Fact(NOT_SHOWN, "The fields of the body and of the response. Other actions can use any method."),
        Fact(HERE, "Press x on a lot to fill in a form."),
    ),
    ATTACHMENTS.path: (
        Fact("Purpose", "The attachments of one lot: a nested collection with its own list, get and so on."),
        Fact("id", "The lot's id, in the path."),
        Fact("page, limit", "As for every list."),
        Fact(HERE, "Press x on a lot to open them as a table."),
    ),
    VERIFY.path: (
        Fact("Purpose", "Verifies the hash chain of one tunnel."),
        Fact("tunnelId", "The tunnel's id, in the query; required."),
        Fact("Path", "Not part of a collection; under /v1 like all routes."),
        Fact(NOT_SHOWN, "The response."),
        Fact(HERE, "Press enter to open the form, or x on a tunnel to fill it in. The result is shown as text."),
    ),
}


@dataclass(frozen=True, slots=True)
class _ReferenceSource:
    profile: Profile
    field_names: Mapping[str, Sequence[str]]
    base_url: str
    signs: bool

    def common(self, route: Route) -> tuple[Fact, ...]:
        """The facts that apply to every request."""
        return tuple(self._common(route))

    def _common(self, route: Route) -> Iterator[Fact]:
        signed = "The path from /v1 with the query, and the digest of the body. See Signing."
        yield Fact("Signed", signed if self.signs else f"Not with this key: it has no signing secret. {signed}")
        yield Fact("Scope", "The scope of the route, else 403 insufficient_scope. Its name is not documented.")
        yield Fact("Limit", "Per key. Above it: 429 with Retry-After.")
        yield Fact("Errors", "401 for key, clock or signature; 403 for scope or address; 429. See Errors.")
        if route.method not in READS:
            header = self.profile.idempotency_header
            carries = f"Has its own {header}. " if header else ""
            yield Fact("Idempotency", f"{carries}It is not documented whether the service supports idempotency keys.")


def _entries(reader: _ReferenceSource) -> Iterator[ApiReferenceEntry]:
    for domain in reader.profile.domains():
        yield _domain_entry(domain)
        for collection in domain.collections:
            yield from _collection_entries(reader, collection)
        outside = [
            r for r in ROUTES if r.path.startswith(f"/v1/{domain.name}/") and not _is_below(r, domain.collections)
        ]
        for route in outside:
            yield _route_entry(reader, route, 1)
    if reader.profile.routes:
        yield ApiReferenceEntry("Your routes", facts=(Fact("Source", f"Profile {reader.profile.name}."),))
        for route in reader.profile.routes:
            yield _route_entry(reader, route, 1)
    any_route = Route("Any other route", "GET", "/v1/")
    yield ApiReferenceEntry("Any other route", facts=_ANY_ROUTE_FACTS, route=any_route, common=reader.common(any_route))
    where = (Fact("Base URL", reader.base_url),) if reader.base_url else ()
    platform = Fact("Purpose", "An HTTP API for mining operations: twelve collections of records in seven domains.")
    yield ApiReferenceEntry(
        "The service", facts=(platform, *where, Fact("Events", "No events or webhooks are documented."))
    )
    yield from _SERVICE_ENTRIES
    codes = [Fact(str(known.status), known.code) for known in KNOWN_ERRORS]
    yield ApiReferenceEntry(
        "Errors", facts=(*codes, Fact(NOT_SHOWN, "The format of an error body. svc-tui reads the common formats."))
    )
    yield from _error_entries()


def _error_entries() -> Iterator[ApiReferenceEntry]:
    """Every error code of the service, then the other ways in which a request can fail."""
    for known in KNOWN_ERRORS:
        error = ERRORS_BY_CODE[known.code]("")
        facts = [
            Fact("Status", str(known.status)),
            Fact("When", known.when),
            Fact("Change", _OUTCOME_TEXTS[error.sent]),
        ]
        facts.append(Fact("What to do", remedy(error)))
        if known.here:
            facts.append(Fact(HERE, known.here))
        yield ApiReferenceEntry(known.code, 1, tuple(facts), heading=f"{known.status} {known.code}")
    for title, kind, when in _OTHER_ERRORS:
        fate = Fact("Change", _OUTCOME_TEXTS[kind.sent])
        yield ApiReferenceEntry(title, 1, (Fact("When", when), fate, Fact("What to do", remedy(kind("")))))


def _domain_entry(domain: Domain) -> ApiReferenceEntry:
    names = ", ".join(collection.name for collection in domain.collections)
    facts = [Fact("Collections", names), Fact("Path", f"/v1/{domain.name}/…")]
    if len(domain.collections) > 1:
        facts.append(Fact("Endpoints", "About 135."))
    facts.append(Fact(NOT_SHOWN, "The purpose of this domain."))
    return ApiReferenceEntry(domain.name, facts=tuple(facts), heading=f"Domain {domain.name}")


def _collection_entries(reader: _ReferenceSource, collection: Collection) -> Iterator[ApiReferenceEntry]:
    fields = reader.field_names.get(collection.key, ())
    facts = [Fact("Path", collection.path), Fact("One record", f"{collection.path}/{{id}}")]
    if fields:
        more = f" and {len(fields) - _MAX_SEEN_FIELDS:,} more" if len(fields) > _MAX_SEEN_FIELDS else ""
        facts.append(Fact("Known fields", ", ".join(fields[:_MAX_SEEN_FIELDS]) + more))
    facts.append(Fact(NOT_SHOWN, "The fields of a record, the format of an id, the states and their transitions."))
    if collection.name != "lots":
        facts.append(Fact("Source", "The operations are documented for lots; the other collections work the same way."))
    listed = OPERATIONS[0].route(collection)
    yield ApiReferenceEntry(collection.name, 1, tuple(facts), listed, heading=collection.key.replace("/", " / "))
    for operation in OPERATIONS:
        route = operation.route(collection)
        own = tuple(_operation_facts(operation, collection, reader.profile))
        yield ApiReferenceEntry(operation.title, 2, own, route, reader.common(route), heading=route.name)
    for route in ROUTES:
        if _is_below(route, (collection,)):
            yield _route_entry(reader, route, 2, (collection,))


def _is_below(route: Route, collections: Iterable[Collection]) -> bool:
    return any(route.path.startswith(f"/v1/{c.domain}/{c.name}/") for c in collections)


def _route_entry(
    reader: _ReferenceSource, route: Route, depth: int, of: Iterable[Collection] = ()
) -> ApiReferenceEntry:
    """The entry of a route outside the pattern, its path as the collections that it is `of` are spelled."""
    facts = _IRREGULAR_ROUTE_FACTS.get(route.path, ()) if route in ROUTES else tuple(_profile_route_facts(route))
    return ApiReferenceEntry(route.name, depth, facts, in_spelling_of(route, of), reader.common(route))


def _profile_route_facts(route: Route) -> Iterator[Fact]:
    if names := ", ".join(dict.fromkeys(blank_names(route))):
        yield Fact("Placeholders", names)
    for name, value in route.query:
        yield Fact("Query", f"{name}={value}")
    if route.body:
        yield Fact("Body", route.body)


def _operation_facts(operation: Operation, collection: Collection, profile: Profile) -> Iterator[Fact]:
    """What is known of one of the uniform operations on one collection."""
    name = operation.name
    if name == "list":
        always = ", ".join(f"{name}={value}" for name, value in profile.query(collection))
        yield Fact("page", "A whole number; the first page is 1.")
        yield Fact("limit", "Records per page; 50 in the documented examples.")
        if always:
            yield Fact("Always sent", f"{always} (set in this profile).")
        yield Fact("Response", "items (the records) and meta (about the page).")
        yield Fact(NOT_SHOWN, "Other parameters, the fields of meta, the largest page and the largest limit.")
        yield Fact(HERE, f"Type :{collection.name} to open it as a table, and /?name=value to set a query.")
        return
    if name != "create":
        yield Fact("id", "The id of the record, as one encoded path segment.")
    if name == "get":
        yield Fact("Response", "The record.")
        yield Fact(HERE, f"Type :{collection.name}/<id> to open it, or press enter on a row of the table.")
    elif name == "create":
        yield Fact("Body", "The record's fields, as JSON.")
        yield Fact("Response", "The new record.")
        yield Fact(NOT_SHOWN, "The fields, and which of them are required.")
        yield Fact(HERE, "Press a in the table to open a form. Its fields are those of the loaded records.")
    elif name == "update":
        yield Fact("Body", "The fields to change, as JSON. Other fields are not changed.")
        yield Fact("Response", "The changed record.")
        yield Fact(NOT_SHOWN, "The fields that can be changed.")
        yield Fact(HERE, "Press e to edit a field, then ctrl+s to review and send the change.")
    else:
        yield Fact(NOT_SHOWN, "The response.")
        yield Fact(HERE, "Press delete to delete the record under the cursor. A dialog asks first.")
