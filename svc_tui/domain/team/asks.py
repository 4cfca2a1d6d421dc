"""What a team is asked to approve, and what it says: values, and how they stand in the lines of chains.

Two kinds of line tell all of it. ASK, by the author: the request as it is to leave, and later, under the same id, what
became of it (`state`). VERDICT, by a colleague: it names the ask by its id and by the digest of its line, so that what
is approved is what stands there and nothing that somebody else puts under that id.

Nothing goes by the time in a line: of one machine's lines the last one counts, and of several people's words a refusal
counts before an approval, whichever was there first.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum

from svc_tui.domain.editing.ports import Author
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, Number, dumps, number, same_json
from svc_tui.domain.team.lines import LineKind, TeamLine

MAX_ASK_CHARACTERS = 200_000
"""How long the line of an ask may be: nobody approves what nobody can read."""

MAX_WORD_CHARACTERS = 500
"""How long a word to a colleague may be."""

_MAX_TEXT_CHARACTERS = 2_000


class VerdictKind(Enum):
    """What a colleague says; the value stands in the line."""

    APPROVED = "approved"
    REFUSED = "refused"
    ANSWER = "answer"
    """A word that decides nothing; it takes the place of what the same person decided before."""

    @property
    def label(self) -> str:
        """The verdict for people; `value` is what lines have."""
        return {VerdictKind.REFUSED: "declined", VerdictKind.ANSWER: "replied"}.get(self, self.value)


class AskState(Enum):
    """The state of an approval request; the values that an author tells are stored in the line."""

    WAITING = "waiting"
    ANSWERED = "answered"
    APPROVED = "approved"
    REFUSED = "refused"
    SENT = "sent"
    VOIDED = "voided"
    WITHDRAWN = "withdrawn"

    @property
    def open(self) -> bool:
        """Whether a colleague can still say something to it."""
        return self not in _TOLD

    @property
    def label(self) -> str:
        """The state for people; `value` is what lines of earlier versions have."""
        return _STATE_LABELS.get(self, self.value)


_STATE_LABELS = {AskState.REFUSED: "declined", AskState.VOIDED: "outdated"}

_TOLD = (AskState.SENT, AskState.VOIDED, AskState.WITHDRAWN)
"""The states that an author tells; the first one told is the last."""


@dataclass(frozen=True, slots=True)
class AskedPlan:
    """Many changes that are asked for as one: how many `rows`, a few of them as a `sample`, what they are with values.

    `digest` is over all of its rows with a key that stays with the author, so that a masked value can't be guessed.
    """

    title: str
    rows: int
    digest: str
    sample: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AskedChange:
    """The change that is asked for, without any value that its author's machine keeps to itself.

    `path` is the URL path of the record or collection, `place` its key. `body` is the request's as text, None where it
    can't be shown: `body_bytes` long. `concerned` are the fields that have to stay as they are until it is sent,
    `before` what they hold, `after` what is sent. `masked` are the fields whose values are left out of these and of the
    body.
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
        """What it is, in a few words: `DELETE operations/lots/lot-1`."""
        return self.plan.title if self.plan is not None else f"{self.method} {self.place or self.target}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a colleague said to an ask; `digest` is that of its line."""

    kind: VerdictKind
    author: Author
    at: datetime
    word: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """An ask as all lines together tell it; `digest` is that of its line, `verdicts` the last one of each colleague.

    `told` is what its author told of it later, None for nothing, `reason` the word that went with that.
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
        """How it stands: one refusal is enough, and without one, one approval."""
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
        """The verdicts that made its state."""
        wanted = {
            AskState.REFUSED: VerdictKind.REFUSED,
            AskState.APPROVED: VerdictKind.APPROVED,
            AskState.ANSWERED: VerdictKind.ANSWER,
        }.get(self.state)
        return tuple(verdict for verdict in self.verdicts if verdict.kind is wanted)

    @property
    def approved_by(self) -> str:
        """Who approved it, "" where nobody did."""
        approving = (verdict for verdict in self.verdicts if verdict.kind is VerdictKind.APPROVED)
        return ", ".join(dict.fromkeys(verdict.author.name for verdict in approving))


def is_one_person(one: Author, other: Author) -> bool:
    """Whether two lines are one person's: of the same journal, or of a person of the same name on another machine."""
    return one.chain == other.chain or _person(one) == _person(other)


def _person(author: Author) -> str:
    return " ".join(author.name.split()).casefold()


def moved_fields(change: AskedChange, now: Mapping[str, Json]) -> tuple[str, ...]:
    """The fields concerned that are not as they were when it was asked for; of masked ones nobody else can tell."""
    masked = {path.partition(".")[0] for path in change.masked}
    return tuple(name for name in change.concerned if name not in masked and not same_field(change.before, now, name))


def same_field(one: Mapping[str, Json], other: Mapping[str, Json], name: str) -> bool:
    """Whether both hold the same under the name, or both nothing."""
    held: Json | Absent = one.get(name, ABSENT)
    now: Json | Absent = other.get(name, ABSENT)
    if isinstance(held, Absent) or isinstance(now, Absent):
        return held is now
    return same_json(held, now)


# As lines


def ask_content(ask_id: str, change: AskedChange) -> dict[str, Json]:
    """What the line of an ask holds."""
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
    """What the line holds that tells what became of one's own ask."""
    return {"id": ask_id, "state": state.value, "word": word}


def verdict_content(ask: Ask, kind: VerdictKind, word: str = "") -> dict[str, Json]:
    """What the line of a verdict holds."""
    return {"ask": ask.id, "line": ask.digest, "verdict": kind.value, "word": word[:MAX_WORD_CHARACTERS]}


def is_too_long(content: Mapping[str, Json]) -> bool:
    """Whether an ask is longer than anybody reads: none is written like that, and none is shown."""
    return len(dumps(content, ascii_only=True)) > MAX_ASK_CHARACTERS


def read_asks(lines: Iterable[TeamLine], broken: frozenset[str] = frozenset()) -> list[Ask]:
    """The asks that lines tell of, in no order that means anything; what can't be read is passed over.

    Those of one chain stand in its order. Nothing that comes from a chain that is `broken` approves anything.
    """
    ordered = sorted(lines, key=lambda line: (line.author.chain, line.sequence))
    asks: dict[tuple[str, str], Ask] = {}
    verdicts: defaultdict[str, dict[str, Verdict]] = defaultdict(dict)
    for line in ordered:
        if line.kind is LineKind.ASK:
            _take_ask(asks, line)
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
_STATES = {state.value: state for state in _TOLD}


def _take_ask(asks: dict[tuple[str, str], Ask], line: TeamLine) -> None:
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
