"""The benchmarks measure what they say, on small sizes; nothing is asserted of how long it takes."""

from pathlib import Path

import pytest

from tests.benchmarks import commands, finding, indexing
from tests.benchmarks.answers import measure_answer
from tests.benchmarks.commands import HELP, HTTPIE, PYTHON, READ, TABS, find_httpie, measure_commands
from tests.benchmarks.crashes import measure_crashes
from tests.benchmarks.export import measure_export
from tests.benchmarks.filtering import TYPED, measure_filter
from tests.benchmarks.gestures import GESTURES, cost_of
from tests.benchmarks.keys import OTHERS, OURS, SURFACES, TEXTUAL, measure_keys
from tests.benchmarks.paints import painter, text
from tests.benchmarks.planning import measure_planning
from tests.benchmarks.records import FILTERS, SORTS, measure_loading, measure_store, measure_store_memory
from tests.benchmarks.sandbox import measure_sandbox
from tests.benchmarks.sandbox_load import MIX, measure_load, measure_writes
from tests.benchmarks.soak import measure_soak
from tests.benchmarks.startup import find_peers, measure_service_start, measure_startup
from tests.benchmarks.team import measure_keys_with_team, measure_lines_under_kills, measure_timeline


def test_every_key_of_every_filter_is_measured() -> None:
    figures = measure_filter(100)
    assert len(figures.keys) == sum(map(len, TYPED))
    assert figures.worst >= figures.median > 0


def test_keys_are_measured_while_an_answer_is_read() -> None:
    figures = measure_answer(20_000)
    assert figures.keys
    assert figures.whole >= figures.worst >= figures.median > 0


def test_every_key_in_the_finder_is_measured() -> None:
    assert len(finding.measure_search(100)) == sum(map(len, finding.TYPED))


def test_the_store_is_measured_in_slices_beside_plain_python() -> None:
    figures = measure_store(500)
    names = [task.name for task in figures.tasks]
    assert names[:-1] == [*FILTERS, *SORTS]
    assert len(figures.pages) == 3 * len(names)
    for task in figures.tasks:
        assert task.cold.shown == task.warm.shown
        assert min(task.plain, *task.cold.slices, *task.warm.slices) > 0
        assert task.warm.whole >= task.warm.in_view > 0
    assert figures.slices.keys() == {"adding", "filtering", "sorting", "summarizing"}
    assert figures.adding > 0


def test_the_memory_of_stored_records_is_measured_beside_parsed_ones() -> None:
    assert min(measure_store_memory(2000)) > 0


def test_all_collections_are_loaded_beside_a_bare_loop() -> None:
    figures = measure_loading(250, rounds=1)
    assert figures.records > 2 * 250
    assert min(figures.seconds, figures.over_bare) > 0


def test_the_index_is_measured_as_it_is_built_and_at_every_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("TYPED", ("l", "or")), ("IN_BROWSED", ("d",)), ("BROWSED", 1000)):
        monkeypatch.setattr(indexing, name, value)
    for name in ("PAGES_DOWN", "PAGES_OF_RESULTS"):
        monkeypatch.setattr(indexing, name, 2)
    figures = indexing.measure_index(400, rounds=1)
    assert len(figures.keys) == sum(map(len, indexing.TYPED))
    assert min(figures.built, figures.size, figures.memory, figures.page_down, figures.page_down_building) > 0
    assert min(figures.in_view) > 0
    assert max(figures.still) > 0


def test_the_service_is_measured_at_its_first_filtered_answer_and_at_its_pages() -> None:
    figures = measure_sandbox(1000, pages=2)
    assert min(figures.first, figures.bare, figures.page, figures.page_by_json) > 0
    assert figures.grown >= 0
    assert len(figures.small_pages) == 11
    assert figures.depth > 0


def test_the_service_is_measured_under_many_clients_and_many_writes() -> None:
    for mix in (MIX, MIX[:1]):
        figures = measure_load(mix, 48, 1000)
        assert min(figures.rate, figures.processor) > 0
    warm, end = measure_writes(40, 1000)
    assert min(warm, end) > 1000


@pytest.mark.terminal
def test_the_service_is_timed_until_it_answers_beside_the_program_until_it_shows_itself() -> None:
    seconds, over_first_paint = measure_service_start(rounds=0)
    assert min(seconds, over_first_paint) > 0


def test_plans_are_measured_beside_the_reading_of_their_records() -> None:
    figures = measure_planning(40)
    assert min(figures.reading, figures.planning, figures.reading_processor, figures.planning_processor) > 0
    assert figures.peak >= figures.held > 0
    # The service's answers, if they were kept, would take more than the plan.
    assert 0 < figures.run_over_plan < 1


def test_rows_are_counted_that_a_killed_run_did_twice_or_told_wrongly() -> None:
    figures = measure_crashes(10, 1)
    assert (figures.rows, figures.kills, figures.twice, figures.wrong) == (10, 1, 0, 0)
    assert figures.starts > figures.kills
    assert sum(figures.outcomes.values()) == figures.rows


def test_timelines_are_measured_among_the_lines_of_a_team() -> None:
    assert min(measure_timeline(400, 20, looks=20)) > 0


