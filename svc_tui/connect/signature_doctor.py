"""Explanation of a request's signature: the parts that were signed, and why the service refused it.

Source: service-interface, "Request signing". A refusal says only that two digests differ. To find out if the secret,
the path or the body is wrong, two GET requests are sent, signed with the same secret: for a plain list, and for the
same path without a body.
"""

import re
from datetime import UTC, datetime

from msgspec import Struct

from svc_tui.connect.diagnosis import signing_is_sound, time_offset
from svc_tui.core.catalog import Collection
from svc_tui.core.durations import span_words
from svc_tui.core.phrases import capitalize_first
from svc_tui.core.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.service.advice import SET_CLOCK, SET_CLOCK_SOON, TAKE_AS_PAIR, next_step
from svc_tui.service.base_url import BaseUrl
from svc_tui.service.clock import WARN_AFTER, WINDOW, apart_words
from svc_tui.service.errors import (
    ServiceError,
    SignatureMismatch,
    SignatureMissing,
    SignatureRefused,
    TimestampStale,
    failure_of,
)
from svc_tui.service.gateway import Gateway
from svc_tui.service.redact import mask_text

_CLOCK_CAUSE = "Cause: the clock. This computer's clock is {}."
_ENCODED_CHARACTER = re.compile(r"%[0-9A-Fa-f]{2}|[+;,]")


class SignedPart(Struct, frozen=True):
    """A part of the string to sign: its name, its text as signed, and its meaning."""

    name: str
    text: str
    means: str = ""


class SignatureFinding(Struct, frozen=True):
    """The most likely cause, the reasons for it, and what to do; `advice` is empty if nothing is wrong."""

    cause: str
    why: tuple[str, ...]
    advice: tuple[str, ...] = ()


def signed_parts(request: SignedRequest) -> tuple[SignedPart, ...]:
    """Return the parts of the string that was signed; none for an unsigned request."""
    if request.string_to_sign is None:
        return ()
    timestamp, rest = request.string_to_sign.split(".", 1)
    method, rest = rest.split(".", 1)
    target, digest = rest.rsplit(".", 1)
    count = len(request.body)
    return (
        SignedPart("timestamp", timestamp, f"{datetime.fromtimestamp(int(timestamp), UTC):%Y-%m-%d %H:%M:%S} UTC"),
        SignedPart("method", method, "in uppercase"),
        SignedPart("path and query", target, "from /v1 on, as sent"),
        SignedPart("body's SHA-256", digest, f"of {count:,} bytes" if count else "no body"),
    )


async def explain_signature(
    gateway: Gateway,
    exchange: Exchange | None,
    error: ServiceError | None,
    plain: Collection,
    *,
    edited: bool = False,
) -> SignatureFinding:
    """Explain the signature of a request; `exchange` is None if it was not sent or has no response.

    `edited`: the request was edited after the response in view. If the signature was refused as wrong, requests are
    sent to find the cause, the first for one record of `plain`.
    """
    if exchange is None:
        cause = (
            "The response in view belongs to another request. Send this one first."
            if edited
            else "No response yet. There is nothing to compare with."
        )
        return SignatureFinding(cause, (_signing_text(),))
    if isinstance(error, SignatureMismatch) and signing_is_sound():
        accepts_plain = await _accepts(gateway, RequestSpec("GET", plain.path, (("limit", "1"),)))
        accepts_path = accepts_plain and await _accepts(gateway, RequestSpec("GET", exchange.request.target))
        finding = _explain_mismatch(
            exchange.request, BaseUrl.parse(gateway.base_url), plain=accepts_plain, path=accepts_path
        )
    else:
        finding = judge_answer(exchange, error)
    secrets = gateway.secrets
    return SignatureFinding(
        mask_text(finding.cause, secrets), tuple(mask_text(w, secrets) for w in finding.why), finding.advice
    )


