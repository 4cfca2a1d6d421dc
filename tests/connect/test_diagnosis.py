"""What each way of failing tells: which check fails, which pass, which can't be made, and what to do."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from svc_tui.connect import diagnosis
from svc_tui.connect.checks import CheckResult, CheckVerdict, check_journal
from svc_tui.connect.diagnosis import EffectiveSetup, diagnose_service
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.requests import Answer, Exchange, RequestSpec, SignedRequest
from svc_tui.core.settings import CollectionSettings, Profile
from svc_tui.service import errors
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import BrokenLink, ChainCheck, EndDifference, EndProblem

NOW = datetime(2026, 11, 20, 12, 0, 0, 500_000, tzinfo=UTC)
KEY, SECRET = "svc_live_0123456789", "svcsec_9876543210"
PASSED, WARNING, FAILED, SKIPPED = CheckVerdict.PASSED, CheckVerdict.WARNING, CheckVerdict.FAILED, CheckVerdict.SKIPPED
FIRST = COLLECTIONS[0].path


def answered(
    status: int = 200,
    body: str = '{"items": []}',
    *headers: tuple[str, str],
    signed: bool = True,
    ahead: float = 0.0,
    moved: int = 0,
    attempts: int = 1,
) -> Exchange:
    """An answer of a service whose clock is `ahead` seconds; the request's timestamp was `moved` from ours."""
    date = format_datetime((NOW + timedelta(seconds=ahead)).replace(microsecond=0), usegmt=True)
    string = f"{int(NOW.timestamp()) + moved}.GET.{FIRST}.e3b0" if signed else None
    request = SignedRequest("GET", f"https://api.example.com{FIRST}", FIRST, (), b"", string)
    return Exchange(request, Answer(status, "", (("Date", date), *headers), body.encode()), attempts, 0.0, NOW)


def refused(status: int, code: str, *headers: tuple[str, str], signed: bool = True) -> Exchange:
    return answered(status, json.dumps({"error": {"code": code}}), *headers, signed=signed)


Answers = Callable[[RequestSpec], Exchange | errors.ServiceError]


@dataclass
class Service:
    """A service that answers as it is told to, and notes what it was asked."""

    answers: Answers
    base_url: str = "https://api.example.com"
    host: str = "api.example.com"
    proxy: str = ""
    secrets: tuple[str, ...] = (KEY, SECRET)
    asked: list[RequestSpec] = field(default_factory=list)

    async def send(self, spec: RequestSpec) -> Exchange:
        self.asked.append(spec)
        answer = self.answers(spec)
        if isinstance(answer, errors.ServiceError):
            raise answer
        return answer


def always(answer: Exchange | errors.ServiceError) -> Service:
    return Service(lambda _: answer)


async def checks(
    service: Service, profile: Profile | None = None, authorities: Sequence[str] = ()
) -> dict[str, CheckResult]:
    """The checks by name, in the order in which they came."""
    found = [check async for check in diagnose_service(service, profile or Profile("tests"), authorities=authorities)]
    assert [check.name for check in found] == list(diagnosis.SERVICE_CHECKS)
    return {check.name: check for check in found}


async def test_a_service_that_answers_well_passes_every_check() -> None:
    found = await checks(always(answered()))
    assert {check.verdict for check in found.values()} == {PASSED}
    assert {check.advice for check in found.values()} == {""}
    assert found["scope"].result == "can read 12 of 12 collections"
    assert found["signature"].result == "signed and accepted"


async def test_one_record_of_each_collection_is_asked_for_as_the_profile_spells_it() -> None:
    service = always(answered())
    own = CollectionSettings(segment="bills", query={"status": "open"})
    await checks(service, Profile("tests", collections={"finance/invoices": own}))
    assert {spec.method for spec in service.asked} == {"GET"}
    assert len({spec.path for spec in service.asked}) == len(service.asked) == 13
    (bills,) = [spec for spec in service.asked if spec.path == "/v1/finance/bills"]
    assert bills.query == (("limit", "1"), ("status", "open"))


