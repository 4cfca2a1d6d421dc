"""Who may come in: key, address, signature, rate and scope, checked in that order."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from svc_tui.sandbox.access.address import address_allowed
from svc_tui.sandbox.access.keys import READ, WRITE, ApiKey, KeyStore
from svc_tui.sandbox.access.rate_limit import RateLimiter
from svc_tui.sandbox.access.signature import check_signature, half_signature_error, signature_missing_error
from svc_tui.sandbox.errors import ApiError

TIMESTAMP, SIGNATURE = "x-svc-timestamp", "x-svc-signature"


@dataclass(frozen=True, slots=True)
class IncomingRequest:
    """A request as it came over the wire; `headers` hold every value of a name, in lower case; `now` is Unix time."""

    method: str
    target: bytes
    headers: Mapping[str, Sequence[str]] = field(repr=False)
    address: str
    now: float
    request_id: str

    @property
    def reads(self) -> bool:
        """Whether the method changes nothing."""
        return self.method in ("GET", "HEAD")

    @property
    def path(self) -> str:
        """The path as it was received, percent-encoded."""
        return self.target.partition(b"?")[0].decode("latin-1")

    def header(self, name: str) -> str | None:
        """A header's value, several joined as HTTP reads them; None if it is absent."""
        values = self.headers.get(name)
        return None if values is None else ", ".join(values)

    @property
    def signing_headers(self) -> tuple[str, ...]:
        """Which of the two signing headers are there."""
        return tuple(name for name in (TIMESTAMP, SIGNATURE) if name in self.headers)

    @property
    def signed(self) -> bool:
        """Whether both signing headers are there."""
        return len(self.signing_headers) == 2


class SignatureVerdict(StrEnum):
    """What is known of a request's signature."""

    ABSENT = "absent"
    RIGHT = "right"
    WRONG = "wrong"
    NOT_JUDGED = "not judged"


class AccessChecks:
    """The checks before any route (service-interface, "Authentication" and "Errors")."""

    def __init__(
        self,
        keys: KeyStore,
        limiter: RateLimiter,
        monotonic: Callable[[], float] = time.monotonic,
        prefix: str | None = None,
    ) -> None:
        """`monotonic` gives seconds that never go back, for rate limits; only keys with `prefix` are known here."""
        self._keys, self._limiter, self._monotonic, self._prefix = keys, limiter, monotonic, prefix

    def identify(self, incoming: IncomingRequest) -> ApiKey:
        """The key a request came with, once it is known to be good here and now; raises ApiError."""
        authorization = (incoming.header("authorization") or "").strip()
        if not authorization:
            raise ApiError("api_key_missing", "send the header Authorization: Bearer <API key>")
        scheme, _, token = authorization.partition(" ")
        key = self._keys.find(token.strip()) if scheme.lower() == "bearer" else None
        if key is None:
            raise ApiError("api_key_invalid", "unknown API key; it may be incomplete")
        policy = key.policy
        if self._prefix is not None and policy.prefix != self._prefix:
            raise ApiError(
                "api_key_invalid",
                f"unknown API key: keys here begin with {self._prefix}; this key belongs to the other environment",
            )
        if policy.revoked or (key.ends_at is not None and incoming.now >= key.ends_at):
            raise ApiError("api_key_revoked", "the API key was revoked")
        if policy.expires_at is not None and incoming.now >= policy.expires_at:
            raise ApiError("api_key_expired", "the API key has expired")
        if not address_allowed(incoming.address, policy.allowed):
            raise ApiError("ip_not_allowed", f"the API key can't be used from {incoming.address}")
        return key

    def check_signature(self, incoming: IncomingRequest, key: ApiKey, body: bytes) -> SignatureVerdict:
        """What is known of the signature; raises ApiError where it is wrong, or not there and needed."""
        match incoming.signing_headers:
            case ():
                if key.policy.must_sign:
                    raise signature_missing_error()
                return SignatureVerdict.ABSENT
            case (only,):
                if key.policy.must_sign:
                    raise signature_missing_error()
                raise half_signature_error(SIGNATURE if only == TIMESTAMP else TIMESTAMP)
        if key.secret is None:
            return SignatureVerdict.NOT_JUDGED
        timestamp, signature = incoming.header(TIMESTAMP) or "", incoming.header(SIGNATURE) or ""
        check_signature(key.secret, timestamp, signature, incoming.method, incoming.target, body, incoming.now)
        return SignatureVerdict.RIGHT

    def check_rate(self, key: ApiKey) -> None:
        """Raise ApiError (429) when the key has spent its requests."""
        if key.policy.rate is None:
            return
        wait = self._limiter.wait(key.digest, key.policy.rate, self._monotonic())
        if wait:
            raise rate_limit_error(str(wait))

    def check_scope(self, incoming: IncomingRequest, key: ApiKey) -> None:
        """Raises ApiError when the key lacks the scope that the method needs."""
        required = READ if incoming.reads else WRITE
        if required not in key.policy.scopes:
            raise ApiError("insufficient_scope", f"the API key lacks the scope {required!r}")


def rate_limit_error(retry_after: str) -> ApiError:
    """The refusal of a request over the limit; `retry_after` is the header's text, "" for none."""
    headers = {"retry-after": retry_after} if retry_after else {}
    return ApiError("rate_limit_exceeded", "too many requests with this key; wait for the time in Retry-After", headers)
