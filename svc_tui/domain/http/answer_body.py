"""Why the body of an answer that says all is well can't be the service's: a web page, or nothing that is JSON."""

import re

from svc_tui.domain.http.error_body import clip_text, page_title
from svc_tui.domain.model.jsontext import JsonError, loads
from svc_tui.domain.model.requests import READS, Answer, Exchange

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
