"""Error answers of any shape and code become errors that say what happened and what to do."""

import json
import pickle
import time
from datetime import UTC, datetime
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.domain import errors
from svc_tui.domain.advice import told
from svc_tui.domain.errors import BY_CODE, SentState, StatusError, failure_of, kind_of
from svc_tui.domain.explanation import explanation_of
from svc_tui.domain.requests import Answer, Exchange, SignedRequest


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
    assert made is not None
    return made


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
    assert explanation_of(exchange(403, body).answer) == SHAPES[body]
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


@pytest.mark.parametrize("code", BY_CODE)
def test_every_code_of_the_document_has_its_own_class_and_sentence(code: str) -> None:
    status = {"insufficient_scope": 403, "ip_not_allowed": 403, "rate_limit_exceeded": 429}.get(code, 401)
    made = failure(status, f'{{"code": "{code}"}}', method="PATCH")
    assert type(made) is BY_CODE[code]
    assert str(made).endswith(f" ({code})")
    assert "the service answered" not in str(made)
    assert made.sent is SentState.REFUSED


def test_messages() -> None:
    scope = '{"error": "insufficient_scope"}'
    assert str(failure(403, scope, method="PATCH")) == "the key lacks the scope for PATCH (insufficient_scope)"
    said = '{"error": {"code": "insufficient_scope", "message": "lots:write is needed"}}'
    assert str(failure(403, said, method="PUT")).endswith("for PUT: lots:write is needed (insufficient_scope)")
    assert str(failure_of(exchange(418, "{}", reason="I'm a teapot"))) == "the service answered 418 I'm a teapot"
    assert str(failure_of(exchange(500, "boom", reason=""))) == "the service answered 500 (boom)"
    missing = told(failure(401, '{"code": "signature_missing"}'))
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
    ("ahead", "words"), [(-400, "400 s behind"), (400, "400 s ahead of"), (0, "agrees with the service's Date")]
)
def test_a_stale_timestamp_is_the_clock_and_says_how_far(ahead: int, words: str) -> None:
    date = formatdate(round(time.time()) - ahead, usegmt=True)
    made = str(failure(401, '{"code": "timestamp_stale"}', ("Date", date)))
    assert "the clock, not the secret" in made
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
    assert made.sent is SentState.REFUSED


def test_a_429_tells_the_longest_of_several_waits() -> None:
    made = failure(429, "", ("Retry-After", "5"), ("retry-after", "3600"))
    assert isinstance(made, errors.RateLimitExceeded)
    assert made.retry_after == 3600
    assert "in 3600 s" in str(made)


def test_a_redirect_names_where_without_a_password() -> None:
    made = str(failure(302, "", ("Location", "https://a:b@evil.example/login")))
    assert "https://…@evil.example/login" in made
    assert str(failure_of(exchange(304, reason="Not Modified"))) == "the service answered 304 Not Modified"


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
        assert made.sent is SentState.UNKNOWN
    assert failure(503).sent is SentState.UNKNOWN
    assert failure(409).sent is SentState.REFUSED


def test_an_error_carries_all_there_is_and_survives_pickling() -> None:
    made = failure(429, '{"code": "rate_limit_exceeded"}', ("Retry-After", "3"), ("X-Request-ID", "r-7"))
    again = pickle.loads(pickle.dumps(made))
    for one in (made, again):
        assert isinstance(one, errors.RateLimitExceeded)
        assert (one.code, one.status, one.request_id) == ("rate_limit_exceeded", 429, "r-7")
        assert (one.attempts, one.idempotency_key, one.retry_after) == (2, "key-1", 3)
        assert str(one) == str(made)


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
    assert kind_of(status, "") is kind
    assert kind_of(status, "something_else") is kind
