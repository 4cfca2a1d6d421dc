"""Turns a successful answer into records; what makes no sense is a BadAnswer."""

from collections.abc import Mapping

from svc_tui.client.pages import page_of
from svc_tui.domain.errors import BadAnswer
from svc_tui.domain.jsontext import Json, JsonError, loads
from svc_tui.domain.records import Page, Record
from svc_tui.domain.requests import Exchange


def json_of(exchange: Exchange) -> Json:
    """The JSON value of the answer's body; raises BadAnswer."""
    answer = exchange.answer
    if answer.capped:
        raise _bad(exchange, f"the answer is larger than {len(answer.body) // 1_000_000} MB and was cut off")
    if not answer.body.strip():
        raise _bad(exchange, f"the service answered {answer.status} with an empty body")
    try:
        return loads(answer.body)
    except JsonError as error:
        raise _bad(exchange, f"the service answered {answer.status} with a body that is not JSON: {error}") from None


def record_of(exchange: Exchange) -> Record:
    """The one record of the answer's body; raises BadAnswer."""
    value = json_of(exchange)
    if not isinstance(value, Mapping):
        raise _bad(exchange, f"the service answered {exchange.answer.status} with something that is not one record")
    return Record(value, exchange.answer.header("etag") or "")


def page_from(exchange: Exchange, number: int, limit: int) -> Page:
    """The page of the answer's body; raises BadAnswer."""
    try:
        return page_of(json_of(exchange), number, limit)
    except ValueError as error:
        raise _bad(
            exchange, f"the service answered {exchange.answer.status} with no list of records: {error}"
        ) from None


def _bad(exchange: Exchange, message: str) -> BadAnswer:
    return BadAnswer(message, exchange=exchange, attempts=exchange.attempts, idempotency_key=exchange.idempotency_key)
