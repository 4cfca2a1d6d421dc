"""Every console line that README and guide show is sent from the console, and the service takes it."""

import re
from functools import partial
from pathlib import Path

from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.sandbox.server.request_log import ReceivedRequest
from svc_tui.ui.help.guide_pages import PAGES
from tests.browser import browser
from tests.flows.steps import sent_from_console
from tests.guide_blocks import README, inline_code

_LINE = re.compile(r"(?:console )?((?:GET|POST|PUT|PATCH|DELETE) [a-z][^…{]*)")
_ITEM = re.compile(r"\w+:=\S+|\w+==\w+|\?\w+=\w+|[A-Z][\w-]+:\w+|@[\w.]+")
"""What may follow a request on the line: a value as JSON, a query parameter, a header, a file."""


def console_lines() -> list[str]:
    """The lines of all pages, and each item of the table of what they are made of behind a request that can take it."""
    pages = [README, *(page.name for page in PAGES if not page.name.startswith("testing"))]
    whole = [found[1] for page in pages for code in inline_code(page) if (found := _LINE.fullmatch(code))]
    items = [code for code in inline_code("console") if _ITEM.fullmatch(code)]
    writes = ":=", "@"
    return [*whole, *(f"{'PATCH lots/lot-000002' if any(s in i for s in writes) else 'GET lots'} {i}" for i in items)]


def _sent(service: RunningService, before: int, method: str) -> ReceivedRequest | None:
    """The request of that method that came since: what the console reads itself may stand around a write."""
    return next((attempt for attempt in service.attempts[before:] if attempt.method == method), None)


def _answered(service: RunningService, before: int, method: str) -> bool:
    sent = _sent(service, before, method)
    return sent is not None and bool(sent.status)


async def test_every_line_of_the_pages_is_taken_by_the_service(service: RunningService, tmp_path: Path) -> None:
    lines = list(dict.fromkeys(console_lines()))
    assert len(lines) >= 7
    (tmp_path / "body.json").write_text('{"priority": "low"}')
    async with browser(service, tmp_path) as user:
        await user.sees("lot-000001")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        for line in lines:
            await user.press("ctrl+u")
            await user.types(line.replace("@body.json", f"@{tmp_path}/body.json"))
            before = len(service.attempts)
            method = line.split()[0]
            if method == "GET":
                await user.press("ctrl+j")
            else:
                await sent_from_console(user)
            await user.until(partial(_answered, service, before, method), f"{line} was not sent")
            await user.settled()
            sent = _sent(service, before, method)
            assert sent is not None
            assert sent.status == 200, f"{line}:\n{user.text}"
            assert sent.target.endswith("?status=open") is ("status" in line), sent.target
