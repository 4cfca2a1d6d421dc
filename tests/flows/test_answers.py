"""Answers of the console in the real app: narrowed, compared, opened, and given up while they are on their way."""

from pathlib import Path

from svc_tui.sandbox.inprocess import RunningService
from svc_tui.ui.panes.console import ConsolePane
from svc_tui.ui.widgets.answer_body import AnswerBody
from svc_tui.ui.widgets.completing_input import RequestLine
from svc_tui.ui.widgets.filter_line import FilterLine
from tests.browser import User, browser
from tests.flows.steps import chosen


async def at_console(user: User) -> None:
    """Open the console."""
    await user.sees(r"lot-000001")
    await user.press("4")
    await user.sees(r"╭─ Console ")


async def asked(user: User, line: str) -> None:
    """Send a request from the console, which is open."""
    console = user.app.screen.query_one(ConsolePane)
    field = console.query_one(RequestLine)
    field.focus()
    await user.until(lambda: field.has_focus, "the line has no focus")
    await user.press("ctrl+u")
    await user.types(line)
    before = len(console.transcript.entries)
    await user.press("ctrl+j")
    await user.until(lambda: len(console.transcript.entries) == before + 1, "nothing was sent")


async def answered(user: User, line: str) -> None:
    """Send a request, and wait for its answer."""
    await asked(user, line)
    console = user.app.screen.query_one(ConsolePane)
    await user.until(lambda: console.transcript.on_its_way is None, "no answer came")
    await user.sees(r"✓ 200 OK")


async def at_body(user: User) -> None:
    """Go to the body of the answer."""
    view = user.app.screen.query_one(AnswerBody).view
    view.focus()
    await user.until(lambda: view.has_focus, "the body has no focus")


async def test_a_path_narrows_an_answer_and_what_it_finds_is_copied(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await answered(user, "GET lots limit==3")
        await at_body(user)
        await user.press("vertical_line")
        line = user.app.screen.query_one(AnswerBody).query_one(FilterLine)
        await user.until(lambda: line.line.has_focus, "the line for a path is not open")
        await user.types("$.items[*].id")
        await user.sees(r"3 found")
        await user.sees(r"lot-000003")
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
        await user.sees(r"There is no other answer to compare")
