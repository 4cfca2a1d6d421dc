"""Wrong ways to sign, by name: each makes one mistake that a client could make, and all else right."""

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import unquote, unquote_plus

TIMESTAMP, SIGNATURE = "x-svc-timestamp", "x-svc-signature"
MISMATCH, STALE, MISSING = "signature_mismatch", "timestamp_stale", "signature_missing"


@dataclass(frozen=True, slots=True)
class WireRequest:
    """What goes over the wire beside the headers."""

    method: str
    target: str
    body: bytes


@dataclass(frozen=True, slots=True)
class StringToSign:
    """The four parts of the string to sign, as text (service-interface, "Request signing")."""

    timestamp: str
    method: str
    target: str
    digest: str

    @property
    def text(self) -> str:
        """The string to sign."""
        return f"{self.timestamp}.{self.method}.{self.target}.{self.digest}"


ASKED = WireRequest(
    "PATCH",
    "/v1/operations/lots/lot%2D000001?page=1&q=a%20b%2Bc&to=%C3%A9",
    '{"note":"Ünité <7>","massKg":1.50}'.encode(),
)
"""A request with all that a mistake can touch: a query, escapes, a body with a number and letters outside ASCII."""

PATH, QUERY = ASKED.target.split("?")


def parts_of(asked: WireRequest, timestamp: int) -> StringToSign:
    """The right parts."""
    return StringToSign(str(timestamp), asked.method, asked.target, _sha256(asked.body))


def sealed(secret: str, text: str) -> str:
    """The right `v1`."""
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def headers_of(timestamp: str, v1: str) -> dict[str, str]:
    """The right headers around `v1`."""
    return {TIMESTAMP: timestamp, SIGNATURE: f"t={timestamp},v1={v1}"}


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _targeted(target: str) -> Callable[[StringToSign], str]:
    return lambda parts: replace(parts, target=target).text


def _methodical(method: str) -> Callable[[StringToSign], str]:
    return lambda parts: replace(parts, method=method).text


def _digested(digest: str) -> Callable[[StringToSign], str]:
    return lambda parts: replace(parts, digest=digest).text


def _over(body: bytes) -> Callable[[StringToSign], str]:
    return _digested(_sha256(body))


def _swapped(old: str, new: str) -> Callable[[StringToSign], str]:
    return _over(ASKED.body.replace(old.encode(), new.encode()))


Headers = Callable[[str, str], Mapping[str, str | tuple[str, ...]]]
"""Makes the headers, as `RawClient.say` takes them, from the timestamp and `v1`."""

