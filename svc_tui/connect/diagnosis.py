"""Finds where a connection fails: setup, network, certificate, clock, key, address, signature, rate limit or scope.

How far one small request comes tells most of it; one more for each collection tells the scope. What is not shown
about the service (in which order it looks at key, address, signature and limit) is not guessed: a check that a
refusal leaves open is skipped.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from svc_tui.connect.checks import INDEX, JOURNAL, CheckResult, CheckVerdict
from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import PREFIXES, KeyPair
from svc_tui.core.durations import offset_words
from svc_tui.core.jsontext import JsonError, loads
from svc_tui.core.requests import Exchange, RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.service import errors
from svc_tui.service.advice import SET_CLOCK, SET_CLOCK_SOON, SET_PROXY, TAKE_AS_PAIR, remedy
from svc_tui.service.base_url import BaseUrl
from svc_tui.service.clock import LONG_ROUND_TRIP, WARN_AFTER, WINDOW, DateReading, apart_words, http_date
from svc_tui.service.pages import parse_page
from svc_tui.service.redact import mask_text
from svc_tui.service.signing import sign, string_to_sign

CONFIGURATION = "configuration"
KEY_FORM = "key form"
REACHABILITY = "reachability"
CERTIFICATE = "certificate"
CLOCK = "clock"
KEY = "key"
ADDRESS = "address"
SIGNATURE = "signature"
RATE_LIMIT = "rate limit"
SCOPE = "scope"

_BY_ONE_REQUEST = (REACHABILITY, CERTIFICATE, CLOCK, KEY, ADDRESS, SIGNATURE)
_BY_ALL_REQUESTS = (RATE_LIMIT, SCOPE)

SERVICE_CHECKS = (*_BY_ONE_REQUEST, *_BY_ALL_REQUESTS)
"""What the service is asked about."""

CHECK_NAMES = (CONFIGURATION, KEY_FORM, *SERVICE_CHECKS, JOURNAL, INDEX)
"""What is checked, in the order in which it is told."""

_CHECKS_STILL_KNOWN = {
    REACHABILITY: 0,
    CERTIFICATE: 1,
    CLOCK: 2,
    KEY: 3,
    ADDRESS: 4,
    SIGNATURE: 4,
    RATE_LIMIT: 4,
    SCOPE: 6,
    "": 6,
}
"""What stopped the request ("": nothing), to how many of the checks by one request can be made all the same.

A signature is judged and a limit counted for a key that is known; whether the address was looked at before is not.
"""

_CHECK_OF_ERROR: tuple[tuple[type[errors.ServiceError], str], ...] = (
    (errors.CertificateRefused, CERTIFICATE),
    (errors.KeyRefused, KEY),
    (errors.IpNotAllowed, ADDRESS),
    (errors.TimestampStale, CLOCK),
    (errors.SignatureRefused, SIGNATURE),
    (errors.RateLimitExceeded, RATE_LIMIT),
    (errors.InsufficientScope, SCOPE),
)

_KNOWN_SECRET = "svcsec_0123456789abcdef0123456789abcdef"  # noqa: S105  nobody's
_KNOWN_SIGNATURE = "ea7a5ad2a4d17afa20dc7a4f9427f57705af0eaec1b8d83b6a80593b329bc785"
"""The signature by that secret of the request in `signing_is_sound`; made with openssl, not with Python."""


class EffectiveSetup(Struct, frozen=True):
    """What is in force: `settings` name where key, secret and base URL come from, never their values.

    `file` is the configuration file, "" where there is none; `notices` are what its reader has to say; `profile` is
    the one in use, "" for the environment.
    """

    base_url: str
    settings: tuple[str, ...]
    file: str = ""
    notices: tuple[str, ...] = ()
    profile: str = ""


class DiagnosedService(Protocol):
    """The service, as an examination needs it."""

    @property
    def base_url(self) -> str:
        """The base URL in use, without `/v1` and without a trailing slash."""

    @property
    def host(self) -> str:
        """Host and port of the base URL, for people."""

    @property
    def proxy(self) -> str:
        """Host and port of the proxy on the way, "" where there is none."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must never be shown."""

    async def send(self, spec: RequestSpec) -> Exchange:
        """Any request; an error answer is returned like any other, a lost one raises a ServiceError."""


