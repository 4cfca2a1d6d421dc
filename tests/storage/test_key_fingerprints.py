"""Fingerprints of keys, and the lines that carry them: whose they are, with no key in any file."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.core.draft import Draft
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.storage.database import open_database
from svc_tui.storage.drafts import SavedDraft
from svc_tui.storage.key_fingerprints import FILE_NAME, KeyFingerprints, KeyInUse
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from tests.stability import held

NORTH, SOUTH, NEW_NORTH = "svc_test_north", "svc_test_south", "svc_test_north_2"
SCOPE = StorageScope("work", Environment.SANDBOX, "http://127.0.0.1:1")
LOTS = COLLECTIONS[0]


@pytest.fixture
def fingerprints(tmp_path: Path) -> KeyFingerprints:
    """Those of a machine."""
    return KeyFingerprints(tmp_path / FILE_NAME)


def test_a_fingerprint_tells_keys_apart_and_is_of_no_use_on_another_machine(tmp_path: Path) -> None:
    here, same, elsewhere = (KeyFingerprints(tmp_path / name / FILE_NAME) for name in ("here", "here", "elsewhere"))
    assert here.of(NORTH) == same.of(NORTH) != here.of(SOUTH)
    assert here.of(NORTH) != elsewhere.of(NORTH)
    assert len(here.of(NORTH)) == 16


def test_no_key_is_in_the_file(fingerprints: KeyFingerprints, tmp_path: Path) -> None:
    fingerprints.remember(SCOPE, "keyring svc-tui/work", fingerprints.of(NORTH))
    fingerprints.add_rotation(fingerprints.of(NORTH), SOUTH)
    written = b"".join(path.read_bytes() for path in tmp_path.glob(f"{FILE_NAME}*"))
    assert b"svc-tui/work" in written
    assert NORTH.encode() not in written
    assert SOUTH.encode() not in written


def test_rotations_follow_one_another_and_may_lead_back(fingerprints: KeyFingerprints, tmp_path: Path) -> None:
    first = fingerprints.of(NORTH)
    for old, new in ((NORTH, NEW_NORTH), (NEW_NORTH, "svc_test_north_3"), ("svc_test_north_3", NORTH)):
        fingerprints.add_rotation(fingerprints.of(old), new)
        assert fingerprints.of(new) == first
    assert KeyFingerprints(tmp_path / FILE_NAME).of("svc_test_north_3") == first
    assert fingerprints.of(SOUTH) != first


def test_a_key_that_was_used_before_it_took_anothers_place_takes_its_lines_along(
    fingerprints: KeyFingerprints,
) -> None:
    before = fingerprints.of(NEW_NORTH)
    fingerprints.add_rotation(fingerprints.of(NORTH), NEW_NORTH)
    assert not KeyInUse(fingerprints, lambda: NEW_NORTH).is_other(before)
    assert not KeyInUse(fingerprints, lambda: NORTH).is_other(before)


def test_a_rotation_by_another_program_is_seen_when_its_key_comes(tmp_path: Path) -> None:
    browser, command = KeyFingerprints(tmp_path / FILE_NAME), KeyFingerprints(tmp_path / FILE_NAME)
    first = browser.of(NORTH)
    command.add_rotation(command.of(NORTH), NEW_NORTH)
    assert browser.of(NEW_NORTH) == first


def test_what_a_profile_used_last_is_that_of_the_source_its_key_comes_from(
    fingerprints: KeyFingerprints, tmp_path: Path
) -> None:
    fingerprints.remember(SCOPE, "keyring svc-tui/work", fingerprints.of(NORTH))
    again = KeyFingerprints(tmp_path / FILE_NAME)
    assert again.last_used(SCOPE, "keyring svc-tui/work") == fingerprints.of(NORTH)
    assert again.last_used(SCOPE, "keyring svc-tui/other") == ""
    assert again.last_used(replace(SCOPE, profile="home"), "keyring svc-tui/work") == ""


def _remove(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def _damage(path: Path) -> None:
    _remove(path)
    path.write_bytes(b"damaged" * 1000)
    path.chmod(0o600)


@pytest.mark.parametrize("lose", [_remove, _damage])
def test_a_file_that_is_lost_while_the_program_runs_is_written_again_with_the_same_salt(
    tmp_path: Path, lose: Callable[[Path], None]
) -> None:
    path = tmp_path / FILE_NAME
    fingerprints = KeyFingerprints(path)
    north = fingerprints.of(NORTH)
    fingerprints.add_rotation(north, NEW_NORTH)
    lose(path)
    south = fingerprints.of(SOUTH)
    again = KeyFingerprints(path)
    assert (again.of(NORTH), again.of(NEW_NORTH), again.of(SOUTH)) == (north, north, south)
    lose(path)
    fingerprints.remember(SCOPE, "keyring svc-tui/work", north)
    assert KeyFingerprints(path).last_used(SCOPE, "keyring svc-tui/work") == north
    lose(path)
    fingerprints.add_rotation(south, "svc_test_south_2")
    assert KeyFingerprints(path).of("svc_test_south_2") == south


# The lines


async def _made_with(key: KeyInUse | None, store: Store) -> None:
    """Write a line of each kind."""
    draft = Draft(Record({"id": "lot-000001", "name": "Ore"}), {"name": "Slag"})
    await store.drafts(SCOPE, key).keep(SavedDraft(LOTS, "lot-000001", draft, datetime.now(UTC)))
    await store.forms(SCOPE, key).keep(held.FORM)
    await store.forms(SCOPE, key).flush()
    await store.runs(SCOPE, key).keep(held.PLAN)
    await store.journal(SCOPE, "", key).intend(held.DONE)
    await store.history(SCOPE, 10, key).begin(held.SENT)


async def _others(key: KeyInUse, store: Store) -> list[bool]:
    """Whether draft, form, run and write are another key's."""
    (run,), (entry,) = await store.runs(SCOPE, key).runs(), await store.journal(SCOPE, "", key).entries()
    return [
        await store.drafts(SCOPE, key).is_of_other_key(LOTS, "lot-000001"),
        await store.forms(SCOPE, key).is_of_other_key(held.FORM.purpose),
        run.other_key,
        entry.other_key,
    ]


