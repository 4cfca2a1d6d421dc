"""What the service's document says, as pages to look things up in: each operation, signing, limits, every error.

Source: service-interface, whole. What it leaves open is told as "not shown"; what this program does by itself is
told apart from it, under "Here".
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

NOT_SHOWN = "Not shown"
HERE = "Here"

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
    KnownError(401, "api_key_invalid", "The key is not recognised, for example because it was cut short."),
    KnownError(401, "api_key_revoked", "The key was revoked; a rotation does that to the old one when it ends.",
               "The key's source is read again at once."),
    KnownError(401, "api_key_expired", "The key is past its expiry."),
    KnownError(401, "signature_missing", "The key must sign, and the two signing headers are not there.",
               "f9 in the console explains the signature."),
    KnownError(401, "timestamp_stale", f"The timestamp is more than {WINDOW} s from the service's time. It is the "
               "clock, not the secret.",
               "The service's time is learned from the answer, and the request is signed anew and sent once more."),
    KnownError(401, "signature_mismatch", "The digest is another than the one that the service works out.",
               "f9 in the console tells secret, path and body apart."),
    KnownError(403, "insufficient_scope", "The key lacks the scope that the route needs. Names of scopes: not shown."),
    KnownError(403, "ip_not_allowed", "The request comes from an address that is not on the key's allowlist, and the "
               "list is not empty."),
    KnownError(429, "rate_limit_exceeded", "The key's rate limit is exceeded. Retry-After says how long to wait.",
               "All requests of the key wait as long as that, then go one by one; the status bar counts down."),
)  # fmt: skip
"""Source: service-interface, "Errors"."""

_OTHER_ERRORS: tuple[tuple[str, type[ServiceError], str], ...] = (
    ("not found", NotFound, "404 or 410: nothing is at this path. The document names no code for it."),
    ("conflict", Conflict, "409 or 412: the record is not as the request supposed. The document names no code for it."),
    ("redirect", Redirected, "3xx: the signature holds for one path on one host, so no redirect is followed."),
    ("server fault", ServerFault, "5xx or 408: the service, or a gateway before it, could not answer."),
    ("unreachable", Unreachable, "No connection could be made."),
    ("certificate refused", CertificateRefused, "The other side could not prove that it is the service."),
)

_OUTCOME_TEXTS = {
    SentState.NO: "Nothing was sent.",
    SentState.REFUSED: "It was refused; nothing was changed.",
    SentState.UNKNOWN: "Whether it was carried out is not known.",
    SentState.DONE: "It was carried out.",
}

_SERVICE_ENTRIES: tuple[ApiReferenceEntry, ...] = (
    ApiReferenceEntry("Keys and environments", 1, (
        Fact("Header", "Authorization: Bearer and the API key, on every request. The key alone decides the tenant; "
             "there is no header for it."),
        Fact("svc_live_", "Keys for production, at the profile's base_url."),
        Fact("svc_test_", "Keys for the sandbox, at the profile's sandbox_base_url."),
        Fact("Never", "No key can call a route under /v1/auth or manage keys: both are for people who signed in. "
             "Such a path is refused here as you type it."),
        Fact("Per key", "Scopes, expiry, allowed addresses and rate limit are set in the management portal; whether it "
             "must sign is set per key too."),
        Fact("Kept", "Only as a one-way hash, and so is the signing secret: neither can be shown again, a lost one is "
             "replaced by rotation."),
        Fact(NOT_SHOWN, "The names of scopes."),
    )),
    ApiReferenceEntry("Signing", 1, (
        Fact("Who signs", "Live keys, unless their setting says otherwise: it is set for each key."),
        Fact("What for", f"It proves that the body was not altered, and lets nobody send the request again later than "
             f"{WINDOW} s from the service's time."),
        Fact("x-svc-timestamp", "Unix time in whole seconds, in decimal."),
        Fact("x-svc-signature", "t=<timestamp>,v1=<signature>; t is the same number as x-svc-timestamp."),
        Fact("What is signed", "{timestamp}.{METHOD}.{path and query}.{SHA-256 of the body}"),
        Fact("METHOD", "In capitals."),
        Fact("Path and query", "As sent, from /v1 on: a path that the base URL has before it is not signed."),
        Fact("Body", "Its SHA-256 in lower-case hex; without a body, that of nothing."),
        Fact("v1", "HMAC-SHA256 of that text with the signing secret, in hex."),
        Fact("Refusals", "signature_missing, timestamp_stale and signature_mismatch are told apart, so a wrong clock "
             "never looks like a wrong secret."),
        Fact(HERE, "f9 in the console shows the four parts of what was signed, and finds out why it was refused."),
    )),
    ApiReferenceEntry("Allowed addresses", 1, (
        Fact("Allowlist", "A key can be held to addresses or CIDR blocks, apart for each environment. With none, any "
             "address may call."),
        Fact("IPv4 and IPv6", "Both. An IPv4 address written as IPv6 counts as the IPv4 one: ::ffff:10.0.0.1 is in "
             "10.0.0.0/8."),
        Fact("Otherwise", "403 ip_not_allowed."),
    )),
    ApiReferenceEntry("Rotation", 1, (
        Fact("Order", "The new key is there before the old one is revoked; the old one ends when the rotation does."),
        Fact("Both change", "The key and the signing secret: take them as a pair."),
    )),
    ApiReferenceEntry("Pages of a list", 1, (
        Fact("page", "A whole number; the first page is 1."),
        Fact("limit", "Records a page; 50 in the document's examples."),
        Fact("Answer", "items, the records, and meta, which tells about the page."),
        Fact(NOT_SHOWN, "The fields of meta, and the largest page and limit."),
        Fact(HERE, "Tables read pages as you scroll; g and G reach both ends. svc-tui export walks all of them."),
    )),
    ApiReferenceEntry("Limits", 1, (
        Fact("Rate", "One for each key. Over it the answer is 429 with Retry-After, how long to wait."),
        Fact("Signature", f"Good for {WINDOW} s either side of the service's time."),
        Fact(NOT_SHOWN, "How many requests a key may make."),
    )),
    ApiReferenceEntry("Writes sent again", 1, (
        Fact(NOT_SHOWN, "How the service takes idempotency keys, and when to try again."),
        Fact(HERE, "Every write carries an idempotency key of its own. A POST whose outcome is unknown is sent again "
             "only where the profile says that the service honours the key; other requests are tried three times."),
    )),
    ApiReferenceEntry("Versions", 1, (
        Fact("/v1", "Every route begins with it, and it is signed. The console puts it in front where it is missing."),
        Fact(NOT_SHOWN, "How new versions come and old ones go. Events: none."),
    )),
)  # fmt: skip
"""Source: service-interface, "Authentication", "Pagination", "Limits", "Versioning"."""

_ANY_ROUTE_FACTS = (
    Fact("Method", "Any."),
    Fact("Path", "Any below /v1 but /v1/auth."),
    Fact("Query, body", "As you like, or none."),
    Fact("Rules", "Signing, retries, idempotency keys and limits are those of all other routes."),
    Fact(NOT_SHOWN, "The whole list of endpoints; operations alone has about 135."),
)
"""Source: service-interface, "Irregular routes"."""

_IRREGULAR_ROUTE_FACTS: Mapping[str, tuple[Fact, ...]] = {
    SPLIT.path: (
        Fact("Does", "An action on one lot: it is split."),
        Fact("id", "The lot's id, in the path."),
        Fact("Body", "What the action needs, as JSON."),
        Fact(NOT_SHOWN, "The fields of the body, and the answer. Other actions may take any method."),
        Fact(HERE, "x on a lot does the same, with a form."),
    ),
    ATTACHMENTS.path: (
        Fact("Does", "The attachments of one lot: a collection below the record, with its own list, get and so on."),
        Fact("id", "The lot's id, in the path."),
        Fact("page, limit", "As with every list."),
        Fact(HERE, "x on a lot opens them as a table."),
    ),
    VERIFY.path: (
        Fact("Does", "Verifies the hash chain of one tunnel."),
        Fact("tunnelId", "The tunnel's id, in the query; it must be given."),
        Fact("Path", "It belongs to no collection, and /v1 goes before it as everywhere."),
        Fact(NOT_SHOWN, "The answer."),
        Fact(HERE, "enter opens its form; x on a tunnel fills it in. The verdict is told in words."),
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
        signed = "From /v1 on, with the query, and the body's digest: see Signing."
        yield Fact("Signed", signed if self.signs else f"Not with the key in use, which has no secret. {signed}")
        yield Fact("Scope", "The one that the route needs, else 403 insufficient_scope. Its name: not shown.")
        yield Fact("Limit", "The key's; over it 429 with Retry-After.")
        yield Fact("Errors", "401 for key, clock or signature, 403 for scope or address, 429: see Errors.")
        if route.method not in READS:
            header = self.profile.idempotency_header
            carries = f"Sent with an {header} of its own. " if header else ""
            yield Fact("Write", f"{carries}Whether the service honours such keys: not shown.")


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
        yield ApiReferenceEntry("Your routes", facts=(Fact("From", f"The profile {reader.profile.name}."),))
        for route in reader.profile.routes:
            yield _route_entry(reader, route, 1)
    any_route = Route("Any other route", "GET", "/v1/")
    yield ApiReferenceEntry("Any other route", facts=_ANY_ROUTE_FACTS, route=any_route, common=reader.common(any_route))
    where = (Fact("Served at", reader.base_url),) if reader.base_url else ()
    platform = Fact("What it is", "An HTTP API for running mines: twelve collections of records in seven domains.")
    yield ApiReferenceEntry(
        "The service", facts=(platform, *where, Fact("Events", "The service sends none that are shown."))
    )
    yield from _SERVICE_ENTRIES
    codes = [Fact(str(known.status), known.code) for known in KNOWN_ERRORS]
    yield ApiReferenceEntry(
        "Errors", facts=(*codes, Fact(NOT_SHOWN, "The shape of an error's body; the common ones are read."))
    )
    yield from _error_entries()


def _error_entries() -> Iterator[ApiReferenceEntry]:
    """Every error code of the service, then the other ways in which a request can fail."""
    for known in KNOWN_ERRORS:
        error = ERRORS_BY_CODE[known.code]("")
        facts = [Fact("Status", str(known.status)), Fact("When", known.when), Fact("Write", _OUTCOME_TEXTS[error.sent])]
        facts.append(Fact("What to do", remedy(error)))
        if known.here:
            facts.append(Fact(HERE, known.here))
        yield ApiReferenceEntry(known.code, 1, tuple(facts), heading=f"{known.status} {known.code}")
    for title, kind, when in _OTHER_ERRORS:
        fate = Fact("Write", _OUTCOME_TEXTS[kind.sent])
        yield ApiReferenceEntry(title, 1, (Fact("When", when), fate, Fact("What to do", remedy(kind("")))))


def _domain_entry(domain: Domain) -> ApiReferenceEntry:
    names = ", ".join(collection.name for collection in domain.collections)
    facts = [Fact("Collections", names), Fact("Path", f"/v1/{domain.name}/…")]
    if len(domain.collections) > 1:
        facts.append(Fact("Endpoints", "About 135."))
    facts.append(Fact(NOT_SHOWN, "What it is for, beyond its name."))
    return ApiReferenceEntry(domain.name, facts=tuple(facts), heading=f"The domain {domain.name}")


def _collection_entries(reader: _ReferenceSource, collection: Collection) -> Iterator[ApiReferenceEntry]:
    fields = reader.field_names.get(collection.key, ())
    facts = [Fact("Path", collection.path), Fact("One record", f"{collection.path}/{{id}}")]
    if fields:
        more = f" and {len(fields) - _MAX_SEEN_FIELDS:,} more" if len(fields) > _MAX_SEEN_FIELDS else ""
        facts.append(Fact("Fields seen", ", ".join(fields[:_MAX_SEEN_FIELDS]) + more))
    facts.append(Fact(NOT_SHOWN, "Which fields a record has, what an id looks like, states and what leads from one to "
                      "the next."))  # fmt: skip
    if collection.name != "lots":
        facts.append(Fact("Source", "The document shows the operations for lots, and says that the others are alike."))
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
        yield Fact("Asks for", names)
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
        yield Fact("limit", "Records a page; 50 in the document's examples.")
        if always:
            yield Fact("Always sent", f"{always}, by this profile.")
        yield Fact("Answer", "items, the records, and meta, which tells about the page.")
        yield Fact(NOT_SHOWN, "Other parameters, the fields of meta, the largest page and limit.")
        yield Fact(HERE, f":{collection.name} opens it as a table; /?name=value asks the service for less.")
        return
    if name != "create":
        yield Fact("id", "The record's id, in the path, as one encoded segment.")
    if name == "get":
        yield Fact("Answer", "The record.")
        yield Fact(HERE, f":{collection.name}/<id> opens it; enter on a row of the table does.")
    elif name == "create":
        yield Fact("Body", "The record's fields, as JSON.")
        yield Fact("Answer", "The record as it was created.")
        yield Fact(NOT_SHOWN, "Which fields there are, and which must be given.")
        yield Fact(HERE, "a in the table opens a form, its fields learned from records seen.")
    elif name == "update":
        yield Fact("Body", "The fields that change, as JSON; the others stay.")
        yield Fact("Answer", "The record as it is now.")
        yield Fact(NOT_SHOWN, "Which fields may change.")
        yield Fact(HERE, "e edits a field, ctrl+s shows the change and sends it.")
    else:
        yield Fact(NOT_SHOWN, "The answer.")
        yield Fact(HERE, "Delete removes the record under the cursor, after a confirmation.")
