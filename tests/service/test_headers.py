"""Which headers a caller may set."""

import pytest

from svc_tui.service.errors import RequestRefused
from svc_tui.service.headers import check_headers, is_reserved


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "AUTHORIZATION",
        " authorization ",
        "x-svc-signature",
        "X-SVC-anything",
        "X_Svc_Timestamp",
        "Host",
        "Cookie",
        "Content-Length",
        "content_length",
        "Transfer-Encoding",
        "Proxy-Authorization",
        "Connection",
    ],
)
def test_what_carries_identity_or_frames_the_request_is_the_clients(name: str) -> None:
    assert is_reserved(name)
    with pytest.raises(RequestRefused, match="can't be set"):
        check_headers([("Accept", "*/*"), (name, "x")])


@pytest.mark.parametrize("name", ["Accept", "Content-Type", "If-Match", "Idempotency-Key", "X-Request-Id", "svc-x"])
def test_other_headers_are_the_callers(name: str) -> None:
    assert not is_reserved(name)
    check_headers([(name, "a value; with=\tsigns")])


@pytest.mark.parametrize(
    ("name", "value"), [("", "x"), ("a b", "x"), ("a:", "x"), ("é", "x"), ("a", "x\ny"), ("a", "é"), ("a", "\x00")]
)
def test_what_can_not_stand_in_a_header_is_refused(name: str, value: str) -> None:
    with pytest.raises(RequestRefused):
        check_headers([(name, value)])


def test_a_refused_value_is_not_quoted() -> None:
    with pytest.raises(RequestRefused, match="header X-A") as raised:
        check_headers([("X-A", "open-sesame\n")])
    assert "open-sesame" not in str(raised.value)
