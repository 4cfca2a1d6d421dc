"""Saved requests by lines: listed, read out, sent with their values, saved; and whatever stands against it."""

import re
from pathlib import Path

from svc_tui.core.jsontext import loads
from svc_tui.reader.conversation import Conversation
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.session.hand_over import HandOver
from tests.flows.test_saved_requests import SPLIT, kept, shared
from tests.reader.talking import INTERRUPT, Script, session_on, talk

LOT = "lot-000011"
ONE_LOT = 'name = "One lot"\nmethod = "GET"\npath = "/v1/operations/lots/{id}"\n'
NOTE = """
name = "Note"
method = "PATCH"
path = "/v1/operations/lots/{id}"
body = '{"note": "{words}"}'
"""


def numbered(said: list[str]) -> list[str]:
    """The lines of a list."""
    return [line for line in said if re.match(r"\d+\. ", line)]


def targets(service: RunningService) -> list[str]:
    """What was asked of the service."""
    return [f"{request.method} {request.target}" for request in service.attempts]


async def test_saved_requests_are_listed_short_and_numbered_and_read_out_whole(
    service: RunningService, tmp_path: Path
) -> None:
    shared(tmp_path, SPLIT, "split")
    shared(tmp_path, ONE_LOT, "one-lot")
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, ["requests", "requests 2", "requests one-lot", "requests 3"])).said
    assert said[1] == "2 saved requests. To read number 1: requests 1. To send it: request 1."
    assert numbered(said) == [
        "1. One lot: GET /v1/operations/lots/{id}, asks for id",
        "2. Split in two: POST /v1/operations/lots/{id}/split, asks for id, parts as JSON",
    ]
    assert said[4:10] == [
        "Split in two, in split.toml.",
        "As the {assay} lab wants it",
        "Request: POST /v1/operations/lots/{id}/split",
        'Body: {"parts": {parts}}',
        "Asks for id, parts as JSON.",
        "One lot, in one-lot.toml.",
    ]
    assert said[-1].startswith("No saved request in ")
    assert not list(service.attempts)


async def test_many_are_listed_in_parts(service: RunningService, tmp_path: Path) -> None:
    for number in range(20):
        shared(tmp_path, f'name = "Number {number:02}"\nmethod = "GET"\npath = "/v1/operations/lots"\n', f"n{number}")
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, ["requests", "more"])).said
    lines = numbered(said)
    assert said[said.index(lines[14]) + 1] == "5 lines left. To continue, type more."
    assert lines[19] == "20. Number 19: GET /v1/operations/lots"


async def test_a_read_asks_for_its_value_and_is_sent_at_once(service: RunningService, tmp_path: Path) -> None:
    shared(tmp_path, ONE_LOT, "one-lot")
    async with session_on(service, tmp_path) as session:
        script = await talk(session, ["request one lot", LOT, "requests", "request 1", "lot-000012"])
    assert "SANDBOX. Value of id: " in script.heard
    assert targets(service) == [f"GET /v1/operations/lots/{LOT}", "GET /v1/operations/lots/lot-000012"]
    assert sum(line.startswith("200 OK, ") for line in script.said) == 2


async def test_a_write_takes_the_way_of_every_write_and_live_stays_locked(
    service: RunningService, tmp_path: Path
) -> None:
    shared(tmp_path, NOTE, "note")
    typed = ["request note", LOT, 'so "damp"', "send", "unlock", "live", "send", "no", "send", "live"]
    async with session_on(service, tmp_path, key="live") as session:
        said = (await talk(session, typed)).said
        entries = await session.journal.entries()
    head = said.index(f"LIVE. Send PATCH /v1/operations/lots/{LOT}.")
    assert said[head + 1] == 'Body: {"note": "so \\"damp\\""}'
    assert (
        "No ticket. To add one: ticket SUP-1. LIVE is locked. Type unlock. Then type send. "
        "For the full request: review full." in said
    )
    assert "Not sent. LIVE is locked. Type unlock." in said
    assert "Not sent: you did not type live." in said
    assert len([target for target in targets(service) if target.startswith("PATCH")]) == 1
    record = loads(service.record("operations/lots", LOT) or "")
    assert isinstance(record, dict)
    assert record["note"] == 'so "damp"'
    assert [entry.intent.method for entry in entries] == ["PATCH"]


