"""Saved requests, views and drafts that are shared with colleagues, in the format in which they are saved here.

Shared data comes from other computers: it is checked like a file, and invalid data is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias
from uuid import uuid4

from msgspec import Struct

from svc_tui.core.draft import Draft
from svc_tui.core.filters import parse_filter
from svc_tui.core.jsontext import Json, Number, dumps, to_plain
from svc_tui.core.masked_values import split_masked
from svc_tui.core.records import Record
from svc_tui.core.views import View, read_view, view_table
from svc_tui.service.redact import list_holds_secret
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import LineKind, ServiceScope, TeamLine
from svc_tui.team.sync import TeamSync

if TYPE_CHECKING:
    from svc_tui.storage.team.mirror import TeamMirror
    from svc_tui.storage.team.own_chain import OwnChain

_FIELD_ENDS = re.compile(r"[\s!:=<>~]+")

MAX_MESSAGE_CHARACTERS = 500
"""Maximum length of the message with a share."""

MAX_SHARED_NAME_CHARACTERS = 100
"""Maximum length of a name from a colleague; longer ones are cut."""

MAX_SHARED_CHARACTERS = 200_000
"""Maximum length of what is shared, as JSON."""


class SharedRequest(Struct, frozen=True):
    """A saved request, as the text of its file, which is not checked here."""

    name: str
    toml: str


class SharedView(Struct, frozen=True):
    """A view of the collection with a path."""

    path: str
    name: str
    view: View


class SharedDraft(Struct, frozen=True):
    """Edits of the record with a path that are not sent; `base` has the old values, as the author saw them.

    `masked` are the edited fields that were not shared.
    """

    path: str
    base: Mapping[str, Json]
    edits: Mapping[str, Json]
    masked: tuple[str, ...] = ()


SharedThing: TypeAlias = SharedRequest | SharedView | SharedDraft


class Share(Struct, frozen=True):
    """A shared request, view or draft, for the colleague with the name `to`, "" for everybody, with a message.

    `place` is the key of its collection or record. `at` is when it was shared, at the latest when the server got it:
    clocks of computers can be wrong.
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
        """The description of what is shared, in a few words."""
        return thing_words(self.thing, self.place)


class ShareAnswer(Struct, frozen=True):
    """The answer of a colleague to the share with an id."""

    id: str
    taken: bool
    author: Author


class ShareRefused(ValueError):
    """Something that can't be shared; the message is for users."""


def thing_words(thing: SharedThing, place: str) -> str:
    """Describe what is shared in a few words."""
    match thing:
        case SharedRequest(name):
            return f"saved request “{name}”"
        case SharedView(name=name):
            return f"view “{name}” of {place}"
        case SharedDraft(edits=edits):
            return f"draft of {place}: {', '.join(edits)}"


def draft_to_share(path: str, draft: Draft, masked: Iterable[str]) -> SharedDraft:
    """Return the draft without fields that are `masked` or have a masked part, and only with the fields it edits.

    Raises ShareRefused if nothing is left.
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
    """Return a view to share; raise ShareRefused if it filters by a `masked` field."""
    listed = {one.casefold() for one in masked}
    # Any word before an operator can be the field, or a step of its path.
    words = {word: word for word in _FIELD_ENDS.split(view.filter.casefold())}
    filter_fields = [
        *(term.field for term in parse_filter(view.filter, words).terms),
        *(field for field, _ in view.query),
    ]
    for field in filter_fields:
        if {field.casefold(), *field.casefold().split(".")} & listed:
            raise ShareRefused(f"This view can't be shared: it filters by {field}, which is masked (mask_fields).")
    return SharedView(path, name, view)


def share_problem(thing: SharedThing, word: str, secrets: Sequence[str]) -> str:
    """Return why something can't be shared with this message, "" if it can."""
    if len(word.strip()) > MAX_MESSAGE_CHARACTERS:
        over = len(word) - MAX_MESSAGE_CHARACTERS
        return f"The message is too long. The limit is {MAX_MESSAGE_CHARACTERS} characters. Remove {over:,}."
    if list_holds_secret(word, secrets) or list_holds_secret(dumps(_thing_content(thing)[1]), secrets):
        return "The text seems to contain an API key or signing secret. Remove it."
    if len(dumps(_thing_content(thing)[1], ascii_only=True)) > MAX_SHARED_CHARACTERS:
        return f"Too large to share. The limit is {MAX_SHARED_CHARACTERS:,} characters."
    return ""


def share_content(share_id: str, to: str, thing: SharedThing, word: str) -> dict[str, Json]:
    """Return the content of the line of a share."""
    what, data = _thing_content(thing)
    return {"id": share_id, "to": to, "what": what, "data": data, "word": word}


