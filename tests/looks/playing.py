"""Plays a scene: the program over a service of its own, up to where the scene ends."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
from tests.browser import User, browser
from tests.looks.scenes import Scene


@asynccontextmanager
async def played(scene: Scene, theme: str, size: tuple[int, int], state: Path) -> AsyncIterator[User]:
    """The program at the end of a scene."""
    with running_service(SandboxOptions(records=300)) as service:
        scene.before(service)
        async with browser(
            service,
            state,
            key=scene.key,
            secret=scene.secret,
            tour=scene.tour,
            place=scene.place,
            size=size,
            theme=theme,
            # What was read is always read just now: the client's clock is ahead, by less than is told.
            now=lambda: time.time() + 50,
            monotonic=lambda: 1000.0,
        ) as user:
            await scene.play(user)
            await user.settled()
            yield user
