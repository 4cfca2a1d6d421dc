"""What the guide's page "Compatibility" promises: names, files, links and the store of 0.1.0 mean what they meant."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from svc_tui.bootstrap.plans.plan_file import PlanFile, read_plan_file
from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import FilePreferences
from svc_tui.config.profiles.profiles import Profiles
from svc_tui.config.profiles.secrets import CommandSource, KeyringSource
from svc_tui.config.requests.saved_requests import FileSavedRequests
from svc_tui.console.links import link_to, parse_link
from svc_tui.console.request_form import RequestForm
from svc_tui.console.saved_requests import SavedRequest
from svc_tui.core.catalog import COLLECTIONS, Collection, Route
from svc_tui.core.credentials import Environment
from svc_tui.core.records import Place
from svc_tui.core.settings import CollectionSettings, Preferences, Profile
from svc_tui.core.views import ChosenColumn, RememberedView, Sort, View
from svc_tui.session.memory import LastPosition, SavedChoices
from svc_tui.session.pane_layout import PaneSizes
from svc_tui.storage.history import HistoryEntry
from svc_tui.storage.journal import check_chain
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.storage.schema import SCHEMA, VERSION
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from svc_tui.ui.help.guide_pages import page_named, text_of
from tests.stability import held
from tests.stability.make import FILES, fill, kept_names, names, store_file

LINKS = [
    (
        "svctui://live@api.example.com/operations/lots/lot-000001",
        Environment.LIVE,
        "api.example.com",
        Place(held.LOTS, "lot-000001"),
    ),
    ("svctui://sandbox@127.0.0.1:8080/operations/lots", Environment.SANDBOX, "127.0.0.1:8080", Place(held.LOTS)),
    (
        "svctui://live@api.example.com/operations/lots/lot%2F1%20%C3%BC",
        Environment.LIVE,
        "api.example.com",
        Place(held.LOTS, "lot/1 ü"),
    ),
    (
        "svctui://live@api.example.com/operations/lots/lot-1/attachments/a-1",
        Environment.LIVE,
        "api.example.com",
        Place(Collection("operations", "attachments", "attachments", under="/v1/operations/lots/lot-1"), "a-1"),
    ),
]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Where a store is to lie."""
    (tmp_path / "state").mkdir(mode=0o700)
    return tmp_path / "state" / "svc-tui.db"


@pytest.fixture
def where(tmp_path: Path) -> Locations:
    """The user's files of 0.1.0."""
    config, state = tmp_path / "config", tmp_path / "state"
    for directory in (config, config / "profiles", config / "requests", state):
        directory.mkdir(mode=0o700)
    for name in ("config.toml", "profiles/work.toml", "requests/split-a-lot.toml"):
        _copy(FILES / name, config / name)
    _copy(FILES / "state.toml", state / "state.toml")
    return Locations(config / "config.toml", state)


def _copy(kept: Path, path: Path) -> None:
    shutil.copyfile(kept, path)
    path.chmod(0o600)


