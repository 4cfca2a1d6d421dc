"""What the screen says when the service, the key, the clock or the network will not, and that the program goes on."""

import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import KeyPair
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.browser import User, browser
from tests.direct_requests import remove
from tests.fixed_keys import fixed
from tests.flows.steps import at_name, heard, renamed, reviewed

AHEAD = 20 * 60


async def page_ahead(user: User) -> None:
    """Wait for the page that is read ahead: what comes next is of the keys that come next."""
    await user.until(lambda: user.app.main.workspace.browse.rows.cached == 100, "the page ahead was not read")


async def test_a_429_is_counted_down_and_survived(service: RunningService, tmp_path: Path) -> None:
    clock = [1000.0]
    service.faults.next("429", retry_after=2)
    async with browser(service, tmp_path, monotonic=lambda: clock[0]) as user:
        await user.sees(r"429 · retry in +2 s")
        clock[0] += 1
        await user.sees(r"429 · retry in +1 s")
        clock[0] += 1
        await user.sees(r"lot-000001")
        await user.loses(r"429 · retry")


async def test_what_waits_behind_a_429_is_counted(service: RunningService, tmp_path: Path) -> None:
    clock = [1000.0]
    async with browser(service, tmp_path, monotonic=lambda: clock[0]) as user:
        await user.sees(r"lot-000001")
        await page_ahead(user)
        service.faults.next("429", retry_after=2)
        await user.press("r")
        await user.sees(r"429 · retry in")
        await user.press("enter")
        await user.sees(r"429 · retry in +2 s · 2 waiting")
        clock[0] += 2
        await user.sees(r"╭─ lot-000001 ")


async def test_a_failed_page_says_why_in_its_rows_and_r_tries_again(service: RunningService, tmp_path: Path) -> None:
    service.faults.always("500")
    async with browser(service, tmp_path) as user:
        await user.sees(r"(?s)✕ Could not load lots: .*500.*r  Try again")
        service.faults.clear()
        await user.press("r")
        await user.sees(r"lot-000001")


async def test_the_service_stopped_and_started_again(tmp_path: Path) -> None:
    options = SandboxOptions(records=300, database=tmp_path / "mine.db")
    with ExitStack() as running:
        first = running.enter_context(running_service(options))
        again = replace(options, port=int(first.base_url.rsplit(":", 1)[1]), keys=fixed(*first.keys))
        async with browser(first, tmp_path) as user:
            await user.sees(r"lot-000001")
            running.close()
            await user.press("r")
            # The notice covers the rest of what the frame says.
            await user.sees(r"· ✕ cou")
            await user.sees(r"lot-000001")
            await user.press("question_mark")
            await user.sees(r"Keys ·")
            await user.press("escape")
            running.enter_context(running_service(again))
            await user.press("r")
            await user.loses(r"· ✕ cou")
            await user.press("j", "enter")
            await user.sees(r"╭─ lot-000002 ")


async def test_a_service_that_is_down_is_told_in_one_notice_that_follows_the_latest_failure(tmp_path: Path) -> None:
    with ExitStack() as running:
        service = running.enter_context(running_service(SandboxOptions(records=300)))
        async with browser(service, tmp_path) as user:
            await user.sees(r"lot-000001")
            await page_ahead(user)
            running.close()
            await user.press("r")
            await heard(
                user,
                r"Could not load the records: could not connect to .*: connection refused; "
                r"the service may have stopped\.",
            )
            await user.press("enter")
            await heard(user, r"Could not load lot-000001: could not connect")
            await user.press("u", "escape", "r")
            # The table and the open record are loaded at the same time: either may fail last.
            await heard(user, r"Could not load the records", 2)
            await heard(user, r"Could not load lot-000001", 2)

            def titles() -> list[str]:
                return [one.title for one in user.app._notifications if "Could not connect" in one.message]

            latest = user.app.main.reports[-1].title
            await user.until(lambda: titles() == [f"✕ {latest}"], "there is another notice")
            assert not any("base URL" in report.body for report in user.app.main.reports)


