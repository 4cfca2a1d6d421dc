"""Answers of the console in the real app: narrowed, compared, opened, and given up while they are on their way."""

import asyncio
from pathlib import Path

import pytest
from textual import events

from svc_tui.core.jsontext import dumps
from svc_tui.core.values import replace
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.errors import RequestCancelled
from svc_tui.ui.console.console_pane import ConsolePane
from svc_tui.ui.widgets.answer.answer_body_view import AnswerBody
from svc_tui.ui.widgets.inputs.filter_input import FilterInput
from svc_tui.ui.widgets.request.request_inputs import RequestLineInput
from tests.browser import User, browser
from tests.client.raw_service import KEYS, CannedReply, ReceivedRequest, reply
from tests.flows.stand_in import browser_on, silence, standing_at
from tests.flows.steps import chosen


async def at_console(user: User) -> None:
    """Open the console."""
    await user.sees(r"lot-000001")
    await user.press("4")
    await user.sees(r"╭─ Console ")


async def asked(user: User, line: str) -> None:
    """Send a request from the console, which is open; a write after its card."""
    console = user.app.screen.query_one(ConsolePane)
    field = console.query_one(RequestLineInput)
    field.focus()
    await user.until(lambda: field.has_focus, "the line has no focus")
    await user.press("ctrl+u")
    await user.types(line)
    before = len(console.requests.transcript.entries)
    await user.press("ctrl+j")
    await user.until(lambda: len(console.requests.transcript.entries) == before + 1, "nothing was sent")
    if not line.startswith("GET"):
        await user.sees(r"Send this request")
        await user.press("y")


async def answered(user: User, line: str) -> None:
    """Send a request, and wait for its answer."""
    await asked(user, line)
    console = user.app.screen.query_one(ConsolePane)
    await user.until(lambda: console.requests.transcript.in_flight is None, "no answer came")
    await user.sees(r"✓ 200 OK")


async def at_body(user: User) -> None:
    """Go to the body of the answer."""
    view = user.app.screen.query_one(AnswerBody).view
    view.focus()
    await user.until(lambda: view.has_focus, "the body has no focus")


def failure(user: User) -> object:
    """Why the last request of the console has no answer."""
    return user.app.screen.query_one(ConsolePane).requests.transcript.entries[-1].failure