async def test_what_one_request_tells_is_told_before_the_next_is_made() -> None:
    service = always(answered())
    examination = diagnose_service(service, Profile("tests"))
    for name in diagnosis.SERVICE_CHECKS[:6]:
        assert (await anext(examination)).name == name
        assert len(service.asked) == (2 if name == diagnosis.SIGNATURE else 1)
    await anext(examination)
    assert len(service.asked) == 13


async def test_a_gateway_that_rewrites_paths_fails_the_check_of_the_signature() -> None:
    mismatch = refused(401, "signature_mismatch")
    found = await checks(Service(lambda spec: mismatch if "%2F" in spec.path else answered()))
    signature = found["signature"]
    assert signature.verdict is FAILED
    assert "one with %2F and an unsorted query was refused (signature_mismatch)" in signature.result
    assert "Key, secret and clock are correct." in signature.advice
    assert found["scope"].verdict is PASSED


@pytest.mark.parametrize("status", [200, 400, 403, 404, 429, 500])
async def test_any_other_answer_to_the_path_that_is_written_otherwise_says_nothing_against_the_signature(
    status: int,
) -> None:
    service = Service(lambda spec: answered(status, "{}") if "%2F" in spec.path else answered())
    assert (await checks(service))["signature"].verdict is PASSED


async def test_an_unsigned_key_is_not_asked_about_rewritten_paths() -> None:
    service = always(answered(signed=False))
    assert (await checks(service))["signature"].verdict is PASSED
    assert len(service.asked) == 12


@pytest.mark.parametrize(
    ("answer", "failed", "passed", "advice"),
    [
        (errors.Unreachable("no connection"), "reachability", (), "HTTPS_PROXY"),
        (errors.DeadlineExceeded("no answer in time"), "reachability", (), "contact the network team"),
        (errors.RequestRefused("SSL_CERT_FILE names /x"), "reachability", (), "Fix the setting"),
        (answered(502, "<title>Bad Gateway</title>"), "reachability", (), "the gateway team"),
        (answered(302, "", ("Location", "https://login.example.com")), "reachability", (), "Set the base URL"),
        (answered(403, "blocked"), "reachability", (), "any proxy or gateway between this computer and the service"),
        (answered(200, "<html>Log in</html>"), "reachability", (), "a login page"),
        (answered(200, '{"status": "ok"}'), "reachability", (), "a login page or another service"),
        (answered(200, '"hello"'), "reachability", (), "a login page or another service"),
        (errors.CertificateRefused("not who it says"), "certificate", ("reachability",), "SSL_CERT_FILE"),
        (refused(401, "timestamp_stale"), "clock", ("reachability", "certificate"), "clock (NTP)"),
        (
            refused(401, "api_key_missing"),
            "key",
            ("reachability", "certificate", "clock"),
            "removes the Authorization header",
        ),
        (
            refused(401, "api_key_invalid"),
            "key",
            ("reachability", "certificate", "clock"),
            "Check that the base URL is for that environment",
        ),
        (refused(401, "api_key_revoked"), "key", ("reachability", "certificate", "clock"), "from the rotation"),
        (refused(401, "api_key_expired"), "key", ("reachability", "certificate", "clock"), "Rotate the key"),
        (refused(401, "no_such_word"), "key", ("reachability", "certificate", "clock"), "Check the base URL"),
        (refused(403, "ip_not_allowed"), "address", ("reachability", "certificate", "clock", "key"), "allowlist"),
        (
            refused(401, "signature_missing", signed=False),
            "signature",
            ("reachability", "certificate", "clock", "key"),
            "Set SVC_SIGNING_SECRET",
        ),
        (
            refused(401, "signature_missing"),
            "signature",
            ("reachability", "certificate", "clock", "key"),
            "removes the x-svc-* headers",
        ),
        (
            refused(401, "signature_mismatch"),
            "signature",
            ("reachability", "certificate", "clock", "key"),
            "look for a proxy that changes the path or the query",
        ),
        (
            refused(429, "rate_limit_exceeded", ("Retry-After", "60")),
            "rate limit",
            ("reachability", "certificate", "clock", "key"),
            "Wait for the time shown",
        ),
    ],
)
async def test_one_check_fails_and_what_can_not_be_known_is_skipped(
    answer: Exchange | errors.ServiceError, failed: str, passed: tuple[str, ...], advice: str
) -> None:
    service = always(answer)
    found = await checks(service)
    assert [name for name, check in found.items() if check.verdict is FAILED] == [failed]
    # Whoever answered in the service's place, showed a certificate and a clock.
    shown = ("certificate", "clock") if failed == "reachability" and isinstance(answer, Exchange) else ()
    assert [name for name, check in found.items() if check.verdict is PASSED] == [*passed, *shown]
    assert {check.result for check in found.values() if check.verdict is SKIPPED} == {f"not checked: {failed} failed"}
    assert advice in found[failed].advice
    assert len(service.asked) == 1


