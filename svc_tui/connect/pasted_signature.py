"""Judges a signature that another program made: its form, its age, and with the secret at hand what was signed.

Source: service-interface, "Request signing". A request that fails at a customer's is pasted as a command; its signature
is kept for this alone and never sent.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from urllib.parse import unquote

from svc_tui.connect.signature_doctor import SignatureFinding
from svc_tui.core.catalog import VERSION_PREFIX
from svc_tui.core.durations import span_words
from svc_tui.core.jsontext import JsonError, dumps, loads
from svc_tui.core.requests import SignedRequest
from svc_tui.service.clock import WINDOW
from svc_tui.service.signing import SIGNATURE_HEADER, TIMESTAMP_HEADER, ForeignSignature, sign, string_to_sign

_FORM = re.compile(r"t=([^,]*),v1=(.*)", re.DOTALL)
_HEX_DIGITS = 64
_MILLISECOND_DIGITS = 13
_LAST_SECOND = 253_402_300_799
"""The last second of the year 9999: no later one can be written as a date."""


def pasted_seconds(pasted: ForeignSignature) -> int | None:
    """The time in seconds that it was signed at; None where neither header tells one that can be."""
    match = _FORM.fullmatch(pasted.signature)
    text = match[1] if match and match[1] else pasted.timestamp
    if not text.isascii() or not text.isdigit() or len(text) > _MILLISECOND_DIGITS:
        return None
    seconds = int(text) // 1000 if len(text) == _MILLISECOND_DIGITS else int(text)
    return seconds if seconds <= _LAST_SECOND else None


def judge_pasted(
    pasted: ForeignSignature, request: SignedRequest, now: datetime, secrets: Sequence[str]
) -> SignatureFinding:
    """What is wrong with a pasted signature of `request`, the plainest first.

    `secrets` are the texts that it may have been made with; with none of them only its form and age are judged.
    """
    mistakes = list(_mistakes(pasted))
    age = _age(pasted, now)
    made = _compared(pasted, request, secrets)
    if made:
        mistakes.append(made)
    if mistakes:
        cause, *more = mistakes
        return SignatureFinding(cause, (*more, *age), ("Tell the team that sends these requests. Nothing was sent.",))
    if not secrets:
        return SignatureFinding(
            "The format of the signature is correct.",
            (*age, "No signing secret is set here, so the signature itself can't be checked."),
        )
    return SignatureFinding("The signature is correct for this request and this secret.", age)


def _mistakes(pasted: ForeignSignature) -> Iterator[str]:
    """What is wrong with the headers as they are written."""
    if not pasted.signature:
        yield f"{SIGNATURE_HEADER} is missing."
    if not pasted.timestamp:
        yield f"{TIMESTAMP_HEADER} is missing."
    match = _FORM.fullmatch(pasted.signature)
    if pasted.signature and match is None:
        yield f"{SIGNATURE_HEADER} does not have the form t=<seconds>,v1=<hex>."
    times = {TIMESTAMP_HEADER: pasted.timestamp, "t in the signature": match[1] if match else ""}
    for name, text in times.items():
        if text and not (text.isascii() and text.isdigit()):
            yield f"{name} is not a whole number of seconds."
        elif len(text) == _MILLISECOND_DIGITS:
            yield f"{name} is in milliseconds. Use seconds."
        elif text and (len(text) > _MILLISECOND_DIGITS or int(text) > _LAST_SECOND):
            yield f"{name} is not a valid time. Use seconds since 1970."
    if match and pasted.timestamp and match[1] != pasted.timestamp:
        yield f"t is {match[1][:20]}, {TIMESTAMP_HEADER} is {pasted.timestamp[:20]}. Both must be equal."
    if match is None:
        return
    digest = match[2]
    if len(digest) != _HEX_DIGITS:
        yield f"v1 must have {_HEX_DIGITS} hexadecimal digits. It has {len(digest)} characters."
    elif not re.fullmatch(r"[0-9A-Fa-f]*", digest):
        yield f"v1 must have {_HEX_DIGITS} hexadecimal digits. It has other characters."
    elif digest != digest.lower():
        yield "v1 has uppercase letters. Use lowercase hexadecimal."


def _age(pasted: ForeignSignature, now: datetime) -> tuple[str, ...]:
    seconds = pasted_seconds(pasted)
    if seconds is None:
        return ()
    away = now.timestamp() - seconds
    when = f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
    if abs(away) <= WINDOW:
        return (
            f"Signed at {when}, {span_words(away)} {'ago' if away >= 0 else 'from now'}, within the limit of "
            f"{WINDOW} s.",
        )
    direction = "ago" if away > 0 else "from now"
    return (
        f"Signed at {when}, {span_words(away)} {direction}. Sent now, it would be refused: the limit is {WINDOW} s.",
    )


def _compared(pasted: ForeignSignature, request: SignedRequest, secrets: Sequence[str]) -> str:
    """How what was signed differs from what has to be signed; "" where it does not, or nothing can be compared."""
    match, seconds = _FORM.fullmatch(pasted.signature), pasted_seconds(pasted)
    if match is None or seconds is None or not secrets:
        return ""
    digest = match[2].lower()
    for words, text in _variants(match[1], seconds, request):
        if any(sign(secret, text) == digest for secret in secrets):
            return words
    return (
        "The common mistakes were tried with this profile's secret; none gives this signature. It was made with "
        "another secret, or for another path or body."
    )


def _variants(written: str, seconds: int, request: SignedRequest) -> Iterator[tuple[str, str]]:
    """What may have been signed, the right text first (which no words go with), then usual mistakes by themselves."""
    method, target, body = request.method, request.target, request.body
    yield "", string_to_sign(seconds, method, target, body)
    right = string_to_sign(seconds, method, target, body)
    path, _, query = target.partition("?")
    targets = {
        f"It was signed without {VERSION_PREFIX} in the path.": target.removeprefix(VERSION_PREFIX),
        "It was signed without the query.": path,
        f"It was signed without {VERSION_PREFIX} and without the query.": path.removeprefix(VERSION_PREFIX),
        "It was signed with a decoded path and query.": unquote(target),
        "It was signed with a sorted query.": f"{path}?{'&'.join(sorted(query.split('&')))}",
        "It was signed with a slash at the end of the path.": f"{path}/" + (f"?{query}" if query else ""),
        "It was signed with the full URL.": request.url,
    }
    for words, other in targets.items():
        yield words, string_to_sign(seconds, method, other, body)
    for words, other_body in _bodies(body).items():
        yield words, string_to_sign(seconds, method, target, other_body)
    head, _, digest = right.rpartition(".")
    yield "The digest of the body was signed in uppercase.", f"{head}.{digest.upper()}"
    yield "The body itself was signed instead of its digest.", f"{head}.{body.decode(errors='replace')}"
    yield "The method was signed in lowercase.", right.replace(f".{method}.", f".{method.lower()}.", 1)
    yield "The parts were joined by line breaks instead of periods.", "\n".join((str(seconds), method, target, digest))
    yield "The time was signed in milliseconds.", f"{written}{right[len(str(seconds)) :]}"


def _bodies(body: bytes) -> dict[str, bytes]:
    found = {
        "It was signed without the body.": b"",
        "It was signed with a line break after the body.": body + b"\n",
        "It was signed without the spaces around the body.": body.strip(),
    }
    try:
        value = loads(body)
    except JsonError:
        return found
    return found | {
        "It was signed with compact JSON (no spaces).": dumps(value).encode(),
        "It was signed with JSON that has spaces after commas and colons.": _spaced(body),
    }


def _spaced(body: bytes) -> bytes:
    """The JSON as Python's own writer lays it out."""
    import json

    return json.dumps(json.loads(body), ensure_ascii=False).encode()