async def test_a_wrong_secret_is_told_apart(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", secret="svcsec_not_the_one") as user:
        await user.sees(r"signature refused")
        await user.sees(r"✕ [\s\S]*signature_mismatch")


async def test_a_missing_secret_names_the_setting(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", secret="") as user:
        await user.sees(r"signature_missing")
        await user.press("colon")
        await user.types("lots/lot-000001")
        await user.press("enter")
        await user.sees(r"SVC_SIGNING_SECRET")


@pytest.mark.parametrize("key", ["revoked", "expired", "address"])
async def test_keys_that_are_refused_say_why(service: RunningService, tmp_path: Path, key: str) -> None:
    code = {"revoked": "api_key_revoked", "expired": "api_key_expired", "address": "ip_not_allowed"}[key]
    async with browser(service, tmp_path, key=key) as user:
        await user.sees(rf"✕ [\s\S]*{code}")


@pytest.mark.parametrize(("fault", "sign"), [("clock-ahead", r"\+"), ("clock-behind", "[-−]")])
async def test_a_clock_twenty_minutes_off_is_corrected_and_said(
    service: RunningService, tmp_path: Path, fault: str, sign: str
) -> None:
    service.faults.always(fault)
    async with browser(service, tmp_path, key="live") as user:
        await user.sees(r"lot-000001")
        await user.sees(rf"clock {sign}(19|20) min")
        await user.press("enter")
        await user.sees(r"╭─ lot-000001 ")


async def test_our_own_clock_wrong_by_twenty_minutes_is_the_same(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", now=lambda: time.time() + AHEAD) as user:
        await user.sees(r"lot-000001")
        await user.sees(r"clock [-−](19|20) min")


async def test_a_write_whose_answer_is_lost_is_looked_up_and_settled(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Stored once")
        await reviewed(user)
        service.faults.next("reset", count=1)
        await user.press("y")
        await user.sees(r"Saved lot-000002")
    # The record shows that the first one was carried out.
    assert len([a for a in service.attempts if a.method == "PATCH"]) == 1
    assert "Stored once" in (service.record("operations/lots", "lot-000002") or "")


async def test_no_key_waits_for_the_network(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await page_ahead(user)
        service.faults.next("hold")
        await user.press("r")
        await user.until(lambda: service.faults.held == 1, "no request was held")
        await user.press("j", "j", "question_mark")
        await user.sees(r"Keys ·")
        await user.press("escape")
        service.faults.release()
        await user.sees(r"lot-000001")


async def test_a_write_that_can_not_be_journalled_is_not_sent(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Unrecorded")
        await user.store.aclose()
        await user.press("ctrl+s")
        await user.sees(r"The draft can't be sent")
        await user.sees(r"svc-tui\.db was closed")
        await user.sees(r"Unrecorded\*")
    assert not any(a.method == "PATCH" for a in service.attempts)


async def test_a_record_deleted_meanwhile_is_said_and_the_edit_kept(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Too late")
        async with SignedClient(
            Profile("other", sandbox_base_url=service.base_url), KeyPair(service.key("sandbox").api_key)
        ) as other:
            await remove(other, COLLECTIONS[0], "lot-000002")
        await reviewed(user)
        await user.press("y")
        await user.sees(r"The record no longer exists")
        await user.sees(r"Too late\*")


async def test_a_fault_of_our_own_ends_in_one_line_without_data(
    service: RunningService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        secret_of_a_record = "Cobalt doré 2"
        raise ZeroDivisionError(secret_of_a_record)

    async def ended_by_it() -> None:
        async with browser(service, tmp_path, place="lots") as user:
            await user.sees(r"lot-000001")
            user.app.call_later(fail)
            await user.until(lambda: not user.app.is_running, "the program went on")

    with pytest.raises(ZeroDivisionError):
        await ended_by_it()
    told = capsys.readouterr().err
    assert "internal error (ZeroDivisionError" in told
    assert "Cobalt" not in told
    assert "Traceback" not in told
