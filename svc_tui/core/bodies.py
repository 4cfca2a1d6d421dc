"""A body as text that people can read: JSON indented with every digit kept, other text as it is, binary in hex."""

import re

from msgspec import Struct

from svc_tui.core.jsontext import JsonError, dumps_in_steps, loads, release_in_steps
from svc_tui.core.requests import Answer

HEX_BYTES = 512
"""How much of a binary body is shown."""

MAX_PREVIEW_BYTES = 4096
"""How much of any body is shown byte by byte where the user asks for its bytes."""

_CHARSET = re.compile(r"charset=\"?([A-Za-z0-9._-]+)", re.IGNORECASE)
_ENDINGS = {
    "application/json": "json",
    "application/pdf": "pdf",
    "application/zip": "zip",
    "application/gzip": "gz",
    "application/xml": "xml",
    "image/gif": "gif",
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/svg+xml": "svg",
    "text/csv": "csv",
    "text/html": "html",
    "text/xml": "xml",
}
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class ReadableBody(Struct, frozen=True):
    """A body's text; `json` says whether it is JSON, `note` what people must know to read it rightly."""

    text: str
    json: bool = False
    note: str = ""


def make_readable(answer: Answer) -> ReadableBody:
    """The answer's body for reading."""
    body, content_type = answer.body, answer.header("content-type") or ""
    if not body:
        return ReadableBody("", note="the body is empty")
    cut = f"cut off after {size_text(len(body))}; the rest was not loaded" if answer.capped else ""
    if _claims_json(content_type) or (not _claims_other(content_type) and body.lstrip()[:1] in (b"{", b"[", b'"')):
        try:
            value = loads(body)
            indented = dumps_in_steps(value, indent=2)
            release_in_steps(value)
            return ReadableBody(indented, json=True)
        except JsonError as error:
            note = cut or f"not valid JSON: {error}"
            text = _decode(body, content_type, capped=answer.capped)
            return _hex_line(answer, note) if text is None else ReadableBody(text, note=note)
    text = _decode(body, content_type, capped=answer.capped)
    if text is None:
        return _hex_line(answer, cut)
    page = "a web page" if _content_kind(answer) == "text/html" else ""
    return ReadableBody(text, note="; ".join(filter(None, (page, cut))))


def decode_text(answer: Answer) -> str | None:
    """The body as text in the encoding it claims, else UTF-8; None: it is not text."""
    return _decode(answer.body, answer.header("content-type") or "", capped=answer.capped)


def preview_bytes(body: bytes, in_row: int = 16) -> str:
    """The beginning of a body byte by byte, `in_row` a line, with a line for what is left out."""
    left = len(body) - MAX_PREVIEW_BYTES
    rest = [f"… and {left:,} more bytes, {len(body):,} in total"] if left > 0 else []
    return "\n".join((hex_dump(body[:MAX_PREVIEW_BYTES], in_row), *rest))


def file_ending(answer: Answer) -> str:
    """What the name of a file with the body ends in: by what it says it is, else by what it looks like."""
    kind = _content_kind(answer)
    if kind.endswith("+json"):
        return "json"
    if kind in _ENDINGS:
        return _ENDINGS[kind]
    if decode_text(answer) is None:
        return "bin"
    return "json" if answer.body.lstrip()[:1] in (b"{", b"[") else "txt"


def size_text(count: int) -> str:
    """A number of bytes for people: `0 B`, `982 B`, `1.2 kB`, `10.0 MB`."""
    if count < 1000:
        return f"{count} B"
    if count < 999_950:
        return f"{count / 1000:.1f} kB"
    return f"{count / 1_000_000:.1f} MB"


def hex_dump(data: bytes, in_row: int = 16) -> str:
    """The bytes in lines: offset, bytes, and their characters."""
    lines = []
    for place in range(0, len(data), in_row):
        row = data[place : place + in_row]
        characters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
        lines.append(f"{place:08x}  {row.hex(' '):<{3 * in_row - 1}}  {characters}")
    return "\n".join(lines)


def bytes_in_row(cells: int) -> int:
    """How many bytes a line of a dump has room for: sixteen, eight, or four at least."""
    return next((count for count in (16, 8) if len(hex_dump(bytes(count), count)) <= cells), 4)


def _hex_line(answer: Answer, note: str) -> ReadableBody:
    body = answer.body
    first = "" if len(body) <= HEX_BYTES else f", the first {HEX_BYTES} bytes"
    binary = ", ".join(filter(None, ("binary", _content_kind(answer), size_text(len(body)) + first)))
    return ReadableBody(hex_dump(body[:HEX_BYTES]), note=f"{binary}; {note}" if note else binary)


def _content_kind(answer: Answer) -> str:
    """What the answer says its body is: `image/png`; "" where it does not."""
    return (answer.header("content-type") or "").partition(";")[0].strip().lower()


def _claims_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind.endswith(("/json", "+json"))


def _claims_other(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind.startswith(("text/html", "text/csv", "text/xml", "image/", "application/xml"))


def _decode(body: bytes, content_type: str, *, capped: bool) -> str | None:
    """The body as text in the encoding it claims, else UTF-8; None: it is not text."""
    named = _CHARSET.search(content_type)
    try:
        return body.decode(named[1] if named else "utf-8-sig")
    except (LookupError, UnicodeDecodeError):
        pass
    # A cut may go through a character; whatever else isn't text shows in the bytes before it.
    whole = body[:-3] if capped else body
    if _BINARY.search(whole):
        return None
    text = body.decode("utf-8", "replace")
    return text if text.count("\ufffd") <= len(text) // 20 else None
