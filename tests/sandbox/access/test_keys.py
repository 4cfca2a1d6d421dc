"""Keys: random, kept as hashes, never shown by accident, fixed from outside where wanted."""

import re

import pytest

from svc_tui.sandbox.access.keys import POLICIES, IssuedKey, KeyStore, find_key, key_digest
from svc_tui.sandbox.errors import SandboxError
from tests.fixed_keys import fixed


def test_every_key_and_secret_is_random_and_new() -> None:
    first, second = KeyStore(), KeyStore()
    keys = {offer.api_key for ring in (first, second) for offer in ring.issued}
    assert len(keys) == 2 * len(POLICIES)
    secrets = [offer.signing_secret for ring in (first, second) for offer in ring.issued if offer.signing_secret]
    assert len(set(secrets)) == len(secrets) == 2 * sum(policy.has_secret for policy in POLICIES)


def test_the_prefix_names_the_environment_and_live_keys_must_sign() -> None:
    for policy, offer in zip(POLICIES, KeyStore().issued, strict=True):
        assert re.fullmatch(r"svc_(live|test)_[A-Za-z0-9_-]{43}", offer.api_key)
        assert offer.api_key.startswith(policy.prefix)
        assert policy.must_sign is (policy.prefix == "svc_live_")
        assert (offer.signing_secret is not None) is policy.has_secret
        assert offer.note


def test_what_the_service_keeps_does_not_hold_the_key() -> None:
    ring = KeyStore()
    for offer in ring.issued:
        kept = ring.find(offer.api_key)
        assert kept is not None
        assert kept.digest == key_digest(offer.api_key)
        assert offer.api_key not in repr(vars(ring)["_keys"]) + repr(ring.issued)
        assert offer.signing_secret is None or offer.signing_secret not in repr(kept) + repr(offer)
        assert ring.find(offer.api_key + "x") is None


def test_a_given_key_is_taken_and_the_others_are_new() -> None:
    given = IssuedKey("live", "svc_live_" + "g" * 43, "svcsec_given", "")
    ring = KeyStore(fixed(given))
    issued = {offer.name: offer for offer in ring.issued}
    assert (issued["live"].api_key, issued["live"].signing_secret) == (given.api_key, given.signing_secret)
    assert issued["live"].note
    assert ring.find(given.api_key) is not None
    assert len(issued) == len(POLICIES)


def test_two_names_may_not_share_a_key() -> None:
    shared = "svc_test_shared"
    with pytest.raises(SandboxError, match="two entries have the same key"):
        KeyStore(fixed(IssuedKey("sandbox", shared, None), IssuedKey("limited", shared, None)))


def test_rotation_brings_a_new_pair_and_the_old_key_ends_when_it_is_told_to() -> None:
    ring = KeyStore()
    old = find_key(ring.issued, "live")
    new = ring.rotate("live", 500.0)
    assert find_key(ring.issued, "live") == new
    assert new.api_key != old.api_key
    assert new.signing_secret != old.signing_secret
    kept, fresh = ring.find(old.api_key), ring.find(new.api_key)
    assert kept is not None
    assert fresh is not None
    assert (kept.ends_at, fresh.ends_at) == (500.0, None)
    assert kept.policy == fresh.policy
    with pytest.raises(KeyError):
        ring.rotate("nobody", 0)
    ring.reset()
    assert find_key(ring.issued, "live") == old
    assert ring.find(new.api_key) is None
