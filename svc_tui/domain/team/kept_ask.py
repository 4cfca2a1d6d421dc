"""What the author's machine keeps of a change that was asked for."""

from collections.abc import Mapping
from dataclasses import dataclass

from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.records import Place
from svc_tui.domain.model.requests import RequestSpec


@dataclass(frozen=True, slots=True)
class KeptAsk:
    """What the author's machine keeps of an ask, to send it once it is approved; never a key or a secret.

    `kind` is what the user does, `spec` the request with its idempotency key, None for a plan, which is the run `run`.
    `shown` is the record as it was on the card, None where none was, of which the fields `concerned` have to stay;
    `edits` are the fields of an edit. `salt` is what the digest of a plan is made with.
    """

    id: str
    kind: str
    place: Place | None = None
    spec: RequestSpec | None = None
    shown: Mapping[str, Json] | None = None
    etag: str = ""
    concerned: tuple[str, ...] = ()
    edits: Mapping[str, Json] | None = None
    ticket: str = ""
    run: str = ""
    salt: str = ""
