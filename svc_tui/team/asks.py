"""Approval requests and verdicts: values, how they are made from changes, and how lines of chains store them.

There are two kinds of lines. ASK is by the author: the request that is to be sent, and later, with the same id, its
final state. VERDICT is by a colleague: it has the id of the request and the digest of its line, so that nothing else
that somebody stores with that id is approved.

Times in lines decide nothing: of the verdicts of one computer the last one in its chain counts, of those of several
people a refusal counts more than an approval.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from urllib.parse import quote

from msgspec import Struct, field

from svc_tui.core.draft import is_same_field
from svc_tui.core.jsontext import Json, JsonError, Number, dumps, loads, number
from svc_tui.core.masked_values import split_masked
from svc_tui.core.requests import RequestSpec
from svc_tui.core.values import replace
from svc_tui.service.errors import RequestRefused
from svc_tui.service.redact import list_holds_secret, mask_fields, mask_json, mask_keys, mask_text, mask_value
from svc_tui.service.routes import target_of
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import LineKind, TeamLine
from svc_tui.writes.approval_guard import Proposal

MAX_ASK_CHARACTERS = 200_000
"""Maximum length of a request's line: nobody can read more before approving it."""

MAX_WORD_CHARACTERS = 500
"""Maximum length of a message to a colleague."""

_MAX_TEXT_CHARACTERS = 2_000

_MASKED_VALUE = "…"
"""Replaces a masked value in an address."""

_UNSHOWN_HEADERS = ("if-match", "idempotency-key")
"""Headers that are not shown: they do not change what the request does."""


class AskError(Exception):
    """A change for which approval can't be requested; the message is a sentence."""


class VerdictKind(Enum):
    """The answer of a colleague; lines store the value."""

    APPROVED = "approved"
    REFUSED = "refused"
    ANSWER = "answer"
    """A reply without a decision; it replaces an earlier decision of the same person."""

    @property
    def label(self) -> str:
        """The verdict as text for users."""
        return {VerdictKind.REFUSED: "declined", VerdictKind.ANSWER: "replied"}.get(self, self.value)


class AskState(Enum):
    """The state of an approval request; lines store the values of final states."""

    WAITING = "waiting"
    ANSWERED = "answered"
    APPROVED = "approved"
    REFUSED = "refused"
    SENT = "sent"
    VOIDED = "voided"
    WITHDRAWN = "withdrawn"

    @property
    def open(self) -> bool:
        """True if colleagues can still answer it."""
        return self not in _FINAL_STATES

    @property
    def label(self) -> str:
        """The state as text for users."""
        return _STATE_LABELS.get(self, self.value)


_STATE_LABELS = {AskState.REFUSED: "declined", AskState.VOIDED: "outdated"}

_FINAL_STATES = (AskState.SENT, AskState.VOIDED, AskState.WITHDRAWN)
"""States that the author's computer sets; the first one counts."""


class AskedPlan(Struct, frozen=True):
    """Many changes with one approval request: the number of `rows`, and names and changes of a few as a `sample`.

    `digest` is over all rows, with a key that only the author has, so that nobody can guess a masked value from it.
    """

    title: str
    rows: int
    digest: str
    sample: tuple[tuple[str, str], ...] = ()


class AskedChange(Struct, frozen=True):
    """The change of an approval request, without masked values and secrets.

    `path` is the URL path of the record or collection, `place` its key. `body` is the request body as text, None if it
    can't be shown, `body_bytes` its length. `concerned` are the fields that must not change until it is sent, `before`
    their values, `after` the values that are sent. `masked` are the fields whose values are left out of these and of
    the body.
    """

    rule: str
    kind: str
    place: str
    path: str
    method: str = ""
    target: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = ""
    body_bytes: int = 0
    concerned: tuple[str, ...] = ()
    before: Mapping[str, Json] = field(default_factory=dict)
    after: Mapping[str, Json] | None = None
    masked: tuple[str, ...] = ()
    ticket: str = ""
    word: str = ""
    plan: AskedPlan | None = None

    @property
    def title(self) -> str:
        """The change in a few words: `DELETE operations/lots/lot-1`."""
        return self.plan.title if self.plan is not None else f"{self.method} {self.place or self.target}"


