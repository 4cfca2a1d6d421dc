"""Several desks around one real server: what one does the others see, each line once, whatever happens on the way."""

import asyncio
import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import psycopg
import pytest

from svc_tui.bootstrap.team.check import CheckedChain, check_chains
from svc_tui.bootstrap.team.located_team import LocatedTeam
from svc_tui.core.credentials import CredentialError
from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Record
from svc_tui.storage.errors import ChainTaken, TeamServerError
from svc_tui.storage.journal_entries import Author, JournalEntry, Outcome, RunWrites, WrittenRecord
from svc_tui.storage.team.lines import ChainHead, LineKind, Presence, SealedLine, ServiceScope, seal
from svc_tui.storage.team.mirror_reader import MirrorReader
from svc_tui.storage.team.own_chain import read_own_chain
from svc_tui.storage.team.server import TeamServer
from svc_tui.storage.team.server_schema import VERSION, grants
from svc_tui.team.sync import TeamSync
from tests.colleagues import LOT, SCOPE, Desk, at_server, desk, make_team
from tests.postgres import OwnDatabase, OwnServer

SERVICE = ServiceScope.of(SCOPE)
NOW = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)


@pytest.fixture
async def url(team_database: OwnDatabase) -> str:
    await make_team(team_database.url)
    return team_database.url


def rows(url: str, statement: str) -> list[tuple[object, ...]]:
    """What the server's administrator reads there."""
    with psycopg.connect(url) as connection:
        return connection.execute(statement.encode()).fetchall()


