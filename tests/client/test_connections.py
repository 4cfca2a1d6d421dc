"""Connections: the gate of eight, base URLs and hosts that are not there, and what is loaded when."""

import asyncio
import logging
import os
import subprocess
import sys

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.service import errors
from svc_tui.service.base_url import BaseUrlError
from svc_tui.service.retry import RetryRules
from tests.client.raw_service import KEYS, CannedReply, Connect, RawService, reply

LOTS = COLLECTIONS[0]
READ = RequestSpec("GET", "/v1/operations/lots/L-1")


async def test_no_more_than_eight_fly_at_once_and_by_hand_comes_first(service: RawService, connect: Connect) -> None:
    go_on, full = asyncio.Event(), asyncio.Event()
    flying = most = 0

    async def wait() -> None:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        if flying == 8:
            full.set()
        await go_on.wait()
        flying -= 1

    service.rest = CannedReply(reply(200, "[]").pieces, before=wait)
    async with connect() as client:
        paging = [asyncio.create_task(client.page(LOTS, n, 50, background=True)) for n in range(1, 21)]
        await full.wait()
        by_hand = asyncio.create_task(client.send(READ))
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(by_hand, *paging)
    assert most == 8
    assert "/v1/operations/lots/L-1" in [came.target for came in service.received[:9]]


async def test_a_connection_that_was_idle_for_too_long_is_opened_anew(
    service: RawService, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connect() as client:
        await client.send(READ)
        await client.send(READ)
    assert service.connections == 1
    monkeypatch.setattr("svc_tui.client.connections._IDLE_SECONDS", 0.0)
    async with connect() as client:
        await client.send(READ)
        await client.send(READ)
    assert service.connections == 3


def test_a_missing_base_url_names_what_to_set() -> None:
    with pytest.raises(BaseUrlError, match=r"svc_test_ keys: set SVC_SANDBOX_BASE_URL, or sandbox_base_url"):
        SignedClient(Profile("mine", base_url="https://api.example.com"), KEYS)


async def test_a_host_that_does_not_exist_is_named() -> None:
    profile = Profile("x", sandbox_base_url="https://no-such-host.invalid")
    async with SignedClient(profile, KEYS, rules=RetryRules(first_wait=0)) as client:
        with pytest.raises(errors.Unreachable, match=r"no-such-host\.invalid") as raised:
            await client.send(READ)
    assert raised.value.sent is errors.SendResult.NOT_SENT


def test_a_name_server_that_does_not_answer_does_not_keep_the_program_from_ending() -> None:
    script = """
import asyncio, socket, threading
import httpx, truststore  # what the client loads with its first request is not to count against its deadline
from svc_tui.client.client import SignedClient
from svc_tui.core.credentials import KeyPair
from svc_tui.service.errors import Unreachable
from svc_tui.core.requests import RequestSpec
from svc_tui.service.retry import RetryRules
from svc_tui.core.settings import Profile

socket.getaddrinfo = lambda *_, **__: threading.Event().wait()

async def main():
    profile = Profile("x", sandbox_base_url="https://api.example.com")
    rules = RetryRules(attempts=1, deadline=2)
    async with SignedClient(profile, KeyPair("svc_test_x"), rules=rules) as client:
        try:
            await client.send(RequestSpec("POST", "/v1/operations/lots"))
        except Unreachable as error:
            print(error.sent.value, error)

asyncio.run(main())
"""
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True, env=environment
    )
    said = "not sent connecting to api.example.com timed out: check the network and the base URL\n"
    assert (done.stdout, done.stderr) == (said, "")


async def test_nothing_is_logged_at_info(
    service: RawService, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with connect() as client:
        await client.send(READ)
    assert [record.name for record in caplog.records if record.name.startswith("http")] == []


def test_making_a_client_loads_no_network_code() -> None:
    script = """
import sys
from svc_tui.client.client import SignedClient
from svc_tui.core.credentials import KeyPair
from svc_tui.core.settings import Profile
SignedClient(Profile("x", base_url="https://api.example.com"), KeyPair("svc_live_x", "s"))
print([name for name in ("httpx", "httpcore", "anyio", "truststore", "urllib.request") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
