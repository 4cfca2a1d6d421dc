"""Finding a record by what a ticket says of it, whichever collection it is in, with nothing indexed."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

from textual.events import Paste
from textual.widgets import Input

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.folded_text import fold, search_text
from svc_tui.core.jsontext import loads
from svc_tui.core.kinds import MASKED
from svc_tui.core.records import Record
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.seeds.hostile import MARKUP_LOT
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.search.record_search import MAX_MATCHES
from svc_tui.service.gateway import Gateway
from svc_tui.service.routes import parse_place
from svc_tui.ui.finder.finder_screen import FinderScreen
from svc_tui.ui.finder.results_list import ResultLine
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from tests.browser import User, browser
from tests.flows.steps import LOTS, RECORD, at_name, changed_elsewhere, renamed, stored


async def finder(user: User) -> FinderScreen:
    """Open the finder."""
    await user.press("ctrl+f")
    await user.sees(r"╭─ Search ")
    screen = user.app.screen
    assert isinstance(screen, FinderScreen)
    return screen


def found_texts(screen: FinderScreen) -> list[str]:
    """What is marked in the lines of the results as what was sought."""
    results = screen.results
    lines = [results._draw(match, results._text) for match in results.matches]
    return [line.plain[span.start : span.end] for line in lines for span in line.spans if "accent" in str(span.style)]


def taken_in(screen: FinderScreen) -> bool:
    """Whether what was read is searched."""
    return screen._changes == screen._readable.changes


async def finder_that_loads_nothing(user: User) -> FinderScreen:
    """Open the finder of a LIVE profile, and have it load only what is chosen."""
    screen = await finder(user)
    if screen._readable.question:
        await user.press("ctrl+n")
        await user.loses(r"ctrl\+n no")
    return screen


async def looked_through(user: User, choice: str = "") -> None:
    """Have all collections read to their end, or the one that is chosen by a word."""
    await user.press("ctrl+l")
    await user.sees(r"╭─ Load and search ")
    await user.types(choice)
    await user.press("enter")
    await user.loses(r"╭─ Load and search ")
    finder_screen = user.app.screen
    assert isinstance(finder_screen, FinderScreen)
    await user.until(lambda: not finder_screen._readable.reading, "reading never ends")


async def test_an_id_that_nothing_held_begins_with_is_asked_for_at_once(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await user.settled()
        screen = await finder_that_loads_nothing(user)
        await user.types("wrk-004")
        await user.sees(r"workers +wrk-004 +Open this record +by id")
        await user.types("2")
        await user.sees(r"workers +wrk-0042 +Open this record")
        await user.sees(r"0 matches in \d+ loaded records")
        await user.press("down", "space")
        await user.sees(r"This record is not loaded and can't be marked")
        await user.press("ctrl+e")
        await user.sees(r"No records to export")
        assert not [target for target in requests(service) if "workers" in target]
        await user.press("enter")
        await user.sees(r"╭─ wrk-0042 ")
        assert screen is not user.app.screen
        assert [target for target in requests(service) if target.endswith("/workers/wrk-0042")]


async def test_a_place_is_asked_for_too_and_nothing_that_is_still_typed_or_held(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await user.settled()
        screen = await finder_that_loads_nothing(user)
        for text in ("lot-00000", "LOT-000001", "lots", "gold ore", "tun", "lots/..", "zzz-1"):
            await user.types(text)
            await screen.all_listed()
            assert screen.results.named is None, text
            await user.press("ctrl+u")
        await user.types("safety/incidents/no such [x]")
        await user.sees(r"incidents +no such \[x\] +Open this record")
        await user.press("enter")
        await user.sees(r"404")


async def all_of(gateway: Gateway, collection: Collection) -> AsyncIterator[Record]:
    """Every record of a collection, read now."""
    async for page in gateway.walk(collection, limit=200):
        for record in page.records:
            yield record


def requests(service: RunningService) -> list[str]:
    """The paths that were asked for so far."""
    return [attempt.target for attempt in service.attempts]


async def test_a_name_is_found_without_its_accents_and_marked_as_it_is_written(
    service: RunningService, tmp_path: Path
) -> None:
    await changed_elsewhere(service, "lot-000002", name="Jérémie Roux", note="Łódź")
    await changed_elsewhere(service, "lot-000003", name="Je\u0301re\u0301mie, Große Halle", note="lodz")
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        screen = await finder(user)
        for typed in ("jeremie", "JÉRÉMIE", "je\u0301re\u0301mie"):
            screen.line.value = typed
            await user.sees(r"2 matches in")
            await user.sees(r"lots +lot-000002 +Jérémie Roux ")
            await user.sees(r"lots +lot-000003 +Je\u0301re\u0301mie, Große Halle ")
        assert sorted(found_texts(screen)) == ["Je\u0301re\u0301mie", "Jérémie"]
        screen.line.value = "lodz"
        await user.sees(r"lots +lot-000002 .* note: Łódź ")
        assert sorted(found_texts(screen)) == ["lodz", "Łódź"]
        await user.loses(r"loading ")
        # The table is filtered in the same way.
        await user.press("escape", "slash")
        await user.types("grosse jeremie")
        await user.sees(r"1 match in 300, as of ")
        await user.sees(r"lot-000003")


async def test_what_is_loaded_is_found_as_one_types_and_opened_as_the_service_holds_it(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await user.types("lot-000002")
        await user.sees(r"lots +lot-000002 .* loaded")
        before = len(requests(service))
        await user.press("enter")
        await user.sees(r"╭─ lot-000002 ")
        await user.settled()
        assert f"/v1/{LOTS.key}/{RECORD}" in requests(service)[before:]


async def test_a_reference_leads_to_records_of_other_collections(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await user.types("wrk-0001")
        await user.sees(r"workers +wrk-0001 .* loaded")
        await user.sees(r"shiftLogs +slog-\d+ .*workerId: wrk-0001")
        await user.press("enter")
        await user.sees(r"╭─ wrk-0001 ")


async def test_it_finds_what_a_plain_look_at_everything_the_service_holds_finds(tmp_path: Path) -> None:
    with running_service(SandboxOptions(records=150)) as service:
        async with browser(service, tmp_path, place="lots") as user:
            await user.sees(r"lot-000001")
            screen = await finder(user)
            await looked_through(user)
            records = [
                record
                for collection in COLLECTIONS
                async for record in all_of(user.app.main.session.gateway, collection)
            ]
            texts = ("damp", "gold ore", "wrk-0007", "2024-01-03", "[/x]", "no such thing")
            for text in (*texts, "lukasz zolkiewski", "ODEGARD", "éloise", "παπαδοπουλος", "Grossmann"):
                words = fold(text).split()
                wanted = {record.id for record in records if all(word in search_text(record.fields) for word in words)}
                screen.line.value = text
                await user.settled()
                found = {match.place.record_id for match in screen.results.matches}
                assert found <= wanted
                assert len(found) == min(len(wanted), MAX_MATCHES), text


async def test_esc_stops_reading_and_what_was_read_is_searched(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots", page_size=1) as user:
        await user.sees(r"lot-000001")
        screen = await finder_that_loads_nothing(user)
        await user.press("ctrl+l")
        await user.sees(r"╭─ Load and search ")
        await user.types("workforce")
        service.faults.always("hold", path="/v1/workforce/workers", after=5)
        await user.press("enter")
        # Pages are asked for ahead: of those that come, the last may not follow the one before it.
        await user.sees(r"loading workers [2-5] of \d+")
        await user.press("escape")
        await user.until(lambda: not screen._readable.reading, "reading goes on")
        service.faults.clear()
        assert user.app.screen is screen
        await user.types("wrk-0001")
        await user.sees(r"workers +wrk-0001 ")
        await user.press("ctrl+l")
        await user.sees(r"workforce/workers: \d+ requests")


async def test_what_can_not_be_read_is_said_and_the_rest_is_found(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await user.quiet()
        service.faults.next("500", count=3)
        await looked_through(user)
        await user.sees(r"lots: .*500")
        await user.types("wrk-0001")
        await user.sees(r"workers +wrk-0001 ")


async def test_an_edit_that_was_not_sent_is_found_by_what_was_typed(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Zanzibar")
        await finder(user)
        await user.types("zanzi")
        await user.sees(rf"lots +{RECORD} +Zanzibar .* draft")


async def test_the_line_to_go_to_hands_its_text_on(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("colon")
        await user.sees(r"╭─ Go to ")
        await user.types("000005")
        await user.press("ctrl+f")
        await user.sees(r"╭─ Search ")
        await user.sees(r"lots +lot-000005 ")
        await user.press("enter")
        await user.sees(r"╭─ lot-000005 ")


async def test_a_record_is_opened_while_the_search_goes_on_and_more_is_read(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        screen = await finder_that_loads_nothing(user)
        await looked_through(user, "operations/lots")
        screen.line.value = "lot"
        await user.until(lambda: len(screen.results.matches) == MAX_MATCHES, "not all was found")
        user.app.main.features.finder.reading._reader.changes += 1
        screen._begin()
        screen.post_message(Input.Submitted(screen.line, "lot"))
        await user.sees(r"╭─ lot-")
        await user.settled()
        assert user.app.screen is user.app.main


def drawn(screen: FinderScreen) -> list[int]:
    """The numbers of the lines that were drawn."""
    prompts = [option.prompt for option in screen.results.options]
    return [at for at, line in enumerate(prompts) if isinstance(line, ResultLine) and line.drawn]


async def test_a_line_is_drawn_when_it_comes_into_view(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        screen = await finder_that_loads_nothing(user)
        await looked_through(user, "operations/lots")
        await user.types("lot")
        await user.until(lambda: len(screen.results.matches) == MAX_MATCHES, "not all was found")
        # From then on the list stays as it is.
        await user.until(lambda: taken_in(screen), "what was read is not searched")
        await user.settled()
        results = screen.results
        rows = results.scrollable_content_region.height
        assert drawn(screen) == list(range(rows))
        assert results.virtual_size.height == MAX_MATCHES
        await user.press("pagedown")
        await user.settled()
        assert drawn(screen) == list(range(rows + 1))
        assert f"{results.matches[rows].place.record_id} " in user.text
        results.scroll_end(animate=False)
        await user.settled()
        assert drawn(screen) == [*range(rows + 1), *range(MAX_MATCHES - rows, MAX_MATCHES)]
        assert f"{results.matches[-1].place.record_id} " in user.text
        last = results.region.bottom_right - (3, 1)
        await user.pilot.click(offset=last)
        await user.sees(rf"╭─ {results.matches[-1].place.record_id} ")


async def test_where_nothing_fits_any_more_the_list_is_empty(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        screen = await finder(user)
        await looked_through(user, "operations/lots")
        await user.types("lot-")
        await user.sees(r"│ lots +lot-")
        await user.types("?")
        await user.loses(r"│ lots +lot-")
        assert screen.results.virtual_size.height == 0


async def test_where_nothing_matches_the_line_to_go_to_leads_to_the_finder(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("colon")
        await user.sees(r"╭─ Go to ")
        await user.types("#0")
        await user.press("enter")
        await user.sees(r"rows start at #1")
        assert "Search for" not in user.text
        await user.press("ctrl+u")
        await user.types("marta kow")
        await user.sees(r"› Search for “marta kow” in all collections")
        await user.press("enter")
        await user.sees(r"╭─ Search ")
        assert user.app.screen.query_one(Input).value == "marta kow"


async def test_a_secret_is_looked_for_nowhere_and_stands_on_no_screen(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        screen = await finder(user)
        key = service.key("sandbox").api_key
        screen.line.value = key
        await user.sees(r"looks like a key or a secret")
        assert key not in user.text
        await user.press("enter")
        await user.settled()
        assert user.app.screen is screen
        assert not any(key in target for target in requests(service))


async def test_text_that_would_command_is_harmless_in_results(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await looked_through(user)
        await user.types("[/x]")
        await user.sees(rf"lots +{MARKUP_LOT} +\[/x\] Lot \[bold")
        assert "\x1b" not in user.text
        assert "\u202e" not in user.text


async def test_while_personal_data_is_hidden_results_hide_it(service: RunningService, tmp_path: Path) -> None:
    record = loads(service.record("workforce/workers", "wrk-0001") or "")
    assert isinstance(record, dict)
    async with browser(service, tmp_path, place="workers") as user:
        await user.sees(r"wrk-0001")
        await user.press("ctrl+o")
        await user.sees(r"MASKED")
        await finder(user)
        await user.types("wrk-0001")
        await user.sees(rf"workers +wrk-0001 +{MASKED}")
        for name in ("name", "phone", "email"):
            assert str(record[name]) not in user.text


async def test_a_write_of_an_earlier_session_is_found_by_its_ticket(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await at_name(user)
        await renamed(user, "Corrected")
        await user.press("ctrl+s")
        await user.sees(r"Change lot-000002")
        await user.press("t")
        await user.types("OPS-4711")
        await user.press("enter", "y")
        await user.until(lambda: (stored(service, RECORD) or {}).get("name") == "Corrected", "nothing was written")
    async with browser(service, tmp_path, place="workers") as user:
        await user.sees(r"wrk-0001")
        await finder(user)
        await user.types("ops-4711")
        await user.sees(rf"lots +{RECORD} +Corrected .*ticket: OPS-4711 +journal")


async def test_the_line_of_an_empty_search_says_how_much_is_held(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", size=(80, 24)) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        await finder(user)
        shown = await user.sees(r"│ ([\d,]+) loaded records ")
        assert int(re.sub(",", "", shown[1])) == user.app.main.workspace.browse.rows.cached


async def test_what_points_at_a_record_is_listed_by_collection_and_field_and_led_to(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="workers/wrk-0001") as user:
        await user.sees(r"╭─ wrk-0001 ")
        await user.press("R")
        await user.sees(r"╭─ References to wrk-0001 ")
        await user.sees(r"0 references in [\d,]+ loaded records?")
        await looked_through(user)
        await user.sees(r"shiftLogs +slog-\d+ .* workerId +loaded")
        found = await user.sees(r"custody +(cus-\d+) .* fromWorkerId +loaded")
        record = stored(service, found[1], "operations/custody")
        assert record is not None
        assert record["fromWorkerId"] == "wrk-0001"
        await user.types(found[1])
        await user.until(lambda: len(user.app.screen.query_one(ChangingList).options) == 1, "it was not narrowed")
        await user.press("enter")
        await user.sees(rf"╭─ {found[1]} ")
        await user.press("left_square_bracket")
        await user.sees(r"╭─ wrk-0001 ")


async def test_personal_data_shown_in_an_open_finder_is_hidden_again(service: RunningService, tmp_path: Path) -> None:
    record = stored(service, "wrk-0001", "workforce/workers")
    assert record is not None
    name = re.escape(str(record["name"]))
    async with browser(service, tmp_path, place="workers") as user:
        await user.sees(r"wrk-0001")
        await user.press("ctrl+o")
        await user.sees(r"MASKED")
        await finder(user)
        await user.types("wrk-0001")
        await user.sees(rf"workers +wrk-0001 +{MASKED}")
        await user.press("ctrl+o")
        await user.sees(rf"workers +wrk-0001 +{name}")
        await user.press("ctrl+o")
        await user.loses(name)
        await user.press("ctrl+o")
        await user.sees(rf"workers +wrk-0001 +{name}")


async def test_what_the_service_chose_for_a_query_is_not_taken_for_all(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place="lots", page_size=200) as user:
        await user.sees(r"lot-000001")
        await user.press("slash")
        await user.types("?status=rejected")
        await user.press("enter")
        opened = user.app.main.workspace.browse.open_collections
        await user.until(
            lambda: opened.current is not None and bool(opened.current.query) and opened.current.rows.loaded,
            "the service never chose",
        )
        await user.settled()
        rows = user.app.main.workspace.browse.rows
        assert rows.cached == rows.total
        await finder(user)
        await user.sees(rf"Load all {len(COLLECTIONS)} collections")
        await user.press("ctrl+n", "ctrl+l")
        await user.sees(r"operations/lots: at least 1 request")


async def test_all_lines_are_there_after_a_resize_and_the_cursor_stays_in_view(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots", page_size=50) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        screen = await finder_that_loads_nothing(user)
        await user.types("lot")
        await user.sees(r"50 matches|100 matches")
        await user.settled()
        count = screen.results.option_count
        await user.pilot.resize_terminal(60, 16)
        await user.settled()
        assert screen.results.option_count == count == len(screen.results.matches)
        for _ in range(12):
            await user.press("down")
        await user.settled()
        chosen = screen.results.matches[12].place.record_id
        assert chosen is not None
        assert chosen in user.text
        assert screen.query_one("#dialog").max_scroll_y == 0


async def test_a_secret_typed_while_more_is_read_is_looked_for_nowhere_and_leads_nowhere(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots", page_size=1) as user:
        await user.sees(r"lot-000001")
        screen = await finder_that_loads_nothing(user)
        screen.line.value = "lot-000001"
        await user.sees(r"lots +lot-000001")
        key = service.key("sandbox").api_key
        screen.line.value = key
        await user.sees(r"looks like a key or a secret")
        user.app.main.features.finder.reading._reader.changes += 1
        await user.until(lambda: taken_in(screen), "what came is not taken in")
        assert key not in screen._search._text
        await user.sees(r"looks like a key or a secret")
        await user.press("enter")
        await user.settled()
        assert user.app.screen is screen


async def test_a_paste_is_one_line_and_never_a_secret(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        screen = await finder(user)
        screen.line.post_message(Paste(service.key("sandbox").api_key))
        await user.sees(r"looks like a key or a secret")
        assert screen.line.value == ""
        screen.line.post_message(Paste("\n  lot-000002  \nlot-000003\n"))
        await user.sees(r"lots +lot-000002 ")
        assert "looks like" not in user.text


async def test_what_failed_is_not_said_any_more_once_it_was_read(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await user.quiet()
        service.faults.next("500", count=3)
        await looked_through(user, "tunnels")
        await user.sees(r"tunnels: .*500")
        await looked_through(user, "tunnels")
        await user.loses(r"tunnels: .*500")


async def test_esc_between_two_pages_leaves_no_word_of_reading(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", page_size=1) as user:
        await user.sees(r"lot-000001")
        await user.settled()
        screen = await finder(user)
        service.faults.always("hold", after=3)
        await user.press("ctrl+l")
        await user.sees(r"╭─ Load and search ")
        await user.types("workforce")
        await user.press("enter")
        await user.sees(r"loading workers [1-9]")
        await user.until(lambda: service.faults.held > 0 and taken_in(screen), "no answer waits")
        await user.press("escape")
        service.faults.clear()
        await user.loses(r"loading workers")
        assert user.app.screen is screen


async def test_a_click_leads_to_what_was_clicked_though_the_list_changed_since(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await user.sees(r"lot-000001")
        await user.settled()
        screen = await finder_that_loads_nothing(user)
        await user.types("lot-00000")
        await user.sees(r"lots +lot-000003 ")
        await user.settled()
        at = next(n for n, match in enumerate(screen.results.matches) if match.place.record_id == "lot-000003")
        clicked = screen.results.get_option_at_index(at)
        screen.line.value = "lot-000001"
        await user.until(lambda: len(screen.results.matches) <= at, "the list stays")
        screen.post_message(ChangingList.OptionSelected(screen.results, clicked, at))
        await user.sees(r"╭─ lot-000003 ")


async def test_a_record_that_is_open_loaded_and_visited_counts_once(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="live", place=f"lots/{RECORD}") as user:
        await user.sees(rf"╭─ {RECORD} ")
        await user.settled()
        await finder_that_loads_nothing(user)
        shown = await user.sees(r"([\d,]+) loaded records? ·")
        assert int(shown[1].replace(",", "")) == max(1, user.app.main.workspace.browse.rows.cached)
        await user.types(RECORD)
        await user.sees(r"(?<!\d)1 match in")


async def test_reading_goes_on_while_the_finder_is_closed(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        screen = await finder(user)
        await user.quiet()
        service.faults.next("hold")
        await user.press("ctrl+l")
        await user.sees(r"╭─ Load and search ")
        await user.types("workforce")
        await user.press("enter")
        await user.until(lambda: service.faults.held == 1, "nothing is read")
        await user.types("lot-000002")
        await user.press("enter")
        await user.sees(r"╭─ lot-000002 ")
        assert screen._readable.reading
        service.faults.release()
        await user.until(lambda: not screen._readable.reading, "reading never ends")
        await finder(user)
        await user.types("wrk-0002")
        await user.sees(r"workers +wrk-0002 .* loaded")


async def test_what_was_read_for_the_finder_follows_a_record_that_is_read_anew(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="workers") as user:
        await user.sees(r"wrk-0001")
        await finder(user)
        await looked_through(user, "operations/lots")
        await user.types(RECORD)
        await user.sees(rf"lots +{RECORD} .* loaded")
        await changed_elsewhere(service, RECORD, name="Corrected elsewhere")
        await user.press("enter")
        await user.sees(r"╭─ lot-000002 ")
        await user.sees(r"Corrected elsewhere")
        await finder(user)
        await user.types("corrected else")
        await user.sees(rf"lots +{RECORD} +Corrected elsewhere")


async def test_the_record_that_was_chosen_is_the_one_that_opens_wherever_it_stands(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await looked_through(user, "workforce")
        await user.types("wrk-0256")
        await user.sees(r"workers +wrk-0256 .* loaded")
        await user.press("enter")
        await user.sees(r"│ wrk-0002 ")
        await user.settled()
        assert user.app.main.workspace.selection.place == parse_place("workers/wrk-0256")
        assert "╭─ wrk-0256 " in user.text
        assert user.app.main.workspace.panes.in_record
