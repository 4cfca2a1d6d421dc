"""A request that the user wants to make, the answer it got, and the two together."""

from datetime import datetime

from msgspec import Struct

from svc_tui.core.values import HidesFields

READS = frozenset({"GET", "HEAD", "OPTIONS"})
"""The methods that change nothing at the service; any other counts as a write."""


class RequestSpec(Struct, frozen=True):
    """A request before it is addressed and signed.

    `path` may lack `/v1`, may carry a query of its own after `?`, and is percent-encoded where the user wrote it
    so; `query` is added to it, encoded. `headers` are the caller's own. `body` is sent byte for byte. A write
    without `idempotency_key` is given one by the client.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    idempotency_key: str = ""

    @property
    def writes(self) -> bool:
        """Whether the request can change something."""
        return self.method.upper() not in READS


class SignedRequest(HidesFields, frozen=True):
    """What leaves, or would leave, on the wire: every header, key and signature masked.

    `string_to_sign` is None for an unsigned request; it holds no secret (the body is there by its digest). `key_from`
    is as in the profile.
    """

    hidden_fields = frozenset({"body"})

    method: str
    url: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    string_to_sign: str | None = None
    key_from: str = ""


class Answer(HidesFields, frozen=True):
    """What came back: `headers` in order with repeats, `body` decompressed, whole unless `capped`.

    Its repr shows neither: a service may repeat in them what it was sent.
    """

    hidden_fields = frozenset({"reason", "headers", "body"})

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    capped: bool = False

    def header(self, name: str) -> str | None:
        """The first header of that name, whatever its case."""
        return next(iter(self.values(name)), None)

    def values(self, name: str) -> tuple[str, ...]:
        """Every header of that name, whatever its case, in order."""
        wanted = name.lower()
        return tuple(value for header, value in self.headers if header.lower() == wanted)

    @property
    def request_id(self) -> str | None:
        """The service's name for the request, where the answer carries one."""
        names = ("x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid")
        return next(filter(None, map(self.header, names)), None)

    @property
    def ok(self) -> bool:
        """Whether the service did what was asked: 200 ≤ status < 300."""
        return 200 <= self.status < 300


class Exchange(Struct, frozen=True):
    """A request and its answer: `request` as last sent, `attempts` from 1, `seconds` for the last attempt alone.

    `first_byte` is how many of those seconds went by until status and headers had come, 0 where that is not known;
    `connecting` how many of them a connection took to open, 0 for one that was open already, None where not known.
    """

    request: SignedRequest
    answer: Answer
    attempts: int
    seconds: float
    received: datetime
    idempotency_key: str = ""
    waited: float = 0.0
    """Seconds spent waiting between attempts and behind the throttle."""
    doubt: bool = False
    """Whether an earlier attempt got no clear answer and may have been carried out."""
    first_byte: float = 0.0
    connecting: float | None = None
