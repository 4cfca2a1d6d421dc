"""What the reader copies of the open record, and the curl commands that it prints."""

from pathlib import Path

import pytest

from svc_tui.core.jsontext import loads
from svc_tui.reader.conversation import Conversation
from svc_tui.sandbox.server.inprocess import RunningService
from tests.reader.talking import Script, session_on, talk


@pytest.fixture
def copied() -> list[str]:
    return []


async def talk_and_copy(service: RunningService, state: Path, copied: list[str], *typed: str) -> list[str]:
    """Hold a conversation with a clipboard; gives what was said."""

    async def copy(text: str) -> str:
        copied.append(text)
        return "Copied."

    async with session_on(service, state) as session:
        script = Script(list(typed))
        await Conversation(session, script, script.heard.append, copy=copy).hold()
    return script.said


async def test_a_field_the_record_a_link_and_a_command_are_copied(
    service: RunningService, tmp_path: Path, copied: list[str]
) -> None:
    commands = ("copy id", "copy ASSAY.AUPPM", "copy", "copy link", "copy curl", "copy nothing")
    said = await talk_and_copy(service, tmp_path, copied, "copy", ":lots/lot-000011", *commands)
    lot = loads(service.record("operations/lots", "lot-000011") or "")
    identifier, gold, record, link, curl = copied
    assert isinstance(lot, dict)
    assert isinstance(lot["assay"], dict)
    assert (identifier, gold, loads(record)) == ("lot-000011", str(lot["assay"]["auPpm"]), lot)
    assert link.startswith("svctui://sandbox@")
    assert link.endswith("/operations/lots/lot-000011")
    assert "curl " in curl
    assert said.count("Copied.") == 5
    assert said[1].startswith("No record is open.")
    assert said[-1].startswith("The record has no field nothing.")


async def test_what_is_masked_is_copied_masked(service: RunningService, tmp_path: Path, copied: list[str]) -> None:
    said = await talk_and_copy(service, tmp_path, copied, ":workers", "open 1", "copy", "mask on", "copy")
    plain, masked = map(loads, copied)
    assert isinstance(plain, dict)
    assert isinstance(masked, dict)
    assert plain != masked
    assert plain["id"] == masked["id"]
    assert said[-1] == "Copied. Personal data is masked."


async def test_curl_is_printed_for_what_is_open_and_for_any_request(service: RunningService, tmp_path: Path) -> None:
    typed = ["curl", ":lots", "curl", "open 2", "curl", "curl PATCH lots/lot-000001 priority=high", "curl GET", "copy"]
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, typed)).said
    lines = [line for line in said if "| curl " in line]
    assert [line.rpartition("/v1/")[2].strip("'") for line in lines[:2]] == [
        "operations/lots",
        "operations/lots/lot-000002",
    ]
    assert "-X PATCH" in lines[2]
    assert '"priority":"high"' in lines[2].replace(" ", "").replace("\\", "")
    assert said[1] == "Type a request, such as curl GET lots/lot-000001, or open a record first."
    assert said[-2].startswith("Invalid request: path:")
    assert said[-1].startswith("Not copied: this is not a terminal.")
    assert not any(attempt.method == "PATCH" for attempt in service.attempts)
