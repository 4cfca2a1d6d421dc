"""The exit status and the line of every way in which a request can end."""

import shlex
from datetime import UTC, datetime

import pytest

from svc_tui.bootstrap.request import RequestResult
from svc_tui.cli.output.request_report import exit_status, failure_line
from svc_tui.core.requests import Answer, Exchange, SignedRequest
from svc_tui.service import errors

REQUEST = SignedRequest("POST", "http://127.0.0.1/v1/x", "/v1/x", (), b"")


def answered(status: int) -> Exchange:
    return Exchange(REQUEST, Answer(status, "", (), b""), 1, 0.1, datetime(2026, 11, 20, tzinfo=UTC))


@pytest.mark.parametrize(
    ("error", "write", "status"),
    [
        (None, True, 0),
        (errors.RequestRefused("no"), False, 2),
        (errors.Unreachable("no"), True, 3),
        (errors.CertificateRefused("no"), False, 3),
        (errors.ConnectionBroken("no"), False, 3),
        (errors.DeadlineExceeded("no"), True, 3),
        (errors.BadAnswer("no"), False, 3),
        (errors.failure_of(answered(404)), True, 1),
        (errors.failure_of(answered(429)), False, 1),
        (errors.failure_of(answered(302)), False, 1),
        (errors.failure_of(answered(500)), False, 1),
        (errors.failure_of(answered(500)), True, 3),
    ],
)
def test_the_status_says_how_it_ended(error: errors.ServiceError | None, write: bool, status: int) -> None:
    assert exit_status(RequestResult(REQUEST, error=error), write=write) == status


def test_what_was_decided_here_is_a_refusal() -> None:
    reply = RequestResult(None, reason="Not sent, because the journal could not be written: the disk is full")
    assert exit_status(reply, write=True) == 2
    assert failure_line(reply, write=True) == reply.reason


def test_a_line_ends_with_what_to_do() -> None:
    error = errors.NotFound("the service returned 404 Not Found (not_found).", code="not_found")
    assert failure_line(RequestResult(REQUEST, error=error), write=True) == (
        "the service returned 404 Not Found (not_found). Check the id and the path."
    )


def test_a_write_of_unknown_fate_can_be_taken_up_again() -> None:
    error = errors.ConnectionBroken("the connection broke", idempotency_key="k-1")
    told = {
        header: failure_line(RequestResult(REQUEST, error=error, idempotency_header=header), write=True)
        for header in ("Idempotency-Key", "X-Once", "")
    }
    unknown = "the connection broke. It is not known whether the change was saved. Check the record"
    assert told == {
        "Idempotency-Key": f"{unknown}, or send the request again with -H 'Idempotency-Key: k-1'.",
        "X-Once": f"{unknown}, or send the request again with -H 'X-Once: k-1'.",
        "": f"{unknown} before you send it again.",
    }


def test_a_key_that_a_shell_would_read_is_quoted_for_it() -> None:
    error = errors.ConnectionBroken("the connection broke", idempotency_key="it's $(mine)")
    line = failure_line(RequestResult(REQUEST, error=error, idempotency_header="X-Once"), write=True)
    assert shlex.split(line.partition("with ")[2].removesuffix(".")) == ["-H", "X-Once: it's $(mine)"]


def test_a_read_of_unknown_fate_needs_no_looking() -> None:
    assert failure_line(RequestResult(REQUEST, error=errors.ConnectionBroken("it broke")), write=False) == "it broke."


def test_success_says_nothing() -> None:
    assert failure_line(RequestResult(REQUEST, answered(200)), write=True) == ""
