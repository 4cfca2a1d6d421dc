"""What a key costs while an answer of 50 MB is made readable in the console, from the press to its field."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from textual import events
from textual.widgets import Input

from svc_tui.core.requests import Answer
from svc_tui.ui.widgets.answer.answer_body_view import AnswerBody
from tests.ui.stage import Stage

_RECORD = b'{"id": "lot-%06d", "grade": "A", "massKg": 1234.50, "open": true, "assay": {"au": 1.250, "ag": [1, 2]}}'


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """Seconds: `keys` of each key that was answered meanwhile, `whole` until the body was on the screen."""

    keys: Sequence[float]
    whole: float

    @property
    def worst(self) -> float:
        """The dearest key."""
        return max(self.keys)

    @property
    def median(self) -> float:
        """The key in the middle."""
        return median(self.keys)


def measure_answer(records: int = 500_000) -> AnswerFigures:
    """Press keys, one after the other, while an answer with so many records is read: a hundred bytes each."""
    body = b'{"items": [' + b",".join(_RECORD % number for number in range(records)) + b"]}"
    return asyncio.run(_measured(Answer(200, "OK", (("Content-Type", "application/json"),), body)))


async def _measured(answer: Answer) -> AnswerFigures:
    field, shown = Input(), AnswerBody()
    app = Stage(lambda: [field, shown])
    keys: list[float] = []
    async with app.run_test(size=(120, 40)):
        field.focus()
        begun = perf_counter()
        shown.show(answer)
        while not shown.view.text:
            pressed = perf_counter()
            app.post_message(events.Key("x", "x"))
            while len(field.value) == len(keys):  # noqa: ASYNC110  a field tells nobody but those around it
                await asyncio.sleep(0)
            keys.append(perf_counter() - pressed)
            # Whoever types leaves the program some time between two keys.
            await asyncio.sleep(0.05)
        return AnswerFigures(keys, perf_counter() - begun)
