"""The file: what it keeps across restarts, and why it may be refused."""

import contextlib
import sqlite3
from pathlib import Path

import pytest

from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.data.database import Database, SeedChoice
from svc_tui.sandbox.data.store import SandboxStore
from svc_tui.sandbox.errors import SandboxError
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
from tests.fixed_keys import fixed
from tests.sandbox.raw_client import LOT, RawClient

LOTS = "/v1/operations/lots"
OPEN_FILES = Path("/proc/self/fd")


def test_changes_stay_across_restarts(tmp_path: Path) -> None:
    key = IssuedKey("sandbox", "svc_test_" + "k" * 40, None)
    options = SandboxOptions(records=30, database=tmp_path / "mine.db", keys=fixed(key))
    once = {"Idempotency-Key": "once"}
    with running_service(options) as service:
        client = RawClient(service.base_url, key)
        changed = client.say("PATCH", LOT, '{"massKg":1204.50}')
        made = client.say("POST", LOTS, '{"name":"Kept"}', once)
        assert client.say("DELETE", f"{LOTS}/lot-000002").status == 204
    with running_service(options) as service:
        client = RawClient(service.base_url, key)
        assert client.say("GET", LOT).body == changed.body
        assert client.say("GET", f"{LOTS}/{made.json['id']}").body == made.body
        assert client.say("GET", f"{LOTS}/lot-000002").code == "not_found"
        assert client.say("GET", LOTS).json["meta"]["total"] == 30
        assert client.say("POST", LOTS, '{"name":"Kept"}', once).body == made.body
        assert client.say("POST", LOTS, "{}").json["id"] == "lot-000032"


def test_a_file_is_in_wal_mode_and_memory_leaves_nothing(tmp_path: Path) -> None:
    with contextlib.closing(Database(tmp_path / "mine.db", SeedChoice())) as database, database.reading() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    with contextlib.closing(Database(None, SeedChoice(5))) as database:
        assert database.settings.lots == 5
    assert [path.name for path in tmp_path.iterdir()] == ["mine.db"]


@pytest.mark.parametrize(
    ("first", "then", "opened"),
    [(None, None, 5_000), (30, 30, 30), (30, None, 30)],
)
def test_a_file_remembers_its_size(tmp_path: Path, first: int | None, then: int | None, opened: int) -> None:
    Database(tmp_path / "mine.db", SeedChoice(first)).close()
    with contextlib.closing(Database(tmp_path / "mine.db", SeedChoice(then))) as database:
        assert database.settings.lots == opened


@pytest.mark.parametrize(("first", "then", "held"), [(30, 31, "--records 30"), (None, 30, "no --records")])
def test_another_size_is_refused_in_one_line(tmp_path: Path, first: int | None, then: int, held: str) -> None:
    path = tmp_path / "mine.db"
    Database(path, SeedChoice(first)).close()
    with pytest.raises(SandboxError) as refused:
        Database(path, SeedChoice(then))
    assert str(refused.value) == f"{path} was created with {held}; use the same options, or choose another file"


@pytest.mark.parametrize(
    ("first", "then", "held"),
    [
        (SeedChoice(seed=3), SeedChoice(seed=4), "--seed 3"),
        (SeedChoice(), SeedChoice(seed=4), "no --seed"),
        (SeedChoice(ids="uuid"), SeedChoice(ids="digits"), "--variant ids=uuid"),
        (SeedChoice(), SeedChoice(ids="digits"), "no --variant ids"),
    ],
)
def test_other_data_is_refused_in_one_line(tmp_path: Path, first: SeedChoice, then: SeedChoice, held: str) -> None:
    path = tmp_path / "mine.db"
    Database(path, first).close()
    with pytest.raises(SandboxError) as refused:
        Database(path, then)
    assert str(refused.value) == f"{path} was created with {held}; use the same options, or choose another file"
    with contextlib.closing(Database(path, SeedChoice())) as database:
        assert (database.settings.seed, database.settings.ids) == (first.seed or 0, first.ids or "prefixed")