def test_lines_are_counted_that_come_to_a_server_that_is_killed() -> None:
    figures = measure_lines_under_kills(2, 40, 1)
    assert (figures.written, figures.there, figures.distinct, figures.broken) == (40, 40, 40, 0)


def test_exports_are_measured_on_the_service_and_on_canned_pages() -> None:
    figures = measure_export(450, rounds=1)
    assert figures.rate > 0
    assert figures.processor > 0


@pytest.mark.terminal
def test_a_key_is_timed_until_what_it_is_for_is_painted_and_its_cost_counted_until_it_has_come_to_rest() -> None:
    with painter("pane", 1000) as table:
        table.begins(text("000002"))
        shown = b""

        def shows_the_last(painted: bytes) -> bool:
            nonlocal shown
            shown = painted
            return text("lot-001000")(painted)

        down = cost_of(table, GESTURES["cursor down"])
        page = cost_of(table, GESTURES["page down"])
        assert page.written > down.written > 0
        assert page.processor > 0
        assert table.paints(b"G", shows_the_last) > 0
        assert b"lot-001000" in shown
        assert cost_of(table, GESTURES["another size"]).written > 0


@pytest.mark.terminal
def test_the_keys_of_a_surface_are_measured_beside_the_ten_lines_and_the_peers_that_start(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    figures = measure_keys({"posting": str(broken)}, ["open go to (:)"], starts=1, presses=2)
    assert figures.keys() == {OURS, TEXTUAL}
    for program, name in ((OURS, "open go to (:)"), (TEXTUAL, "dialog")):
        costs = figures[program][name]
        assert (len(costs.first), len(costs.later)) == (1, 2)
        assert costs.medians.last >= costs.medians.painted > 0
        assert min(costs.medians.processor, costs.painted_first, costs.painted_p95) > 0


def test_every_key_that_is_measured_has_its_like_in_the_ten_lines() -> None:
    assert {press.like for press in SURFACES.values()} <= OTHERS[TEXTUAL].keys()


def peer(directory: Path, shows: str) -> str:
    """A program that shows a word and ends at a key."""
    command = directory / "peer"
    command.write_text(f"#!/bin/sh\nstty raw -echo\nprintf '{shows}'\ndd bs=1 count=1 >/dev/null 2>&1\n")
    command.chmod(0o755)
    return str(command)


@pytest.mark.terminal
def test_keys_are_timed_beside_a_team_however_its_server_is() -> None:
    figures = measure_keys_with_team(200, 1)
    assert min(figures.alone, *figures.with_server.values()) > 0
    assert len(figures.with_server) == 4


@pytest.mark.terminal
def test_starts_are_timed_beside_the_ten_lines_and_the_peers_that_start(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    peers = {"posting": peer(tmp_path, "Posting"), "harlequin": str(broken)}
    figures = measure_startup(peers, rounds=0)
    assert figures.peers == ("posting",)
    assert figures.ways == ("variables", "a profile", "demo")
    for way in figures.ways:
        assert figures.first_records(way) > figures.first_paint(way) > 0
        assert figures.first_paint(way, "posting") > 0
    assert figures.seconds("ten lines") > 0


def test_a_peer_is_found_on_the_path_or_where_a_variable_says(tmp_path: Path) -> None:
    command = peer(tmp_path, "")
    Path(command).rename(tmp_path / "harlequin")
    assert find_peers({"PATH": str(tmp_path)}) == {"harlequin": str(tmp_path / "harlequin")}
    assert find_peers({"PATH": str(tmp_path), "HARLEQUIN": "/x", "POSTING": "/y"}) == {
        "harlequin": "/x",
        "posting": "/y",
    }


def test_commands_are_measured_beside_each_other_and_the_peer_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    httpie = tmp_path / "http"
    httpie.write_text("#!/bin/sh\necho lot-000001\n")
    httpie.chmod(0o755)
    figures = measure_commands(str(httpie), rounds=0)
    assert figures.seconds.keys() >= {HTTPIE, HELP, READ, *TABS}
    assert all(figures.milliseconds(command) > 0 for command in figures.seconds)
    assert figures.over(HELP, PYTHON) > 0
    assert figures.over(READ, HTTPIE) > 0
    httpie.write_text("#!/bin/sh\necho nothing\n")
    monkeypatch.setattr(commands, "TABS", {})
    assert HTTPIE not in measure_commands(str(httpie), rounds=0).seconds


def test_httpie_is_found_on_the_path_or_where_a_variable_says(tmp_path: Path) -> None:
    assert find_httpie({"PATH": str(tmp_path)}) is None
    command = peer(tmp_path, "")
    Path(command).rename(tmp_path / "http")
    assert find_httpie({"PATH": str(tmp_path)}) == str(tmp_path / "http")
    assert find_httpie({"PATH": str(tmp_path), "HTTPIE": "/x"}) == "/x"


@pytest.mark.terminal
def test_what_the_program_holds_is_counted_before_and_after_its_keys() -> None:
    figures = measure_soak(4.0, 1000, quiet=0.2)
    assert figures.keys > 1
    assert figures.memory > 0
    assert figures.end.tasks > 1
    assert figures.end.descriptors > 2
