"""What is on the screen before a session is there, and what becomes of whoever does something meanwhile."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.style import Style
from textual import events

from svc_tui.core.settings import CollectionSettings
from svc_tui.core.values import replace
from svc_tui.core.views import RememberedView, View
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.traffic import Answered
from svc_tui.session.first_page import FirstPage
from svc_tui.session.memory import LastPosition
from svc_tui.session.pane_layout import PaneSizes
from svc_tui.session.session import Session, SessionRefused
from svc_tui.ui.report import Report
from tests.browser import User, browser


class DelayedSession:
    """A session that comes when it is let in, after what is done to its supplies `before`."""

    def __init__(self, before: Callable[[Session], None] = lambda _: None) -> None:
        self._before, self._let_in = before, asyncio.Event()

    async def __call__(self, session: Session) -> Session:
        """The supplies, once they are let in."""
        await self._let_in.wait()
        self._before(session)
        return session

    def let_in(self) -> None:
        """Have it come."""
        self._let_in.set()


class AskedAhead:
    """A session whose first page was asked for, and answered, before there is a screen."""

    async def __call__(self, session: Session) -> Session:
        """The session, once an answer has come."""
        answered = asyncio.Event()
        session.gateway.listen(lambda event: answered.set() if isinstance(event, Answered) else None)
        first_page = FirstPage(session.gateway, session.profile.first, session.profile.page_size)
        await answered.wait()
        return replace(session, first_page=first_page)


def frame(user: User) -> list[str]:
    """What the frame shows of the session: the sidebar and the status bar, without counts and what was answered."""
    *rows, status, _ = user.text.split("\n")[:40]
    shown = [re.sub(r"[\d,]+(?= *│)", lambda count: " " * len(count[0]), row[:30]) for row in rows]
    return [*shown, re.sub(r" +(\d+ running|\d+ · [\d.]+ m?s)? *$", "", status)]


@pytest.mark.parametrize(
    ("key", "lock"),
    [("sandbox", "unsigned"), ("test-signed", "signed"), ("live", "signed  LOCKED")],
)
async def test_the_frame_is_the_main_screens_own(service: RunningService, tmp_path: Path, key: str, lock: str) -> None:
    arrival = DelayedSession()
    async with browser(service, tmp_path, key=key, place="invoices", arrives=arrival) as user:
        await user.sees("Collections")
        assert lock in user.text
        before = frame(user)
        assert "─ finance / invoices ─" in user.text
        assert "_" not in user.text
        assert any("▌" in row and "invoices" in row for row in before)
        arrival.let_in()
        await user.sees("200 ·")
        await user.settled()
        assert frame(user) == before


@pytest.mark.parametrize("key", ["sandbox", "live"])
async def test_the_pane_that_is_about_to_have_the_focus_stands_out_at_once(
    service: RunningService, tmp_path: Path, key: str
) -> None:
    def edges() -> list[Style]:
        return [user.app.screen.get_style_at(x, 0) for x in (0, 2, 30, 34)]

    arrival = DelayedSession()
    async with browser(service, tmp_path, key=key, arrives=arrival) as user:
        await user.sees("operations / lots")
        await user.settled()
        before = edges()
        arrival.let_in()
        await user.sees("lot-000001")
        await user.settled()
        assert edges() == before
        assert before[0].color != before[2].color


async def test_the_frame_is_as_somebody_left_the_screen(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        store = user.app.main.session.preference_store
        store.remember_panes(PaneSizes(sidebar=40))
        store.remember_place("test sandbox", LastPosition("/v1/operations/shiftLogs"))
        store.remember_habit("operations/lots", RememberedView(named={"mine": View()}))
    async with browser(service, tmp_path, arrives=DelayedSession()) as user:
        await user.sees("mine")
        assert user.text.split("\n")[0].index("╮") == 39
        assert re.search("▌.*shiftLogs", user.text)


@pytest.mark.parametrize(
    ("place", "title"),
    [
        ("FINANCE/Invoices", "finance / invoices"),
        ("/finance/invoices", "finance / invoices"),
        ("/v1/finance/invoices/inv-1", "finance / invoices"),
        ("lots/lot-000001/attachments", "operations / lots / lot-000001 / attachments"),
        ("svctui://sandbox@127.0.0.1:1/finance/invoices/inv-1", "finance / invoices"),
        ("nowhere", "operations / lots"),
        ("", "operations / lots"),
    ],
)
async def test_the_frame_names_what_is_about_to_be_opened(
    service: RunningService, tmp_path: Path, place: str, title: str
) -> None:
    async with browser(service, tmp_path, place=place, arrives=DelayedSession()) as user:
        await user.sees(re.escape(f"╭─ {title} ─"))


async def test_what_opens_by_itself_is_spelled_as_the_profile_says(service: RunningService, tmp_path: Path) -> None:
    async def spelled(session: Session) -> Session:
        settings = {"operations/lots": CollectionSettings(segment="ore-lots")}
        return replace(session, profile=replace(session.profile, collections=settings))

    async with browser(service, tmp_path, arrives=spelled) as user:
        await user.until(lambda: len(service.attempts) > 0, "nothing was asked for")
        assert service.attempts[0].target.startswith("/v1/operations/ore-lots?")


async def test_the_page_that_was_asked_for_ahead_is_the_one_that_the_table_shows(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, arrives=AskedAhead()) as user:
        await user.sees("lot-000001")
        await user.sees(r"200 · [\d.]+ m?s")
        await user.settled()
        # One page ahead of what is in view is read besides.
        assert [attempt.target for attempt in service.attempts] == [
            f"/v1/operations/lots?page={number}&limit=50" for number in (1, 2)
        ]
        await user.press("f5")
        await user.until(lambda: len(service.attempts) > 2, "nothing was read again")


async def test_what_the_wire_did_ahead_is_told_in_the_status_bar(service: RunningService, tmp_path: Path) -> None:
    service.faults.next("429", retry_after=120)

    async with browser(service, tmp_path, arrives=AskedAhead()) as user:
        await user.sees(r"429 · retry in \d+ s")


async def test_on_a_narrow_screen_there_is_no_sidebar_and_too_small_is_told(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, size=(70, 20), arrives=DelayedSession()) as user:
        await user.sees("SANDBOX .*unsigned")
        assert "Collections" not in user.text
        await user.pilot.resize_terminal(50, 12)
        await user.sees("svc-tui needs 60x16, you have 50x12")


async def test_keys_and_pastes_wait_for_what_they_are_for(service: RunningService, tmp_path: Path) -> None:
    arrival = DelayedSession()
    async with browser(service, tmp_path, arrives=arrival) as user:
        await user.sees("Collections")
        assert user.app.reassurance == "Drafts are kept."
        await user.press("colon")
        user.app.post_message(events.Paste("lots/lot-000021"))
        await user.press("enter")
        assert "lot-000021" not in user.text
        arrival.let_in()
        await user.sees("╭─ lot-000021 ")


async def test_a_click_finds_nothing_yet(service: RunningService, tmp_path: Path) -> None:
    arrival = DelayedSession()
    async with browser(service, tmp_path, arrives=arrival) as user:
        await user.sees("shiftLogs")
        before = user.text
        await user.pilot.click(offset=(10, 5))
        await user.pilot.pause()
        assert user.text == before


async def test_somebody_can_leave_before_anything_is_there(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, arrives=DelayedSession()) as user:
        await user.sees("Collections")
        await user.press("ctrl+q")
        await user.until(lambda: not user.app.is_running, "it went on")
        assert user.app.refused == ""
        assert user.app.return_code == 0


async def test_somebody_who_leaves_when_it_is_about_to_be_there_has_left(
    service: RunningService, tmp_path: Path
) -> None:
    arrival = DelayedSession(lambda _: user.app.exit())
    async with browser(service, tmp_path, arrives=arrival) as user:
        await user.sees("Collections")
        arrival.let_in()
        await user.until(lambda: not user.app.is_running, "it went on")
        assert user.app.fault is None
        assert user.app.return_code == 0


async def test_the_key_that_leaves_is_the_users_own(service: RunningService, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[keys]\n"app.quit" = "f10, f9"\n')
    (tmp_path / "config.toml").chmod(0o600)
    arrival = DelayedSession()
    async with browser(service, tmp_path, arrives=arrival) as user:
        await user.sees("Collections")
        await user.press("ctrl+q")
        assert user.app.is_running
        await user.press("f9")
        await user.until(lambda: not user.app.is_running, "it went on")


async def test_what_fails_when_somebody_has_left_is_not_how_it_ended(service: RunningService, tmp_path: Path) -> None:
    def refuse(_: Session) -> None:
        user.app.exit(return_code=143)
        raise SessionRefused("nobody is there any more")

    arrival = DelayedSession(refuse)
    async with browser(service, tmp_path, arrives=arrival) as user:
        await user.sees("Collections")
        arrival.let_in()
        await user.until(lambda: not user.app.is_running, "it went on")
        assert user.app.return_code == 143
        assert user.app.refused == ""


async def test_what_is_refused_ends_the_app_with_its_words(service: RunningService, tmp_path: Path) -> None:
    def refuse(_: Session) -> None:
        raise SessionRefused("the key is gone; put it back")

    arrival = DelayedSession(refuse)
    async with browser(service, tmp_path, arrives=arrival) as user:
        await user.sees("Collections")
        arrival.let_in()
        await user.until(lambda: not user.app.is_running, "it went on")
        assert user.app.refused == "the key is gone; put it back"
        assert user.app.fault is None


async def test_what_is_told_meanwhile_is_told_on_the_main_screen(service: RunningService, tmp_path: Path) -> None:
    arrival = DelayedSession()
    async with browser(service, tmp_path, arrives=arrival) as user:
        await user.sees("Collections")
        user.app.post_report(Report("The log can't be written.", "Log", "warning"))
        assert "The log" not in user.text
        arrival.let_in()
        await user.sees("The log can't be written.")
        user.app.post_report(Report("And once more.", "Log", "warning"))
        await user.sees("And once more.")
