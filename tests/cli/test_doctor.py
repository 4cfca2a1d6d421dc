"""`svc-tui doctor`: each way of being set up wrongly is found on the real service and told with what to do."""

import contextlib
import json
import os
import re
import shlex
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keyring
import pexpect
import pytest

from svc_tui.config import slow_calls
from svc_tui.config.profiles import secrets
from svc_tui.connect.diagnosis import CHECK_NAMES
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.changing_proxy import changing_proxy
from tests.cli.conftest import CompletedCommand, Run, Start
from tests.keyrings import FileKeyring, HangingKeyring

CERTIFICATES = Path(__file__).parents[1] / "client"

Use = Callable[[str], None]


@pytest.fixture(autouse=True)
def buffered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python keeps what is written until it is told to let go, as it does for everybody who did not ask otherwise."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)


def told(ran: CompletedCommand) -> dict[str, dict[str, str]]:
    """The checks of a run with --json, by name."""
    document: dict[str, Any] = json.loads(ran.out)
    assert [check["check"] for check in document["checks"]] == list(CHECK_NAMES)
    assert {frozenset(check) for check in document["checks"]} == {frozenset({"check", "verdict", "message", "advice"})}
    assert (document["overall"] == "failed") == (ran.status == 1)
    return {check["check"]: check for check in document["checks"]}


def failed(ran: CompletedCommand) -> dict[str, str]:
    """The one check that failed."""
    (found,) = [check for check in told(ran).values() if check["verdict"] == "failed"]
    return found


def test_a_key_that_works_passes_every_check_a_line_each(run: Run, use: Use, service: RunningService) -> None:
    use("live")
    ran = run("doctor")
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.decode().splitlines()
    assert [line[2:15].rstrip() for line in lines[: len(CHECK_NAMES)]] == list(CHECK_NAMES)
    assert {line[0] for line in lines[: len(CHECK_NAMES)]} == {"✓"}
    assert lines[12:] == ["", "12 passed"]
    assert f"{service.base_url}, from SVC_API_KEY, SVC_SIGNING_SECRET and SVC_BASE_URL; no config.toml" in lines[0]
    assert "signed and accepted" in lines[7]
    assert "can read 12 of 12 collections" in lines[9]


def test_the_journal_is_checked_line_by_line(run: Run, use: Use, service: RunningService, home: Path) -> None:
    use("sandbox")
    for note in ("one", "two"):
        run("request", "PATCH", "operations/lots/lot-000001", "-d", f'{{"note": "{note}"}}')
    assert told(run("doctor", "--json"))["journal"]["message"] == "intact: 4 entries"
    (database,) = (home / "state").rglob("svc-tui.db")
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("DROP TRIGGER journal_keeps_lines")
    connection.execute("UPDATE journal SET after = replace(after, 'two', 'six') WHERE number = 3")
    connection.close()
    ran = run("doctor", "--json")
    check = told(ran)["journal"]
    assert (check["verdict"], ran.status) == ("failed", 1)
    assert re.match(
        r"damaged at entry 3, written 20\d\d-\d\d-\d\d .*; 2 entries before it are intact", check["message"]
    )
    assert f"move {database} to another directory" in check["advice"]
    database.rename(database.with_name("kept.db"))
    assert told(run("doctor", "--json"))["journal"]["verdict"] == "failed"
    assert told(run("doctor", "--json", "--accept-journal"))["journal"]["message"] == "no writes yet"
    run("request", "PATCH", "operations/lots/lot-000001", "-d", "{}")
    assert told(run("doctor", "--json"))["journal"]["message"] == "intact: 2 entries"


def test_lines_that_are_gone_at_the_journals_end_fail_until_the_journal_is_accepted(
    run: Run, use: Use, service: RunningService, home: Path
) -> None:
    use("sandbox")
    for note in ("one", "two"):
        run("request", "PATCH", "operations/lots/lot-000001", "-d", f'{{"note": "{note}"}}')
    (database,) = (home / "state").rglob("svc-tui.db")
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("DROP TRIGGER journal_loses_nothing")
    connection.execute("DELETE FROM journal WHERE number = 4")
    connection.close()
    ran = run("doctor", "--json")
    check = told(ran)["journal"]
    assert (check["verdict"], ran.status) == ("failed", 1)
    assert check["message"] == f"damaged: entries are missing at the end: {database}.end has entry 4; found 3 entries"
    assert "run svc-tui doctor --accept-journal to accept the journal as it is" in check["advice"]
    ran = run("doctor", "--json", "--accept-journal")
    assert (told(ran)["journal"]["message"], ran.status) == ("intact: 3 entries", 0)


