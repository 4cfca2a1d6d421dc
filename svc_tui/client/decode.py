"""Turns a successful answer into records; what makes no sense is a BadAnswer.

What is wrong comes up as a value and is raised last, so that the error brings along neither the body nor an error of
Python's own that quotes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from svc_tui.client.pages import page_of
from svc_tui.domain.errors import BadAnswer
from svc_tui.domain.jsontext import Json, JsonError, loads
from svc_tui.domain.records import Page, Record
from svc_tui.domain.redact import hidden_in, masked, masked_exchange
from svc_tui.domain.requests import Answer, Exchange


@dataclass(frozen=True, slots=True)
class _Problem:
    """What is wrong with an answer, in words."""

    words: str


def record_of(exchange: Exchange, secrets: Sequence[str]) -> Record:
    """The one record of the answer's body; raises BadAnswer, any of `secrets` masked in it."""
    record = _record(exchange.answer)
    if isinstance(record, _Problem):
        raise _bad(exchange, record, secrets)
    return record


def page_from(exchange: Exchange, number: int, limit: int, secrets: Sequence[str]) -> Page:
    """The page of the answer's body; raises BadAnswer, any of `secrets` masked in it."""
    page = _page(exchange.answer, number, limit)
    if isinstance(page, _Problem):
        raise _bad(exchange, page, secrets)
    return page


def _record(answer: Answer) -> Record | _Problem:
    value = _json(answer)
    if isinstance(value, _Problem):
        return value
    if not isinstance(value, Mapping):
        return _Problem(f"the service answered {answer.status} with something that is not one record")
    return Record(value, answer.header("etag") or "")


def _page(answer: Answer, number: int, limit: int) -> Page | _Problem:
    value = _json(answer)
    if isinstance(value, _Problem):
        return value
    try:
        return page_of(value, number, limit)
    except ValueError as error:
        return _Problem(f"the service answered {answer.status} with no list of records: {error}")


def _json(answer: Answer) -> Json | _Problem:
    if answer.capped:
        return _Problem(f"the answer is larger than {len(answer.body) // 1_000_000} MB and was cut off")
    body = answer.body.strip()
    if not body:
        return _Problem(f"the service answered {answer.status} with an empty body")
    if body.startswith(b"<"):
        return _Problem(f"the service answered {answer.status} with a web page instead of JSON: check the base URL")
    try:
        return loads(answer.body)
    except JsonError as error:
        return _Problem(f"the service answered {answer.status} with a body that is not JSON: {error}")


def _bad(exchange: Exchange, problem: _Problem, secrets: Sequence[str]) -> BadAnswer:
    hidden = hidden_in(exchange, secrets)
    return BadAnswer(
        masked(problem.words, hidden),
        exchange=masked_exchange(exchange, hidden),
        attempts=exchange.attempts,
        idempotency_key=exchange.idempotency_key,
    )