STRINGS: dict[str, Callable[[StringToSign], str]] = {
    # the query
    "query left out": _targeted(PATH),
    "query left out, its mark kept": _targeted(f"{PATH}?"),
    "query re-ordered": _targeted(f"{PATH}?q=a%20b%2Bc&page=1&to=%C3%A9"),
    "query sorted backwards": _targeted(f"{PATH}?to=%C3%A9&q=a%20b%2Bc&page=1"),
    "query short of its last parameter": _targeted(f"{PATH}?page=1&q=a%20b%2Bc"),
    "query with a parameter more": _targeted(f"{ASKED.target}&limit=50"),
    "query with an & at its end": _targeted(f"{ASKED.target}&"),
    "query re-encoded, + for %20": _targeted(f"{PATH}?{QUERY.replace('%20', '+')}"),
    "query re-encoded, lower-case hex": _targeted(f"{PATH}?{QUERY.replace('%2B', '%2b').replace('%C3%A9', '%c3%a9')}"),
    "query decoded": _targeted(f"{PATH}?{unquote(QUERY)}"),
    "query decoded as a form": _targeted(f"{PATH}?{unquote_plus(QUERY)}"),
    "query encoded twice": _targeted(f"{PATH}?{QUERY.replace('%', '%25')}"),
    "query in Latin-1": _targeted(f"{PATH}?{QUERY.replace('%C3%A9', '%E9')}"),
    "query without its mark": _targeted(f"{PATH}{QUERY}"),
    "fragment added": _targeted(f"{ASKED.target}#top"),
    # the path
    "path decoded": _targeted(f"{unquote(PATH)}?{QUERY}"),
    "path re-encoded, lower-case hex": _targeted(f"{PATH.replace('%2D', '%2d')}?{QUERY}"),
    "path encoded twice": _targeted(f"{PATH.replace('%', '%25')}?{QUERY}"),
    "path and query decoded": _targeted(unquote(ASKED.target)),
    "path without /v1": _targeted(ASKED.target.removeprefix("/v1")),
    "path without its first slash": _targeted(ASKED.target.removeprefix("/")),
    "path under a gateway's prefix": _targeted(f"/gateway{ASKED.target}"),
    "path of another version": _targeted(ASKED.target.replace("/v1", "/v2", 1)),
    "path with the host": _targeted(f"127.0.0.1{ASKED.target}"),
    "path as a whole URL": _targeted(f"http://127.0.0.1{ASKED.target}"),
    "path with a slash at its end": _targeted(f"{PATH}/?{QUERY}"),
    "path with a double slash": _targeted(ASKED.target.replace("/lots/", "/lots//")),
    "path with dots": _targeted(ASKED.target.replace("/lots/", "/./lots/")),
    "path in upper case": _targeted(f"{PATH.upper()}?{QUERY}"),
    "path of the collection": _targeted(f"/v1/operations/lots?{QUERY}"),
    "target left out": _targeted(""),
    # the method
    "method in lower case": _methodical("patch"),
    "method in mixed case": _methodical("Patch"),
    "method that reads": _methodical("GET"),
    "method that creates": _methodical("POST"),
    "method left out": _methodical(""),
    # the body
    "body left out": _over(b""),
    "body's digest left out": _digested(""),
    "body's digest in upper case": _digested(_sha256(ASKED.body).upper()),
    "body's digest in base64": _digested(base64.b64encode(hashlib.sha256(ASKED.body).digest()).decode()),
    "body's digest by SHA-1": _digested(hashlib.sha1(ASKED.body).hexdigest()),
    "body's digest by SHA-512": _digested(hashlib.sha512(ASKED.body).hexdigest()),
    "body's digest by MD5": _digested(hashlib.md5(ASKED.body).hexdigest()),
    "body's digest digested again": _over(_sha256(ASKED.body).encode()),
    "body itself for its digest": _digested(ASKED.body.decode()),
    "body re-serialised with spaces": _swapped('":', '": '),
    "body re-serialised in another order": _over('{"massKg":1.50,"note":"Ünité <7>"}'.encode()),
    "body re-serialised, 1.5 for 1.50": _swapped("1.50", "1.5"),
    "body re-serialised, text for a number": _swapped("1.50", '"1.50"'),
    "body re-serialised with unicode escapes": _over(rb'{"note":"\u00dcnit\u00e9 <7>","massKg":1.50}'),
    "body re-serialised with HTML escapes": _swapped("<7>", r"\u003c7\u003e"),
    "body re-serialised, letters taken apart": _swapped("é", "e\u0301"),
    "body in Latin-1": _over(ASKED.body.decode().encode("latin-1")),
    "body with a byte-order mark": _over(b"\xef\xbb\xbf" + ASKED.body),
    "body with a line break at its end": _over(ASKED.body + b"\n"),
    "body short of its last byte": _over(ASKED.body[:-1]),
    # the timestamp
    "timestamp of a second before": lambda parts: replace(parts, timestamp=str(int(parts.timestamp) - 1)).text,
    "timestamp in milliseconds": lambda parts: replace(parts, timestamp=f"{parts.timestamp}000").text,
    "timestamp with a fraction": lambda parts: replace(parts, timestamp=f"{parts.timestamp}.0").text,
    "timestamp left out": lambda parts: parts.text.removeprefix(f"{parts.timestamp}."),
    # how they are joined
    "parts joined by line breaks": lambda parts: "\n".join((parts.timestamp, parts.method, parts.target, parts.digest)),
    "parts joined by nothing": lambda parts: "".join((parts.timestamp, parts.method, parts.target, parts.digest)),
    "parts in another order": lambda parts: f"{parts.method}.{parts.target}.{parts.timestamp}.{parts.digest}",
    "a line break at the end": lambda parts: f"{parts.text}\n",
    "the version before the string": lambda parts: f"v1.{parts.text}",
    "the whole in lower case": lambda parts: parts.text.lower(),
}
"""Strings to sign that are not the right one; sealed with the right secret, under the right timestamp."""


