"""A 2xx is believed where its body is the service's: JSON or nothing; a web page is a gateway's."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.requests import Answer, Exchange, SignedRequest
from svc_tui.service.answers import foreign_body, web_page_words
from svc_tui.service.errors import BadAnswer, SendResult, failure_of

LOGIN = b"<!doctype html><html><head><title>Please log in</title></head></html>"


def exchange(body: bytes, kind: str = "", *, method: str = "PATCH", status: int = 200) -> Exchange:
    request = SignedRequest(method, "https://x/v1/a", "/v1/a", (), b"")
    headers = (("Content-Type", kind),) if kind else ()
    return Exchange(request, Answer(status, "OK", headers, body), 1, 0.1, datetime.now(UTC), "key-1")


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (LOGIN, "text/html", "a web page (“Please log in”)"),
        (LOGIN, "application/json", "a web page (“Please log in”)"),
        (LOGIN, "", "a web page (“Please log in”)"),
        (b"\xef\xbb\xbf \n" + LOGIN.upper(), "", "a web page (“PLEASE LOG IN”)"),
        (b"<!-- proxy 7 -->\n<HTML><body>no</body>", "text/plain", "a web page"),
        (b"Please log in", "text/html; charset=utf-8", "a web page"),
        (b"<p>no</p>", "application/xhtml+xml", "a web page"),
        (b"", "text/html", ""),
        (b" \r\n", "text/html", ""),
        (b'{"id": "lot-1"}', "text/html", ""),
        (b"<lot/>", "application/xml", ""),
        (b"done", "text/plain", ""),
        (b"a <html> b", "text/plain", ""),
    ],
)
def test_a_web_page_is_known_by_its_beginning_or_by_what_it_says_it_is(body: bytes, kind: str, words: str) -> None:
    assert web_page_words(exchange(body, kind).answer) == words


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "VERIFY"])
def test_a_write_that_a_web_page_answers_has_no_known_outcome(method: str) -> None:
    failure = failure_of(exchange(LOGIN, "text/html", method=method))
    assert isinstance(failure, BadAnswer)
    assert (failure.sent, failure.idempotency_key) == (SendResult.UNKNOWN, "key-1")
    assert str(failure) == (
        "the service returned 200 with a web page (“Please log in”) instead of JSON; it may come from a gateway. "
        "Check the base URL"
    )


@pytest.mark.parametrize(
    ("body", "kind", "json", "foreign"),
    [
        (b"logged out", "text/plain", True, True),
        (b"logged out", "text/plain", False, False),
        (b"<lot/>", "application/xml", True, True),
        (b"<lot/>", "application/xml", False, False),
        (b"", "application/json", True, False),
        (b" ", "", True, False),
        (b'"done"', "text/plain", True, False),
        (b"\xef\xbb\xbf{}", "text/html", True, False),
    ],
)
def test_where_records_come_as_json_no_other_body_tells_that_a_write_was_done(
    body: bytes, kind: str, *, json: bool, foreign: bool
) -> None:
    assert bool(foreign_body(exchange(body, kind), json=json)) is foreign


def test_a_body_too_large_to_be_read_whole_is_not_judged() -> None:
    cut = exchange(b'{"items": [')
    answer = Answer(200, "OK", (), cut.answer.body, capped=True)
    request, rest = cut.request, (cut.attempts, cut.seconds, cut.received)
    assert foreign_body(Exchange(request, answer, *rest), json=True) == ""


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_a_read_may_bring_a_web_page(method: str) -> None:
    assert failure_of(exchange(LOGIN, "text/html", method=method), json=True) is None


def test_a_secret_in_the_title_is_masked() -> None:
    failure = failure_of(exchange(b"<html><title>no hush here</title>", "text/html"), ["hush"])
    assert "no … here" in str(failure)
