"""Explains one request's signature: what was signed, part by part, and why it was refused, if it was.

Source: service-interface, "Request signing". A refused signature says only that two digests differ; which of secret,
path and body is at fault is told by two small reads, signed with the same secret: one of a plain list, and one of the
same path without a body. They change nothing at the service.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from svc_tui.domain.doctor.diagnosis import signing_is_sound, time_offset
from svc_tui.domain.http.advice import SET_CLOCK, SET_CLOCK_SOON, TAKE_AS_PAIR, next_step
from svc_tui.domain.http.base_url import BaseUrl
from svc_tui.domain.http.clock import WARN_AFTER, WINDOW, apart_words
from svc_tui.domain.http.errors import (
    ServiceError,
    SignatureMismatch,
    SignatureMissing,
    SignatureRefused,
    TimestampStale,
    failure_of,
)
from svc_tui.domain.http.redact import mask_text
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.durations import span_words
from svc_tui.domain.model.requests import Exchange, RequestSpec, SignedRequest
from svc_tui.domain.model.sentences import capitalize_first

_CLOCK_CAUSE = "Cause: the clock. This computer's clock is {}."
_ENCODED_CHARACTER = re.compile(r"%[0-9A-Fa-f]{2}|[+;,]")


@dataclass(frozen=True, slots=True)
class SignedPart:
    """One part of the string to sign: its name, its text as signed, and what it means."""

    name: str
    text: str
    means: str = ""


@dataclass(frozen=True, slots=True)
class SignatureFinding:
    """What is most likely so, by what that is known, and what to do; `tries` is empty where nothing is wrong."""

    cause: str
    why: tuple[str, ...]
    advice: tuple[str, ...] = ()


class ProbedService(Protocol):
    """The service, as the doctor needs it."""

    @property
    def base_url(self) -> str:
        """The base URL in use, without `/v1` and without a trailing slash."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must never be shown."""

    async def send(self, spec: RequestSpec) -> Exchange:
        """Any request; an error answer is returned like any other, a lost one raises a ServiceError."""


def signed_parts(request: SignedRequest) -> tuple[SignedPart, ...]:
    """The string that was signed, part by part; nothing for an unsigned request."""
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
    service: ProbedService,
    exchange: Exchange | None,
    error: ServiceError | None,
    plain: Collection,
    *,
    edited: bool = False,
) -> SignatureFinding:
    """What became of a request's signature; `exchange` None where it was not answered or not sent yet.

    With `edited` the response in view is that of another request.

    Only for a signature that was refused as wrong is the service asked more, for one record of `plain` first.
    """
    if exchange is None:
        cause = (
            "The response in view belongs to another request. Send this one first."
            if edited
            else "No response yet. There is nothing to compare with."
        )
        return SignatureFinding(cause, (_signing_text(),))
    if isinstance(error, SignatureMismatch) and signing_is_sound():
        takes_plain = await _accepts(service, RequestSpec("GET", plain.path, (("limit", "1"),)))
        takes_path = takes_plain and await _accepts(service, RequestSpec("GET", exchange.request.target))
        finding = explain_mismatch(
            exchange.request, BaseUrl.parse(service.base_url), plain=takes_plain, path=takes_path
        )
    else:
        finding = judge_answer(exchange, error)
    secrets = service.secrets
    return SignatureFinding(
        mask_text(finding.cause, secrets), tuple(mask_text(w, secrets) for w in finding.why), finding.advice
    )


def judge_answer(exchange: Exchange, error: ServiceError | None) -> SignatureFinding:
    """What one answer tells by itself."""
    offset = time_offset(exchange)
    direction = "" if offset is None or abs(offset) <= WARN_AFTER else "behind" if offset > 0 else "ahead"
    clocks = (
        "The response has no usable Date header to compare with."
        if offset is None
        else f"{_sentence(apart_words(offset))}"
    )
    signed = exchange.request.string_to_sign is not None
    if isinstance(error, TimestampStale):
        cause = _CLOCK_CAUSE.format(direction) if direction else "Cause: the clock or a slow connection."
        held = () if direction else ("A proxy or gateway may have delayed the request for minutes.",)
        return SignatureFinding(
            cause, (_window_text(exchange), clocks, "The secret is not the problem.", *held), (SET_CLOCK,)
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


def explain_mismatch(request: SignedRequest, base: BaseUrl, *, plain: bool, path: bool) -> SignatureFinding:
    """Why a signature by a sound program is wrong: `plain` and `path` say which of the two reads were taken."""
    sound = _signing_text()
    if not plain:
        advice = [TAKE_AS_PAIR, "If the key does not have to sign, remove the secret."]
        if base.prefix:
            advice.append(f"The path {base.prefix} of the base URL is not signed. Remove it if no gateway needs it.")
        why = "A simple list request with the same secret is refused too."
        also = "A proxy that changes every path causes the same error."
        return SignatureFinding("The signing secret does not belong to this key.", (why, sound, also), tuple(advice))
    taken = "A simple list request with the same secret was accepted: key, secret and clock are correct."
    if path and request.body:
        return SignatureFinding(
            "A proxy or gateway changes the body.",
            (taken, "The same path without a body was accepted too.", sound),
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
        (taken, comparison, sound, *hints),
        (
            "Look for a proxy or gateway that decodes, sorts or rewrites paths.",
            "Try without the proxy (NO_PROXY), or from another network.",
        ),
    )


async def _accepts(service: ProbedService, spec: RequestSpec) -> bool:
    """Whether the service takes the signature of a read; any other answer to it says nothing against that."""
    try:
        exchange = await service.send(spec)
    except ServiceError:
        return False
    return not isinstance(failure_of(exchange, service.secrets), SignatureRefused)


def _signing_text() -> str:
    return f"The signing self-test of svc-tui {'passed' if signing_is_sound() else 'failed'}."


def _window_text(exchange: Exchange) -> str:
    signed, offset = exchange.request.string_to_sign, time_offset(exchange)
    if signed is None or offset is None:
        return f"A signature is valid for {WINDOW} s before and after the service's time."
    away = int(signed.partition(".")[0]) - (exchange.received.timestamp() + offset)
    return f"The timestamp is {span_words(away)} from the Date of the response; the limit is {WINDOW} s."


def _sentence(text: str) -> str:
    return f"{capitalize_first(text)}."
