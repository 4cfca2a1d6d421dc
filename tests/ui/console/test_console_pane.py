"""The request console: what is typed becomes a request, nothing leaves by accident, and every answer is shown."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual import events, on
from textual.pilot import Pilot

from svc_tui.bootstrap.user_files import read_body
from svc_tui.client.attempts import RuntimeEnvironment
from svc_tui.client.client import SignedClient
from svc_tui.console.request_form import RequestForm, form_of, known_paths
from svc_tui.console.transcript import MAX_ENTRIES
from svc_tui.core.catalog import COLLECTIONS, DOMAINS, ROUTES, SPLIT, VERIFY
from svc_tui.core.credentials import Environment, KeyPair
from svc_tui.core.jsontext import number
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import Answer, Exchange, RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.service.errors import ConnectionBroken, NotFound, RequestRefused, SendResult
from svc_tui.service.traffic import Answered, Retrying, Sent
from svc_tui.ui.console.composer import RequestComposer
from svc_tui.ui.console.console_pane import ConsolePane
from svc_tui.ui.widgets.answer.answer_view import AnswerView
from svc_tui.ui.widgets.answer.exchange_text import request_text
from svc_tui.ui.widgets.bars.tab_bar import TabBar
from svc_tui.ui.widgets.request.request_form_view import MAX_INLINE_BODY, RequestFormView, RequestTextArea
from svc_tui.ui.widgets.request.request_inputs import MethodInput, PathInput, RequestLineInput
from svc_tui.ui.widgets.text.text_view import TextView
from tests.ui.stage import Stage, picture, until

LOTS = "/v1/operations/lots"
SECRET = "whsec_hidden"


class ConsoleStage(Stage):
    """A stage for the console alone; keeps what it was asked to send."""

    def __init__(self, environment: Environment = Environment.SANDBOX) -> None:
        prefix = "svc_live_" if environment is Environment.LIVE else "svc_test_"
        profile = Profile("p", "https://live.example.com", "https://sandbox.example.com")
        self.client = SignedClient(
            profile,
            KeyPair(f"{prefix}1234567890", SECRET),
            runtime=RuntimeEnvironment(now=lambda: 1_700_000_000.0),
        )
        lots = COLLECTIONS[0], [Record({"id": "lot-1", "grade": "A", "massKg": number(7)})]
        self.pane = ConsolePane(
            RequestComposer(
                self.client,
                COLLECTIONS,
                known_paths=known_paths(DOMAINS, ROUTES),
                idempotency_header="Idempotency-Key",
                held=lambda: [lots],
                read_body=read_body,
            )
        )
        self.sent: list[RequestSpec] = []
        self.left = 0
        self.saved: tuple[str, bytes] | None = None
        self.copied = ""
        self.opened: Place | None = None
        self.asked: tuple[tuple[str, str], ...] = ()
        self.copies: dict[str, str] = {}
        super().__init__(lambda: [self.pane])

    @on(ConsolePane.Submitted)
    def _sent(self, event: ConsolePane.Submitted) -> None:
        self.sent.append(event.spec)

    @on(ConsolePane.OpenWanted)
    def _opened(self, event: ConsolePane.OpenWanted) -> None:
        self.opened, self.asked = event.place, event.query

    @on(AnswerView.SaveWanted)
    def _saved(self, event: AnswerView.SaveWanted) -> None:
        self.saved = event.name, event.data

    @on(AnswerView.Copied)
    def _copied_text(self, event: AnswerView.Copied) -> None:
        self.copied = event.text

    @on(AnswerView.CopyWanted)
    def _copies_offered(self, event: AnswerView.CopyWanted) -> None:
        self.copies = {copy.label: copy.make() for copy in event.copies}

    @on(ConsolePane.CopyWanted)
    def _copied(self, event: ConsolePane.CopyWanted) -> None:
        self.copies = {copy.label: copy.make() for copy in event.copies}

    @on(ConsolePane.LeaveWanted)
    def _left(self) -> None:
        self.left += 1

    def sees(self, text: str) -> bool:
        return any(text in line for line in picture(self))

    def answered(self, spec: RequestSpec, answer: Answer, *, attempts: int = 1, waited: float = 0.0) -> Exchange:
        signed = self.client.preview(spec)
        return Exchange(signed, answer, attempts, 0.038, datetime(2026, 1, 1, tzinfo=UTC), waited=waited)


def start_request(pane: ConsolePane, spec: RequestSpec) -> None:
    """Have the pane show the request as in flight; nothing is sent."""
    pane.requests.start(form_of(spec), spec, pane.composer.preview_or_none(spec))


def json_answer(body: bytes = b'{"id":"lot-1","mass":1.500}', status: int = 200, reason: str = "OK") -> Answer:
    return Answer(status, reason, (("Content-Type", "application/json"),), body)


async def type_text(pilot: Pilot[object], text: str) -> None:
    await pilot.press(*text)


async def test_a_typed_path_is_completed_and_sent_by_ctrl_j_alone() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.start()
        path = app.query_one(PathInput)
        path.focus()
        await type_text(pilot, "/v1/operations/tu")
        await until(pilot, lambda: path._suggestion == "/v1/operations/tunnels")
        await pilot.press("tab")
        assert path.value == "/v1/operations/tunnels"
        await pilot.press("enter")
        assert app.sent == [RequestSpec("GET", "/v1/operations/tunnels")]


async def test_what_is_proposed_fits_the_method_also_when_that_changes() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.start()
        path = app.query_one(PathInput)
        path.focus()
        await type_text(pilot, "operations/lots/lot-1/")
        await type_text(pilot, "a")
        await until(pilot, lambda: path._suggestion == "operations/lots/lot-1/attachments")
        app.query_one(MethodInput).value = "DELETE"
        await until(pilot, lambda: path._suggestion == "")
        await pilot.press("backspace")
        app.query_one(MethodInput).value = "POST"
        await type_text(pilot, "s")
        await until(pilot, lambda: path._suggestion == "operations/lots/lot-1/split")


async def test_one_line_is_enough_and_the_form_follows_it() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.start()
        await type_text(pilot, "PATCH lots/lot-1 grade=B massKg:=1.50 ?dry=1 X-Trace:7")
        await pilot.pause()
        assert app.query_one(RequestFormView).form == RequestForm(
            "PATCH", "lots/lot-1", "dry=1", "X-Trace: 7", '{"grade":"B","massKg":1.50}'
        )
        assert app.sees(f"→{LOTS}/lot-1?dry=1")
        await pilot.press("enter")
        assert app.sent == []
        await pilot.press("ctrl+j")
        body = b'{"grade":"B","massKg":1.50}'
        assert app.sent == [RequestSpec("PATCH", f"{LOTS}/lot-1", (("dry", "1"),), (("X-Trace", "7"),), body)]


async def test_the_line_follows_the_form() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(100, 30)) as pilot:
        line = app.query_one(RequestLineInput)
        app.pane.prefill(RequestSpec("POST", LOTS, body=b'{\n  "grade": "A b"\n}'))
        await pilot.pause()
        assert line.value == f"POST {LOTS} grade='A b'"
        app.query_one(MethodInput).value = "PUT"
        app.query_one(PathInput).value = "lots/lot-1"
        app.query_one("#form-query", RequestTextArea).load_text("page=2\nq=a%26b")
        app.query_one("#form-headers", RequestTextArea).load_text("X-One: 1\nX-Tw")
        await until(pilot, lambda: line.value == "PUT lots/lot-1 page==2 q==a&b X-One:1 grade='A b'")


async def test_what_the_line_leaves_out_stays_in_the_form() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(100, 30)) as pilot:
        body = '{"note": "' + "x" * MAX_INLINE_BODY + '"}'
        app.pane.prefill(RequestSpec("POST", LOTS, body=body.encode()))
        app.pane.start()
        await type_text(pilot, " dry==1")
        form = app.query_one(RequestFormView)
        await until(pilot, lambda: form.form.query == "dry=1")
        assert form.form.body == body
        assert app.query_one(RequestLineInput).value == f"POST {LOTS} dry==1"


async def test_a_line_that_is_no_request_says_why_and_is_not_sent() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.start()
        await type_text(pilot, "PATCH lots/lot-1 massKg:=1,5 ")
        await until(pilot, lambda: app.sees("✕ column 18: massKg is not valid JSON"))
        await pilot.press("ctrl+j")
        line = app.query_one(RequestLineInput)
        assert (app.sent, app.focused, line.cursor_position) == ([], line, 17)
        await pilot.press("end", *["backspace"] * 3, "ctrl+j")
        assert [spec.body for spec in app.sent] == [b'{"massKg":1}']


async def test_the_line_completes_paths_and_the_names_of_fields_seen() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.start()
        line = app.query_one(RequestLineInput)
        await type_text(pilot, "PATCH tu")
        await until(pilot, lambda: line._suggestion == "PATCH tunnels")
        await pilot.press(*["backspace"] * 2)
        await type_text(pilot, "lots/lot-1 ma")
        await until(pilot, lambda: line._suggestion == "PATCH lots/lot-1 massKg=")
        await pilot.press("tab")
        assert line.value == "PATCH lots/lot-1 massKg="


async def test_the_body_completes_the_names_of_fields_seen() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.prefill(RequestSpec("PATCH", f"{LOTS}/lot-1", body=b"{}"))
        app.query_one(TabBar).chosen = 2
        await pilot.pause()
        body = app.query_one("#form-body", RequestTextArea)
        body.focus()
        await pilot.press("end", "left")
        await type_text(pilot, '"gr')
        await pilot.press("tab")
        assert body.text == '{"grade": }'
        await type_text(pilot, '"gr')
        assert body.suggestion == ""


async def test_a_key_lays_the_body_out_and_ctrl_z_takes_it_back() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.prefill(RequestSpec("PATCH", f"{LOTS}/lot-1", body=b'{"massKg":1.50}'))
        app.query_one("#form-body", RequestTextArea).focus()
        await pilot.press("ctrl+l")
        body = app.query_one("#form-body", RequestTextArea)
        assert body.text == '{\n  "massKg": 1.50\n}'
        await pilot.press("ctrl+z")
        assert body.text == '{"massKg":1.50}'


async def test_a_body_from_a_file_is_read_when_it_is_sent(tmp_path: Path) -> None:
    app = ConsoleStage()
    file = tmp_path / "my split.json"
    async with app.run_test(size=(160, 30)) as pilot:
        app.pane.start()
        await type_text(pilot, f"POST lots/lot-1/split '@{file}'")
        await pilot.press("ctrl+j")
        await until(pilot, lambda: app.sees("does not exist or is not a file"))
        assert app.sent == []
        file.write_bytes(b'{"parts": 2}\n')
        await pilot.press("ctrl+j")
        await until(pilot, lambda: bool(app.sent))
        assert app.sent == [RequestSpec("POST", f"{LOTS}/lot-1/split", body=b'{"parts": 2}\n')]
        assert app.query_one(RequestLineInput).value.endswith(f"'@{file}'")


async def test_paths_asked_for_in_this_session_are_proposed_again() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(100, 30)) as pilot:
        spec = RequestSpec("GET", "/v1/operations/ore-passes")
        app.pane.prefill(spec)
        await pilot.press("ctrl+j")
        app.pane.show_end(app.answered(spec, json_answer()), None)
        path = app.query_one(PathInput)
        path.value = ""
        path.focus()
        await type_text(pilot, "/v1/operations/or")
        await until(pilot, lambda: path._suggestion == "/v1/operations/ore-passes")


async def test_the_request_is_copied_as_it_stands_without_its_key() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.start()
        await type_text(pilot, "PATCH lots/lot-1 grade=B X-T:7")
        await pilot.press("f6")
        await until(pilot, lambda: bool(app.copies))
        line = f"""svc-tui request PATCH {LOTS}/lot-1 -H 'X-T: 7' -d '{{"grade":"B"}}'"""
        assert app.copies["svc-tui request"] == line
        assert list(app.copies) == ["svc-tui request", "curl", "Python", "saved request"]
        assert not any("svc_test_1" in text or SECRET in text for text in app.copies.values())
        assert app.sent == []


async def test_y_copies_outside_the_fields_and_what_is_no_request_is_not_copied() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.prefill(RequestSpec("GET", f"{LOTS}/lot-1"))
        app.query_one("#answer-body").focus()
        await pilot.press("y")
        await until(
            pilot, lambda: app.copies.get("link") == "svctui://sandbox@sandbox.example.com/operations/lots/lot-1"
        )
        app.copies = {}
        app.pane.prefill(SPLIT)
        await pilot.press("f6")
        await pilot.pause()
        assert app.copies == {}
        assert app.sees("fill in {")


async def test_an_empty_path_is_a_hint_and_asked_for_in_place() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.start()
        await until(pilot, lambda: app.sees("path, such as operations/lots"))
        await pilot.press("ctrl+j")
        await until(pilot, lambda: app.sees("type a path first"))
        assert app.focused is app.query_one(PathInput)
        assert app.sent == []
        await type_text(pilot, "x")
        await until(pilot, lambda: not app.sees("type a path first"))


async def test_tab_goes_on_where_there_is_nothing_to_complete() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(PathInput).focus()
        await type_text(pilot, "/v1/other")
        await pilot.press("tab")
        assert isinstance(app.focused, TabBar)


async def test_what_goes_out_is_shown_as_one_types_with_the_reason_where_nothing_would() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.prefill(RequestSpec("GET", "operations/lots", (("q", "a&b"), ("page", "1"))))
        await pilot.pause()
        assert app.sees("→/v1/operations/lots?q=a%26b&page=1")
        app.pane.prefill(RequestSpec("GET", "/v1/auth/login"))
        await pilot.pause()
        assert app.sees("✕ API keys can't call routes")
        await pilot.press("ctrl+j")
        app.pane.prefill(RequestSpec("GET", LOTS, headers=(("Authorization", "Bearer x"),)))
        await pilot.pause()
        assert app.sees("✕ the header Authorization can't be set")
        await pilot.press("ctrl+j")
        assert app.sent == []


async def test_a_bad_json_body_is_named_by_line_and_not_sent() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(100, 24)) as pilot:
        app.pane.prefill(RequestSpec("PATCH", f"{LOTS}/lot-1", body=b'{"grade": }'))
        await pilot.pause()
        assert app.sees("line 1, column 11: not valid JSON")
        await pilot.press("ctrl+j")
        body = app.query_one("#form-body", RequestTextArea)
        assert app.focused is body
        assert body.cursor_location == (0, 10)
        assert app.sent == []
        await type_text(pilot, '"B"')
        await pilot.press("ctrl+j")
        assert app.sent == [RequestSpec("PATCH", f"{LOTS}/lot-1", body=b'{"grade": "B"}')]


async def test_ctrl_j_in_an_editor_sends_and_types_nothing() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.prefill(RequestSpec("GET", LOTS))
        query = app.query_one("#form-query", RequestTextArea)
        query.focus()
        await type_text(pilot, "page=2")
        await pilot.press("enter")
        await type_text(pilot, "limit=5")
        await pilot.press("ctrl+j")
        assert app.sent == [RequestSpec("GET", LOTS, (("page", "2"), ("limit", "5")))]
        assert query.text == "page=2\nlimit=5"


async def test_the_method_cycles_or_is_typed_and_get_keeps_its_body_here() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.prefill(RequestSpec("POST", LOTS, body=b'{"grade":"A"}'))
        method = app.query_one(MethodInput)
        method.focus()
        await pilot.press("up")
        assert method.value == "GET"
        await until(pilot, lambda: app.sees("GET sends no body"))
        await pilot.press("ctrl+j")
        assert app.sent == [RequestSpec("GET", LOTS)]
        await pilot.press("home", *["delete"] * 3, *"options")
        assert method.value == "OPTIONS"
        await pilot.press("down")
        assert method.value == "GET"


async def test_routes_wait_for_their_blanks() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.prefill(SPLIT)
        await type_text(pilot, "lot-7")
        assert app.query_one(PathInput).value == f"{LOTS}/lot-7/split"
        await pilot.press("ctrl+j")
        assert app.sent == []
        assert app.sees("fill in {parts}")
        app.pane.prefill(VERIFY)
        await pilot.pause()
        assert app.sees("fill in {tunnelId}")
        await type_text(pilot, "tun-1")
        await pilot.press("ctrl+j")
        assert app.sent == [RequestSpec("GET", VERIFY.path, (("tunnelId", "tun-1"),))]


async def test_an_answer_is_shown_with_its_facts_headers_and_the_string_that_was_signed() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        spec = RequestSpec("GET", LOTS)
        app.pane.prefill(spec)
        start_request(app.pane, spec)
        exchange = replace(app.answered(spec, json_answer(), attempts=2, waited=2.0), first_byte=0.031)
        app.pane.show_end(exchange, None)
        await pilot.pause()
        assert app.sees("✓ 200 OK · 38 ms · 27 B · 2 attempts, waited 2.0 s")
        assert app.sees('"mass": 1.500')
        answer = app.query_one(AnswerView)
        answer.query_one("#answer-body").focus()
        await pilot.press("right_curly_bracket")
        assert app.sees("Content-Type: application/json")
        await pilot.press("right_curly_bracket")
        assert app.sees(f"1700000000.GET.{LOTS}.e3b0c442")
        assert app.sees("times: waited 2.0 s · first byte 31 ms · total 38 ms")
        assert "svc_test_1234567890" not in app.pane.text
        assert SECRET not in app.pane.text


async def test_attempts_are_told_while_waiting_and_the_spinner_waits_a_moment() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        spec = RequestSpec("GET", LOTS)
        app.pane.prefill(spec)
        start_request(app.pane, spec)
        await pilot.press("ctrl+j")
        assert app.sent == []
        assert app.sees("still waiting")
        app.pane.requests.handle_traffic(Sent(3, 1, "GET", LOTS))
        app.pane.requests.handle_traffic(Answered(9, 500, 0.1))
        app.pane.requests.handle_traffic(Answered(3, 429, 0.1, "rate_limit_exceeded"))
        app.pane.requests.handle_traffic(Retrying(3, 2, 2.0, "429"))
        await until(pilot, lambda: app.sees("sending · 429 rate_limit_exceeded · waiting 2.0 s"))
        await until(pilot, lambda: app.sees("⠋") or app.sees("⠙"))
        app.pane.requests.handle_traffic(Sent(3, 2, "GET", LOTS))
        app.pane.requests.handle_traffic(Answered(3, 200, 0.1))
        app.pane.show_end(app.answered(spec, json_answer(), attempts=2, waited=2.0), None)
        await pilot.pause()
        assert app.pane.requests.transcript.entries[-1].attempt_texts == (
            "429 rate_limit_exceeded",
            "waited 2.0 s",
            "sent again",
        )
        await pilot.press("ctrl+j")
        assert app.sent == [spec]


async def test_an_error_answer_says_what_it_means_and_shows_its_body() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        spec = RequestSpec("GET", f"{LOTS}/nope")
        app.pane.prefill(spec)
        start_request(app.pane, spec)
        exchange = app.answered(spec, json_answer(b'{"error":{"code":"[/x]"}}', 404, "Not Found"))
        app.pane.show_end(exchange, NotFound("there is no lot nope", exchange=exchange))
        await pilot.pause()
        assert app.sees("✕ 404 Not Found")
        assert app.sees("there is no lot nope.")
        assert app.sees('"code": "[/x]"')


async def test_a_write_of_unknown_outcome_says_how_to_take_it_up_again() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        spec = RequestSpec("POST", LOTS, body=b"{}")
        app.pane.prefill(spec)
        start_request(app.pane, spec)
        app.pane.show_end(None, ConnectionBroken("the connection broke", idempotency_key="key-1"))
        await pilot.pause()
        assert app.sees("✕ no response")
        assert app.sees("not known")
        assert app.sees("same idempotency key")


async def test_a_write_whose_answer_broke_off_is_said_to_be_carried_out() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        spec = RequestSpec("POST", LOTS, body=b"{}")
        app.pane.prefill(spec)
        start_request(app.pane, spec)
        app.pane.show_end(None, ConnectionBroken("the answer's body broke off", sent=SendResult.DONE))
        await pilot.pause()
        assert app.sees("✕ incomplete response")
        assert app.sees("The change was saved")


async def test_a_refusal_before_sending_leaves_nothing_waiting() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.prefill(RequestSpec("GET", LOTS))
        await pilot.press("ctrl+j")
        app.pane.show_end(None, RequestRefused("LIVE is locked"))
        await pilot.pause()
        assert app.sees("LIVE is locked.")
        assert app.sees("✕ not sent")
        assert not app.sees("no answer")
        assert not app.sees("Nothing was sent")
        await pilot.press("ctrl+j")
        assert len(app.sent) == 2


async def test_up_and_down_walk_through_the_requests_and_come_back_to_what_was_typed() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        path = app.query_one(PathInput)
        for name in ("a", "b"):
            spec = RequestSpec("GET", f"/v1/{name}")
            app.pane.prefill(spec)
            await pilot.pause()
            start_request(app.pane, spec)
            app.pane.show_end(app.answered(spec, json_answer(f'"answer {name}"'.encode())), None)
        await pilot.press("up")
        assert path.value == "/v1/a"
        assert app.sees('"answer a"')
        assert app.sees("1 of 2")
        await pilot.press("up")
        assert path.value == "/v1/a"
        await pilot.press("down")
        assert (path.value, app.sees('"answer b"')) == ("/v1/b", True)
        await type_text(pilot, "c")
        await pilot.press("up")
        assert path.value == "/v1/a"
        await pilot.press("down", "down")
        assert path.value == "/v1/bc"


async def test_the_transcript_keeps_the_latest_requests() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)):
        for number in range(MAX_ENTRIES + 5):
            spec = RequestSpec("GET", f"/v1/{number}")
            start_request(app.pane, spec)
            app.pane.show_end(app.answered(spec, json_answer()), None)
        assert [entry.spec.path for entry in app.pane.requests.transcript.entries] == [
            f"/v1/{n}" for n in range(5, MAX_ENTRIES + 5)
        ]
        assert all(entry.exchange or entry.failure for entry in app.pane.requests.transcript.entries)


async def test_an_answer_that_comes_while_one_looks_elsewhere_waits_in_its_place() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        first, second = RequestSpec("GET", "/v1/a"), RequestSpec("GET", "/v1/b")
        app.pane.prefill(first)
        start_request(app.pane, first)
        app.pane.show_end(app.answered(first, json_answer(b'"one"')), None)
        app.pane.prefill(second)
        await pilot.pause()
        start_request(app.pane, second)
        await pilot.press("up")
        assert app.sees('"one"')
        app.pane.show_end(app.answered(second, json_answer(b'"two"')), None)
        await pilot.pause()
        assert app.sees('"one"')
        await pilot.press("down")
        assert app.sees('"two"')


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(204, "No Content", (), b""), "the body is empty"),
        (Answer(200, "OK", (("Content-Type", "application/pdf"),), b"%PDF\x00\xff"), "00000000  25 50 44 46 00 ff"),
        (Answer(502, "Bad Gateway", (("Content-Type", "text/html"),), b"<h1>[b]Bad</h1>"), "<h1>[b]Bad</h1>"),
        (Answer(200, "OK", (), b'{"a": 1, "b"', capped=True), "cut off after 12 B"),
        (Answer(200, "O\x1b[31mK", (), b"x"), "200 O␛[31mK"),
    ],
)
async def test_every_body_is_shown_as_what_it_is(answer: Answer, words: str) -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        spec = RequestSpec("GET", LOTS)
        start_request(app.pane, spec)
        app.pane.show_end(app.answered(spec, answer), None)
        await pilot.pause()
        assert app.sees(words)


async def test_a_large_body_is_read_aside() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        spec = RequestSpec("GET", LOTS)
        start_request(app.pane, spec)
        body = b"[" + b",".join(b'{"id": %d, "note": "xxxxxxxxxxxxxxxx"}' % n for n in range(40_000)) + b"]"
        app.pane.show_end(app.answered(spec, json_answer(body)), None)
        await pilot.pause()
        assert app.sees(f"· {len(body) / 1e6:.1f} MB")
        view = app.query_one("#answer-body", TextView)
        await until(pilot, lambda: len(view.text) > len(body))
        view.focus()
        await pilot.press("G")
        await until(pilot, lambda: app.sees('"id": 39999'))


async def test_finding_in_the_answer() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        spec = RequestSpec("GET", LOTS)
        start_request(app.pane, spec)
        body = b"[" + b",".join(b"%d" % number for number in range(1000)) + b"]"
        app.pane.show_end(app.answered(spec, json_answer(body)), None)
        app.query_one("#answer-body").focus()
        await pilot.press("slash", *"77", "enter")
        await pilot.pause()
        assert app.sees("77,")
        await pilot.press("n")
        await until(pilot, lambda: app.sees("177,"))
        assert app.sees("2 of 19")
        await pilot.press("N")
        await until(pilot, lambda: not app.sees("177,"))
        await pilot.press("slash", *"zz", "enter")
        assert app.sees("no matches: 77zz") or app.sees("no matches: zz")
        await pilot.press("slash", "escape")
        assert app.left == 0
        await pilot.press("escape")
        assert app.left == 1


async def test_what_is_in_the_answer_folds() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        spec = RequestSpec("GET", f"{LOTS}/lot-1")
        start_request(app.pane, spec)
        app.pane.show_end(app.answered(spec, json_answer(b'{"assay": {"grade": 1.50}, "id": "lot-1"}')), None)
        app.query_one("#answer-body").focus()
        await pilot.press("down", "left")
        await until(pilot, lambda: not app.sees('"grade": 1.50'))
        assert app.sees('"id": "lot-1"')
        await pilot.press("right")
        await until(pilot, lambda: app.sees('"grade": 1.50'))


async def test_the_idempotency_key_is_kept_for_a_repeat_or_renewed() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(120, 30)) as pilot:
        spec = RequestSpec("POST", LOTS, body=b'{"a":1}')
        app.pane.prefill(spec)
        await pilot.press("f7")
        await until(pilot, lambda: app.sees("no idempotency key to reuse"))
        await pilot.press("ctrl+j")
        app.pane.show_end(replace(app.answered(spec, json_answer(status=201)), idempotency_key="key-1"), None)
        await pilot.press("f7")
        line = app.query_one(RequestLineInput)
        await until(pilot, lambda: line.value == f"POST {LOTS} Idempotency-Key:key-1 a:=1")
        await pilot.press("ctrl+j")
        assert app.sent[-1].headers == (("Idempotency-Key", "key-1"),)
        app.pane.show_end(replace(app.answered(app.sent[-1], json_answer(status=201)), idempotency_key="key-1"), None)
        await pilot.press("f7")
        await until(pilot, lambda: line.value == f"POST {LOTS} a:=1")


async def test_the_place_that_a_request_reads_is_opened_with_a_key() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(120, 30)) as pilot:
        for path, place, asked in (
            (f"{LOTS}/lot-1?expand=all", Place(COLLECTIONS[0], "lot-1"), ()),
            (f"{LOTS}?page=2&status=open&limit=5&note=a%20b", Place(COLLECTIONS[0]), ("status=open", "note=a b")),
            ("/v1/nothing", None, ()),
        ):
            app.opened, app.asked = None, ()
            spec = RequestSpec("GET", path)
            app.pane.prefill(spec)
            await pilot.press("ctrl+j")
            app.pane.show_end(app.answered(spec, json_answer()), None)
            app.query_one("#answer-body").focus()
            await pilot.press("o")
            await until(pilot, lambda: app.opened is not None or app.sees("not the path of a collection"))
            assert (app.opened, tuple(map("=".join, app.asked))) == (place, asked)
        assert app.sees("this is not the path of a collection or a")


async def test_an_answer_is_saved_byte_by_byte_and_none_is_not() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(120, 30)) as pilot:
        app.query_one("#answer-body").focus()
        await pilot.press("ctrl+e")
        await until(pilot, lambda: app.sees("no response to save"))
        spec = RequestSpec("GET", f"{LOTS}/a%2Fb?x=1")
        start_request(app.pane, spec)
        app.pane.show_end(app.answered(spec, Answer(200, "OK", (), b"\x00\xff\xfe\r\n")), None)
        await pilot.press("ctrl+e")
        await until(pilot, lambda: app.saved == ("a-b.bin", b"\x00\xff\xfe\r\n"))
        start_request(app.pane, spec)
        app.pane.show_end(app.answered(spec, json_answer()), None)
        await pilot.press("ctrl+e")
        await until(pilot, lambda: app.saved == ("a-b.json", b'{"id":"lot-1","mass":1.500}'))


async def test_a_paste_is_text_without_what_commands_a_terminal() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        path = app.query_one(PathInput)
        path.focus()
        app.post_message(events.Paste(" /v1/operations\x1b[2J/\nlots\n"))
        await until(pilot, lambda: path.value == "/v1/operations[2J/lots")
        app.query_one(TabBar).chosen = 2
        await pilot.pause()
        body = app.query_one("#form-body", RequestTextArea)
        body.focus()
        app.post_message(events.Paste('{\n\t"a": "\x9b1"}\x00\n'))
        await until(pilot, lambda: body.text == '{\n\t"a": "1"}\n')
        assert app.sent == []


async def test_a_pasted_curl_command_becomes_a_request_without_its_identity() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(120, 30)) as pilot:
        app.pane.start()
        command = (
            f"curl -X PATCH \\\n 'https://sandbox.example.com{LOTS}/lot-1?dry=1' \\\n"
            " -H 'Authorization: Bearer svc_test_1234567890' -H 'X-T: 7' -d $'{\"grade\": \"\\x42\"}'"
        )
        app.post_message(events.Paste(command))
        form = app.query_one(RequestFormView)
        await until(pilot, lambda: form.form.method == "PATCH")
        assert app.query_one(RequestLineInput).value == f"PATCH {LOTS}/lot-1 dry==1 X-T:7 grade=B"
        await until(pilot, lambda: app.sees("Removed headers with credentials:"))
        assert app.sent == []
        await pilot.press("ctrl+j")
        assert app.sent == [RequestSpec("PATCH", f"{LOTS}/lot-1", (("dry", "1"),), (("X-T", "7"),), b'{"grade": "B"}')]


async def test_a_pasted_command_that_can_be_no_request_is_refused_unseen() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(120, 30)) as pilot:
        app.pane.start()
        app.post_message(events.Paste(f"curl -u me:hidden https://sandbox.example.com{LOTS}"))
        await until(pilot, lambda: app.sees("✕ not pasted: -u contains credentials"))
        assert not app.sees("hidden")
        assert app.query_one(RequestLineInput).value == ""


async def test_a_prefilled_request_leaves_out_control_characters_with_a_word() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.prefill(RequestSpec("POST", LOTS, (), (("Content-Type", "text/plain"),), b"a\x1bb"))
        await pilot.pause()
        assert app.sees("Control characters were removed.")
        assert app.query_one("#form-body", RequestTextArea).text == "ab"


async def test_live_is_named_beside_a_write() -> None:
    app = ConsoleStage(Environment.LIVE)
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.prefill(RequestSpec("GET", LOTS))
        await pilot.pause()
        assert not app.sees("LIVE")
        app.pane.prefill(RequestSpec("DELETE", f"{LOTS}/lot-1"))
        await pilot.pause()
        assert app.sees(f" LIVE  →{LOTS}/lot-1")


@pytest.mark.parametrize(("size", "beside"), [((80, 24), False), ((120, 40), True)])
async def test_request_and_answer_share_the_room(size: tuple[int, int], beside: bool) -> None:
    app = ConsoleStage()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        form, answer = app.query_one(RequestFormView).region, app.query_one(AnswerView).region
        assert (form.right <= answer.x and form.y == answer.y) == beside
        assert (form.bottom <= answer.y) != beside
        assert app.query_one("#answer-body", TextView).size.height >= 10


@pytest.mark.parametrize(
    ("pasted", "end"),
    [
        ("curl -u me:word https://sandbox.example.com/v1/operations/lots", "of the profile is used. Remove it"),
        (
            "curl https://sandbox.example.com/v1/operations/lots -H 'Authorization: Bearer a'",
            "with credentials: Authorization.",
        ),
    ],
    ids=["refused", "left out"],
)
async def test_a_reason_is_told_to_its_end_in_a_narrow_terminal(pasted: str, end: str) -> None:
    app = ConsoleStage()
    async with app.run_test(size=(54, 24)) as pilot:
        line = app.query_one(RequestLineInput)
        line.focus()
        line.post_message(events.Paste(pasted))
        await until(pilot, lambda: end in " ".join(" ".join(picture(app)).replace("│", " ").split()))


async def test_no_headers_are_counted_where_no_answer_came() -> None:
    app = ConsoleStage()
    async with app.run_test(size=(80, 24)) as pilot:
        spec = RequestSpec("GET", f"{LOTS}/lot-1")
        start_request(app.pane, spec)
        app.pane.show_end(app.answered(spec, json_answer()), None)
        await until(pilot, lambda: app.sees("Headers 1"))
        start_request(app.pane, spec)
        app.pane.show_end(None, RequestRefused("LIVE is locked"))
        await until(pilot, lambda: app.sees("✕ not sent"))
        await until(pilot, lambda: not app.sees("Headers 1"))


def test_the_request_is_told_without_its_secrets() -> None:
    app = ConsoleStage()
    signed = app.client.preview(RequestSpec("PATCH", f"{LOTS}/lot-1", body=b'{"a":1}', idempotency_key="key-1"))
    text = request_text(signed, idempotency_key="key-1", attempt_texts=("429", "waited 2.0 s", "sent again"))
    assert text.startswith(f"PATCH https://sandbox.example.com{LOTS}/lot-1\n")
    assert '\n\n{"a":1}\n\nstring to sign:\n1700000000.PATCH.' in text
    assert text.endswith("idempotency key: key-1\nattempts: 429 · waited 2.0 s · sent again")
    assert SECRET not in text
