"""What is shown of headers."""

import pytest

from svc_tui.domain.redact import masked_headers, masked_value


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("Authorization", "Bearer svc_test_abc", "Bearer svc_test_…"),
        ("authorization", "Bearer svc_live_abc", "Bearer svc_live_…"),
        ("AUTHORIZATION", "Basic dXNlcg==", "Basic …"),
        ("Authorization", "svc_live_abc", "…"),
        ("Proxy-Authorization", "Basic x", "Basic …"),
        ("Cookie", "a=b", "…"),
        ("Set-Cookie", "a=b; Path=/", "…"),
        ("x-svc-signature", "t=1700000000,v1=" + "ab" * 32, "t=1700000000,v1=…"),
        ("X-Svc-Timestamp", "1700000000", "1700000000"),
        ("X-A", "plain", "plain"),
    ],
)
def test_identity_is_masked_and_the_rest_is_not(name: str, value: str, shown: str) -> None:
    assert masked_value(name, value) == shown
    assert masked_headers([(name, value)]) == ((name, shown),)
