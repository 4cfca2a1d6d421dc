"""Trying endpoints from the console, over the same client as everything else."""

import re
from pathlib import Path

import pytest
from textual import events

from svc_tui.core.requests import RequestSpec
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import held_back, sent_from_console, unlocked


async def at_console(user: User) -> None:
    """Open the console, its path line empty."""
    await user.sees(r"lot-000001")
    await user.press("4")
    await user.sees(r"╭─ Console ")
    await user.press("ctrl+u")
    # The page after the one in view is read behind it: no test counts that as its own.
    await user.settled()


async def test_a_request_is_sent_and_its_answer_shown(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live") as user:
        await at_console(user)
        await user.types("operations/lots/lot-000002")
        await user.sees(r"→ ?/v1/operations/lots/lot-000002")
        await user.press("ctrl+j")
        await user.sees(r"✓ 200 OK · [\d.]+ m?s")
        await user.sees(r'"id": "lot-000002"')
        last = list(service.attempts)[-1]
        assert (last.method, last.target) == ("GET", "/v1/operations/lots/lot-000002")


async def test_send_is_named_as_soon_as_there_is_a_path_and_not_without_one(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, size=(120, 40)) as user:
        await at_console(user)
        await user.loses(r"\^j Send")
        await user.types("lots")
        await user.sees(r" \^j Send ")
        await user.press("ctrl+u")
        await user.loses(r"\^j Send")


async def test_the_request_is_copied_as_a_line_of_this_program_unless_one_chooses(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("GET lots/lot-000002")
        await user.press("f6")
        await user.sees(r"╭─ Copy ")
        await user.press("enter")
        line = "svc-tui request GET /v1/operations/lots/lot-000002"
        await user.until(lambda: user.app.clipboard == line, "the line was not copied")


async def test_a_copied_write_carries_an_idempotency_key(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("POST lots name=New")
        await user.press("f6")
        await user.sees(r"╭─ Copy ")
        await user.press("u")
        await user.until(lambda: "curl" in user.app.clipboard, "no line was copied")
        assert re.search(r"-H 'Idempotency-Key: [0-9a-f-]{36}'", user.app.clipboard)


async def test_an_old_answer_says_whose_it_is_once_another_request_is_typed(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("GET lots/lot-000002")
        await user.press("enter")
        await user.sees(r"✓ 200 OK")
        assert "for GET" not in user.text
        await user.press("backspace")
        await user.sees(r"✓ 200 OK.* for GET /v1/operations/lots/lot-000002")
        await user.types("2")
        await user.loses(r"for GET /v1/operations/lots/lot-000002")


async def test_every_note_on_a_pasted_command_can_be_read_beside_its_blanks(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, size=(80, 24)) as user:
        await at_console(user)
        pasted = (
            "curl https://elsewhere.example.com/v1/operations/lots/{id} -H 'Authorization: Bearer x' -b c=1"
            " -H 'sec-ch-ua: y' | jq ."
        )
        user.app.post_message(events.Paste(pasted))
        await user.sees(r"Ignored the host elsewhere\.example\.com")
        shown = " ".join(line.split("││")[-1].strip("│ ") for line in user.text.splitlines())
        for words in (
            "Removed headers with credentials: Authorization, Cookie",
            "Ignored browser headers",
            "Ignored everything after |",
        ):
            assert words in shown


async def test_an_answer_is_opened_as_the_record_that_it_is(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("GET lots/lot-000002")
        await user.press("ctrl+j")
        await user.sees(r"✓ 200 OK")
        user.app.screen.query_one("#answer-body").focus()
        await user.press("o")
        await user.sees(r"╭─ .*lot-000002")
        await user.loses(r"╭─ Console ")


async def test_the_answer_is_the_text_at_hand_for_the_pager(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("GET lots/lot-000002")
        await user.press("ctrl+j")
        await user.sees(r'"id": "lot-000002"')
        text = user.app.main.workspace.text
        assert text is not None
        assert text.startswith("{\n")
        assert '"id": "lot-000002"' in text


async def test_a_refused_signature_is_explained(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", secret="svcsec_not_the_one") as user:
        await user.sees(r"signature_mismatch")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await user.types("GET lots/lot-000002")
        await user.press("ctrl+j")
        await user.sees(r"Press f9 to explain")
        await user.press("f9")
        await user.sees(r"╭─ Signature ")
        await user.sees(r"The signing secret does not belong to this key\.")
        await user.sees(r"path and query +/v1/operations/lots/lot-000002")
        await user.sees(r"e3b0c44298fc1c14")
        assert "svcsec_not_the_one" not in user.text
        await user.press("escape")
        await user.loses(r"╭─ Signature ")
        await user.sees(r"✕ 401")


async def test_the_signature_of_a_request_not_yet_sent_is_explained_too(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live") as user:
        await at_console(user)
        await user.types("PATCH lots/lot-000002 name=new")
        before = len(service.attempts)
        await user.press("f9")
        await user.sees(r"No response yet")
        await user.sees(r"method +PATCH")
        await user.sees(r"of 14 bytes")
        assert len(service.attempts) == before


async def test_the_response_in_view_is_not_taken_for_that_of_a_request_edited_since(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live") as user:
        await at_console(user)
        await user.types("GET lots/lot-000002")
        await user.press("ctrl+j")
        await user.sees(r"✓ 200 OK")
        await user.types(" limit==1")
        await user.sees(r"for GET /v1")
        await user.press("f9")
        await user.sees(r"The response in view belongs to another request\. Send this one first\.")


async def test_an_answer_is_saved_as_it_came(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("GET lots/lot-000002")
        await user.press("ctrl+j")
        await user.sees(r"✓ 200 OK")
        user.app.screen.query_one("#answer-body").focus()
        await user.press("ctrl+e")
        await user.sees(r"╭─ Save the response as ")
        await user.sees(r"lot-000002\.json")
        await user.press("enter")
        await user.sees(r"Saved the response")
    console_answer = (tmp_path / "lot-000002.json").read_bytes()
    assert console_answer.startswith(b'{"id":')
    assert b"\n" not in console_answer


async def test_enter_sends_a_read_and_never_a_write(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("PATCH lots/lot-000002 note=new")
        before = len(service.attempts)
        await user.press("enter")
        await user.sees(r"Press ctrl\+j to review this change before it is sent")
        await user.sees(r"no response yet")
        assert len(service.attempts) == before
        await user.press("ctrl+u")
        await user.types("operations/lots/lot-000002")
        await user.press("enter")
        await user.sees(r"✓ 200 OK")
        assert service.attempts[-1].method == "GET"


async def test_reserved_routes_are_refused_as_one_types(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        before = len(service.attempts)
        await user.types("v1/auth/keys")
        await user.sees(r"✕ .*API keys can't call routes under /v1/auth")
        await user.press("ctrl+j")
        assert len(service.attempts) == before


async def test_the_verify_route_is_reached_from_the_sidebar(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("1", "G", "enter")
        await user.sees(r"GET +/v1/operations/hash-chain/verify")
        await user.sees(r"tunnelId")


async def test_a_write_is_refused_while_live_is_locked(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live") as user:
        await at_console(user)
        await user.types("operations/lots/lot-000002")
        await as_method(user, "DELETE")
        await user.press("ctrl+j")
        await held_back(user)
        assert "not sent yet" in user.text
        await user.press("w")
        await user.sees(r"Unlock sending")
        await user.press("escape", "escape")
        await user.sees(r"✕ not sent")
    assert not any(a.method == "DELETE" for a in service.attempts)


async def test_a_write_on_live_asks_and_is_journalled(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live") as user:
        await unlocked(user)
        await at_console(user)
        await user.types("operations/lots/lot-000002")
        await as_method(user, "DELETE")
        await user.press("ctrl+j")
        await user.sees(r"LIVE   Send this request")
        await user.press("enter")
        await user.loses(r"Send this request")
        await user.sees(r"✕ not sent")
        await user.sees(r"Cancelled\. *│")
        assert not any(a.method == "DELETE" for a in service.attempts)
        await user.press("ctrl+j")
        await user.sees(r"LIVE   Send this request")
        await user.press("y")
        await user.sees(r"✓ 204")
        await user.press("escape", "at")
        await user.sees(r"DELETE +.*lot-000002.*✓ done")


@pytest.mark.parametrize("line", ["PATCH lots/lot-000002 note=new", "POST lots name=New", "DELETE lots/lot-000002"])
async def test_a_write_in_the_sandbox_shows_its_card_and_y_sends_it(
    service: RunningService, tmp_path: Path, line: str
) -> None:
    method = line.split()[0]
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types(line)
        await user.press("ctrl+j")
        await user.sees(r"Send this request")
        await user.sees(rf"{method} /v1/operations/lots")
        await user.press("escape")
        await user.sees(r"Cancelled\. *│")
        assert not any(a.method == method for a in service.attempts)
        await sent_from_console(user)
        await user.sees(r"✓ 20\d")
        # From the history it goes the same way.
        await user.press("f8", "ctrl+j")
        await user.sees(r"Send this request")
        await user.press("escape")
        await user.loses(r"Send this request")
    assert sum(a.method == method for a in service.attempts) == 1


async def test_what_is_agreed_to_on_live_is_the_whole_signed_request(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", name="mine", size=(80, 24)) as user:
        await unlocked(user)
        await at_console(user)
        console = await user.app.main.workspace.console()
        text = "x" * 2000
        console.prefill(RequestSpec("POST", "/v1/operations/lots", body=f'{{"note": "{text}THE END"}}'.encode()))
        await user.press("ctrl+j")
        await user.sees(r"LIVE   Send this request")
        await user.sees(r"POST /v1/operations/lots")
        await user.sees(r"↓ more below")
        await user.press("y")
        await user.press("h")
        await user.press("end")
        await user.sees(r"THE END")
        await user.sees(r"Idempotency-Key: [0-9a-f-]{36}")
        await user.sees(r"Authorization: Bearer svc_live_.*…")
        assert not any(a.method == "POST" for a in service.attempts)
        await user.press("y")
        await user.sees(r"✓ 201")


async def test_the_journal_tells_the_fields_of_a_request_written_by_hand(
    service: RunningService, tmp_path: Path
) -> None:
    lots = "/v1/operations/lots"
    async with browser(service, tmp_path) as user:
        await at_console(user)
        console = await user.app.main.workspace.console()
        for spec, status in (
            (RequestSpec("POST", lots, body=b'{"name": "Made once"}'), 201),
            (RequestSpec("PATCH", f"{lots}/lot-000002", body=b'{"grade": 9.50}'), 200),
            (RequestSpec("POST", lots, body=b"[1, 2]"), 4),
        ):
            console.prefill(spec)
            await sent_from_console(user)
            await user.sees(rf"[✓✕] {status}")
        await user.press("escape", "at")
        await user.sees(r'name: not set → "Made once"')
        await user.sees(r"grade: [0-9.]+ → 9\.50")
        await user.sees(r"a body of 6 B")


async def test_a_create_of_unknown_outcome_is_taken_up_with_the_same_key(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, idempotency="unproven") as user:
        await at_console(user)
        console = await user.app.main.workspace.console()
        console.prefill(RequestSpec("POST", "/v1/operations/lots", body=b'{"name": "Made once"}'))
        service.faults.next("reset")
        await sent_from_console(user)
        await user.sees(r"ctrl\+j to send it again")
        assert len([a for a in service.attempts if a.method == "POST"]) == 1
        await sent_from_console(user)
        await user.sees(r"✓ 201")
    keys = [a.idempotency_key for a in service.attempts if a.method == "POST"]
    assert len(keys) == 2
    assert keys[0] == keys[1] != ""
    assert service.record("operations/lots", "lot-000301") is not None
    assert service.record("operations/lots", "lot-000302") is None


async def as_method(user: User, method: str) -> None:
    """Write the method in front of the path that stands on the line."""
    await user.press("home")
    await user.types(f"{method} ")
    await user.sees(rf"╭─ Console .*\n.*│ {method} operations/.*\n.*│ {method} ")


async def test_keys_of_the_table_that_the_console_covers_do_nothing(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("GET lots/lot-000002")
        await user.press("ctrl+j")
        await user.sees(r"✓ 200 OK")
        user.app.screen.query_one("#answer-body").focus()
        await user.settled()
        about_it = {
            "record.edit", "record.edit_whole", "record.create", "record.copy", "record.delete", "record.actions",
            "record.follow", "record.peek", "record.take_back", "table.filter", "table.sort", "table.columns",
            "table.summary", "table.unarrange", "table.refresh", "tabs.close",
        }  # fmt: skip
        there = {active.binding.id for active in user.app.screen.active_bindings.values() if active.enabled}
        assert there & about_it == set()
        assert {"writes.lock", "writes.journal", "go.to", "pane.table", "app.help"} <= there
        await user.press("delete", "a", "i")
        await user.settled()
        assert len(user.app.screen_stack) == 1
        await user.press("2")
        await user.until(lambda: not user.app.main.workspace.in_console, "the table did not come back")
        there = {active.binding.id for active in user.app.screen.active_bindings.values() if active.enabled}
        assert about_it - there == set()
