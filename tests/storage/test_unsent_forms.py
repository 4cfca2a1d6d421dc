"""Forms that were begun come back as they were, by what they are for, and are gone once they are dropped."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from svc_tui.core.catalog import SPLIT, VERIFY, Collection
from svc_tui.core.field_forms import (
    BlankMeaning,
    FieldForm,
    FormAction,
    FormLine,
    FormTarget,
    SavedForm,
    fill_from_record,
    form_for,
)
from svc_tui.core.jsontext import Number
from svc_tui.core.kinds import Kind
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.storage.store import Store
from tests.storage.conftest import LOTS, NOW, OTHER_SHELF, SHELF, an_intent

HARD = Record({
    "id": "lot-1",
    "massKg": Number("12345678901234567890.10"),
    "name": "Łódź 🚂 \ud800 [/x]",
    "nested": {"b": [Number("0.0"), None, True], "a": ""},
    "note": None,
    "tag": "",
})  # fmt: skip
NEW = FormTarget(FormAction.NEW, LOTS)
PURPOSES = [
    NEW,
    FormTarget(FormAction.NEW, LOTS.spelled("batches")),
    FormTarget(FormAction.COPY, LOTS, "lot/1 ü"),
    FormTarget(FormAction.AGAIN, LOTS, "lot/1 ü"),
    FormTarget(FormAction.ACTION, LOTS, "lot-1", SPLIT),
    FormTarget(FormAction.ACTION, LOTS, "lot-1", replace(VERIFY, method="POST")),
    FormTarget(FormAction.NEW, Collection("operations", "attachments", "files", "/v1/operations/lots/lot%2F1")),
]


def a_form(purpose: FormTarget = NEW, text: str = "typed") -> SavedForm:
    """A form with a line of its own beside those of a record that is hard to keep."""
    own = FormLine("own", Kind.TEXT, text, needed=True, takes="JSON")
    return SavedForm(
        purpose, FieldForm((*fill_from_record(form_for([HARD]), HARD).lines, own, FormLine("blank", Kind.TIME))), NOW
    )


def written(path: Path) -> int:
    """How many forms are on the disk."""
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM forms").fetchone()[0])


async def test_a_form_comes_back_as_it_was_for_each_purpose(path: Path) -> None:
    kept = [a_form(purpose, f"text {number}") for number, purpose in enumerate(PURPOSES)]
    async with Store.open(path) as store:
        for form in kept:
            await store.forms(SHELF).keep(form)
    async with Store.open(path) as store:
        found = await store.forms(SHELF).all()
        assert await store.forms(OTHER_SHELF).all() == []
    assert {form.purpose: form for form in found} == {form.purpose: form for form in kept}
    values = found[0].form.values
    assert str(values["massKg"]) == "12345678901234567890.10"
    assert (values["note"], values["tag"]) == (None, "")
    assert found[0].form.line("blank") == FormLine("blank", Kind.TIME, blank=BlankMeaning.NOT_SENT)


async def test_the_last_state_counts_and_the_last_changed_comes_first(store: Store) -> None:
    forms = store.forms(SHELF)
    await forms.keep(a_form(text="t"))
    await forms.keep(a_form(PURPOSES[2]))
    later = replace(a_form(text="typed on"), changed=NOW + timedelta(seconds=1))
    await forms.keep(later)
    assert await forms.all() == [later, a_form(PURPOSES[2])]


async def test_a_dropped_form_is_gone_from_the_disk_at_once(store: Store, path: Path) -> None:
    forms = store.forms(SHELF)
    await forms.keep(a_form())
    assert await forms.all()
    assert written(path) == 1
    await forms.keep(a_form(text="and more"))
    await forms.drop(NEW)
    assert written(path) == 0


async def test_what_waits_is_written_when_the_store_is_closed(path: Path) -> None:
    async with Store.open(path) as store:
        await store.forms(SHELF).keep(a_form())
    assert written(path) == 1


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("purpose", "{}"),
        ("purpose", '["never","[]"]'),
        ("purpose", '["action","[\\"a\\",\\"b\\",\\"\\",\\"\\",\\"\\"]",["x","POST","/v1/x",[["a"]],""]]'),
        ("form", "{}"),
        ("form", '[{"name":"x"}]'),
        ("form", '[{"name":"x","kind":"never","text":"","blank":"NULL","needed":false,"takes":""}]'),
        ("changed", "yesterday"),
    ],
)
async def test_a_form_that_can_not_be_read_is_told_and_hides_no_other(path: Path, column: str, said: str) -> None:
    async with Store.open(path) as store:
        await store.forms(SHELF).keep(a_form())
        await store.forms(SHELF).keep(a_form(PURPOSES[2]))
    with closing(sqlite3.connect(path)) as connection:
        assert column in ("purpose", "form", "changed")
        spoil = f"UPDATE forms SET {column} = ? WHERE purpose LIKE '%new%'"
        connection.execute(spoil, (said,))
        connection.commit()
    async with Store.open(path) as store:
        assert store.notice == f"{path} has a form that can't be read; it is not shown"
        assert await store.forms(SHELF).all() == [a_form(PURPOSES[2])]
    assert written(path) == 2


async def on_disk(path: Path) -> dict[str, FieldForm]:
    """The forms that the next program finds, by what they are for, in words."""
    async with Store.open(path) as store:
        return {form.purpose.words: form.form for form in await store.forms(SHELF).all()}


async def test_two_programs_that_fill_in_the_same_form_keep_both(path: Path) -> None:
    async with Store.open(path) as one, Store.open(path) as two:
        mine, theirs = one.forms(SHELF), two.forms(SHELF)
        await mine.keep(a_form(text="one"))
        await mine.flush()
        await theirs.keep(a_form(text="t"))
        await theirs.flush()
        await theirs.keep(a_form(text="two"))
        await theirs.flush()
        assert await on_disk(path) == {
            "new record in operations/lots": a_form(text="one").form,
            "new record in operations/lots (2)": a_form(text="two").form,
        }
        await mine.keep(a_form(text="one more"))
        await mine.flush()
        await theirs.drop(NEW)
        assert await on_disk(path) == {"new record in operations/lots": a_form(text="one more").form}
        await mine.drop(NEW)
    assert await on_disk(path) == {}


@pytest.mark.parametrize("purpose", PURPOSES)
async def test_a_second_form_comes_back_for_each_purpose(path: Path, purpose: FormTarget) -> None:
    for number in (0, 2, 3):
        async with Store.open(path) as store:
            await store.forms(SHELF).keep(a_form(purpose, f"text {number}"))
    async with Store.open(path) as store:
        found = {form.purpose: form.form for form in await store.forms(SHELF).all()}
    assert found == {replace(purpose, number=number): a_form(purpose, f"text {number}").form for number in (0, 2, 3)}


async def test_a_form_that_another_program_goes_on_with_is_not_removed_with_ones_own_state_of_it(path: Path) -> None:
    async with Store.open(path) as store:
        await store.forms(SHELF).keep(a_form(text="begun"))
    async with Store.open(path) as one, Store.open(path) as two:
        mine, theirs = one.forms(SHELF), two.forms(SHELF)
        assert await mine.all() == await theirs.all() == [a_form(text="begun")]
        await theirs.keep(a_form(text="begun, and more"))
        await theirs.flush()
        await mine.drop(NEW)
        assert await theirs.find(NEW) == a_form(text="begun, and more")
        await theirs.drop(NEW)
        assert await theirs.find(NEW) is None


async def test_a_form_that_another_program_sent_is_known_to_be_gone(path: Path) -> None:
    async with Store.open(path) as store:
        await store.forms(SHELF).keep(a_form())
    async with Store.open(path) as one, Store.open(path) as two:
        mine, theirs = one.forms(SHELF), two.forms(SHELF)
        assert await mine.all() == await theirs.all() == [a_form()]
        await mine.drop(NEW)
        assert await theirs.find(NEW) is None


async def test_a_sent_form_names_its_journal_entry(path: Path) -> None:
    async with Store.open(path) as store:
        forms, journal = store.forms(SHELF), store.journal(SHELF)
        await forms.keep(a_form())
        await forms.keep(a_form(PURPOSES[2]))
        number = await journal.intend(an_intent(), NEW)
        assert number
        # What is typed on still comes from what was sent.
        await forms.keep(a_form(text="typed on"))
    async with Store.open(path) as store:
        found = {form.purpose: form.intent for form in await store.forms(SHELF).all()}
    assert found == {NEW: number, PURPOSES[2]: 0}


async def test_a_form_of_another_program_is_not_called_sent(path: Path) -> None:
    async with Store.open(path) as one, Store.open(path) as two:
        await one.forms(SHELF).keep(a_form(text="one"))
        await one.forms(SHELF).flush()
        await two.forms(SHELF).keep(a_form(text="two"))
        number = await two.journal(SHELF).intend(an_intent(), NEW)
    async with Store.open(path) as store:
        found = {form.purpose.number: form.intent for form in await store.forms(SHELF).all()}
    assert found == {0: 0, 2: number}