def _by(name: str) -> Callable[[str, str], str]:
    return lambda secret, text: hmac.new(secret.encode(), text.encode(), name).hexdigest()


def _one_raised(digest: str) -> str:
    at = next(at for at, digit in enumerate(digest) if digit.isalpha())
    return digest[:at] + digest[at].upper() + digest[at + 1 :]


def _one_changed(digest: str) -> str:
    return digest[:-1] + ("0" if digest[-1] != "0" else "1")


def _sealed_by(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


SEALS: dict[str, Callable[[str, str], str]] = {
    "signature in upper case": lambda secret, text: sealed(secret, text).upper(),
    "signature with one letter in upper case": lambda secret, text: _one_raised(sealed(secret, text)),
    "signature in base64": lambda secret, text: base64.b64encode(bytes.fromhex(sealed(secret, text))).decode(),
    "signature short of its last digit": lambda secret, text: sealed(secret, text)[:-1],
    "signature cut to half": lambda secret, text: sealed(secret, text)[:32],
    "signature with a digit more": lambda secret, text: f"{sealed(secret, text)}0",
    "signature with one digit changed": lambda secret, text: _one_changed(sealed(secret, text)),
    "signature backwards": lambda secret, text: sealed(secret, text)[::-1],
    "signature with 0x before it": lambda secret, text: f"0x{sealed(secret, text)}",
    "signature in quotes": lambda secret, text: f'"{sealed(secret, text)}"',
    "signature empty": lambda secret, text: "",
    "signature of zeros": lambda secret, text: "0" * 64,
    "HMAC with SHA-1": _by("sha1"),
    "HMAC with SHA-512": _by("sha512"),
    "HMAC with SHA-512, cut to length": lambda secret, text: _by("sha512")(secret, text)[:64],
    "HMAC with SHA3-256": _by("sha3_256"),
    "digest in place of HMAC": lambda secret, text: _sha256(f"{secret}{text}".encode()),
    "HMAC with secret and string swapped": lambda secret, text: sealed(text, secret),
    "HMAC of the HMAC": lambda secret, text: sealed(secret, sealed(secret, text)),
    "wrong secret": lambda secret, text: sealed("svcsec_" + "0" * 64, text),
    "secret empty": lambda secret, text: sealed("", text),
    "secret with a line break": lambda secret, text: sealed(f"{secret}\n", text),
    "secret with a space before it": lambda secret, text: sealed(f" {secret}", text),
    "secret without its prefix": lambda secret, text: sealed(secret.removeprefix("svcsec_"), text),
    "secret short of its last letter": lambda secret, text: sealed(secret[:-1], text),
    "secret in upper case": lambda secret, text: sealed(secret.upper(), text),
    "secret read as hex": lambda secret, text: _sealed_by(bytes.fromhex(secret.removeprefix("svcsec_")), text),
    "secret in base64": lambda secret, text: _sealed_by(base64.b64encode(secret.encode()), text),
}
"""Values of `v1` that are not the right one, from the right secret and the right string."""


def _timed(shape: str) -> Headers:
    return lambda timestamp, v1: (
        headers_of(timestamp, v1) | {TIMESTAMP: shape.format(t=timestamp, later=int(timestamp) + 1)}
    )


def _shaped(shape: str) -> Headers:
    return lambda timestamp, v1: (
        headers_of(timestamp, v1) | {SIGNATURE: shape.format(t=timestamp, v1=v1, later=int(timestamp) + 1)}
    )


def _without(*names: str) -> Headers:
    return lambda timestamp, v1: {n: value for n, value in headers_of(timestamp, v1).items() if n not in names}


def _twice(name: str) -> Headers:
    return lambda timestamp, v1: {n: (value,) * (1 + (n == name)) for n, value in headers_of(timestamp, v1).items()}


HEADERS: dict[str, tuple[Headers, str]] = {
    "both headers missing": (_without(TIMESTAMP, SIGNATURE), MISSING),
    "timestamp header missing": (_without(TIMESTAMP), MISSING),
    "signature header missing": (_without(SIGNATURE), MISSING),
    "timestamp header twice": (_twice(TIMESTAMP), MISMATCH),
    "signature header twice": (_twice(SIGNATURE), MISMATCH),
    "timestamp header empty": (_timed(""), MISMATCH),
    "timestamp header of a second later": (_timed("{later}"), MISMATCH),
    "timestamp header with a zero before it": (_timed("0{t}"), MISMATCH),
    "t of a second later": (_shaped("t={later},v1={v1}"), MISMATCH),
    "t with a zero before it": (_shaped("t=0{t},v1={v1}"), MISMATCH),
    "t with a fraction": (_shaped("t={t}.0,v1={v1}"), MISMATCH),
    "t empty": (_shaped("t=,v1={v1}"), MISMATCH),
    "t left out": (_shaped("v1={v1}"), MISMATCH),
    "v0 in place of v1": (_shaped("t={t},v0={v1}"), MISMATCH),
    "V1 in place of v1": (_shaped("t={t},V1={v1}"), MISMATCH),
    "v1 twice": (_shaped("t={t},v1={v1},v1={v1}"), MISMATCH),
    "v1 twice, the first one wrong": (_shaped(f"t={{t}},v1={'0' * 64},v1={{v1}}"), MISMATCH),
    "v0 beside v1": (_shaped("t={t},v1={v1},v0={v1}"), MISMATCH),
    "v1 before t": (_shaped("v1={v1},t={t}"), MISMATCH),
    "v1 left out": (_shaped("t={t}"), MISMATCH),
    "names left out": (_shaped("{t},{v1}"), MISMATCH),
    "digest alone": (_shaped("{v1}"), MISMATCH),
    "signature header empty": (_shaped(""), MISMATCH),
    "a space after the comma": (_shaped("t={t}, v1={v1}"), MISMATCH),
    "spaces around the equals signs": (_shaped("t = {t},v1 = {v1}"), MISMATCH),
    "a space in place of the comma": (_shaped("t={t} v1={v1}"), MISMATCH),
    "a semicolon in place of the comma": (_shaped("t={t};v1={v1}"), MISMATCH),
    "a comma at the end": (_shaped("t={t},v1={v1},"), MISMATCH),
    "a scheme before it": (_shaped("HMAC-SHA256 t={t},v1={v1}"), MISMATCH),
}
"""Other headers for the right timestamp and the right `v1`, and the code of the answer."""

TIMESTAMPS: dict[str, tuple[Callable[[int], str], str]] = {
    "301 seconds behind": (lambda now: str(now - 301), STALE),
    "301 seconds ahead": (lambda now: str(now + 301), STALE),
    "in milliseconds": (lambda now: str(now * 1000), STALE),
    "zero": (lambda now: "0", STALE),
    "with a fraction": (lambda now: f"{now}.0", MISMATCH),
    "in scientific notation": (lambda now: f"{now:e}", MISMATCH),
    "in hex": (lambda now: f"{now:#x}", MISMATCH),
    "with a plus sign": (lambda now: f"+{now}", MISMATCH),
    "negative": (lambda now: f"-{now}", MISMATCH),
    "with an underscore": (lambda now: f"{now:_}", MISMATCH),
    "in words": (lambda now: "2025-10-09T08:53:20Z", MISMATCH),
    "as none": (lambda now: "None", MISMATCH),
}
"""Timestamps, from the service's clock, that are signed and sent alike, all else right; and the code of the answer."""

REPLAYS: dict[str, WireRequest] = {
    "another body": replace(ASKED, body=ASKED.body.replace(b"1.50", b"9.50")),
    "a number written shorter": replace(ASKED, body=ASKED.body.replace(b"1.50", b"1.5")),
    "no body": replace(ASKED, body=b""),
    "another method": replace(ASKED, method="PUT"),
    "a deletion": replace(ASKED, method="DELETE"),
    "another record": replace(ASKED, target=ASKED.target.replace("000001", "000002")),
    "another collection": replace(ASKED, target=ASKED.target.replace("/lots/", "/tunnels/")),
    "another query": replace(ASKED, target=ASKED.target.replace("page=1", "page=2")),
    "no query": replace(ASKED, target=PATH),
    "the path spelled plainly": replace(ASKED, target=f"{unquote(PATH)}?{QUERY}"),
}
"""Requests that are sent with the signature of `ASKED`."""
