"""How the requests that were tried out are written in rows, and read back."""

from svc_tui.domain.console.history import HistoryEntry, RecordedRequest, RecordedResult, RequestOutcome
from svc_tui.domain.editing.ports import StoreError
from svc_tui.domain.model.jsontext import Json, Number, dumps, number
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.store.row_values import read_object, read_time


def request_text(recorded_request: RecordedRequest) -> str:
    """What was sent, as text; its body is kept beside it."""
    spec = recorded_request.spec
    fields: dict[str, Json] = {
        "at": recorded_request.at.isoformat(),
        "method": spec.method,
        "path": spec.path,
        "query": _pair_lists(spec.query),
        "headers": _pair_lists(spec.headers),
        "idempotency_key": spec.idempotency_key,
        "missing": list(recorded_request.missing),
    }
    return dumps(fields, ascii_only=True)


def result_text(recorded_result: RecordedResult) -> str:
    """How a request ended, as text; the body of the answer is kept beside it."""
    fields: dict[str, Json] = {
        "fate": recorded_result.outcome.value,
        "status": None if recorded_result.status is None else number(recorded_result.status),
        "milliseconds": number(round(recorded_result.seconds * 1000)),
        "received": number(recorded_result.received),
        "request_id": recorded_result.request_id,
        "message": recorded_result.message,
    }
    return dumps(fields, ascii_only=True)


def entry_of(entry: int, text: str, body: bytes, ended: str | None, answer: bytes | None) -> HistoryEntry:
    """The entry of one row; raises StoreError."""
    return HistoryEntry(entry, _read_sending(text, body), None if ended is None else _read_ending(ended, answer))


def _read_sending(text: str, body: bytes) -> RecordedRequest:
    match read_object(text):
        case {
            "at": str(at),
            "method": str(method),
            "path": str(path),
            "query": list(query),
            "headers": list(headers),
            "idempotency_key": str(key),
            "missing": list(missing),
        }:
            spec = RequestSpec(method, path, _read_pairs(query), _read_pairs(headers), body, key)
            return RecordedRequest(read_time(at), spec, tuple(word for word in missing if isinstance(word, str)))
    raise _unreadable()


def _read_ending(text: str, answer: bytes | None) -> RecordedResult:
    match read_object(text):
        case {
            "fate": str(outcome),
            "status": Number() | None as status,
            "milliseconds": Number(text=milliseconds),
            "received": Number(text=received),
            "request_id": str(request_id),
            "message": str(message),
        }:
            try:
                return RecordedResult(
                    RequestOutcome(outcome),
                    None if status is None else int(status.text),
                    int(milliseconds) / 1000,
                    int(received),
                    request_id,
                    message,
                    answer,
                )
            except ValueError:
                pass
    raise _unreadable()


def _pair_lists(pairs: tuple[tuple[str, str], ...]) -> list[Json]:
    return [[name, value] for name, value in pairs]


def _read_pairs(values: list[Json]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for pair in values:
        match pair:
            case [str(name), str(value)]:
                pairs.append((name, value))
            case _:
                raise _unreadable()
    return tuple(pairs)


def _unreadable() -> StoreError:
    return StoreError("the history holds a request that can't be read; clear it, or move its database away")