class ProbeReply(Struct, frozen=True):
    """How one request ended: `error` None for a good answer, `exchange` None where no answer came."""

    exchange: Exchange | None = None
    error: errors.ServiceError | None = None


def overall_verdict(checks: Sequence[CheckResult]) -> CheckVerdict:
    """The worst of the verdicts; a skipped check counts for nothing, since what stopped it has failed by itself."""
    verdicts = {check.verdict for check in checks}
    return next(
        (verdict for verdict in (CheckVerdict.FAILED, CheckVerdict.WARNING) if verdict in verdicts), CheckVerdict.PASSED
    )


def misconfigured_checks(mistake: str) -> Iterator[CheckResult]:
    """Every check where the setup can't be used; `mistake` says what is wrong and what to do."""
    yield CheckResult(CONFIGURATION, CheckVerdict.FAILED, mistake)
    for name in CHECK_NAMES[1:]:
        yield _skipped(name, CONFIGURATION)


def check_configuration(setup: EffectiveSetup) -> CheckResult:
    """Which settings are in force and where they came from."""
    file = f"settings from {setup.file}" if setup.file else "no config.toml"
    profile = f"profile {setup.profile}: " if setup.profile else ""
    finding = f"{profile}{setup.base_url}, from {_join_words(setup.settings)}; {file}"
    if setup.notices:
        return CheckResult(CONFIGURATION, CheckVerdict.WARNING, finding, ". ".join(setup.notices))
    return CheckResult(CONFIGURATION, CheckVerdict.PASSED, finding)


def check_key_form(keys: KeyPair) -> CheckResult:
    """What key and secret tell without being sent."""
    prefix = next(prefix for prefix, environment in PREFIXES.items() if environment is keys.environment)
    key = f"a {keys.environment.label} key ({prefix})"
    if keys.signing_secret is None:
        # Only the service knows which keys must sign: the check of the signature says what is missing.
        return CheckResult(KEY_FORM, CheckVerdict.PASSED, f"{key} without a signing secret; requests are not signed")
    if keys.signing_secret.startswith(tuple(PREFIXES)):
        advice = "The key and the signing secret are different. Check that each is in its own setting."
        finding = f"{key} with a signing secret that looks like a key"
        return CheckResult(KEY_FORM, CheckVerdict.WARNING, finding, advice)
    return CheckResult(KEY_FORM, CheckVerdict.PASSED, f"{key} with a signing secret; requests are signed")


async def diagnose_service(
    service: DiagnosedService, profile: Profile, *, authorities: Sequence[str] = ()
) -> AsyncIterator[CheckResult]:
    """Yield the checks that need the service, each as it is known; `authorities` as `check_certificate` takes them."""
    collections = profile.catalog
    replies: dict[Collection, ProbeReply] = {}
    for collection in collections:
        replies[collection] = await _probe(service, profile, collection)
        if not isinstance(replies[collection].error, errors.NotFound | errors.InsufficientScope):
            break
    telling = _most_informative(replies.values())
    obstacle = _failed_check_name(telling.error)
    for name in _BY_ONE_REQUEST[: _CHECKS_STILL_KNOWN[obstacle]]:
        check = _check_of_reply(name, telling, service, authorities)
        if name == SIGNATURE and telling.exchange is not None and telling.exchange.request.string_to_sign is not None:
            check = await _check_of_odd_path(service, collections[0]) or check
        yield _mask_check(check, service.secrets)
    if obstacle not in ("", SCOPE):
        for name in (*_BY_ONE_REQUEST[_CHECKS_STILL_KNOWN[obstacle] :], *_BY_ALL_REQUESTS):
            # Whoever answered, showed a certificate, and perhaps a clock.
            is_known = name in (CERTIFICATE, CLOCK) and name != obstacle and telling.exchange is not None
            check = (
                _check_of_reply(name, telling, service, authorities)
                if is_known
                else _failed_or_skipped(name, obstacle, telling, service)
            )
            yield _mask_check(check, service.secrets)
        return
    rest = [collection for collection in collections if collection not in replies]
    answers = await asyncio.gather(*(_probe(service, profile, collection) for collection in rest))
    replies.update(zip(rest, answers, strict=True))
    met = any(answer.exchange is not None and answer.exchange.attempts > 1 for answer in answers)
    yield _mask_check(check_rate_limit(list(replies.values()), met=met), service.secrets)
    yield _mask_check(check_scope({collection.key: reply for collection, reply in replies.items()}), service.secrets)


