"""`svc-tui request`: the body to the byte, the exit status, the line, and the journal."""

import asyncio
import json
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

from svc_tui.core.credentials import Environment
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from tests.cli.conftest import Run, Start
from tests.cli.test_export import until

Use = Callable[[str], None]
LOT = "operations/lots/lot-000001"


def journal(home: Path, environment: Environment, base_url: str) -> list[JournalEntry]:
    """What the program wrote down, newest first."""

    async def read() -> list[JournalEntry]:
        async with Store.open(home / "state" / "svc-tui" / "svc-tui.db") as store:
            return await store.journal(StorageScope("env", environment, base_url)).entries()

    return asyncio.run(read())


def test_the_body_comes_out_as_the_service_wrote_it(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    ran = run("request", "GET", LOT)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.decode() == service.record("operations/lots", "lot-000001")


def test_parameters_are_added_encoded(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    ran = run("request", "get", "/v1/operations/lots?page=2", "-q", "limit=1")
    assert ran.status == 0
    assert [item["id"] for item in json.loads(ran.out)["items"]] == ["lot-000002"]
    assert run("request", "get", "operations/lots", "-q", "name=a b&c=d").status == 0
    assert service.attempts[-1].target == "/v1/operations/lots?name=a%20b%26c%3Dd"


@pytest.mark.parametrize("path", ["lots/lot-000001", "operations/lots/lot-000001", "/v1/operations/lots/lot-000001"])
def test_a_path_may_begin_with_the_name_of_a_collection_as_in_the_console(
    path: str, run: Run, use: Use, service: RunningService
) -> None:
    use("sandbox")
    assert run("request", "GET", path).out.decode() == service.record("operations/lots", "lot-000001")
    assert service.attempts[-1].target == "/v1/operations/lots/lot-000001"


def test_the_head_comes_first_when_asked(run: Run, use: Use) -> None:
    use("sandbox")
    head, empty, body = run("request", "GET", LOT, "-i").out.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"\r\ncontent-type: application/json\r\n" in head
    assert empty
    assert json.loads(body)["id"] == "lot-000001"


@pytest.mark.parametrize("source", ["text", "file", "stdin"])
def test_a_body_is_sent_to_the_byte_from_text_file_or_stdin(
    run: Run, use: Use, service: RunningService, tmp_path: Path, source: str
) -> None:
    use("sandbox")
    body = '{"massKg": 1.500,  "note": "Łódź"}'
    (tmp_path / "body.json").write_text(body)
    data = {"text": body, "file": f"@{tmp_path / 'body.json'}", "stdin": "-"}[source]
    assert run("request", "PATCH", LOT, "-d", data, stdin=body.encode()).status == 0
    record = service.record("operations/lots", "lot-000001")
    assert record is not None
    assert '"massKg":1.500' in record.replace(" ", "")
    assert "Łódź" in json.loads(record)["note"]


def test_a_write_is_journalled_with_its_outcome(run: Run, use: Use, home: Path, service: RunningService) -> None:
    use("sandbox")
    run("request", "PATCH", LOT, "-d", '{"massKg": 2}')
    run("request", "DELETE", "operations/lots/nope")
    run("request", "GET", LOT)
    entries = journal(home, Environment.SANDBOX, service.base_url)
    told = [(e.intent.method, e.intent.target, e.outcome and (e.outcome.result, e.outcome.status)) for e in entries]
    assert told == [
        ("DELETE", "/v1/operations/lots/nope", ("refused", 404)),
        ("PATCH", f"/v1/{LOT}", ("done", 200)),
    ]
    assert all(entry.intent.idempotency_key for entry in entries)


def test_a_write_is_in_the_history_of_the_record_that_it_changes_or_makes(
    run: Run, use: Use, home: Path, service: RunningService
) -> None:
    use("sandbox")
    run("request", "POST", "operations/lots", "-d", '{"name": "Made"}')
    run("request", "PATCH", LOT, "-d", '{"massKg": 2}')
    run("request", "POST", f"/v1/{LOT}/split", "-d", '{"parts": 2}')
    run("request", "POST", "nowhere/at-all", "-d", "{}")
    told = [
        (e.intent.method, e.intent.place, e.outcome and e.outcome.place)
        for e in journal(home, Environment.SANDBOX, service.base_url)
    ]
    made = json.loads(service.record("operations/lots", "lot-000031") or "{}")
    assert made["name"] == "Made"
    assert told == [
        ("POST", "", ""),
        ("POST", LOT, ""),
        ("PATCH", LOT, ""),
        ("POST", "operations/lots", "operations/lots/lot-000031"),
    ]


def test_an_idempotency_key_of_the_users_own_is_sent_and_journalled(
    run: Run, use: Use, home: Path, service: RunningService
) -> None:
    use("sandbox")
    run("request", "PATCH", LOT, "-d", '{"massKg": 2}', "-H", "idempotency-key: mine")
    (entry,) = journal(home, Environment.SANDBOX, service.base_url)
    assert entry.key == "SVC_API_KEY"
    assert entry.intent.idempotency_key == "mine"


def test_a_live_write_needs_live(run: Run, use: Use, service: RunningService) -> None:
    use("live")
    before = service.record("operations/lots", "lot-000001")
    ran = run("request", "PATCH", LOT, "-d", '{"massKg": 2.25}')
    assert ran.status == 2
    assert ran.err == "svc-tui: PATCH with a live key changes LIVE data; add --live to continue\n"
    assert service.record("operations/lots", "lot-000001") == before
    assert run("request", "PATCH", LOT, "-d", '{"massKg": 2.25}', "--live").status == 0
    assert service.record("operations/lots", "lot-000001") != before


@pytest.mark.parametrize("method", ["POST", "PUT", "patch", "DELETE", "MERGE"])
@pytest.mark.parametrize("key", ["sandbox", "live"])
def test_read_only_refuses_every_write(run: Run, use: Use, service: RunningService, method: str, key: str) -> None:
    use(key)
    ran = run("--read-only", "request", method, LOT, "--live")
    assert ran.status == 2
    assert ran.err.startswith(f"svc-tui: {method.upper()} is a write, and --read-only refuses writes")
    assert list(service.attempts) == []


def test_read_only_reads(run: Run, use: Use) -> None:
    use("live")
    assert run("--read-only", "request", "GET", LOT).status == 0


@pytest.mark.parametrize(
    ("key", "code", "advice"),
    [
        ("expired", "api_key_expired", "Rotate the key in the management portal"),
        ("revoked", "api_key_revoked", "Use the new key and signing secret from the rotation"),
        ("address", "ip_not_allowed", "Add this address to the key's allowlist in the management portal"),
        ("read-only", "insufficient_scope", "Ask for the scope in the management portal, or use another key"),
    ],
)
def test_an_error_answer_goes_to_stdout_and_its_line_to_stderr(
    run: Run, use: Use, key: str, code: str, advice: str
) -> None:
    use(key)
    ran = run("request", "PATCH", LOT, "-d", "{}")
    assert ran.status == 1
    assert json.loads(ran.out)["error"]["code"] == code
    assert ran.err.startswith("svc-tui: ")
    assert ran.err.count("\n") == 1
    assert f"({code})" in ran.err
    assert advice in ran.err


def test_a_key_that_must_sign_names_the_setting(run: Run, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use("live")
    monkeypatch.delenv("SVC_SIGNING_SECRET")
    ran = run("request", "GET", LOT)
    assert ran.status == 1
    assert "SVC_SIGNING_SECRET" in ran.err
    assert "(signature_missing)" in ran.err


def test_a_wrong_secret_is_told_from_a_wrong_clock(run: Run, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use("live")
    monkeypatch.setenv("SVC_SIGNING_SECRET", "wrong")
    ran = run("request", "GET", LOT)
    assert (ran.status, "(signature_mismatch)" in ran.err, "wrong" in ran.err) == (1, True, False)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["GET", "/v1/auth/keys"], "API keys can't call routes under /v1/auth."),
        (["POST", "auth/keys"], "API keys can't call routes under /v1/auth."),
        (["GET", "operations/../auth"], "the path contains the segment '..'; write the full path without it."),
        (["GET", "lots", "-q", "page"], "-q must be KEY=VALUE; see svc-tui request --help"),
        (["GET", "lots", "-H", "secret"], "-H must be 'Name: value'; see svc-tui request --help"),
        (
            ["POST", "lots", "-d", "@/none"],
            "-d: /none can't be read: No such file or directory; see svc-tui request --help",
        ),
        (["GET"], "PATH is missing; see svc-tui request --help"),
        (
            ["GET", "lots", "-H", "Authorization: Bearer svc_live_hidden"],
            "the header Authorization can't be set; the client sets it from the profile.",
        ),
    ],
)
def test_what_is_refused_here_is_never_sent(
    run: Run, use: Use, service: RunningService, words: list[str], line: str
) -> None:
    use("sandbox")
    ran = run("request", *words)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"svc-tui: {line}\n")
    assert list(service.attempts) == []


