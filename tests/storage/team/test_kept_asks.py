"""What is kept of an ask comes back as it was, and a told one is news to one program."""

import sqlite3
from contextlib import closing
from pathlib import Path

from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Place
from svc_tui.core.requests import RequestSpec
from svc_tui.storage.store import Store
from svc_tui.storage.team.kept_asks import KeptAsk
from tests.storage.conftest import LOTS, OTHER_SHELF, SHELF

SPEC = RequestSpec(
    "POST", "/v1/x", (("a", "1"), ("a", "2")), (("Accept", "*/*"),), b"\xff\x00 no text", "6f9619ff-8b86-4d01"
)
SHOWN: dict[str, Json] = {"massKg": Number("1.50"), "name": "Łódź \ud800 [/x]", "nested": {"a": [None, True]}}
ASK = KeptAsk(
    "q-1", "request", Place(LOTS, "lot/1"), SPEC, SHOWN, 'W/"7"', ("massKg", "gone"), {"massKg": Number("2.0")}, "T-1"
)
PLAIN = KeptAsk("q-2", "plan", Place(LOTS), run="p-1", salt="s")


async def test_an_ask_comes_back_as_it_was_the_last_one_first_in_its_own_scope(store: Store) -> None:
    asks = store.asks(SHELF)
    for ask in (ASK, PLAIN, ASK):
        await asks.keep(ask)
    assert await asks.all() == [PLAIN, ASK]
    assert await store.asks(OTHER_SHELF).all() == []
    assert await asks.plan_of("q-1") is None
    await asks.drop("q-2")
    assert await asks.all() == [ASK]


async def test_what_is_told_is_news_once_and_stays_told_when_it_is_kept_again(store: Store) -> None:
    asks = store.asks(SHELF)
    assert not await asks.note_told("q-1", "approved")
    await asks.keep(ASK)
    assert [await asks.note_told("q-1", "approved") for _ in range(2)] == [True, False]
    await asks.keep(ASK)
    assert not await asks.note_told("q-1", "approved")
    assert await asks.note_told("q-1", "refused")


async def test_an_ask_that_was_damaged_is_left_out(path: Path) -> None:
    async with Store.open(path) as store:
        await store.asks(SHELF).keep(ASK)
        await store.asks(SHELF).keep(PLAIN)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE team_asks SET kept = '{\"kind\": 1}' WHERE id = 'q-1'")
    async with Store.open(path) as store:
        assert await store.asks(SHELF).all() == [PLAIN]
