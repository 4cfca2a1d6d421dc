"""Makes the pictures of the README from the real program on its embedded service: `python -m screenshots.make`.

The recording that it opens with is made last, and alone by `python -m screenshots.recording`. Beside each lies the
same screen as text, for places that show no pictures; see `release/description.py`.
"""

import asyncio
import tempfile
from pathlib import Path

from screenshots.recording import write_recording
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
from tests.browser import browser
from tests.looks.scenes import SCENES
from tests.looks.screen_cells import screen_text

HERE = Path(__file__).parent
SHOWN = ("browse", "change-card", "corrections", "live", "console", "finder")


async def picture(name: str, theme: str, size: tuple[int, int]) -> tuple[str, str]:
    """One scene as SVG, and as text."""
    scene = SCENES[name]
    with running_service(SandboxOptions()) as service, tempfile.TemporaryDirectory() as state:
        scene.before(service)
        async with browser(
            service, Path(state), key=scene.key, place=scene.place, size=size, theme=theme, name="demo"
        ) as user:
            await scene.play(user)
            return user.app.export_screenshot(title="svc-tui"), screen_text(user.app)


async def main() -> None:
    """Make them all."""
    for name in SHOWN:
        drawn, text = await picture(name, "svc-dark", (120, 34))
        (HERE / f"{name}.svg").write_text(drawn, encoding="utf-8")
        (HERE / f"{name}.txt").write_text(text, encoding="utf-8")
    await write_recording(HERE)


if __name__ == "__main__":
    asyncio.run(main())
