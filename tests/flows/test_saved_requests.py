"""Saved requests in the browser: kept from the console, called from the sidebar and the palette, shared as files."""

import tomllib
from pathlib import Path

from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import chosen
from tests.flows.test_console import at_console

SPLIT = """
name = "Split in two"
description = "As the {assay} lab wants it"
method = "POST"
path = "/v1/operations/lots/{id}/split"
body = '{"parts": {parts}}'
"""


def shared(state: Path, text: str, name: str = "shared") -> Path:
    """Put a file beside the configuration, as a colleague's repository does."""
    path = state / "requests" / f"{name}.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o644)
    return path


def kept(state: Path, name: str) -> dict[str, object]:
    """What a file of saved requests holds."""
    return tomllib.loads((state / "requests" / f"{name}.toml").read_text())


async def saves(user: User, name: str, description: str = "") -> None:
    """Save what stands in the console under a name."""
    await user.press("ctrl+s")
    await user.sees(r"╭─ Save request")
    await user.types(name)
    await user.press("enter")
    await user.types(description)
    await user.press("enter")
    await user.loses(r"╭─ Save request")


async def called_from_the_sidebar(user: User, name: str) -> None:
    """Choose a saved request in the sidebar."""
    await user.press("escape")
    await user.sees(rf"(?m)[›✕] {name}")
    await user.press("1", "end", "enter")


async def test_what_stands_in_the_console_is_saved_and_called_again(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("GET lots ?limit=2 q=={status} X-Trace:7")
        await user.press("ctrl+s")
        await user.sees(r"Asks for status each time")
        await user.press("escape")
        await user.loses(r"╭─ Save request")
        await saves(user, "Lots by status", "For the morning round")
        await user.sees(r"Saved as Lots by status")
        await user.sees(r"▾ Requests")
        await user.sees(r"› Lots by status +GET")
        assert kept(tmp_path, "lots-by-status") == {
            "name": "Lots by status",
            "description": "For the morning round",
            "method": "GET",
            "path": "/v1/operations/lots",
            "query": {"limit": "2", "q": "{status}"},
            "headers": {"X-Trace": "7"},
        }
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await called_from_the_sidebar(user, "Lots by status")
        await user.sees(r"╭─ Console ")
        await user.sees(r"q=={status}")
        await user.sees(r"For the morning round")


async def test_a_shared_file_is_called_from_the_palette(service: RunningService, tmp_path: Path) -> None:
    shared(tmp_path, SPLIT)
    async with browser(service, tmp_path) as user:
        await user.sees(r"› Split in two +POST")
        await user.press("ctrl+p")
        await user.types("Request: Split")
        await user.sees(r"Request: Split in two")
        await user.press("enter")
        await user.sees(r"╭─ Console ")
        await user.sees(r"\{id\}/split")
        await user.press("ctrl+j")
        await user.sees(r"╭─ Values for POST")
        assert [attempt for attempt in service.attempts if attempt.method == "POST"] == []
        await user.types("lot-000002")
        await user.press("enter")
        await user.types("2")
        await user.press("ctrl+s")
        await user.sees(r"Send this request")
        assert [attempt for attempt in service.attempts if attempt.method == "POST"] == []
        await user.press("y")
        await user.sees(r"[✓✕] \d{3}")
    sent = next(attempt for attempt in service.attempts if attempt.method == "POST")
    assert sent.target == "/v1/operations/lots/lot-000002/split"


async def test_a_damaged_file_is_listed_and_its_mistake_told(service: RunningService, tmp_path: Path) -> None:
    path = shared(tmp_path, SPLIT.replace('"POST"', "7"), "broken")
    async with browser(service, tmp_path) as user:
        await user.sees(r"✕ broken")
        await called_from_the_sidebar(user, "broken")
        await user.sees(r"Could not load the saved request")
        assert f"{path}:4: method is 7; allowed: a method in quotes" in user.app.main.reports[-1].body
        shared(tmp_path, SPLIT, "broken")
        await user.press("enter")
        await user.sees(r"╭─ Console ")
        await user.sees(r"\{id\}/split")
        await user.sees(r"› Split in two +POST")


async def test_another_is_replaced_only_after_a_question(service: RunningService, tmp_path: Path) -> None:
    shared(tmp_path, SPLIT, "split-in-two")
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("GET lots")
        await saves(user, "split IN two")
        await user.sees(r"╭─ Replace it\?")
        await user.sees(r"already contains another request: Split in")
        await user.press("escape")
        await user.loses(r"╭─ Replace it\?")
        assert kept(tmp_path, "split-in-two")["method"] == "POST"
        await saves(user, "split IN two")
        await user.sees(r"╭─ Replace it\?")
        await user.press("y")
        await user.sees(r"Saved as split IN two")
    assert kept(tmp_path, "split-in-two")["method"] == "GET"


async def test_what_can_not_be_shared_is_refused_where_it_is_typed(service: RunningService, tmp_path: Path) -> None:
    key = service.key("sandbox").api_key
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types(f"GET lots q=={key}")
        await user.press("ctrl+s")
        await user.sees(r"╭─ Save request")
        await user.press("ctrl+s")
        await user.sees(r"The name is empty")
        await user.types("mine")
        await user.press("ctrl+s")
        await user.sees(r"The query contains an API key or signing secret")
        await user.press("escape")
        await user.loses(r"╭─ Save request")
    assert not (tmp_path / "requests").exists()


async def test_one_is_forgotten_after_a_question(service: RunningService, tmp_path: Path) -> None:
    path = shared(tmp_path, SPLIT)
    async with browser(service, tmp_path) as user:
        await user.sees(r"› Split in two")
        await user.press("1", "end", "delete")
        await user.sees(r"╭─ Delete a saved request")
        await chosen(user, "Delete shared.toml")
        await user.loses(r"› Split in two")
    assert not path.exists()


async def test_the_request_is_copied_as_the_file_it_would_be(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("GET lots/lot-000002")
        await user.press("f6")
        await user.sees(r"╭─ Copy ")
        await user.press("t")
        text = 'name = "GET /v1/operations/lots/lot-000002"\nmethod = "GET"\npath = "/v1/operations/lots/lot-000002"\n'
        await user.until(lambda: user.app.clipboard == text, "the file's text was not copied")
