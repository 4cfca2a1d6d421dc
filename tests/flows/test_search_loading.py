"""The search loads all collections by itself: at once in the sandbox, once the user agrees on LIVE."""

import re
from collections import Counter
from pathlib import Path

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from tests.browser import User, browser
from tests.flows.test_finding import finder, requests
from tests.flows.test_index import indexed

STOPPED = "Loading for the search stopped"
QUESTION = r"Load all \d+ collections \(at least \d+ requests\)\? ctrl\+l yes · ctrl\+n no"


def collections_asked_for(service: RunningService, since: int) -> list[str]:
    """The collections of which a page was asked for since then, in that order."""
    lists = [re.match(r"/v1/\w+/(\w+)\?", target) for target in requests(service)[since:]]
    return list(dict.fromkeys(match[1] for match in lists if match))


async def closed(user: User) -> None:
    """Wait until the search is closed."""
    await user.until(lambda: user.app.screen is user.app.main, "the search stays open")


async def test_the_first_letter_loads_all_collections_in_the_sandbox_the_smallest_first(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="workers") as user:
        await user.sees(r"wrk-0001")
        await user.press("colon")
        await user.types("tunnels\n")
        await user.sees(r"tun-01")
        await user.settled()
        before = len(requests(service))
        await finder(user)
        await user.sees(r"\d+ loaded records? ")
        assert "ctrl+l" not in user.text
        await user.types("inc-0003")
        await user.sees(r"1 match in [\d,]+ loaded records? ")
        await user.sees(r"incidents +inc-0003 .* loaded")
        await user.loses(r"loading ")
        assert "ctrl+l" not in user.text
        lists = [re.match(r"/v1/\w+/(\w+)\?(.*)", target) for target in requests(service)[before:]]
        pages = [(match[1], "page=1" in re.split("[&?]", match[2])) for match in lists if match]
        first = [name for name, is_first in pages if is_first]
        assert {"lots", "incidents", "custody"} <= set(first)
        # The size of `workers`, which is open, is known; the first pages of the others tell theirs.
        assert [is_first for _, is_first in pages].index(False) >= len(first) - 1
        assert "workers" not in first[: len(first) - 1]
        others = Counter(name for name, is_first in pages if not is_first and name != "workers")
        assert list(others.values()) == sorted(others.values()), "the largest come last"
        loaded = len(requests(service))
        await user.press("escape")
        await closed(user)
        await finder(user)
        await user.types("wrk-0002")
        await user.sees(r"workers +wrk-0002 .* loaded")
        await user.settled()
        assert len(requests(service)) == loaded


