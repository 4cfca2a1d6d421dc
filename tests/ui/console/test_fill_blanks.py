"""Blanks of a request that is to be sent: who is asked for them, and when nobody is."""

import pytest
from textual import on

from svc_tui.console.request_form import RequestForm, value_form
from svc_tui.core.catalog import SPLIT
from svc_tui.core.requests import RequestSpec
from svc_tui.ui.console.console_pane import ConsolePane
from svc_tui.ui.widgets.request.request_form_view import RequestFormView
from svc_tui.ui.widgets.request.request_inputs import PathInput
from tests.ui.console.test_console_pane import LOTS, ConsoleStage
from tests.ui.stage import until

TEXT = RequestSpec("PATCH", f"{LOTS}/lot-1", body=b'{"note":"{who} did it"}')


class BlanksStage(ConsoleStage):
    """Keeps what values were wanted for."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[RequestForm] = []

    @on(ConsolePane.ValuesWanted)
    def _values_wanted(self, event: ConsolePane.ValuesWanted) -> None:
        self.forms.append(event.form)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("GET lots/{id}", ["id"]),
        ("GET lots status=={s} ?q=a{b}", ["s", "b"]),
        ("PATCH lots/lot-1 note={who} massKg:={kg}", ["who", "kg"]),
    ],
)
async def test_a_request_with_blanks_is_not_sent_before_they_are_filled_in(line: str, names: list[str]) -> None:
    app = BlanksStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.start()
        await pilot.press(*(character if character != " " else "space" for character in line))
        await pilot.press("ctrl+j")
        await until(pilot, lambda: app.forms)
        assert [asked.name for asked in value_form(app.forms[0]).lines] == names
        assert app.sent == []


async def test_a_request_that_was_sent_once_has_no_blanks_in_its_texts() -> None:
    app = BlanksStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.prefill(TEXT)
        await pilot.press("ctrl+j")
        await until(pilot, lambda: app.sent)
        assert app.forms == []
        assert app.sent[0].body == rb'{"note":"\u007bwho} did it"}'


async def test_a_mistake_is_gone_to_before_values_are_asked_for() -> None:
    app = BlanksStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.prefill(SPLIT)
        form = app.query_one(RequestFormView)
        form.fill(RequestForm("POST", SPLIT.path, headers="nonsense", body=SPLIT.body))
        await pilot.press("ctrl+j")
        await until(pilot, lambda: app.focused is not None and app.focused.id == "form-headers")
        assert (app.forms, app.sent) == ([], [])


async def test_a_filled_request_stands_in_the_fields_and_is_sent() -> None:
    app = BlanksStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.prefill(SPLIT)
        await app.pane.send_filled(RequestForm("POST", f"{LOTS}/lot-1/split", body='{"parts": 2}'))
        await until(pilot, lambda: app.sent)
        assert app.sent == [RequestSpec("POST", f"{LOTS}/lot-1/split", body=b'{"parts": 2}')]
        assert app.query_one(PathInput).value == f"{LOTS}/lot-1/split"


async def test_a_blank_that_waits_is_told_as_such() -> None:
    app = BlanksStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.prefill(SPLIT)
        await until(pilot, lambda: app.sees("fill in {id}, or press ctrl+j to type the value"))
        await until(pilot, lambda: app.sees("Body ?"))
        app.query_one(RequestFormView).fill(RequestForm("POST", f"{LOTS}/lot-1/split", body='{"parts": }'))
        await until(pilot, lambda: app.sees("Body ✕"))
