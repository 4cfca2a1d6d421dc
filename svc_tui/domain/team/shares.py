"""Things handed to colleagues: saved requests, views and drafts, each in the form in which it is kept here.

What a colleague hands over is text from outside: it is read as a file of one's own would be, and what does not read
well is none.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias
from uuid import uuid4

from svc_tui.domain.collections.filters import parse_filter
from svc_tui.domain.collections.views import View, read_view, view_table
from svc_tui.domain.data.masked_values import split_masked
from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.editing.ports import Author
from svc_tui.domain.http.redact import list_holds_secret
from svc_tui.domain.model.jsontext import Json, Number, dumps, to_plain
from svc_tui.domain.model.records import Record
from svc_tui.domain.team.lines import LineKind, ServiceScope, TeamLine
from svc_tui.domain.team.ports import OwnChain, TeamMirror
from svc_tui.domain.team.sync import TeamSync

_FIELD_ENDS = re.compile(r"[\s!:=<>~]+")

MAX_WORD_CHARACTERS = 500
"""How long the word may be that goes with a thing."""

MAX_NAME_CHARACTERS = 100
"""How long the name of a thing may be that a colleague hands over; the rest is left out."""

MAX_SHARED_CHARACTERS = 200_000
"""How large a thing may be, as JSON."""


@dataclass(frozen=True, slots=True)
class SharedRequest:
    """A saved request, as the text of its file; whether that is sound, whoever reads such files tells."""

    name: str
    toml: str


@dataclass(frozen=True, slots=True)
class SharedView:
    """A view of the collection at a path."""

    path: str
    name: str
    view: View


@dataclass(frozen=True, slots=True)
class SharedDraft:
    """Edits of the record at a path that are not sent; `base` are the fields that they change, as the author read them.

    `masked` are the edited fields that did not leave the author's machine.
    """

    path: str
    base: Mapping[str, Json]
    edits: Mapping[str, Json]
    masked: tuple[str, ...] = ()


SharedThing: TypeAlias = SharedRequest | SharedView | SharedDraft


@dataclass(frozen=True, slots=True)
class Share:
    """A thing handed to the colleague called `to`, "" for everybody, with a word; `place` is the key that it is about.

    `author` is whoever handed it over, `at` when: no later than the server got it, whatever that machine's clock says.
    """

    id: str
    to: str
    thing: SharedThing
    word: str
    place: str
    author: Author
    at: datetime

    @property
    def words(self) -> str:
        """What it is, in a few words."""
        return thing_words(self.thing, self.place)


@dataclass(frozen=True, slots=True)
class ShareAnswer:
    """What a colleague did with the thing of that id."""

    id: str
    taken: bool
    author: Author


class ShareRefused(ValueError):
    """A thing that can't be handed over; one line for people."""


def thing_words(thing: SharedThing, place: str) -> str:
    """What a thing about a place is, in a few words."""
    match thing:
        case SharedRequest(name):
            return f"saved request “{name}”"
        case SharedView(name=name):
            return f"view “{name}” of {place}"
        case SharedDraft(edits=edits):
            return f"draft of {place}: {', '.join(edits)}"


def draft_to_share(path: str, draft: Draft, masked: Iterable[str]) -> SharedDraft:
    """What of a draft may leave this machine: a field stays here that is `masked`, or has a part that is.

    Of the record goes only what the edits change. Raises ShareRefused where nothing is left.
    """
    listed = frozenset(name.casefold() for name in masked)

    def stays(name: str) -> bool:
        sides = (fields[name] for fields in (draft.base.fields, draft.edits) if name in fields)
        return any(split_masked({name: value}, listed, lambda _: "").digests for value in sides)

    kept_back = tuple(name for name in draft.edits if stays(name))
    edits = {name: value for name, value in draft.edits.items() if name not in kept_back}
    if not edits:
        raise ShareRefused(
            f"This draft can't be shared: all its fields are masked (mask_fields): {', '.join(kept_back)}."
        )
    base = {name: draft.base.fields[name] for name in edits if name in draft.base.fields}
    return SharedDraft(path, base, edits, kept_back)