def check_reachability(host: str, proxy: str, exchange: Exchange | None) -> CheckResult:
    """The check that something answers at `host`; `exchange` None where only a connection was made."""
    if exchange is None and proxy:
        # Who spoke at its end may be the proxy itself.
        finding = f"the proxy {proxy} opened a connection to {host}"
        return CheckResult(REACHABILITY, CheckVerdict.PASSED, finding)
    route_words = f"through the proxy {proxy}" if proxy else "directly"
    took = "" if exchange is None else f" in {exchange.seconds * 1000:.0f} ms"
    return CheckResult(REACHABILITY, CheckVerdict.PASSED, f"{host} responded{took}, {route_words}")


def check_certificate(base: BaseUrl, authorities: Sequence[str]) -> CheckResult:
    """The authority that signed the service's certificate; `authorities` are the variables that add to the system's."""
    if base.scheme == "http":
        return CheckResult(CERTIFICATE, CheckVerdict.PASSED, "not needed for a local address")
    whom = _join_words(("this system", *authorities), "or")
    return CheckResult(CERTIFICATE, CheckVerdict.PASSED, f"trusted by {whom}")


def check_clock(exchange: Exchange) -> CheckResult:
    """How far this computer's clock is from the service's, by the answer's `Date`."""
    offset = time_offset(exchange)
    if offset is None:
        return CheckResult(CLOCK, CheckVerdict.SKIPPED, "the response has no usable Date header to compare with")
    if abs(offset) <= WARN_AFTER:
        return CheckResult(CLOCK, CheckVerdict.PASSED, apart_words(offset))
    finding = f"{apart_words(offset)}; the limit for a signature is {WINDOW} s"
    if abs(offset) <= WINDOW:
        return CheckResult(CLOCK, CheckVerdict.WARNING, finding, SET_CLOCK_SOON)
    return CheckResult(CLOCK, CheckVerdict.FAILED, finding, SET_CLOCK)


def accepted_signature(exchange: Exchange) -> CheckResult:
    """The check that the service accepted the request, signed or unsigned."""
    signed = exchange.request.string_to_sign
    if signed is None:
        return CheckResult(SIGNATURE, CheckVerdict.PASSED, "not signed and accepted; this key does not have to sign")
    moved = int(signed.partition(".")[0]) - exchange.received.timestamp()
    how = (
        f", with the service's time ({offset_words(moved)} from this computer's clock)"
        if abs(moved) > WARN_AFTER
        else ""
    )
    return CheckResult(SIGNATURE, CheckVerdict.PASSED, f"signed and accepted{how}")


async def _check_of_odd_path(service: DiagnosedService, collection: Collection) -> CheckResult | None:
    """The failed check where a gateway changes a path or a query that could be written otherwise; None: it does not.

    Such a gateway leaves a plain list as it is, and breaks the signature of records with an encoded id.
    """
    try:
        exchange = await service.send(RequestSpec("GET", f"{collection.path}/{_ODD_TARGET}"))
    except errors.ServiceError:
        return None
    failure = errors.failure_of(exchange, service.secrets)
    if not isinstance(failure, errors.SignatureMismatch):
        return None
    finding = "a simple request was accepted, but one with %2F and an unsorted query was refused"
    return CheckResult(SIGNATURE, CheckVerdict.FAILED, f"{finding} ({failure.code})", _REWRITING_ADVICE)


def mismatched_signature(error: errors.SignatureMismatch, prefix: str, *, sound: bool) -> CheckResult:
    """A refused signature: `prefix` is the base URL's own path, `sound` whether this program signs correctly."""
    if not sound:
        finding = f"{_error_text(error)}; the signing self-test of svc-tui failed"
        return CheckResult(
            SIGNATURE,
            CheckVerdict.FAILED,
            finding,
            "The svc-tui or Python installation is damaged. Reinstall svc-tui and Python.",
        )
    unsigned = f" The path {prefix} of the base URL is not signed. Remove it if no gateway needs it."
    advice = f"{TAKE_AS_PAIR} {_PROXY_ADVICE}{unsigned if prefix else ''}"
    finding = f"{_error_text(error)}; the signing self-test of svc-tui passed"
    return CheckResult(SIGNATURE, CheckVerdict.FAILED, finding, advice)


