"""Notes and things handed over, between two desks that have no server: what one has is carried to the other."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from svc_tui.core.views import View
from svc_tui.storage.team.lines import ChainNews, LineKind, ServiceScope
from svc_tui.team.notes import NoteRefused, Notes
from svc_tui.team.shares import SharedView, Shares
from tests.colleagues import LOT, SCOPE, Desk, desk

NOWHERE = "postgresql://nobody@127.0.0.1:1/none"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
VIEW = SharedView("/v1/operations/lots", "heavy", View("massKg>10"))


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a desk."""

    desk: Desk
    notes: Notes
    shares: Shares

    async def is_heard_by(self, other: "Person") -> None:
        """Carry what is new in this one's chain to the other's copy."""
        await self.desk.sync.take_up()
        author = await self.desk.own.author()
        heads = {chain.author.chain: chain.head for chain in await other.desk.mirror.chains()}
        head = heads.get(author.chain)
        lines = await self.desk.own.waiting(head.sequence if head else 0)
        await other.desk.mirror.take(ChainNews(author, head.digest if head else "", lines))


@asynccontextmanager
async def person(directory: Path, name: str) -> AsyncIterator[Person]:
    service, now = ServiceScope.of(SCOPE), lambda: NOON
    async with desk(directory, NOWHERE, name) as one:
        notes = Notes(one.own, one.mirror, one.sync, service, now)
        yield Person(one, notes, Shares(one.own, one.mirror, one.sync, service, now))


async def test_a_note_is_there_at_once_and_a_colleague_reads_it_with_who_left_it(tmp_path: Path) -> None:
    async with person(tmp_path, "ada") as ada, person(tmp_path, "bob") as bob:
        await ada.notes.add(LOT, " asked them [/x] \ud800\n")
        await ada.desk.sync.take_up()
        (own,) = await ada.notes.of(LOT)
        assert (own.author, own.text, own.at) == (None, "asked them [/x] \ud800", NOON)
        assert await bob.notes.arrived() == []
        await ada.is_heard_by(bob)
        (told,) = await bob.notes.arrived()
        assert [told] == await bob.notes.of(LOT) == await bob.notes.all()
        assert (str(told.author), told.text) == ("ada", own.text)
        assert await bob.notes.arrived() == []
        assert await bob.notes.of("operations/lots/lot-2") == []


async def test_what_can_be_no_note_is_refused_and_leaves_no_line(tmp_path: Path) -> None:
    async with person(tmp_path, "ada") as ada:
        for text in ("", "x" * 2001, "svc_live_abc"):
            with pytest.raises(NoteRefused):
                await ada.notes.add(LOT, text)
        assert await ada.desk.own.waiting() == []


async def test_a_thing_is_handed_over_and_its_author_hears_what_became_of_it(tmp_path: Path) -> None:
    async with person(tmp_path, "ada") as ada, person(tmp_path, "bob") as bob:
        assert await ada.shares.people() == ()
        await bob.notes.add(LOT, "hello")
        await bob.is_heard_by(ada)
        assert await ada.shares.people() == ("bob",)
        for one in (ada, bob):
            assert await one.shares.arrived() == ([], [])
        await ada.shares.share("bob", VIEW, " for you ", "operations/lots")
        await ada.shares.share("eve", VIEW, "", "operations/lots")
        await ada.is_heard_by(bob)
        (shares, answers) = await bob.shares.arrived()
        assert ([(share.to, share.thing, share.word) for share in shares], answers) == ([("bob", VIEW, "for you")], [])
        assert await bob.shares.open() == shares
        await bob.shares.answer(shares[0], taken=True)
        assert await bob.shares.open() == []
        await bob.is_heard_by(ada)
        (nothing, told) = await ada.shares.arrived()
        assert nothing == []
        assert [(share.thing, answer.taken, str(answer.author)) for share, answer in told] == [(VIEW, True, "bob")]
        assert await ada.shares.open() == []


async def test_lines_that_hold_anything_are_passed_over(tmp_path: Path) -> None:
    async with person(tmp_path, "ada") as ada, person(tmp_path, "bob") as bob:
        assert await bob.shares.arrived() == ([], [])
        for kind in (LineKind.SHARE, LineKind.TAKEN, LineKind.NOTE):
            await ada.desk.own.add(kind, LOT, {"id": [], "text": {}}, NOON)
        await ada.notes.add(LOT, "read")
        await ada.is_heard_by(bob)
        assert [note.text for note in await bob.notes.all()] == ["read"]
        assert await bob.shares.open() == []
        assert await bob.shares.arrived() == ([], [])


async def test_a_time_that_no_zone_can_tell_keeps_no_later_line_away(tmp_path: Path) -> None:
    async with person(tmp_path, "ada") as ada, person(tmp_path, "bob") as bob:
        first = datetime.min.replace(tzinfo=UTC).astimezone(UTC) + timedelta(hours=1)
        for at in (first, datetime.max.replace(tzinfo=UTC)):
            with pytest.raises(Exception, match="its time is out of range"):
                await ada.desk.own.add(LineKind.NOTE, LOT, {"text": "odd"}, at)
        await ada.notes.add(LOT, "read")
        await ada.is_heard_by(bob)
        assert [note.text for note in await bob.notes.all()] == ["read"]
