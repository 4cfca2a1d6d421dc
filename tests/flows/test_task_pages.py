"""The numbered steps of the guide's pages, pressed as they are written there."""

import re
from pathlib import Path

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
from tests.browser import browser
from tests.guide_blocks import steps_of

TASKS = {"browsing": False, "fixing": False, "signing": True}
"""Each page with steps, and whether it is about `svc-tui demo --live`."""


@pytest.mark.parametrize("page", TASKS)
async def test_the_steps_of_a_task_lead_where_the_page_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    live, steps = TASKS[page], steps_of(page)
    assert len(steps) >= 3
    # The data of the demo, which the pages speak of.
    with running_service(SandboxOptions()) as service:
        key = "live" if live else "sandbox"
        async with browser(service, tmp_path, key=key, place="lots", name="demo", demo=True) as user:
            await user.settled()
            for step in steps:
                assert step.seen, f"a step says nothing of what is seen then: {step}"
                for keys in step.keys:
                    await user.press(*keys) if isinstance(keys, tuple) else await user.types(keys)
                    await user.settled()
                for words in step.seen:
                    await user.sees(r"\s+".join(map(re.escape, words.split())))
            if page == "fixing":
                assert "SUP-4711" in _case_file(tmp_path)


def _case_file(directory: Path) -> str:
    """Return the text of the one case file that the steps wrote."""
    [file] = directory.glob("case-*.md")
    return file.read_text(encoding="utf-8")
