"""A window that is dragged to and fro while rows come: afterwards the screen is right, and whole."""

import re
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.budget import share_of
from tests.e2e import steps
from tests.terminal import Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal

STORM = share_of(200)
CHANGES = re.compile(r" *200 · +[\d.]+ m?s|127\.0\.0\.1:\d+|env · \S+| +\^f Search all collections")


def settled(user: Terminal) -> str:
    """The screen without what is another each time."""
    return CHANGES.sub("", user.text)


def at_the_end(user: Terminal) -> None:
    """To the last record, at 100×30."""
    user.resize(100, 30)
    # A key that comes before the program knows of this size may still be pressed where nothing can be seen.
    user.sees(r"╭─ Collections ─+╮╭─ operations / lots ─")
    user.press("G")
    user.sees(r"lot-000300 ")
    user.sees(r"200 · [\d.]+ m?s")
    user.loses(r"┄┄┄|running|[⠁-⣿]")


@pytest.mark.parametrize("variables", [{}, {"TERM": "screen", "COLORTERM": ""}], ids=["true colour", "screen"])
def test_after_a_storm_of_sizes_the_screen_is_right_and_whole(
    service: RunningService, tmp_path: Path, variables: dict[str, str]
) -> None:
    environment = quiet_environment(tmp_path, **variables, **steps.connection(service, "sandbox"))
    with terminal(["lots"], environment, 100, 30) as calm:
        calm.sees(r"lot-000001 ")
        at_the_end(calm)
        with terminal(["lots"], environment, 100, 30) as user:
            for turn in range(STORM):
                user.resize(30 + 37 * turn % 150, 6 + 11 * turn % 50)
                if turn % 5 == 0:
                    user.press("pgdn")
                    user.reads()
            at_the_end(user)

            def alike() -> bool:
                # Something may have been left to draw there too.
                calm.reads()
                return settled(user) == settled(calm)

            user.until(alike, f"the screen is not like this one:\n{calm.text}")
            steps.quits(user)
        steps.quits(calm)
