"""Two base URLs for two environments: each knows its own keys alone, and has its own data."""

import contextlib
import json
import socket
from pathlib import Path

from svc_tui.core.values import replace
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.sandbox.server.serve import announcement
from tests.fixed_keys import fixed
from tests.sandbox.raw_client import LOT, RawClient

TOKEN = {"x-svc-control": "a token of the test"}


def test_each_place_refuses_the_keys_of_the_other() -> None:
    with running_service(SandboxOptions(records=5, split=True)) as service:
        assert list(service.base_urls) == ["live", "test"]
        for name, at_live, at_test in (
            ("live", 200, "api_key_invalid"),
            ("sandbox", "api_key_invalid", 200),
            ("revoked", "api_key_invalid", "api_key_revoked"),
        ):
            said = {
                place: RawClient(url, service.key(name)).say("GET", LOT) for place, url in service.base_urls.items()
            }
            told = {place: answer.status if answer.status == 200 else answer.code for place, answer in said.items()}
            assert told == {"live": at_live, "test": at_test}
        message = RawClient(service.base_urls["live"], service.key("sandbox")).say("GET", LOT).message
        assert "svc_live_" in message


def test_each_place_has_its_own_data_and_keeps_it(tmp_path: Path) -> None:
    options = SandboxOptions(records=5, split=True, database=tmp_path / "mine.db")
    with running_service(options) as service:
        changed(service)
        keys = fixed(*service.keys)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.db", "mine.test.db"]
    with running_service(SandboxOptions(records=5, split=True, database=tmp_path / "mine.db", keys=keys)) as service:
        assert names(service) == ["Live", "Test"]


def changed(service: RunningService) -> None:
    before = names(service)
    assert before[0] == before[1]
    live = RawClient(service.base_urls["live"], service.key("live"))
    assert live.say("PATCH", LOT, '{"name":"Live"}').status == 200
    assert names(service) == ["Live", before[1]]
    test = RawClient(service.base_urls["test"], service.key("sandbox"))
    assert test.say("PATCH", LOT, '{"name":"Test"}').status == 200
    assert names(service) == ["Live", "Test"]


def names(service: RunningService) -> list[str]:
    texts = [service.record("operations/lots", "lot-000001", place) for place in ("live", "test")]
    return [json.loads(text or "{}")["name"] for text in texts]


def test_a_snapshot_that_one_place_lacks_changes_neither(tmp_path: Path) -> None:
    whole = SandboxOptions(records=5, database=tmp_path / "mine.db", control_token=TOKEN["x-svc-control"])
    with running_service(whole) as service:
        assert RawClient(service.base_url, None).say("POST", "/control/snapshot", "{}", TOKEN).status == 204
    with running_service(replace(whole, split=True)) as service:
        changed(service)
        hand = RawClient(service.base_url, None)
        assert hand.say("POST", "/control/restore", "{}", TOKEN).status == 404
        assert names(service) == ["Live", "Test"]
        assert hand.say("POST", "/control/snapshot", '{"name":"both"}', TOKEN).status == 204
        assert hand.say("POST", "/control/reset", headers=TOKEN).status == 204
        assert names(service) != ["Live", "Test"]
        assert hand.say("POST", "/control/restore", '{"name":"both"}', TOKEN).status == 204
        assert names(service) == ["Live", "Test"]


def test_the_first_line_names_both() -> None:
    with running_service(SandboxOptions(records=5, split=True)) as service:
        announced = json.loads(announcement(service))
        assert announced["base_url"] == service.base_urls["live"]
        assert announced["sandbox_base_url"] == service.base_urls["test"]
    with running_service(SandboxOptions(records=5)) as service:
        assert set(json.loads(announcement(service))) == {"base_url", "keys"}


def test_a_port_that_was_chosen_is_followed_by_the_next() -> None:
    port = two_free_ports()
    with running_service(SandboxOptions(records=5, port=port, split=True)) as service:
        assert [int(url.rpartition(":")[2]) for url in service.base_urls.values()] == [port, port + 1]


def two_free_ports() -> int:
    """The first of two ports, one after the other, that nobody listened on just now."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = int(first.getsockname()[1])
            with contextlib.suppress(OSError, OverflowError):
                second.bind(("127.0.0.1", port + 1))
                return port
