"""The guide's page about a service for tests names nothing that the service has not."""

import json
import re
from typing import Any

from svc_tui.sandbox.access.key_file import KeyEntry, KeyFile, parse_keys
from svc_tui.sandbox.access.keys import POLICIES
from svc_tui.sandbox.errors import ERROR_CODES
from svc_tui.sandbox.faults import FAULTS, parse_fault
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.control import CONTROL_ROUTES
from svc_tui.sandbox.server.inprocess import running_service
from svc_tui.sandbox.server.request_log import ReceivedRequest
from svc_tui.sandbox.server.serve import announcement
from svc_tui.sandbox.variants import OPEN_POINTS, parse_variants
from svc_tui.ui.help.guide_pages import page_named, text_of
from tests.guide_blocks import block, blocks, commands, inline_code

PAGE = "testing"
KEYS = block(PAGE, "json", '{"keys"')


def test_the_key_file_is_taken_and_shows_every_field() -> None:
    keys = parse_keys(KEYS, "the guide")
    assert len(keys) == len(json.loads(KEYS)["keys"])
    assert {name for key in KeyFile.model_validate_json(KEYS).keys for name in key.model_fields_set} == set(
        KeyEntry.model_fields
    )


def test_the_first_line_is_as_the_page_has_it() -> None:
    [shown] = [json.loads(text) for text in blocks(PAGE, "json") if text.startswith('{"base_url"')]
    with running_service(SandboxOptions(records=5, keys=parse_keys(KEYS, "the guide"))) as service:
        told: dict[str, Any] = json.loads(announcement(service))
    assert told.keys() == shown.keys()
    assert told["keys"][0] == shown["keys"][0]
    with running_service(SandboxOptions(records=5, split=True)) as service:
        assert json.loads(announcement(service)).keys() - told.keys() == {"sandbox_base_url"}


def test_an_attempt_is_as_the_page_has_it() -> None:
    [shown] = [json.loads(text) for text in blocks(PAGE, "json") if text.startswith('{"number"')]
    told = ReceivedRequest("GET", "/v1", False, None, None).as_json()
    assert isinstance(told, dict)
    assert list(shown) == list(told)


def test_every_route_of_the_control_exists() -> None:
    routes = {(route.method, route.path): route for route in CONTROL_ROUTES}
    text = text_of(page_named(PAGE))
    named = {*re.findall(r"([A-Z]+) /control/(\w+)", text), *re.findall(r'control\("([A-Z]+)", "(\w+)"', text)}
    assert named == {("GET", "attempts"), ("POST", "faults"), ("POST", "reset")}
    assert named <= set(routes)
    assert set(re.findall(r"record\?(\w+)=[^&]*&(\w+)=", text)) == {("key", "id")}
    assert {"key", "id"} <= set(routes["GET", "record"].query)


def test_every_fault_and_variant_exists() -> None:
    faults = [words[words.index("arm") + 1] for words in commands(PAGE) if "arm" in words]
    assert len(faults) >= 4
    table = text_of(page_named(PAGE)).split("| question | fault |")[1].split("\n\n")[0]
    faults += [name for cell in re.findall(r"\?[^|]*\| (.+?) \|", table) for name in re.findall(r"`([^` ]+)`", cell)]
    assert set(faults) - {"Retry-After"} <= set(FAULTS)
    assert all(parse_fault(text.split()[1]) for text in inline_code(PAGE) if text.startswith("--faults "))
    pairs = [words[n + 1] for words in commands(PAGE) for n, word in enumerate(words) if word == "--variant"]
    assert len(pairs) >= 5
    for pair in pairs:
        assert parse_variants((pair,)).keys() == OPEN_POINTS.keys()


def test_every_code_and_key_that_is_named_exists() -> None:
    codes = {text for text in inline_code(PAGE) if re.fullmatch(r"(api_key|timestamp|signature|ip)_[a-z]+", text)}
    assert codes == {"api_key_revoked", "timestamp_stale"}
    assert {*codes, "signature_mismatch"} <= set(ERROR_CODES)
    offered = text_of(page_named(PAGE)).split("creates API keys that are refused or limited (")[1].split(")")[0]
    assert set(re.findall(r"`([^`]+)`", offered)) <= {policy.name for policy in POLICIES}