async def test_a_rate_limit_says_when_to_try_again() -> None:
    found = await checks(always(refused(429, "rate_limit_exceeded", ("Retry-After", "60"))))
    assert "try again in 60 s" in found["rate limit"].result


async def test_a_failed_check_names_the_request_for_the_services_people() -> None:
    for code, name in (("signature_mismatch", "signature"), ("api_key_invalid", "key")):
        found = await checks(always(refused(401, code, ("X-Request-Id", "req-7"))))
        assert "request req-7" in found[name].result


@pytest.mark.parametrize("proxy", ["", "proxy.example.com:3128"])
async def test_the_way_to_the_service_is_named(proxy: str) -> None:
    service = always(answered())
    service.proxy = proxy
    way = f"through the proxy {proxy}" if proxy else "directly"
    assert (await checks(service))["reachability"].result == f"api.example.com responded in 0 ms, {way}"
    lost = always(errors.Unreachable("could not connect to api.example.com"))
    lost.proxy = proxy
    reachability = (await checks(lost))["reachability"]
    assert ("set HTTPS_PROXY" in reachability.advice) is not bool(proxy)
    assert reachability.result == "could not connect to api.example.com" + (proxy and f" ({way})")
    named = always(errors.Unreachable(f"no connection to the proxy {proxy} in time"))
    named.proxy = proxy
    assert (await checks(named))["reachability"].result == f"no connection to the proxy {proxy} in time"


async def test_a_host_is_not_said_to_have_answered_where_only_its_proxy_did() -> None:
    tunnel = always(errors.CertificateRefused("api.example.com could not prove who it is"))
    tunnel.proxy = "proxy.example.com:3128"
    reachability = (await checks(tunnel))["reachability"]
    assert reachability.result == "the proxy proxy.example.com:3128 opened a connection to api.example.com"
    unproved = always(errors.ProxyRefused("the proxy proxy.example.com:3128 could not prove who it is"))
    unproved.proxy = tunnel.proxy
    reachability = (await checks(unproved))["reachability"]
    assert (reachability.verdict, "answered" in reachability.result) == (FAILED, False)


@pytest.mark.parametrize(
    ("base_url", "authorities", "result"),
    [
        ("https://api.example.com", (), "trusted by this system"),
        ("https://api.example.com", ("SSL_CERT_FILE",), "trusted by this system or SSL_CERT_FILE"),
        ("http://127.0.0.1:8000", ("SSL_CERT_FILE",), "not needed for a local address"),
    ],
)
async def test_the_certificate_says_who_vouches(base_url: str, authorities: tuple[str, ...], result: str) -> None:
    service = always(answered())
    service.base_url = base_url
    assert (await checks(service, authorities=authorities))["certificate"].result == result


async def test_a_certificate_out_of_date_may_be_the_clocks_fault() -> None:
    expired = await checks(always(errors.CertificateRefused("certificate has expired")))
    assert "A wrong date on this computer" in expired["certificate"].advice
    unknown = await checks(always(errors.CertificateRefused("self-signed certificate")))
    assert "A wrong date on this computer" not in unknown["certificate"].advice


