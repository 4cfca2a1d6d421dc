"""Masks what must not be shown: the identity in a request's headers, and whatever of it a service repeats."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote, unquote

from svc_tui.core.credentials import PREFIXES
from svc_tui.core.jsontext import Json, same_json
from svc_tui.core.requests import Exchange
from svc_tui.core.values import replace
from svc_tui.service.signing import sign

_MASK = "…"
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
_SIGNATURE = re.compile(r"(t=[0-9]+,v1=)[0-9A-Fa-f]+")
_KEY = re.compile(rf"({'|'.join(PREFIXES)})[!-~]*")
_KEY_BYTES = re.compile(_KEY.pattern.encode())
_SCHEMED = frozenset({"authorization", "proxy-authorization"})
_WHOLE = frozenset({"cookie", "set-cookie"})
_IDENTITY_NAMES = "|".join(sorted((*_SCHEMED, *_WHOLE, "x-svc-signature"), key=len, reverse=True))
_IDENTITY_HEADER = re.compile(
    rf"""
    (
        (?<![\w-]) (?:{_IDENTITY_NAMES}) \b ['"]? \s* [:=,] \s*
        (?: [a-z]{{0,2}} (?P<quote>['"]) )?
    )
    (?: (?<=['"]) (?: \\. | (?!(?P=quote)) [^\\\n] )* | [^\n]* )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""`Cookie: …` to the end of its line; `(b'cookie', b'…')` and `"cookie": "…"` to the end of the text."""


def mask_headers(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The headers fit to be shown: `Bearer svc_test_…`, `t=1700000000,v1=…`, the rest as it is."""
    return tuple((name, mask_value(name, value)) for name, value in headers)


def mask_value(name: str, value: str) -> str:
    """The header's value fit to be shown."""
    if name.lower() in _WHOLE:
        return _MASK
    if name.lower() in _SCHEMED:
        scheme, _, rest = value.partition(" ")
        prefix = next((prefix for prefix in PREFIXES if rest.startswith(prefix)), "")
        return f"{scheme} {prefix}{_MASK}" if rest else _MASK
    return _SIGNATURE.sub(rf"\1{_MASK}", value)


def mask_header_lines(text: str) -> str:
    """The text without the values of headers that carry identity, however a library writes headers down."""
    return _IDENTITY_HEADER.sub(rf"\1{_MASK}", text)


def mask_keys(text: str) -> str:
    """The text with nothing but the prefix left of whatever begins as a key does."""
    return _KEY.sub(rf"\1{_MASK}", text)


def mask_text(text: str, secrets: Iterable[str]) -> str:
    """The text without `secrets`, however they are spelled in it, and without the proof in a signature header."""
    for spelling in _spellings(secrets):
        text = text.replace(spelling, _MASK)
    return _SIGNATURE.sub(rf"\1{_MASK}", text)


def holds_secret_text(text: str, secrets: Iterable[str]) -> bool:
    """Whether one of `secrets` is in the text, however it is spelled, each character perhaps in another way."""
    texts = (text, unquote(text)) if "%" in text else (text,)
    return any(spelling in each for spelling in _spellings(secrets) for each in texts)


def holds_secret(text: str, secrets: Iterable[str]) -> bool:
    """Whether one of `secrets` is in the text, however it is spelled, or the text begins as a key does."""
    return text.strip().startswith(tuple(PREFIXES)) or holds_secret_text(text, secrets)


def list_holds_secret(text: str, secrets: Iterable[str]) -> bool:
    """The same of a list: each of its words may begin as a key does."""
    return _KEY.search(text) is not None or holds_secret_text(text, secrets)


def mask_json(value: Json, secrets: Sequence[str]) -> Json:
    """The value without `secrets` and without what begins as a key does, in its texts and in its names."""
    if isinstance(value, str):
        return _mask_all(value, secrets)
    if isinstance(value, Mapping):
        return {_mask_all(name, secrets): mask_json(item, secrets) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [mask_json(item, secrets) for item in value]
    return value


def mask_fields(fields: Mapping[str, Json], secrets: Sequence[str]) -> Mapping[str, Json]:
    """The fields, each without `secrets` and without what begins as a key does."""
    return {_mask_all(name, secrets): mask_json(value, secrets) for name, value in fields.items()}


def without_secrets(fields: Mapping[str, Json], secrets: Sequence[str]) -> Mapping[str, Json]:
    """The fields that hold nothing of the kind: a masked value is none that could be put back."""
    return {name: value for name, value in fields.items() if same_json(mask_json(value, secrets), value)}


def _mask_all(text: str, secrets: Sequence[str]) -> str:
    return mask_keys(mask_text(text, secrets))


def secrets_in(exchange: Exchange, secrets: Sequence[str]) -> tuple[str, ...]:
    """The `secrets`, and the signatures that they made of this request: each is good for it until its time is over."""
    signed = exchange.request.string_to_sign
    signatures = () if signed is None else tuple(sign(secret, signed) for secret in secrets)
    return (*secrets, *signatures, *(text.upper() for text in signatures))


def mask_exchange(exchange: Exchange, hidden: Sequence[str]) -> Exchange:
    """The exchange without the texts of `hidden` in it: the user repeated them. Any other byte stays as it is."""
    request, answer = exchange.request, exchange.answer
    return replace(
        exchange,
        request=replace(
            request,
            url=mask_text(request.url, hidden),
            target=mask_text(request.target, hidden),
            headers=_replace_secrets(request.headers, hidden),
            body=_replace_secrets_in_bytes(request.body, hidden),
            string_to_sign=None if request.string_to_sign is None else mask_text(request.string_to_sign, hidden),
        ),
        answer=replace(
            answer,
            reason=mask_text(answer.reason, hidden),
            headers=_replace_secrets(mask_headers(answer.headers), hidden),
            body=_replace_secrets_in_bytes(answer.body, hidden),
        ),
        idempotency_key=mask_text(exchange.idempotency_key, hidden),
    )


def mask_bytes(body: bytes, secrets: Iterable[str]) -> bytes:
    """The body without `secrets`, however they are spelled in it, and without what begins as a key does."""
    return _KEY_BYTES.sub(rb"\1" + _MASK.encode(), _replace_secrets_in_bytes(body, tuple(secrets)))


def _replace_secrets(headers: Iterable[tuple[str, str]], hidden: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((mask_text(name, hidden), mask_text(value, hidden)) for name, value in headers)


def _replace_secrets_in_bytes(body: bytes, hidden: Sequence[str]) -> bytes:
    for spelling in _spellings(hidden):
        body = body.replace(spelling.encode(), _MASK.encode())
    return body


def _spellings(secrets: Iterable[str]) -> list[str]:
    """Each text as it is and as JSON, a URL and HTML write it; the longest first, since one may hold another."""
    spellings = {
        spelling
        for secret in secrets
        for quoted in (json.dumps(secret)[1:-1],)
        for spelling in (secret, quoted, quoted.replace("/", r"\/"), quote(secret, safe=""), secret.translate(_HTML))
        if spelling
    }
    return sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
