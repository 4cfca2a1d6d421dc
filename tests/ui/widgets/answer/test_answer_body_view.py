"""The body of an answer: a path narrows it, the whole comes back, and what is under the cursor is copied."""

from datetime import UTC, datetime

import pytest
from textual.pilot import Pilot

from svc_tui.core.requests import Answer, Exchange, SignedRequest
from svc_tui.service import traffic
from svc_tui.ui.widgets.answer.answer_body_view import LARGE_BODY_BYTES, AnswerBody
from svc_tui.ui.widgets.answer.answer_view import AnswerView
from svc_tui.ui.widgets.inputs.filter_input import FilterInput
from tests.ui.stage import Stage, picture, until

LOTS = b'{"items": [{"id": "lot-1", "massKg": 1.50}, {"id": "lot-2", "massKg": 7}], "meta": {"total": 2}}'


class AnswerStage(Stage):
    """A stage for an answer; keeps what it was asked to copy and to save."""

    def __init__(self) -> None:
        self.view = AnswerView()
        self.copied = ""
        self.copies: dict[str, str] = {}
        self.saved: tuple[str, bytes] | None = None
        super().__init__(lambda: [self.view])

    def on_answer_view_copied(self, event: AnswerView.Copied) -> None:
        self.copied = event.text

    def on_answer_view_copy_wanted(self, event: AnswerView.CopyWanted) -> None:
        self.copies = {copy.key: copy.make() for copy in event.copies}

    def on_answer_view_save_wanted(self, event: AnswerView.SaveWanted) -> None:
        self.saved = event.name, event.data

    def sees(self, text: str) -> bool:
        return any(text in line for line in picture(self))

    def answer(
        self,
        body: bytes = LOTS,
        content_type: str = "application/json",
        *,
        waited: float = 0.0,
        first_byte: float = 0.0,
        connecting: float | None = None,
    ) -> None:
        """Show an answer with that body, and go there."""
        request = SignedRequest("GET", "https://x/v1/operations/lots", "/v1/operations/lots", (), b"", "17.GET.x.e3b0")
        answer = Answer(200, "OK", (("Content-Type", content_type),), body)
        at = datetime(2026, 11, 20, tzinfo=UTC)
        exchange = Exchange(request, answer, 1, 0.038, at, waited=waited, first_byte=first_byte, connecting=connecting)
        self.view.show_exchange(exchange, ())
        self.body.view.focus()

    @property
    def narrowed(self) -> bool:
        """Whether what a path finds is on show."""
        return self.body.narrowed is not None

    @property
    def body(self) -> AnswerBody:
        return self.query_one(AnswerBody)


async def follows(app: AnswerStage, pilot: Pilot[object], path: str, text: str) -> None:
    """Type a path, whatever stands in the line, and wait for what it finds."""
    await pilot.press("vertical_line")
    line = app.query_one(FilterInput)
    await until(pilot, lambda: line.line.has_focus)
    line.line.value = path
    await until(pilot, lambda: app.body.view.text == text)


async def test_a_path_narrows_as_one_types_and_esc_gives_the_whole_back() -> None:
    app = AnswerStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.answer()
        whole = app.body.view.text
        await pilot.press("vertical_line", *"$..massKg")
        await until(pilot, lambda: app.body.view.text == "[\n  1.50,\n  7\n]")
        await until(pilot, lambda: app.sees("2 matches"))
        # Enter goes into what was found, the line staying where it is.
        await pilot.press("enter")
        await until(pilot, lambda: app.body.view.has_focus)
        assert app.sees("| $..massKg")
        assert (app.view.text, app.narrowed) == ("[\n  1.50,\n  7\n]", True)
        await follows(app, pilot, "$.nothing", "[]")
        await until(pilot, lambda: app.sees("no matches"))
        await pilot.press("escape")
        await until(pilot, lambda: app.body.view.text == whole)
        await until(pilot, lambda: app.body.view.has_focus)
        assert not app.narrowed
        assert not app.view.close_line()


async def test_a_mistake_is_told_at_its_column_and_the_last_good_result_stays() -> None:
    app = AnswerStage()
    async with app.run_test(size=(100, 24)) as pilot:
        app.answer()
        await follows(app, pilot, "$.items[1].id", '"lot-2"')
        app.query_one(FilterInput).line.value = "$.items[1].id["
        await until(pilot, lambda: app.sees("column 15: unexpected end"))
        assert app.body.view.text == '"lot-2"'
        await follows(app, pilot, "$.items[0].id", '"lot-1"')
        await until(pilot, lambda: app.sees("1 match"))
        assert not app.sees("column")