@pytest.mark.parametrize(
    ("ahead", "verdict", "result"),
    [
        (0, PASSED, "this computer's clock matches the clock of the service"),
        (60, PASSED, "this computer is 60 s behind the service"),
        (-60, PASSED, "this computer is 60 s ahead of the service"),
        (61, WARNING, "this computer is 61 s behind the service; the limit for a signature is 300 s"),
        (-300, WARNING, "this computer is 300 s ahead of the service; the limit for a signature is 300 s"),
        (301, FAILED, "this computer is 301 s behind the service; the limit for a signature is 300 s"),
        (-1200, FAILED, "this computer is 20 min ahead of the service; the limit for a signature is 300 s"),
    ],
)
async def test_the_clock_is_judged_by_its_distance(ahead: float, verdict: CheckVerdict, result: str) -> None:
    clock = (await checks(always(answered(ahead=ahead))))["clock"]
    assert (clock.verdict, clock.result, "clock (NTP)" in clock.advice) == (verdict, result, verdict is not PASSED)


async def test_a_date_from_a_cache_or_none_at_all_tells_no_time() -> None:
    undated = answered(ahead=1200)
    undated = Exchange(undated.request, Answer(200, "", (), b"[]"), 1, 0.0, NOW)
    for answer in (undated, answered(200, "[]", ("Age", "1"), ahead=1200)):
        assert (await checks(always(answer)))["clock"].verdict is SKIPPED


async def test_the_clock_and_the_secret_are_told_apart() -> None:
    wrong_clock = await checks(always(answered(ahead=1200, moved=1200)))
    assert (wrong_clock["clock"].verdict, wrong_clock["signature"].verdict) == (FAILED, PASSED)
    assert (
        wrong_clock["signature"].result
        == "signed and accepted, with the service's time (+20 min from this computer's clock)"
    )
    wrong_secret = await checks(always(refused(401, "signature_mismatch")))
    assert (wrong_secret["clock"].verdict, wrong_secret["signature"].verdict) == (PASSED, FAILED)


async def test_an_unsigned_request_that_is_accepted_says_so() -> None:
    found = await checks(always(answered(signed=False)))
    assert found["signature"].result == "not signed and accepted; this key does not have to sign"


async def test_a_path_in_the_base_url_may_be_why_a_signature_is_refused() -> None:
    service = always(refused(401, "signature_mismatch"))
    assert "base URL" not in (await checks(service))["signature"].advice
    service.base_url = "https://api.example.com/gate"
    assert "The path /gate of the base URL is not signed" in (await checks(service))["signature"].advice


async def test_a_refused_signature_says_whether_the_program_signs_soundly(monkeypatch: pytest.MonkeyPatch) -> None:
    service = always(refused(401, "signature_mismatch"))
    assert "the signing self-test of svc-tui passed" in (await checks(service))["signature"].result
    monkeypatch.setattr(diagnosis, "sign", lambda secret, text: "0" * 64)
    broken = (await checks(service))["signature"]
    assert "the signing self-test of svc-tui failed" in broken.result
    assert "Reinstall svc-tui and Python" in broken.advice


def test_the_known_answer_is_one_that_openssl_made() -> None:
    known = json.loads((Path(__file__).parents[1] / "signing-vectors.json").read_text(encoding="utf-8"))
    assert known["secret"] == diagnosis._KNOWN_SECRET
    assert diagnosis._KNOWN_SIGNATURE in [vector["v1"] for vector in known["vectors"]]
    assert diagnosis.signing_is_sound()


async def test_a_first_collection_that_is_not_there_says_nothing_of_the_key() -> None:
    service = Service(lambda spec: answered(404) if spec.path == FIRST else refused(401, "api_key_expired"))
    assert (await checks(service))["key"].verdict is FAILED
    service = Service(lambda spec: answered(404) if spec.path == FIRST else answered())
    found = await checks(service)
    assert found["scope"].verdict is WARNING
    assert found["scope"].result == "can read 11 of 12 collections; not operations/lots (not found)"
    assert "Set its segment in the profile" in found["scope"].advice
    assert len(service.asked) == 13


