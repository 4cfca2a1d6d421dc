"""The log file: who may read it, what is never in it, that it stays small, and that it never gets in the way."""

import logging
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from svc_tui.bootstrap import log_file
from svc_tui.bootstrap.log_file import log_to, log_traffic
from svc_tui.bootstrap.start import LogLevel
from svc_tui.service.traffic import (
    Answered,
    ClockCorrected,
    Failed,
    Paced,
    Retrying,
    Sent,
    Throttled,
    TrafficEvent,
)

KEY = "svc_live_0123456789abcdef"
SECRET = "svcsec_hush/hush"


def never(line: str) -> None:
    pytest.fail(line)


def written(directory: Path, write: Callable[[], object], level: LogLevel = "debug") -> str:
    """What the log holds after `write` ran."""
    with log_to(directory, level, lambda: (KEY, SECRET), never) as path:
        write()
    return path.read_text() if path is not None and path.exists() else ""


def test_no_key_secret_or_signature_gets_in_whoever_logs_it(tmp_path: Path) -> None:
    def careless() -> None:
        library = logging.getLogger("somebody.elses")
        library.debug(
            "headers: %s", {"Authorization": f"Bearer {KEY}", "x-svc-signature": "t=1700000000,v1=" + "ab" * 32}
        )
        library.warning("signing with %s, or %s in a URL", SECRET, SECRET.replace("/", "%2F"))
        library.info("another key: svc_test_ffffffffffff")
        try:
            raise ValueError(f"no such key: {KEY}")
        except ValueError:
            library.exception("it failed")

    text = written(tmp_path, careless)
    for hidden in (KEY, SECRET, "hush", "abababab", "ffffffff", "0123456789"):
        assert hidden not in text
    assert "{'Authorization': '…', 'x-svc-signature': '…'}" in text
    assert "ValueError: no such key: " in text


@pytest.mark.parametrize("name", ["httpcore9.http11", "h11", "urllib3.connectionpool", ""])
def test_what_a_library_logs_of_headers_is_masked_whatever_its_logger_is_called(tmp_path: Path, name: str) -> None:
    with log_to(tmp_path, "debug", lambda: ["hush", "f00d"], print) as path:
        assert path is not None
        log = logging.getLogger(name)
        log.debug("send %r", [(b"Authorization", b"Bearer other"), (b"Cookie", b"sid=1"), (b"x-note", b"hush")])
        log.debug("sent\nx-svc-signature: t=1,v1=f00d\nAccept: a")
    text = path.read_text()
    assert "(b'Authorization', b'…'), (b'Cookie', b'…'), (b'x-note', b'…')" in text
    assert "x-svc-signature: …\n    Accept: a" in text
    assert not any(leak in text for leak in ("other", "sid=1", "hush", "f00d"))


def test_every_record_is_one_line_that_begins_with_its_time_and_what_follows_is_indented(tmp_path: Path) -> None:
    text = written(tmp_path, lambda: logging.getLogger("x").info("one\n2026-01-01 forged\x1b[2J"))
    first, second = text.splitlines()
    assert first.endswith("INFO x: one")
    assert second == "    2026-01-01 forged\\x1b[2J"


def test_it_is_for_the_user_alone(tmp_path: Path) -> None:
    written(tmp_path, lambda: logging.getLogger("x").info("one"))
    assert stat.S_IMODE((tmp_path / log_file.LOG_FILE_NAME).stat().st_mode) == 0o600


def test_nothing_is_made_before_there_is_something_to_say(tmp_path: Path) -> None:
    assert written(tmp_path, lambda: logging.getLogger("x").info("one"), "warning") == ""
    assert written(tmp_path, lambda: logging.getLogger("x").critical("one"), "off") == ""
    assert list(tmp_path.iterdir()) == []


def test_it_goes_on_where_it_ended_and_leaves_the_loggers_as_they_were(tmp_path: Path) -> None:
    root = logging.getLogger()
    before = (root.level, list(root.handlers))
    written(tmp_path, lambda: logging.getLogger("x").info("one"))
    assert written(tmp_path, lambda: logging.getLogger("x").info("two")).count("INFO x: ") == 2
    assert (root.level, list(root.handlers)) == before


def test_it_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "LARGEST", 2_000)

    def much() -> None:
        for number in range(200):
            logging.getLogger("x").info("line %d of many", number)

    assert "line 199" in written(tmp_path, much)
    assert sorted(file.name for file in tmp_path.iterdir()) == [log_file.LOG_FILE_NAME, f"{log_file.LOG_FILE_NAME}.1"]
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 4_000


def test_where_it_can_not_be_written_that_is_told_once_and_the_program_goes_on(tmp_path: Path) -> None:
    (tmp_path / log_file.LOG_FILE_NAME).mkdir()
    told: list[str] = []
    with log_to(tmp_path, "debug", tuple, told.append):
        logging.getLogger("x").info("one")
        logging.getLogger("x").info("two")
    assert told == [f"The log {tmp_path / log_file.LOG_FILE_NAME} can't be written: Is a directory."]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            Sent(7, 1, "GET", "/v1/operations/lots?page=1"),
            "INFO svc_tui.traffic: #7 GET /v1/operations/lots?page=1, attempt 1",
        ),
        (Answered(7, 200, 0.0384), "INFO svc_tui.traffic: #7 200 answered in 38 ms"),
        (Answered(7, 401, 0.01, "timestamp_stale"), "INFO svc_tui.traffic: #7 401 timestamp_stale in 10 ms"),
        (Failed(7, "connection refused"), "WARNING svc_tui.traffic: #7 failed: connection refused"),
        (Retrying(7, 2, 0.25, "503"), "WARNING svc_tui.traffic: #7 attempt 2 in 0.2 s: 503"),
        (Throttled(12.0, 3), "INFO svc_tui.traffic: rate limit reached, 3 waiting"),
        (Throttled(None, 0), "INFO svc_tui.traffic: rate limit over, 0 waiting"),
        (Paced(1.5), "INFO svc_tui.traffic: background requests: 1.50 per second"),
        (Paced(None), "INFO svc_tui.traffic: background requests: no limit"),
        (ClockCorrected(142.0), "WARNING svc_tui.traffic: clock offset +142 s"),
        (ClockCorrected(None), "WARNING svc_tui.traffic: clock offset gone"),
    ],
)
def test_what_happens_on_the_wire_is_written_down(event: TrafficEvent, line: str, tmp_path: Path) -> None:
    assert written(tmp_path, lambda: log_traffic(event)).endswith(f"{line}\n")
