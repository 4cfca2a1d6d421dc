"""What arrived lately, for tests and the control routes: never a key, a secret or a signature."""

import threading
from collections import deque
from dataclasses import dataclass

from svc_tui.domain.model.jsontext import Json, Number

_KEPT = 5_000


@dataclass(slots=True)
class ReceivedRequest:
    """One request as it arrived; `status` is None until it is answered, and stays so when the connection is reset.

    `key` is the name of the key it came with, `code` the error code of the answer.
    """

    method: str
    target: str
    signed: bool
    timestamp: str | None
    idempotency_key: str | None
    key: str | None = None
    status: int | None = None
    code: str | None = None

    def as_json(self) -> Json:
        """The attempt as the control route gives it."""
        return {
            "method": self.method,
            "target": self.target,
            "signed": self.signed,
            "timestamp": self.timestamp,
            "idempotencyKey": self.idempotency_key,
            "key": self.key,
            "status": None if self.status is None else Number(str(self.status)),
            "code": self.code,
        }


class RequestLog:
    """The latest attempts, oldest first; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._attempts: deque[ReceivedRequest] = deque(maxlen=_KEPT)

    def add(self, attempt: ReceivedRequest) -> None:
        """Notes a request that has just arrived."""
        with self._lock:
            self._attempts.append(attempt)

    def all(self) -> list[ReceivedRequest]:
        """Every attempt still remembered."""
        with self._lock:
            return list(self._attempts)