def test_the_usual_may_be_said_or_left_unsaid(tmp_path: Path) -> None:
    said, unsaid = SeedChoice(seed=0, ids="prefixed"), SeedChoice()
    for number, (first, then) in enumerate([(said, unsaid), (unsaid, said)]):
        for choice in (first, then):
            Database(tmp_path / f"{number}.db", choice).close()


@pytest.mark.parametrize("choice", [SeedChoice(seed=4), SeedChoice(ids="uuid")])
def test_a_file_from_before_there_was_a_choice_keeps_its_data(tmp_path: Path, choice: SeedChoice) -> None:
    path = tmp_path / "old.db"
    Database(path, SeedChoice(30)).close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.execute("DELETE FROM made WHERE name NOT IN ('seed', 'records')")
    with pytest.raises(SandboxError, match="was created with no --"):
        Database(path, choice)
    with contextlib.closing(Database(path, SeedChoice())) as database:
        assert (database.settings.lots, database.settings.seed, database.settings.ids) == (30, 0, "prefixed")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to be taken for one at first sight" * 20)
    with pytest.raises(SandboxError, match=r"notes\.txt is not a database; choose another file"):
        Database(path, SeedChoice())
    assert path.read_text().startswith("not a database")


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")
    with pytest.raises(SandboxError, match=r"other\.db belongs to another program"):
        Database(path, SeedChoice())
    with contextlib.closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="does not exist; create it, or choose another file"):
        Database(tmp_path / "no" / "mine.db", SeedChoice())
    with pytest.raises(SandboxError, match="can't be used as a database"):
        Database(tmp_path, SeedChoice())


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    with contextlib.closing(SandboxStore(None, SeedChoice(10))) as store:
        lots = store.resources["operations/lots"]

        def fail() -> None:
            with store.writing():
                store.records.append(lots, {"id": store.records.next_id(lots)})
                store.records.delete(lots, "lot-000001")
                raise RuntimeError("half way")

        with pytest.raises(RuntimeError, match="half way"):
            fail()
        assert (store.records.total(lots), store.records.next_id(lots)) == (10, "lot-000011")
        assert store.record("operations/lots", "lot-000001") is not None


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="this system does not list open files there")
def test_without_a_file_of_ones_own_what_memory_is_short_of_goes_to_one_without_a_name() -> None:
    before = set(nameless())
    with contextlib.closing(SandboxStore(None, SeedChoice(10))) as store:
        lots, note = store.resources["operations/lots"], "n" * 20_000

        def write() -> None:
            for _ in range(1_000):
                store.records.append(lots, {"id": store.records.next_id(lots), "note": note})
            store.records.delete(lots, "lot-000001")

        def fail() -> None:
            with store.writing():
                write()
                assert set(nameless()) > before
                raise RuntimeError("half way")

        with pytest.raises(RuntimeError, match="half way"):
            fail()
        assert (store.records.total(lots), store.record("operations/lots", "lot-000011")) == (10, None)
        assert store.record("operations/lots", "lot-000001") is not None
        with store.writing():
            write()
        assert (store.records.total(lots), store.record("operations/lots", "lot-000001")) == (1_009, None)
        assert all(note in text for text in store.records.page(lots, 9, 1_000))
    assert set(nameless()) <= before


def nameless() -> list[str]:
    """The files this process has open that were deleted."""
    links = (link.readlink() for link in OPEN_FILES.iterdir() if link.is_symlink())
    return [str(path) for path in links if str(path).endswith(" (deleted)")]


def test_the_file_holds_no_key_and_no_secret(tmp_path: Path) -> None:
    with running_service(SandboxOptions(records=5, database=tmp_path / "mine.db")) as service:
        for name in ("live", "sandbox"):
            client = RawClient(service.base_url, service.key(name))
            assert client.say("POST", LOTS, "{}", {"Idempotency-Key": "k"}).status == 201
        kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"lot-000006" in kept
        for key in service.keys:
            assert key.api_key.encode() not in kept
            assert key.signing_secret is None or key.signing_secret.encode() not in kept