def tamper(url: str, statement: str) -> None:
    """Change what can't be changed, as an administrator could."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER TABLE svc_tui.line DISABLE TRIGGER line_stays")
        connection.execute(statement.encode())


async def rounds(*desks: Desk) -> None:
    """Everybody tells, then everybody learns."""
    for _ in range(2):
        for one in desks:
            await one.sync.round()


async def broken(one: Desk) -> list[tuple[str, int, str]]:
    """What is wrong with the chains that a desk knows: whose, from which line on, and what."""
    return [
        (found.author.name, found.sequence, found.why)
        for chain in await one.mirror.chains()
        if (found := chain.broken) is not None
    ]


# What one sees


async def test_a_colleagues_write_is_seen_with_who_and_when_and_what(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        await ada.write(before={"massKg": Number("1.50")}, after={"massKg": Number("1.5000")}, ticket="SUP-7", at=NOW)
        await rounds(ada, bob)
        (seen,) = await bob.writes.entries(place=LOT)
        assert seen.author is not None
        assert (seen.author.name, seen.author.machine) == ("ada", "ada-desk")
        assert (seen.intent.at, seen.intent.ticket, seen.intent.place) == (NOW, "SUP-7", LOT)
        assert (seen.intent.before, seen.intent.after) == ({"massKg": Number("1.50")}, {"massKg": Number("1.5000")})
        assert seen.outcome is not None
        assert seen.outcome.result == "done"
        assert seen.received is not None
        assert await bob.writes.find(seen.number) == seen
        assert await bob.writes.search("sup-7 ada") == [seen]
        assert await bob.writes.search("sup-7 eve") == []
        (own,) = await ada.writes.entries(place=LOT)
        assert own.author is None


async def test_a_colleagues_write_is_found_with_and_without_accents(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        await ada.write(before={"name": "a"}, after={"name": "Doré"}, ticket="SUP-8 Łódź", at=NOW)
        await ada.write(before={"name": "a"}, after={"name": "Dorado"}, ticket="SUP-9", at=NOW)
        await rounds(ada, bob)
        for words in ("dore", "DORÉ", "sup-8 lodz", "łódź dore ada"):
            assert [found.intent.ticket for found in await bob.writes.search(words)] == ["SUP-8 Łódź"]


async def test_a_record_that_a_colleague_made_is_known_by_its_place(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        number = await ada.write("operations/lots", result="")
        await ada.journal.conclude(number, Outcome(NOW, "done", 201, made="lot-9", place="operations/lots/lot-9"))
        await rounds(ada, bob)
        assert [entry.intent.place for entry in await bob.writes.entries(place="operations/lots/lot-9")] == [
            "operations/lots"
        ]


async def test_a_colleagues_run_is_one_item_that_can_be_read_page_by_page(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        for number in range(5):
            await ada.write(f"operations/lots/lot-{number}", batch="run-1", result="refused" if number == 3 else "done")
        await ada.write(ticket="alone")
        await bob.write(ticket="own")
        await rounds(ada, bob)
        own, alone, run = await bob.writes.listed()
        assert isinstance(own, JournalEntry)
        assert isinstance(alone, JournalEntry)
        assert isinstance(run, RunWrites)
        assert (own.intent.ticket, alone.intent.ticket) == ("own", "alone")
        assert (run.id, run.records, run.results, run.changed) == ("run-1", 5, {"done": 4, "refused": 1}, {"PATCH": 4})
        newest = await bob.writes.newest_of_run("run-1", 2)
        older = await bob.writes.newest_of_run("run-1", 9, before=newest[-1].number)
        assert [entry.intent.place[-1] for entry in (*newest, *older)] == ["4", "3", "2", "1", "0"]
        assert await bob.writes.runs_of(["run-1", "run-2"]) == [run]
        assert len(await bob.writes.search("lots", per_run=2)) == 4


async def test_a_clock_that_is_set_back_reorders_nothing_of_its_machine(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        for ticket, hours in (("first", 0), ("second", -5), ("third", 1)):
            await ada.write(ticket=ticket, at=NOW + timedelta(hours=hours))
        await rounds(ada, bob)
        assert [entry.intent.ticket for entry in await bob.writes.entries(place=LOT)] == ["third", "second", "first"]


async def test_only_the_writes_of_the_same_service_are_seen(tmp_path: Path, url: str) -> None:
    elsewhere = type(SCOPE)("other", SCOPE.environment, "https://elsewhere.example.com")
    async with desk(tmp_path, url, "ada", scope=elsewhere) as ada, desk(tmp_path, url, "bob") as bob:
        await ada.write()
        await rounds(ada, bob)
        assert await bob.writes.entries() == []
        assert len(await bob.mirror.entries(ServiceScope.of(elsewhere), "", 9)) == 1


# What leaves this machine


async def test_masked_values_stay_here_and_neither_key_nor_program_is_told(tmp_path: Path, url: str) -> None:
    masked = ("email", "contact.phone")
    before: dict[str, Json] = {"email": "ada@example.com", "contact": {"phone": "+49 30 901820", "city": "Łódź"}}
    async with desk(tmp_path, url, "ada", masked=masked) as ada, desk(tmp_path, url, "bob") as bob:
        await ada.write(before=before, after={**before, "email": "eve@example.com"})
        await rounds(ada, bob)
        (seen,) = await bob.writes.entries(place=LOT)
        assert seen.masked == ("email", "contact.phone")
        assert seen.intent.before == {"contact": {"city": "Łódź"}}
    texts = "".join(str(body) for (body,) in rows(url, "SELECT body FROM svc_tui.line ORDER BY sequence"))
    for secret in ("ada@example.com", "eve@example.com", "901820", '"program":', '"key":'):
        assert secret not in texts
    intent = json.loads(str(rows(url, "SELECT body FROM svc_tui.line ORDER BY sequence")[0][0]))
    digests = intent["content"]["masked"]
    assert digests["before"]["contact.phone"] == digests["after"]["contact.phone"]
    assert digests["before"]["email"] != digests["after"]["email"]


async def test_the_record_after_a_colleagues_write_comes_without_its_masked_values(tmp_path: Path, url: str) -> None:
    fields: dict[str, Json] = {"id": "lot-1", "email": "ada@example.com", "contact": {"phone": "+49", "city": "Łódź"}}
    async with (
        desk(tmp_path, url, "ada", masked=("email", "contact.phone")) as ada,
        desk(tmp_path, url, "bob") as bob,
    ):
        number = await ada.write(result="")
        await ada.journal.conclude(number, Outcome(NOW, "done", 200), Record(fields, '"one"'))
        plain = await ada.write()
        await rounds(ada, bob)
        without, seen = await bob.writes.entries(place=LOT)
        assert await bob.writes.record_after(seen.number) == WrittenRecord(
            Record({"id": "lot-1", "contact": {"city": "Łódź"}}, '"one"'), ("email", "contact.phone")
        )
        assert await bob.writes.record_after(without.number) is None
        assert seen.masked == (), "of the fields that were sent, none is masked"
        assert await ada.writes.record_after(number) == WrittenRecord(Record(fields, '"one"'))
        assert await ada.writes.record_after(plain) is None
    texts = "".join(str(body) for (body,) in rows(url, "SELECT body FROM svc_tui.line ORDER BY sequence"))
    assert "ada@example.com" not in texts


# Local first


async def test_lines_wait_for_a_server_that_is_away_and_arrive_in_order_each_once(
    tmp_path: Path, own_postgres: OwnServer
) -> None:
    url = own_postgres.create_database().url
    await make_team(url)
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        await rounds(ada, bob)
        own_postgres.kill()
        for number in range(3):
            await ada.write(ticket=f"T-{number}")
        for one in (ada, bob):
            with pytest.raises(TeamServerError, match="can't be reached") as told:
                await one.sync.round()
            assert not told.value.lasting
        assert await ada.own.count_waiting() == 6
        own_postgres.start()
        await rounds(ada, bob)
        assert await ada.own.count_waiting() == 0
        assert [entry.intent.ticket for entry in await bob.writes.entries()] == ["T-2", "T-1", "T-0"]
    assert rows(url, "SELECT count(*), count(DISTINCT digest) FROM svc_tui.line") == [(6, 6)]


async def test_a_line_whose_arrival_was_not_heard_of_is_there_once(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada:
        await ada.write()
        while await ada.own.collect():
            pass
        # Killed between the two.
        await ada.server.publish(await ada.own.author(), await ada.own.waiting())
        await ada.sync.round()
    assert rows(url, "SELECT sequence FROM svc_tui.line ORDER BY sequence") == [(1,), (2,)]


async def test_what_is_said_to_the_team_is_in_ones_own_copy_before_the_server_has_it(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada:
        said = await ada.own.add(LineKind.NOTE, LOT, {"text": "[/x] \ud800 \0"}, NOW)
        for received in (False, True):
            await ada.sync.round()
            (noted,) = await ada.mirror.lines(SERVICE, [LineKind.NOTE], LOT)
            assert (noted.content, noted.digest) == (said.content, said.digest)
            assert (noted.received is not None) == received


async def test_two_programs_on_one_machine_write_one_chain(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as one, desk(tmp_path, url, "ada") as two, desk(tmp_path, url, "bob") as bob:
        for number in range(4):
            await one.write(ticket=f"one-{number}")
            await two.write(ticket=f"two-{number}")
            await asyncio.gather(one.sync.round(), two.sync.round())
        await rounds(one, two, bob)
        assert await broken(bob) == []
        assert len(await bob.writes.entries()) == 8
        assert all(entry.author is None for entry in await one.writes.entries())
    assert rows(url, "SELECT count(DISTINCT chain), count(*) FROM svc_tui.line") == [(1, 16)]


async def test_a_fault_of_the_program_itself_is_told_and_ends_nothing(tmp_path: Path, url: str) -> None:
    async def broken_way() -> TeamServer:
        raise ValueError("no such thing can happen")

    async with desk(tmp_path, url, "ada") as ada:
        await ada.write()
        sync, told = TeamSync(ada.own, ada.mirror, broken_way), asyncio.Event()
        sync.listen(lambda state: told.set() if state.connected is False else None)
        working = asyncio.get_running_loop().create_task(sync.run())
        await told.wait()
        assert sync.state.problem == "internal error in svc-tui (ValueError); see the log"
        assert sync.state.waiting == 2
        assert not working.done()
        working.cancel()


async def test_the_background_work_goes_on_after_the_server_was_away(tmp_path: Path, own_postgres: OwnServer) -> None:
    url = own_postgres.create_database().url
    await make_team(url)
    async with desk(tmp_path, url, "ada") as ada:
        states: asyncio.Queue[bool | None] = asyncio.Queue()
        ada.sync.listen(lambda state: states.put_nowait(state.connected))
        working = asyncio.get_running_loop().create_task(ada.sync.run())
        while not await states.get():
            pass
        own_postgres.stop()
        await ada.write()
        ada.sync.nudge()
        while await states.get() is not False:
            pass
        assert "can't be reached" in ada.sync.state.problem
        own_postgres.start()
        while not await states.get():
            pass
        working.cancel()
        assert (ada.sync.state.problem, ada.sync.state.waiting) == ("", 0)
    assert rows(url, "SELECT count(*) FROM svc_tui.line") == [(2,)]


async def test_whoever_leaves_tells_what_was_just_written_and_does_not_wait_for_a_server_that_hangs(
    tmp_path: Path, url: str
) -> None:
    async with desk(tmp_path, url, "ada") as ada:
        await ada.sync.round()
        await ada.write()
    assert rows(url, "SELECT count(*) FROM svc_tui.line") == [(2,)]
    async with desk(tmp_path, url, "ada") as ada:
        await ada.sync.round()
        await ada.write()
        with psycopg.connect(url) as connection:
            connection.execute("LOCK TABLE svc_tui.line")
            await ada.sync.aclose()
        assert await ada.own.count_waiting() == 2


async def test_whoever_can_tell_nothing_still_learns(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        await ada.write()
        await ada.sync.round()
        await bob.write()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER TABLE svc_tui.line ADD CHECK (received < '2000-01-01') NOT VALID")
        with pytest.raises(TeamServerError, match="refused the request \\(PostgreSQL: "):
            await bob.sync.round()
        assert len(await bob.writes.entries()) == 2


# Chains


@pytest.mark.parametrize(
    ("statement", "line", "why"),
    [
        (
            "UPDATE svc_tui.line SET body = replace(body, 'SUP-1', 'SUP-2') WHERE sequence = 3",
            3,
            "an entry was changed after it was written",
        ),
        ("DELETE FROM svc_tui.line WHERE sequence = 3", 3, "an entry is missing"),
        (
            "UPDATE svc_tui.line SET previous = digest WHERE sequence = 2",
            2,
            "an entry was changed after it was written",
        ),
    ],
)
async def test_whoever_reads_a_chain_tells_that_it_was_changed(
    tmp_path: Path, url: str, statement: str, line: int, why: str
) -> None:
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        for _ in range(3):
            await ada.write()
        await ada.sync.round()
        tamper(url, statement)
        await bob.sync.round()
        ((name, sequence, told),) = await broken(bob)
        assert (name, sequence) == ("ada", line)
        assert why in told
        assert bob.sync.state.broken[0].sequence == line


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("DELETE FROM svc_tui.line WHERE sequence > 4", "entries are missing at the end"),
        (
            "UPDATE svc_tui.line SET digest = repeat('0', 64) WHERE sequence = 6",
            "the last entries were changed after they were written",
        ),
    ],
)
async def test_whoever_knew_the_end_of_a_chain_tells_that_it_was_cut_off(
    tmp_path: Path, url: str, statement: str, why: str
) -> None:
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        for _ in range(3):
            await ada.write()
        await rounds(ada, bob)
        tamper(url, statement)
        await bob.sync.round()
        assert await broken(bob) == [("ada", 6, why)]
        # It is kept here all the same, and goes on being told.
        assert len(await bob.writes.entries()) == 3
        await bob.sync.round()
        assert len(await broken(bob)) == 1


async def test_nobody_changes_a_line_by_mistake(url: str, tmp_path: Path) -> None:
    async with desk(tmp_path, url, "ada") as ada:
        await ada.write()
        await ada.sync.round()
    for statement in ("UPDATE svc_tui.line SET body = ''", "DELETE FROM svc_tui.line", "TRUNCATE svc_tui.line"):
        with psycopg.connect(url) as connection, pytest.raises(psycopg.errors.RaiseException, match="append-only"):
            connection.execute(statement.encode())


def copied(tmp_path: Path, name: str, to: str) -> None:
    """Put a copy of a desk's files on another machine."""
    shutil.copytree(tmp_path / name, tmp_path / to, copy_function=shutil.copyfile)
    (tmp_path / to).chmod(0o700)


