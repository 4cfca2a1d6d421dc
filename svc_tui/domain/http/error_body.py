"""The service's own code and words in an error answer, whatever the shape of its body.

The document does not show the shape (service-interface, "Errors"), so the common ones are understood.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from svc_tui.domain.http.redact import holds_secret_text, mask_keys, mask_text
from svc_tui.domain.model.jsontext import Json, JsonError, loads
from svc_tui.domain.model.requests import Answer

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
