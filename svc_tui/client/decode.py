"""Turns a successful answer into records; what makes no sense is a BadAnswer.

An answer that makes no sense is a value until `check_answer` raises it, so that its traceback holds neither the body
nor an error of Python's own that quotes it.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from svc_tui.core.jsontext import Json, JsonError, RepeatedNames, loads
from svc_tui.core.records import Page, Record
from svc_tui.core.requests import READS, Answer, Exchange
from svc_tui.service.answers import web_page_problem
from svc_tui.service.errors import BadAnswer, bad_answer
from svc_tui.service.pages import parse_page

_DecodedBody = TypeVar("_DecodedBody")


class _DecodeProblem(Struct, frozen=True):
    """What is wrong with an answer, in words."""

    words: str


def check_answer(decoded: _DecodedBody | BadAnswer) -> _DecodedBody:
    """What was decoded; raises the BadAnswer that came of it instead."""
    if isinstance(decoded, BadAnswer):
        raise decoded
    return decoded


def decode_record(exchange: Exchange, secrets: Sequence[str]) -> Record | BadAnswer:
    """The one record of the answer's body; any of `secrets` is masked in an error."""
    record = _record(exchange.answer, reads=exchange.request.method in READS)
    return bad_answer(exchange, record.words, secrets) if isinstance(record, _DecodeProblem) else record


def decode_page(exchange: Exchange, number: int, limit: int, secrets: Sequence[str]) -> Page | BadAnswer:
    """The page of the answer's body; any of `secrets` is masked in an error."""
    page = _page(exchange.answer, number, limit)
    return bad_answer(exchange, page.words, secrets) if isinstance(page, _DecodeProblem) else page


def _record(answer: Answer, *, reads: bool) -> Record | _DecodeProblem:
    value = _json(answer, keep_repeated=reads)
    if isinstance(value, _DecodeProblem):
        return value
    if not isinstance(value, Mapping):
        return _DecodeProblem(f"the service returned {answer.status} with a body that is not a record")
    return Record(value, answer.header("etag") or "")


def _page(answer: Answer, number: int, limit: int) -> Page | _DecodeProblem:
    value = _json(answer, keep_repeated=True)
    if isinstance(value, _DecodeProblem):
        return value
    if isinstance(value, RepeatedNames):
        return _DecodeProblem(
            f"the service returned {answer.status} with an object that has the same property more than once"
        )
    try:
        return parse_page(value, number, limit)
    except ValueError as error:
        return _DecodeProblem(f"the service returned {answer.status} without a list of records: {error}")


def _json(answer: Answer, *, keep_repeated: bool) -> Json | _DecodeProblem:
    if answer.capped:
        return _DecodeProblem(f"the response is larger than {len(answer.body) // 1_000_000} MB and was cut off")
    body = answer.body.strip()
    if not body:
        return _DecodeProblem(f"the service returned {answer.status} with an empty body")
    if page := web_page_problem(answer):
        return _DecodeProblem(page)
    try:
        # One record that nobody can read for sure is no reason to show none; what a write did it must say clearly.
        return loads(answer.body, keep_repeated=keep_repeated)
    except JsonError as error:
        return _DecodeProblem(f"the service returned {answer.status} with a body that is not JSON: {error}")
