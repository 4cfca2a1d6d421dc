"""Error answers of any shape and code become errors that say what happened and what to do."""

import copy
import json
import pickle
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.requests import Answer, Exchange, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service import errors
from svc_tui.service.advice import error_text
from svc_tui.service.answers import explain_body
from svc_tui.service.errors import ERRORS_BY_CODE, SendResult, StatusError, error_class, failure_of
from svc_tui.service.signing import sign


def exchange(
    status: int,
    body: bytes | str = b"",
    *headers: tuple[str, str],
    method: str = "GET",
    doubt: bool = False,
    reason: str = "",
) -> Exchange:
    data = body.encode() if isinstance(body, str) else body
    request = SignedRequest(method, "https://x/v1/a", "/v1/a", (), b"")
    received = datetime.fromtimestamp(time.time(), UTC)
    return Exchange(request, Answer(status, reason, headers, data), 2, 0.1, received, "key-1", doubt=doubt)


def failure(status: int, body: bytes | str = b"", *headers: tuple[str, str], method: str = "GET") -> StatusError:
    made = failure_of(exchange(status, body, *headers, method=method))
    assert isinstance(made, StatusError)
    return made


def tree(kind: type[errors.ServiceError] = errors.ServiceError) -> Iterator[type[errors.ServiceError]]:
    """The class and all below it, in the order they are written."""
    yield kind
    for below in kind.__subclasses__():
        yield from tree(below)


def drawn(kind: type[errors.ServiceError], before: str = "") -> Iterator[str]:
    """The lines of the tree below the class."""
    kinds = kind.__subclasses__()
    for below in kinds:
        last = below is kinds[-1]
        yield f"{before}{'└' if last else '├'}── {below.__name__}"
        yield from drawn(below, f"{before}{'    ' if last else '│   '}")


SHAPES = {
    '{"error": {"code": "lot_locked", "message": "It is locked"}}': ("lot_locked", "It is locked"),
    '{"code": "lot_locked", "message": "It is locked"}': ("lot_locked", "It is locked"),
    '{"Code": "lot_locked", "Message": "It is locked"}': ("lot_locked", "It is locked"),
    '{"errorCode": "lot_locked", "errorMessage": "It is locked"}': ("lot_locked", "It is locked"),
    '{"error_code": "lot_locked", "msg": "It is locked"}': ("lot_locked", "It is locked"),
    '{"error": "lot_locked"}': ("lot_locked", ""),
    '{"error": "forbidden"}': ("forbidden", ""),
    '{"error": "It is locked"}': ("", "It is locked"),
    '{"error": "lot_locked", "error_description": "It is locked"}': ("lot_locked", "It is locked"),
    '{"error": "lot_locked", "message": "It is locked", "statusCode": 403}': ("lot_locked", "It is locked"),
    '{"error": true, "message": "It is locked"}': ("", "It is locked"),
    '{"errors": [{"code": "lot_locked", "detail": "It is locked"}]}': ("lot_locked", "It is locked"),
    '{"errors": ["It is locked", "and shut"]}': ("", "It is locked; and shut"),
    '{"errors": {"grade": ["must be given"], "mass": ["is too large"]}}': (
        "",
        "grade: must be given; mass: is too large",
    ),
    '{"type": "https://x/locked", "title": "Locked", "status": 423, "detail": "It is locked"}': ("", "It is locked"),
    '{"title": "Locked", "code": "lot_locked"}': ("lot_locked", "Locked"),
    '{"detail": [{"loc": ["body"], "msg": "field required"}]}': ("", "field required"),
    '{"code": 17, "message": "It is locked"}': ("", "It is locked"),
    '{"message": "insufficient_scope"}': ("insufficient_scope", ""),
    '{"data": null, "error": {"error": {"code": "lot_locked"}}}': ("lot_locked", ""),
    '[{"code": "lot_locked"}]': ("lot_locked", ""),
    '"It is locked"': ("", "It is locked"),
    "lot_locked": ("lot_locked", ""),
    "It is\n\t locked": ("", "It is locked"),
    "<html><head><TITLE>502 Bad Gateway</TITLE>": ("", "502 Bad Gateway"),
    "<html><p>no": ("", ""),
    "<?xml": ("", ""),
    "null": ("", ""),
    "[]": ("", ""),
    "{}": ("", ""),
    "true": ("", ""),
    "12": ("", ""),
    "": ("", ""),
    " \r\n": ("", ""),
    '{"code": "a", "code": "b"}': ("", ""),
    '{"broken": ': ("", ""),
    '{"message": "", "code": ""}': ("", ""),
    "[" * 200_000: ("", ""),
    "7" * 5000: ("", ""),
    '{"error": ' * 50 + '"deep_code"' + "}" * 50: ("", ""),
}


