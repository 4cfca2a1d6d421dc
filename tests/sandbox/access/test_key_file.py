"""The file of keys: what it may hold, what is said of a mistake in it, and that no word of it is shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from svc_tui.sandbox.access.address import parse_networks
from svc_tui.sandbox.access.key_file import keys_text, parse_keys, read_key_file
from svc_tui.sandbox.access.keys import POLICIES, KeyPolicy, KeySettings, KeyStore
from svc_tui.sandbox.access.rate_limit import RateLimit
from svc_tui.sandbox.errors import SandboxError

LIVE_KEY, TEST_KEY, SECRET = "svc_live_fixed", "svc_test_fixed", "svcsec_fixed"


def parsed(*entries: dict[str, Any]) -> tuple[KeySettings, ...]:
    return parse_keys(json.dumps({"keys": entries}), "keys.json")


def test_a_key_of_its_own_is_as_the_file_says() -> None:
    [key] = parsed(
        {
            "name": "reports",
            "api_key": TEST_KEY,
            "signing_secret": SECRET,
            "note": "for the report",
            "scopes": ["read"],
            "must_sign": True,
            "expires_at": "2027-01-01T01:00:00+01:00",
            "revoked": True,
            "addresses": ["10.0.0.0/8", "2001:db8::1"],
            "rate": {"per_second": 0.5, "burst": 20},
        }
    )
    assert key == KeySettings(
        KeyPolicy(
            "reports",
            "svc_test_",
            "for the report",
            frozenset({"read"}),
            must_sign=True,
            has_secret=True,
            expires_at=1_798_761_600.0,
            revoked=True,
            allowed=parse_networks("10.0.0.0/8", "2001:db8::1"),
            rate=RateLimit(0.5, 20),
        ),
        TEST_KEY,
        SECRET,
    )


def test_what_is_not_said_is_as_on_offer_or_as_the_document_has_it() -> None:
    live, limited, own = parsed(
        {"name": "live", "api_key": LIVE_KEY, "signing_secret": SECRET},
        {"name": "limited", "rate": {"per_second": 9, "burst": 9}},
        {"name": "own", "api_key": LIVE_KEY + "2", "signing_secret": SECRET},
    )
    offered = {policy.name: policy for policy in POLICIES}
    assert live.policy == offered["live"]
    assert (limited.policy.scopes, limited.policy.rate) == (offered["limited"].scopes, RateLimit(9, 9))
    assert limited.api_key is None
    assert own.policy.must_sign
    issued = KeyStore((live, limited, own)).issued
    assert {key.name for key in issued} == {*offered, "own"}
    assert next(key for key in issued if key.name == "limited").api_key.startswith("svc_test_")


def test_a_key_that_comes_with_no_secret_has_none() -> None:
    [key] = parsed({"name": "test-signed", "api_key": TEST_KEY})
    assert next(k for k in KeyStore((key,)).issued if k.name == "test-signed").signing_secret is None


def test_the_line_that_a_service_writes_first_is_such_a_file() -> None:
    issued = KeyStore().issued
    line = json.dumps({"base_url": "http://127.0.0.1:1", "keys": [key.announced() for key in issued]})
    assert KeyStore(parse_keys(line, "keys.json")).issued == issued


def test_keys_become_a_text_and_are_the_same_again() -> None:
    keys = parsed(
        {"name": "live", "api_key": LIVE_KEY, "signing_secret": SECRET},
        {"name": "own", "addresses": ["10.0.0.1"], "expires_at": "2027-01-01T00:00:00Z", "scopes": []},
    )
    assert parse_keys(keys_text(keys), "keys") == keys


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON: line 1, column 2: the text ends too early"),
        ("[]", "it must be an object with a list named keys"),
        ("{}", "keys is missing: a list of keys"),
        ('{"keys": [5]}', "keys[0] must be an object with name, api_key and other fields"),
        ('{"keys": [{"api_key": "svc_test_x"}]}', "keys[0].name is missing: "),
        ('{"keys": [{"name": "a", "api_key": "svc_prod_x"}]}', "keys[0].api_key must be the key; begins with"),
        ('{"keys": [{"name": "a", "api_key": "svc_test_ x"}]}', "keys[0].api_key must be the key; begins with"),
        (
            '{"keys": [{"name": "a", "scope": ["read"]}]}',
            "keys[0].scope is not a known field; the fields are name, api_key, ",
        ),
        ('{"keys": [{"name": "a", "scopes": ["admin"]}]}', "keys[0].scopes[0] must be a list with read, write or both"),
        ('{"keys": [{"name": "a", "expires_at": "2027-01-01T00:00:00"}]}', "keys[0].expires_at must be a time such as"),
        ('{"keys": [{"name": "a", "addresses": ["10.0.0.0/99"]}]}', "keys[0].addresses must be a list of IP addresses"),
        (
            '{"keys": [{"name": "a", "rate": {"per_second": 0, "burst": 1}}]}',
            "keys[0].rate.per_second must be ",
        ),
        ('{"keys": [{"name": "a", "rate": {"per_second": 1e-320, "burst": 1}}]}', "keys[0].rate.per_second must be "),
        ('{"keys": [{"name": "a", "must_sign": "yes"}]}', "keys[0].must_sign must be true or false"),
        ('{"keys": [{"name": "a", "expires_at": 1700000000000}]}', "keys[0].expires_at must be a time such as"),
        (
            '{"keys": [{"name": "a", "line\\nbreak": 1}]}',
            "a field in keys[0] is not a known field; the fields are name, api_key, ",
        ),
        (
            '{"keys": [{"name": "a", "rate": {"per_second": 1}}]}',
            "keys[0].rate.burst is missing: maximum number of requests in a burst",
        ),
        ('{"keys": [{"name": "a"}, {"name": "a"}]}', "two keys are named 'a'"),
        ('{"keys": [{"name": "live", "api_key": "svc_test_x"}]}', "the key 'live' must start with svc_live_"),
        (
            '{"keys": [{"name": "live", "api_key": "svc_live_x"}]}',
            "requests with the key 'live' must be signed; add its signing secret",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line_with_its_place(text: str, message: str) -> None:
    with pytest.raises(SandboxError) as refused:
        parse_keys(text, "keys.json")
    told = str(refused.value)
    assert told.startswith(f"keys.json: {message}")
    assert "\n" not in told


@pytest.mark.parametrize("field", ["api_key", "signing_secret", "note", "expires_at", "addresses", "name"])
def test_a_mistake_shows_no_key(field: str) -> None:
    entry: dict[str, Any] = {"name": "a", "api_key": "svc_test_hidden", "signing_secret": "svcsec_hidden"}
    with pytest.raises(SandboxError) as refused:
        parsed({**entry, field: {"svc_live_hidden": "hidden"}})
    assert "hidden" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text('{"keys": [{"name": "own"}]}', encoding="utf-8-sig")
    assert [key.policy.name for key in read_key_file(tmp_path / "keys.json")] == ["own"]


def test_a_key_where_a_name_belongs_is_not_shown() -> None:
    for name in ("svc_live_hidden", "svcsec_hidden", "hidden" * 10):
        with pytest.raises(SandboxError) as refused:
            parsed({"name": "a", name: "b"})
        assert "hidden" not in str(refused.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"none\.json can't be read: No such file or directory"):
        read_key_file(tmp_path / "none.json")
    (tmp_path / "large.json").write_bytes(b" " * (1024 * 1024 + 1))
    with pytest.raises(SandboxError, match="larger than 1 MB"):
        read_key_file(tmp_path / "large.json")
