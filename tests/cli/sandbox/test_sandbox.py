"""`svc-tui sandbox`: one line of JSON, then the service."""

import json
import re
import signal
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from svc_tui.cli.output.sandbox_report import running_lines
from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.faults import FAULTS
from svc_tui.sandbox.server.openapi import openapi_document
from svc_tui.sandbox.variants import OPEN_POINTS, Variants
from tests.cli.conftest import Run, Start
from tests.sandbox.raw_client import LOT, RawClient


def test_the_first_line_is_all_that_a_client_needs(start: Start) -> None:
    process = start("sandbox", "--records", "10")
    assert process.stdout is not None
    announced = json.loads(process.stdout.readline())
    assert set(announced) == {"base_url", "keys"}
    keys = {key["name"]: key for key in announced["keys"]}
    assert set(keys["live"]) == {"name", "api_key", "signing_secret", "note"}
    request = urllib.request.Request(
        f"{announced['base_url']}/v1/operations/lots?limit=3",
        headers={"Authorization": f"Bearer {keys['sandbox']['api_key']}"},
    )
    with urllib.request.urlopen(request) as answer:
        assert len(json.loads(answer.read())["items"]) == 3
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.parametrize("command", ["demo", "sandbox"])
def test_help_lists_every_fault_and_every_variant(run: Run, command: str) -> None:
    told = run(command, "--help").out.decode()
    assert listed(told.partition("Faults:")[2].partition("Commands:")[0]) == set(FAULTS)
    assert listed(told.partition("(the first value is the default):")[2].partition("Faults:")[0]) == set(OPEN_POINTS)


def listed(section: str) -> set[str]:
    return {line.split()[0] for line in section.splitlines() if line.startswith("  ") and line[2] != " "}


def test_keys_of_a_file_are_taken_and_the_first_line_is_such_a_file(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_text(
        '{"keys": [{"name": "live", "api_key": "svc_live_fixed", "signing_secret": "svcsec_fixed"},'
        ' {"name": "own", "api_key": "svc_test_own", "scopes": ["read"]}]}'
    )
    first = announced_by(start("sandbox", "--records", "5", "--keys", str(file)))
    keys = {key["name"]: key for key in first["keys"]}
    assert (keys["live"]["api_key"], keys["live"]["signing_secret"]) == ("svc_live_fixed", "svcsec_fixed")
    own = RawClient(first["base_url"], IssuedKey(**keys["own"]))
    assert (own.say("GET", LOT).status, own.say("PATCH", LOT, "{}").code) == (200, "insufficient_scope")
    file.write_text(json.dumps(first))
    again = announced_by(start("sandbox", "--records", "5", "--keys", str(file)))
    assert {key["name"]: key["api_key"] for key in again["keys"]} == {n: k["api_key"] for n, k in keys.items()}


def test_two_places_another_seed_a_wrong_clock_and_variants(start: Start) -> None:
    words = ("--records", "5", "--split", "--seed", "7", "--clock-offset", "-900", "--variant", "ids=digits", "--json")
    first = announced_by(start("sandbox", *words))
    live, test = (IssuedKey(**key) for key in first["keys"] if key["name"] in ("live", "sandbox"))
    assert RawClient(first["base_url"], live).say("GET", LOT).code == "timestamp_stale"
    assert RawClient(first["base_url"], test).say("GET", LOT).code == "api_key_invalid"
    said = RawClient(first["sandbox_base_url"], test).say("GET", "/v1/operations/lots/1").json
    usual = announced_by(start("sandbox", "--records", "5"))
    key = next(IssuedKey(**key) for key in usual["keys"] if key["name"] == "sandbox")
    assert RawClient(usual["base_url"], key).say("GET", LOT).json["massKg"] != said["massKg"]


def announced_by(process: "subprocess.Popen[bytes]") -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--keys", "none.json"), "none.json can't be read: No such file or directory"),
        (("--variant", "colour=red"), "unknown variant 'colour'; choose from ids, "),
        (("--control-token", "short"), "the control token must have at least 8 characters"),
        (("--clock-offset", "999999999999"), "the clock's offset must be between"),
        (("--split", "--port", "65535"), "--split needs two ports"),
        (("--faults", "hold"), "the fault 'hold' needs a control token"),
        (("--seed", "99999999999999999999"), "seed must be between 0 and"),
    ],
)
def test_what_makes_no_sense_is_told_in_one_line(run: Run, words: tuple[str, ...], message: str) -> None:
    ended = run("sandbox", *words)
    assert (ended.status, ended.out) == (2, b"")
    assert ended.err.startswith(f"svc-tui: {message}")
    assert ended.err.count("\n") == 1


def test_a_key_file_with_a_mistake_shows_no_key(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_text('{"keys": [{"name": "live", "api_key": "svc_live_hidden", "signing_secret": ["svcsec_hidden"]}]}')
    ended = run("sandbox", "--keys", str(file))
    assert ended.status == 2
    assert "keys[0].signing_secret must be the signing secret" in ended.err
    assert "hidden" not in ended.err


def test_the_document_of_its_routes_is_printed(run: Run) -> None:
    ended = run("sandbox", "openapi", "--variant", "meta=count")
    assert ended.status == 0
    assert json.loads(ended.out) == openapi_document(Variants({"meta": "count"}))
    assert run("sandbox", "openapi", "--variant", "meta=red").status == 2


@pytest.mark.parametrize("split", [False, True])
def test_on_a_terminal_a_person_is_told_where_it_is_and_what_each_key_is_for(split: bool) -> None:
    keys = [
        {"name": "live", "api_key": "svc_live_hidden", "signing_secret": "svcsec_hidden", "note": "signed"},
        {"name": "odd\x1b[2J", "api_key": "svc_test_hidden", "signing_secret": None, "note": ""},
    ]
    urls = {"base_url": "http://127.0.0.1:1"} | ({"sandbox_base_url": "http://127.0.0.1:2"} if split else {})
    closed = list(running_lines(json.dumps({**urls, "keys": keys}), control=False))
    assert all(url in closed[0] for url in urls.values())
    assert re.fullmatch(r"  live +signed", closed[1])
    assert "\x1b" not in closed[2]
    assert "SVC_SANDBOX_TOKEN" in closed[3]
    assert "hidden" not in "".join(closed)
    assert "sandbox ctl --help" in list(running_lines(json.dumps({**urls, "keys": keys}), control=True))[3]
