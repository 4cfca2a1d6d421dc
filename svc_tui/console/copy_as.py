"""Copy as: records, values and requests as text for the clipboard.

Command lines and programs contain no key, no secret and no signature. The `curl` line has its headers made by Python
when it runs, from `SVC_API_KEY` and `SVC_SIGNING_SECRET`, and passed to curl on stdin, so that neither is in the
shell's history or in the list of processes. What is signed: service-interface, "Request signing". Every word is quoted
for bash, zsh and ksh; invisible characters are escaped.
"""

import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeAlias

from msgspec import Struct

from svc_tui.console.links import link_to
from svc_tui.console.request_form import RequestForm
from svc_tui.console.saved_requests import SavedRequestError, make_saved_request, to_toml
from svc_tui.console.shell_words import ansi_quote
from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import Environment
from svc_tui.core.export_formats import Format, format_whole
from svc_tui.core.field_path import value_at
from svc_tui.core.jsontext import ABSENT, Absent, Json, dumps, escape_control_characters
from svc_tui.core.kinds import editable_text
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import SignedRequest
from svc_tui.service.routes import PlaceError, is_addressable, parse_place

Headers: TypeAlias = Sequence[tuple[str, str]]
"""Headers of a request without those that the client adds."""

MAX_BODY_BYTES = 100_000
"""Largest body of a command line: Linux accepts no argument of 131,072 bytes."""

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
"""A Python program that prints the headers of a request; arguments: method, target, and the body, if any."""

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

_PREVIEW_CHARACTERS = 200

CURL_KEY = "u"
"""The key of the option that copies a curl command."""


class CopyOption(Struct, frozen=True):
    """An entry of the menu: its key, label and preview, and the function that makes the text.

    The text of many records takes a while, so it is made after the choice.
    """

    key: str
    label: str
    preview: str
    make: Callable[[], str]

    @classmethod
    def of(cls, key: str, label: str, text: str) -> "CopyOption":
        """Return an option with a text that exists already."""
        return cls(key, label, text[:_PREVIEW_CHARACTERS], lambda: text)


def record_json(record: Record) -> str:
    """Return the record as indented JSON, numbers unchanged, without a line feed at the end."""
    return escape_control_characters(dumps(record.fields, indent=2))


def value_text(value: Json | Absent) -> str:
    """Return the value as text to paste: a text without quotes, everything else as JSON, "" for an absent value."""
    return "null" if value is None else editable_text(value)


def copy_options(
    environment: Environment,
    host: str,
    place: Place,
    record: Record | None = None,
    path: str | None = None,
    request: SignedRequest | None = None,
    marked: Sequence[Record] = (),
    not_found: Sequence[str] = (),
) -> tuple[CopyOption, ...]:
    """Return the options for a place: its record, the value at `path` in it, and the marked records.

    `request` reads the record; it is None if the record can't be requested. `not_found` are the ids of a list that do
    not exist.
    """
    options: list[CopyOption] = []
    if place.record_id is not None:
        options.append(CopyOption.of("i", "id", place.record_id))
    if record is not None:
        value = ABSENT if path is None else value_at(record.fields, path)
        if path is not None and not isinstance(value, Absent) and value_text(value) != place.record_id:
            options.append(CopyOption.of("v", path, value_text(value)))
        options.append(CopyOption.of("j", "record as JSON", record_json(record)))
        options.append(CopyOption.of("c", "record as CSV", format_whole(Format.CSV, [record.fields])))
    if request is not None:
        with suppress(CommandLineError):
            options.append(CopyOption.of("r", "request", svc_tui_line(request)))
            options.append(CopyOption.of(CURL_KEY, "request as curl", curl_line(request)))
    if is_addressable(place):
        options.append(CopyOption.of("l", "link", link_to(environment, host, place)))
    options += _marked_copy_options(marked)
    if not_found:
        label, preview = f"{len(not_found):,} not found in the list", ", ".join(not_found[:8])
        options.append(CopyOption("N", label, preview, lambda: "\n".join(not_found)))
    return tuple(options)


def _marked_copy_options(records: Sequence[Record]) -> tuple[CopyOption, ...]:
    if not records:
        return ()
    ids = [record.id or "" for record in records]
    fields, count = [record.fields for record in records], f"{len(records):,} marked"
    preview = ", ".join(ids[:8])
    return (
        CopyOption("I", f"{count}: ids", preview, lambda: "\n".join(ids)),
        CopyOption(
            "J", f"{count} as JSON", preview, lambda: escape_control_characters(format_whole(Format.JSON, fields))
        ),
        CopyOption("C", f"{count} as CSV", preview, partial(format_whole, Format.CSV, fields)),
        CopyOption("M", f"{count} as Markdown", preview, partial(format_whole, Format.MARKDOWN, fields)),
    )


