"""A second person on LIVE by lines: ada at the reader, bob at a desk of his own, over a real PostgreSQL."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

from svc_tui.core.field_forms import FieldForm, FormAction, FormLine, FormTarget, SavedForm
from svc_tui.core.jsontext import loads
from svc_tui.core.kinds import Kind
from svc_tui.core.records import Place, Record
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.session.session import Session
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.team.asks import Ask, AskState, VerdictKind
from svc_tui.team.sync import TeamSync
from svc_tui.writes.approval_guard import Proposal, ProposedChange
from svc_tui.writes.write_requests import build_create_request, build_delete_request
from tests.desks import Desk
from tests.flows.steps import LOTS, stored, stored_field
from tests.flows.test_approvals import bobs_desk
from tests.postgres import OwnDatabase
from tests.reader.talking import Typed, session_on, talk

LOT = "lot-000011"


async def until(holds: Callable[[], Awaitable[bool]], sync: TeamSync, session: Session) -> None:
    """Bring the lines of both together until something holds."""
    assert session.team is not None
    for _ in range(600):
        await sync.round()
        session.team.sync.nudge()
        if await holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never came")


async def bobs_ask(bob: Desk, word: str) -> Ask | None:
    """Ada's ask with this word, where bob has it."""
    return next((ask for ask in (await bob.approvals.overview()).others if ask.change.word == word), None)


