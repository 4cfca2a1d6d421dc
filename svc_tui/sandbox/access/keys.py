"""The keys the service accepts, kept as one-way hashes (service-interface, "API keys")."""

import hashlib
import secrets
from dataclasses import dataclass, field

from svc_tui.sandbox.access.address import Network, parse_networks
from svc_tui.sandbox.access.rate_limit import RateLimit
from svc_tui.sandbox.options import IssuedKey, SandboxError

READ, WRITE = "read", "write"


@dataclass(frozen=True, slots=True)
class KeyPolicy:
    """What a key may do, as a management portal would set it; `expires_at` is Unix time."""

    name: str
    prefix: str
    note: str
    scopes: frozenset[str] = frozenset({READ, WRITE})
    must_sign: bool = False
    has_secret: bool = False
    expires_at: float | None = None
    revoked: bool = False
    allowed: tuple[Network, ...] = ()
    rate: RateLimit | None = None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An accepted key: the hash of it, never the key; the signing secret lives in memory alone."""

    digest: str
    policy: KeyPolicy
    secret: str | None = field(repr=False)


POLICIES: tuple[KeyPolicy, ...] = (
    KeyPolicy("live", "svc_live_", "must sign, may read and write", must_sign=True, has_secret=True),
    KeyPolicy("sandbox", "svc_test_", "unsigned, may read and write"),
    KeyPolicy("read-only", "svc_test_", "unsigned, may only read: writes are insufficient_scope", frozenset({READ})),
    KeyPolicy(
        "live-read-only",
        "svc_live_",
        "must sign, may only read: writes are insufficient_scope",
        frozenset({READ}),
        must_sign=True,
        has_secret=True,
    ),
    KeyPolicy("test-signed", "svc_test_", "need not sign; a signature is checked when sent", has_secret=True),
    KeyPolicy("expired", "svc_test_", "past its expiry: api_key_expired", expires_at=1_700_000_000.0),
    KeyPolicy("revoked", "svc_test_", "revoked: api_key_revoked", revoked=True),
    KeyPolicy(
        "address",
        "svc_test_",
        "allowed from documentation addresses alone: ip_not_allowed",
        allowed=parse_networks("203.0.113.0/24", "2001:db8::/32"),
    ),
    KeyPolicy("limited", "svc_test_", "3 requests a second: rate_limit_exceeded above", rate=RateLimit(3, 3)),
)
"""Every key on offer, the useful ones first."""


class KeyStore:
    """Looks keys up by their hash, and holds what is shown of them once."""

    def __init__(self, wanted_keys: tuple[IssuedKey, ...] = ()) -> None:
        """Keys named in `wanted_keys` are taken as they are; all others are random and new."""
        fixed = {key.name: key for key in wanted_keys}
        if unknown := fixed.keys() - {policy.name for policy in POLICIES}:
            raise SandboxError(f"no key is called {min(unknown)!r}; choose from {', '.join(p.name for p in POLICIES)}")
        self.issued = tuple(_issue(policy, fixed.get(policy.name)) for policy in POLICIES)
        self._keys = {
            key_digest(offer.api_key): ApiKey(key_digest(offer.api_key), policy, offer.signing_secret)
            for policy, offer in zip(POLICIES, self.issued, strict=True)
        }
        if len(self._keys) != len(POLICIES):
            raise SandboxError("two keys are the same; give each name a key of its own")

    def find(self, api_key: str) -> ApiKey | None:
        """The key with this text; None if there is none."""
        return self._keys.get(key_digest(api_key))


def key_digest(api_key: str) -> str:
    """SHA-256 in hex: a key has 256 random bits, so no slow hash is needed to keep it one-way."""
    return hashlib.sha256(api_key.encode("utf-8", "surrogateescape")).hexdigest()


def _issue(policy: KeyPolicy, wanted: IssuedKey | None) -> IssuedKey:
    if wanted is None:
        secret = f"svcsec_{secrets.token_hex(32)}" if policy.has_secret else None
        return IssuedKey(policy.name, policy.prefix + secrets.token_urlsafe(32), secret, policy.note)
    if not wanted.api_key.startswith(policy.prefix):
        raise SandboxError(f"the key {policy.name!r} must start with {policy.prefix}")
    if policy.must_sign and not wanted.signing_secret:
        raise SandboxError(f"the key {policy.name!r} must sign and needs a signing secret")
    return IssuedKey(policy.name, wanted.api_key, wanted.signing_secret, policy.note)