async def test_lines_are_those_of_the_key_they_were_made_with_also_after_its_rotation(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "svc-tui.db") as store:
        north, south = KeyInUse(store.fingerprints, lambda: NORTH), KeyInUse(store.fingerprints, lambda: SOUTH)
        await _made_with(north, store)
        assert await _others(north, store) == [False] * 4
        assert await _others(south, store) == [True] * 4
        store.fingerprints.add_rotation(store.fingerprints.of(NORTH), NEW_NORTH)
        assert await _others(KeyInUse(store.fingerprints, lambda: NEW_NORTH), store) == [False] * 4
        assert len(await store.history(SCOPE, 10, south).entries()) == 1
    with closing(open_database(tmp_path / "svc-tui.db").connection) as database:
        (said,) = database.execute("SELECT said FROM history").fetchone()
    assert store.fingerprints.of(NORTH) in said


async def test_lines_without_a_fingerprint_are_those_of_the_key_in_use(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "svc-tui.db") as store:
        await _made_with(None, store)
        assert await _others(KeyInUse(store.fingerprints, lambda: SOUTH), store) == [False] * 4


async def test_a_draft_and_a_form_that_are_gone_on_with_stay_those_of_their_first_key(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "svc-tui.db") as store:
        north, south = KeyInUse(store.fingerprints, lambda: NORTH), KeyInUse(store.fingerprints, lambda: SOUTH)
        await _made_with(north, store)
        (draft,) = await store.drafts(SCOPE, south).all()
        await store.drafts(SCOPE, south).keep(replace(draft, draft=draft.draft.with_value("name", "Sand")))
        await store.forms(SCOPE, south).all()
        await store.forms(SCOPE, south).keep(replace(held.FORM, changed=datetime.now(UTC)))
        assert (await _others(south, store))[:2] == [True, True]
        await store.drafts(SCOPE, south).drop(LOTS, "lot-000001")
        await store.drafts(SCOPE, south).keep(draft)
        assert (await _others(south, store))[:2] == [False, True]


async def test_two_programs_that_begin_at_once_have_one_salt(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    made = await asyncio.gather(*(asyncio.to_thread(KeyFingerprints, path) for _ in range(8)))
    assert len({one.of(NORTH) for one in made}) == 1