@pytest.mark.parametrize("body", SHAPES, ids=lambda body: body[:40])
def test_every_shape_is_understood(body: str) -> None:
    assert explain_body(exchange(403, body).answer) == SHAPES[body]
    assert failure(403, body).code == SHAPES[body][0]


@given(st.binary(max_size=200), st.integers(300, 599))
def test_no_body_breaks_it(body: bytes, status: int) -> None:
    made = failure(status, body)
    assert 0 < len(str(made)) < 500
    assert "\n" not in str(made)


Values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["error", "errors", "code", "message", "x"]), inner)
    ),
    max_leaves=12,
)


@given(Values)
def test_no_json_breaks_it(value: object) -> None:
    made = failure(400, json.dumps(value))
    assert len(str(made)) < 1500


@pytest.mark.parametrize("code", ERRORS_BY_CODE)
def test_every_code_of_the_document_has_its_own_class_and_sentence(code: str) -> None:
    status = {"insufficient_scope": 403, "ip_not_allowed": 403, "rate_limit_exceeded": 429}.get(code, 401)
    made = failure(status, f'{{"code": "{code}"}}', method="PATCH")
    assert type(made) is ERRORS_BY_CODE[code]
    assert str(made).endswith(f" ({code})")
    assert "the service returned" not in str(made)
    assert made.sent is SendResult.REFUSED


def test_messages() -> None:
    scope = '{"error": "insufficient_scope"}'
    assert str(failure(403, scope, method="PATCH")) == "the key does not have the scope for PATCH (insufficient_scope)"
    said = '{"error": {"code": "insufficient_scope", "message": "lots:write is needed"}}'
    assert str(failure(403, said, method="PUT")).endswith("for PUT: lots:write is needed (insufficient_scope)")
    assert str(failure_of(exchange(418, "{}", reason="I'm a teapot"))) == "the service returned 418 I'm a teapot"
    assert str(failure_of(exchange(500, "boom", reason=""))) == "the service returned 500 (boom)"
    missing = error_text(failure(401, '{"code": "signature_missing"}'))
    assert "Set SVC_SIGNING_SECRET, or signing_secret in the profile." in missing
    assert "secret" not in str(failure(401, '{"code": "api_key_expired"}'))


def test_long_words_are_cut_and_keys_in_them_masked() -> None:
    made = str(failure(400, json.dumps({"message": "svc_live_abcdef " + "x" * 1000})))
    assert "svc_live_… xxx" in made
    assert "abcdef" not in made
    assert len(made) < 350
    other = failure_of(exchange(400, '{"message": "hush is wrong"}'), secrets=["hush"])
    assert str(other).endswith(": … is wrong")


@pytest.mark.parametrize("shape", ['{"error": "hush_hush"}', '{"code": "hush_hush"}', "hush_hush", '{"message": "%s"}'])
def test_a_secret_is_never_taken_for_a_code_nor_cut_in_half(shape: str) -> None:
    body = shape.replace("%s", "x" * 295 + " hush_hush")
    made = failure_of(exchange(400, body), secrets=["hush_hush"])
    assert made is not None
    assert "hush" not in str(made) + made.code
    keyed = failure(400, '{"error": "svc_test_abc"}')
    assert keyed.code == ""
    assert "abc" not in str(keyed)


@pytest.mark.parametrize(
    ("ahead", "words"), [(-400, "400 s behind"), (400, "400 s ahead of"), (0, "matches the service's Date")]
)
def test_a_stale_timestamp_is_the_clock_and_says_how_far(ahead: int, words: str) -> None:
    date = formatdate(round(time.time()) - ahead, usegmt=True)
    made = str(failure(401, '{"code": "timestamp_stale"}', ("Date", date)))
    assert "a clock problem, not a wrong secret" in made
    assert words in made.replace("399", "400").replace("401 s", "400 s")
    assert made.endswith("(timestamp_stale)")