def test_a_service_that_is_not_there_is_status_three(run: Run, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use("sandbox")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    ran = run("request", "POST", "lots", "-d", "{}")
    assert (ran.status, ran.out) == (3, b"")
    assert ran.err.startswith("svc-tui: could not connect to 127.0.0.1:9")


def test_a_write_whose_fate_is_unknown_is_status_three_with_its_key(
    run: Run, use: Use, home: Path, service: RunningService
) -> None:
    use("sandbox")
    service.faults.next("reset", method="POST")
    ran = run("request", "POST", "operations/lots", "-d", '{"name": "New"}')
    assert ran.status == 3
    (entry,) = journal(home, Environment.SANDBOX, service.base_url)
    assert entry.outcome is not None
    assert entry.outcome.result == "unknown"
    assert f"-H 'Idempotency-Key: {entry.intent.idempotency_key}'" in ran.err


@pytest.mark.parametrize(
    ("method", "path", "looked"),
    [
        ("PATCH", LOT, "whether"),
        ("DELETE", LOT, "Checked again: the record still exists."),
        ("POST", "operations/lots", "no record has the sent values."),
    ],
)
def test_a_write_that_a_gateways_login_page_answers_is_not_done(
    run: Run, use: Use, home: Path, service: RunningService, method: str, path: str, looked: str
) -> None:
    use("sandbox")
    service.faults.next("login-page", method=method)
    ran = run("request", method, path, *([] if method == "DELETE" else ["-d", '{"name": "New"}']))
    assert ran.status == 3
    assert "a web page (“Please log in”) instead of JSON; it may come from a gateway" in ran.err
    assert looked.casefold() in ran.err.casefold()
    (entry,) = journal(home, Environment.SANDBOX, service.base_url)
    assert entry.outcome is not None
    assert entry.outcome.result == "unknown"


def test_what_was_there_before_is_journalled_with_the_ticket(
    run: Run, use: Use, home: Path, service: RunningService
) -> None:
    use("sandbox")
    assert run("request", "PATCH", LOT, "-d", '{"name": "New"}', "--ticket", "INC-7").status == 0
    assert run("request", "PATCH", LOT, "-d", '{"name": "Newer"}', "--no-before").status == 0
    newer, new = (entry.intent for entry in journal(home, Environment.SANDBOX, service.base_url))
    assert (new.ticket, newer.ticket) == ("INC-7", "")
    assert new.before is not None
    assert set(new.before) == {"name"}
    assert newer.before is None
    assert [attempt.method for attempt in service.attempts] == ["GET", "PATCH", "PATCH"]


def test_a_write_that_waits_does_not_overwrite_what_a_colleague_wrote_meanwhile(
    run: Run, use: Use, start: Start, service: RunningService
) -> None:
    use("sandbox")
    service.faults.next("429", method="PATCH", retry_after=3)
    process = start("request", "PATCH", LOT, "-d", '{"name":"Mine"}')
    until(lambda: any(attempt.status == 429 for attempt in service.attempts))
    assert run("request", "PATCH", LOT, "-d", '{"name":"Theirs"}').status == 0
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, b"")
    assert err == b"svc-tui: others have changed name since, so nothing was sent; check the record first.\n"
    assert '"Theirs"' in (service.record("operations/lots", "lot-000001") or "")


