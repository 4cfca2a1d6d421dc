"""Going, filtering, listing, opening and reading fields, by what is said of them."""

import re
from pathlib import Path

import pytest

from svc_tui.core.catalog import find_collection
from svc_tui.core.jsontext import Number, loads
from svc_tui.core.records import Place
from svc_tui.reader.spoken_words import short_place
from svc_tui.reader.talk import PART_LINES
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.sandbox.variants import Variants
from tests.reader.talking import INTERRUPT, session_on, talk


def numbered(said: list[str]) -> list[str]:
    """The lines of a list."""
    return [line for line in said if re.match(r"\d+\. ", line)]


async def test_a_collection_is_listed_ten_at_a_time(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [":lots", "more"])).said
    lines = numbered(said)
    lots = [loads(service.record("operations/lots", f"lot-{n:06}") or "") for n in range(1, 21)]
    assert [line.rpartition(", ")[2] for line in lines] == [f"lot-{n:06}" for n in range(1, 21)]
    first = lots[0]
    assert isinstance(first, dict)
    assert lines[0] == f"1. {first['name']}, {str(first['status']).replace('_', ' ')}, lot-000001"
    assert "1 to 10 of 300 records. To continue, type more." in said
    assert "11 to 20 of 300 records. To continue, type more." in said
    assert all(len(line) < 160 for line in lines)


async def test_a_filter_reads_on_until_a_list_is_full_and_says_what_it_looked_through(
    service: RunningService, tmp_path: Path
) -> None:
    async with session_on(service, tmp_path, page_size=20) as session:
        said = (await talk(session, [":lots", "/status:rejected", "open 2"])).said
    lots = [loads(service.record("operations/lots", f"lot-{n:06}") or "") for n in range(1, 301)]
    rejected = [lot["id"] for lot in lots if isinstance(lot, dict) and lot["status"] == "rejected"]
    lines = numbered(said[said.index("Filter status:rejected.") :])
    assert [line.rpartition(", ")[2] for line in lines] == rejected[:10]
    assert any(re.fullmatch(r"Matches 1 to 10 in \d+ of 300 records\. To continue, type more\.", line) for line in said)
    assert any(line.startswith(f"Opened {rejected[1]}, ") for line in said)


