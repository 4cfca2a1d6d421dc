"""The main job without a screen: by lines on a pipe, by lines at a real terminal, and what both leave to the screen."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pexpect
import pytest

from svc_tui.core.jsontext import loads
from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.flows.test_saved_requests import shared
from tests.flows.test_switching import made
from tests.terminal import PATIENCE, PROGRAM, Terminal, quiet_environment, terminal

pytestmark = pytest.mark.terminal

LOT = "lot-000011"


def note(service: RunningService) -> object:
    """The note of the lot, as the service holds it."""
    record = loads(service.record("operations/lots", LOT) or "")
    assert isinstance(record, dict)
    return record["note"]


def spoken(lines: list[str], environment: dict[str, str]) -> list[str]:
    """What the program says to these lines on a pipe; it ends in order with the last of them."""
    ran = subprocess.run(
        [*PROGRAM, "--reader"],
        env=environment,
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert ran.stderr == ""
    assert ran.stdout.endswith("\n")
    assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", ran.stdout) is None
    return ran.stdout.splitlines()


def test_a_lot_is_found_fixed_sent_and_taken_back_on_a_pipe(service: RunningService, tmp_path: Path) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    before = note(service)
    find = [":lots", f"/id:{LOT}", "open 1"]
    said = spoken([*find, "edit note", "damp", "ticket SUP-1", "review", "review full", "send", "journal"], environment)
    assert note(service) == "damp"
    assert f"Request: PATCH /v1/operations/lots/{LOT}" in said
    assert re.match(r"1\. .* PATCH .*note: from .* to \"damp\", done 200, ticket SUP-1", said[-2])
    spoken([*find, "undo 1", "send"], environment)
    assert note(service) == before
    # A draft that is begun by lines is there on the screen.
    assert spoken([*find, "edit note", "wet"], environment)[-1] == "1 draft kept."
    with terminal([], environment) as user:
        user.sees(r"1 record has a draft not sent yet")
        user.press("ctrl+q")
        user.sees(rf"1 record has a draft: {LOT}")
        user.press("y")
        assert user.ends() == 0


def test_a_lot_is_fixed_on_live_at_a_terminal_by_words_and_with_completion(
    service: RunningService, tmp_path: Path
) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "live"), SVC_TUI_READER="1")
    command, *words = PROGRAM
    user = pexpect.spawn(
        command, words, env=environment, dimensions=(24, 100), timeout=PATIENCE, encoding="utf-8", echo=True
    )
    heard = _Heard()
    user.logfile_read = heard
    user.expect(r"LIVE> ")
    for typed, answer in (
        (":lo\t", r"1 to 10 of 300 records.*LIVE lots> "),
        ("op\t" + LOT, r"LIVE lot 11> "),
        ("edit not\t", r"LIVE\. New note: "),
        ("\x03", r"Cancelled\. Nothing was changed\..*> "),
        ("half a line\x03", r"LIVE lot 11> "),
        ("edit note", r"LIVE\. New note: "),
        ("damp", r"Not sent yet.*> "),
        ("review", r"LIVE is locked\. Type unlock\. Then type send\. .*> "),
        ("unlock", r"Type live to unlock: "),
        ("live", r"LIVE is writable for 10 minutes\..*> "),
        ("send", r"LIVE\. Type live to send it: "),
        ("live", rf"Saved {LOT}.*> "),
        ("undo 1", r"To send the draft, type send; to discard it, type drop\..*> "),
        ("journal", r"1\. .*done 200.*> "),
    ):
        user.send(typed if typed.endswith("\x03") else f"{typed}\r")
        user.expect(answer)
    assert note(service) == "damp"
    user.send("\x04")
    user.expect(pexpect.EOF)
    user.close()
    assert user.exitstatus == 0
    assert "1 draft kept." in heard.text
    # No colours, no frames, no full screen: the line editor's own moves within a line, and the switch that has the
    # terminal mark pastes, are all there is.
    sequences = re.findall("\x1b\\[[0-9;?]*[a-zA-Z]", heard.text)
    assert set(sequences) <= {"\x1b[C", "\x1b[K", "\x1b[?2004h", "\x1b[?2004l"}


def talk_at_terminal(service: RunningService, home: Path, **variables: str) -> pexpect.spawn:
    """The reader at a terminal, with a record open."""
    environment = quiet_environment(home, **steps.connection(service, "sandbox"), **variables)
    command, *words = PROGRAM
    user = pexpect.spawn(
        command, [*words, f"lots/{LOT}", "--reader"], env=environment, timeout=PATIENCE, encoding="utf-8"
    )
    user.expect(r"SANDBOX lot 11> ")
    return user


def test_a_paste_is_one_value_and_runs_no_commands(service: RunningService, tmp_path: Path) -> None:
    before, user = note(service), talk_at_terminal(service, tmp_path)
    user.send("edit note\r")
    user.expect(r"New note: ")
    user.send("\x1b[200~Steps:\rreview\rsend\r\x1b[201~\r")
    user.expect(r'to "Steps:\\nreview\\nsend"\. Not sent yet.*> ')
    # Of a paste among the commands only the first line is taken.
    user.send("\x1b[200~where\rreview\rsend\r\x1b[201~\r")
    user.expect(r"Only the first pasted line was used\. 2 lines ignored\.")
    user.expect(r"draft: 1 field.*> ")
    user.send("quit\r")
    user.expect(pexpect.EOF)
    assert note(service) == before
    assert {attempt.method for attempt in service.attempts} == {"GET"}


def test_find_searches_an_index_that_the_command_line_built(service: RunningService, tmp_path: Path) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    subprocess.run([*PROGRAM, "index", "update"], env=environment, capture_output=True, timeout=PATIENCE, check=True)
    said = spoken(["find wrk-0042", "open 1"], environment)
    found = re.compile(r"[\d,]+ match(es)? in 0 loaded records and [\d,]+ records in the index")
    assert any(map(found.match, said))
    assert not any("There is no index" in line for line in said)


def begins_a_paste(user: Terminal) -> None:
    """Type a few keys and a paste without its end; wait until the program has read all of it."""
    user.press("typed\x1b[200~pasted\rsend\r")
    user.sees(r"typed\s*$")
    user.until(lambda: user.unread == 0, "the program did not read the paste")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_in_a_paste_without_an_end(
    service: RunningService, tmp_path: Path, number: signal.Signals
) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    with terminal([f"lots/{LOT}", "--reader"], environment) as user:
        user.sees(r"SANDBOX lot 11>\s*$")
        user.press("edit note\r")
        user.sees(r"New note:\s*$")
        begins_a_paste(user)
        user.kill(number)
        assert user.ends() == 128 + number
        assert user.modes[steps.BRACKETED_PASTE] is False
        assert user.attributes_after == user.attributes_before


def test_an_interrupt_drops_a_paste_without_an_end(service: RunningService, tmp_path: Path) -> None:
    before = note(service)
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    with terminal([f"lots/{LOT}", "--reader"], environment) as user:
        user.sees(r"SANDBOX lot 11>\s*$")
        user.press("edit note\r")
        user.sees(r"New note:\s*$")
        begins_a_paste(user)
        user.press("\x03")
        user.sees(r"Cancelled\. Nothing was changed\.\n.*lot 11>\s*$")
        # The next line is read as usual, even if the end of the paste comes after all.
        user.press("\x1b[201~edits\r")
        user.sees(r"> edits\n.*\n.*>\s*$")
        user.press("\x04")
        assert user.ends() == 0
    assert note(service) == before


def test_lines_behind_a_value_are_dropped_where_the_terminal_marks_no_paste(
    service: RunningService, tmp_path: Path
) -> None:
    before, user = note(service), talk_at_terminal(service, tmp_path, TERM="linux")
    user.send("edit note\r")
    user.expect(r"New note: ")
    user.send("Steps:\rreview\rsend")
    user.expect(r"Ignored 2 lines after the value: this terminal does not support bracketed paste\.")
    user.expect(r'to "Steps:"\. Not sent yet.*> ')
    user.send("\rquit\r")
    user.expect(pexpect.EOF)
    assert note(service) == before
    assert {attempt.method for attempt in service.attempts} == {"GET"}


def test_from_the_screens_to_the_reader_and_back_nothing_is_lost(tmp_path: Path) -> None:
    environment = quiet_environment(tmp_path)
    with terminal(["demo", "lots", "--records", "50"], environment) as user:
        user.sees("lot-000001")
        steps.opens_record(user, "lot-000001")
        steps.edits(user, "lot-000001", "name", "Not sent")
        user.press("ctrl+o")
        user.sees("MASKED")
        # This terminal has no second screen for what is drawn.
        user.wipe()
        user.press("ctrl+]")
        # At the same place, with the edit and the mask. Its first line begins where the cursor was.
        user.sees(r"Reader\.\s*SANDBOX\s*,\s*writable\.")
        user.sees(r"Personal data is masked\.")
        user.sees(r"SANDBOX lot 1>")
        for line, answer in (
            ("field name", r'to "Not sent", draft'),
            ("mask off", r"Personal data is not masked\."),
            (f":lots/{LOT}", rf"Opened {LOT}, .*, 19 fields\. To read them, type fields\."),
            (f"console PATCH lots/{LOT} name=Renamed", r"To send it, type send\."),
            ("send", r"Saved PATCH .+\. To undo it"),
        ):
            user.press(line, "enter")
            user.sees(answer)
        # One press too many types nothing.
        user.press("ctrl+]", "screen", "enter")
        # The demo's service is the same one, with what was changed in it.
        user.sees(rf"─ {LOT} ─")
        user.sees(r"name +Renamed")
        user.loses("MASKED")
        user.wipe()
        user.press("ctrl+]")
        user.sees(r"SANDBOX lot 11>")
        user.press("screen", "enter")
        user.sees(rf"─ {LOT} ─")
        user.press("ctrl+q")
        user.sees("1 record has a draft: lot-000001")
        user.press("y")
        assert user.ends() == 0
    assert user.attributes_after == user.attributes_before


def test_a_filtered_list_and_half_a_request_go_along_and_come_back(tmp_path: Path) -> None:
    environment = quiet_environment(tmp_path)
    with terminal(["demo", "lots", "--records", "50"], environment) as user:
        user.sees("lot-000001")
        user.press("/", "?status=open", "enter")
        user.sees(r"\?status=open ✕")
        user.sees(LOT)
        user.press("down")
        user.press("4")
        user.sees("╭─ Console ")
        user.press(f"PATCH lots/{LOT} note=damp pri")
        user.sees("@file here")
        user.wipe()
        user.press("ctrl+]")
        user.sees(rf"Unsent request in the console: PATCH lots/{LOT} note=damp pri\. To send, change or discard it")
        user.sees(r"Query \?status=open\.")
        user.sees(rf"The cursor was on {LOT}\. To open it: open 2\.")
        user.press("open 2", "enter")
        user.sees(r"SANDBOX lot 11>")
        user.press("console", "enter")
        user.sees("or an empty line to keep the unsent request:")
        # The arrow brings the line, to be changed.
        user.press("up")
        user.sees("unsent request: console PATCH")
        user.press("ority=high", "enter")
        user.sees(r"To send it, type send\.")
        user.press("screen", "enter")
        user.sees(rf"─ {LOT} ─")
        user.sees(r"\?status=open ✕")
        user.press("4")
        user.sees(rf"PATCH lots/{LOT} note=damp priority=high")
        user.press("ctrl+q")
        assert user.ends() == 0


def test_saved_requests_on_a_pipe_where_a_file_is_broken_and_the_service_stops(
    service: RunningService, tmp_path: Path
) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "live"))
    config = tmp_path / "config" / "svc-tui"
    config.mkdir(parents=True)
    shared(config, 'name = "[/x]\\u001b[2J"\nmethod = "DELETE"\npath = "/v1/operations/lots/{id}"\n', "hostile")
    shared(config, 'name = "Broken', "broken")
    lines = ["requests", "request 1", "", LOT, "send", "request 2", "save Gone", "What goes", "requests gone"]
    said = spoken(lines, environment)
    assert "1. [/x]␛[2J: DELETE /v1/operations/lots/{id}, asks for id" in said
    assert "This field is required. Type it again; ctrl+c cancels." in said
    assert "Not sent. LIVE is locked. Type unlock." in said
    assert any(line.startswith("Invalid saved request: ") for line in said)
    assert "Gone, in gone.toml." in said
    assert service.record("operations/lots", LOT) is not None
    environment |= {"SVC_BASE_URL": "http://127.0.0.1:9"}
    stopped = spoken(["console GET lots", "requests", "request gone", LOT], environment)
    assert sum(line.startswith("Could not connect to 127.0.0.1:9") for line in stopped) == 1
    assert f"LIVE. Send DELETE /v1/operations/lots/{LOT}." in stopped
    assert "3 saved requests. To read number 1: requests 1. To send it: request 1." in stopped


def test_what_was_asked_for_to_reach_a_profile_is_not_asked_for_again(service: RunningService, tmp_path: Path) -> None:
    config = tmp_path / "config" / "svc-tui"
    config.mkdir(parents=True)
    asked = tmp_path / "asked"
    made(config, "one", service, "live", command=f"echo once >> {asked}; echo {service.key('live').api_key}")
    environment = quiet_environment(tmp_path)
    with terminal(["--profile", "one"], environment) as user:
        user.sees("lot-000001")
        user.wipe()
        user.press("ctrl+]")
        user.sees(r"LIVE is locked\. Type unlock\.")
        user.press("unlock", "enter")
        user.sees("Type live to unlock")
        user.press("live", "enter")
        user.sees(r"LIVE is writable for 10 minutes\.")
        user.sees("LIVE lots>")
        user.press("screen", "enter")
        user.sees("LIVE · one")
        user.sees(" LOCKED ")
        user.press("ctrl+q")
        assert user.ends() == 0
    assert asked.read_text() == "once\n"


def test_on_a_pipe_there_is_no_screen_to_go_on_at(service: RunningService, tmp_path: Path) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    said = spoken(["screen", ":lots"], environment)
    assert "Full-screen mode needs a terminal; in a script, use svc-tui request." in said
    assert any(line.startswith("1 to 10 of 300 records") for line in said)


class _Heard:
    """All that came from the terminal."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        """Take some of it."""
        self.text += text

    def flush(self) -> None:
        """There is nothing to wait for."""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_ends_the_program_in_order(
    service: RunningService, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"))
    with subprocess.Popen(
        [*PROGRAM, "--reader"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(f":lots/{LOT}\nedit note\ndamp\n")
        program.stdin.flush()
        for line in program.stdout:
            if line.startswith("note: from"):
                break
        os.kill(program.pid, number)
        rest = program.stdout.read()
        assert program.wait(PATIENCE) == status
    assert rest.splitlines()[-1] == "1 draft kept."