def test_a_secret_is_no_ticket(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    ran = run("request", "DELETE", LOT, "--ticket", f"see {service.key('sandbox').api_key}")
    assert ran.status == 2
    assert ran.err == (
        "svc-tui: --ticket contains an API key or signing secret; remove it, because the ticket is saved in the "
        "journal\n"
    )
    assert not service.attempts


class LargeAnswers(ThreadingHTTPServer):
    """Answers with twelve million bytes, or says so and breaks off after five."""

    size = 12_000_000

    def __init__(self) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                whole = self.path.endswith("/whole")
                self.send_response(200)
                self.send_header("Content-Length", str(LargeAnswers.size))
                self.end_headers()
                with suppress(ConnectionError):
                    self.wfile.write(b"x" * (LargeAnswers.size if whole else 5_000_000))

            do_POST = do_GET  # noqa: N815 - the name that http.server looks for

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        super().__init__(("127.0.0.1", 0), Handler)


@pytest.fixture
def large(use: Use, monkeypatch: pytest.MonkeyPatch) -> Iterator[LargeAnswers]:
    """That service, as the one in use."""
    use("sandbox")
    with LargeAnswers() as server:
        monkeypatch.setenv("SVC_SANDBOX_BASE_URL", f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.usefixtures("large")
def test_an_answer_of_any_size_comes_out_whole(run: Run) -> None:
    ran = run("request", "GET", "whole", "-i")
    assert (ran.status, ran.err) == (0, "")
    head, _, body = ran.out.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert len(body) == LargeAnswers.size


@pytest.mark.usefixtures("large")
def test_an_answer_that_breaks_off_is_an_error(run: Run) -> None:
    ran = run("request", "GET", "half")
    assert ran.status == 3
    assert len(ran.out) == 5_000_000
    assert ran.err.startswith("svc-tui: the connection was lost after 5,000,000 bytes of the response body.")


@pytest.mark.usefixtures("large")
def test_a_write_whose_answer_breaks_off_is_done(run: Run, home: Path, large: LargeAnswers) -> None:
    ran = run("request", "POST", "half")
    assert (ran.status, ran.out) == (0, b"")
    assert ran.err == (
        "svc-tui: the change was saved, but the response is incomplete: "
        "the connection was lost after 5,000,000 bytes of the response body.\n"
    )
    (entry,) = journal(home, Environment.SANDBOX, f"http://127.0.0.1:{large.server_port}")
    assert entry.outcome is not None
    assert entry.outcome.result == "done"


@pytest.mark.usefixtures("large")
def test_what_is_kept_of_the_answer_to_a_write_has_an_end_that_is_told(run: Run) -> None:
    ran = run("request", "POST", "whole")
    # The service did it: only what it said to that is too long.
    assert ran.status == 0
    assert len(ran.out) == 10_000_000
    assert ran.err == "svc-tui: the response was cut off after 10,000,000 bytes\n"


@pytest.mark.usefixtures("large")
def test_a_reader_that_goes_away_ends_the_download(start: Start) -> None:
    process = start("request", "GET", "whole")
    assert process.stdout is not None
    assert process.stdout.read(10) == b"x" * 10
    process.stdout.close()
    assert process.wait(60) == 0


def test_explain_shows_what_was_signed_and_no_secret(run: Run, use: Use, service: RunningService) -> None:
    use("live")
    ran = run("request", "GET", LOT, "--explain")
    assert ran.status == 0
    lines = ran.err.splitlines()
    assert lines[0] == f"GET {service.base_url}/v1/{LOT}"
    assert "Authorization: Bearer svc_live_…" in lines
    timestamp = next(line.split(": ")[1] for line in lines if line.startswith("x-svc-timestamp"))
    assert lines[-2] == "string to sign:"
    assert lines[-1].startswith(f"{timestamp}.GET./v1/{LOT}.e3b0c44298fc1c149afbf4c8996fb924")
    key = service.key("live")
    assert key.api_key not in ran.err
    assert key.signing_secret is not None
    assert key.signing_secret not in ran.err


CARELESS = ("svc_test_careless0123456789", "svcsec_careless/0123456789+=")


class EchoingService(ThreadingHTTPServer):
    """A service that repeats what it gets, and the secret, in its reason, headers and body."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), EchoHandler)
        self.signatures: list[str] = []


class EchoHandler(BaseHTTPRequestHandler):
    """One conversation of it."""

    def do_GET(self) -> None:
        assert isinstance(self.server, EchoingService)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        signature = self.headers["x-svc-signature"].partition("v1=")[2]
        self.server.signatures.append(signature)
        words = f"{self.headers['Authorization']} {signature} {CARELESS[1]}"
        body = json.dumps({"error": {"code": "odd", "message": words, "headers": dict(self.headers)}}).encode()
        self.send_response(200 if self.path.endswith("fine") else 401, f"Odd {words}")
        self.send_header("WWW-Authenticate", words)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PATCH(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def careless() -> Iterator[EchoingService]:
    """The careless service, running."""
    with EchoingService() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["GET", "fine", "-i"], 0),
        (["GET", "lots/L-1"], 1),
        (["PATCH", "lots/L-1", "-d", "{}", "-i"], 1),
        (["GET", "lots", "-q", f"key={CARELESS[0]}", "-q", f"secret={CARELESS[1]}"], 1),
        (["GET", "lots", "-H", f"X-Key: {' '.join(CARELESS)}"], 1),
        (["GET", "lots", "-H", f"Bearer {CARELESS[0]}: x"], 2),
        (["GET", "lots", "-H", f"Authorization: Bearer {CARELESS[0]}"], 2),
    ],
)
def test_explain_holds_no_secret_though_everything_is_repeated(
    start: Start, careless: EchoingService, monkeypatch: pytest.MonkeyPatch, words: list[str], status: int
) -> None:
    monkeypatch.setenv("SVC_API_KEY", CARELESS[0])
    monkeypatch.setenv("SVC_SIGNING_SECRET", CARELESS[1])
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", f"http://127.0.0.1:{careless.server_port}")
    monkeypatch.setenv("PYTHONDEVMODE", "1")
    process = start("request", *words, "--explain")
    out, err = process.communicate(timeout=60)
    assert process.returncode == status
    text = err.decode()
    hidden = (*CARELESS, quote(CARELESS[1], safe=""), *careless.signatures)
    assert [secret for secret in hidden if secret in text] == []
    assert ("string to sign:" in text) is (status != 2)
    # The answer itself goes to stdout as it was received.
    assert (CARELESS[0].encode() in out) is (status != 2)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "https://no-such-host.invalid"])
def test_explain_of_what_never_left_holds_no_secret(start: Start, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SVC_API_KEY", CARELESS[0])
    monkeypatch.setenv("SVC_SIGNING_SECRET", CARELESS[1])
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", url)
    monkeypatch.setenv("PYTHONDEVMODE", "1")
    process = start("request", "PATCH", "lots", "-d", "{}", "--explain")
    _, err = process.communicate(timeout=60)
    text = err.decode()
    assert process.returncode == 3
    assert "\nx-svc-signature: t=" in text
    assert [secret for secret in CARELESS if secret in text] == []
    assert re.search(r"v1=[0-9a-f]", text) is None


def test_explain_of_an_unsigned_request_says_so(run: Run, use: Use) -> None:
    use("sandbox")
    assert run("request", "GET", LOT, "--explain").err.endswith("\nnot signed: no signing secret is set\n")


def test_a_reader_that_goes_away_is_no_error(start: Start, use: Use) -> None:
    use("sandbox")
    process = start("request", "GET", "operations/lots", "-q", "limit=30")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait() == 0


def test_a_placeholder_in_the_path_is_not_sent(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    ran = run("request", "GET", "lots/{id}")
    assert ran.status == 2
    assert "PATH contains the placeholder {id}; replace it with a value" in ran.err
    assert not service.attempts


def test_a_change_that_a_look_afterwards_shows_is_said_to_be_there(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    service.faults.next("reset", count=9, method="PATCH")
    ran = run("request", "PATCH", LOT, "-d", '{"note": "There after all"}')
    assert ran.status == 0
    assert "Checked the record: the change was saved." in ran.err
    assert "not known" not in ran.err


def test_a_write_without_the_old_values_says_that_it_can_not_be_taken_back(
    run: Run, use: Use, service: RunningService
) -> None:
    use("sandbox")
    service.faults.next("login-page", method="GET")
    ran = run("request", "PATCH", LOT, "-d", '{"note": "New"}')
    assert ran.status == 0
    assert "could not be loaded before the write, so this write can't be undone" in ran.err
    assert run("request", "PATCH", LOT, "-d", '{"note": "Newer"}').err == ""
    assert run("request", "PATCH", LOT, "-d", '{"note": "Newest"}', "--no-before").err == ""


def test_an_interrupt_says_that_the_fate_of_a_write_is_unknown(
    start: Start, use: Use, home: Path, service: RunningService
) -> None:
    use("sandbox")
    service.faults.next("hold", method="PATCH")
    process = start("request", "PATCH", LOT, "-d", "{}")
    wait_for_attempt(service, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    service.faults.release()
    assert process.returncode == 130
    assert err.decode() == (
        "svc-tui: interrupted; it is not known whether the change was saved; check the record before you send it "
        "again\n"
    )
    (entry,) = journal(home, Environment.SANDBOX, service.base_url)
    assert entry.outcome is None


def wait_for_attempt(service: RunningService, process: subprocess.Popen[bytes]) -> None:
    """Return once the write has arrived at the service."""
    while all(attempt.method != "PATCH" for attempt in service.attempts):
        assert process.poll() is None