def signing_is_sound() -> bool:
    """Whether this program's signing gives an answer that is known from elsewhere."""
    text = string_to_sign(1700000000, "PATCH", "/v1/operations/lots/a%2Fb%20c", b'{"note":null}')
    return sign(_KNOWN_SECRET, text) == _KNOWN_SIGNATURE


def check_rate_limit(replies: Sequence[ProbeReply], *, met: bool) -> CheckResult:
    """Whether a handful of requests got through; `met`: some had to wait for the key's limit."""
    refused = [reply.error for reply in replies if isinstance(reply.error, errors.RateLimitExceeded)]
    if refused:
        finding = f"{len(refused)} of {len(replies)} requests were throttled: {refused[0]}"
        return CheckResult(RATE_LIMIT, CheckVerdict.WARNING, finding, remedy(refused[0]))
    waited = ", some after a wait that the service asked for" if met else ""
    return CheckResult(RATE_LIMIT, CheckVerdict.PASSED, f"{len(replies)} requests succeeded{waited}")


def check_scope(replies: Mapping[str, ProbeReply]) -> CheckResult:
    """Which collections the key may read; `replies` by the collection's key."""
    unread: dict[str, list[str]] = {}
    advice: dict[str, None] = {}
    grave = False
    for key, reply in replies.items():
        if reply.error is None:
            continue
        label = next((word for kind, word in _UNREAD_REASONS if isinstance(reply.error, kind)), "")
        unread.setdefault(label or str(reply.error), []).append(key)
        advice[_SPELLING_ADVICE if isinstance(reply.error, errors.NotFound) else remedy(reply.error)] = None
        grave = grave or not label
    read = len(replies) - sum(map(len, unread.values()))
    finding = "; ".join(
        (
            f"can read {read} of {len(replies)} collections",
            *(f"not {', '.join(k)} ({why})" for why, k in unread.items()),
        )
    )
    verdict = CheckVerdict.FAILED if grave or not read else CheckVerdict.WARNING if unread else CheckVerdict.PASSED
    return CheckResult(SCOPE, verdict, finding, " ".join(advice))


_UNREAD_REASONS: tuple[tuple[type[errors.ServiceError], str], ...] = (
    (errors.InsufficientScope, "no scope"),
    (errors.NotFound, "not found"),
    (errors.RateLimitExceeded, "throttled by the rate limit"),
)
"""Why a collection may be unread though nothing is broken."""

_SPELLING_ADVICE = "A collection that is not found may have another name in the URL. Set its segment in the profile."
_BASE_URL_ADVICE = "Check the base URL. It must not include /v1, and it may belong to another service."
_ENVIRONMENT_ADVICE = "A key works only in its own environment. Check that the base URL is for that environment."
_ODD_TARGET = "svc-tui%2Fcheck%20only?b=2&a=%2B1&a=1"
"""An id and a query that name nothing, and that careless gateways decode, fold or sort."""
_REWRITING_ADVICE = (
    "Key, secret and clock are correct. A proxy or gateway decodes, sorts or rewrites paths. Configure it to leave "
    "paths unchanged (nginx: proxy_pass without a path), or connect without it."
)
_PROXY_ADVICE = "If the key and secret are correct, look for a proxy that changes the path or the query."
_AUTHORITY_ADVICE = "To trust your company's own certificate authority (CA), set SSL_CERT_FILE."
_DATE_ADVICE = "A wrong date on this computer causes the same error."


async def _probe(service: DiagnosedService, profile: Profile, collection: Collection) -> ProbeReply:
    spec = RequestSpec("GET", collection.path, (("limit", "1"), *profile.query(collection)))
    try:
        exchange = await service.send(spec)
    except errors.ServiceError as error:
        return ProbeReply(error.exchange, error)
    return ProbeReply(exchange, errors.failure_of(exchange, service.secrets) or _foreign_answer(exchange))


def _foreign_answer(exchange: Exchange) -> errors.BadAnswer | None:
    """A login page and the like: an answer that can't be the service's, though it says that all is well."""
    if exchange.answer.capped:
        return None
    try:
        parse_page(loads(exchange.answer.body), 1, 1)
    except JsonError:
        wrong = "a body that is not JSON"
    except ValueError as error:
        wrong = f"a body that is not a list of records: {error}"
    else:
        return None
    return errors.BadAnswer(f"the service returned {exchange.answer.status} with {wrong}", exchange=exchange)