def test_a_429_tells_the_wait() -> None:
    made = failure(429, "", ("Retry-After", "17"))
    assert isinstance(made, errors.RateLimitExceeded)
    assert made.retry_after == 17
    assert "in 17 s" in str(made)
    silent = failure(429)
    assert isinstance(silent, errors.RateLimitExceeded)
    assert silent.retry_after is None


@pytest.mark.parametrize("asked", ["", "-5", "1e3", "nan", "٣", "9" * 400, "Thu, 31 Feb 2030 00:00:00 GMT"])
@pytest.mark.parametrize("body", ["", '{"code": "insufficient_scope"}', "[" * 200_000])
def test_a_429_stays_one_whatever_comes_with_it(asked: str, body: str) -> None:
    made = failure(429, body, ("Retry-After", asked))
    assert isinstance(made, errors.RateLimitExceeded)
    assert made.sent is SendResult.REFUSED


def test_a_429_tells_the_longest_of_several_waits() -> None:
    made = failure(429, "", ("Retry-After", "5"), ("retry-after", "3600"))
    assert isinstance(made, errors.RateLimitExceeded)
    assert made.retry_after == 3600
    assert "in 1 h" in str(made)


def test_a_redirect_names_where_without_a_password() -> None:
    made = str(failure(302, "", ("Location", "https://a:b@evil.example/login")))
    assert "https://…@evil.example/login" in made
    assert str(failure_of(exchange(304, reason="Not Modified"))) == "the service returned 304 Not Modified"


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_a_success_is_no_failure(status: int) -> None:
    assert failure_of(exchange(status, '{"error": {"code": "api_key_invalid"}}')) is None


def test_the_outcome_of_what_was_sent_again() -> None:
    assert failure_of(exchange(404, method="DELETE", doubt=True)) is None
    assert failure_of(exchange(410, method="DELETE", doubt=True)) is None
    assert failure_of(exchange(404, method="DELETE")) is not None
    for status in (404, 409, 412, 403):
        made = failure_of(exchange(status, method="PATCH", doubt=True))
        assert made is not None
        assert made.sent is SendResult.UNKNOWN
    assert failure(503).sent is SendResult.UNKNOWN
    assert failure(409).sent is SendResult.REFUSED


def test_the_tree_is_drawn_as_it_is() -> None:
    picture = (errors.__doc__ or "").partition("ServiceError\n")[2].partition("\n\n")[0]
    names = [re.sub(r"^ {4}(.*── \w+).*", r"\1", line) for line in picture.splitlines()]
    assert names == list(drawn(errors.ServiceError))


SENT = {
    errors.ServiceError: "unknown",
    errors.RequestRefused: "not sent",
    errors.Unreachable: "not sent",
    errors.ConnectionBroken: "unknown",
    errors.BadAnswer: "unknown",
    errors.StatusError: "refused",
    errors.RecordChanged: "not sent",
    errors.ServerFault: "unknown",
}


@pytest.mark.parametrize("kind", tree())
def test_every_error_says_what_is_known_of_its_fate(kind: type[errors.ServiceError]) -> None:
    assert kind("x").sent.value == next(SENT[above] for above in kind.__mro__ if above in SENT)
    assert kind("x", sent=SendResult.DONE).sent is SendResult.DONE