def view_to_share(path: str, name: str, view: View, masked: Iterable[str]) -> SharedView:
    """A view that may leave this machine; raises ShareRefused where it seeks a value in a `masked` field."""
    listed = {one.casefold() for one in masked}
    # Whatever stands before an operator may be the field that is meant, and any step of its path.
    words = {word: word for word in _FIELD_ENDS.split(view.filter.casefold())}
    sought = [*(term.field for term in parse_filter(view.filter, words).terms), *(field for field, _ in view.query)]
    for field in sought:
        if {field.casefold(), *field.casefold().split(".")} & listed:
            raise ShareRefused(f"This view can't be shared: it filters by {field}, which is masked (mask_fields).")
    return SharedView(path, name, view)


def share_problem(thing: SharedThing, word: str, secrets: Sequence[str]) -> str:
    """Why the thing can't be handed over with this word, "" where it can."""
    if len(word.strip()) > MAX_WORD_CHARACTERS:
        over = len(word) - MAX_WORD_CHARACTERS
        return f"The message is too long. The limit is {MAX_WORD_CHARACTERS} characters. Remove {over:,}."
    if list_holds_secret(word, secrets) or list_holds_secret(dumps(_thing_content(thing)[1]), secrets):
        return "The text seems to contain an API key or signing secret. Remove it."
    if len(dumps(_thing_content(thing)[1], ascii_only=True)) > MAX_SHARED_CHARACTERS:
        return f"Too large to share. The limit is {MAX_SHARED_CHARACTERS:,} characters."
    return ""


def share_content(share_id: str, to: str, thing: SharedThing, word: str) -> dict[str, Json]:
    """A share as a line holds it."""
    what, data = _thing_content(thing)
    return {"id": share_id, "to": to, "what": what, "data": data, "word": word}


def read_share(line: TeamLine) -> Share | None:
    """The share that a line tells; None where it tells none."""
    match line.content:
        case {"id": str(share_id), "to": str(to), "what": str(what), "data": dict(data), "word": str(word)} if share_id:
            thing = _read_thing(what, data)
            if thing is not None:
                at = line.at if line.received is None else min(line.at, line.received)
                return Share(share_id, to, thing, word[:MAX_WORD_CHARACTERS], line.place, line.author, at)
    return None


def read_answer(line: TeamLine) -> ShareAnswer | None:
    """What became of a share, as a line tells it; None where it tells nothing of that."""
    match line.content:
        case {"id": str(share_id), "result": "taken" | "declined" as result} if share_id:
            return ShareAnswer(share_id, result == "taken", line.author)
    return None


def open_shares(lines: Iterable[TeamLine], me: Author) -> list[Share]:
    """What others handed to me or to everybody, and I neither took nor declined yet on any machine; oldest first."""
    shares: dict[str, Share] = {}
    answered = set[str]()
    for line in lines:
        if line.kind is LineKind.SHARE and (share := read_share(line)) is not None:
            # A later one can't take the place of the first that goes by its id.
            shares.setdefault(share.id, share)
        elif line.kind is LineKind.TAKEN and (answer := read_answer(line)) is not None and _is_me(answer.author, me):
            answered.add(answer.id)
    return [share for share in shares.values() if is_for(share, me) and share.id not in answered]


def is_for(share: Share, me: Author) -> bool:
    """Whether somebody else handed it to me, or to everybody."""
    return share.author.chain != me.chain and share.to in ("", me.name)


def _is_me(author: Author, me: Author) -> bool:
    return author.chain == me.chain or author.name == me.name


