"""A request as the client will send it: checked, addressed, its bytes and its idempotency key fixed."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import unquote

from msgspec import Struct

from svc_tui import __version__
from svc_tui.core.credentials import PREFIXES, KeyPair
from svc_tui.core.requests import READS, RequestSpec, SignedRequest
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.service.base_url import BaseUrl
from svc_tui.service.errors import RequestRefused
from svc_tui.service.headers import check_headers
from svc_tui.service.redact import holds_secret_text, mask_headers
from svc_tui.service.routes import target_of
from svc_tui.service.signing import signed_headers, string_to_sign

_METHOD = re.compile(r"[A-Z][A-Z0-9_-]*")


class PreparedRequest(Struct, frozen=True):
    """What stays the same on every attempt; `key` is the idempotency key, "" for what carries none.

    `key_from` is as in the profile.
    """

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    key: str
    key_from: str = ""

    @property
    def reads(self) -> bool:
        """Whether the request only looks."""
        return self.method in READS


def prepare_request(spec: RequestSpec, profile: Profile) -> PreparedRequest:
    """The request checked and completed, without identity; raises RequestRefused."""
    method = spec.method.upper()
    if not spec.method.isascii() or not _METHOD.fullmatch(method) or method in ("CONNECT", "TRACE"):
        raise RequestRefused(f"the method {spec.method[:20]!r} is not supported")
    if profile.read_only and method not in READS:
        raise RequestRefused(f"this session is read-only: {method} is refused")
    check_headers(spec.headers)
    target = target_of(spec.path, spec.query)
    given = {name.lower(): value for name, value in spec.headers}
    headers = list(spec.headers)
    key = with_idempotency_key(spec, profile).idempotency_key
    if key:
        headers = _with_key(headers, profile.idempotency_header, key)
        check_headers(headers)
    defaults = [("Accept", "application/json"), ("Accept-Encoding", "gzip, deflate")]
    defaults.append(("User-Agent", f"svc-tui/{__version__}"))
    if spec.body:
        defaults.append(("Content-Type", "application/json"))
    headers += [(name, value) for name, value in defaults if name.lower() not in given]
    return PreparedRequest(method, target, tuple(headers), spec.body, key, profile.key_from)


def check_no_secret(prepared: PreparedRequest, secrets: Sequence[str]) -> None:
    """Refuse a request that tells one of `secrets`: a write would leave it at the service, and in the journal.

    Raises RequestRefused, which does not quote it.
    """
    texts = {
        "path or query": (prepared.target, unquote(prepared.target)),
        "headers": (value for _, value in prepared.headers),
        "body": (prepared.body.decode("utf-8", "replace"),),
    }
    for part, of_part in texts.items():
        for text in of_part:
            for secret in secrets:
                if holds_secret_text(text, (secret,)):
                    what = "API key" if secret.startswith(tuple(PREFIXES)) else "signing secret"
                    raise RequestRefused(f"the {part} of the request contains your {what}; remove it")


def with_idempotency_key(spec: RequestSpec, profile: Profile) -> RequestSpec:
    """The request with the idempotency key it will carry: the caller's own, or a new one; a read carries none.

    A header of the caller's own counts before `idempotency_key`, unless it is empty: that one is filled in.
    """
    wanted = profile.idempotency_header.lower()
    if not wanted or not spec.writes:
        return replace(spec, idempotency_key="")
    given = next((value.strip() for name, value in spec.headers if name.lower() == wanted and value.strip()), "")
    if given or spec.idempotency_key:
        return replace(spec, idempotency_key=given or spec.idempotency_key)
    import uuid  # loaded with the first write, not with the program

    return replace(spec, idempotency_key=str(uuid.uuid4()))


def _with_key(headers: list[tuple[str, str]], name: str, key: str) -> list[tuple[str, str]]:
    """The headers with the key in them once, where the caller put it or else last; raises RequestRefused."""
    wanted = name.lower()
    own = [place for place, (given, _) in enumerate(headers) if given.lower() == wanted]
    if len(own) > 1:
        raise RequestRefused(f"the header {name} is set more than once; use one idempotency key")
    if not own:
        return [*headers, (name, key)]
    (place,) = own
    return [*headers[:place], (headers[place][0], key), *headers[place + 1 :]]


def sign_request(prepared: PreparedRequest, keys: KeyPair, timestamp: int) -> tuple[tuple[str, str], ...]:
    """The headers of one attempt: the bearer header, and the signature where the key has a secret."""
    headers = (("Authorization", f"Bearer {keys.api_key}"), *prepared.headers)
    if keys.signing_secret is None:
        return headers
    return headers + signed_headers(keys.signing_secret, timestamp, prepared.method, prepared.target, prepared.body)


def masked_request(
    prepared: PreparedRequest, base: BaseUrl, headers: Iterable[tuple[str, str]], signed_at: int | None
) -> SignedRequest:
    """One attempt as people may see it: key and signature masked.

    `headers` are those of `sign_request`, `signed_at` the timestamp in them; None where they carry no signature.
    """
    return SignedRequest(
        prepared.method,
        f"{base}{prepared.target}",
        prepared.target,
        mask_headers(headers),
        prepared.body,
        None if signed_at is None else string_to_sign(signed_at, prepared.method, prepared.target, prepared.body),
        prepared.key_from,
    )