def _bring_up(database: Path, version: int) -> None:
    """Have a store of schema 1 be as it was when the schema was at a later version."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        for step in SCHEMA[1:version]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version}")


async def _writes(store: Store, scope: StorageScope) -> list[tuple[Intent, Outcome | None]]:
    return [(entry.intent, entry.outcome) for entry in await store.journal(scope).entries()]


def _user_version(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize("version", range(1, VERSION + 1))
async def test_a_store_of_schema_1_comes_up_from_every_version_as_it_was(database: Path, version: int) -> None:
    _copy(store_file(1), database)
    _bring_up(database, version)
    async with Store.open(database) as store:
        assert store.notice == ""
        assert await _writes(store, held.LIVE) == [(held.CUT_SHORT, None), (held.DONE, held.ANSWER)]
        assert await _writes(store, held.SANDBOX) == [(held.ON_SANDBOX, None)]
        assert await store.drafts(held.LIVE).all() == [held.DRAFT]
        assert await store.runs(held.LIVE).unfinished() == []
        # And it goes on from there.
        number = await store.journal(held.LIVE).intend(held.MAKING)
        await store.journal(held.LIVE).conclude(number, held.MADE)
        assert (await _writes(store, held.LIVE))[0] == (held.MAKING, held.MADE)
    assert _user_version(database) == VERSION
    assert check_chain(database).broken is None


def _kept_versions() -> list[int]:
    return sorted(int(file.stem.removeprefix("store-")) for file in FILES.glob("store-*.db"))


@pytest.mark.parametrize("version", [version for version in _kept_versions() if version > 1])
async def test_all_that_a_kept_store_holds_comes_back(database: Path, version: int) -> None:
    for suffix in ("", ".end"):
        _copy(Path(f"{store_file(version)}{suffix}"), Path(f"{database}{suffix}"))
    async with Store.open(database) as store:
        assert store.notice == ""
        await _holds_everything(store)
    assert _user_version(database) == VERSION


async def test_what_is_kept_for_later_versions_is_what_this_one_writes(database: Path) -> None:
    assert VERSION in _kept_versions(), "a new schema: keep a store of it, with python -m tests.stability.make"
    await fill(database)
    async with Store.open(database) as store:
        await _holds_everything(store)


async def _holds_everything(store: Store) -> None:
    assert await _writes(store, held.LIVE) == [
        (held.MAKING, held.MADE),
        (held.IN_RUN, held.REFUSED),
        (held.CUT_SHORT, None),
        (held.DONE, held.ANSWER),
    ]
    assert await _writes(store, held.SANDBOX) == [(held.ON_SANDBOX, None)]
    assert await store.drafts(held.LIVE).all() == [held.DRAFT]
    assert await store.drafts(held.SANDBOX).all() == [held.UNTAKEN_DRAFT]
    assert await store.forms(held.LIVE).all() == [held.FORM]
    (run,) = await store.runs(held.LIVE).unfinished()
    assert (run.id, await store.runs(held.LIVE).plan_of(run.id)) == (held.PLAN.id, held.PLAN)
    assert await store.history(held.LIVE, 10).entries() == [
        HistoryEntry(2, held.SENT),
        HistoryEntry(1, held.SENT, held.ANSWERED),
    ]


def test_what_the_user_wrote_and_chose_holds(where: Locations) -> None:
    found = FilePreferences(where)
    assert found.notices == ()
    assert found.preferences == Preferences(
        "svc-light",  # last chosen, which beats config.toml
        {"record.edit": "e,f12"},
        5,
        ("operator", "assay.lab.name"),
        20,
        True,
        False,
        "bell",
        hints=False,
    )
    narrow = View("grade:A", Sort("massKg", descending=True), (ChosenColumn("id", 12), ChosenColumn("assay.goldPpm")))
    asked = View(query=(("status", "open"), ("status", "closed")))
    assert found.memory == SavedChoices(
        {"work": LastPosition("/v1/operations/lots", 41, "grade", "lot-1")},
        {"operations/lots": RememberedView(asked, {"heavy": narrow})},
        PaneSizes(30, 0.4),
        {"record.edit": 2},
        frozenset({"work"}),
    )


def test_a_profile_says_what_it_said(where: Locations) -> None:
    stored = Profiles(where).read("work")
    assert stored.profile == Profile(
        "work",
        "https://api.example.com",
        "https://sandbox.example.com",
        50,
        "Idempotency-Key",
        "honoured",
        read_only=True,
        index=True,
        index_hours=6,
        index_days=7,
        null_word="∅",
        empty_word="''",
        collections={
            "operations/lots": CollectionSettings(
                "ore-lots", {"status": "open"}, ("id", "grade", "massKg"), {"tunnelId": "operations/tunnels"}
            )
        },
        routes=(Route("Split a lot", "POST", "/v1/operations/lots/{id}/split", (), '{"parts": {parts}}'),),
    )
    assert (stored.api_key, stored.signing_secret) == (
        KeyringSource("svc-tui", "work"),
        CommandSource(("op", "read", "x y")),
    )


def test_a_saved_request_asks_what_it_asked(where: Locations) -> None:
    form = RequestForm(
        "POST", "/v1/operations/lots/{id}/split", "dry=1&tag=a%26b&tag={tag}", "X-Trace: 7", '{"parts": {parts}}'
    )
    assert FileSavedRequests(where.requests_directory).read() == (
        SavedRequest("Split a lot", form, "For tickets", "split-a-lot"),
    )


def test_a_plan_can_be_carried_out(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    _copy(FILES / "plan.json", file)
    assert read_plan_file(file) == PlanFile(held.PLAN, held.LIVE, str(file))


@pytest.mark.parametrize(("link", "environment", "host", "place"), LINKS)
def test_a_link_opens_what_it_opened_and_is_written_as_it_was(
    link: str, environment: Environment, host: str, place: Place
) -> None:
    assert parse_link(link, environment, host, COLLECTIONS) == place
    assert link_to(environment, host, place) == link


@pytest.mark.parametrize("file", ["commands.txt", "key-ids.txt"])
def test_every_command_option_and_key_id_is_still_there(file: str) -> None:
    kept = kept_names(file)
    assert len(kept) > 100
    assert kept - names()[file] == set()


def test_the_page_promises_what_is_tested_here() -> None:
    page = text_of(page_named("stability"))
    assert f"Its schema has a number, now {VERSION}." in " ".join(page.split())
    promised = page.split("## Promised")[1].split("\n## ")[0]
    for what in ("commands and options", "command ids", "links", "saved requests", "plan files", "`state.toml`"):
        assert what in promised