def _most_informative(replies: Iterable[ProbeReply]) -> ProbeReply:
    """The reply that came furthest: a missing route says least, a missing scope only that all else was right."""

    def says_little(reply: ProbeReply) -> int:
        return 2 * isinstance(reply.error, errors.NotFound) + isinstance(reply.error, errors.InsufficientScope)

    return min(replies, key=says_little)


def _failed_check_name(error: errors.ServiceError | None) -> str:
    """The name of the check that the request failed at; "" for a good answer."""
    if error is None:
        return ""
    if type(error) is errors.StatusError and error.status == 401:
        return KEY
    return next((name for kind, name in _CHECK_OF_ERROR if isinstance(error, kind)), REACHABILITY)


def _check_of_reply(name: str, reply: ProbeReply, service: DiagnosedService, authorities: Sequence[str]) -> CheckResult:
    """A check that the reply shows to be all right, or that can be made by it."""
    if name == REACHABILITY:
        return check_reachability(service.host, service.proxy, reply.exchange)
    if name == CERTIFICATE:
        return check_certificate(BaseUrl.parse(service.base_url), authorities)
    if name == KEY:
        admitted = reply.error is None or isinstance(reply.error, errors.InsufficientScope)
        more = ", not revoked and not expired" if admitted else ""
        return CheckResult(KEY, CheckVerdict.PASSED, f"known to the service{more}")
    if name == ADDRESS:
        return CheckResult(ADDRESS, CheckVerdict.PASSED, "allowed for this key")
    if reply.exchange is None:
        return CheckResult(name, CheckVerdict.SKIPPED, "unknown: no response arrived")
    return check_clock(reply.exchange) if name == CLOCK else accepted_signature(reply.exchange)


def _failed_or_skipped(name: str, obstacle: str, reply: ProbeReply, service: DiagnosedService) -> CheckResult:
    """The check that the request failed at, or one that can't be made because of it."""
    error = reply.error
    if error is None or name != obstacle:
        return _skipped(name, obstacle)
    if isinstance(error, errors.SignatureMismatch):
        return mismatched_signature(error, BaseUrl.parse(service.base_url).prefix, sound=signing_is_sound())
    finding, advice = _error_text(error), remedy(error)
    if isinstance(error, errors.NotFound):
        finding, advice = (
            f"{service.host} responded, but no collection was found there: {finding}",
            _BASE_URL_ADVICE,
        )
    elif isinstance(error, errors.CertificateRefused):
        dated = "expired" in finding or "not yet valid" in finding
        advice = f"{advice} {_DATE_ADVICE if dated else _AUTHORITY_ADVICE}"
    elif isinstance(error, errors.ApiKeyInvalid):
        advice = f"{advice} {_ENVIRONMENT_ADVICE}"
    elif isinstance(error, errors.Unreachable) and service.proxy:
        advice = advice.removesuffix(SET_PROXY)
        if service.proxy not in finding:
            finding = f"{finding} (through the proxy {service.proxy})"
    return CheckResult(name, CheckVerdict.FAILED, finding, advice)


def _error_text(error: errors.ServiceError) -> str:
    """The error, and the name by which the service's people find the request."""
    return f"{error}; request {error.request_id}" if error.request_id else str(error)


def time_offset(exchange: Exchange) -> float | None:
    """The service's clock minus ours, in seconds; None where the answer does not tell."""
    answer, received_at = exchange.answer, exchange.received.timestamp()
    date = http_date(answer.header("date") or "")
    if date is None:
        return None
    cached = answer.header("age") is not None
    reading = DateReading(date, received_at - exchange.seconds, received_at, exchange.seconds, cached)
    return reading.offset if reading.usable(LONG_ROUND_TRIP) else None


def _mask_check(check: CheckResult, secrets: Sequence[str]) -> CheckResult:
    """The check fit to be shown: a service or a proxy may repeat what it was sent."""
    return replace(check, result=mask_text(check.result, secrets), advice=mask_text(check.advice, secrets))


def _skipped(name: str, obstacle: str) -> CheckResult:
    return CheckResult(name, CheckVerdict.SKIPPED, f"not checked: {obstacle} failed")


def _join_words(words: Sequence[str], last: str = "and") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
