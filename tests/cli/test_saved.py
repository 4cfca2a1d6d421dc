"""`svc-tui request --saved`: a shared file becomes a request, its values given one by one."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.cli.conftest import Run, Start

Use = Callable[[str], None]
LOT = "/v1/operations/lots/lot-000001"
RENAME = """
name = "Rename a lot"
method = "PATCH"
path = "/v1/operations/lots/{id}"
body = '{"name": "{name}", "massKg": {mass}}'
[query]
note = "by {who}"
[headers]
X-Trace = "7"
"""


@pytest.fixture(autouse=True)
def _files(home: Path) -> None:
    """Two sound files and a damaged one, as a colleague shares them."""
    directory = home / "config" / "svc-tui" / "requests"
    directory.mkdir(parents=True)
    for name, text in (
        ("rename", RENAME),
        ("lots", 'name = "Open lots"\nmethod = "GET"\npath = "/v1/operations/lots"\n[query]\nlimit = "2"\n'),
        ("broken", "name = 7\n"),
    ):
        (directory / f"{name}.toml").write_text(text)
        (directory / f"{name}.toml").chmod(0o644)


def test_it_runs_as_a_process_by_its_name(start: Start, use: Use, service: RunningService) -> None:
    use("sandbox")
    out, err = start("request", "--saved", "open LOTS", "-q", "page=2").communicate()
    assert [item["id"] for item in json.loads(out)["items"]] == ["lot-000003", "lot-000004"]
    assert err == b""
    assert service.attempts[-1].target == "/v1/operations/lots?limit=2&page=2"


def test_values_fill_what_it_asks_for_and_are_never_read_for_braces(
    run: Run, use: Use, service: RunningService
) -> None:
    use("sandbox")
    values = ("--set", "id=lot-000001", "--set", 'name={mass} "=', "--set", "mass=1.500", "--set", "who={id}&x=1")
    assert run("request", "--saved", "rename", *values).status == 0
    assert service.attempts[-1].target == f"{LOT}?note=by%20%7Bid%7D%26x%3D1"
    record = service.record("operations/lots", "lot-000001")
    assert record is not None
    assert json.loads(record)["name"] == '{mass} "='
    assert '"massKg":1.500' in record.replace(" ", "")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--saved", "rename", "--set", "id=lot-000001", "--set", "name=x", "--set", "mass=1"),
         "Rename a lot needs values for who; add each with --set NAME=VALUE"),
        (("--saved", "rename"), "Rename a lot needs values for id, who, name, mass; add each with --set NAME=VALUE"),
        (("--saved", "lots", "--set", "id=1"), "Open lots has no placeholder id; it has no placeholders"),
        (("--saved", "rename", "--set", "id=1", "--set", "id=2"), "--set id is set twice; remove one; see "),
        (("--saved", "rename", "--set", "id"), "--set must be NAME=VALUE; see svc-tui request --help"),
        (("--saved", "renam"), 'is named "renam"; did you mean "rename"?'),
        (("--saved", "broken"), "broken.toml:1: name is 7; allowed: the name of the request, in quotes"),
        (("--saved", "lots", "GET", "x"), "--saved can't be used with METHOD, PATH or -d; the saved request"),
        (("--saved", "rename", "-d", "{}"), "--saved can't be used with METHOD, PATH or -d; the saved request"),
        (("GET", "x", "--set", "id=1"), "--set needs a saved request; add --saved NAME; see "),
        (
            ("POST", "lots/lot-000001/split", "parts:=[{massKg:0.2}]"),
            """a JSON body needs -d and single quotes: -d '{"name": "value"}'; see svc-tui request --help""",
        ),
        (("POST", "lots", "-d", "{name:", "x}"), "a JSON body needs -d and single quotes: -d "),
        (("GET", "lots/a", "b"), "only METHOD and PATH are expected; quote a PATH that contains spaces"),
        ((), "METHOD is missing; add METHOD and PATH, or --saved NAME; see svc-tui request --help"),
    ],
)  # fmt: skip
def test_what_is_missing_or_wrong_is_one_line_and_sends_nothing(
    run: Run, use: Use, service: RunningService, words: tuple[str, ...], line: str
) -> None:
    use("sandbox")
    ran = run("request", *words)
    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert line in ran.err
    assert not service.attempts


def test_a_live_write_still_needs_live(run: Run, use: Use, service: RunningService) -> None:
    use("live")
    words = (
        "request",
        "--saved",
        "rename",
        "--set",
        "id=lot-000001",
        "--set",
        "name=x",
        "--set",
        "mass=1",
        "--set",
        "who=me",
    )
    ran = run(*words)
    assert ran.status == 2
    assert "PATCH with a live key changes LIVE data; add --live to continue" in ran.err
    assert not service.attempts
    assert run(*words, "--live").status == 0
    assert [attempt.method for attempt in service.attempts] == ["GET", "PATCH"]