def test_the_journals_end_is_in_the_keyring_of_those_who_keep_their_key_there(
    run: Run, home: Path, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEYRING", str(home / "keyring.json"))
    before, own = keyring.get_keyring(), FileKeyring()
    monkeypatch.setattr("keyring.core._keyring_backend", own)
    assert keyring.get_keyring() is own is not before
    own.set_password("svc-tui", "mine", service.key("sandbox").api_key)
    profiles = home / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True)
    text = f'sandbox_base_url = "{service.base_url}"\napi_key = {{ keyring = "svc-tui/mine" }}\n'
    (profiles / "mine.toml").write_text(text)
    (profiles / "mine.toml").chmod(0o600)
    ran = run("request", "PATCH", "operations/lots/lot-000001", "-d", "{}", "--profile", "mine")
    assert (ran.status, ran.err) == (0, "")
    (database,) = (home / "state").rglob("svc-tui.db")
    assert '"number":2' in (own.get_password("svc-tui", f"journal {database}") or "")
    for file in database.parent.glob("svc-tui.db*"):
        file.unlink()
    ran = run("doctor", "--json", "--profile", "mine")
    assert told(ran)["journal"]["message"] == (
        "damaged: entries are missing at the end: the keyring has entry 2; found 0 entries"
    )
    assert run("request", "PATCH", "operations/lots/lot-000001", "-d", "{}", "--profile", "mine").status == 0
    assert told(run("doctor", "--json", "--profile", "mine"))["journal"]["verdict"] == "failed"
    assert told(run("doctor", "--json", "--profile", "mine", "--accept-journal"))["journal"]["verdict"] == "passed"


@pytest.fixture
def keyring_profile(home: Path, service: RunningService, monkeypatch: pytest.MonkeyPatch) -> FileKeyring:
    """A profile `mine` whose key is in a keyring."""
    monkeypatch.setenv("TEST_KEYRING", str(home / "keyring.json"))
    own = FileKeyring()
    own.set_password("svc-tui", "mine", service.key("sandbox").api_key)
    profiles = home / "config" / "svc-tui" / "profiles"
    profiles.mkdir(parents=True)
    text = f'sandbox_base_url = "{service.base_url}"\napi_key = {{ keyring = "svc-tui/mine" }}\n'
    (profiles / "mine.toml").write_text(text)
    (profiles / "mine.toml").chmod(0o600)
    return own


