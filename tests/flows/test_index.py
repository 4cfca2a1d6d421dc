"""The index of records: begun by the user, built behind whatever goes on, and found in at every key."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.search.sources import Origin
from tests.browser import User, browser
from tests.flows.steps import LOTS, RECORD, at_name, changed_elsewhere, heard, renamed, stored
from tests.flows.test_finding import finder, requests


@pytest.fixture
def service() -> object:
    """A service of few records, each of which is indexed in a moment."""
    with running_service(SandboxOptions(records=120)) as running:
        yield running


EVER = datetime(2000, 1, 1, tzinfo=UTC)


async def indexed(user: User) -> None:
    """Wait until all that the key may see is in the index."""
    sweeping = user.app.main.features.index._sweeping
    held = user.app.main.features.index._index

    def all_held() -> bool:
        status = held.status
        return (
            sweeping.now_sweeping is None
            and status is not None
            and all(status.of(one.key).completed_at or status.of(one.key).problem for one in held.collections)
        )

    await user.until(all_held, "the index is never complete")


def index_path(state: Path) -> Path:
    """The file of the only index there is."""
    (path,) = (state / "indexes").glob("*.db")
    return path


def found_in_index(state: Path) -> list[str]:
    """The ids in the index, as they lie on the disk."""
    with closing(sqlite3.connect(index_path(state))) as connection:
        return [record_id for (record_id,) in connection.execute("SELECT identity FROM records")]


async def test_an_index_is_kept_once_the_user_wants_one_and_finds_what_no_table_holds(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await user.press("ctrl+l")
        await user.sees(r"Build a private index on this computer")
        await user.types("index")
        await user.press("enter")
        await indexed(user)
        await user.sees(r"loaded and [\d,]+ indexed records?")
        await user.types("wrk-0042")
        await user.sees(r"workers +wrk-0042 .* index")
        before = len(requests(service))
        await user.press("enter")
        await user.sees(r"╭─ wrk-0042 ")
        await user.settled()
        assert "/v1/workforce/workers/wrk-0042" in requests(service)[before:]
    # In the next session it is there at once, and nothing is read for it.
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await indexed(user)
        await user.settled()
        before = len(requests(service))
        await finder(user)
        await user.types("wrk-0043")
        await user.sees(r"workers +wrk-0043 .* index")
        assert len(requests(service)) == before


async def test_a_name_without_its_accents_is_found_also_in_an_index_that_another_version_had_built(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", index=True) as user:
        await indexed(user)
    with closing(sqlite3.connect(index_path(tmp_path), isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 1")
    async with browser(service, tmp_path, place="lots", index=True) as user:
        await user.sees(r"The index was created by another version of svc-tui and")
        await indexed(user)
        await finder(user)
        await user.types("lukasz zolkiewski")
        await user.sees(r"workers +wrk-\d+ +Łukasz Żółkiewski .* index")


async def test_an_index_that_the_command_line_keeps_is_searched_and_not_swept(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", index=True) as user:
        await indexed(user)
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.settled()
        asked = len(requests(service))
        await finder(user)
        await user.sees(r"loaded and [\d,]+ indexed records?")
        await user.types("wrk-0042")
        await user.sees(r"workers +wrk-0042 .* index")
        assert len(requests(service)) == asked
        await user.press("esc")
        await user.settled()
        index = user.app.main.features.index
        assert not index.wanted
        assert index._sweeping.now_sweeping is None


async def test_without_the_users_word_nothing_is_kept(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await user.types("lot")
        await user.sees(r"lots +lot-0000")
        await user.settled()
    assert not (tmp_path / "indexes").exists()


async def test_what_is_read_and_written_anyway_is_in_the_index_at_once(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", index=True) as user:
        await indexed(user)
        await at_name(user)
        await renamed(user, "Zanzibar")
        await user.press("ctrl+s")
        await user.sees(r"Zanzibar")
        await user.press("y")
        await user.until(lambda: (stored(service, RECORD) or {}).get("name") == "Zanzibar", "it was never sent")
        await user.settled()
        # Elsewhere: it is in the index because the table was read anew.
        await changed_elsewhere(service, "lot-000003", note="Quetzalcoatl")
        await user.press("escape", "r")
        await user.settled()
        await finder(user)
        await user.types("quetzalcoatl")
        await user.sees(r"lots +lot-000003")
        index = user.app.main.features.index._index.index
        assert index is not None
        changes = await index.changes(EVER)
        assert {(change.record_id, change.path) for change in changes} == {
            ("lot-000003", "note"),
            ("lot-000003", "updatedAt"),
        }


async def test_what_can_not_be_read_is_said_and_the_rest_is_found(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="tunnels") as user:
        await user.sees(r"tun-01")
        await user.settled()
        service.faults.next("login-page")
        user.app.main.features.index.keep()
        await indexed(user)
        await finder(user)
        await user.sees(r"lots is not indexed: ")
        await user.types("tun-07")
        await user.sees(r"tunnels +tun-07")


async def test_what_points_at_a_record_is_known_from_the_index(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="workers", index=True) as user:
        await indexed(user)
        await user.sees(r"wrk-0001")
        before = len(requests(service))
        await user.press("R")
        await user.sees(r"References to wrk-0001")
        await user.sees(r"[\d,]+\+? references? ")
        await user.sees(r"tunnels +tun-\d+ .* workerId .* index")
        assert len(requests(service)) == before


async def test_masked_results_stay_masked_and_the_index_is_forgotten_on_request(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", index=True) as user:
        await indexed(user)
        await user.press("ctrl+o")
        await finder(user)
        await user.types("wrk-0042")
        await user.sees(r"workers +wrk-0042 ")
        record = json.loads(service.record("workforce/workers", "wrk-0042") or "")
        assert record["name"] not in user.text
        await user.press("escape", "ctrl+p")
        await user.types("delete the index")
        await user.sees(r"Delete the local copy of the records")
        await user.press("enter")
        await user.sees(r"The index is deleted")
        assert found_in_index(tmp_path) == []


async def test_a_profile_finds_nothing_of_another(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", index=True, name="north") as user:
        await indexed(user)
    async with browser(service, tmp_path, place="lots", name="south") as user:
        await user.sees(r"lot-000001")
        screen = await finder(user)
        await user.types("wrk-0042")
        await user.sees(r"workers +wrk-0042 .* loaded")
        await user.loses(r"loading ")
        assert "indexed record" not in user.text
        assert all(match.source.origin is not Origin.INDEX for match in screen.results.matches)


async def test_an_index_that_can_not_be_opened_is_said_and_the_finder_works_without(
    service: RunningService, tmp_path: Path
) -> None:
    (tmp_path / "indexes").write_text("in the way")
    async with browser(service, tmp_path, place="lots", index=True) as user:
        await user.sees(r"lot-000001")
        await finder(user)
        await user.sees(r"the index can't be opened: File exists")
        await user.types("lot-000002")
        await user.sees(r"lots +lot-000002 .* loaded")


async def test_a_sweep_sees_what_others_made_changed_and_removed(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", index=True) as user:
        await indexed(user)
        controller = user.app.main.features.index
        await changed_elsewhere(service, "lot-000099", note="Seen by a sweep")
        await controller._sweeping.sweep_due([LOTS])
        index = controller._index.index
        assert index is not None
        change = next(one for one in await index.changes(EVER) if one.path == "note")
        assert (change.record_id, change.path, change.after) == ("lot-000099", "note", "Seen by a sweep")
        assert change.read_before < change.read_after


async def test_a_filter_looks_through_all_of_an_indexed_collection_and_reads_anew_what_it_shows(
    service: RunningService, tmp_path: Path
) -> None:
    with running_service(SandboxOptions(records=600)) as larger:
        async with browser(larger, tmp_path, place="lots", index=True) as user:
            await indexed(user)
            await user.sees(r"1–\d+ of 600")
            await user.settled()
            await changed_elsewhere(larger, "lot-000555", note="Renewed")
            before = len(requests(larger))
            await user.press("slash")
            await user.types("lot-000555")
            await user.sees(r"1 match in 600, as of \d\d:\d\d")
            await user.press("enter")
            table = user.app.main.workspace.browse.table

            def renewed() -> bool:
                record = table.cursor_record
                return record is not None and record.fields["note"] == "Renewed"

            await user.until(renewed, "the row is never read anew")
            # The page that the record is on, and no other of those that were missing.
            assert {target.partition("&")[0] for target in requests(larger)[before:]} == {f"/v1/{LOTS.key}?page=12"}


async def test_an_order_sorts_all_of_an_indexed_collection(service: RunningService, tmp_path: Path) -> None:
    with running_service(SandboxOptions(records=600)) as larger:
        async with browser(larger, tmp_path, place="lots", index=True) as user:
            await indexed(user)
            await user.sees(r"1–\d+ of 600")
            await user.press("s")
            await user.sees(r"╭─ Sort ")
            await user.press("enter")
            await user.press("enter")
            await user.loses(r"╭─ Sort ")
            await user.sees(r"600 of 600, as of")
            assert not user.app.main.workspace.browse.rows.missing()


async def test_the_rows_of_a_query_to_the_service_are_not_filled_from_the_index(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, place="lots", index=True) as user:
        await indexed(user)
        await user.press("slash")
        await user.types("?status=rejected")
        await user.press("enter")
        await user.sees(r"\?status=rejected")
        await user.press("slash")
        await user.types("lot")
        await user.settled()
        assert "as of" not in user.text


async def test_what_others_changed_is_listed_and_leads_to_the_record(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots", index=True) as user:
        await indexed(user)
        await changed_elsewhere(service, "lot-000099", note="[/x] Seen by a sweep", status="rejected")
        await changed_elsewhere(service, "lot-000098", note="Another")
        await user.app.main.features.index._sweeping.sweep_due([LOTS])
        await goes(user, "what changed")
        await user.sees(r"╭─ Changes by others · \d+ ")
        await user.sees(r"lots lot-000099 (?s:.*)note .* → \[/x\] Seen by a sweep")
        await user.press("slash")
        await user.types("another")
        await user.sees(r"lots lot-000098 ")
        await user.loses(r"lots lot-000099 ")
        await user.press("enter", "enter")
        await user.sees(r"╭─ lot-000098 ")


async def test_without_an_index_the_open_collection_is_sorted_by_what_its_records_say(tmp_path: Path) -> None:
    with running_service(SandboxOptions(records=300)) as larger:
        await changed_elsewhere(larger, "lot-000250", note="The newest")
        async with browser(larger, tmp_path, place="lots") as user:
            await user.sees(r"1–\d+ of 300")
            await goes(user, "what changed")
            await user.sees(r"No index: lots sorted by updatedAt, newest first\.")
            # The rest is loaded without a question, and the cursor ends on the newest of all.
            await user.sees(r"300 of 300")
            await user.until(
                lambda: (
                    (record := user.app.main.workspace.browse.table.cursor_record) is not None
                    and record.id == "lot-000250"
                ),
                "the cursor is not on the newest record",
            )
            assert user.app.main.workspace.browse.table.cursor_row == 0
    assert not (tmp_path / "indexes").exists()


async def test_a_cursor_that_was_moved_stays_on_its_record_while_the_rest_is_loaded(tmp_path: Path) -> None:
    with running_service(SandboxOptions(records=1200)) as larger:
        async with browser(larger, tmp_path, place="lots") as user:
            await user.sees(r"1–\d+ of 1,200")
            larger.faults.always("hold", method="GET")
            await goes(user, "what changed")
            await user.until(lambda: larger.faults.held > 0, "the rest is not asked for")
            await user.press("j")
            table = user.app.main.workspace.browse.table
            record = table.cursor_record
            assert record is not None
            larger.faults.clear()
            await user.sees(r"1,200 of 1,200")
            await user.settled()
            assert table.cursor_record is not None
            assert table.cursor_record.id == record.id


async def test_where_records_say_nothing_of_changes_the_command_that_builds_an_index_is_named(
    service: RunningService, tmp_path: Path
) -> None:
    build = r"To list changes, run Build an index in Commands \(ctrl\+p\)\."
    async with browser(service, tmp_path, place="tunnels") as user:
        await user.sees(r"tun-01")
        await goes(user, "what changed")
        await heard(user, rf"^No index, and tunnels has no update time\. {build}")
        user.app.main.workspace.browse.show_nothing()
        await goes(user, "what changed")
        await heard(user, rf"^No index, and no collection is open\. {build}")


async def test_an_index_that_is_built_meanwhile_lists_the_changes(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        async with browser(service, tmp_path, place="lots", index=True) as other:
            await indexed(other)
        await goes(user, "what changed")
        await user.sees(r"╭─ Changes by others ")


async def goes(user: User, command: str) -> None:
    """Choose a command of the palette."""
    await user.press("ctrl+p")
    await user.types(command)
    await user.settled()
    await user.press("enter")
