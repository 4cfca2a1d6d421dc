"""What the body of an answer tells: the service's own code and words for an error, and whether it is the service's.

The document does not show the shape of errors (service-interface, "Errors"), so the common ones are understood. A body
that says all is well may still be a web page, or no JSON at all.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from svc_tui.core.jsontext import Json, JsonError, loads
from svc_tui.core.requests import READS, Answer, Exchange
from svc_tui.service.redact import holds_secret_text, mask_keys, mask_text

_MAX_BYTES = 100_000
_MAX_CHARACTERS = 300
_MAX_DEPTH = 4
_CODE = re.compile(r"(?!svc_|[0-9A-Fa-f]{32})[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)*")
"""Neither a key nor a digest, which a service may repeat where its code is due."""
_MAX_CODE_CHARACTERS = 64
_TITLE = re.compile(r"<title[^<>]*>([^<]*)", re.IGNORECASE)
_CODE_NAMES = ("code", "errorcode", "error_code")
_WORD_NAMES = ("message", "error_description", "errormessage", "detail", "description", "msg", "title", "reason")
_NEST_NAMES = ("error", "errors", "fault", "detail", "details")


def explain_body(answer: Answer, secrets: Sequence[str] = ()) -> tuple[str, str]:
    """The answer's code and words, each "" where there is none; the words are one line of at most 300 characters.

    Understood are `{"error": {"code", "message"}}`, `{"code"}`, `{"error": "code"}`, `{"errors": [...]}`, problem
    details (RFC 9457), HTML, plain text, nothing. Keys and `secrets` that the service repeats are masked.
    """
    code, words = _parse_body(answer.body)
    return "" if holds_secret_text(code, secrets) else code, clip_text(mask_text(words, secrets))


def clip_text(words: str) -> str:
    """One line of at most 300 characters, with any key in it masked."""
    line = mask_keys(" ".join(words[:_MAX_BYTES].split()))
    return line if len(line) <= _MAX_CHARACTERS else f"{line[: _MAX_CHARACTERS - 1]}…"


def page_title(body: bytes) -> str:
    """The title of a web page, "" where it has none."""
    title = _TITLE.search(body[:_MAX_BYTES].decode("utf-8-sig", "replace"))
    return title[1] if title else ""


def _parse_body(body: bytes) -> tuple[str, str]:
    if len(body) <= _MAX_BYTES:
        try:
            code, words = _find_explanation(loads(body), 0)
        except JsonError:
            pass  # not JSON: read as text below
        else:
            return (words, "") if not code and "_" in words and _is_code(words) else (code, words)
    text = body[:_MAX_BYTES].decode("utf-8-sig", "replace").strip()
    if text[:1] in ("", "[", "{"):
        return "", ""
    if text[0] == "<":
        return "", page_title(body)
    return (text, "") if _is_code(text) else ("", text)


def _is_code(text: str) -> bool:
    return len(text) <= _MAX_CODE_CHARACTERS and _CODE.fullmatch(text) is not None


def _find_explanation(value: Json, depth: int) -> tuple[str, str]:
    """Code and words in a decoded body; what stands deeper than four levels is not looked for."""
    if depth > _MAX_DEPTH:
        return "", ""
    if isinstance(value, str):
        return (value, "") if _is_code(value) and ("_" in value or depth == 1) else ("", value)
    if isinstance(value, Mapping):
        folded = {name.casefold(): item for name, item in value.items()}
        codes = [item for item in map(folded.get, _CODE_NAMES) if isinstance(item, str) and _is_code(item)]
        texts = [item for item in map(folded.get, _WORD_NAMES) if isinstance(item, str) and item]
        code, words = codes[0] if codes else "", texts[0] if texts else ""
        for name in _NEST_NAMES:
            if code and words:
                break
            inner = folded.get(name)
            if inner is not None and not (isinstance(inner, str) and inner == words):
                inner_code, inner_words = _find_explanation(inner, depth + 1)
                code, words = code or inner_code, words or inner_words
        return code, words or "; ".join(_by_field(value) if depth else ())
    if isinstance(value, Sequence):
        explanations = [_find_explanation(item, depth + 1) for item in value[:3]]
        return next((c for c, _ in explanations if c), ""), "; ".join(w for _, w in explanations if w)
    return "", ""


def _by_field(value: Mapping[str, Json]) -> Iterator[str]:
    """Words of the shape `{"field": ["what is wrong with it"]}`."""
    for name, item in list(value.items())[:3]:
        first = item[0] if isinstance(item, Sequence) and not isinstance(item, str) and item else item
        if isinstance(first, str) and not _is_code(first):
            yield f"{name}: {first}"


_HTML_TYPES = ("text/html", "application/xhtml+xml")
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_MAX_START = 4096
"""Bytes of a body that are looked at for the beginning of a page."""


def web_page_words(answer: Answer) -> str:
    """What came instead of JSON where the body is a web page, with its title: `a web page (“Log in”)`; else "".

    A body that is JSON is none, whatever its header says: some services send that as `text/html`.
    """
    body = answer.body.strip()
    claimed = claims_web_page(answer.header("content-type") or "")
    if not body or not (_HTML_START.match(body[:_MAX_START]) or (claimed and not _is_json(body))):
        return ""
    title = clip_text(page_title(body))
    return f"a web page (“{title}”)" if title else "a web page"


def claims_web_page(content_type: str) -> bool:
    """Whether an answer of this `Content-Type` says that it is a web page."""
    return content_type.partition(";")[0].strip().lower() in _HTML_TYPES


def foreign_body(exchange: Exchange, *, json: bool = False) -> str:
    """Why a 2xx to a write does not tell that the write was done, as a sentence's part; "" where it does.

    A web page does not: a gateway that asks to log in sends one in the service's place. With `json`, where records
    come as JSON, neither does any other body that is not JSON; an empty body does.
    """
    answer = exchange.answer
    if not answer.ok or exchange.request.method in READS:
        return ""
    return web_page_problem(answer) or (_json_problem(answer) if json else "")


def web_page_problem(answer: Answer) -> str:
    """The same of a web page alone, for reads as well; "" for any other body."""
    words = web_page_words(answer)
    return words and (
        f"the service returned {answer.status} with {words} instead of JSON; it may come from a gateway. Check the "
        "base URL"
    )


def _json_problem(answer: Answer) -> str:
    if answer.capped or not answer.body.strip() or _is_json(answer.body):
        return ""
    return (
        f"the service returned {answer.status} with a body that is not JSON; it may come from a gateway. Check the "
        "base URL"
    )


def _is_json(body: bytes) -> bool:
    try:
        loads(body)
    except JsonError:
        return False
    return True