async def test_where_no_collection_is_found_the_base_url_is_wrong() -> None:
    found = await checks(always(answered(404)))
    assert found["reachability"].verdict is FAILED
    assert "no collection was found there" in found["reachability"].result
    assert "It must not include /v1" in found["reachability"].advice


async def test_a_scope_that_is_missing_is_a_warning_with_what_to_ask_for() -> None:
    closed = ("/v1/finance/invoices", "/v1/workforce/workers")
    service = Service(lambda spec: refused(403, "insufficient_scope") if spec.path in closed else answered())
    scope = (await checks(service))["scope"]
    assert scope.verdict is WARNING
    assert scope.result == "can read 10 of 12 collections; not finance/invoices, workforce/workers (no scope)"
    assert "Ask for the scope" in scope.advice


async def test_a_key_that_may_read_nothing_fails_on_its_scope_alone() -> None:
    found = await checks(always(refused(403, "insufficient_scope")))
    assert [name for name, check in found.items() if check.verdict is not PASSED] == ["scope"]
    assert found["scope"].verdict is FAILED
    assert found["scope"].result.startswith("can read 0 of 12 collections")


async def test_a_collection_that_breaks_the_service_is_a_failure_with_its_reason() -> None:
    service = Service(lambda spec: answered(500) if spec.path.endswith("stock") else answered())
    scope = (await checks(service))["scope"]
    assert scope.verdict is FAILED
    assert scope.result == "can read 11 of 12 collections; not inventory/stock (the service returned 500)"
    assert "contact the service team" in scope.advice


async def test_a_rate_limit_met_on_the_way_is_told() -> None:
    held = errors.RateLimitExceeded("the service says to wait 60 s more")
    service = Service(lambda spec: answered() if spec.path == FIRST else held)
    found = await checks(service)
    assert (found["rate limit"].verdict, found["scope"].verdict) == (WARNING, WARNING)
    assert found["rate limit"].result == "11 of 12 requests were throttled: the service says to wait 60 s more"
    slow = await checks(Service(lambda spec: answered(attempts=1 if spec.path == FIRST else 2)))
    assert slow["rate limit"].result == "12 requests succeeded, some after a wait that the service asked for"


async def test_a_secret_that_a_service_repeats_is_masked() -> None:
    for answer in (
        errors.Unreachable(f"could not connect to {SECRET}"),
        answered(302, "", ("Location", f"https://x.example.com/{SECRET}")),
        Exchange(answered().request, Answer(500, f"{KEY} {SECRET}", (), b""), 1, 0.0, NOW),
    ):
        found = await checks(always(answer))
        assert found["reachability"].verdict is FAILED
        assert all(text not in f"{check.result} {check.advice}" for check in found.values() for text in (KEY, SECRET))


@pytest.mark.parametrize(
    ("key", "secret", "verdict", "result"),
    [
        ("svc_live_x", SECRET, PASSED, "a LIVE key (svc_live_) with a signing secret; requests are signed"),
        ("svc_test_x", SECRET, PASSED, "a SANDBOX key (svc_test_) with a signing secret; requests are signed"),
        ("svc_test_x", None, PASSED, "a SANDBOX key (svc_test_) without a signing secret; requests are not signed"),
        ("svc_live_x", None, PASSED, "a LIVE key (svc_live_) without a signing secret; requests are not signed"),
        ("svc_live_x", "svc_live_y", WARNING, "a LIVE key (svc_live_) with a signing secret that looks like a key"),
    ],
)
def test_the_form_of_the_key(key: str, secret: str | None, verdict: CheckVerdict, result: str) -> None:
    check = diagnosis.check_key_form(KeyPair(key, secret))
    assert (check.verdict, check.result, bool(check.advice)) == (verdict, result, verdict is WARNING)


