"""A record on a RawService."""

from collections.abc import Callable
from dataclasses import dataclass, field

from svc_tui.core.jsontext import Json, dumps, loads
from tests.client.raw_service import CannedReply, RawService, ReceivedRequest, reply


@dataclass
class OneRecord:
    """A record on a RawService; writes are answered from `troubles` first, readings from `unread`."""

    service: RawService
    fields: dict[str, Json] = field(default_factory=lambda: {"id": "lot-1", "grade": "B", "note": ""})
    etags: bool = False
    troubles: list[CannedReply] = field(default_factory=list)
    unread: list[CannedReply] = field(default_factory=list)
    reads: Callable[["OneRecord"], None] = lambda record: None
    """Called before each reading is answered."""

    def __post_init__(self) -> None:
        self.service.rest = self.answer

    def answer(self, came: ReceivedRequest) -> CannedReply:
        if came.method == "GET":
            self.reads(self)
            if self.unread:
                return self.unread.pop(0)
        elif self.troubles:
            return self.troubles.pop(0)
        elif came.method == "PATCH":
            self.fields.update(loads(came.body))  # type: ignore[arg-type]
        body = dumps(self.fields)
        return reply(200, body, *([("ETag", f'"{len(body)}-{self.fields["grade"]}"')] if self.etags else []))

    @property
    def methods(self) -> list[str]:
        return [came.method for came in self.service.received]