def request_copy_options(
    environment: Environment,
    host: str,
    request: SignedRequest,
    headers: Headers,
    collections: tuple[Collection, ...],
    form: RequestForm,
    keyed: Headers = (),
) -> tuple[CopyOption, ...]:
    """Return the options for the request that `form` describes, the most usual first.

    `keyed` are its headers with an idempotency key, for programs that make none of their own. There is a link only for
    the GET of a place without a query, and a saved request only if it contains no secret.
    """
    options: list[CopyOption] = []
    with suppress(CommandLineError):
        options.append(CopyOption.of("r", "svc-tui request", svc_tui_line(request, headers)))
        options.append(CopyOption.of(CURL_KEY, "curl", curl_line(request, keyed or headers)))
    options.append(CopyOption.of("p", "Python", python_code(request, keyed or headers)))
    with suppress(SavedRequestError):
        saved = make_saved_request(form, f"{request.method} {request.target}", "", collections, ())
        options.append(CopyOption.of("t", "saved request", to_toml(saved)))
    if request.method == "GET":
        with suppress(PlaceError):
            place = parse_place(request.target, collections)
            if is_addressable(place):
                options.append(CopyOption.of("l", "link", link_to(environment, host, place)))
    return tuple(options)


class CommandLineError(ValueError):
    """A request that can't be written as a command line."""


def svc_tui_line(request: SignedRequest, headers: Headers = ()) -> str:
    """Return the request as an `svc-tui request` command, without `--live`. Raises CommandLineError."""
    words = [
        _join_quoted("svc-tui", "request", request.method, request.target),
        *(f"-H {_quote_header(h)}" for h in headers),
    ]
    if not request.body:
        return " ".join(words)
    body = _quote_body(request)
    if request.body.startswith(b"@") or request.body == b"-":
        # The command would read it as the name of a file, or as stdin.
        return " ".join(("printf %s", body, "|", *words, "-d -"))
    return " ".join((*words, "-d", body))


def headers_line(request: SignedRequest) -> str:
    """Return a command that prints the headers of a request without a body. Raises CommandLineError."""
    return f"python3 -c {_quote(_HEADERS_SCRIPT)} {_join_quoted(request.method, request.target)}"


def curl_line(request: SignedRequest, headers: Headers = ()) -> str:
    """Return the request as a command for curl 7.55 or later. Raises CommandLineError.

    Its options keep curl from expanding brackets and from resolving dots in the URL.
    """
    method = "--head" if request.method == "HEAD" else f"-X {_quote(request.method)}"
    own = "".join(f" -H {_quote_header(header, empty=';')}" for header in _with_content_type(request, headers))
    call = f"curl --globoff --path-as-is -sS {method} -H @-{own}"
    if not request.body:
        return f"{headers_line(request)} | {call} {_quote(request.url)}"
    header_lines, url = headers_line(request), _quote(request.url)
    return f'body={_quote_body(request)}; {header_lines} "$body" | {call} --data-raw "$body" {url}'


def python_code(request: SignedRequest, headers: Headers = ()) -> str:
    """Return a Python program that sends the request with httpx and prints the response."""
    return _PYTHON_TEMPLATE.format(
        base_url=ascii(request.url.removesuffix(request.target)),
        method=ascii(request.method),
        target=ascii(request.target),
        headers=ascii(_with_content_type(request, headers)),
        body=repr(request.body),
    )


def _with_content_type(request: SignedRequest, headers: Headers) -> list[tuple[str, str]]:
    if not request.body or any(name.lower() == "content-type" for name, _ in headers):
        return list(headers)
    return [*headers, _JSON_CONTENT_TYPE]


def _quote_header(header: tuple[str, str], empty: str = ":") -> str:
    """Return the header as one word; curl sends a header without a value only if `;` follows its name."""
    name, value = header
    return _quote(f"{name}: {value}" if value else f"{name}{empty}")


def _quote_body(request: SignedRequest) -> str:
    if len(request.body) > MAX_BODY_BYTES:
        raise CommandLineError(f"a body of more than {MAX_BODY_BYTES // 1000} kB is too long for a command line")
    if 0 in request.body:
        raise CommandLineError("a body with a null byte can't be written in a command line")
    text = request.body.decode("utf-8", "surrogateescape")
    return shlex.quote(text) if text.isprintable() else ansi_quote(text, octal=True)


def _join_quoted(*words: str) -> str:
    return " ".join(map(_quote, words))


def _quote(word: str) -> str:
    if _CONTROL.search(word):
        raise CommandLineError("a control character can't be written in a command line")
    return shlex.quote(word)