@pytest.mark.parametrize(
    "words", [("request", "GET", "lots"), ("export", "lots"), ("doctor",), ("plan", "lots", "lots.csv"), ("lots",)]
)
def test_a_keyring_that_never_answers_ends_every_command_with_the_setting(
    run: Run, keyring_profile: FileKeyring, home: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr("keyring.core._keyring_backend", HangingKeyring())
    monkeypatch.setattr(slow_calls, "NOTICE_SECONDS", 0.01)
    monkeypatch.setattr(secrets, "KEYRING_SECONDS", 0.1)
    monkeypatch.chdir(home)
    (home / "lots.csv").write_text("id,name\nlot-000001,x\n")
    ran = run(*words, "--profile", "mine")
    assert ran.status == (1 if words == ("doctor",) else 2)
    assert "svc-tui: waiting for the keyring\n" in ran.err
    assert re.search(
        r"mine\.toml:2: api_key: the keyring did not respond within 0 s; unlock", ran.err + ran.out.decode()
    )
    assert "Traceback" not in ran.err


LESS_PATIENT = """
from svc_tui.bootstrap.journal import end_in_keyring
from svc_tui.cli.main import main

end_in_keyring._SECONDS = 3.0
main()
"""
"""The program, but it waits 3 s for the journal's end in the keyring instead of 10."""


def test_a_keyring_that_hangs_at_the_journals_end_holds_back_no_outcome(
    start: Start, keyring_profile: FileKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "tests.keyrings.HangingJournalKeyring")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    words = ("request", "PATCH", "operations/lots/lot-000001", "-d", '{"note":"seen"}', "--profile", "mine")
    process = start(*words, program=("-c", LESS_PATIENT))
    assert process.stdout is not None
    assert process.stderr is not None
    assert b'"note":"seen"' in process.stdout.readline()
    assert process.stderr.readline() == b"svc-tui: waiting for the keyring\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


def test_a_doctor_leaves_no_journal_where_there_was_none(run: Run, use: Use, home: Path) -> None:
    use("live")
    run("doctor")
    assert list(home.rglob("svc-tui.db*")) == []


def test_a_gateway_that_decodes_paths_is_told_from_a_wrong_secret(
    run: Run, use: Use, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("live")
    with changing_proxy(service, path=lambda path: path.replace("%2F", "/")) as url:
        monkeypatch.setenv("SVC_BASE_URL", url)
        ran = run("doctor")
        written = run("request", "PATCH", "operations/lots/a%2Fb", "-d", "{}", "--live")
        read = run("request", "GET", "operations/lots/a%2Fb")
    assert ran.status == 1
    assert "one with %2F and an unsorted query was refused" in ran.out.decode()
    for refused in (written, read):
        assert refused.status == 1
        assert (
            "or a proxy changes the path or body. To find out, press f9 in the console or run svc-tui doctor"
            in refused.err
        )


def test_it_only_reads_one_record_of_each_collection(run: Run, use: Use, service: RunningService) -> None:
    use("live")
    run("doctor")
    lists = [attempt for attempt in service.attempts if attempt.target.endswith("?limit=1")]
    (odd,) = (attempt for attempt in service.attempts if attempt not in lists)
    assert {attempt.method for attempt in service.attempts} == {"GET"}
    assert (len(lists), odd.status) == (12, 404)


@pytest.mark.parametrize(
    ("key", "check", "said", "advice"),
    [
        ("expired", "key", "expired (api_key_expired)", "Rotate the key in the management portal."),
        ("revoked", "key", "revoked (api_key_revoked)", "Use the new key and signing secret from the rotation"),
        ("address", "address", "(ip_not_allowed)", "Add this address to the key's allowlist"),
    ],
)
def test_a_key_that_is_refused_says_why(run: Run, use: Use, key: str, check: str, said: str, advice: str) -> None:
    use(key)
    ran = run("doctor")
    assert ran.status == 1
    lines = ran.out.decode().splitlines()
    (place,) = [place for place, line in enumerate(lines) if line.startswith("✗")]
    assert lines[place].startswith(f"✗ {check:13}  failed: ")
    assert said in lines[place]
    assert lines[place + 1].startswith(f"{'':17}{advice}")
    assert lines[-1].startswith("1 failed, ")


def test_a_key_cut_short_is_not_known(
    run: Run, use: Use, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("live")
    monkeypatch.setenv("SVC_API_KEY", service.key("live").api_key[:-1])
    found = failed(run("doctor", "--json"))
    assert found["check"] == "key"
    assert found["advice"].startswith("Check that you copied the whole key.")


def test_a_live_key_without_its_secret_fails_at_the_signature_alone(
    run: Run, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("live")
    monkeypatch.delenv("SVC_SIGNING_SECRET")
    checks = told(run("doctor", "--json"))
    assert (checks["key form"]["verdict"], checks["key form"]["advice"]) == ("passed", "")
    assert checks["signature"]["verdict"] == "failed"
    assert "SVC_SIGNING_SECRET" in checks["signature"]["advice"]


@pytest.mark.parametrize(
    ("key", "said"), [("sandbox", "does not have to sign"), ("test-signed", "signed and accepted")]
)
def test_a_key_that_need_not_sign_is_told_from_one_that_does(run: Run, use: Use, key: str, said: str) -> None:
    use(key)
    assert said in told(run("doctor", "--json"))["signature"]["message"]


def test_a_wrong_secret_is_neither_the_clock_nor_the_program(
    run: Run, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("live")
    monkeypatch.setenv("SVC_SIGNING_SECRET", "wrong-one")
    ran = run("doctor", "--json")
    found = failed(ran)
    assert found["check"] == "signature"
    assert "(signature_mismatch)" in found["message"]
    assert "the signing self-test of svc-tui passed" in found["message"]
    assert told(ran)["clock"]["verdict"] == "passed"
    assert b"wrong-one" not in ran.out


@pytest.mark.parametrize(("fault", "word"), [("clock-ahead", "behind"), ("clock-behind", "ahead of")])
def test_a_wrong_clock_is_not_the_secret(run: Run, use: Use, service: RunningService, fault: str, word: str) -> None:
    use("live")
    service.faults.always(fault)
    began = time.monotonic()
    ran = run("doctor", "--json")
    took = time.monotonic() - began
    found = failed(ran)
    assert found["check"] == "clock"
    said = re.match(rf"this computer is (\d+) min (?:(\d+) s )?{word} the service", found["message"])
    assert said
    # An answer tells the time to half of what it was under way for.
    assert abs(60 * int(said[1]) + int(said[2] or 0) - 1200) <= 1 + took / 2
    assert found["advice"] == "Set this computer's clock (NTP). The secret is not the problem."
    assert "accepted, with the service's time" in told(ran)["signature"]["message"]


def test_a_clock_that_will_soon_be_too_far_off_is_warned_of(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with running_service(SandboxOptions(records=1), clock=lambda: time.time() + 120) as service:
        key = service.key("live")
        monkeypatch.setenv("SVC_API_KEY", key.api_key)
        monkeypatch.setenv("SVC_SIGNING_SECRET", str(key.signing_secret))
        monkeypatch.setenv("SVC_BASE_URL", service.base_url)
        ran = run("doctor", "--json")
    assert (ran.status, json.loads(ran.out)["overall"]) == (0, "warning")
    assert told(ran)["clock"]["verdict"] == "warning"


def test_a_port_where_nobody_listens(run: Run, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use("live")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    monkeypatch.setenv("SVC_BASE_URL", f"http://127.0.0.1:{port}")
    ran = run("doctor", "--json")
    found = failed(ran)
    assert found["check"] == "reachability"
    assert f"127.0.0.1:{port}: connection refused" in found["message"]
    assert "SVC_BASE_URL" in found["advice"]
    assert [check["verdict"] for check in told(ran).values()].count("skipped") == 7


def test_a_proxy_on_the_way_is_named_without_its_password(run: Run, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use("live")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for name in ("NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SVC_BASE_URL", "https://api.example.com")
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:open-sesame@127.0.0.1:{port}")
    ran = run("doctor", "--json")
    assert failed(ran)["check"] == "reachability"
    assert f"127.0.0.1:{port}" in failed(ran)["message"]
    assert b"open-sesame" not in ran.out


@contextlib.contextmanager
def secure_server(certificate: str, body: bytes = b"[]") -> Iterator[int]:
    """A TLS server on a port of this machine that shows the certificate, and answers with the two bytes of `body`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / certificate)

    def serve(listener: socket.socket) -> None:
        # Ends when the listener is shut down; a client that refuses the certificate is what is expected here.
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as own:
                    own.recv(65_536)
                    own.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n" + body)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_a_certificate_that_nobody_vouches_for(run: Run, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use("live")
    with secure_server("self-signed.pem") as port:
        monkeypatch.setenv("SVC_BASE_URL", f"https://127.0.0.1:{port}")
        ran = run("doctor", "--json")
    found = failed(ran)
    assert found["check"] == "certificate"
    assert "the certificate of" in found["message"]
    assert "SSL_CERT_FILE" in found["advice"]
    assert told(ran)["reachability"]["verdict"] == "passed"


def test_a_certificate_of_a_companys_own_authority(run: Run, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use("live")
    with secure_server("service.pem") as port:
        monkeypatch.setenv("SVC_BASE_URL", f"https://localhost:{port}")
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATES / "authority.pem"))
        monkeypatch.delenv("SSL_CERT_DIR", raising=False)
        checks = told(run("doctor", "--json"))
    assert checks["certificate"]["message"] == "trusted by this system or SSL_CERT_FILE"


def test_another_service_that_answers_well_is_not_taken_for_this_one(
    run: Run, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("live")
    with secure_server("service.pem", b"{}") as port:
        monkeypatch.setenv("SVC_BASE_URL", f"https://localhost:{port}")
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATES / "authority.pem"))
        found = failed(run("doctor", "--json"))
    assert (found["check"], found["message"]) == (
        "reachability",
        "the service returned 200 with a body that is not a list of records: the response has no items",
    )
    assert "a login page or another service" in found["advice"]


def test_a_gateways_error_is_not_the_keys(run: Run, use: Use, service: RunningService) -> None:
    use("live")
    service.faults.always("html-error")
    found = failed(run("doctor", "--json"))
    assert found["check"] == "reachability"
    assert "502 Bad Gateway" in found["message"]
    assert "the gateway team" in found["advice"]


def test_a_rate_limit_says_when_to_try_again_and_is_not_waited_for(run: Run, use: Use, service: RunningService) -> None:
    use("live")
    service.faults.always("429", retry_after=3600)
    found = failed(run("doctor", "--json"))
    assert found["check"] == "rate limit"
    assert "try again in 1 h" in found["message"]
    assert len(service.attempts) == 1


def test_a_key_with_a_low_limit_waits_as_asked_and_says_so(run: Run, use: Use) -> None:
    use("limited")
    checks = told(run("doctor", "--json"))
    assert "some after a wait" in checks["rate limit"]["message"]
    assert checks["scope"]["message"] == "can read 12 of 12 collections"


def test_trouble_that_passes_is_told_and_not_tried_again(run: Run, use: Use, service: RunningService) -> None:
    use("live")
    service.faults.next("500")
    assert failed(run("doctor", "--json"))["check"] == "reachability"
    assert len(service.attempts) == 1


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "no key is set; set SVC_API_KEY"),
        ({"SVC_API_KEY": "sk_whatever"}, "must begin with svc_live_ or svc_test_"),
        ({"SVC_API_KEY": "svc_live_x"}, "no base URL for svc_live_ keys: set SVC_BASE_URL"),
        ({"SVC_API_KEY": "svc_live_x", "SVC_BASE_URL": "http://api.example.com"}, "use https"),
        ({"SVC_API_KEY": "svc_live_x", "SVC_BASE_URL": "https://a.example", "SVC_TUI_CONFIG": "/none"}, "not exist"),
    ],
)
def test_a_mistake_in_the_settings_is_a_failed_check(
    run: Run, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], said: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    ran = run("doctor", "--json")
    assert (ran.status, ran.err) == (1, "")
    found = failed(ran)
    assert found["check"] == "configuration"
    assert said in found["message"]
    assert "whatever" not in found["message"]


def test_a_configuration_file_that_is_wrong_is_a_failed_check(run: Run, use: Use, home: Path) -> None:
    use("live")
    (home / "config" / "svc-tui").mkdir(parents=True)
    (home / "config" / "svc-tui" / "config.toml").write_text("live_unlock_minutes = 600\n")
    found = failed(run("doctor", "--json"))
    assert found["check"] == "configuration"
    assert "live_unlock_minutes is 600; allowed: a whole number from 1 to 60" in found["message"]


@pytest.mark.parametrize("words", [["doctor", "--jsn"], ["doctor", "lots"]])
def test_bad_usage_is_status_two(run: Run, words: list[str]) -> None:
    ran = run(*words)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, b"", 1)


def test_no_run_ever_shows_the_key_or_the_secret(run: Run, use: Use, service: RunningService) -> None:
    use("live")
    key = service.key("live")
    for fault in (None, "clock-ahead", "500"):
        if fault:
            service.faults.always(fault)
        for words in (["doctor"], ["doctor", "--json"]):
            ran = run(*words)
            assert key.api_key.encode() not in ran.out
            assert str(key.signing_secret).encode() not in ran.out


def test_what_a_service_says_can_not_move_the_cursor(run: Run, use: Use, home: Path) -> None:
    use("live")
    (home / "config" / "svc-tui").mkdir(parents=True)
    (home / "config" / "svc-tui" / "config.toml").write_text('"\\u001b[2J" = 1\n')
    for words in (["doctor"], ["doctor", "--json"]):
        ran = run(*words)
        assert b"\x1b" not in ran.out
        assert b"u001b[2J" in ran.out


def test_each_line_is_there_as_soon_as_it_is_known(start: Start, use: Use, service: RunningService) -> None:
    use("sandbox")
    service.faults.next("hold")
    process = start("doctor")
    assert process.stdout is not None
    first = process.stdout.readline(), process.stdout.readline()
    assert [line.split()[1] for line in first] == [b"configuration", b"key"]
    while not service.faults.held:
        assert process.poll() is None
    service.faults.release()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert out.decode().endswith("\n12 passed\n")


def test_an_interrupt_ends_it_in_one_line(start: Start, use: Use, service: RunningService) -> None:
    use("sandbox")
    service.faults.next("hold")
    process = start("doctor")
    while not service.faults.held:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    service.faults.release()
    assert (process.returncode, err.strip()) == (130, b"svc-tui: interrupted")


def test_a_reader_that_goes_away_is_no_error(start: Start, use: Use) -> None:
    use("sandbox")
    process = start("doctor")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_disk_that_is_full_is_one_line(home: Path, use: Use) -> None:
    use("sandbox")
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run([sys.executable, "-m", "svc_tui", "doctor"], stdout=full, stderr=subprocess.PIPE)
    assert (ran.returncode, ran.stderr) == (3, b"svc-tui: can't write to stdout: No space left on device\n")


def test_an_encoding_without_marks_gets_plain_ones(
    start: Start, use: Use, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("expired")
    (home / "Łódź.toml").touch()
    monkeypatch.setenv("SVC_TUI_CONFIG", str(home / "Łódź.toml"))
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    out, err = start("doctor").communicate(timeout=60)
    assert err == b""
    assert {line[:2] for line in out.decode("ascii").splitlines()[:10]} == {"+ ", "x ", "- ", "  "}
    assert b"settings from " in out
    assert b"\\u0141\\xf3d\\u017a.toml" in out


def test_what_the_readers_of_files_have_to_say_is_a_warning(run: Run, use: Use, home: Path) -> None:
    use("live")
    (home / "state" / "svc-tui").mkdir(parents=True)
    (home / "state" / "svc-tui" / "state.toml").write_text("theme = ")
    ran = run("doctor", "--json")
    assert ran.status == 0
    assert told(ran)["configuration"]["verdict"] == "warning"
    assert "state.toml:1: not valid TOML: a value is missing" in told(ran)["configuration"]["advice"]


@pytest.mark.terminal
@pytest.mark.parametrize("plain", [False, True])
def test_in_a_terminal_lines_are_broken_between_words_and_coloured_unless_not_wanted(
    use: Use, service: RunningService, plain: bool
) -> None:
    use("live")
    service.faults.always("clock-ahead")
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    if plain:
        environment["NO_COLOR"] = "1"
    process = pexpect.spawn(
        sys.executable, ["-m", "svc_tui", "doctor"], dimensions=(40, 80), env=environment, timeout=60, encoding="utf-8"
    )
    process.expect(pexpect.EOF)
    process.wait()
    assert process.exitstatus == 1
    shown = process.before
    assert ("\x1b[31m✗" in shown) is not plain
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert max(map(len, lines)) <= 80
    (place,) = [place for place, line in enumerate(lines) if line.startswith("✗")]
    assert re.match(r"✗ clock          failed: this computer is (19|20) min", lines[place])
    assert lines[place + 1].startswith(" " * 17)


def test_a_mistake_in_the_keys_is_told(run: Run, use: Use, home: Path) -> None:
    use("live")
    config = home / "config" / "svc-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[keys]\n"writes.nothing" = "J"\n"writes.journal" = "hyper+z+z"\n')
    check = told(run("doctor", "--json"))["configuration"]
    assert check["verdict"] == "warning"
    assert "config.toml, [keys]: unknown action writes.nothing" in check["advice"]
    assert "hyper+z+z" in check["advice"]


def test_a_closed_stdout_is_said(use: Use, home: Path) -> None:
    use("live")
    command = f"{shlex.quote(sys.executable)} -m svc_tui doctor >&-"
    ran = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (3, b"svc-tui: stdout is closed\n")