def read_share(line: TeamLine) -> Share | None:
    """Read a share from a line; None if it is not valid."""
    match line.content:
        case {"id": str(share_id), "to": str(to), "what": str(what), "data": dict(data), "word": str(word)} if share_id:
            thing = _read_thing(what, data)
            if thing is not None:
                at = line.at if line.received is None else min(line.at, line.received)
                return Share(share_id, to, thing, word[:MAX_MESSAGE_CHARACTERS], line.place, line.author, at)
    return None


def read_answer(line: TeamLine) -> ShareAnswer | None:
    """Read an answer to a share from a line; None if it is not valid."""
    match line.content:
        case {"id": str(share_id), "result": "taken" | "declined" as result} if share_id:
            return ShareAnswer(share_id, result == "taken", line.author)
    return None


def open_shares(lines: Iterable[TeamLine], me: Author) -> list[Share]:
    """Return the shares of colleagues for me that I did not answer on any computer, the oldest first."""
    shares: dict[str, Share] = {}
    answered = set[str]()
    for line in lines:
        if line.kind is LineKind.SHARE and (share := read_share(line)) is not None:
            # The first share with an id counts, so that a later one can't replace it.
            shares.setdefault(share.id, share)
        elif line.kind is LineKind.TAKEN and (answer := read_answer(line)) is not None and _is_me(answer.author, me):
            answered.add(answer.id)
    return [share for share in shares.values() if is_shared_with(share, me) and share.id not in answered]


def is_shared_with(share: Share, me: Author) -> bool:
    """Return True if a colleague shared it with me or with everybody."""
    return share.author.chain != me.chain and share.to in ("", me.name)


def _is_me(author: Author, me: Author) -> bool:
    return author.chain == me.chain or author.name == me.name


class Shares:
    """The team's shares for one service. Every call raises StoreError."""

    def __init__(
        self, own: OwnChain, mirror: TeamMirror, sync: TeamSync, scope: ServiceScope, now: Callable[[], datetime]
    ) -> None:
        self._own, self._mirror, self._sync, self._scope, self._now = own, mirror, sync, scope, now
        self._mark: int | None = None

    async def people(self) -> tuple[str, ...]:
        """Return the names of colleagues."""
        me = await self._own.author()
        names = {chain.author.name for chain in await self._mirror.chains() if chain.author.chain != me.chain}
        return tuple(sorted(names - {""}, key=lambda name: (name.casefold(), name)))

    async def share(self, to: str, thing: SharedThing, word: str, place: str = "") -> None:
        """Share something with the colleague `to`, "" for everybody; it is on disk when this returns."""
        await self._own.add(LineKind.SHARE, place, share_content(str(uuid4()), to, thing, word.strip()), self._now())
        self._sync.nudge()

    async def open(self) -> list[Share]:
        """Return the shares that I did not answer yet, the newest first."""
        lines = await self._mirror.lines(self._scope, [LineKind.SHARE, LineKind.TAKEN])
        return open_shares(lines, await self._own.author())[::-1]

    async def answer(self, share: Share, *, taken: bool) -> None:
        """Accept or decline a share."""
        content: dict[str, Json] = {"id": share.id, "result": "taken" if taken else "declined"}
        await self._own.add(LineKind.TAKEN, share.place, content, self._now())
        await self._sync.take_up()

    async def arrived(self) -> tuple[list[Share], list[tuple[Share, ShareAnswer]]]:
        """Return shares for me and answers to mine that arrived since the last call; the first call returns none."""
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
    """Return the type and the data of what is shared, as stored in a line."""
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
            return SharedRequest(name[:MAX_SHARED_NAME_CHARACTERS], toml)
        case "view", {"path": str(path), "name": str(name), "view": dict(table)} if name.strip():
            view = read_view({key: _as_python(value) for key, value in table.items()})
            # A view that is not read as it was written has wrong types, or options that this version does not have.
            if to_plain(view_table(view)) == table and _can_be_saved(name, table):
                return SharedView(path, name.strip()[:MAX_SHARED_NAME_CHARACTERS], view)
        case "draft", {"path": str(path), "base": dict(base), "edits": dict(edits), "masked": list(masked)} if edits:
            if base.keys() <= edits.keys() and all(isinstance(name, str) for name in masked):
                return SharedDraft(path, base, edits, tuple(str(name) for name in masked))
    return None


def _can_be_saved(name: str, table: Mapping[str, Json]) -> bool:
    """Return True if it can be saved in a file, which can't contain lone surrogates."""
    text = f"{name}{dumps(table)}"
    return len(text) <= MAX_SHARED_CHARACTERS and not any("\ud800" <= character <= "\udfff" for character in text)


def _as_python(value: Json) -> object:
    """Return the value with whole numbers as int, as `read_view` gets them from a file."""
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
    """Return the edits as a draft."""
    return Draft(Record(shared.base), shared.edits)