async def test_a_value_that_does_not_fit_is_asked_for_again_and_ctrl_c_sends_nothing(
    service: RunningService, tmp_path: Path
) -> None:
    shared(tmp_path, SPLIT, "split")
    key = service.key("sandbox").api_key
    async with session_on(service, tmp_path) as session:
        typed = ["request split", "", "../x", key, LOT, "two", INTERRUPT, "send"]
        script = await talk(session, typed)
        empty = (await talk(session, ["request split", ""])).said
    said = script.said
    assert "This field is required. Type it again; ctrl+c cancels." in said
    assert any(line.startswith("It contains your API key or signing secret") for line in said)
    assert any(line.startswith("parts is not in quotes, so it must be JSON") for line in said)
    assert script.heard.count("SANDBOX. Value of id: ") == 4
    assert script.heard.count("SANDBOX. Value of parts, JSON: ") == 2
    assert "Cancelled. Nothing was changed." in said
    assert any(line.startswith("Nothing to send.") for line in said)
    # On a pipe that ends nobody answers, and nobody is asked for ever.
    assert empty[-1] == "Cancelled. Nothing was changed."
    assert not any(key in line for line in script.heard)
    assert not list(service.attempts)


async def test_the_last_request_is_saved_under_a_name_with_its_blanks(service: RunningService, tmp_path: Path) -> None:
    typed = ["console GET lots/{id} fields==grade", LOT, "save One by id", "To look it up"]
    async with session_on(service, tmp_path) as session:
        none = (await talk(session, ["save Nothing"])).said
        said = (await talk(session, [*typed, "save", "requests"])).said
        again = (
            await talk(session, ["console GET lots", "save one by ID", "", "no", "save one by ID", "", "yes"])
        ).said
    assert none[-1] == "No request to save yet. Send one first, such as console GET lots."
    assert kept(tmp_path, "one-by-id")["name"] == "one by ID"
    path = tmp_path / "requests" / "one-by-id.toml"
    assert f"Saved One by id to {path}. The request asks for id each time." in said
    assert "Type a name: save Lots by grade." in said
    assert numbered(said)[-1] == "1. One by id: GET /v1/operations/lots/{id}, asks for id"
    assert "Not saved." in again
    assert f"Saved one by ID to {path}." in again


async def test_no_secret_is_saved_or_read_out(service: RunningService, tmp_path: Path) -> None:
    issued = service.key("live")
    secret = issued.signing_secret
    assert secret
    shared(tmp_path, f'name = "Leaky"\ndescription = "{secret}"\nmethod = "GET"\npath = "/v1/{secret}"\n', "leaky")
    shared(tmp_path, f'name = "Key"\nmethod = "GET"\npath = "/v1/x"\nheaders = {{ X = "{issued.api_key}" }}\n', "key")
    typed = ["requests", "requests 1", "requests 2", "requests leaky", "console GET lots", "save A", secret]
    async with session_on(service, tmp_path, key="live") as session:
        script = await talk(session, typed)
    assert not any(secret in line or issued.api_key in line for line in script.heard)
    assert any(
        line.startswith("Invalid saved request: ") and "contain an API key or signing secret" in line
        for line in script.said
    )
    assert script.said[-1] == (
        "Could not save the request. The description contains an API key or signing secret; remove it. "
        "Requests use the key of the profile."
    )
    assert sorted(path.name for path in (tmp_path / "requests").iterdir()) == ["key.toml", "leaky.toml"]


