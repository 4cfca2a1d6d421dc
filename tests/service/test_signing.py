"""Signatures against known answers that were made with openssl, and against the header's shape."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.service.signing import sign, signed_headers, string_to_sign

KNOWN = json.loads((Path(__file__).parents[1] / "signing-vectors.json").read_text(encoding="utf-8"))
VECTORS: list[dict[str, Any]] = KNOWN["vectors"]


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_known_answers(vector: dict[str, Any]) -> None:
    body = base64.b64decode(vector["body_base64"])
    text = string_to_sign(vector["timestamp"], vector["method"], vector["target"], body)
    assert text.endswith(f".{vector['body_sha256']}")
    assert sign(KNOWN["secret"], text) == vector["v1"]
    headers = dict(signed_headers(KNOWN["secret"], vector["timestamp"], vector["method"], vector["target"], body))
    assert headers == {
        "x-svc-timestamp": str(vector["timestamp"]),
        "x-svc-signature": f"t={vector['timestamp']},v1={vector['v1']}",
    }


def test_the_method_is_signed_in_upper_case_and_an_empty_body_by_its_digest() -> None:
    empty = hashlib.sha256(b"").hexdigest()
    assert string_to_sign(1, "get", "/v1/a?b", b"") == f"1.GET./v1/a?b.{empty}"


ASKED = st.tuples(
    st.integers(0, 10**10),
    st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E)).map("/v1/{}".format),
    st.binary(),
)


@given(one=ASKED, other=ASKED)
def test_two_requests_never_share_a_string_to_sign(
    one: tuple[int, str, str, bytes], other: tuple[int, str, str, bytes]
) -> None:
    assert (string_to_sign(*one) == string_to_sign(*other)) == (one == other)
    for part in range(4):
        mixed = (*one[:part], other[part], *one[part + 1 :])
        assert (string_to_sign(*mixed) == string_to_sign(*one)) == (mixed == one)  # type: ignore[arg-type]


@given(secret=st.text(min_size=1).filter(str.isprintable), body=st.binary(), other=st.binary())
def test_another_body_or_secret_is_another_signature(secret: str, body: bytes, other: bytes) -> None:
    made = sign(secret, string_to_sign(1, "PUT", "/v1/a", body))
    assert re.fullmatch(r"[0-9a-f]{64}", made)
    assert (made == sign(secret, string_to_sign(1, "PUT", "/v1/a", other))) == (body == other)
    assert made != sign(secret + "x", string_to_sign(1, "PUT", "/v1/a", body))
