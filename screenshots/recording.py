"""Makes the recording that the README opens with, from the real program: `python -m screenshots.recording`.

The script below is played on the embedded service; after each key the screen is a frame. Nothing in it is another the
next time: the clocks stand still, and what is made anew each time is shown as one that is always the same.
"""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from screenshots.animated_svg import Frame, Row, animated_svg, painted_row
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.browser import User, browser
from tests.looks.screen_cells import screen_rows, steady

NAME = "first-fix"
SIZE = (120, 34)
RECORD, FIELD, VALUE = "lot-000028", "massKg", "2228.45"
TITLE = "svc-tui: a record is found by a ticket's words, corrected, and sent"
DESCRIPTION = (
    "A recording of the terminal. The cursor goes down the table of lots. ctrl+f opens the search, where the words of "
    "a ticket are typed, zinc concentrate 28; enter opens that record beside the table. On its field massKg, e makes "
    "the value an input; ctrl+u clears it, 2228.45 is typed and applied with enter. ctrl+s shows the change, 2282.45 "
    "to 2228.45, and its request; y sends it, and a notice says that it is saved and that u undoes it."
)

_NOW = datetime(2026, 11, 20, 5, 12, 7, tzinfo=UTC).timestamp()
_TOOK = re.compile(r"\d(?= ms)")
"""How long an answer took: no time at all while the clock stands still."""


@dataclass(frozen=True, slots=True)
class Step:
    """A key to press, how long what it leads to is shown, and what it waits for on the screen.

    `label` names the key as the caption shows it, `words` tell what it does. Step `still` is the frame that stands
    where nothing moves.
    """

    key: str
    seconds: float
    label: str
    words: str
    awaits: str = ""
    still: bool = False


def _typed(text: str, seconds: float, last: float, words: str, awaits: str) -> tuple[Step, ...]:
    """A text, letter by letter; the whole of it is shown longer, and awaited."""
    names = {" ": "space", ".": "full_stop"}
    *before, end = (names.get(letter, letter) for letter in text)
    return (*(Step(key, seconds, text, words) for key in before), Step(end, last, text, words, awaits))


SCRIPT = (
    Step("", 2.0, "svc-tui demo", "the records of the service, loaded as you scroll", r"lot-000001"),
    *(Step("down", 0.35, "↓", "from row to row") for _ in range(3)),
    Step("ctrl+f", 1.4, "ctrl+f", "search for the words of a ticket", r"100 loaded records"),
    *_typed("zinc concentrate 28", 0.11, 1.5, "in any field, as you type", r"lots +lot-000028 "),
    Step("enter", 1.7, "enter", "open the record beside the table", rf"╭─ {RECORD} "),
    *(Step("down", 0.22, "↓", "to the field that is wrong") for _ in range(3)),
    Step("down", 0.7, "↓", "to the field that is wrong"),
    Step("e", 1.3, "e", "edit it in its place", r"⏎ Apply  esc Cancel"),
    Step("ctrl+u", 0.7, "ctrl+u", "clear the line", r"Enter a number"),
    *_typed(VALUE, 0.18, 1.1, "the correct value", rf"{FIELD} +{VALUE}"),
    Step("enter", 1.4, "enter", "apply it; nothing is sent yet", r"1 draft"),
    Step("ctrl+s", 3.4, "ctrl+s", "review the change and its request", rf"Change {RECORD}", still=True),
    Step("y", 3.6, "y", "send it; u would undo it", rf"Saved {RECORD}"),
)
STILL = next(number for number, step in enumerate(SCRIPT) if step.still)


async def frames_of(service: RunningService, state: Path) -> list[Frame]:
    """The frames of the script, played on that service; `state` is for the program's files."""
    async with browser(
        service, state, place="lots", size=SIZE, name="demo", now=lambda: _NOW, monotonic=lambda: 1000.0
    ) as user:
        await user.sees(SCRIPT[0].awaits)
        # The page that is read ahead: the finder looks into it too.
        await user.until(lambda: user.app.main.workspace.browse.rows.cached == 100, "the page ahead was not read")
        return [await _frame(user, step) for step in SCRIPT]


async def _frame(user: User, step: Step) -> Frame:
    """What a step leads to."""
    if step.key:
        await user.press(step.key)
    await user.sees(step.awaits)
    await user.settled()
    return Frame(_screen(user), step.seconds, step.label, step.words)


def _screen(user: User) -> tuple[Row, ...]:
    """The screen as it is painted, with the same text each time."""
    rows = [[segment for segment in row if not segment.control] for row in screen_rows(user.app)]
    texts = ("".join(segment.text for segment in row) for row in rows)
    return tuple(painted_row(row, _TOOK.sub("4", steady(text))) for row, text in zip(rows, texts, strict=True))


@contextmanager
def service_of_recording() -> Iterator[RunningService]:
    """What the recording is played on: the demo's service, its clock standing still."""
    with running_service(SandboxOptions(), clock=lambda: _NOW) as service:
        yield service


async def recording() -> tuple[str, str]:
    """The recording as SVG, and the frame that stands as text."""
    with service_of_recording() as service, tempfile.TemporaryDirectory() as state:
        frames = await frames_of(service, Path(state))
    text = "\n".join("".join(part for part, _ in row).rstrip() for row in frames[STILL].rows)
    return animated_svg(frames, STILL, TITLE, DESCRIPTION), f"{text}\n"


async def write_recording(folder: Path) -> None:
    """Make both files in a folder."""
    drawn, text = await recording()
    (folder / f"{NAME}.svg").write_text(drawn, encoding="utf-8")
    (folder / f"{NAME}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run_on_loop(write_recording(Path(__file__).parent))
