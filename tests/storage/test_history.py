"""The history of requests on the disk: there before a request leaves, limited, and gone when it is cleared."""

from pathlib import Path

import pytest

from svc_tui.core.requests import RequestSpec
from svc_tui.storage.errors import StoreError
from svc_tui.storage.history import HistoryEntry, RecordedRequest, RecordedResult, RequestOutcome
from svc_tui.storage.store import Store
from tests.storage.conftest import NOW, OTHER_SHELF, SHELF

SPEC = RequestSpec(
    "PATCH",
    "/v1/operations/lots/lot-1",
    (("q", "Łódź [/x]"), ("q", "")),
    (("X-Trace", "7"),),
    b'{"massKg": 1.50}\x00\xff',
    "key-1",
)
SENDING = RecordedRequest(NOW, SPEC, ("the header X-Api-Key",))
ENDING = RecordedResult(RequestOutcome.ANSWERED, 200, 0.038, 1234, "req-1", "", b'{"a": 1.50}\xff')


def named(name: str) -> RecordedRequest:
    return RecordedRequest(NOW, RequestSpec("GET", f"/v1/{name}"))


async def test_a_request_without_an_ending_is_there_at_the_next_start(path: Path) -> None:
    async with Store.open(path) as store:
        number = await store.history(SHELF, 10).begin(SENDING)
        # What a program that is killed now leaves behind.
        killed = path.with_name("killed.db")
        for suffix in ("", "-wal"):
            killed.with_name(killed.name + suffix).write_bytes(path.with_name(path.name + suffix).read_bytes())
    async with Store.open(killed) as store:
        assert await store.history(SHELF, 10).entries() == [HistoryEntry(number, SENDING)]


async def test_an_ending_comes_back_byte_for_byte_and_other_shelves_see_nothing(store: Store) -> None:
    history = store.history(SHELF, 10)
    number = await history.begin(SENDING)
    await store.history(OTHER_SHELF, 10).end(number, RecordedResult(RequestOutcome.UNKNOWN))
    await history.end(number, ENDING)
    assert await history.entries() == [HistoryEntry(number, SENDING, ENDING)]
    assert await store.history(OTHER_SHELF, 10).entries() == []


async def test_beyond_the_limit_the_oldest_go_and_those_of_other_shelves_stay(store: Store) -> None:
    await store.history(OTHER_SHELF, 3).begin(named("other"))
    for index in range(5):
        await store.history(SHELF, 3).begin(named(f"{index}"))
    assert [entry.recorded_request.spec.path for entry in await store.history(SHELF, 3).entries()] == [
        "/v1/4",
        "/v1/3",
        "/v1/2",
    ]
    assert len(await store.history(OTHER_SHELF, 3).entries()) == 1


async def test_with_no_room_nothing_is_kept(store: Store) -> None:
    history = store.history(SHELF, 0)
    await history.end(await history.begin(SENDING), ENDING)
    assert await history.entries() == []


async def test_words_find_the_newest_first_as_many_as_are_wanted(store: Store) -> None:
    history = store.history(SHELF, 10)
    for name in ("lots/1", "tunnels/1", "lots/2", "lots/3"):
        await history.begin(named(name))
    assert [entry.recorded_request.spec.path for entry in await history.search("LOTS get", 2)] == [
        "/v1/lots/3",
        "/v1/lots/2",
    ]


async def test_what_is_removed_or_cleared_is_no_longer_in_the_file(store: Store, path: Path) -> None:
    history = store.history(SHELF, 10)
    first = await history.begin(named("first-one-removed"))
    await history.begin(named("second-one-cleared"))
    await history.end(first, RecordedResult(RequestOutcome.ANSWERED, 200, body=b"an answer that was kept"))

    def on_the_disk() -> bytes:
        return b"".join(file.read_bytes() for file in path.parent.glob("svc-tui.db*"))

    assert b"first-one-removed" in on_the_disk()
    await history.remove(first)
    assert [entry.recorded_request.spec.path for entry in await history.entries()] == ["/v1/second-one-cleared"]
    assert b"first-one-removed" not in on_the_disk()
    assert b"an answer that was kept" not in on_the_disk()
    await store.history(OTHER_SHELF, 10).begin(named("another"))
    await history.clear()
    assert await history.entries() == []
    assert b"second-one-cleared" not in on_the_disk()
    assert len(await store.history(OTHER_SHELF, 10).entries()) == 1


async def test_a_number_is_never_used_again(store: Store) -> None:
    history = store.history(SHELF, 10)
    first = await history.begin(named("first"))
    await history.clear()
    assert await history.begin(named("second")) > first
    await history.end(first, ENDING)
    assert (await history.entries())[0].recorded_result is None


@pytest.mark.parametrize("column", ["said", "ended"])
async def test_a_row_that_cannot_be_read_is_a_clear_error_and_can_be_cleared(store: Store, column: str) -> None:
    history = store.history(SHELF, 10)
    await history.begin(SENDING)
    store._database.now(lambda connection: connection.execute(f"UPDATE history SET {column} = '{{}}'"))
    with pytest.raises(StoreError, match="a request that can't be read; clear the history"):
        await history.entries()
    await history.clear()
    assert await history.entries() == []