class Shares:
    """What the team hands to one another, about this service. Every call raises StoreError."""

    def __init__(
        self, own: OwnChain, mirror: TeamMirror, sync: TeamSync, scope: ServiceScope, now: Callable[[], datetime]
    ) -> None:
        self._own, self._mirror, self._sync, self._scope, self._now = own, mirror, sync, scope, now
        self._mark: int | None = None

    async def people(self) -> tuple[str, ...]:
        """The names of those who can be handed something."""
        me = await self._own.author()
        names = {chain.author.name for chain in await self._mirror.chains() if chain.author.chain != me.chain}
        return tuple(sorted(names - {""}, key=lambda name: (name.casefold(), name)))

    async def share(self, to: str, thing: SharedThing, word: str, place: str = "") -> None:
        """Hand a thing to whoever is called `to`, "" for everybody; it is on the disk when this returns."""
        await self._own.add(LineKind.SHARE, place, share_content(str(uuid4()), to, thing, word.strip()), self._now())
        self._sync.nudge()

    async def open(self) -> list[Share]:
        """What waits for me to take it or not, the newest first."""
        lines = await self._mirror.lines(self._scope, [LineKind.SHARE, LineKind.TAKEN])
        return open_shares(lines, await self._own.author())[::-1]

    async def answer(self, share: Share, *, taken: bool) -> None:
        """Say that it was taken, or was not wanted."""
        content: dict[str, Json] = {"id": share.id, "result": "taken" if taken else "declined"}
        await self._own.add(LineKind.TAKEN, share.place, content, self._now())
        await self._sync.take_up()

    async def arrived(self) -> tuple[list[Share], list[tuple[Share, ShareAnswer]]]:
        """What came since this was last asked: things handed to me, and what others did with mine; at first nothing."""
        arrived = await self._mirror.arrived(self._scope, [LineKind.SHARE, LineKind.TAKEN], self._mark)
        self._mark = arrived.mark
        me = await self._own.author()
        shares = open_shares(arrived.lines, me)
        answers = [
            answer
            for line in arrived.lines
            if line.kind is LineKind.TAKEN and line.author.chain != me.chain
            if (answer := read_answer(line)) is not None
        ]
        mine = await self._mine(me) if answers else {}
        return shares, [(mine[answer.id], answer) for answer in answers if answer.id in mine]

    async def _mine(self, me: Author) -> dict[str, Share]:
        lines = await self._mirror.lines(self._scope, [LineKind.SHARE])
        shares = (read_share(line) for line in lines if line.author.chain == me.chain)
        return {share.id: share for share in shares if share is not None}


def _thing_content(thing: SharedThing) -> tuple[str, dict[str, Json]]:
    """What a thing is, and its data, as a line holds them."""
    match thing:
        case SharedRequest(name, toml):
            return "request", {"name": name, "toml": toml}
        case SharedView(path, name, view):
            return "view", {"path": path, "name": name, "view": to_plain(view_table(view))}
        case SharedDraft(path, base, edits, masked):
            return "draft", {"path": path, "base": dict(base), "edits": dict(edits), "masked": list(masked)}


def _read_thing(what: str, data: Mapping[str, Json]) -> SharedThing | None:
    match what, data:
        case "request", {"name": str(name), "toml": str(toml)} if name.strip() and len(toml) <= MAX_SHARED_CHARACTERS:
            return SharedRequest(name[:MAX_NAME_CHARACTERS], toml)
        case "view", {"path": str(path), "name": str(name), "view": dict(table)} if name.strip():
            view = read_view({key: _as_python(value) for key, value in table.items()})
            # What reads otherwise than it was written has other types, or is of a kind that is not known here.
            if to_plain(view_table(view)) == table and _can_be_kept(name, table):
                return SharedView(path, name.strip()[:MAX_NAME_CHARACTERS], view)
        case "draft", {"path": str(path), "base": dict(base), "edits": dict(edits), "masked": list(masked)} if edits:
            if base.keys() <= edits.keys() and all(isinstance(name, str) for name in masked):
                return SharedDraft(path, base, edits, tuple(str(name) for name in masked))
    return None


def _can_be_kept(name: str, table: Mapping[str, Json]) -> bool:
    """Whether a file can hold it: half a character can't be written there."""
    text = f"{name}{dumps(table)}"
    return len(text) <= MAX_SHARED_CHARACTERS and not any("\ud800" <= character <= "\udfff" for character in text)


def _as_python(value: Json) -> object:
    """The value with whole numbers as Python's own, as they are in a file."""
    match value:
        case Number(text):
            return int(text) if text.isdecimal() and len(text) <= 4 else text
        case Mapping():
            return {name: _as_python(item) for name, item in value.items()}
        case list():
            return [_as_python(item) for item in value]
        case _:
            return value


def draft_of(shared: SharedDraft) -> Draft:
    """The edits upon what their author read of the record."""
    return Draft(Record(shared.base), shared.edits)
