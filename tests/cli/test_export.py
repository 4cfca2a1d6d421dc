"""`svc-tui export`: every record once and to the digit, a file whole or not at all, and a word where one is owed."""

import csv
import fcntl
import io
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pexpect
import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.cli.conftest import Run, Start, UseRaw
from tests.client.raw_service import BREAK, CannedReply, ReceivedRequest, reply

Use = Callable[[str], None]
LOTS = "operations/lots"
EXACT = '"massKg": 1.50, "assay": {"auPpm": 1234567890123456789012345, "lab": {"name": "=cmd"}}'
PATIENCE = 60.0
SETPRIV = shutil.which("setpriv")

KILLED_AT_THE_END = """
import os
import signal
from pathlib import Path
from svc_tui.platform import nameless_files
from svc_tui.cli.main import main

def kill(file, name):
    os.kill(os.getpid(), signal.SIGTERM)

nameless_files._OPEN_FILES = Path("/nowhere")
Path.replace = kill
main()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where exports go."""
    (tmp_path / "exports").mkdir()
    return tmp_path / "exports"


def page_asked(received: ReceivedRequest) -> tuple[int, int]:
    """The page and the limit of a request."""
    query = parse_qs(urlsplit(received.target).query)
    return int(query["page"][0]), int(query["limit"][0])


def listed(records: Sequence[object], received: ReceivedRequest, total: bool = True) -> CannedReply:
    """The page asked for of these records."""
    page, limit = page_asked(received)
    meta = {"total": len(records)} if total else {}
    return reply(200, json.dumps({"items": records[(page - 1) * limit : page * limit], "meta": meta}))


def stored(service: RunningService, count: int) -> list[object]:
    """The lots as the service holds them."""
    texts = (service.record(LOTS, f"lot-{number:06}") for number in range(1, count + 1))
    return [json.loads(text) for text in texts if text is not None]


