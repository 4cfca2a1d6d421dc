"""The privacy mask in all that is said: nothing of a person is heard while it is on."""

from pathlib import Path

from svc_tui.core.jsontext import loads
from svc_tui.reader.conversation import Conversation
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.session.hand_over import HandOver
from tests.reader.talking import Script, session_on, talk

WORKERS, WORKER = "workforce/workers", "wrk-0001"


def personal(service: RunningService) -> list[str]:
    """What of the first worker must not be heard."""
    record = loads(service.record(WORKERS, WORKER) or "")
    assert isinstance(record, dict)
    return [str(record[name]) for name in ("name", "phone", "email")]


async def test_nothing_of_a_person_is_heard_anywhere_while_personal_data_is_hidden(
    service: RunningService, tmp_path: Path
) -> None:
    texts = [*personal(service), "+49 30 1234567", "+49 30 7654321", "Someone Else"]
    before = [f":workers/{WORKER}", "edit phone", "+49 30 1234567", "review", "send", "edit phone", "+49 30 7654321"]
    asked = ["edit name", "Someone Else", "fields", "more", "field phone", "field email", "edits", "review"]
    looked = [
        *(":workers", f"/name:{texts[0]}", "where", f"find {texts[0]}", "journal", "journal 1"),
        *(f"console GET workers/{WORKER}", "more", f"console PATCH workers/{WORKER} email=else@example.com"),
    ]
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [*before, "mask on", *asked, f"open {WORKER}", *looked])).said
        # The prompt for commands is what was typed before, which nothing can take back.
        heard = said[said.index("Personal data is masked.") + 1 :]
        again = (await talk(session, [f":workers/{WORKER}", "mask on", "mask off", "field email"])).said
    assert any(line.startswith("Request: PATCH") for line in heard)
    assert any(line.startswith("200 OK") for line in heard)
    assert "email: masked" in heard
    assert not any("▒" in line for line in heard)
    assert heard.count("Personal data is masked.") == 1
    assert [line for line in heard if any(text in line for text in (*texts, "else@example.com"))] == []
    assert any(personal(service)[2] in line for line in again[again.index("Personal data is not masked.") :])


async def test_what_is_sent_and_kept_is_never_masked(service: RunningService, tmp_path: Path) -> None:
    typed = [f":workers/{WORKER}", "mask on", "edit phone", "+49 30 1234567", "review", "send", "undo 1", "send"]
    before = personal(service)
    async with session_on(service, tmp_path) as session:
        await talk(session, typed[:-2])
        assert personal(service)[1] == "+49 30 1234567"
        await talk(session, typed[-2:])
    assert personal(service) == before


async def test_a_conversation_that_the_screen_handed_over_hidden_begins_hidden(
    service: RunningService, tmp_path: Path
) -> None:
    async with session_on(service, tmp_path) as session:
        script = Script(["field email"])
        carried = HandOver("test", masked=True, ticket="SUP-3")
        await Conversation(session, script, script.heard.append, carried=carried).hold(f"workers/{WORKER}")
    assert script.said[0].startswith("Reader. SANDBOX, writable.")
    assert script.said[1:3] == ["Personal data is masked.", "Ticket SUP-3."]
    assert not any(text in line for line in script.heard for text in personal(service))
