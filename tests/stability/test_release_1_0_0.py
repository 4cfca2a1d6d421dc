"""What svc-tui 1.0.0 wrote is read by this version, and this version tells a team what 1.0.0 understands."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from svc_tui.core.jsontext import Json, loads
from svc_tui.storage.journal_entries import entry_result
from svc_tui.storage.store import Store
from svc_tui.storage.team.lines import ChainNews, LineKind, SealedLine, ServiceScope, read_line
from svc_tui.team.asks import AskState
from svc_tui.team.notes import read_notes
from svc_tui.team.shares import read_answer, read_share
from tests.desks import Desk, a_desk, meet
from tests.stability import held
from tests.stability.release_1_0_0 import (
    ASKED,
    CUT_SHORT_IN_HALF_DONE,
    HALF_DONE,
    IN_HALF_DONE,
    LOT,
    NOTE,
    SHARED,
    STORE,
    fill_release,
    kept_lines,
)

SERVICE = ServiceScope.of(held.LIVE)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The directory of the store that 1.0.0 wrote."""
    directory = tmp_path / "ada"
    directory.mkdir(mode=0o700)
    for suffix in ("", ".end"):
        shutil.copyfile(f"{STORE}{suffix}", directory / f"svc-tui.db{suffix}")
        (directory / f"svc-tui.db{suffix}").chmod(0o600)
    return directory


async def test_a_store_in_the_middle_of_work_is_gone_on_with(home: Path) -> None:
    async with Store.open(home / "svc-tui.db") as store:
        assert store.notice == ""
        entries = await store.journal(held.LIVE).entries()
        assert [(entry.intent, entry_result(entry)) for entry in entries][:2] == [
            (CUT_SHORT_IN_HALF_DONE, "unknown"),
            (IN_HALF_DONE, "done"),
        ]
        (draft,) = await store.drafts(held.LIVE).all()
        (form,) = await store.forms(held.LIVE).all()
        # What 1.0.0 left names no journal entry.
        assert (draft, form) == (held.DRAFT, held.FORM)
        runs = {run.id: run for run in await store.runs(held.LIVE).unfinished()}
        assert set(runs) == {held.PLAN.id, HALF_DONE.id}
        assert await store.runs(held.LIVE).plan_of(HALF_DONE.id) == HALF_DONE
        (writes,) = await store.journal(held.LIVE).runs_of([HALF_DONE.id])
        assert writes.results == {"done": 1, "unknown": 1}


async def test_lines_that_the_server_has_not_got_are_sent_as_they_are(home: Path) -> None:
    async with a_desk(home, held.LIVE, "ada", rules=["*"], masked=["note"]) as ada:
        author = await ada.own.author()
        kept = [line for line in kept_lines() if line.chain == author.chain]
        assert list(await ada.own.waiting()) == kept
        assert await ada.own.collect() == 0
        await ada.journal.intend(held.DONE)
        assert await ada.own.collect() == 1
        assert list(await ada.own.waiting())[:-1] == kept
        await meet(ada)
        overview = await ada.approvals.overview()
        assert [ask.change.ticket for ask in overview.mine] == ["T-9"]


async def take(desk: Desk, lines: list[SealedLine]) -> None:
    """Have a desk get the lines of colleagues."""
    for chain in dict.fromkeys(line.chain for line in lines):
        of_chain = [line for line in lines if line.chain == chain]
        author = read_line(of_chain[0]).author
        await desk.mirror.take(ChainNews(author, of_chain[0].previous, of_chain))


async def test_the_lines_of_1_0_0_are_understood(tmp_path: Path) -> None:
    lines = kept_lines()
    assert all(line.is_sound for line in lines)
    async with a_desk(tmp_path, held.LIVE, "eve") as eve:
        await take(eve, lines)
        told = await eve.mirror.lines(SERVICE, list(LineKind))
        assert {line.kind for line in told} == set(LineKind)
        own = (await eve.own.author()).chain
        assert [(note.place, note.text) for note in read_notes(told, own)] == [(LOT.key, NOTE)]
        assert [share.thing for line in told if (share := read_share(line))] == [SHARED]
        assert [answer.taken for line in told if (answer := read_answer(line))] == [True]
        (ask,) = (await eve.approvals.overview()).others
        assert (ask.state, ask.change.ticket, ask.approved_by) == (AskState.APPROVED, "T-9", "bob")
        assert (ask.change.after, ask.change.masked) == ({"grade": ASKED.edits["grade"]}, ("note",))
        entries = await eve.mirror.entries(SERVICE, "", 100)
        assert [(entry.intent.place, entry_result(entry)) for entry in entries][:2] == [
            ("operations/lots/lot-2", "unknown"),
            ("operations/lots/lot-1", "done"),
        ]


def is_part_of(old: Json, new: Json) -> bool:
    """Whether a value of 1.0.0 is there in this version's: fields may have been added, none changed or left out."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return all(name in new and is_part_of(value, new[name]) for name, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(is_part_of, old, new))
    return old == new


def without_ids(line: SealedLine) -> Json:
    """What a line says, without what is drawn by lot."""
    whole = loads(line.text)
    assert isinstance(whole, dict)
    content = whole["content"]
    assert isinstance(content, dict)
    if whole["kind"] in ("ask", "verdict"):
        content = {name: value for name, value in content.items() if name not in ("id", "ask", "line")}
    return {**whole, "content": content}


async def test_what_this_version_tells_a_team_holds_all_that_1_0_0_tells(tmp_path: Path) -> None:
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir(mode=0o700)
    old, new = kept_lines(), await fill_release(tmp_path)
    assert [read_line(line).kind for line in new] == [read_line(line).kind for line in old]
    for before, now in zip(old, new, strict=True):
        assert is_part_of(without_ids(before), without_ids(now)), f"{before.text}\n{now.text}"
