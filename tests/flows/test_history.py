"""The history of requests: kept across starts, found by words, edited or sent again as it was, without a secret."""

from pathlib import Path

from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import held_back, sent_from_console, unlocked
from tests.flows.test_console import at_console

LOT = "/v1/operations/lots/lot-000002"


async def sends(user: User, line: str, status: str = "200") -> None:
    """Type a request into the console, send it, a write after its card, and see its answer."""
    await user.press("ctrl+u")
    await user.types(line)
    if line.startswith("GET"):
        await user.press("ctrl+j")
    else:
        await sent_from_console(user)
    await user.sees(rf"[✓✕] {status}")


def on_the_disk(directory: Path) -> bytes:
    """Every byte of the store's files."""
    return b"".join(file.read_bytes() for file in directory.glob("svc-tui.db*"))


async def opens(user: User) -> None:
    """Open the history."""
    await user.press("f8")
    await user.sees(r"╭─ Request history")


def asked(service: RunningService, method: str, target: str) -> int:
    """How often this request arrived."""
    return sum((attempt.method, attempt.target) == (method, target) for attempt in service.attempts)


async def test_what_was_sent_is_there_at_the_next_start_and_found_by_words(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await sends(user, "GET lots/lot-000002")
        await sends(user, "PATCH lots/lot-000002 name=Other")
        await sends(user, "GET lots/nothing-there", "404")
        await opens(user)
        await user.sees(r"Request history · 3")
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await opens(user)
        await user.sees(r"GET +operations/lots/nothing-there +✕ 404 [\d,]+ ms")
        await user.sees(r"PATCH +operations/lots/lot-000002 +✓ 200 [\d,]+ ms")
        await user.press("slash")
        await user.types("other patch")
        await user.sees(r"Request history · 1 found")
        await user.loses(r"nothing-there")
        await user.press("enter", "v")
        await user.sees(r"╭─ Request 2 ")
        await user.sees(r'"name": "Other"')
        await user.sees(r"idempotency key +[0-9a-f-]{36}")
    async with browser(service, tmp_path, name="another") as user:
        await user.sees(r"lot-000001")
        await opens(user)
        await user.sees(r"No requests yet")


async def test_a_request_is_sent_again_as_it_was(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await sends(user, "GET lots/lot-000002 ?note=a%26b X-Trace:7")
    target = f"{LOT}?note=a%26b"
    assert asked(service, "GET", target) == 1
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await opens(user)
        await user.sees(r"lot-000002\?note=a&b")
        await user.press("ctrl+j")
        await user.sees(r"✓ 200 OK")
        await user.until(lambda: asked(service, "GET", target) == 2, "it was not sent again")


async def test_a_request_is_edited_before_it_is_sent_again(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await sends(user, "PATCH lots/lot-000002 name=Other")
    before = len(service.attempts)
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await opens(user)
        await user.press("enter")
        await user.sees(r"→ ?/v1/operations/lots/lot-000002")
        await user.sees(r"name=Other")
        assert asked(service, "PATCH", LOT) == 1
        await user.press("end")
        await user.types("wise")
        await sent_from_console(user)
        await user.sees(r"✓ 200 OK")
        assert '"Otherwise"' in (service.record("operations/lots", "lot-000002") or "")
    keys = {attempt.idempotency_key for attempt in service.attempts if attempt.method == "PATCH"}
    assert len(keys) == 2
    assert len(service.attempts) > before


async def test_one_is_forgotten_and_all_are_after_a_question(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await sends(user, "GET lots/lot-000002")
        await sends(user, "GET lots/nothing-there", "404")
        await opens(user)
        await user.sees(r"nothing-there")
        await user.press("delete")
        await user.sees(r"Request history · 1 ")
        await user.press("C")
        await user.sees(r"╭─ Clear the history")
        await user.press("escape")
        await user.sees(r"Request history · 1 ")
        await user.press("C")
        await user.sees(r"╭─ Clear the history")
        await user.press("y")
        await user.sees(r"No requests yet")
        await user.press("escape")
        await user.loses(r"Request history")
    kept = on_the_disk(tmp_path)
    assert b"/lots/lot-000002" not in kept
    assert b"nothing-there" not in kept


async def test_a_key_a_secret_and_headers_that_carry_identity_are_never_in_the_store(
    service: RunningService, tmp_path: Path
) -> None:
    key = service.key("live")
    assert key.signing_secret is not None
    async with browser(service, tmp_path, key="live") as user:
        await at_console(user)
        await sends(
            user, f"GET lots/lot-000002 X-Api-Key:hunter2-hunter2 note=={key.api_key} secret=={key.signing_secret}"
        )
        await opens(user)
        await user.press("v")
        await user.sees(r"not saved +the header X-Api-Key, a secret in the query")
        await user.press("escape")
        await user.loses(r"not saved")
        await user.press("ctrl+j")
        await user.sees(r"Fill in the\s+missing")
        assert asked(service, "GET", LOT) == 0
    kept = on_the_disk(tmp_path)
    assert b"/lots/lot-000002" in kept
    for text in (key.api_key, key.api_key[-12:], key.signing_secret, "hunter2", "v1="):
        assert text.encode() not in kept


async def test_answers_bodies_are_kept_only_where_that_is_asked_for(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await sends(user, "GET lots/lot-000002")
        await opens(user)
        await user.press("v")
        await user.sees(r"response +[\d.]+ k?B")
        assert "Response body" not in user.text
    (tmp_path / "config.toml").write_text("history_bodies = true\n")
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await sends(user, "GET lots/lot-000003")
        await opens(user)
        await user.press("v")
        await user.sees(r"Response body")
        await user.sees(r'"id": "lot-000003"')


async def test_with_a_limit_of_nothing_nothing_is_kept(service: RunningService, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("history_limit = 0\n")
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await sends(user, "GET lots/lot-000002")
        await user.press("f8")
        await user.sees(r"Request history is off: history_limit is 0")
    assert b"lot-000002" not in on_the_disk(tmp_path)


async def test_a_live_write_from_the_history_still_needs_the_lock_and_its_card(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live") as user:
        await unlocked(user)
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await user.types("PATCH lots/lot-000002 name=Other")
        await user.press("ctrl+j")
        await user.sees(r"Send this request")
        await user.press("y")
        await user.sees(r"✓ 200 OK")
    async with browser(service, tmp_path, key="live") as user:
        await user.sees(r"lot-000001")
        await opens(user)
        await user.sees(r"PATCH")
        await user.press("ctrl+j")
        await held_back(user)
    assert asked(service, "PATCH", LOT) == 1


async def test_paths_of_earlier_sessions_are_proposed(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await sends(user, "GET /v1/operations/rarely/asked-for", "404")
    async with browser(service, tmp_path) as user:
        await at_console(user)
        # What is typed is completed by what the store has told by then.
        await user.settled()
        await user.types("/v1/operations/ra")
        await user.sees(r"/v1/operations/rarely/asked-for")


async def test_what_the_mask_hides_is_hidden_in_the_history_too(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="workers") as user:
        await user.sees(r"wrk-0001")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await sends(user, "PATCH workers/wrk-0001 name=Josephine")
        await user.press("ctrl+u", "ctrl+o")
        await user.sees(r"MASKED")
        await opens(user)
        await user.press("v")
        await user.sees(r"Request body")
        await user.sees(r'"name": "')
        await user.loses(r"Josephine")