async def checked(one: Desk, url: str) -> list[tuple[int, tuple[str, ...]]]:
    """What `svc-tui team check` says at a desk: how many lines each chain has, and what is wrong with them."""
    found: list[CheckedChain] = []
    located = SimpleNamespace(
        mirror_reader=lambda: MirrorReader(one.path.with_name("team.db")),
        own_chain=lambda: read_own_chain(one.path, "team", SCOPE),
        server=lambda: aclosing(at_server(url)),
        rules=SimpleNamespace(name="", machine=""),
    )
    await check_chains(cast(LocatedTeam, located), found.append)
    return [(chain.verdict.lines, tuple(map(str, chain.verdict.problems))) for chain in found]


def tickets(entries: Sequence[JournalEntry]) -> list[str]:
    """What the writes were for, in no order."""
    return sorted(entry.intent.ticket for entry in entries)


async def test_a_journal_that_was_copied_to_another_machine_goes_on_there_in_a_chain_of_its_own(
    tmp_path: Path, url: str
) -> None:
    async with desk(tmp_path, url, "ada") as ada:
        await ada.write(ticket="before")
        await rounds(ada)
    async with desk(tmp_path, url, "ada") as ada:
        await ada.own.add(LineKind.NOTE, LOT, {"text": "in the chain, not told"}, NOW)
        await ada.write(ticket="in no chain")
    copied(tmp_path, "ada", "laptop")
    async with (
        desk(tmp_path, url, "ada") as ada,
        desk(tmp_path, url, "ada", machine="laptop") as laptop,
        desk(tmp_path, url, "ada", machine="laptop") as second,
        desk(tmp_path, url, "bob") as bob,
    ):
        states: list[bool] = []
        laptop.sync.listen(lambda state: states.append(state.began_other_chain))
        await second.writes.entries()
        await ada.write(ticket="here")
        await rounds(ada)
        await laptop.write(ticket="there")
        assert len({(await one.own.author()).chain for one in (ada, laptop)}) == 1
        await rounds(laptop, second, ada, bob, laptop, second)
        assert states[-1]
        assert laptop.sync.state.began_other_chain
        assert not ada.sync.state.began_other_chain
        assert await laptop.own.count_waiting() == await ada.own.count_waiting() == 0
        assert len({(await one.own.author()).chain for one in (ada, laptop, second)}) == 2
        # Both go on, and what either writes is seen once by everybody.
        await ada.write(ticket="here again")
        await laptop.write(ticket="there again")
        await second.write(ticket="there too")
        await rounds(ada, laptop, second, bob)
        everything = sorted(["before", "in no chain", "here", "there", "here again", "there again", "there too"])
        assert tickets(await bob.writes.entries()) == everything
        assert tickets(await ada.writes.entries()) == everything
        for one in (laptop, second):
            theirs = [entry for entry in await one.writes.entries() if entry.author is not None]
            assert tickets(theirs) == ["here", "here again", "in no chain"]
        assert len(await bob.mirror.lines(SERVICE, [LineKind.NOTE])) == 1
        assert len(await laptop.mirror.lines(SERVICE, [LineKind.NOTE])) == 1
        for one in (ada, laptop, second, bob):
            assert await broken(one) == []
            assert sorted(await checked(one, url)) == [(6, ()), (9, ())]
        # Its copy of all of it can be thrown away, too.
        await laptop.mirror.aclose()
        laptop.path.with_name("team.db").unlink()
    async with desk(tmp_path, url, "ada", machine="laptop") as laptop:
        await rounds(laptop)
        assert tickets([entry for entry in await laptop.writes.entries() if entry.author is not None]) == [
            "here", "here again", "in no chain"
        ]  # fmt: skip
    texts = [json.loads(str(body)) for (body,) in rows(url, "SELECT body FROM svc_tui.line")]
    matters = [json.dumps({**text, "name": "", "machine": ""}) for text in texts]
    assert len(set(matters)) == len(matters) == 15