async def test_a_list_says_what_its_filter_is_about(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        lines = numbered((await talk(session, [":lots", "/moisturePct>10"])).said)[10:]
    assert lines
    assert all(float(line.rpartition("moisturePct ")[2].partition(",")[0]) > 10 for line in lines)


async def test_a_line_that_holds_a_secret_is_not_taken(service: RunningService, tmp_path: Path) -> None:
    key = service.key("sandbox").api_key
    async with session_on(service, tmp_path) as session:
        script = await talk(session, [":lots", f"/?q={key}", "ticket " + key, f"console GET lots?q={key}"])
    said = script.said
    assert said[-3:] == ["The line contains your API key or signing secret. It was ignored."] * 3
    assert not any(key in line for line in script.heard)
    assert not any(key in request.target for request in service.attempts)


async def test_the_end_of_a_list_and_a_filter_that_nothing_fits_are_said(
    service: RunningService, tmp_path: Path
) -> None:
    async with session_on(service, tmp_path, page_size=100) as session:
        said = (await talk(session, [":lots", "/id:lot-00030", "/nowhere-to-be-found", "more"])).said
    assert "Matches 1 to 1 in 300 of 300 records. End of list." in said
    assert said[-2:] == ["No matches.", "End of list."]


async def test_a_filter_and_a_search_take_a_moment_and_say_what_can_not_match(
    service: RunningService, tmp_path: Path
) -> None:
    typed = [":lots", "/updatedAt>yesterday", "/updatedAt<1d", "/massKg>1h", "find massKg>today"]
    async with session_on(service, tmp_path, page_size=100) as session:
        said = (await talk(session, typed)).said
    assert "No matches." in said
    assert "Matches 1 to 10 in 100 of 300 records. To continue, type more." in said
    problem = "massKg contains only numbers (example: massKg>10)."
    assert problem in said
    assert problem in said[-1]


async def test_the_fields_are_said_with_null_empty_and_nested_values_told_apart(
    service: RunningService, tmp_path: Path
) -> None:
    async with session_on(service, tmp_path) as session:
        script = await talk(session, [":lots/lot-000011", "fields", "more", "field ASSAY.AUPPM", "field assay"])
    lot = loads(service.record("operations/lots", "lot-000011") or "")
    assert isinstance(lot, dict)
    assay, mass = lot["assay"], lot["massKg"]
    assert isinstance(assay, dict)
    assert isinstance(mass, Number)
    assert any(re.fullmatch(rf"\d+\. massKg: {re.escape(mass.text)}", line) for line in script.said)
    assert any(re.fullmatch(r"\d+\. assay: object with \d+ fields", line) for line in script.said)
    assert any(re.fullmatch(r"\d+ lines left\. To continue, type more\.", line) for line in script.said)
    assert f"assay.auPpm: {assay['auPpm']}" in script.said
    assert script.said[script.said.index("assay:") + 1] == "{"


async def test_what_commands_a_terminal_is_said_as_marks(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        script = await talk(session, [":lots", *["more"] * 29])
    assert any("␛" in line for line in script.said)
    assert not any(re.search("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", line) for line in script.heard)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("lst", "No command lst. Did you mean list? For the commands, type help."),
        ("lots", "No command lots. Type :lots to open the collection."),
        ("open", "Type a number or an id: open 3, or open lots/lot-000001."),
        ("open operations/lots", "operations/lots is a collection. Type :operations/lots to open it."),
        ("open 11", "Only 10 records listed so far. To continue, type more."),
        ("fields", "No record is open. Type open 3 for number 3 of the list."),
        (":nowhere", "nowhere is not a collection or a record; for other routes use the console or svc-tui request."),
        (":@other", "The demo can't use real keys; quit it and start svc-tui --profile NAME."),
        ("profile", "The demo can't use real keys; quit it and start svc-tui --profile NAME."),
        ("screen", "Full-screen mode is not available in this terminal."),
        ("mask maybe", "To mask personal data, type mask on; to unmask it, type mask off."),
        ("send", "Nothing to send. Type review first."),
        ("undo 7", "The journal has no number 7. For the list, type journal."),
        ("undo team 3", "This profile has no team."),
        ("undo last", "Type a number from the journal: undo 5. For the list, type journal."),
        ("console PATCH", "Invalid request: path: enter a path, such as /v1/operations/lots."),
        ("console POST lots @nowhere.json", "Invalid request: nowhere.json does not exist or is not a file."),
        ("help nothing", "No command nothing. For the commands, type help."),
        ("lock", "Only LIVE can be locked."),
        ("unlock", "Nothing to unlock: only LIVE is locked."),
    ],
)
async def test_what_can_not_be_done_is_one_line_that_says_what_to_do(
    service: RunningService, tmp_path: Path, typed: str, said: str
) -> None:
    async with session_on(service, tmp_path) as session:
        script = await talk(session, [":lots", typed])
    assert script.said[-1] == said


async def test_a_record_that_is_not_there_is_the_services_word_and_the_list_stays(
    service: RunningService, tmp_path: Path
) -> None:
    async with session_on(service, tmp_path) as session:
        script = await talk(session, [":lots", "open lot-999999", INTERRUPT, "open 1"])
    told = [line for line in script.said if "(not_found)" in line]
    assert len(told) == 1
    assert told[0].startswith("The service returned 404")
    assert script.said[-1].startswith("Opened lot-000001, ")


@pytest.mark.parametrize(
    ("collection", "record_id", "words"),
    [
        ("lots", "lot-000011", "lot 11"),
        ("productionLogs", "plog-000120", "production log 120"),
        ("workers", "42", "worker 42"),
        ("analytics", "7f3a", "analytics 7f3a"),
        ("stock", "0190a1b2-7c3d-7e4f-8a9b-1c2d3e4f5a6b", "stock ending in 4f5a6b"),
        ("invoices", "INV-2026-0007", "invoice INV-2026-0007"),
    ],
)
def test_the_prompt_names_a_record_in_few_words(collection: str, record_id: str, words: str) -> None:
    found = find_collection(collection)
    assert found is not None
    assert short_place(Place(found, record_id)) == words


async def test_the_state_is_said_on_request(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        typed = [":lots", "/status:open", "open 1", "edit name", "Renamed", "ticket SUP-7", "where"]
        said = (await talk(session, typed)).said
    state = said[said.index("Ticket SUP-7.") + 1 :]
    assert state[0] == f"SANDBOX, writable. Profile test at {service.base_url.partition('//')[2]}, unsigned."
    assert re.fullmatch(
        r"Collection operations/lots, 10 listed, 50 of 300 records loaded, filter status:open\.", state[1]
    )
    assert re.fullmatch(r"Record lot-\d+, draft: 1 field\.", state[2])
    assert state[3] == "Ticket SUP-7."


async def test_words_are_found_in_what_was_read_and_opened_by_number(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [":lots", "find lot-000007", "open 1", "find zzzz"])).said
    lot = loads(service.record("operations/lots", "lot-000007") or "")
    assert isinstance(lot, dict)
    assert f"1. {lot['name']}, lots, lot-000007" in said
    assert any(line.startswith("Opened lot-000007, ") for line in said)
    assert said[-1] == (
        "No matches in 50 loaded records. 50 of 300 lots are loaded. To load and search the rest, type load. "
        "There is no index. To build one: svc-tui index update."
    )