class Verdict(Struct, frozen=True):
    """The answer of a colleague to a request; `digest` is that of its line."""

    kind: VerdictKind
    author: Author
    at: datetime
    word: str = ""
    digest: str = ""


class Ask(Struct, frozen=True):
    """An approval request; `digest` is that of its first line, `verdicts` has the last one of each colleague.

    `told` is the final state that the author's computer set, None for none, `reason` the message with it.
    """

    id: str
    author: Author
    at: datetime
    change: AskedChange
    digest: str
    verdicts: tuple[Verdict, ...] = ()
    told: AskState | None = None
    reason: str = ""

    @property
    def state(self) -> AskState:
        """The state: one refusal is enough, and without one, one approval."""
        if self.told is not None:
            return self.told
        kinds = {verdict.kind for verdict in self.verdicts}
        if VerdictKind.REFUSED in kinds:
            return AskState.REFUSED
        if VerdictKind.APPROVED in kinds:
            return AskState.APPROVED
        return AskState.ANSWERED if kinds else AskState.WAITING

    @property
    def deciding(self) -> tuple[Verdict, ...]:
        """The verdicts that decided the state."""
        wanted = {
            AskState.REFUSED: VerdictKind.REFUSED,
            AskState.APPROVED: VerdictKind.APPROVED,
            AskState.ANSWERED: VerdictKind.ANSWER,
        }.get(self.state)
        return tuple(verdict for verdict in self.verdicts if verdict.kind is wanted)

    @property
    def approved_by(self) -> str:
        """The names of those who approved it, "" for nobody."""
        approving = (verdict for verdict in self.verdicts if verdict.kind is VerdictKind.APPROVED)
        return ", ".join(dict.fromkeys(verdict.author.name for verdict in approving))


def is_one_person(one: Author, other: Author) -> bool:
    """Return True if two authors are one person: of the same journal, or of the same name on another computer."""
    return one.chain == other.chain or _person(one) == _person(other)


def _person(author: Author) -> str:
    return " ".join(author.name.split()).casefold()


def changed_fields(change: AskedChange, now: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the concerned fields that changed since the request, except masked ones, whose values are unknown."""
    masked = {path.partition(".")[0] for path in change.masked}
    return tuple(
        name for name in change.concerned if name not in masked and not is_same_field(change.before, now, name)
    )


# From a change


def share_change(proposal: Proposal, rule: str, masked: frozenset[str], secrets: Sequence[str]) -> AskedChange:
    """Return the change for colleagues, without the values of `masked` fields and without any of the `secrets`."""
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
    """Return the text without the secrets, and without anything that starts like an API key."""
    return mask_keys(mask_text(text, secrets))


def check_size(content: Mapping[str, Json]) -> None:
    """Raise AskError if the content of a request is too long to be read before it is approved."""
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
    """Return the body as text, its fields if it is an object, and the paths of the masked values.

    If nothing is masked, the text is the exact body. It is None if the body is not text, and if it is not JSON while
    some fields are masked: they could be in it.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None, None, ()
    try:
        value = loads(body) if body else None
    except JsonError:
        return (None if masked else share_text(text, secrets)), None, ()
    # A field with an empty name, since the value need not be an object.
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
        f"{name}={quote(_MASKED_VALUE)}" if name.casefold() in masked else f"{name}{sign}{value}"
        for name, sign, value in parts
    ]
    return f"{path}{mark}{'&'.join(shared)}"


# To and from lines


def ask_content(ask_id: str, change: AskedChange) -> dict[str, Json]:
    """Return the content of the line of a request."""
    content: dict[str, Json] = {
        "id": ask_id,
        "rule": change.rule,
        "kind": change.kind,
        "path": change.path,
        "method": change.method,
        "target": change.target,
        "headers": [list(pair) for pair in change.headers],
        "body": change.body,
        "bodyBytes": number(change.body_bytes),
        "concerned": list(change.concerned),
        "before": change.before,
        "after": change.after,
        "masked": list(change.masked),
        "ticket": change.ticket,
        "word": change.word,
    }
    if (plan := change.plan) is not None:
        sample: list[Json] = [list(pair) for pair in plan.sample]
        content["plan"] = {"title": plan.title, "rows": number(plan.rows), "digest": plan.digest, "sample": sample}
    return content