async def test_what_the_search_has_loaded_is_not_loaded_again_for_a_filter(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await user.types("silver")
        await user.sees(r"matches in [\d,]+ loaded records")
        await user.press("escape")
        await closed(user)
        await user.settled()
        before = len(requests(service))
        await user.press("slash")
        await user.types("silver\n")
        await user.sees(r"\d+ matches in 300, as of \d\d:\d\d")
        await user.quiet()
        pages = [target for target in requests(service)[before:] if "/operations/lots?" in target]
        in_view = user.app.main.workspace.browse.table.page_height
        assert len(pages) <= in_view, "only what is in view is read again"
        assert not any("limit=200" in target for target in pages)


async def test_the_end_of_loading_is_shown_where_it_changes_nothing_else(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        screen = await finder(user)
        with monkeypatch.context() as loading:
            loading.setattr(type(screen._readable), "reading", True)
            await user.sees(r"⏎ Open [^\n]*esc Stop loading")
        await user.sees(r"⏎ Open [^\n]*esc Close")


async def test_the_matches_are_told_with_the_records_that_were_searched_for_them(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await user.quiet()
        screen = await finder(user)
        await user.types("silver")
        told = (await user.sees(r"[1-9]\d* matches in \d+ loaded records")).group()
        screen._looks.pause()
        reading = user.app.main.features.finder.reading
        reading.start_reading(user.app.main.context.session.collections[:1])
        await user.until(lambda: not reading.reading and reading.changes > 0, "nothing was loaded")
        screen.say_state()
        await user.settled()
        assert told in user.text
        screen._looks.resume()
        await user.loses(told)


async def test_esc_stops_loading_and_what_is_typed_then_does_not_begin_it_again(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        screen = await finder(user)
        service.faults.always("hold")
        await user.types("w")
        await user.sees(r"loading \w+, 1 of \d+ collections")
        await user.sees(r"⏎ Open [^\n]*esc Stop loading")
        await user.until(lambda: service.faults.held > 0, "nothing is loaded")
        await user.press("escape")
        await user.loses(r"loading")
        service.faults.clear()
        await user.sees(r"ctrl\+l search \d+ more collections")
        assert user.app.screen is screen
        stopped = len(requests(service))
        await user.types("rk")
        await user.settled()
        assert len(requests(service)) == stopped
        await user.press("escape")
        await closed(user)
        await finder(user)
        await user.types("wrk-0002")
        await user.sees(r"workers +wrk-0002 .* loaded")


async def test_loading_goes_on_when_the_search_is_closed_until_it_is_stopped(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", page_size=200) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        await finder(user)
        service.faults.always("hold", path="/v1/workforce")
        await user.types("lot-000002")
        await user.sees(r"loading workers, \d+ of \d+ collections")
        await user.press("enter")
        await user.sees(r"╭─ lot-000002 ")
        await user.sees(r"\n SANDBOX .* loading workers ")
        # Nothing settles while a response is held.
        await user.press("ctrl+p", *"stop load")
        await user.sees(r"▌Stop loading")
        await user.press("enter")
        await user.loses(r"loading workers")
        service.faults.clear()
        await user.press("ctrl+p")
        await user.types("stop load")
        await user.settled()
        assert "Stop loading" not in user.text


async def test_live_asks_once_and_yes_holds_for_the_next_session(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots", size=(80, 24)) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        before = len(requests(service))
        await finder(user)
        await user.sees(QUESTION)
        await user.types("inc-0003")
        await user.settled()
        assert len(requests(service)) == before
        await user.press("ctrl+l")
        await user.sees(r"incidents +inc-0003 .* loaded")
        assert not re.search(QUESTION, user.text)
        await user.settled()
    before = len(requests(service))
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await user.types("inc-0003")
        await user.sees(r"incidents +inc-0003 .* loaded")
        await user.loses(r"loading ")
        await user.press("ctrl+l")
        await user.types("only when")
        await user.sees(r"Load collections only when you choose them here")
        await user.press("enter")
        await user.settled()
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await user.sees(r"ctrl\+l search \d+ more")


async def test_live_remembers_no_until_all_are_chosen(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await user.sees(QUESTION)
        await user.press("ctrl+n")
        await user.loses(QUESTION)
        await user.settled()
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await user.settled()
        before = len(requests(service))
        await finder(user)
        await user.types("inc-0003")
        await user.sees(r"0 matches in \d+ loaded records · ctrl\+l search \d+ more collections")
        assert not re.search(QUESTION, user.text)
        await user.settled()
        assert len(requests(service)) == before
        await user.press("ctrl+l")
        await user.types("always")
        await user.sees(r"Always load all collections when you search")
        await user.press("enter")
        await user.sees(r"incidents +inc-0003 .* loaded")


async def test_a_service_that_fails_is_not_asked_again_at_each_letter(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.quiet()
        await finder(user)
        service.faults.always("503")
        before = len(requests(service))
        await user.types("w")
        await user.sees(r"tunnels: .*503")
        await user.sees(r"ctrl\+l search \d+ more")
        await user.settled()
        assert STOPPED not in [report.title for report in user.app.main.reports]
        assert collections_asked_for(service, before) == ["tunnels"]
        failed = len(requests(service))
        await user.types("rk-0002")
        await user.quiet()
        assert len(requests(service)) == failed
        service.faults.clear()
        await user.press("escape")
        await closed(user)
        await finder(user)
        await user.types("wrk-0002")
        await user.sees(r"workers +wrk-0002 .* loaded")
        await user.loses(r"tunnels: .*503")


async def test_an_error_that_ends_loading_is_told_where_the_search_is_closed(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.quiet()
        await finder(user)
        service.faults.always("hold", path="/v1/operations/tunnels")
        await user.types("lot-000001")
        await user.sees(r"loading tunnels")
        await user.press("enter")
        await user.sees(r"╭─ lot-000001 ")
        service.faults.always("503", path="/v1/operations/productionLogs")
        service.faults.clear("hold")
        await user.until(lambda: STOPPED in [report.title for report in user.app.main.reports], "nothing is said")


async def test_an_index_that_is_built_meanwhile_is_used_and_nothing_in_it_is_loaded(tmp_path: Path) -> None:
    with running_service(SandboxOptions(records=120)) as service:
        async with browser(service, tmp_path, place="lots") as user:
            await user.sees(r"lot-000001")
            async with browser(service, tmp_path, place="lots", index=True) as other:
                await indexed(other)
            await user.settled()
            before = len(requests(service))
            await finder(user)
            await user.sees(r"loaded and [\d,]+ indexed records?")
            await user.types("wrk-0042")
            await user.sees(r"workers +wrk-0042 .* index")
            await user.settled()
            assert len(requests(service)) == before


async def test_what_an_index_lacks_is_loaded(tmp_path: Path) -> None:
    with running_service(SandboxOptions(records=120)) as service:
        service.faults.always("500", path="/v1/safety/incidents")
        async with browser(service, tmp_path, place="lots", index=True) as user:
            await indexed(user)
        service.faults.clear()
        async with browser(service, tmp_path, place="lots") as user:
            await user.sees(r"lot-000001")
            await user.settled()
            before = len(requests(service))
            await finder(user)
            await user.types("inc-0003")
            await user.sees(r"incidents +inc-0003 .* loaded")
            await user.loses(r"loading ")
            assert collections_asked_for(service, before) == ["incidents"]