async def test_find_offers_to_load_the_rest_and_load_finds_again(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, ["load", ":lots", "find lot-000299", "load", "open 1"])).said
    assert said.count("No collection is open. Type :lots to open one.") == 1
    at = said.index("Loaded 300 records of lots.")
    assert said[at - 1].startswith("No matches in 50 loaded records.")
    assert said[at + 1].startswith("1 match in 300 loaded records.")
    assert "Type load" not in said[at + 1]
    assert said[-1].startswith("Opened lot-000299, ")
    assert lists(service) == ["page=1&limit=50", "page=1&limit=200", "page=2&limit=200"]


def lists(service: RunningService) -> list[str]:
    """The queries of the lists of lots that were asked for."""
    return [target.partition("?")[2] for target in (a.target for a in service.attempts) if "/lots?" in target]


@pytest.mark.parametrize("over_cap", ["capped", "refused"])
async def test_load_asks_for_pages_of_50_where_the_service_gives_no_more(tmp_path: Path, over_cap: str) -> None:
    options = SandboxOptions(records=300, variants=Variants({"page-cap": "100", "over-cap": over_cap}))
    with running_service(options) as service:
        async with session_on(service, tmp_path) as session:
            said = (await talk(session, [":lots", "load", "find lot-000299"])).said
        assert "Loaded 300 records of lots." in said
        # Those after the first 200-record request, whatever it was answered.
        assert lists(service)[-5:] == [f"page={page}&limit=50" for page in range(2, 7)]


async def test_load_goes_on_where_a_request_failed(tmp_path: Path) -> None:
    with running_service(SandboxOptions(records=700)) as service:
        async with session_on(service, tmp_path) as session:
            service.faults.next("login-page", after=2)
            said = (await talk(session, [":lots", "load", "load"])).said
        assert any("web page" in line for line in said)
        assert "Loaded 700 records of lots." in said


async def test_a_record_is_opened_by_its_place_from_anywhere(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        typed = [
            "open lot-000001",
            "open lots/lot-000002",
            ":workers",
            "open operations/lots/lot-000003",
            "open nowhere/7",
        ]
        said = (await talk(session, typed)).said
    assert said[1] == "No collection is open. Type the collection too: open lots/lot-000001."
    assert said[2].startswith("Opened lot-000002, ")
    assert any(line.startswith("Opened lot-000003, ") for line in said)
    assert "(not_found)" in said[-1]


async def test_help_comes_in_pages(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, ["help", "more", "more", "more"])).said[1:]
    assert re.fullmatch(r"\d+ lines left\. To continue, type more\.", said[PART_LINES])
    helped = [line for line in said if not line.endswith("Type more.")]
    assert helped[0].startswith(":lots: ")
    assert helped[-2:] == ["quit: Quit. Drafts are kept.", "End of list."]


async def test_a_refused_pair_says_where_a_new_one_goes(service: RunningService, tmp_path: Path) -> None:
    async with session_on(service, tmp_path, key="live", secret="svcsec_of_another_key") as session:
        said = " ".join((await talk(session, [":lots"])).said)
    assert "signature_mismatch" in said
    assert "svc-tui profiles rotate NAME, or set SVC_API_KEY and SVC_SIGNING_SECRET." in said


async def test_a_number_longer_than_any_is_no_fault(service: RunningService, tmp_path: Path) -> None:
    long = "9" * 5_000
    typed = [":lots", f"open {long}", "requests", f"request {long}", f"journal {long}", f"undo {long}"]
    async with session_on(service, tmp_path) as session:
        said = (await talk(session, [*typed, ":lots/lot-000011", f"field {long}"])).said
    assert "Only 10 records listed so far. To continue, type more." in said
    assert any(line.startswith("No saved request in ") for line in said)
    assert said.count("Type a number from the journal: journal 5.") == 1
    assert said[-1].startswith("The record has no field 999")
    assert not any("internal error" in line for line in said)
