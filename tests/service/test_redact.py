"""What is shown of headers, and what is left of a text that repeats a secret."""

import pytest

from svc_tui.service.redact import (
    holds_secret,
    holds_secret_text,
    mask_header_lines,
    mask_headers,
    mask_keys,
    mask_text,
    mask_value,
)


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
    assert mask_value(name, value) == shown
    assert mask_headers([(name, value)]) == ((name, shown),)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("nothing here", "nothing here"),
        ("hush and hush-hush", "… and …"),
        ("https://x/?s=a%2Fb%2Bc", "https://x/?s=…"),
        (r'{"s":"a\/b+c"}', '{"s":"…"}'),
        ("t=1700000000,v1=" + "ab" * 32, "t=1700000000,v1=…"),
    ],
)
def test_a_secret_is_masked_however_it_is_spelled(text: str, left: str) -> None:
    secrets = ["hush", "hush-hush", "a/b+c"]
    assert mask_text(text, secrets) == left
    assert holds_secret_text(text, secrets) is ("…" in left and "t=1" not in left)


def test_a_text_without_secrets_stays_as_it_is() -> None:
    assert mask_text("as it is", []) == "as it is"
    assert mask_text("as it is", [""]) == "as it is"
    assert not holds_secret_text("as it is", [""])


def test_of_a_key_the_prefix_is_left() -> None:
    assert mask_keys("bad svc_live_abc/+= and svc_test_x") == "bad svc_live_… and svc_test_…"


def test_an_empty_secret_is_in_no_text() -> None:
    assert not holds_secret("plain", ("",))


def test_a_text_holds_a_secret_however_it_is_spelled_and_a_key_by_its_beginning() -> None:
    assert holds_secret('{"note": "a\\"b"}', ('a"b',))
    # What a URL need not write by its number may be written so too.
    assert holds_secret("lots?note=a%62%22c", ('ab"c',))
    assert holds_secret(" svc_live_abc", ())
    assert not holds_secret("see svc_live_ in the document", ("hush",))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Cookie: sid=abc; b=2\nnext", "Cookie: …\nnext"),
        ("[(b'Authorization', b'Bearer t'), (b'x', b'y')]", "[(b'Authorization', b'…'), (b'x', b'y')]"),
        ('{"set-cookie": "a=\\"b", "x": 1}', '{"set-cookie": "…", "x": 1}'),
        ("x-svc-signature=t=1,v1=ab", "x-svc-signature=…"),
        ("headers={'cookie': 'a'} ok", "headers={'cookie': '…'} ok"),
        ("proxy-authorization: Basic dTpw", "proxy-authorization: …"),
        ("the authorization header is missing", "the authorization header is missing"),
        ("not-a-cookie: x", "not-a-cookie: x"),
    ],
)
def test_headers_that_carry_identity_lose_their_values_however_they_are_written_down(text: str, masked: str) -> None:
    assert mask_header_lines(text) == masked