def test_the_configuration_names_where_settings_come_from() -> None:
    setup = EffectiveSetup("https://api.example.com", ("SVC_API_KEY", "SVC_SIGNING_SECRET", "SVC_BASE_URL"))
    result = "https://api.example.com, from SVC_API_KEY, SVC_SIGNING_SECRET and SVC_BASE_URL; no config.toml"
    assert diagnosis.check_configuration(setup) == CheckResult("configuration", PASSED, result)
    noticed = diagnosis.check_configuration(
        EffectiveSetup("https://x.example.com", ("SVC_API_KEY",), "/c.toml", ("mind this",))
    )
    assert (noticed.verdict, noticed.advice) == (WARNING, "mind this")
    assert noticed.result == "https://x.example.com, from SVC_API_KEY; settings from /c.toml"


def test_a_mistake_in_the_configuration_leaves_the_rest_unknown() -> None:
    first, *rest = diagnosis.misconfigured_checks("no key is set; set SVC_API_KEY")
    assert first == CheckResult("configuration", FAILED, "no key is set; set SVC_API_KEY")
    assert [(check.name, check.verdict) for check in rest] == [(name, SKIPPED) for name in diagnosis.CHECK_NAMES[1:]]


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [
        ([PASSED, SKIPPED], PASSED),
        ([PASSED, WARNING, SKIPPED], WARNING),
        ([WARNING, FAILED, PASSED], FAILED),
    ],
)
def test_the_worst_verdict_counts(verdicts: list[CheckVerdict], worst: CheckVerdict) -> None:
    assert diagnosis.overall_verdict([CheckResult("x", verdict, "") for verdict in verdicts]) is worst


AT = datetime(2026, 11, 20, 5, 12, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("found", "verdict", "result"),
    [
        (ChainCheck(0), PASSED, "no writes yet"),
        (ChainCheck(1), PASSED, "intact: 1 entry"),
        (ChainCheck(1200, 40), PASSED, "intact: 1,200 entries; 40 older entries deleted earlier"),
        (
            ChainCheck(1200, 40, BrokenLink(1241, AT)),
            FAILED,
            "damaged at entry 1,241, written 2026-11-20 05:12:07+00:00; 1,200 entries before it are intact; 40 older "
            "entries deleted earlier",
        ),
        (ChainCheck(2, broken=BrokenLink(3)), FAILED, "damaged at entry 3; 2 entries before it are intact"),
        (
            ChainCheck(2, difference=EndDifference(EndProblem.LOST, "/x.db.end", 9)),
            FAILED,
            "damaged: entries are missing at the end: /x.db.end has entry 9; found 2 entries",
        ),
        (
            ChainCheck(2, difference=EndDifference(EndProblem.FORGOTTEN, "/x.db.end", 0)),
            FAILED,
            "damaged: the file with the number of the last entry is missing: /x.db.end; found 2 entries",
        ),
        (StoreError("/x.db can't be opened"), FAILED, "/x.db can't be opened"),
    ],
)
def test_the_journal_is_intact_or_broken_at_a_line(
    found: ChainCheck | StoreError, verdict: CheckVerdict, result: str
) -> None:
    check = check_journal(found, "/x.db")
    assert (check.name, check.verdict, check.result) == ("journal", verdict, result)


def test_a_broken_chain_says_what_that_means_and_does_not_claim_to_know_who() -> None:
    advice = check_journal(ChainCheck(0, broken=BrokenLink(1)), "/x.db").advice
    assert "outside svc-tui, for example by a damaged disk" in advice
    assert "move /x.db to another directory" in advice


async def test_where_somebody_answered_over_tls_the_certificate_was_good() -> None:
    found = await checks(always(answered(404)))
    assert found["reachability"].verdict is FAILED
    assert (found["certificate"].verdict, found["clock"].verdict) == (PASSED, PASSED)
    assert found["key"].verdict is SKIPPED