def state_content(ask_id: str, state: AskState, word: str = "") -> dict[str, Json]:
    """Return the content of the line that sets the final state of an own request."""
    return {"id": ask_id, "state": state.value, "word": word}


def verdict_content(ask: Ask, kind: VerdictKind, word: str = "") -> dict[str, Json]:
    """Return the content of the line of a verdict."""
    return {"ask": ask.id, "line": ask.digest, "verdict": kind.value, "word": word[:MAX_WORD_CHARACTERS]}


def is_too_long(content: Mapping[str, Json]) -> bool:
    """Return True if a request is too long: none is written like that, and none is shown."""
    return len(dumps(content, ascii_only=True)) > MAX_ASK_CHARACTERS


def read_asks(lines: Iterable[TeamLine], broken: frozenset[str] = frozenset()) -> list[Ask]:
    """Read the requests from lines; those of one chain are in its order, and those that can't be read are skipped.

    Verdicts in `broken` chains do not count.
    """
    ordered = sorted(lines, key=lambda line: (line.author.chain, line.sequence))
    asks: dict[tuple[str, str], Ask] = {}
    verdicts: defaultdict[str, dict[str, Verdict]] = defaultdict(dict)
    for line in ordered:
        if line.kind is LineKind.ASK:
            _read_ask(asks, line)
        elif line.kind is LineKind.VERDICT and line.author.chain not in broken:
            match line.content:
                case {"ask": str(ask_id), "line": str(digest), "verdict": str(kind)} if kind in _VERDICTS:
                    word = _text(line.content, "word", MAX_WORD_CHARACTERS)
                    verdict = Verdict(_VERDICTS[kind], line.author, line.at, word, line.digest)
                    verdicts[f"{ask_id} {digest}"][line.author.chain] = verdict
    return [
        replace(
            ask,
            verdicts=tuple(
                verdict
                for verdict in verdicts[f"{ask.id} {ask.digest}"].values()
                if not is_one_person(verdict.author, ask.author)
            ),
        )
        for ask in asks.values()
    ]


_VERDICTS = {kind.value: kind for kind in VerdictKind}
_STATES = {state.value: state for state in _FINAL_STATES}


def _read_ask(asks: dict[tuple[str, str], Ask], line: TeamLine) -> None:
    ask_id = _text(line.content, "id")
    key = line.author.chain, ask_id
    known = asks.get(key)
    if known is not None:
        state = _STATES.get(_text(line.content, "state"))
        if known.told is None and state is not None:
            asks[key] = replace(known, told=state, reason=_text(line.content, "word", MAX_WORD_CHARACTERS))
    elif ask_id and "state" not in line.content and not is_too_long(line.content):
        asks[key] = Ask(ask_id, line.author, line.at, _read_change(line), line.digest)


def _read_change(line: TeamLine) -> AskedChange:
    content = line.content
    body, after = content.get("body"), content.get("after")
    return AskedChange(
        _text(content, "rule"),
        _text(content, "kind"),
        line.place,
        _text(content, "path"),
        _text(content, "method"),
        _text(content, "target"),
        _pairs(content.get("headers")),
        body if isinstance(body, str) else None,
        _count(content.get("bodyBytes")),
        _texts(content.get("concerned")),
        _fields(content.get("before")),
        _fields(after) if isinstance(after, Mapping) else None,
        _texts(content.get("masked")),
        _text(content, "ticket"),
        _text(content, "word", MAX_WORD_CHARACTERS),
        _read_plan(content.get("plan")),
    )


def _read_plan(content: Json) -> AskedPlan | None:
    if not isinstance(content, Mapping):
        return None
    digest, sample = _text(content, "digest"), _pairs(content.get("sample"))
    return AskedPlan(_text(content, "title"), _count(content.get("rows")), digest, sample)


def _text(content: Mapping[str, Json], name: str, limit: int = _MAX_TEXT_CHARACTERS) -> str:
    value = content.get(name)
    return value[:limit] if isinstance(value, str) else ""


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, Sequence) else ()


def _pairs(value: Json) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list):
        return ()
    return tuple((name, text) for name, text in filter(_is_pair, value))


def _is_pair(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(item, str) for item in value)


def _fields(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _count(value: Json) -> int:
    text = value.text if isinstance(value, Number) else ""
    return int(text) if text.isdecimal() and len(text) < 10 else 0
