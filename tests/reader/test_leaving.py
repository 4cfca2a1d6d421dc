"""Where the reader begins and is left, other profiles, and what goes along to the screen."""

import re
from pathlib import Path

from svc_tui.console.request_form import RequestForm
from svc_tui.console.request_line import UnsentRequest
from svc_tui.core.credentials import Environment
from svc_tui.core.values import replace
from svc_tui.core.views import Sort, View
from svc_tui.reader.conversation import Conversation
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.session.hand_over import HandOver
from svc_tui.session.memory import LastPosition
from svc_tui.session.session import Session
from tests.flows.test_switching import made
from tests.reader.talking import Script, Typed, session_on, talk

LOT = "lot-000011"


async def test_the_reader_begins_where_it_was_left_and_says_so(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        first = (await talk(session, [f":lots/{LOT}", "quit"])).said
        again = (await talk(session, ["where"])).said
        asked = (await talk(session, [], "tunnels")).said
    assert not any(line.startswith("Last opened") for line in (*first, *asked))
    assert again[1] == f"Last opened: operations/lots/{LOT}."
    assert again[2].startswith(f"Opened {LOT}, ")
    async with session_on(service, tmp_path) as session:
        later = (await talk(session, [])).said
    assert later[1] == "Last opened: operations/tunnels."


async def test_a_demo_does_not_promise_to_keep_drafts(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        demo = replace(session, lasting=False)
        script = await talk(demo, ["help quit", f":lots/{LOT}", "edit note", "damp", "quit", "no", "quit", "quit"])
    assert script.said[1] == "quit: Quit. The demo keeps no drafts."
    question = "SANDBOX. The demo does not keep drafts; 1 draft will be lost. quit or stay: "
    assert script.said[-3:] == [question, "svc-tui stays open.", question]
    assert not any(line.endswith("kept.") for line in script.said)


async def test_a_row_that_the_screen_was_left_at_stays_remembered(service: RunningService, tmp_path: Path) -> None:
    at = LastPosition("/v1/operations/lots", 7, "name", "lot-000008")
    async with session_on(service, tmp_path) as session:
        session.preference_store.remember_place("test sandbox", at)
        said = (await talk(session, ["quit"])).said
        assert session.preference_store.memory.last_position("test", Environment.SANDBOX) == at
    assert "Last opened: operations/lots." in said


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


async def held(session: Session, carried: HandOver, typed: list[Typed]) -> tuple[list[str], HandOver]:
    """What is said in a conversation that goes on from the screens, and what goes back to them."""
    script = Script([*typed, "screen"])
    conversation = Conversation(session, script, script.heard.append, screen_problem=str, carried=carried)
    end = await conversation.hold(carried.place)
    assert end.on_screen is not None
    return script.said, end.on_screen


async def test_the_list_of_the_screens_goes_on_with_its_filter_and_the_services_choice(
    service: RunningService, tmp_path: Path
) -> None:
    view = View("massKg>0", Sort("grade"), query=(("status", "open"),))
    carried = HandOver("test", "/v1/operations/lots", view=view)
    async with session_on(service, tmp_path) as session:
        session.preference_store.remember_place("test sandbox", LastPosition(carried.place, 4, "grade", LOT))
        asked = len(service.attempts)
        said, back = await held(session, carried, ["list", "where"])
        known = session.preference_store.memory.habits["operations/lots"].last
        at = session.preference_store.memory.last_position("test", Environment.SANDBOX)
        fresh, after = await held(session, carried, ["/"])
    assert "Filter massKg>0 ?status=open." in said
    assert "Not sorted by grade: records are in the order of the service." in said
    number = next(line.partition(".")[0] for line in said if line.endswith(f", {LOT}"))
    assert f"The cursor was on {LOT}. To open it: open {number}." in said
    assert any(", filter massKg>0 ?status=open." in line for line in said)
    assert all("status=open" in request.target for request in service.attempts[asked : asked + 2])
    assert (back.place, back.view, known.query) == (carried.place, view, view.query)
    assert at == LastPosition(carried.place, 4, "grade", LOT)
    assert "No filter." in fresh
    assert after.view == View(sort=Sort("grade"))


async def test_the_row_of_the_screen_is_named_where_the_list_has_not_reached_it(
    service: RunningService, tmp_path: Path
) -> None:
    carried = HandOver("test", "/v1/operations/lots", view=View())
    async with session_on(service, tmp_path) as session:
        session.preference_store.remember_place("test sandbox", LastPosition(carried.place, 249, None, "lot-000250"))
        said, _ = await held(session, carried, [])
        session.preference_store.remember_place("test sandbox", LastPosition(carried.place, 2, None, "3"))
        digits, _ = await held(session, carried, [])
        session.preference_store.remember_place(
            "test sandbox", LastPosition("/v1/operations/tunnels", 2, None, "tun-03")
        )
        elsewhere, _ = await held(session, carried, [])
    assert said[-1] == "The cursor was on lot-000250. To open it: open lot-000250."
    # open 3 opens number 3 of the list, and not the record of that id.
    assert digits[-1] == "The cursor was on 3. To open it: :lots/3."
    assert not any(line.startswith("The cursor was on") for line in elsewhere)


async def test_a_request_that_is_not_sent_is_named_where_it_ends(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "one", service, "sandbox")
    begun = UnsentRequest(RequestForm("DELETE", f"/v1/operations/lots/{LOT}"))
    console = f"console PATCH lots/{LOT} note=damp"
    lets_go = f"Discarded without sending: PATCH lots/{LOT} note=damp."
    async with session_on(service, tmp_path, others=True) as session:
        left = (await talk(session, [console, "quit"])).said
        ended = (await talk(session, [console])).said
        switched = (await talk(session, [console, "profile none", ":@one", "where"])).said
        sent = (await talk(session, [console, "send", "quit"])).said
        script = Script([console, "quit"])
        carried = HandOver("test", "/v1/operations/lots", request=begun)
        await Conversation(session, script, script.heard.append, carried=carried).hold()
    assert left[-1] == ended[-1] == lets_go
    assert switched.count(lets_go) == 1
    assert switched.index(lets_go) == next(n for n, line in enumerate(switched) if line.startswith("Reader.")) - 1
    assert not any(line.startswith("Not sent") for line in sent)
    both = f"DELETE /v1/operations/lots/{LOT}; PATCH lots/{LOT} note=damp"
    assert script.said[-1] == f"Discarded without sending: {both}."


async def test_a_record_goes_on_in_its_filtered_list(service: RunningService, tmp_path: Path) -> None:
    view = View("status:rejected")
    carried = HandOver("test", f"/v1/operations/lots/{LOT}", view=view)
    async with session_on(service, tmp_path) as session:
        said, back = await held(session, carried, [])
        listed, _ = await held(session, carried, ["list"])
        moved, elsewhere = await held(session, carried, [":tunnels"])
    assert said[-1] == "Filter status:rejected. To read them, type list."
    assert (back.place, back.view) == (carried.place, view)
    lots = [line for line in listed if line[:1].isdecimal() and ", lot-" in line]
    assert lots
    assert all(", rejected, " in line for line in lots)
    assert elsewhere.view == View()
    assert elsewhere.place.endswith("/tunnels")
    assert not any("Filter" in line for line in moved[moved.index("tunnels.") :])


async def test_where_nothing_can_be_opened_what_came_along_goes_back(service: RunningService, tmp_path: Path) -> None:
    carried = HandOver("test", f"/v1/operations/lots/{LOT}", view=View("grade:A"))
    async with session_on(service, tmp_path) as session:
        service.faults.next("login-page")
        said, back = await held(session, carried, [])
    assert not any(f"{LOT}, " in line for line in said)
    assert (back.place, back.view) == (carried.place, carried.view)


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
        left = session.preference_store.memory.last_position("one", Environment.SANDBOX)
        assert left is not None
        assert left.path.endswith(LOT)
    assert said[1:5] == ["test, current profile.", "one", "prod", "To switch: profile one."]
    live = next(n for n, line in enumerate(said) if line.startswith("Reader. LIVE, locked. Profile prod"))
    assert said[live + 1] == "LIVE is locked. Type unlock."
    assert said[live + 2] == "No drafts."
    assert any(re.fullmatch(rf"1\. .*note: from .*, lots, {LOT}", line) for line in said[live:])
    assert f"Last opened: operations/lots/{LOT}." in said[live:]
    # What was unlocked is locked when one comes back.
    assert [line for line in script.heard if line.endswith("> ")][-1].startswith("LIVE")
    assert "There is no other profile none; available: @one, @prod." in wrong
    assert "test is already the current profile." in wrong