def judge_answer(exchange: Exchange, error: ServiceError | None) -> SignatureFinding:
    """Explain a signature from the response alone."""
    offset = time_offset(exchange)
    direction = "" if offset is None or abs(offset) <= WARN_AFTER else "behind" if offset > 0 else "ahead"
    clocks = (
        "The response has no usable Date header to compare with."
        if offset is None
        else f"{capitalize_first(apart_words(offset))}."
    )
    signed = exchange.request.string_to_sign is not None
    if isinstance(error, TimestampStale):
        cause = _CLOCK_CAUSE.format(direction) if direction else "Cause: the clock or a slow connection."
        delay = () if direction else ("A proxy or gateway may have delayed the request for minutes.",)
        return SignatureFinding(
            cause, (_window_text(exchange), clocks, "The secret is not the problem.", *delay), (SET_CLOCK,)
        )
    if isinstance(error, SignatureMissing):
        if signed:
            return SignatureFinding(
                "A proxy removes the signature.", ("The request was sent with both headers.",), (next_step(error),)
            )
        return SignatureFinding(
            "No secret is set.", ("This key must sign, but the request was not signed.",), (next_step(error),)
        )
    if isinstance(error, SignatureMismatch):
        why = "The signing self-test of svc-tui failed."
        return SignatureFinding("The svc-tui or Python installation is damaged.", (why,), ("Reinstall both.",))
    if not signed:
        return SignatureFinding("Not signed: no secret is set.", ("The service accepted it.",))
    if direction:
        why = "The signature used the service's time and was accepted."
        return SignatureFinding(
            _CLOCK_CAUSE.format(direction), (why, _window_text(exchange), clocks, _signing_text()), (SET_CLOCK_SOON,)
        )
    return SignatureFinding("The signature is correct.", (_window_text(exchange), clocks, _signing_text()))


def _explain_mismatch(request: SignedRequest, base: BaseUrl, *, plain: bool, path: bool) -> SignatureFinding:
    """Explain a wrong signature; `plain` and `path` say which of the two GET requests the service accepted."""
    self_test = _signing_text()
    if not plain:
        advice = [TAKE_AS_PAIR, "If the key does not have to sign, remove the secret."]
        if base.prefix:
            advice.append(f"The path {base.prefix} of the base URL is not signed. Remove it if no gateway needs it.")
        why = "A simple list request with the same secret is refused too."
        also = "A proxy that changes every path causes the same error."
        return SignatureFinding(
            "The signing secret does not belong to this key.", (why, self_test, also), tuple(advice)
        )
    accepted = "A simple list request with the same secret was accepted: key, secret and clock are correct."
    if path and request.body:
        return SignatureFinding(
            "A proxy or gateway changes the body.",
            (accepted, "The same path without a body was accepted too.", self_test),
            (
                "Look for a proxy that reformats JSON or changes the encoding.",
                "Try without the proxy (NO_PROXY), or from another network.",
            ),
        )
    changed = sorted(set(_ENCODED_CHARACTER.findall(request.target)))
    comparison = "The same path without a body was refused too." if request.body else "This path was refused."
    hints = (f"The proxy may decode or change these characters: {' '.join(changed)}",) if changed else ()
    return SignatureFinding(
        "A proxy or gateway changes the path or the query.",
        (accepted, comparison, self_test, *hints),
        (
            "Look for a proxy or gateway that decodes, sorts or rewrites paths.",
            "Try without the proxy (NO_PROXY), or from another network.",
        ),
    )


async def _accepts(gateway: Gateway, spec: RequestSpec) -> bool:
    """Return True if the service answered and did not refuse the signature; its answer may be another error."""
    try:
        exchange = await gateway.send(spec)
    except ServiceError:
        return False
    return not isinstance(failure_of(exchange, gateway.secrets), SignatureRefused)


def _signing_text() -> str:
    return f"The signing self-test of svc-tui {'passed' if signing_is_sound() else 'failed'}."


def _window_text(exchange: Exchange) -> str:
    signed, offset = exchange.request.string_to_sign, time_offset(exchange)
    if signed is None or offset is None:
        return f"A signature is valid for {WINDOW} s before and after the service's time."
    away = int(signed.partition(".")[0]) - (exchange.received.timestamp() + offset)
    return f"The timestamp is {span_words(away)} from the Date of the response; the limit is {WINDOW} s."