async def test_a_path_narrows_an_answer_and_what_it_finds_is_copied(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await answered(user, "GET lots limit==3")
        await at_body(user)
        await user.press("vertical_line")
        line = user.app.screen.query_one(AnswerBody).query_one(FilterInput)
        await user.until(lambda: line.line.has_focus, "the line for a path is not open")
        await user.types("$.items[*].id")
        view, ids = user.app.screen.query_one(AnswerBody).view, ["lot-000001", "lot-000002", "lot-000003"]
        await user.until(lambda: view.text == dumps(ids, indent=2), "the path was not followed")
        await user.sees(r"3 matches")
        await user.press("enter")
        await at_body(user)
        await user.press("down", "down", "c")
        await user.until(lambda: user.app.clipboard == "lot-000002", "the value was not copied")
        await user.press("escape")
        await user.sees(r'"items": \[')
        await user.sees(r"╭─ Console ")


async def test_an_answer_is_compared_with_the_one_before_it(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, size=(120, 40)) as user:
        await at_console(user)
        await answered(user, "GET lots/lot-000002")
        await user.sees(r'"id": "lot-000002"')
        await answered(user, "GET lots/lot-000003")
        await user.sees(r'"id": "lot-000003"')
        await answered(user, "PATCH lots/lot-000002 name=other")
        await user.sees(r'"name": "other"')
        await answered(user, "GET lots/lot-000002")
        await user.sees(r'"name": "other"')
        await at_body(user)
        await user.press("d")
        await user.sees(r"╭─ Compare with ")
        # The answer to the same request comes first, though others came after it.
        await user.press("enter")
        await user.sees(r"╭─ Compare · \d+ changed")
        await user.sees(r"changed  \$\.name")
        await user.sees(r'\+ "other"')
        await user.press("y")
        await user.loses(r"╭─ Compare ")
        await user.until(lambda: '+ "other"' in user.app.clipboard, "the comparison was not copied")
        await user.press("d")
        await chosen(user, "lot-000003")
        await user.sees(r"changed  \$\.id")
        await user.press("escape")
        await user.loses(r"╭─ Compare ")


async def test_one_answer_alone_is_compared_with_nothing(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await answered(user, "GET lots/lot-000002")
        await at_body(user)
        await user.press("d")
        await user.sees(r"There is no other response to compare")


async def test_a_list_is_opened_as_a_table_that_asks_the_same(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await answered(user, "GET lots status==open limit==7 page==2")
        await at_body(user)
        await user.press("o")
        await user.loses(r"╭─ Console ")
        await user.sees(r"status=open")
        asked = [attempt.target for attempt in service.attempts]
        await user.until(
            lambda: any(a.target.endswith("&status=open") for a in service.attempts[len(asked) - 1 :]),
            "the table did not ask for what is open",
        )
        assert "limit=7" not in service.attempts[-1].target


async def test_each_retry_of_a_read_is_told_with_its_wait(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.settled()
        service.faults.next("429", retry_after=1, method="GET")
        await asked(user, "GET lots/lot-000002")
        await user.sees(r"sending · 429 rate_limit_exceeded · waiting 1\.0 s")
        await user.sees(r"✓ 200 OK .* after 429 rate_limit_exceeded · waited 1\.0 s")


async def test_a_read_is_cancelled_while_it_is_held_back(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.settled()
        service.faults.next("429", retry_after=30, method="GET")
        await asked(user, "GET lots/lot-000002")
        await user.sees(r"sending · 429 rate_limit_exceeded · waiting 30 s")
        await user.sees(r"esc stop")
        await user.press("escape")
        await user.sees(r"✕ cancelled")
        await user.sees(r"Cancelled while queued\.")
        await user.sees(r"╭─ Console ")
        assert [attempt.target for attempt in service.attempts][-1].endswith("lot-000002")
        # Nothing is on its way any more: esc leaves.
        await user.press("escape")
        await user.loses(r"╭─ Console ")


async def test_a_read_is_cancelled_while_it_waits_for_the_first_byte(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.settled()
        service.faults.next("hold", method="GET")
        await asked(user, "GET lots/lot-000002")
        await user.sees(r"sending · waiting for the response")
        await user.until(lambda: service.faults.held == 1, "no answer was held")
        await user.press("escape")
        await user.sees(r"Cancelled while waiting for the response\.")
        assert isinstance(failure(user), RequestCancelled)
        service.faults.release()
        await answered(user, "GET lots/lot-000003")
        await user.sees(r'"id": "lot-000003"')


async def test_a_read_is_cancelled_in_its_body_and_ends_on_the_wire(tmp_path: Path) -> None:
    def drips(_: ReceivedRequest) -> CannedReply:
        return CannedReply((b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n", *[b"x"] * 9999), pause=0.05)

    async with browser_on(drips, tmp_path) as (user, service):
        await at_console(user)
        before = service.open_now
        await asked(user, "GET lots/lot-000002")
        await user.sees(r"sending · reading the response")
        await user.press("escape")
        await user.sees(r"Cancelled while reading the response\.")
        await user.until(lambda: service.open_now < max(2, before + 1), "its connection is still open")


async def test_a_read_is_cancelled_while_it_connects(tmp_path: Path) -> None:
    async with silence() as address, browser(standing_at(address), tmp_path) as user:
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await asked(user, "GET lots/lot-000002")
        await user.sees(r"sending · connecting")
        await user.press("escape")
        await user.sees(r"Cancelled while connecting\.")
        await user.sees(r"✕ cancelled")


async def test_a_write_is_not_cancelled_and_esc_says_what_happens(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        service.faults.next("hold", method="PATCH")
        await asked(user, "PATCH lots/lot-000002 name=other")
        await user.until(lambda: service.faults.held == 1, "the write did not leave")
        await user.press("escape")
        await user.sees(r"PATCH was already sent and can't be cancelled")
        await user.sees(r"╭─ Console ")
        await user.press("escape")
        await user.loses(r"╭─ Console ")
        service.faults.release()
        await user.press("4")
        await user.sees(r"✓ 200 OK")
        await user.sees(r'"name": "other"')


@pytest.mark.parametrize(
    ("body", "content_type", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\xff", "image/png", r"binary, image/png, 10 B"),
        (b"<h1>Sign in</h1>", "text/html", r"<h1>Sign in</h1>"),
        (b"", "application/json", r"the body is empty"),
        (b"{", "application/json", r"not valid JSON: line 1"),
    ],
    ids=["binary", "html", "empty", "broken"],
)
async def test_every_kind_of_answer_is_shown_as_what_it_is(
    body: bytes, content_type: str, words: str, tmp_path: Path
) -> None:
    async with browser_on(lambda _: reply(200, body, ("Content-Type", content_type)), tmp_path) as (user, _):
        await at_console(user)
        await answered(user, "GET lots/lot-000002")
        await user.sees(words)


@pytest.mark.parametrize("line", ["GET lots/lot-000002", "PATCH lots/lot-000002 name=other"])
async def test_an_answer_that_repeats_the_key_is_shown_and_saved_without_it(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def repeats(came: ReceivedRequest) -> CannedReply:
        said = {name.lower(): value for name, value in came.headers}
        return reply(200, dumps(said), ("Content-Type", "application/json"), ("X-Echo", said["authorization"]))

    async with browser_on(repeats, tmp_path) as (user, _):
        await at_console(user)
        await answered(user, line)
        await user.sees(r'"authorization": "Bearer …"')
        exchange = user.app.screen.query_one(ConsolePane).requests.transcript.entries[-1].exchange
        assert KEYS.api_key not in repr(exchange)
        await at_body(user)
        await user.press("ctrl+e")
        await user.sees(r"╭─ Save the response as ")
        await user.press("enter")
        await user.sees(r"Saved the response")
    assert KEYS.api_key not in (tmp_path / "lot-000002.json").read_text()


async def test_a_binary_answer_is_saved_byte_by_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    body = bytes(range(256)) * 300
    answer = reply(200, body, ("Content-Type", "application/pdf"))
    async with browser_on(lambda _: answer, tmp_path) as (user, _):
        await at_console(user)
        await answered(user, "GET lots/lot-000002/attachments/a")
        await at_body(user)
        await user.press("ctrl+e")
        await user.sees(r"╭─ Save the response as ")
        await user.press("enter")
        await user.sees(r"Saved the response")
    assert (tmp_path / "a.pdf").read_bytes() == body


async def test_fifty_megabytes_are_read_while_keys_are_answered(service: RunningService, tmp_path: Path) -> None:
    note = b"words that somebody wrote down " * 10
    record = b'{"id": "lot-%06d", "massKg": 1234.50, "assay": {"au": 1.250}, "note": "' + note + b'"}'
    body = b'{"items": [' + b",".join(record % number for number in range(132_000)) + b"]}"
    assert len(body) > 50_000_000
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await answered(user, "GET lots/lot-000002")
        console = user.app.screen.query_one(ConsolePane)
        field, view = console.query_one(RequestLineInput), console.query_one(AnswerBody).view
        entry = console.requests.transcript.entries[-1]
        exchange = entry.exchange
        assert exchange is not None
        # It comes without a wire, on which a busy machine might take longer than a request may.
        console.requests.start(entry.form, entry.spec, entry.signed)
        console.show_end(replace(exchange, answer=replace(exchange.answer, body=body)), None)
        begun, typed = field.value, 0
        async with asyncio.timeout(1200):
            # Each key is answered before the next is pressed; the driver's way of pressing waits for an idle process.
            while not view.text:
                user.app.post_message(events.Key("x", "x"))
                typed += 1
                while field.value != begun + "x" * typed:  # noqa: ASYNC110
                    await asyncio.sleep(0.001)
                # Whoever types leaves the program some time between two keys.
                await asyncio.sleep(0.02)
        assert typed >= 5
        await at_body(user)
        await user.press("G")
        await user.until(lambda: view.line > 100_000, "the cursor is not at the end")