async def test_broken_and_vanished_files_are_told_and_hostile_names_do_no_harm(
    service: RunningService, tmp_path: Path
) -> None:
    shared(tmp_path, 'name = "Broken', "broken")
    gone = shared(tmp_path, ONE_LOT, "one-lot")
    shared(tmp_path, 'name = "[/x] \\u001b[31m{a}"\nmethod = "GET"\npath = "/v1/operations/lots"\n', "hostile")

    def removed() -> str:
        gone.unlink()
        return "request 3"

    async with session_on(service, tmp_path) as session:
        script = await talk(session, ["requests", "request 2", "requests broken", removed, "request 1"])
    said = script.said
    assert numbered(said)[1] == "2. broken, invalid file."
    assert numbered(said)[0].startswith("1. [/x] ␛[31m{a}: GET ")
    assert sum(f"{tmp_path / 'requests' / 'broken.toml'}:1: not valid TOML: the closing" in line for line in said) == 2
    assert "one-lot.toml no longer exists. For the list, type requests." in said
    assert any(line.startswith("200 OK, ") for line in said)
    assert not any(character in line for line in script.heard for character in "\x1b\x00")


async def test_a_service_that_does_not_answer_is_told_and_personal_data_stays_hidden(
    service: RunningService, tmp_path: Path
) -> None:
    body = '{"email": "ada@example.com", "name": "Ada Lovelace"}'
    text = f'name = "Worker"\nmethod = "PATCH"\npath = "/v1/workforce/workers/wrk-0001"\nbody = \'{body}\'\n'
    shared(tmp_path, text, "worker")
    shared(tmp_path, ONE_LOT, "one-lot")
    async with session_on(service, tmp_path) as session:
        service.faults.next("login-page")
        carried = HandOver("test", masked=True)
        script = Script(["requests", "requests worker", "request worker", "request 1", LOT])
        await Conversation(session, script, script.heard.append, carried=carried).hold()
    assert not any("Ada" in line or "ada@" in line for line in script.heard)
    assert 'Body: {"email":"masked","name":"masked"}' in script.said
    assert not any(line.startswith("200 OK") for line in script.said[-2:])
    assert targets(service)[-1] == f"GET /v1/operations/lots/{LOT}"


async def test_a_saved_request_that_is_read_out_is_not_what_send_sends(service: RunningService, tmp_path: Path) -> None:
    shared(tmp_path, NOTE, "note")
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [f"console PATCH lots/{LOT} note=x", "requests note", "send"])).said
    assert any(line.startswith("Nothing to send.") for line in said)
    assert not any(target.startswith("PATCH") for target in targets(service))


async def test_names_are_completed(service: RunningService, tmp_path: Path) -> None:
    shared(tmp_path, SPLIT, "split")
    shared(tmp_path, ONE_LOT, "one-lot")
    async with session_on(service, tmp_path) as session:
        script = Script(["requests"])
        conversation = Conversation(session, script, script.heard.append)
        await conversation.hold()
    assert conversation.complete("request s", "s") == ["split"]
    assert conversation.complete("requests ", "") == ["one-lot", "split"]
    assert conversation.complete("req", "req") == ["requests ", "request "]


async def test_a_query_is_read_out_as_it_is_written(service: RunningService, tmp_path: Path) -> None:
    shared(tmp_path, 'name = "Q"\nmethod = "GET"\npath = "/v1/operations/lots"\nquery = "a=b c&d=1"\n', "q")
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, ["requests q"])).said
    assert "Query: a=b c&d=1" in said


async def test_a_long_body_is_masked_before_it_is_cut(service: RunningService, tmp_path: Path) -> None:
    secret = "a-signing-secret-0123456789"
    body = f'"{"x" * 3_990}{secret}"'
    shared(tmp_path, f"name = 'Long'\nmethod = 'POST'\npath = '/v1/operations/lots'\nbody = '{body}'\n", "long")
    async with session_on(service, tmp_path, secret=secret) as session:
        said = (await talk(session, ["requests long"])).said
    line = next(line for line in said if line.startswith("Body: "))
    assert line == f'Body: "{"x" * 3_990}…"'