def until(holds: Callable[[], bool], process: "subprocess.Popen[bytes] | None" = None) -> None:
    """Return once `holds()`; the process must be running until then."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert process is None or process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)


@contextmanager
def hold_from_the_second_page(service: RunningService) -> Iterator[None]:
    """The answer of every request but the first waits until the block ends, also of one that is tried again."""
    service.faults.always("hold", after=1, method="GET")
    try:
        yield
    finally:
        service.faults.clear()


# The records


def test_json_lines_hold_every_record_in_order(run: Run, use: Use, service: RunningService) -> None:
    use("live")
    ran = run("export", LOTS, "--page-size", "7")
    assert (ran.status, ran.err) == (0, "")
    assert [json.loads(line) for line in ran.out.splitlines()] == stored(service, 30)
    limits = [urlsplit(attempt.target).query for attempt in service.attempts]
    assert limits[0] == "page=1&limit=7"
    assert all(query.endswith("limit=7") for query in limits)


@pytest.mark.parametrize("words", [["--format", "jsonl"], ["--format", "json"], ["--format", "csv"]])
def test_numbers_come_out_as_the_service_wrote_them(run: Run, use: Use, words: list[str]) -> None:
    use("sandbox")
    assert run("request", "PATCH", f"{LOTS}/lot-000001", "-d", f"{{{EXACT}}}").status == 0
    out = run("export", "lots", *words, "--max-items", "1").out.decode()
    number = "1234567890123456789012345"
    if "csv" in words:
        (row,) = csv.DictReader(io.StringIO(out))
        assert row["massKg"] == "1.50"
        assert f'"auPpm":{number},' in row["assay"]
    else:
        assert '"massKg":1.50,' in out
        assert f'"auPpm":{number},' in out


def test_json_is_one_array(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    assert json.loads(run("export", "lots", "--format", "json", "--page-size", "7").out) == stored(service, 30)


@pytest.mark.parametrize(("form", "text"), [("jsonl", ""), ("json", "[]\n"), ("csv", "")])
def test_a_collection_without_records_is_an_empty_file(run: Run, use: Use, folder: Path, form: str, text: str) -> None:
    use("sandbox")
    assert run("export", "lots", "-q", "name=none", "--force", "-o", str(folder / f"x.{form}")).status == 0
    assert (folder / f"x.{form}").read_text() == text


def test_no_cell_of_a_table_runs_as_a_formula(run: Run, use: Use, folder: Path) -> None:
    use("sandbox")
    run("request", "PATCH", f"{LOTS}/lot-000001", "-d", '{"name": "=HYPERLINK(A1)", "note": " @SUM(A1)"}')
    assert run("export", "lots", "--force", "-o", str(folder / "lots.csv")).status == 0
    with (folder / "lots.csv").open(newline="") as file:
        first = next(csv.DictReader(file))
    assert (first["name"], first["note"]) == ("'=HYPERLINK(A1)", "' @SUM(A1)")


def test_a_table_in_a_file_has_every_column_and_on_stdout_those_of_the_first_page(
    run: Run, use_raw: UseRaw, folder: Path
) -> None:
    records = [{"id": 1, "a": "x"}, {"id": 2, "b": None}, {"id": 3, "c": [1], "a": ""}]
    use_raw(lambda received: listed(records, received))
    assert run("export", "lots", "--page-size", "1", "--force", "-o", str(folder / "x.csv")).err == ""
    assert (folder / "x.csv").read_bytes() == b'id,a,b,c\r\n1,x,,\r\n2,,,\r\n3,"",,[1]\r\n'
    ran = run("export", "lots", "--page-size", "1", "--format", "csv")
    assert (ran.status, ran.out) == (0, b'id,a\r\n1,x\r\n2,\r\n3,""\r\n')
    assert ran.err == (
        "svc-tui: fields that are not on the first page were skipped (b, c); export to a file to get all columns\n"
    )


def test_parameters_go_with_every_page(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    ran = run("export", "lots", "-q", "status=open", "-q", "grade=", "--page-size", "2")
    assert ran.status == 0
    assert all("status=open&grade=" in attempt.target for attempt in service.attempts)


def test_a_nested_collection_and_a_path_are_walked_too(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    assert run("export", f"{LOTS}/lot-000001/attachments").status == 0
    assert service.attempts[-1].target.startswith("/v1/operations/lots/lot-000001/attachments?page=")
    assert run("export", "/v1/finance/invoices", "--max-items", "1").out.count(b"\n") == 1
    assert run("export", "productionlogs", "--max-items", "1").out.count(b"\n") == 1


@pytest.mark.parametrize(("most", "pages"), [(7, 1), (10, 1), (11, 2), (30, 3), (99, 3)])
def test_so_many_records_are_read_and_no_further_page(
    run: Run, use: Use, service: RunningService, most: int, pages: int
) -> None:
    use("sandbox")
    ran = run("export", "lots", "--max-items", str(most), "--page-size", "10")
    assert [json.loads(line) for line in ran.out.splitlines()] == stored(service, min(most, 30))
    assert ran.err == ""
    assert len(service.attempts) == pages


def test_200_records_are_asked_for_at_a_time(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    run("export", "lots")
    assert service.attempts[0].target == "/v1/operations/lots?page=1&limit=200"


def test_the_profiles_page_size_is_asked_for(run: Run, home: Path, service: RunningService) -> None:
    profile = home / "config" / "svc-tui" / "profiles" / "small.toml"
    profile.parent.mkdir(parents=True, exist_ok=True)
    key = service.key("sandbox").api_key
    profile.write_text(f'api_key = "{key}"\nsandbox_base_url = "{service.base_url}"\npage_size = 30\n')
    profile.chmod(0o600)
    assert run("--profile", "small", "export", "lots").status == 0
    assert service.attempts[0].target == "/v1/operations/lots?page=1&limit=30"


# A collection that moves


def growing(count: int, by: int) -> Callable[[ReceivedRequest], CannedReply]:
    """Records that are numbered from 0; when the first page was read, others are put in front, numbered from 100."""
    records = [{"id": number} for number in range(count)]

    def answer(received: ReceivedRequest) -> CannedReply:
        made = listed(list(records), received)
        if page_asked(received)[0] == 1:
            records[:0] = [{"id": 100 + number} for number in range(by)]
        return made

    return answer


def test_a_record_that_comes_twice_is_written_once_and_said(run: Run, use_raw: UseRaw, folder: Path) -> None:
    use_raw(growing(6, by=1))
    ran = run("export", "lots", "--page-size", "2", "--force", "-o", str(folder / "x.jsonl"))
    assert ran.status == 0
    assert [json.loads(line)["id"] for line in (folder / "x.jsonl").read_text().splitlines()] == [0, 1, 2, 3, 4, 5]
    assert ran.err == (
        "svc-tui: the collection changed during the export: 1 record appeared on two pages, saved once. "
        "Other records may be missing. Export again to be sure\n"
    )


def test_no_record_is_lost_when_pages_under_way_are_answered_out_of_order(run: Run, use_raw: UseRaw) -> None:
    before, after = [{"id": number} for number in range(10)], [{"id": number} for number in (100, *range(10))]
    asked: list[int] = []

    def answer(received: ReceivedRequest) -> CannedReply:
        number = page_asked(received)[0]
        asked.append(number)
        # Pages 1, 3 and 4 are answered first, then a record is inserted in front, then page 2 is answered.
        return listed(before if number in (1, 3, 4) and asked.count(number) == 1 else after, received)

    use_raw(answer)
    ran = run("export", "lots", "--page-size", "2")
    assert ran.status == 0
    ids = [json.loads(line)["id"] for line in ran.out.splitlines()]
    assert sorted(ids) == list(range(10))
    assert "1 record appeared on two pages, saved once" in ran.err or "2 records appeared on two pages" in ran.err


@pytest.mark.parametrize(
    ("by", "ids", "twice"), [(1, [0, 1, 2, 3, 4], "1 record"), (4, [0, 1, 102, 103, 2], "2 records")]
)
def test_max_items_counts_the_records_that_are_written(
    run: Run, use_raw: UseRaw, by: int, ids: list[int], twice: str
) -> None:
    use_raw(growing(6, by))
    ran = run("export", "lots", "--page-size", "2", "--max-items", "5")
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == ids
    assert f"{twice} appeared on two pages" in ran.err


def test_max_items_ends_where_the_collection_does(run: Run, use_raw: UseRaw) -> None:
    use_raw(growing(5, by=1))
    ran = run("export", "lots", "--page-size", "2", "--max-items", "6")
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == [0, 1, 2, 3, 4]


def test_a_record_deleted_meanwhile_is_said(run: Run, start: Start, use: Use, service: RunningService) -> None:
    use("sandbox")
    with hold_from_the_second_page(service):
        process = start("export", "lots", "--page-size", "1")
        until(lambda: service.faults.held > 0, process)
        assert run("request", "DELETE", f"{LOTS}/lot-000001", "--no-before").status == 0
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert len(out.splitlines()) in (28, 29)
    assert err.decode() == (
        "svc-tui: the collection changed from 30 to 29 records during the export. "
        "Other records may be missing. Export again to be sure\n"
    )


def test_fewer_records_than_the_service_speaks_of_are_said(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    service.faults.always("lying-total")
    ran = run("export", "lots", "--page-size", "10")
    assert (ran.status, ran.out.count(b"\n")) == (0, 30)
    assert "records but returned 30; some may be missing" in ran.err


# Trouble on the way


def test_a_429_in_the_midst_is_waited_for(run: Run, use: Use, service: RunningService) -> None:
    use("sandbox")
    service.faults.always("429", every=3, retry_after=0)
    ran = run("export", "lots", "--page-size", "5")
    assert (ran.status, ran.err) == (0, "")
    assert [json.loads(line) for line in ran.out.splitlines()] == stored(service, 30)
    assert 429 in [attempt.status for attempt in service.attempts]


def failing_on_page(number: int, failure: CannedReply) -> Callable[[ReceivedRequest], CannedReply]:
    records = [{"id": at} for at in range(20)]
    return lambda received: failure if page_asked(received)[0] == number else listed(records, received)


@pytest.mark.parametrize(
    ("failure", "status", "words"),
    [
        (
            reply(404, '{"error": {"code": "gone"}}'),
            1,
            "the service returned 404 No (gone). Check the id and the path.",
        ),
        (reply(403, '{"code": "insufficient_scope"}'), 1, "Ask for the scope in the management portal"),
        (reply(200, "nonsense"), 3, "not JSON"),
        (reply(200, '{"nothing": 1}'), 3, "without a list of records"),
    ],
)
def test_a_failure_on_the_third_page_leaves_the_old_file_and_says_how_far_it_came(
    run: Run, use_raw: UseRaw, folder: Path, failure: CannedReply, status: int, words: str
) -> None:
    use_raw(failing_on_page(3, failure))
    file = folder / "x.jsonl"
    file.write_text("old")
    ran = run("export", "lots", "--page-size", "4", "--force", "-o", str(file))
    assert (ran.status, ran.out) == (status, b"")
    assert ran.err.startswith(f"svc-tui: stopped after 8 records, {file} was not saved: ")
    assert words in ran.err
    assert ran.err.count("\n") == 1
    assert file.read_text() == "old"
    assert list(folder.iterdir()) == [file]


def test_what_came_before_a_failure_is_on_stdout(run: Run, use_raw: UseRaw) -> None:
    use_raw(failing_on_page(3, reply(404)))
    ran = run("export", "lots", "--page-size", "4")
    assert (ran.status, ran.out.count(b"\n")) == (1, 8)
    assert ran.err.startswith("svc-tui: stopped after 8 records: the service returned 404")


def test_a_failure_at_once_is_told_like_any_other(run: Run, use: Use) -> None:
    use("expired")
    ran = run("export", "lots")
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith("svc-tui: this API key has expired (api_key_expired).")


def test_connections_that_break_off_leave_no_file(run: Run, use_raw: UseRaw, folder: Path) -> None:
    use_raw(failing_on_page(3, BREAK))
    ran = run("export", "lots", "--page-size", "4", "--force", "-o", str(folder / "x.csv"))
    assert (ran.status, ran.out) == (3, b"")
    assert ran.err.startswith(f"svc-tui: stopped after 8 records, {folder / 'x.csv'} was not saved: ")
    assert list(folder.iterdir()) == []


def test_a_service_that_is_killed_in_the_midst_is_told(
    start: Start, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = start("sandbox", "--records", "1000", "--latency-ms", "20")
    assert sandbox.stdout is not None
    announced = json.loads(sandbox.stdout.readline())
    (key,) = (key for key in announced["keys"] if key["name"] == "sandbox")
    monkeypatch.setenv("SVC_API_KEY", key["api_key"])
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", announced["base_url"])
    process = start("export", "lots", "--page-size", "1")
    assert process.stdout is not None
    first = process.stdout.readline()
    sandbox.kill()
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    count = len((first + out).splitlines())
    assert err.decode().startswith(f"svc-tui: stopped after {count} record")
    assert "could not connect" in err.decode()


# Interrupted


@pytest.mark.parametrize("form", ["jsonl", "csv"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_leaves_nothing_but_the_old_file(
    start: Start, use: Use, service: RunningService, folder: Path, number: signal.Signals, form: str
) -> None:
    use("sandbox")
    file = folder / f"x.{form}"
    file.write_text("old")
    with hold_from_the_second_page(service):
        process = start("export", "lots", "--page-size", "10", "--force", "-o", str(file))
        until(lambda: service.faults.held > 0, process)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == (-9 if number is signal.SIGKILL else 128 + number)
    assert out == b""
    if number is signal.SIGINT:
        assert err.decode() == f"svc-tui: interrupted after 10 records, {file} was not saved\n"
    else:
        assert err == b""
    assert file.read_text() == "old"
    assert list(folder.iterdir()) == [file]


def test_a_polite_kill_at_the_last_moment_leaves_nothing_either(use: Use, folder: Path) -> None:
    use("sandbox")
    command = [sys.executable, "-c", KILLED_AT_THE_END, "export", "lots", "--force", "-o", str(folder / "x.csv")]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (128 + signal.SIGTERM, b"", b"")
    assert list(folder.iterdir()) == []


def test_an_interrupt_counts_while_the_reader_stands_still(
    start: Start, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_service(SandboxOptions(records=2000)) as service:
        monkeypatch.setenv("SVC_API_KEY", service.key("sandbox").api_key)
        monkeypatch.setenv("SVC_SANDBOX_BASE_URL", service.base_url)
        process = start("export", "lots", "--page-size", "200")
        assert process.stdout is not None
        pipe = process.stdout.fileno()
        room = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
        until(lambda: waiting_in(pipe) > room - 4096, process)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 130


def waiting_in(pipe: int) -> int:
    """How many bytes wait to be read."""
    (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))
    assert isinstance(count, int)
    return count


# Where it goes


def test_a_page_is_on_stdout_before_the_next_has_come(start: Start, use: Use, service: RunningService) -> None:
    use("sandbox")
    with hold_from_the_second_page(service):
        process = start("export", "lots", "--page-size", "2", "--force", "-o", "-")
        assert process.stdout is not None
        lines = [process.stdout.readline(), process.stdout.readline()]
        assert [json.loads(line) for line in lines] == stored(service, 2)
    assert len(process.communicate(timeout=PATIENCE)[0].splitlines()) == 28


def test_a_reader_that_goes_away_is_no_error(start: Start, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running_service(SandboxOptions(records=2000)) as service:
        monkeypatch.setenv("SVC_API_KEY", service.key("sandbox").api_key)
        monkeypatch.setenv("SVC_SANDBOX_BASE_URL", service.base_url)
        process = start("export", "lots", "--page-size", "200")
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b'{"id":"lot-000001"')
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(timeout=PATIENCE) == 0


def test_stdout_may_be_a_file(use: Use, service: RunningService, folder: Path) -> None:
    use("sandbox")
    with (folder / "x.jsonl").open("wb") as file:
        command = [sys.executable, "-m", "svc_tui", "export", "lots", "--page-size", "7"]
        assert subprocess.run(command, stdout=file, check=True).returncode == 0
    lines = (folder / "x.jsonl").read_bytes().splitlines()
    assert [json.loads(line) for line in lines] == stored(service, 30)


@pytest.mark.parametrize("nameless", [True, False])
@pytest.mark.parametrize("form", ["jsonl", "json", "csv"])
def test_a_file_is_replaced_whole_and_readable_by_its_owner_alone(
    run: Run, use: Use, folder: Path, monkeypatch: pytest.MonkeyPatch, form: str, nameless: bool
) -> None:
    if not nameless:
        # As on systems where no file without a name can be given one.
        monkeypatch.setattr("svc_tui.platform.nameless_files._OPEN_FILES", Path("/nowhere"))
    use("sandbox")
    file = folder / f"x.{form}"
    file.write_text("old" * 100_000)
    file.chmod(0o644)
    ran = run("export", "lots", "--force", "-o", str(file))
    assert (ran.status, ran.out, ran.err) == (0, b"", "")
    assert file.read_bytes() == run("export", "lots", "--format", form).out
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(folder.iterdir()) == [file]


def test_where_files_have_names_a_failure_leaves_none(
    run: Run, use_raw: UseRaw, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("svc_tui.platform.nameless_files._OPEN_FILES", Path("/nowhere"))
    seen: list[int] = []
    fail = failing_on_page(3, reply(404))

    def answer(received: ReceivedRequest) -> CannedReply:
        seen.extend(file.stat().st_mode & 0o777 for file in folder.iterdir())
        return fail(received)

    use_raw(answer)
    assert run("export", "lots", "--page-size", "4", "--force", "-o", str(folder / "x.jsonl")).status == 1
    assert set(seen) == {0o600}
    assert list(folder.iterdir()) == []


def test_a_link_stays_one(run: Run, use: Use, folder: Path, tmp_path: Path) -> None:
    use("sandbox")
    (folder / "x.jsonl").symlink_to(tmp_path / "real.jsonl")
    assert run("export", "lots", "--max-items", "3", "--force", "-o", str(folder / "x.jsonl")).status == 0
    assert (folder / "x.jsonl").is_symlink()
    assert (tmp_path / "real.jsonl").read_bytes().count(b"\n") == 3


def test_a_pipe_with_a_name_is_written_to_as_it_stands(start: Start, use: Use, folder: Path) -> None:
    use("sandbox")
    os.mkfifo(folder / "pipe")
    process = start("export", "lots", "--format", "json", "--force", "-o", str(folder / "pipe"))
    read = subprocess.run(["cat", folder / "pipe"], capture_output=True, timeout=PATIENCE, check=True)
    assert len(json.loads(read.stdout)) == 30
    assert process.wait(timeout=PATIENCE) == 0
    assert (folder / "pipe").is_fifo()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["lots", "--force", "-o", "{folder}"], "{folder} is a directory; add a file name"),
        (
            ["lots", "--force", "-o", "{folder}/none/x.csv"],
            "{folder}/none/x.csv can't be written: the directory {folder}/none does not exist",
        ),
        (
            ["lots", "--force", "-o", "{folder}/" + "x" * 300],
            "{folder}/" + "x" * 300 + " can't be written: File name too long",
        ),
        (["lots", "--force", "-o", "/proc/x.csv"], None),
        (
            ["lots/lot-000001"],
            "lots/lot-000001 is a record, not a collection; print it with: svc-tui request GET lots/lot-000001",
        ),
        (["cellars"], "cellars is not a collection or a record; for other routes use the console or svc-tui request"),
        (["lots", "-q", "page=2"], "export loads all pages; remove -q page=…"),
        (
            ["lots", "-q", "limit=2"],
            "export sets the page size itself; use --page-size N instead of -q limit=…",
        ),
        (["lots", "-q", "page"], "-q must be KEY=VALUE; see svc-tui export --help"),
        (["lots", "--page-size", "0"], None),
        (["lots", "--max-items", "0"], None),
        (["lots", "--format", "xml"], None),
        ([], "Missing argument '[DOMAIN/]COLLECTION'; see svc-tui export --help"),
    ],
)
def test_what_can_t_be_exported_is_one_line_and_nothing_is_sent(
    run: Run, use: Use, service: RunningService, folder: Path, words: list[str], line: str | None
) -> None:
    use("sandbox")
    ran = run("export", *(word.replace("{folder}", str(folder)) for word in words))
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.count("\n") == 1
    if line is not None:
        assert ran.err == f"svc-tui: {line}\n".replace("{folder}", str(folder))
    assert list(service.attempts) == []
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(os.getuid() == 0 and not SETPRIV, reason="root may write everywhere")
def test_a_place_that_is_read_only_is_said_before_anything_is_sent(
    use: Use, service: RunningService, folder: Path
) -> None:
    use("sandbox")
    (folder / "x.csv").write_text("old")
    (folder / "x.csv").chmod(0o400)
    (folder / "inner").mkdir(mode=0o500)
    assert said_without_privileges(folder / "x.csv") == "it exists and is read-only"
    assert said_without_privileges(folder / "inner" / "y.csv") == "Permission denied"
    assert list(service.attempts) == []


def said_without_privileges(file: Path) -> str:
    """Why an export to the file is refused, by somebody whom the modes of files bind."""
    kept = "-dac_override,-dac_read_search"
    bound = [str(SETPRIV), f"--bounding-set={kept}", f"--inh-caps={kept}"] if os.getuid() == 0 else []
    command = [*bound, sys.executable, "-m", "svc_tui", "export", "lots", "--force", "-o", str(file)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"svc-tui: {file} can't be written: ")
    return ran.stderr.rpartition(": ")[2].rstrip()


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_disk_that_is_full_leaves_the_old_file(use: Use, folder: Path, form: str) -> None:
    use("sandbox")
    file = folder / f"x.{form}"
    file.write_text("old")
    words = f"ulimit -f 4; exec {sys.executable} -m svc_tui export lots --force -o {file}"
    ran = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr == f"svc-tui: {file} can't be written: File too large\n"
    assert file.read_text() == "old"
    assert list(folder.iterdir()) == [file]


def test_a_stdout_that_takes_nothing_is_told(use: Use) -> None:
    use("sandbox")
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "svc_tui", "export", "lots"]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (
        3,
        "svc-tui: stdout can't be written: No space left on device\n",
    )


def test_a_service_that_is_not_there_is_status_three(run: Run, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use("sandbox")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "http://127.0.0.1:9")
    ran = run("export", "lots")
    assert (ran.status, ran.out) == (3, b"")
    assert ran.err.startswith("svc-tui: could not connect to 127.0.0.1:9")


# On a terminal


@pytest.mark.terminal
def test_a_terminal_shows_how_far_it_is_and_what_is_waited_for(
    home: Path, use: Use, service: RunningService, folder: Path
) -> None:
    use("sandbox")
    service.faults.always("429", every=3, retry_after=2)
    process = pexpect.spawn(
        sys.executable,
        ["-m", "svc_tui", "export", "lots", "--page-size", "10", "--force", "-o", str(folder / "x.csv")],
        dimensions=(24, 100),
        env={**os.environ, "TERM": "xterm-256color"},
        timeout=PATIENCE,
    )
    process.expect(r"\r\[#+-+\]  [12]0 of 30 records.*429, retry in [12] s")
    process.expect(r"\r {60,}\rsvc-tui: 30 records in (\S+)\r\n")
    assert process.match[1].decode() == str(folder / "x.csv")
    process.expect(pexpect.EOF)
    process.close()
    assert process.exitstatus == 0


@pytest.mark.terminal
def test_records_on_a_terminal_are_not_mixed_with_the_progress(home: Path, use: Use, service: RunningService) -> None:
    use("sandbox")
    with hold_from_the_second_page(service):
        process = pexpect.spawn(
            sys.executable, ["-m", "svc_tui", "export", "lots", "--page-size", "2"], timeout=PATIENCE
        )
        until(lambda: service.faults.held > 0)
    process.expect(pexpect.EOF)
    process.close()
    assert process.exitstatus == 0
    assert [json.loads(line) for line in process.before.splitlines()] == stored(service, 30)


@pytest.mark.terminal
def test_a_terminal_that_goes_away_leaves_nothing(home: Path, use: Use, service: RunningService, folder: Path) -> None:
    use("sandbox")
    with hold_from_the_second_page(service):
        service.faults.next("hold")
        process = pexpect.spawn(
            sys.executable,
            ["-m", "svc_tui", "export", "lots", "--force", "-o", str(folder / "x.csv")],
            timeout=PATIENCE,
        )
        until(lambda: service.faults.held > 0)
        process.ptyproc.fileobj.close()
        process.ptyproc.wait()
    assert process.ptyproc.exitstatus == 128 + signal.SIGHUP
    assert list(folder.iterdir()) == []


def test_a_file_that_is_there_is_replaced_only_by_force(run: Run, use: Use, tmp_path: Path) -> None:
    use("sandbox")
    file = tmp_path / "lots.jsonl"
    file.write_text("mine")
    ran = run("export", "lots", "-o", str(file))
    assert (ran.status, ran.err) == (2, f"svc-tui: {file} already exists; use --force to replace it\n")
    assert file.read_text() == "mine"
    assert run("export", "lots", "--force", "-o", str(file)).status == 0
    assert len(file.read_text().splitlines()) == 30
