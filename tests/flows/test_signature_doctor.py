"""f9 in the console names why a signature was refused, or nearly was: each cause there is, over a real way to it."""

import json
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pytest
from textual import events

from svc_tui.core.values import replace
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.service.signing import sign, string_to_sign
from tests.browser import User, browser
from tests.changing_proxy import changing_proxy
from tests.flows.steps import unlocked

HOUR = 3600.0
READ = "GET lots/lot-000002"
WRITE = "PATCH lots/lot-000002 name=new   grade:=7.50"
SECRET = "svcsec_of_another_key"


@dataclass(frozen=True, slots=True)
class SigningCase:
    """How the way to the service is, what is sent, and what f9 says of it."""

    cause: str
    sent: str = READ
    secret: str | None = None
    clock: float = 0.0
    path: bool = False
    body: bool = False

    def way(self, service: RunningService) -> AbstractContextManager[str]:
        """The way to the service, as a base URL."""
        if self.path:
            return changing_proxy(service, path=unquote)
        if self.body:
            return changing_proxy(service, body=_written_again)
        return nullcontext(service.base_url)


def _written_again(body: bytes) -> bytes:
    return json.dumps(json.loads(body), indent=1).encode() if body else b""


CASES = {
    "clock-ahead": SigningCase(r"Cause: the clock\. This computer's clock is ahead\.", clock=HOUR),
    "clock-behind": SigningCase(r"Cause: the clock\. This computer's clock is behind\.", clock=-HOUR),
    "wrong-secret": SigningCase(r"The signing secret does not belong to this key\.", secret=SECRET),
    "missing-secret": SigningCase(r"No secret is set\.", secret=""),
    "path-rewritten": SigningCase(
        r"A proxy or gateway changes the path or the query\.", "GET lots/lot%2D000002", path=True
    ),
    "body-written-again": SigningCase(r"A proxy or gateway changes the body\.", WRITE, body=True),
}


@pytest.mark.parametrize("name", CASES)
async def test_f9_names_the_cause(service: RunningService, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    with case.way(service) as base_url:
        met = replace(service, base_urls={"all": base_url})
        async with browser(met, tmp_path, key="live", secret=case.secret, now=lambda: time.time() + case.clock) as user:
            if case.sent == WRITE:
                await unlocked(user)
            await sent(user, case.sent)
            await user.press("f9")
            await user.sees(r"╭─ Signature ")
            await user.sees(case.cause)
            await user.sees(r"→ ")
            own = service.key("live").signing_secret
            assert own
            assert own not in user.text
            assert SECRET not in user.text


async def test_a_clock_that_nothing_tells_is_named_by_the_refusal(tmp_path: Path) -> None:
    """A gateway that answers without a Date leaves nothing to sign anew by: the refusal stands, and is explained."""
    with (
        running_service(SandboxOptions(records=20), clock=lambda: time.time() + HOUR) as service,
        dateless(service) as base_url,
    ):
        async with browser(replace(service, base_urls={"all": base_url}), tmp_path, key="live") as user:
            await sent(user, READ)
            await user.sees(r"timestamp_stale")
            await user.press("f9")
            await user.sees(r"Cause: the clock or a slow connection\.")
            await user.sees(r"The secret is not the problem\.")


async def test_f9_checks_this_programs_own_signing_and_shows_what_was_signed(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live") as user:
        await sent(user, READ)
        await user.sees(r"✓ 200 OK")
        await user.press("f9")
        await user.sees(r"The signature is correct\.")
        await user.sees(r"The signing self-test of svc-tui passed\.")
        await user.sees(r"path and query +/v1/operations/lots/lot-000002")
        await user.sees(r"no body")


@contextmanager
def dateless(service: RunningService) -> Iterator[str]:
    """A way to the service on which answers lose their Date."""
    with changing_proxy(service, unanswered="date") as base_url:
        yield base_url


async def sent(user: User, line: str) -> None:
    """Send a line from the console; a write is agreed to. Its answer has come."""
    await user.press("4")
    await user.sees(r"╭─ Console ")
    await user.types(line)
    await user.press("ctrl+j")
    if line == WRITE:
        await user.sees(r"LIVE   Send this request")
        await user.press("y")
    await user.sees(r"[✓✕] \d{3}")


async def test_a_pasted_signature_is_judged_and_never_sent(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live") as user:
        await user.sees(r"lot-000001")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        at = int(time.time())
        secret = service.key("live").signing_secret or ""
        digest = sign(secret, string_to_sign(at, "GET", "/operations/lots", b""))
        pasted = (
            f"curl {service.base_url}/v1/operations/lots -H 'x-svc-timestamp: {at}'"
            f" -H 'x-svc-signature: t={at},v1={digest}'"
        )
        user.app.post_message(events.Paste(pasted))
        await user.sees(r"Press f9 to check it")
        await user.press("f9")
        await user.sees(r"It was signed without /v1 in the path\.")
        await user.press("escape", "ctrl+j")
        await user.sees(r"✓ 200 OK")
    assert not any(digest in str(attempt) for attempt in service.attempts)
