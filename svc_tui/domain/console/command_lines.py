"""Requests as lines for a shell and as Python, for a colleague or a ticket: they hold no key, no secret, no signature.

The `curl` line has its headers made by Python when it runs, from `SVC_API_KEY` and `SVC_SIGNING_SECRET`, and handed to
curl on stdin: neither stands in the shell's history or in the list of processes. Source of what is signed:
service-interface, "Request signing". Every word is quoted for bash, zsh and ksh; what cannot be seen is escaped.
"""

import re
import shlex
from collections.abc import Sequence
from typing import TypeAlias

from svc_tui.domain.model.requests import SignedRequest

Headers: TypeAlias = Sequence[tuple[str, str]]
"""The caller's own headers of a request; those that the client adds are not among them."""

MAX_BODY_BYTES = 100_000
"""Bytes of a body that are put into a command line: Linux takes no argument of 131,072."""

_JSON_CONTENT_TYPE = ("Content-Type", "application/json")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

_HEADERS_SCRIPT = "; ".join(
    (
        "import hashlib, hmac, os, sys, time",
        "method, target, *body = sys.argv[1:]",
        'key, secret = (os.environ.get("SVC_" + name, "") for name in ("API_KEY", "SIGNING_SECRET"))',
        'key or sys.exit("SVC_API_KEY is not set")',
        'print("Authorization: Bearer " + key)',
        "now = str(int(time.time()))",
        'text = ".".join((now, method, target, hashlib.sha256(os.fsencode("".join(body))).hexdigest()))',
        "made = hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()",
        'secret and print("x-svc-timestamp: " + now + "\\nx-svc-signature: t=" + now + ",v1=" + made)',
    )
)
"""Prints the headers of a request; its arguments are the method, what is signed as the path, and the body, if any."""

_PYTHON_TEMPLATE = """\
# Needs httpx. Set SVC_API_KEY, and SVC_SIGNING_SECRET if the key must sign; without it, requests are not signed.
import hashlib
import hmac
import os
import time

import httpx

base_url = {base_url}
method, target = {method}, {target}
headers = {headers}
body = {body}

headers.append(("Authorization", "Bearer " + os.environ["SVC_API_KEY"]))
secret = os.environ.get("SVC_SIGNING_SECRET", "")
if secret:
    now = str(int(time.time()))
    text = ".".join((now, method, target, hashlib.sha256(body).hexdigest()))
    made = hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
    headers += [("x-svc-timestamp", now), ("x-svc-signature", "t=" + now + ",v1=" + made)]

request = httpx.Request(method, base_url + target, headers=headers, content=body)
with httpx.Client(timeout=30) as client:
    answer = client.send(request)
print(answer.status_code, answer.reason_phrase)
print(answer.text)
"""


class CommandLineError(ValueError):
    """A request that no line can be written for."""


def svc_tui_line(request: SignedRequest, headers: Headers = ()) -> str:
    """The request as a line for this program's own command; raises CommandLineError.

    It never allows a write with a live key by itself: the command says what to add.
    """
    words = [
        _join_quoted("svc-tui", "request", request.method, request.target),
        *(f"-H {_quote_header(h)}" for h in headers),
    ]
    if not request.body:
        return " ".join(words)
    body = _quote_body(request)
    if request.body.startswith(b"@") or request.body == b"-":
        # The command would take it for a file's name, or for stdin.
        return " ".join(("printf %s", body, "|", *words, "-d -"))
    return " ".join((*words, "-d", body))


def headers_line(request: SignedRequest) -> str:
    """A line that prints headers for a request without a body, signed if possible. Raises CommandLineError."""
    return f"python3 -c {_quote(_HEADERS_SCRIPT)} {_join_quoted(request.method, request.target)}"


def curl_line(request: SignedRequest, headers: Headers = ()) -> str:
    """The request for curl 7.55 or later; raises CommandLineError.

    curl is kept from reading brackets as a choice of addresses, and dots as a way up.
    """
    method = "--head" if request.method == "HEAD" else f"-X {_quote(request.method)}"
    own = "".join(f" -H {_quote_header(header, empty=';')}" for header in _with_content_type(request, headers))
    call = f"curl --globoff --path-as-is -sS {method} -H @-{own}"
    if not request.body:
        return f"{headers_line(request)} | {call} {_quote(request.url)}"
    header_lines, url = headers_line(request), _quote(request.url)
    return f'body={_quote_body(request)}; {header_lines} "$body" | {call} --data-raw "$body" {url}'


def python_code(request: SignedRequest, headers: Headers = ()) -> str:
    """A program for Python with httpx that makes the request and prints its answer."""
    return _PYTHON_TEMPLATE.format(
        base_url=ascii(request.url.removesuffix(request.target)),
        method=ascii(request.method),
        target=ascii(request.target),
        headers=ascii(_with_content_type(request, headers)),
        body=repr(request.body),
    )


def _with_content_type(request: SignedRequest, headers: Headers) -> list[tuple[str, str]]:
    """The headers with the type that a body goes out with where none is named."""
    if not request.body or any(name.lower() == "content-type" for name, _ in headers):
        return list(headers)
    return [*headers, _JSON_CONTENT_TYPE]


def _quote_header(header: tuple[str, str], empty: str = ":") -> str:
    """The header as one word; curl sends one without a value only where `;` stands behind its name."""
    name, value = header
    return _quote(f"{name}: {value}" if value else f"{name}{empty}")


def _quote_body(request: SignedRequest) -> str:
    """The body as one word, byte for byte; raises CommandLineError."""
    if len(request.body) > MAX_BODY_BYTES:
        raise CommandLineError(f"a body of more than {MAX_BODY_BYTES // 1000} kB is too long for a command line")
    if 0 in request.body:
        raise CommandLineError("a body with a null byte can't be written in a command line")
    text = request.body.decode("utf-8", "surrogateescape")
    return shlex.quote(text) if text.isprintable() else "$'" + "".join(map(_escape, text)) + "'"


def _escape(character: str) -> str:
    """The character inside `$'…'`; by its bytes where it can't be seen, which every locale reads alike."""
    if character in "'\\":
        return f"\\{character}"
    if character.isprintable():
        return character
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character) or "".join(
        f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape")
    )


def _join_quoted(*words: str) -> str:
    return " ".join(map(_quote, words))


def _quote(word: str) -> str:
    """The word as every POSIX shell reads it; raises CommandLineError for control characters."""
    if _CONTROL.search(word):
        raise CommandLineError("a control character can't be written in a command line")
    return shlex.quote(word)
