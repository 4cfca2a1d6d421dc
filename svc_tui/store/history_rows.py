"""How the requests that were tried out are written in rows, and read back; their bodies are kept beside."""

from svc_tui.domain.console.history import HistoryEntry, RecordedRequest, RecordedResult
from svc_tui.domain.editing.ports import StoreError
from svc_tui.domain.model.jsontext import Json, Number, number
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.store.dataclass_codec import Conversion, DataclassCodec
from svc_tui.store.row_values import read_object

_UNREADABLE = "the request history has a request that can't be read; clear the history"


def _read_seconds(stored: Json) -> float:
    if isinstance(stored, Number):
        return int(stored.text) / 1000
    raise ValueError(stored)


_MILLISECONDS = Conversion(lambda seconds: number(round(seconds * 1000)), _read_seconds)
_REQUEST = DataclassCodec(RecordedRequest, _UNREADABLE, beside=("spec",))
_SPEC = DataclassCodec(RequestSpec, _UNREADABLE, beside=("body",))
_RESULT = DataclassCodec(
    RecordedResult,
    _UNREADABLE,
    names={"outcome": "fate", "seconds": "milliseconds"},
    conversions={"seconds": _MILLISECONDS},
    beside=("body",),
)


def request_text(recorded_request: RecordedRequest, key_fingerprint: str = "") -> str:
    """What was sent, as text; `key_fingerprint` is that of the key that it was sent with, "" where none is known."""
    key = {"key_fingerprint": key_fingerprint} if key_fingerprint else {}
    return _REQUEST.text(recorded_request, **_SPEC.write(recorded_request.spec), **key)


def result_text(recorded_result: RecordedResult) -> str:
    """How a request ended, as text."""
    return _RESULT.text(recorded_result)


def entry_of(entry: int, text: str, body: bytes, ended: str | None, answer: bytes | None) -> HistoryEntry:
    """The entry of one row; raises StoreError."""
    try:
        request = read_object(text)
    except StoreError:
        raise StoreError(_UNREADABLE) from None
    sent = _REQUEST.read(request, spec=_SPEC.read(request, body=body))
    return HistoryEntry(entry, sent, None if ended is None else _RESULT.read_text(ended, body=answer))