COPIES: dict[str, Callable[[errors.ServiceError], errors.ServiceError]] = {
    "pickle": lambda error: pickle.loads(pickle.dumps(error)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("kind", tree())
def test_a_copy_of_an_error_holds_all_that_it_held(
    kind: type[errors.ServiceError], copied: Callable[[errors.ServiceError], errors.ServiceError]
) -> None:
    answered = exchange(429, '{"code": "x"}', ("X-Request-ID", "r-7"), doubt=True)
    made = kind("why", sent=SendResult.UNKNOWN, code="x", exchange=answered, attempts=3, idempotency_key="k-1")
    made.add_note("seen twice")
    if isinstance(made, errors.RateLimitExceeded):
        made.retry_after = 3.0
    again = copied(made)
    assert type(again) is kind
    assert again is not made
    assert (str(again), again.args, again.__notes__) == ("why", ("why",), ["seen twice"])
    assert (again.sent, again.code, again.status, again.request_id) == (SendResult.UNKNOWN, "x", 429, "r-7")
    assert (again.exchange, again.attempts, again.idempotency_key) == (answered, 3, "k-1")
    assert getattr(again, "retry_after", None) == getattr(made, "retry_after", None)


def test_what_a_429_asks_for_survives_pickling() -> None:
    made = failure(429, '{"code": "rate_limit_exceeded"}', ("Retry-After", "3"))
    again = pickle.loads(pickle.dumps(made))
    assert isinstance(again, errors.RateLimitExceeded)
    assert (again.retry_after, again.attempts, again.idempotency_key) == (3, 2, "key-1")


@pytest.mark.parametrize("kind", tree())
@pytest.mark.parametrize("message", ["", " ", "\n\t", "\u2003"])
def test_the_text_of_an_error_is_never_empty(kind: type[errors.ServiceError], message: str) -> None:
    made = kind(message)
    assert kind.__name__ in str(made)
    assert kind.__name__ in repr(made)
    assert str(pickle.loads(pickle.dumps(made))) == str(made)


def test_control_characters_in_a_message_do_no_harm() -> None:
    message = "a\x00b\x1b[31m\u202e\ud800"
    made = pickle.loads(pickle.dumps(errors.NotFound(message)))
    assert (str(made), made.message, made.args) == (message, message, (message,))


def test_errors_come_apart_in_groups() -> None:
    group = ExceptionGroup("of one save", [errors.NotFound("a"), errors.ApiKeyRevoked("b"), errors.Unreachable("c")])
    seen: list[tuple[str, list[str]]] = []
    try:
        raise group
    except* errors.KeyRefused as some:
        seen.append(("key", [str(error) for error in some.exceptions]))
    except* errors.StatusError as some:
        seen.append(("status", [str(error) for error in some.exceptions]))
    except* errors.ServiceError as some:
        seen.append(("other", [str(error) for error in some.exceptions]))
    assert seen == [("key", ["b"]), ("status", ["a"]), ("other", ["c"])]


SECRET = 'hush/"&<+hush'
WAYS = {
    "as it is": SECRET,
    "as JSON": json.dumps(SECRET)[1:-1],
    "as JSON with escaped slashes": json.dumps(SECRET)[1:-1].replace("/", r"\/"),
    "in a URL": "hush%2F%22%26%3C%2Bhush",
    "in HTML": "hush/&quot;&amp;&lt;+hush",
}


@pytest.mark.parametrize("status", [400, 401, 302, 503])
@pytest.mark.parametrize("spelled", WAYS.values(), ids=WAYS)
def test_a_secret_is_masked_wherever_the_service_repeats_it(spelled: str, status: int) -> None:
    answered = exchange(
        status,
        f'before {spelled} "{spelled}" after',
        ("WWW-Authenticate", f"Bearer {spelled}"),
        ("Location", f"https://x/?{spelled}"),
        (f"X-{spelled}", "1"),
        reason=f"No {spelled}",
    )
    made = failure_of(answered, ["hush", SECRET])
    assert made is not None
    assert made.exchange is not None
    assert "hush" not in str(made) + repr(made) + str(made.exchange.answer.headers) + made.exchange.answer.reason
    assert made.exchange.answer.body == 'before … "…" after'.encode()
    assert b"hush" not in pickle.dumps(made)
    assert answered.answer.body.startswith(f"before {spelled}".encode())


def test_the_signature_of_this_request_is_masked_and_another_digest_is_not() -> None:
    made = sign("hush", "1700000000.GET./v1/a.e3b0")
    other = "0123456789abcdef" * 4
    plain = exchange(401, f'{{"error": {{"got": "{made}", "Got": "{made.upper()}", "root": "{other}"}}}}')
    signed = replace(plain, request=replace(plain.request, string_to_sign="1700000000.GET./v1/a.e3b0"))
    failure = failure_of(signed, ["svc_test_abc", "hush"])
    assert failure is not None
    assert failure.exchange is not None
    assert failure.exchange.answer.body.decode() == f'{{"error": {{"got": "…", "Got": "…", "root": "{other}"}}}}'
    assert made not in str(failure_of(replace(signed, answer=replace(signed.answer, body=made.encode())), ["hush"]))


@pytest.mark.parametrize("digest", ["ab" * 32, "AB" * 32, "ab" * 16])
def test_a_digest_is_never_taken_for_a_code(digest: str) -> None:
    assert failure(401, json.dumps({"error": digest})).code == ""
    assert failure(401, json.dumps({"code": digest})).code == ""
    assert failure(401, digest).code == ""


def test_nothing_repeated_leaves_the_exchange_as_it_came() -> None:
    answered = exchange(404, b"\xff\x00 not here", ("X-A", "1"))
    made = failure_of(answered, ["hush"])
    assert made is not None
    assert made.exchange == answered


def test_an_answer_does_not_show_its_body_by_itself() -> None:
    answered = exchange(400, "hush in the body", ("X-A", "hush in a header"), reason="hush as a reason")
    assert "hush" not in repr(answered)
    assert "400" in repr(answered)


def test_a_page_of_broken_titles_is_read_once() -> None:
    # Looking for each title to the end of the page would take minutes here.
    body = "<title" * 16_000
    assert [failure(500, body).code for _ in range(200)] == [""] * 200


def test_an_answer_that_begins_with_a_byte_order_mark_is_understood() -> None:
    assert failure(403, '\ufeff{"code": "lot_locked"}').code == "lot_locked"
    assert "502 Bad Gateway" in str(failure(502, "\ufeff<html><title>502 Bad Gateway</title>"))
    assert str(failure(400, '\ufeff{"a": "' + "x" * 100_000)) == "the service returned 400"


Deep = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["error", "Errors", "code", "message", "detail", "details", "title", "fault", "x"]), inner
        )
    ),
    max_leaves=40,
)


