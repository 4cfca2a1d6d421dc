"""The index on the disk: what is put in is found, what changed is told, and what is broken is built anew."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.core.filters import Filter
from svc_tui.core.folded_text import search_text
from svc_tui.core.jsontext import ABSENT, Json, Number
from svc_tui.core.records import Page, Record
from svc_tui.search import sources
from svc_tui.search.record_search import Match, RecordSearch
from svc_tui.search.sources import ListedRecords, Origin, indexed_rows
from svc_tui.storage.record_index.index_file import IndexFile
from svc_tui.storage.record_index.index_values import IndexProblem, IndexRules, PageReading, SingleReading, Sweep
from svc_tui.storage.record_index.record_index import RecordIndex
from svc_tui.storage.record_index.seen_changes import ChangeKind
from svc_tui.storage.scope import StorageScope
from tests.budget import share_of

LOTS, WORKERS = COLLECTIONS[0], next(one for one in COLLECTIONS if one.name == "workers")
SCOPE = StorageScope("north", Environment.LIVE, "https://api.example.com")
NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)

Fields = Mapping[str, Json]


@asynccontextmanager
async def index(path: Path, *masked: str, scope: StorageScope = SCOPE, days: int = 30) -> AsyncIterator[RecordIndex]:
    """The index in that directory."""
    opened = RecordIndex(IndexFile(path / "north.db", scope, IndexRules(days=days, masked=masked)))
    try:
        yield opened
    finally:
        await opened.aclose()


def page_of(*records: Fields, number: int = 1, limit: int = 50, total: int | None = None) -> Page:
    """A page of a list."""
    return Page(tuple(map(Record, records)), number, limit, total)


async def swept(target: RecordIndex, *records: Fields, key: str = LOTS.key, at: datetime = NOON) -> Sequence[str]:
    """Read a collection that holds these records to its end; gives the ids that were not met."""
    sweep = await target.begin_sweep(key, 50)
    await target.add_page(PageReading(key, page_of(*records), at), sweep)
    missing = await target.unseen(sweep)
    await target.end_sweep(sweep, at, len(records))
    return missing


async def found(target: RecordIndex, text: str) -> list[Match]:
    """What a search of the index alone finds."""
    status = await target.status()
    search = RecordSearch(indexed_rows(target.records, status, (LOTS, WORKERS), datetime.timestamp), text)
    while search.step():
        pass
    return search.best()


async def ids(target: RecordIndex, text: str) -> list[str | None]:
    """The ids of what is found."""
    return [match.place.record_id for match in await found(target, text)]


async def test_what_was_read_is_found_with_the_moment_of_its_reading(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1", "note": "Damp NORTH face"}, {"id": "lot-2", "note": "dry"})
        await swept(target, {"id": "wrk-1", "name": "Ada Northcote"}, key=WORKERS.key, at=NOON + HOUR)
        matches = await found(target, "north")
        assert [(match.source.origin, match.place.key, match.read_at) for match in matches] == [
            (Origin.INDEX, "workforce/workers/wrk-1", (NOON + HOUR).timestamp()),
            (Origin.INDEX, "operations/lots/lot-1", NOON.timestamp()),
        ]
        status = await target.status()
        assert (status.records, status.of(LOTS.key).records, status.of(LOTS.key).completed_at) == (3, 2, NOON)
        assert status.of(LOTS.key).fields == ("id", "note")


async def test_an_id_that_is_all_of_what_is_typed_comes_first_though_hundreds_begin_with_it(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1"}, *({"id": f"lot-1{number:03}"} for number in range(500)))
        assert (await ids(target, "lot-1"))[0] == "lot-1"


@pytest.mark.parametrize("text", ["a", "ab", "b", "grade!=3", "grade>2.5", "grade=3", "!abc grade<9", "assay.lab:koln"])
async def test_short_texts_comparisons_and_inversions_find_what_a_plain_look_finds(tmp_path: Path, text: str) -> None:
    records: list[Fields] = [
        {"id": "1", "note": "abc", "grade": Number("2.50"), "assay": {"lab": "KOLN"}},
        {"id": "2", "note": 'x"Y', "grade": Number("3.0"), "assay": {"lab": "oslo"}},
        {"id": "3", "note": None, "grade": Number("1e1")},
        {"id": "4", "note": "B", "grade": "3"},
    ]
    async with index(tmp_path) as target:
        await swept(target, *records)
        search = RecordSearch([ListedRecords(LOTS, Origin.LOADED, records=tuple(map(Record, records)))], text)
        while search.step():
            pass
        assert set(await ids(target, text)) == {match.place.record_id for match in search.best()} != set()


ACCENTED: list[Fields] = [
    {"id": "1", "name": "Gustave Doré", "grade": "Doré"},
    {"id": "2", "name": "dore\u0301"},
    {"id": "3", "name": "DORE", "grade": "dore"},
    {"id": "4", "site": {"town": "Łódź", "names": ["Œuvre", "Große Halle"]}},
    {"id": "5", "name": "Ёлка, май"},
    {"id": "6", "name": "елка, маи"},
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *((text, ["1", "2", "3"]) for text in ("dore", "DORÉ", "dore\u0301", "name:doré")),
        ("grade=doré", ["1"]),
        ("grade=dore", ["3"]),
        *((text, ["4"]) for text in ("lodz", "site.town:łódz", "oeuvre", "GROSSE")),
        *((text, ["5", "6"]) for text in ("елка", "ёлка")),
        ("май", ["5"]),
        ("маи", ["6"]),
    ],
)
async def test_accents_make_no_difference_to_the_index(tmp_path: Path, text: str, found: list[str]) -> None:
    async with index(tmp_path) as target:
        await swept(target, *ACCENTED)
        assert sorted(map(str, await ids(target, text))) == found


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.text(max_size=12)
    | st.sampled_from(
        [
            "Straße",
            "İstanbul",
            "札幌",
            "Doré",
            "Dore\u0301",
            "Łódź",
            "ёлка",
            "май",
            "Œuvre",
            "हिन्दी",
            "a\0b",
            "\ud800x",
            "50%",
            "a_b",
            "\n\n",
            "true",
        ]
    )
    | st.integers().map(lambda value: Number(str(value))),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.dictionaries(st.sampled_from(["note", "grade", "x", "a.b", 'q"t']), JSON, max_size=4)


@given(st.lists(FIELDS, min_size=1, max_size=8), st.data())
@settings(max_examples=share_of(60), deadline=None)
def test_the_index_finds_what_a_plain_look_at_every_record_finds(parts: list[Fields], data: st.DataObject) -> None:
    records: list[Fields] = [{"id": f"id{number}", **fields} for number, fields in enumerate(parts)]
    held = ListedRecords(LOTS, Origin.LOADED, records=tuple(map(Record, records)))
    words = [text[at : at + 4] for text in map(search_text, records) for at in range(len(text))]
    typed = data.draw(st.sampled_from(words)) + data.draw(st.sampled_from(["", " id1", " !id2", " x>0"]))

    async def compare() -> None:
        with TemporaryDirectory() as directory:
            async with index(Path(directory)) as target:
                await swept(target, *records)
                search = RecordSearch([held], typed)
                while search.step():
                    pass
                assert set(await ids(target, typed)) == {match.place.record_id for match in search.best()}

    asyncio.run(compare())


async def test_a_record_read_again_is_found_by_what_it_holds_now_alone_and_the_change_is_told(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1", "grade": "low", "assay": {"lab": "oslo", "n": Number("1.0")}})
        await swept(
            target, {"id": "lot-1", "grade": "high", "assay": {"lab": "oslo", "n": Number("1.00")}}, at=NOON + HOUR
        )
        assert (await ids(target, "low"), await ids(target, "high")) == ([], ["lot-1"])
        (change,) = await target.changes(NOON)
        assert (change.path, change.before, change.after) == ("grade", "low", "high")
        assert (change.kind, change.read_before, change.read_after) == (ChangeKind.CHANGED, NOON, NOON + HOUR)
        assert await target.changes(NOON + 2 * HOUR) == []
        assert await target.changes(NOON, LOTS.key, "lot-2") == []


async def test_records_that_came_or_went_since_the_last_sweep_are_told_and_those_of_the_first_are_not(
    tmp_path: Path,
) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1", "name": "One"}, {"id": "lot-2"})
        assert await target.changes(NOON - HOUR) == []
        missing = await swept(target, {"id": "lot-2"}, {"id": "lot-3"}, at=NOON + HOUR)
        assert missing == ["lot-1"]
        await target.add_record(SingleReading(LOTS.key, "lot-1", None, NOON + 2 * HOUR))
        changes = await target.changes(NOON)
        assert [(change.record_id, change.kind) for change in changes] == [
            ("lot-1", ChangeKind.GONE),
            ("lot-3", ChangeKind.MADE),
        ]
        assert (changes[0].label, changes[0].after) == ("One", ABSENT)
        assert await ids(target, "lot-1") == []
        assert (await target.status()).records == 2


async def test_what_the_user_wrote_is_no_change_of_somebody_else(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1", "grade": "low"}, {"id": "lot-2", "grade": "low"})
        mine = Record({"id": "lot-1", "grade": "mine"})
        await target.add_record(SingleReading(LOTS.key, "lot-1", mine, NOON + HOUR, own=True))
        await target.expect_own(LOTS.key, "lot-2", NOON + HOUR)
        await swept(target, {"id": "lot-1", "grade": "mine"}, {"id": "lot-2", "grade": "split"}, at=NOON + 2 * HOUR)
        assert await target.changes(NOON) == []
        await swept(target, {"id": "lot-1", "grade": "mine"}, {"id": "lot-2", "grade": "else"}, at=NOON + 3 * HOUR)
        assert [change.after for change in await target.changes(NOON)] == ["else"]


async def test_a_page_asked_for_before_a_record_was_read_brings_back_nothing_old(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1", "grade": "low"})
        record = Record({"id": "lot-1", "grade": "high"})
        await target.add_record(SingleReading(LOTS.key, "lot-1", record, NOON + 2 * HOUR))
        await target.add_page(PageReading(LOTS.key, page_of({"id": "lot-1", "grade": "low"}), NOON + HOUR))
        assert await ids(target, "high") == ["lot-1"]


async def test_what_a_row_of_the_list_lacks_of_its_record_is_kept_and_is_no_change(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1", "grade": "low"})
        whole = Record({"id": "lot-1", "grade": "low", "history": "long story"})
        await target.add_record(SingleReading(LOTS.key, "lot-1", whole, NOON + HOUR))
        await swept(target, {"id": "lot-1", "grade": "low"}, at=NOON + 2 * HOUR)
        assert await ids(target, "story") == ["lot-1"]
        assert await target.changes(NOON) == []


async def test_a_sweep_that_was_cut_short_goes_on_with_the_page_after_the_last(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        sweep = await target.begin_sweep(LOTS.key, 2)
        assert sweep == Sweep(LOTS.key, 1, 1)
        page = page_of({"id": "lot-1"}, {"id": "lot-2"}, limit=2, total=3)
        await target.add_page(PageReading(LOTS.key, page, NOON), sweep)
    async with index(tmp_path) as target:
        # Pages of another size begin elsewhere: it goes on with those it has.
        assert await target.begin_sweep(LOTS.key, 3) == Sweep(LOTS.key, 1, 2, 2)
        # Fewer a page are asked for: the profile or the service allows no more.
        assert await target.begin_sweep(LOTS.key, 1) == Sweep(LOTS.key, 2, 1)
        held = (await target.status()).of(LOTS.key)
        assert (held.completed_at, held.next_page, held.total) == (None, 1, 3)


async def test_records_without_an_id_and_ids_that_come_twice_are_counted(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"note": "nobody"}, {"id": "lot-1", "n": "a"}, {"id": "lot-1", "n": "b"}, {"id": "\ud800"})
        held = (await target.status()).of(LOTS.key)
        assert (held.records, held.without_id, held.repeated_ids) == (1, 2, 1)


async def test_masked_fields_are_left_out_wherever_they_stand(tmp_path: Path) -> None:
    async with index(tmp_path, "Phone", "contact.mail") as target:
        contact: Fields = {"mail": "ada@example.com", "room": "blue"}
        await swept(target, {"id": "wrk-1", "phone": "12345", "contact": contact, "list": [{"phone": "678910"}]})
        assert await ids(target, "blue") == ["wrk-1"]
        for hidden in ("12345", "example", "678910"):
            assert await ids(target, hidden) == []
    held = await asyncio.to_thread((tmp_path / "north.db").read_bytes)
    assert b"ada@example.com" not in held
    assert b"678910" not in held


async def test_other_masked_fields_begin_a_new_index(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "wrk-1", "phone": "12345"})
    async with index(tmp_path, "phone") as target:
        assert (await target.status()).records == 0
        assert "is created again" in target.notice
    assert await asyncio.to_thread(lambda: list(tmp_path.glob("*.damaged*"))) == []


async def test_an_index_of_another_version_is_begun_anew_and_that_is_told(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "wrk-1", "name": "Doré"})
    with closing(sqlite3.connect(tmp_path / "north.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 1")
    async with index(tmp_path) as target:
        assert target.notice == "the index was created by another version of svc-tui and is created again"
        assert (await target.status()).records == 0
        await swept(target, {"id": "wrk-1", "name": "Doré"})
        assert await ids(target, "dore") == ["wrk-1"]
    async with index(tmp_path) as target:
        assert (target.notice, await ids(target, "dore")) == ("", ["wrk-1"])


@pytest.mark.parametrize("what", ["damaged", "foreign"])
def test_a_file_that_is_no_index_of_this_service_is_set_aside(tmp_path: Path, what: str) -> None:
    path = tmp_path / "north.db"
    if what == "damaged":
        path.write_bytes(b"no database at all" * 100)
    else:
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE mine (text)")
        other.close()
    before = path.read_bytes()

    async def use() -> None:
        async with index(tmp_path) as target:
            assert "was renamed to" in target.notice
            await swept(target, {"id": "lot-1"})
            assert await ids(target, "lot-1") == ["lot-1"]

    asyncio.run(use())
    (aside,) = tmp_path.glob("north.db.damaged-*")
    assert aside.read_bytes() == before


async def test_nothing_of_one_service_is_found_in_another(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1"})
    other = StorageScope("north", Environment.LIVE, "https://other.example.com")
    async with index(tmp_path, scope=other) as target:
        assert await ids(target, "lot-1") == []
        assert "was renamed to" in target.notice


async def test_an_index_that_was_not_swept_for_too_long_is_forgotten(tmp_path: Path) -> None:
    old = datetime.now(UTC) - timedelta(days=8)
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1"}, at=old)
    async with index(tmp_path, days=0) as target:
        assert (await target.status()).records == 1
    async with index(tmp_path, days=9) as target:
        assert (await target.status()).records == 1
    async with index(tmp_path, days=7) as target:
        assert (await target.status()).records == 0
        assert "older than 7 days" in target.notice


async def test_of_two_programs_one_sweeps_and_both_search(tmp_path: Path) -> None:
    async with index(tmp_path) as one, index(tmp_path) as two:
        assert [one.claim(), one.claim(), two.claim()] == [True, True, False]
        await swept(one, {"id": "lot-1", "note": "north"})
        assert await ids(two, "north") == ["lot-1"]
        await two.add_record(SingleReading(LOTS.key, "lot-1", Record({"id": "lot-1", "note": "south"}), NOON + HOUR))
        assert await ids(one, "south") == ["lot-1"]
    async with index(tmp_path) as two:
        assert two.claim()


async def test_a_value_that_another_program_changed_is_compared_as_it_is_now(tmp_path: Path) -> None:
    async with index(tmp_path) as one, index(tmp_path) as two:
        await swept(one, {"id": "lot-1", "massKg": Number("5")}, {"id": "lot-2", "massKg": Number("9")})
        assert await ids(two, "massKg>7") == ["lot-2"]
        await swept(one, {"id": "lot-1", "massKg": Number("8")}, {"id": "lot-2", "massKg": Number("6")}, at=NOON + HOUR)
        assert await ids(two, "massKg>7") == ["lot-1"]
        await one.add_record(SingleReading(LOTS.key, "lot-1", None, NOON + 2 * HOUR))
        assert await ids(two, "massKg>5") == ["lot-2"]


async def test_an_index_that_another_program_clears_and_fills_again_is_compared_as_it_is_now(tmp_path: Path) -> None:
    async with index(tmp_path) as one, index(tmp_path) as two:
        await swept(one, *({"id": f"a{number}", "status": "open"} for number in range(3)))
        assert await ids(two, "status=open") == ["a0", "a1", "a2"]
        await one.clear()
        await swept(one, *({"id": f"z{number}", "status": "shut"} for number in range(3)))
        assert await ids(two, "status=open") == []
        assert await ids(two, "status=shut") == ["z0", "z1", "z2"]


async def test_a_record_that_was_read_whole_is_left_alone_by_a_list_that_says_the_same(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1", "grade": "low"})
        whole = Record({"id": "lot-1", "grade": "low", "history": "long story"})
        await target.add_record(SingleReading(LOTS.key, "lot-1", whole, NOON + HOUR))
        ((before,),) = target.records.found(LOTS.key, Filter())
        await swept(target, {"id": "lot-1", "grade": "low"}, at=NOON + 2 * HOUR)
        ((after,),) = target.records.found(LOTS.key, Filter())
        assert after == before
        assert target.records.read_at(LOTS.key, "lot-1") == NOON + 2 * HOUR


async def test_a_record_that_changes_during_a_search_is_found_once_as_it_is_now(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, *({"id": f"lot-{number}", "note": "north"} for number in range(300)))
        status = await target.status()
        search = RecordSearch(indexed_rows(target.records, status, [LOTS], datetime.timestamp), "north", most=500)
        search.step()
        changed = Record({"id": "lot-0", "note": "north west"})
        await target.add_record(SingleReading(LOTS.key, "lot-0", changed, NOON + HOUR))
        while search.step():
            pass
        (match,) = (one for one in search.best() if one.record.id == "lot-0")
        assert match.record == changed


async def test_so_many_matches_end_the_search_of_a_collection_but_where_each_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_MAX_INDEXED_MATCHES", 300)
    async with index(tmp_path) as target:
        await swept(target, *({"id": f"lot-{number}", "note": "north"} for number in range(1_000)))
        await swept(target, {"id": "wrk-1", "name": "Northcote"}, key=WORKERS.key)
        status = await target.status()
        for every, expected in ((False, 601), (True, 1_001)):
            rows = indexed_rows(
                target.records, status, (LOTS, WORKERS), datetime.timestamp, is_every_match_counted=every
            )
            search = RecordSearch(rows, "north")
            while search.step():
                pass
            assert (search.count, search.is_cut) == (expected, not every)


async def test_what_an_index_can_not_tell_is_reported_once_asked_and_ends_no_search(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1", "note": "north"})
        status = await target.status()
    problems: list[str] = []
    (rows,) = indexed_rows(target.records, status, [LOTS], datetime.timestamp, lambda one: problems.append(str(one)))
    search = RecordSearch([rows], "note>3")
    while search.step():
        pass
    assert (search.best(), rows.record(1), rows.read_at_of(Record({"id": "lot-1"}))) == ([], None, None)
    assert set(problems) == {"the index is closed"}


async def test_the_index_is_for_the_user_alone_and_empty_once_it_is_cleared(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, *({"id": f"lot-{number}", "note": "x" * 500} for number in range(500)))
        size = (await target.status()).size
        assert (await asyncio.to_thread((tmp_path / "north.db").stat)).st_mode & 0o077 == 0
        await target.clear()
        status = await target.status()
        assert status.records == 0
        assert status.size < size / 5
        assert await ids(target, "lot-1") == []


async def test_an_index_that_is_closed_says_so(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        pass
    with pytest.raises(IndexProblem, match="index is closed"):
        list(target.records.found(LOTS.key, Filter()))


async def test_ten_thousand_fields_and_a_value_of_a_megabyte_are_held(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        many: Fields = {"id": "a/b", **{f"f{number}": f"value {number}" for number in range(10_000)}}
        await swept(target, many, {"id": "large", "text": "x" * 1_000_000 + "needle"})
        assert await ids(target, "value 9876") == ["a/b"]
        assert await ids(target, "needle") == ["large"]


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("select status, count(*) from lots group by 1 order by 1", [["closed", 1], ["open", 2]]),
        ("select id, assay from lots where massKg > 10", [["lot-3", '{"ppm":1.5}']]),
        ("select w.id from workers w join lots l on l.workerId = w.id", [["wrk-1"]]),
        ('select "odd name" from lots where "odd name" is not null', [["x"]]),
    ],
)
async def test_a_select_over_the_collections_gives_its_rows(
    tmp_path: Path, statement: str, rows: list[list[object]]
) -> None:
    async with index(tmp_path) as target:
        await swept(
            target,
            {"id": "lot-1", "status": "open", "workerId": "wrk-1", "odd name": "x"},
            {"id": "lot-2", "status": "open", "massKg": Number("9.0")},
            {"id": "lot-3", "status": "closed", "massKg": Number("10.5"), "assay": {"ppm": Number("1.5")}},
        )
        await swept(target, {"id": "wrk-1"}, key=WORKERS.key)
        answer = await target.query(statement)
        assert [list(row) for row in answer.rows] == rows


@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        ("delete from records", "only SELECT statements"),
        ("drop view lots", "only SELECT statements"),
        ("attach 'x.db' as x", "only SELECT statements"),
        ("pragma query_only = off", "only SELECT statements"),
        ("select * from tunnels", "no such table: tunnels; available tables: lots"),
        ("select missing from lots", "SQL error: no such column"),
        ("select 1; delete from records", "only one statement is allowed"),
        ("", "only SELECT statements"),
        ("select '\0'", "the statement contains a null character"),
        ("select '\ud800'", "the statement contains a null character"),
    ],
)
async def test_what_is_no_select_is_refused_in_one_line(tmp_path: Path, statement: str, complaint: str) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1"})
        with pytest.raises(IndexProblem, match=complaint):
            await target.query(statement)
        assert await ids(target, "lot-1") == ["lot-1"]


async def test_what_a_write_gives_back_may_hold_less_than_the_record(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1", "grade": "low", "note": "long story"})
        given = Record({"id": "lot-1", "grade": "high"})
        await target.add_record(SingleReading(LOTS.key, "lot-1", given, NOON + HOUR, own=True))
        assert (await ids(target, "high"), await ids(target, "story")) == (["lot-1"], ["lot-1"])


async def test_what_a_query_or_an_address_brought_in_is_no_news_of_others(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1"})
        await target.add_page(PageReading(LOTS.key, page_of({"id": "archived"}), NOON + HOUR, chosen=True))
        await target.add_record(SingleReading(LOTS.key, "old", Record({"id": "old"}), NOON + HOUR))
        assert await target.changes(NOON) == []
        assert await ids(target, "archived") == ["archived"]


async def test_a_page_asked_for_before_a_record_was_removed_brings_it_not_back(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1"}, {"id": "lot-2"})
        await target.add_record(SingleReading(LOTS.key, "lot-1", None, NOON + 2 * HOUR, own=True))
        await swept(target, {"id": "lot-1"}, {"id": "lot-2"}, at=NOON + HOUR)
        assert await ids(target, "lot-1") == []
        assert await target.changes(NOON) == []
        # Somebody has made it anew since.
        await swept(target, {"id": "lot-1"}, {"id": "lot-2"}, at=NOON + 3 * HOUR)
        assert await ids(target, "lot-1") == ["lot-1"]


async def test_a_page_asked_for_before_a_write_does_not_make_it_somebody_elses(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1", "status": "open"})
        await target.expect_own(LOTS.key, "lot-1", NOON + 2 * HOUR)
        await swept(target, {"id": "lot-1", "status": "open"}, at=NOON + HOUR)
        await swept(target, {"id": "lot-1", "status": "split"}, at=NOON + 3 * HOUR)
        assert await target.changes(NOON) == []


async def test_what_a_write_changed_besides_what_it_gave_back_is_no_change_of_others(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, {"id": "lot-1", "grade": "low", "version": "1"})
        given = Record({"id": "lot-1", "grade": "high"})
        await target.add_record(SingleReading(LOTS.key, "lot-1", given, NOON + HOUR, own=True))
        await swept(target, {"id": "lot-1", "grade": "high", "version": "2"}, at=NOON + 2 * HOUR)
        assert await target.changes(NOON) == []


async def test_a_field_that_one_record_of_a_page_has_is_found_by_its_name(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(
            target, *({"id": f"lot-{number}", **({"hold": "damp"} if number == 40 else {})} for number in range(50))
        )
        assert await ids(target, "hold:damp") == ["lot-40"]


def test_an_index_that_is_found_damaged_in_use_is_set_aside_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "north.db"

    async def filled() -> None:
        async with index(tmp_path) as target:
            await swept(target, *({"id": f"lot-{number}", "note": "x" * 900} for number in range(400)))

    async def used() -> str:
        async with index(tmp_path) as target:
            with pytest.raises(IndexProblem, match="damaged"):
                await ids(target, "lot-1")
        async with index(tmp_path) as target:
            await swept(target, {"id": "lot-1"})
            assert await ids(target, "lot-1") == ["lot-1"]
            return target.notice

    asyncio.run(filled())
    with path.open("r+b") as file:
        file.seek(12 * 4096)
        file.write(b"\xff" * (path.stat().st_size - 12 * 4096))
    assert "was renamed to" in asyncio.run(used())
    assert not path.with_name("north.db.broken").exists()


async def test_what_is_cleared_is_in_the_file_no_more(tmp_path: Path) -> None:
    async with index(tmp_path) as target:
        await swept(target, *({"id": f"lot-{number}", "note": "Ada Lovelace"} for number in range(300)))
        await target.clear()
        files = await asyncio.to_thread(lambda: [path.read_bytes() for path in tmp_path.glob("north.db*")])
        assert not any(b"Lovelace" in held or b"lovelace" in held for held in files)
