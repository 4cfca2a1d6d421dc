"""What of a change a team is shown: all of the request, but for what its author's machine keeps to itself."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from svc_tui.domain.data.masked_values import split_masked
from svc_tui.domain.editing.ports import Proposal
from svc_tui.domain.http.errors import RequestRefused
from svc_tui.domain.http.redact import list_holds_secret, mask_fields, mask_json, mask_keys, mask_text, mask_value
from svc_tui.domain.http.routes import target_of
from svc_tui.domain.model.jsontext import Json, JsonError, dumps, loads
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.domain.team.asks import AskedChange, is_too_long

_KEPT = "…"
"""What stands for a value that is kept back in an address."""

_UNSHOWN_HEADERS = ("if-match", "idempotency-key")
"""Headers that say nothing about what is done."""


class AskError(Exception):
    """A change that can't be put to anybody; the message says why, in a sentence."""


def share_change(proposal: Proposal, rule: str, masked: frozenset[str], secrets: Sequence[str]) -> AskedChange:
    """The change as colleagues see it: without the values of fields that are `masked`, and without any of `secrets`."""
    change, place, spec = proposal.change, proposal.place, proposal.change.spec
    shown = {} if proposal.shown is None else proposal.shown.fields
    before, kept_back = _share_fields(
        {name: shown[name] for name in proposal.concerned if name in shown}, masked, secrets
    )
    body, after, of_body = _share_body(spec.body, masked, secrets)
    return AskedChange(
        rule,
        change.kinds[0],
        change.place,
        "" if place is None else place.path,
        spec.method.upper(),
        share_text(_share_target(spec, masked), secrets),
        tuple(
            (name, share_text(mask_value(name, value), secrets))
            for name, value in spec.headers
            if name.lower() not in _UNSHOWN_HEADERS
        ),
        body,
        len(spec.body),
        proposal.concerned,
        before,
        after,
        tuple(dict.fromkeys((*kept_back, *of_body))),
    )


def share_text(text: str, secrets: Sequence[str]) -> str:
    """The text without secrets, and without what begins as a key does."""
    return mask_keys(mask_text(text, secrets))


def check_size(content: Mapping[str, Json]) -> None:
    """Raise AskError for what is too long to be read before it is approved."""
    if is_too_long(content):
        raise AskError("Too large for an approval request. The limit for record and request is 200 kB.")


def _share_fields(
    fields: Mapping[str, Json], masked: frozenset[str], secrets: Sequence[str]
) -> tuple[Mapping[str, Json], tuple[str, ...]]:
    split = split_masked(fields, masked, lambda _: "")
    return mask_fields(split.kept, secrets), tuple(split.digests)


def _share_body(
    body: bytes, masked: frozenset[str], secrets: Sequence[str]
) -> tuple[str | None, Mapping[str, Json] | None, tuple[str, ...]]:
    """The body as text, its fields where it is an object, and those that are kept back.

    As it is to the letter, where nothing in it is kept back. None for the text of what is no JSON where fields are
    masked, since nobody knows what stands in it, and of what is no text.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None, None, ()
    try:
        value = loads(body) if body else None
    except JsonError:
        return (None if masked else share_text(text, secrets)), None, ()
    # As a field without a name, of whatever kind it is.
    split = split_masked({"": value}, masked, lambda _: "")
    kept, paths = mask_json(split.kept[""], secrets), tuple(path.removeprefix(".") for path in split.digests)
    exact = not paths and not list_holds_secret(text, secrets)
    return text if exact else dumps(kept), kept if isinstance(kept, Mapping) else None, paths


def _share_target(spec: RequestSpec, masked: frozenset[str]) -> str:
    try:
        target = target_of(spec.path, spec.query)
    except RequestRefused as error:
        raise AskError(f"{error}.") from None
    path, mark, query = target.partition("?")
    parts = [part.partition("=") for part in query.split("&")] if mark else []
    shared = [
        f"{name}={quote(_KEPT)}" if name.casefold() in masked else f"{name}{sign}{value}" for name, sign, value in parts
    ]
    return f"{path}{mark}{'&'.join(shared)}"