async def test_the_copy_may_be_the_first_to_tell_and_a_journal_may_be_put_back(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada:
        await ada.write(ticket="before")
        await rounds(ada)
    copied(tmp_path, "ada", "laptop")
    copied(tmp_path, "ada", "backup")
    async with (
        desk(tmp_path, url, "ada") as ada,
        desk(tmp_path, url, "ada", machine="laptop") as laptop,
        desk(tmp_path, url, "bob") as bob,
    ):
        await ada.write(ticket="here")
        await laptop.write(ticket="there")
        await rounds(laptop, ada, bob)
        assert ada.sync.state.began_other_chain
        assert not laptop.sync.state.began_other_chain
        assert tickets(await bob.writes.entries()) == ["before", "here", "there"]
        assert [entry.intent.ticket for entry in await ada.writes.entries() if entry.author] == ["there"]
    async with desk(tmp_path, url, "ada", machine="backup") as backup, desk(tmp_path, url, "bob") as bob:
        await backup.write(ticket="later")
        await rounds(backup, bob)
        assert tickets(await bob.writes.entries()) == ["before", "here", "later", "there"]
        assert sorted(await checked(backup, url)) == [(2, ()), (2, ()), (4, ())]


async def test_two_programs_that_tell_the_same_lines_at_once_begin_no_other_chain(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada:
        await ada.write()

        async def refuses(author: Author, lines: Sequence[SealedLine]) -> None:
            raise ChainTaken("another program was faster")

        ada.server.publish = refuses  # type: ignore[method-assign]
        with pytest.raises(ChainTaken):
            await ada.sync.round()
        assert await ada.own.count_waiting() == 2
        assert await ada.own.former() == {}


async def test_lines_from_outside_that_can_not_be_read_are_skipped(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        await ada.write()
        while await ada.own.collect():
            pass
        author, good = await ada.own.author(), list(await ada.own.waiting())
        head, forged = ChainHead(good[-1].sequence, good[-1].digest), list[SealedLine]()
        whole = json.loads(good[0].text)
        for text in (
            "no JSON", "[" * 5000, "{}", json.dumps({**whole, "kind": "spell"}), json.dumps({**whole, "at": "soon"}),
            json.dumps({**whole, "content": {**whole["content"], "after": [1]}}),
            json.dumps({**whole, "content": {**whole["content"], "method": 7}}),
            json.dumps({**whole, "content": {**whole["content"], "batch": {}}}),
            json.dumps({**whole, "name": "x" * 5000, "place": "\ud800"}), json.dumps({**whole, "entry": 1.5}),
        ):  # fmt: skip
            forged.append(seal(author.chain, head, text))
            head = ChainHead(forged[-1].sequence, forged[-1].digest)
        await ada.server.publish(author, [*good, *forged])
        await bob.sync.round()
        assert await broken(bob) == []
        entries = await bob.writes.entries()
        assert len(entries) == 2
        assert max(len(entry.author.name) for entry in entries if entry.author) == 60
        assert await bob.writes.listed()


# Who is here


async def test_a_record_that_is_open_is_known_to_others_until_its_program_leaves(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        ada.sync.open_places.add(Presence(await ada.own.author(), SERVICE, LOT))
        await rounds(ada, bob)
        assert [(here.author.name, here.place) for here in bob.sync.state.present] == [("ada", LOT)]
        assert ada.sync.state.present == ()
        await ada.sync.aclose()
        await bob.sync.round()
        assert bob.sync.state.present == ()


async def test_the_lease_of_a_program_that_was_killed_runs_out(tmp_path: Path, url: str) -> None:
    async with desk(tmp_path, url, "ada") as ada, desk(tmp_path, url, "bob") as bob:
        ada.sync.open_places.add(Presence(await ada.own.author(), SERVICE, LOT))
        await ada.sync.round()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("UPDATE svc_tui.presence SET until = until - interval '31 seconds'")
        await bob.sync.round()
        assert bob.sync.state.present == ()


# The server


async def test_the_tables_are_made_once_however_many_make_them(team_database: OwnDatabase) -> None:
    servers = [at_server(team_database.url) for _ in range(4)]
    made = await asyncio.gather(*(server.init() for server in servers))
    assert sorted(before for before, _ in made) == [0, VERSION, VERSION, VERSION]
    assert {after for _, after in made} == {VERSION}
    for server in servers:
        await server.aclose()


@pytest.mark.parametrize(
    ("version", "words"),
    [(VERSION + 1, "newer .* update svc-tui"), (VERSION - 1, "no tables yet; create them with: svc-tui team init")],
)
async def test_a_schema_of_another_version_is_told(tmp_path: Path, url: str, version: int, words: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE svc_tui.schema_version SET number = %s", (version,))
    async with desk(tmp_path, url, "ada") as ada:
        with pytest.raises(TeamServerError, match=words) as told:
            await ada.sync.round()
        assert told.value.lasting


async def test_a_role_with_the_rights_that_are_granted_can_do_all_and_no_more(
    tmp_path: Path, url: str, team_database: OwnDatabase
) -> None:
    as_role = team_database.add_role("desk", "open-sesame")
    role = as_role.partition("//")[2].partition("@")[0]
    without = at_server(as_role, lambda: "open-sesame")
    assert (await without.rights()).missing[:2] == ("USAGE on schema svc_tui", "SELECT on schema_version")
    with pytest.raises(TeamServerError, match=r"the role lacks a right \(permission denied for schema svc_tui\)"):
        await without.check_ready()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(grants(role).encode())
    rights = await without.rights()
    assert (rights.role, rights.missing, rights.excessive) == (role, (), ())
    async with desk(tmp_path, as_role, "ada") as ada:
        ada.server._password = lambda: "open-sesame"
        ada.sync.open_places.add(Presence(await ada.own.author(), SERVICE, LOT))
        await ada.write()
        await rounds(ada)
    assert rows(url, "SELECT DISTINCT role FROM svc_tui.line") == [(role,)]
    with (
        psycopg.connect(as_role, password="open-sesame") as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("DELETE FROM svc_tui.line")
    await without.aclose()


def refused() -> str:
    raise CredentialError("the variable TEAM_PASSWORD is not set")


@pytest.mark.parametrize(
    ("password", "words"),
    [
        (lambda: "wrong", "refused the password; check the setting team_password"),
        (lambda: "", "requires a password; set team_password"),
        (refused, "the password for .* can't be read: the variable TEAM_PASSWORD is not set"),
    ],
)
async def test_a_password_that_does_not_do_is_told_and_not_shown(
    team_database: OwnDatabase, password: Callable[[], str], words: str
) -> None:
    server = at_server(team_database.add_role("desk", "open-sesame"), password)
    with pytest.raises(TeamServerError, match=words) as told:
        await server.version()
    assert told.value.lasting
    assert "sesame" not in str(told.value)
    assert "wrong" not in str(told.value)


async def test_a_database_that_is_not_there_is_told(team_database: OwnDatabase) -> None:
    server = at_server(team_database.url.replace(team_database.name, "nowhere"))
    with pytest.raises(TeamServerError, match="does not have this role or database"):
        await server.version()
