"""The keys the service accepts, kept as one-way hashes (service-interface, "API keys")."""

import hashlib
import secrets
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from svc_tui.sandbox.access.address import Network, parse_networks
from svc_tui.sandbox.access.rate_limit import RateLimit
from svc_tui.sandbox.errors import SandboxError

READ, WRITE = "read", "write"
LIVE_PREFIX, TEST_PREFIX = "svc_live_", "svc_test_"


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A key the service accepts: shown once when it starts, never again (service-interface, "API keys")."""

    name: str
    api_key: str = field(repr=False)
    signing_secret: str | None = field(repr=False)
    note: str = ""

    def announced(self) -> dict[str, str | None]:
        """The key as the first line on stdout gives it."""
        return {
            "name": self.name,
            "api_key": self.api_key,
            "signing_secret": self.signing_secret,
            "note": self.note,
        }


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
class KeySettings:
    """A key that somebody wants to be accepted; what is None is made anew at each start."""

    policy: KeyPolicy
    api_key: str | None = field(default=None, repr=False)
    signing_secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An accepted key: the hash of it, never the key; the signing secret lives in memory alone.

    It is dead from `ends_at` on, in Unix time: it was rotated.
    """

    digest: str
    policy: KeyPolicy
    secret: str | None = field(repr=False)
    ends_at: float | None = None


POLICIES: tuple[KeyPolicy, ...] = (
    KeyPolicy("live", LIVE_PREFIX, "signed, may read and write", must_sign=True, has_secret=True),
    KeyPolicy("sandbox", TEST_PREFIX, "unsigned, may read and write"),
    KeyPolicy("read-only", TEST_PREFIX, "unsigned, read-only: writes return insufficient_scope", frozenset({READ})),
    KeyPolicy(
        "live-read-only",
        LIVE_PREFIX,
        "signed, read-only: writes return insufficient_scope",
        frozenset({READ}),
        must_sign=True,
        has_secret=True,
    ),
    KeyPolicy("test-signed", TEST_PREFIX, "may be signed; a signature is checked when sent", has_secret=True),
    KeyPolicy("expired", TEST_PREFIX, "past its expiry: api_key_expired", expires_at=1_700_000_000.0),
    KeyPolicy("revoked", TEST_PREFIX, "revoked: api_key_revoked", revoked=True),
    KeyPolicy(
        "address",
        TEST_PREFIX,
        "allowlist without a usable IP address: ip_not_allowed",
        allowed=parse_networks("203.0.113.0/24", "2001:db8::/32"),
    ),
    KeyPolicy("limited", TEST_PREFIX, "at most 3 requests per second, then rate_limit_exceeded", rate=RateLimit(3, 3)),
)
"""Every key on offer, the useful ones first."""


class KeyStore:
    """Looks keys up by their hash, and holds what is shown of them once; safe to use from any thread."""

    def __init__(self, wanted: Iterable[KeySettings] = ()) -> None:
        """Keys in `wanted` stand in place of those on offer that have their names, or beside them."""
        settings = {policy.name: KeySettings(policy) for policy in POLICIES}
        settings |= {key.policy.name: key for key in wanted}
        self._lock = threading.Lock()
        self._at_start = tuple((key.policy, _issue(key)) for key in settings.values())
        self.reset()
        if len(self._keys) != len(settings):
            raise SandboxError("two entries have the same key; use a different key for each name")

    def reset(self) -> None:
        """Every key as at the start: what was rotated since counts no more."""
        with self._lock:
            self._issued = {policy.name: pair for policy, pair in self._at_start}
            accepted = [_accepted(policy, pair) for policy, pair in self._at_start]
            self._keys = {key.digest: key for key in accepted}

    @property
    def issued(self) -> tuple[IssuedKey, ...]:
        """The pairs in use, the newest where one was rotated."""
        with self._lock:
            return tuple(self._issued.values())

    def find(self, api_key: str) -> ApiKey | None:
        """The key with this text; None if there is none."""
        return self._keys.get(key_digest(api_key))

    def rotate(self, name: str, ends_at: float) -> IssuedKey:
        """A new key and a new secret for a name (service-interface, "Rotation"); KeyError if no key has it.

        The old key goes on until `ends_at`, in Unix time, so that there is never a moment without one that works.
        """
        with self._lock:
            old = self._issued[name]
            kept = self._keys[key_digest(old.api_key)]
            pair = _issue(KeySettings(kept.policy))
            new = _accepted(kept.policy, pair)
            self._keys |= {new.digest: new, kept.digest: replace(kept, ends_at=ends_at)}
            self._issued[name] = pair
            return pair


def key_digest(api_key: str) -> str:
    """SHA-256 in hex: a key has 256 random bits, so no slow hash is needed to keep it one-way."""
    return hashlib.sha256(api_key.encode("utf-8", "surrogateescape")).hexdigest()


def find_key(keys: Iterable[IssuedKey], name: str) -> IssuedKey:
    """The key of that name; KeyError if there is none."""
    return {key.name: key for key in keys}[name]


def _accepted(policy: KeyPolicy, pair: IssuedKey) -> ApiKey:
    return ApiKey(key_digest(pair.api_key), policy, pair.signing_secret)


def _issue(key: KeySettings) -> IssuedKey:
    policy = key.policy
    api_key = key.api_key or policy.prefix + secrets.token_urlsafe(32)
    secret = key.signing_secret or (f"svcsec_{secrets.token_hex(32)}" if policy.has_secret else None)
    return IssuedKey(policy.name, api_key, secret, policy.note)