async def test_what_a_path_finds_is_copied_saved_and_paged() -> None:
    app = AnswerStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.answer()
        await follows(app, pilot, "$.items[0]", '{\n  "id": "lot-1",\n  "massKg": 1.50\n}')
        await until(pilot, lambda: app.narrowed)
        await pilot.press("enter")
        await until(pilot, lambda: app.body.view.has_focus)
        app.view.action_save()
        await until(pilot, lambda: app.saved is not None)
        assert app.saved == ("lots-found.json", b'{\n  "id": "lot-1",\n  "massKg": 1.50\n}')
        await pilot.press("down", "down", "y")
        await until(pilot, lambda: app.copies)
        assert app.copies["v"] == "1.50"
        assert app.copies["b"] == app.view.text


async def test_the_value_and_the_path_under_the_cursor_are_copied() -> None:
    app = AnswerStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.answer()
        await pilot.press(*["down"] * 4, "c")
        await until(pilot, lambda: app.copied == "1.50")
        await pilot.press("y")
        await until(pilot, lambda: app.copies)
        assert app.copies == {
            "v": "1.50",
            "p": "$.items[0].massKg",
            "b": app.view.text,
            "h": "Content-Type: application/json",
            "s": "17.GET.x.e3b0",
        }
        await pilot.press("right_curly_bracket", "c")
        await until(pilot, lambda: app.copied == "Content-Type: application/json")


async def test_only_json_is_narrowed() -> None:
    app = AnswerStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.answer(b"<h1>Bad</h1>", "text/html")
        await until(pilot, lambda: app.sees("a web page"))
        await pilot.press("vertical_line")
        await until(pilot, lambda: app.sees("JSONPath works only on JSON"))
        assert app.body.view.has_focus


async def test_the_bytes_of_a_body_are_a_tab_beside_it() -> None:
    app = AnswerStage()
    async with app.run_test(size=(90, 24)) as pilot:
        app.answer(b"\x89PNG\r\n\x1a\n" + bytes(600), "image/png")
        await until(pilot, lambda: app.sees("binary, image/png, 608 B, the first 512 bytes"))
        await until(pilot, lambda: app.sees("00000000  89 50 4e 47 0d 0a 1a 0a 00"))
        await pilot.press("left_curly_bracket")
        await until(pilot, lambda: app.view.text.startswith("00000000  89 50") and "00000250  " in app.view.text)


async def test_an_answer_that_comes_while_a_path_is_typed_is_shown_whole() -> None:
    app = AnswerStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.answer()
        await follows(app, pilot, "$.meta.total", "2")
        app.answer(b'{"other": 1}')
        await until(pilot, lambda: app.body.view.text == '{\n  "other": 1\n}')
        await until(pilot, lambda: app.body.view.has_focus)
        # The path asked of the answer before it is not asked of this one.
        await pilot.press("vertical_line")
        await until(pilot, lambda: app.query_one(FilterInput).line.has_focus)
        assert app.query_one(FilterInput).line.value == ""
        assert not app.narrowed


async def test_a_large_body_is_narrowed_too() -> None:
    app = AnswerStage()
    async with app.run_test(size=(80, 24)) as pilot:
        body = b'{"items": [' + b",".join(b'{"id": "lot-%d"}' % number for number in range(30_000)) + b"]}"
        assert len(body) > LARGE_BODY_BYTES
        app.answer(body)
        await pilot.press("vertical_line")
        await until(pilot, lambda: len(app.body.view.text) > len(body))
        await follows(app, pilot, "$.items[29999]", '{\n  "id": "lot-29999"\n}')
        await follows(app, pilot, "$..id", "[\n  " + ",\n  ".join(f'"lot-{n}"' for n in range(30_000)) + "\n]")
        await pilot.press("escape")
        await until(pilot, lambda: len(app.body.view.text) > len(body))


@pytest.mark.parametrize(
    ("connecting", "words"),
    [
        (None, "waited 2.0 s · first byte 31 ms · total 38 ms"),
        (0.0, "waited 2.0 s · connection reused · first byte 31 ms · total 38 ms"),
        (0.012, "waited 2.0 s · connecting 12 ms · first byte 31 ms · total 38 ms"),
    ],
)
async def test_where_the_time_went_stands_with_the_request(connecting: float | None, words: str) -> None:
    app = AnswerStage()
    async with app.run_test(size=(100, 24)) as pilot:
        app.answer(waited=2.0, first_byte=0.031, connecting=connecting)
        app.view.action_step(2)
        await until(pilot, lambda: app.sees(f"times: {words}"))


async def test_while_a_read_is_on_its_way_the_key_that_cancels_it_is_named() -> None:
    app = AnswerStage()
    async with app.run_test(size=(90, 24)) as pilot:
        app.answer(b"<h1>Bad</h1>", "text/html")
        await until(pilot, lambda: app.sees("a web page"))
        app.view.show_waiting(None, left=True)
        app.view.show_stage(traffic.Stage.CONNECTING)
        await until(pilot, lambda: app.sees("sending · connecting"))
        await until(pilot, lambda: app.sees("esc stop"))
        assert not app.sees("a web page")
        app.answer(b"<h1>Bad</h1>", "text/html")
        await until(pilot, lambda: app.sees("a web page"))
        assert not app.sees("esc stop")