async def test_a_change_is_asked_for_approved_and_sent_from_the_list(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    async with (
        bobs_desk(service, team_database, tmp_path / "bob") as (bob, sync),
        session_on(
            service, tmp_path / "ada", key="live", approve=("update", "delete"), team=team_database.url
        ) as session,
    ):
        team = session.team
        assert team is not None

        async def said_by_bob(word: str, kind: VerdictKind, answer: str) -> str:
            async def there() -> bool:
                return await bobs_ask(bob, word) is not None

            await until(there, sync, session)
            ask = await bobs_ask(bob, word)
            assert ask is not None
            assert ask.change.after == {"note": "damp"}
            assert await bob.approvals.verdict(ask, kind, answer, ()) == ""

            async def heard() -> bool:
                return any(mine.deciding for mine in (await team.approvals.overview()).mine if mine.change.word == word)

            await until(heard, sync, session)
            return "where"

        asked: list[Typed] = [f":lots/{LOT}", "edit note", "damp", "ticket SUP-1", "review", "send"]
        typed: list[Typed] = [
            *asked,
            "a slip",
            lambda: said_by_bob("a slip", VerdictKind.REFUSED, "which ticket?"),
            *("review", "send", "SUP-1 is it", "approvals", "send 1"),
            lambda: said_by_bob("SUP-1 is it", VerdictKind.APPROVED, "yes"),
            *("approvals", "send 1", "unlock", "live", "send 1", "no", "send 1", "live", "approvals", "edits"),
        ]
        said = (await talk(session, typed)).said
        entry = (await session.journal.entries(1))[0]
    assert any(line.endswith("Needs approval (rule update). To request it, type send.") for line in said)
    assert said.count("Approval requested. Nothing is sent to the service yet. To check: approvals.") == 2
    assert f"PATCH operations/lots/{LOT}: refused by bob. which ticket?." in said
    assert any("bob declined: which ticket?" in line for line in said)
    assert "You can send only your own approved requests that were created on this computer." in said
    told = f"PATCH operations/lots/{LOT}: approved by bob. yes. To send it, type approvals, then send NUMBER."
    assert said.count(told) == 1
    assert any(
        re.match(rf"1\. yours, approved, PATCH operations/lots/{LOT}, requested by ada, .*ticket SUP-1", line)
        for line in said
    )
    assert any(line == "Not sent. LIVE is locked. Type unlock." for line in said)
    assert "Not sent: you did not type live." in said
    assert any(line.startswith(f"Saved {LOT}") for line in said)
    assert said[-1] == "No drafts."
    assert stored_field(service, "note", LOT) == "damp"
    assert (entry.intent.approved_by, entry.intent.ticket) == ("bob", "SUP-1")


async def test_a_request_of_the_console_waits_there_no_longer_once_it_is_an_ask_or_sent_as_one(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    console = f"console PATCH lots/{LOT} note=damp"
    async with (
        bobs_desk(service, team_database, tmp_path / "bob") as (bob, sync),
        session_on(service, tmp_path / "ada", key="live", approve=("update",), team=team_database.url) as session,
    ):
        team = session.team
        assert team is not None

        async def approved() -> str:
            async def there() -> bool:
                return await bobs_ask(bob, "please") is not None

            await until(there, sync, session)
            ask = await bobs_ask(bob, "please")
            assert ask is not None
            assert await bob.approvals.verdict(ask, VerdictKind.APPROVED, "", ()) == ""

            async def heard() -> bool:
                return any(mine.deciding for mine in (await team.approvals.overview()).mine)

            await until(heard, sync, session)
            return console

        asked: list[Typed] = [console, "where", "send", "please", "where"]
        sent: list[Typed] = [approved, "where", "approvals", "unlock", "live", "send 1", "live", "where"]
        said = (await talk(session, [*asked, *sent])).said
    waits = [line.startswith("Unsent request in the console: ") for line in said]
    was_asked = next(n for n, line in enumerate(said) if line.startswith("Approval requested."))
    was_sent = next(n for n, line in enumerate(said) if line.startswith(f"Sent {LOT}."))
    told = next(n for n, line in enumerate(said) if ": approved by bob." in line)
    assert any(waits[:was_asked])
    assert not any(waits[was_asked:told])
    assert any(waits[told:was_sent])
    assert not any(waits[was_sent:])
    assert stored_field(service, "note", LOT) == "damp"


async def test_what_a_colleague_asks_for_is_heard_beside_what_is_now_and_answered_refused_or_approved(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    async with (
        bobs_desk(service, team_database, tmp_path / "bob") as (bob, sync),
        session_on(service, tmp_path / "ada", key="live", team=team_database.url) as session,
    ):
        team = session.team
        assert team is not None
        for record_id, word in (("lot-000003", "double"), ("lot-000004", "\x1b[31mplease")):
            place = Place(LOTS, record_id)
            shown = stored(service, record_id)
            assert shown is not None
            change = ProposedChange(("delete",), place.key, build_delete_request(place))
            await bob.approvals.ask(Proposal(change, place, Record(shown)), "SUP-1", word, ())
        at = datetime.now(UTC)
        number = await bob.journal.intend(
            Intent(
                at, "PATCH", f"/v1/operations/lots/{LOT}", f"operations/lots/{LOT}", "k", {"note": "a"}, {"note": "b"}
            )
        )
        await bob.journal.conclude(number, Outcome(at, "done", 200))

        async def here() -> str:
            async def both() -> bool:
                return len((await team.approvals.overview()).waiting) == 2 and bool(await session.writes.entries())

            await until(both, sync, session)
            return "approvals"

        typed: list[Typed] = [
            *(here, "approvals 1", "answer 1", "answer 1 which lot?", "approve 1", "no", "approve 1", "approve"),
            *("refuse 2 look again", "approve 3", "journal", "journal team 3", "journal 1"),
        ]
        said = (await talk(session, typed)).said

        async def told() -> bool:
            return all(ask.deciding for ask in (await bob.approvals.overview()).mine)

        await until(told, sync, session)
        mine = {ask.change.place: ask for ask in (await bob.approvals.overview()).mine}
    assert "2 approval requests to approve. For the list, type approvals." in said
    assert "2 approval requests to approve; 0 of your requests approved." in said
    assert any(
        re.match(r"1\. waiting, DELETE operations/lots/lot-000004, requested by bob, .*␛\[31mplease", line)
        for line in said
    )
    assert said.count("Not changed since the request.") == 3
    assert "Request: DELETE /v1/operations/lots/lot-000004" in said
    assert "Not approved. Nothing was sent to your colleague." in said
    assert "DELETE operations/lots/lot-000004: approved. Your answer goes to bob." in said
    assert (mine["operations/lots/lot-000004"].state, mine["operations/lots/lot-000003"].state) == (
        AskState.APPROVED,
        AskState.REFUSED,
    )
    assert mine["operations/lots/lot-000003"].deciding[0].word == "look again"
    assert "Type a number from the list: approve 1. For the list, type approvals." in said
    listed = [line for line in said if re.match(r"team 3\. .*PATCH operations/lots/lot-000011, .*by bob", line)]
    # The second time as the first line of what is known of it.
    assert len(listed) == 2
    assert said[-1] == "The journal has no number 1. For the list, type journal."
    assert loads(service.record("operations/lots", "lot-000004") or "null") is not None


async def test_without_a_team_there_is_nobody_to_ask(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, ["approvals", "approve 1"])).said
    assert said[-2:] == ["This profile has no team."] * 2


async def test_the_form_of_an_approved_record_is_done_with_once_that_was_made_from_here(
    service: RunningService, team_database: OwnDatabase, tmp_path: Path
) -> None:
    form = FieldForm((FormLine("name", Kind.TEXT, "From a form"),))
    saved = SavedForm(FormTarget(FormAction.NEW, LOTS), form, datetime.now(UTC))
    async with (
        bobs_desk(service, team_database, tmp_path / "bob") as (bob, sync),
        session_on(service, tmp_path / "ada", key="live", approve=("create",), team=team_database.url) as session,
    ):
        team = session.team
        assert team is not None
        await session.form_store.keep(saved)
        change = ProposedChange(("create",), LOTS.key, build_create_request(LOTS, form.values))

        async def approved() -> str:
            await team.approvals.ask(Proposal(change, Place(LOTS)), "", "please", ())

            async def there() -> bool:
                return await bobs_ask(bob, "please") is not None

            await until(there, sync, session)
            ask = await bobs_ask(bob, "please")
            assert ask is not None
            assert await bob.approvals.verdict(ask, VerdictKind.APPROVED, "", ()) == ""

            async def heard() -> bool:
                return any(mine.deciding for mine in (await team.approvals.overview()).mine)

            await until(heard, sync, session)
            return "approvals"

        said = (await talk(session, [approved, "unlock", "live", "send 1", "live"])).said
        assert any("Created " in line for line in said), said
        assert await session.form_store.all() == []
