"""What arrived lately, for tests and the control routes: never a key, a secret or a signature."""

import threading
from collections import deque
from dataclasses import dataclass

from svc_tui.core.jsontext import Json, Number
from svc_tui.sandbox.access.admission import SignatureVerdict
from svc_tui.sandbox.access.signature import signed_string

_KEPT = 5_000


@dataclass(slots=True)
class ReceivedRequest:
    """One request as it arrived; `status` is None until it is answered, and stays so when the connection is reset.

    `key` is the name of the key it came with, `signature` what is known of its signature, `code` the error code of the
    answer and `why` its message. `body_digest` is SHA-256 in hex, None where the body was not read.
    """

    method: str
    target: str
    signed: bool
    timestamp: str | None
    idempotency_key: str | None
    key: str | None = None
    signature: SignatureVerdict = SignatureVerdict.NOT_JUDGED
    body_digest: str | None = None
    status: int | None = None
    code: str | None = None
    why: str | None = None
    number: int = 0

    @property
    def signed_string(self) -> str | None:
        """What its signature must cover (service-interface, "Request signing"), as the service read the request."""
        if self.timestamp is None or self.body_digest is None:
            return None
        target = self.target.encode("latin-1")
        return signed_string(self.timestamp, self.method, target, self.body_digest).decode("latin-1")

    def as_json(self) -> Json:
        """The attempt as the control route gives it."""
        return {
            "number": Number(str(self.number)),
            "method": self.method,
            "target": self.target,
            "key": self.key,
            "signature": self.signature.value,
            "timestamp": self.timestamp,
            "signed_string": self.signed_string,
            "idempotency_key": self.idempotency_key,
            "status": None if self.status is None else Number(str(self.status)),
            "code": self.code,
            "why": self.why,
        }


class RequestLog:
    """The latest attempts, oldest first; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._attempts: deque[ReceivedRequest] = deque(maxlen=_KEPT)
        self._last = 0

    def add(self, attempt: ReceivedRequest) -> None:
        """Notes a request that has just arrived."""
        with self._lock:
            self._last += 1
            attempt.number = self._last
            self._attempts.append(attempt)

    def clear(self) -> None:
        """Forgets every attempt; numbers go on."""
        with self._lock:
            self._attempts.clear()

    def all(self) -> list[ReceivedRequest]:
        """Every attempt still remembered."""
        with self._lock:
            return list(self._attempts)
