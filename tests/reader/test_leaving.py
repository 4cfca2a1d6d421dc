"""Where the reader begins and is left, other profiles, and what goes along to the screen."""

from pathlib import Path

from svc_tui.domain.app.memory import LastPosition
from svc_tui.reader.conversation import Conversation
from svc_tui.sandbox.server.inprocess import RunningService
from tests.flows.test_switching import made
from tests.reader.talking import Script, session_on, talk

LOT = "lot-000011"


async def test_the_reader_begins_where_it_was_left_and_says_so(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        first = (await talk(session, [f":lots/{LOT}", "quit"])).said
        again = (await talk(session, ["where"])).said
        asked = (await talk(session, [], "tunnels")).said
    assert not any(line.startswith("You were last") for line in (*first, *asked))
    assert again[1] == f"You were last at operations/lots/{LOT}."
    assert again[2].startswith(f"SANDBOX, operations/lots/{LOT}, ")
    async with session_on(service, tmp_path) as session:
        later = (await talk(session, [])).said
    assert later[1] == "You were last at operations/tunnels."


async def test_a_row_that_the_screen_was_left_at_stays_remembered(service: RunningService, tmp_path: Path) -> None:
    at = LastPosition("/v1/operations/lots", 7, "name", "lot-000008")
    async with session_on(service, tmp_path) as session:
        session.preference_store.remember_place("test", at)
        said = (await talk(session, ["quit"])).said
        assert session.preference_store.memory.places["test"] == at
    assert "You were last at operations/lots." in said


async def test_what_goes_along_to_the_screen(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        script = Script([f":lots/{LOT}", "edit note", "damp", "ticket SUP-4", "mask on", "screen", "where"])
        conversation = Conversation(session, script, script.heard.append, screen_problem=str)
        end = await conversation.hold()
    assert script.typed == ["where"]
    carried = end.on_screen
    assert carried is not None
    assert (carried.profile, carried.ticket, carried.masked) == ("test", "SUP-4", True)
    assert carried.place.endswith(f"/operations/lots/{LOT}")
    assert [(saved.record_id, dict(saved.draft.edits)) for saved in carried.drafts] == [(LOT, {"note": "damp"})]


async def test_another_profile_is_gone_to_each_keeps_its_own_and_live_is_locked(
    service: RunningService, tmp_path: Path
) -> None:
    made(tmp_path, "one", service, "sandbox")
    made(tmp_path, "prod", service, "live")
    async with session_on(service, tmp_path, others=True) as session:
        start = [f":lots/{LOT}", "profile one", f":lots/{LOT}", "edit note", "damp", ":@prod"]
        script = await talk(session, ["profile", *start, "edits", "unlock", "live", "profile one", "edits", ":@prod"])
        said = script.said
        wrong = (await talk(session, ["profile none", "profile test"])).said
        assert session.preference_store.memory.places["one"].path.endswith(LOT)
    assert said[1:5] == ["test, here.", "one", "prod", "profile one goes there."]
    live = next(n for n, line in enumerate(said) if line.startswith("In lines. LIVE, locked. Profile prod"))
    assert said[live + 1] == "LIVE is locked. unlock opens it."
    assert said[live + 2] == "No edits that are not sent."
    assert any(line.startswith(f"1. operations/lots/{LOT}: note: from") for line in said[live:])
    assert f"You were last at operations/lots/{LOT}." in said[live:]
    # What was unlocked is locked when one comes back.
    assert [line for line in script.heard if line.endswith("> ")][-1].startswith("LIVE, locked, ")
    assert "There is no other profile none; there are: @one, @prod." in wrong
    assert "You are in test already." in wrong