@given(Deep, st.integers(300, 599), st.sampled_from(["GET", "DELETE", "POST"]))
def test_an_error_body_of_any_shape_becomes_an_error_of_one_line(value: object, status: int, method: str) -> None:
    answered = exchange(status, json.dumps(value), method=method)
    code, words = explain_body(answered.answer, ["svc_test_a", "é"])
    assert len(words) <= 300
    assert len(code) <= 64
    made = failure_of(answered, ["svc_test_a", "é"])
    assert made is not None
    assert str(made).strip()
    assert len(str(made).splitlines()) == 1
    assert str(pickle.loads(pickle.dumps(made))) == str(made)


def test_thousands_of_errors_are_told_by_the_first() -> None:
    many = ",".join(f'{{"code": "bad_{n}", "detail": "no {n}"}}' for n in range(2000))
    made = failure(422, f'{{"errors": [{many}]}}')
    assert (made.code, str(made)) == ("bad_0", "the service returned 422: no 0; no 1; no 2 (bad_0)")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, errors.NotFound),
        (410, errors.NotFound),
        (409, errors.Conflict),
        (412, errors.Conflict),
        (429, errors.RateLimitExceeded),
        (308, errors.Redirected),
        (408, errors.ServerFault),
        (599, errors.ServerFault),
        (401, StatusError),
        (422, StatusError),
        (100, StatusError),
    ],
)
def test_a_status_alone_has_its_class(status: int, kind: type[StatusError]) -> None:
    assert error_class(status, "") is kind
    assert error_class(status, "something_else") is kind


@pytest.mark.parametrize(
    ("challenge", "told"),
    [
        ('Basic realm="Corp gateway", charset="UTF-8"', "(Basic, “Corp gateway”)"),
        ("Negotiate", "(Negotiate)"),
        ('digest nonce="x", realm="R"', "(Digest, “R”)"),
    ],
)
def test_a_gateways_own_login_is_named(challenge: str, told: str) -> None:
    refused = failure_of(exchange(401, "<html>401</html>", ("WWW-Authenticate", challenge)))
    assert str(refused) == f"a gateway between this computer and the service requires a login {told}"


@pytest.mark.parametrize(
    ("body", "challenge"), [("", 'Bearer realm="x"'), ('{"code": "api_key_invalid"}', 'Basic realm="x"'), ("", "")]
)
def test_a_401_of_the_service_is_not_taken_for_a_gateways(body: str, challenge: str) -> None:
    assert "gateway" not in str(failure_of(exchange(401, body, ("WWW-Authenticate", challenge))))
