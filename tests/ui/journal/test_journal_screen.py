"""The journal of writes: what each line says, and the entry whole."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from svc_tui.core.credentials import Environment
from svc_tui.core.folded_text import search_words
from svc_tui.core.jsontext import number
from svc_tui.core.values import replace
from svc_tui.history.journal_rows import field_changes
from svc_tui.plans.journal_runs import PAGE, JournalItem, RunGroup, RunStatus
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import Author, Intent, JournalEntry, Outcome, RunWrites, entry_matches
from svc_tui.storage.scope import StorageScope
from svc_tui.ui.dialogs.entry_list import EntryScreen
from svc_tui.ui.journal.journal_screen import JournalAction, JournalChoice, JournalScreen, JournalSource
from svc_tui.ui.text import measure
from svc_tui.ui.widgets.inputs.text_input import TextInput
from svc_tui.ui.widgets.record.journal_lines import entry_details, entry_lines, shorten_place
from svc_tui.ui.writes.undo import UndoableWrite, UndoScreen
from svc_tui.writes.undo import inverse_of
from tests.ui.stage import Stage, picture, until

AT = datetime(2026, 11, 20, 5, 12, 7, tzinfo=UTC)
LIVE = Environment.LIVE


def entry(index: int = 1, outcome: Outcome | None = None, **given: object) -> JournalEntry:
    facts: dict[str, object] = {
        "at": AT,
        "method": "PATCH",
        "target": "/v1/operations/lots/lot-000001",
        "place": "operations/lots/lot-000001",
        "idempotency_key": "7b0c",
        "before": {"grade": "B", "massKg": number("12.0"), "note": None},
        "after": {"grade": "A", "massKg": number("12.00"), "note": ""},
        "ticket": "SUP-4711",
    }
    return JournalEntry(index, Intent(**{**facts, **given}), outcome)  # type: ignore[arg-type]


SCOPE = StorageScope("work", LIVE, "https://api.example.com")
DONE = Outcome(AT, "done", 200, request_id="req-9")


class JournalStage(Stage):
    """Opens the journal and keeps what it gave."""

    def __init__(self, items: Sequence[JournalItem], of_run: Sequence[JournalEntry] = ()) -> None:
        """`of_run` are the writes of the run in `items`, the newest first."""
        super().__init__()
        self._of_run = of_run
        self.gave: list[JournalChoice | None] = []
        self.copied: list[str] = []

        async def search(text: str) -> list[JournalItem]:
            entries = (item for item in items if isinstance(item, JournalEntry))
            return [entry for entry in entries if entry_matches(entry, search_words(text))]

        self._screen = JournalScreen(items, SCOPE, UTC, JournalSource(search, self._read), self._keep)

    async def _keep(self, text: str) -> None:
        self.copied.append(text)

    async def _read(self, group: RunGroup) -> RunGroup:
        known = {write.number for write in group.writes}
        return group.with_writes([write for write in self._of_run if write.number not in known][:PAGE])

    def on_mount(self) -> None:
        self.push_screen(self._screen, self.gave.append)


def test_a_line_says_when_where_what_for_which_ticket_and_how_it_ended() -> None:
    first, second = entry_lines(entry(outcome=DONE), LIVE, UTC).plain.split("\n")
    assert first.startswith("2026-11-20 05:12  LIVE  PATCH   operations/lots/lot-000001 ")
    assert first.endswith("  ✓ done")
    assert second.split("   ")[0].strip() == 'grade: "B" → "A"'
    assert 'note: null → ""' in second
    assert "massKg: 12.0 → 12.00" in second
    assert second.endswith("SUP-4711")


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (DONE, "✓ done"),
        (Outcome(AT, "refused", 403), "✕ refused"),
        (Outcome(AT, "unknown"), "? unknown"),
        (Outcome(AT, "not sent"), "· not sent"),
        (None, "? unknown"),
        (Outcome(AT, "of a later version"), "? of a later version"),
    ],
)
def test_the_outcome_is_a_mark_and_a_word(outcome: Outcome | None, words: str) -> None:
    assert entry_lines(entry(outcome=outcome), LIVE, UTC).plain.split("\n")[0].endswith(words)


def test_a_delete_and_a_write_without_fields_say_so() -> None:
    deleted = entry(method="DELETE", before={"id": "lot-1"}, after=None)
    assert "deletes the record" in entry_lines(deleted, LIVE, UTC).plain
    assert '- id: "lot-1"' in entry_details(deleted, SCOPE, UTC).plain
    assert "no fields recorded" in entry_lines(entry(before=None, after=None), LIVE, UTC).plain
    assert "Changed fields unknown" in entry_details(entry(before=None, after=None), SCOPE, UTC).plain
    other = entry(method="POST", before={}, after=None, body_bytes=2048)
    assert "a body of 2.0 kB" in entry_lines(other, LIVE, UTC).plain
    assert "Changed fields unknown: a body of 2.0 kB." in entry_details(other, SCOPE, UTC).plain
    assert "no body" in entry_lines(entry(method="POST", before={}, after=None, body_bytes=0), LIVE, UTC).plain


def test_fields_sent_over_something_unknown_claim_nothing_about_it() -> None:
    sent = entry(before=None, after={"grade": "A"})
    assert 'grade: → "A"' in entry_lines(sent, LIVE, UTC).plain
    assert '+ grade: "A"' in entry_details(sent, SCOPE, UTC).plain
    assert "not set" not in entry_lines(sent, LIVE, UTC).plain + entry_details(sent, SCOPE, UTC).plain


@pytest.mark.parametrize(
    ("cells", "place", "target", "told"),
    [
        (26, "operations/lots/lot-000002", "", "operations/lots/lot-000002"),
        (25, "operations/lots/lot-000002", "", "lots/lot-000002"),
        (14, "operations/lots/lot-000002", "", "…/lot-000002"),
        (11, "operations/lots/lot-000002", "", "…lot-000002"),
        (6, "operations/lots/lot-000002", "", "…00002"),
        (26, "", "/v1/operations/lots/lot-000002?notify=false", "operations/lots/lot-000002"),
        (20, "", "/v1/operations/lots/lot-000002/split", "…/lot-000002/split"),
        (40, "operations/lots/lot-000002", "/v1/operations/lots/lot-000002/split", "operations/lots/lot-000002/split"),
        (12, "", "/v1/operations/lots", "lots"),
    ],
)
def test_the_end_of_a_place_is_told(cells: int, place: str, target: str, told: str) -> None:
    assert shorten_place(entry(place=place, target=target).intent, cells) == told


@pytest.mark.parametrize(("size", "name"), [((80, 24), "lots/lot-000001"), ((60, 16), "lots/lot-000001")])
async def test_the_record_and_the_outcome_are_in_the_line_in_a_small_terminal(size: tuple[int, int], name: str) -> None:
    refused = Outcome(AT, "refused", 403)
    app = JournalStage([entry(2, refused), entry(1, refused)])
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: sum(f"{name} " in line and "✕ refused" in line for line in picture(app)) == 2)
        await pilot.press("j")
        await pilot.resize_terminal(76, 24)
        await until(pilot, lambda: any("LIVE" in line for line in picture(app)))
        await pilot.press("enter")
        await until(pilot, lambda: any("Change 1" in line for line in picture(app)))


def test_a_new_field_was_not_set_before() -> None:
    change = field_changes(entry(before={}, after={"grade": "A"}).intent)
    assert len(change) == 1
    assert "grade: not set" in entry_lines(entry(before={}, after={"grade": "A"}), LIVE, UTC).plain


def test_long_values_are_cut_in_the_list_and_lines_keep_their_width() -> None:
    long = entry(before={"note": "x" * 400}, after={"note": "[/x]\x1b[2J" * 90}, place="operations/lots/" + "9" * 90)
    assert [len(line) for line in entry_lines(long, LIVE, UTC).plain.split("\n")] == [70, 70]


async def test_enter_shows_the_entry_whole_and_escape_comes_back() -> None:
    app = JournalStage([entry(2, DONE), entry(1, Outcome(AT, "refused", 403, "no scope\nask for it"))])
    async with app.run_test(size=(80, 30)) as pilot:
        assert any("Journal · 2" in line for line in picture(app))
        await pilot.press("j", "enter")
        assert isinstance(app.screen, EntryScreen)
        shown = "\n".join(picture(app))
        for words in ("Change 1", "✕ refused · 403", "no scope", "ask for it", "SUP-4711", "7b0c", "- B", "+ A"):
            assert words in shown
        await pilot.press("escape")
        assert isinstance(app.screen, JournalScreen)
        await pilot.press("escape")
        assert app.gave == [None]


def test_an_entry_as_plain_text_is_the_proof_of_it() -> None:
    proof = entry_details(entry(7, DONE), SCOPE, UTC).plain
    for words in (
        "LIVE",
        "work · api.example.com",
        "PATCH /v1/operations/lots/lot-000001",
        "SUP-4711",
        "✓ done · 200 · 2026-11-20 05:12:07 UTC",
        "req-9",
        "- B",
        "+ A",
    ):
        assert words in proof


async def test_y_copies_the_write_under_the_cursor() -> None:
    app = JournalStage([entry(2), entry(1)])
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: any("lot-000001" in line for line in picture(app)))
        await pilot.press("down", "y")
        await until(pilot, lambda: len(app.copied) == 1)
        assert re.match(r"entry +1\n", app.copied[0])


async def test_an_empty_journal_says_so() -> None:
    app = JournalStage([])
    async with app.run_test(size=(80, 24)) as pilot:
        assert any("No changes yet." in line for line in picture(app))
        await pilot.press("j", "enter", "escape")
        assert app.gave == [None]


async def test_a_slash_searches_as_one_types_and_escape_takes_the_search_back_first() -> None:
    app = JournalStage([entry(2, DONE, ticket="SUP-2"), entry(1, DONE, ticket="SUP-1")])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"sup-1")
        await until(pilot, lambda: any("Journal · 1 found" in line for line in picture(app)))
        assert not any("SUP-2" in line for line in picture(app))
        await pilot.press("enter", "down", "enter")
        await until(pilot, lambda: any("Change 1" in line for line in picture(app)))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: any("Journal · 2" in line for line in picture(app)))
        assert any("SUP-2" in line for line in picture(app))
        await pilot.press("escape")
        assert app.gave == [None]


async def test_a_search_that_finds_nothing_says_so() -> None:
    app = JournalStage([entry(1, DONE)])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"nowhere")
        await until(pilot, lambda: any("No matches" in line for line in picture(app)))


@pytest.mark.parametrize(
    ("keys", "wish"),
    [
        (["ctrl+e"], JournalChoice(JournalAction.EXPORT)),
        (["p"], JournalChoice(JournalAction.PRUNE)),
        (["b"], JournalChoice(JournalAction.RESUME)),
        (["u"], JournalChoice(JournalAction.UNDO, number=1)),
    ],
)
async def test_what_is_to_be_done_with_the_journal_is_given(keys: list[str], wish: JournalChoice) -> None:
    app = JournalStage([entry(1, DONE)])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*keys)
        assert app.gave == [wish]


async def test_letters_in_the_search_are_letters() -> None:
    app = JournalStage([entry(1, DONE)])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"pbjk")
        assert app.gave == []
        assert app.screen.query_one(TextInput).value == "pbjk"


async def test_a_search_that_fails_says_why_to_the_letter() -> None:
    async def fails(text: str) -> list[JournalEntry]:
        raise StoreError("/home/[/x]/svc-tui.db can't be read")

    async def copy(text: str) -> None:
        pytest.fail("nothing was to be copied")

    async def read(group: RunGroup) -> RunGroup:
        pytest.fail("nothing was to be unfolded")

    app = Stage()
    async with app.run_test(size=(120, 30)) as pilot:
        app.push_screen(JournalScreen([entry()], SCOPE, UTC, JournalSource(fails, read), copy))
        await until(pilot, lambda: any("lot-000001" in line for line in picture(app)))
        await pilot.press("slash")
        line = app.screen.query_one(TextInput)
        await until(pilot, lambda: line.has_focus)
        await pilot.press("x")
        await until(pilot, lambda: any("/home/[/x]/svc-tui.db can't be read" in row for row in picture(app)))


def run_of(*numbers: int, status: RunStatus = RunStatus.DONE) -> tuple[RunGroup, list[JournalEntry]]:
    """The line of a run with these writes, the newest first, and the writes."""
    writes = [
        entry(number, DONE, batch="b-1", row=number, place=f"operations/lots/lot-{number:06}", target="")
        for number in numbers
    ]
    results = {"done": len(writes) - 1, "refused": 1}
    run = RunWrites("b-1", writes[-1], writes[0], len(writes), results, {"PATCH": len(writes) - 1})
    return RunGroup(run, f"grade of {len(writes)} lots", status, more=0), writes


@pytest.mark.parametrize("keys", [("enter", "enter"), ("space", "space"), ("right", "left")])
async def test_a_run_is_one_line_that_a_key_unfolds_and_folds(keys: tuple[str, str]) -> None:
    group, writes = run_of(7, 6, 5, status=RunStatus.UNDONE)
    app = JournalStage([entry(9, DONE), group, entry(1, DONE)], writes)
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: any("▸ 3 changes · grade of 3 lots" in line for line in picture(app)))
        shown = "\n".join(picture(app))
        assert "Journal · 5" in shown
        assert re.search(r"  2 done, 1 refused · undone +SUP-4711", shown)
        assert "lot-000006" not in shown
        await pilot.press("j", keys[0])
        await until(pilot, lambda: any("lot-000006" in line for line in picture(app)))
        assert any("▾ 3 changes" in line for line in picture(app))
        below = [line for line in picture(app) if "operations/lots" in line]
        assert [re.search(r"lot-0*(\d+)", line)[1] for line in below] == ["1", "7", "6", "5", "1"]  # type: ignore[index]
        assert below[1].index("2026") == below[0].index("2026") + 2
        await pilot.press(keys[1])
        await until(pilot, lambda: not any("lot-000006" in line for line in picture(app)))


async def test_left_on_a_write_of_a_run_folds_it_and_goes_to_its_line() -> None:
    group, writes = run_of(7, 6, 5)
    app = JournalStage([group, entry(1, DONE)], writes)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("right")
        await until(pilot, lambda: any("lot-000006" in line for line in picture(app)))
        await pilot.press("j", "j", "left")
        await until(pilot, lambda: not any("lot-000006" in line for line in picture(app)))
        await pilot.press("u")
        assert app.gave == [JournalChoice(JournalAction.UNDO, run="b-1")]


async def test_a_write_of_a_run_is_shown_whole_copied_and_taken_back_by_itself() -> None:
    group, writes = run_of(7, 6, 5)
    app = JournalStage([group], writes)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("y")
        await until(pilot, lambda: len(app.copied) == 1)
        for words in (r"run +b-1", r"what +grade of 3 lots", r"3 changes: 2 done, 1 refused", r"entries +5 to 7"):
            assert re.search(words, app.copied[0])
        await pilot.press("enter", "j", "j", "enter")
        await until(pilot, lambda: any("Change 6" in line for line in picture(app)))
        await pilot.press("escape", "u")
        assert app.gave == [JournalChoice(JournalAction.UNDO, number=6)]


async def test_a_long_run_is_listed_in_parts() -> None:
    group, writes = run_of(*range(PAGE + 20, 0, -1))
    app = JournalStage([group], writes)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("enter", "end")
        await until(pilot, lambda: any("20 more: press enter to list them" in line for line in picture(app)))
        await pilot.press("enter", "end")
        await until(pilot, lambda: any("lots/lot-000001 " in line for line in picture(app)))
        assert not any("more: press enter" in line for line in picture(app))


async def test_what_a_search_found_in_a_run_is_counted_by_its_finds() -> None:
    group, writes = run_of(7, 6, 5)
    found = replace(group, writes=tuple(writes[:2]), unfolded=True, found=True, more=None)
    app = JournalStage([found])
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: any("Journal · 2" in line for line in picture(app)))
        assert any("more matches; add words" in line for line in picture(app))
        await pilot.press("end", "enter", "home", "left")
        await until(pilot, lambda: not any("lot-000006" in line for line in picture(app)))


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_how_a_run_ended_is_in_its_line_in_a_small_terminal(size: tuple[int, int]) -> None:
    group, _ = run_of(2, 1, status=RunStatus.CUT_SHORT)
    app = JournalStage([group])
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: any("▸ 2 changes · grade of 2 lots" in line for line in picture(app)))
        assert any("1 done, 1 refused · stopped" in line for line in picture(app))


ADA = Author("ada", "desk-3", "c1")
HOSTILE = Author("[/x]\x1b[2J\u202eeve [bold", "\x9b[/y]", "c2")


def theirs(author: Author = ADA, number: int = -7, **given: object) -> JournalEntry:
    return replace(entry(number, DONE, **given), author=author)


def test_a_colleagues_write_says_whose_it_is_on_the_line_of_what_was_changed() -> None:
    first, second = entry_lines(theirs(), LIVE, UTC, who="ada (desk-3)").plain.split("\n")
    own = entry_lines(entry(outcome=DONE), LIVE, UTC).plain.split("\n")
    assert first == own[0]
    assert second.startswith('  ada (desk-3)  grade: "B" → "A"')
    assert second.endswith("SUP-4711")
    assert measure(second) == measure(own[1])


def test_the_whole_of_a_colleagues_write_says_by_whom_and_what_both_clocks_said() -> None:
    told = entry_details(replace(theirs(), received=AT + timedelta(seconds=59)), SCOPE, UTC).plain
    assert re.search(r"^by +ada on desk-3$", told, re.MULTILINE)
    assert "received" not in told
    assert "profile" not in told
    assert "-7" not in told
    late = entry_details(replace(theirs(), received=AT - timedelta(hours=1)), SCOPE, UTC).plain
    assert re.search(r"^when +2026-11-20 05:12:07 UTC by the author's clock$", late, re.MULTILINE)
    assert re.search(r"^received +2026-11-20 04:12:07 UTC by the server's clock$", late, re.MULTILINE)


def test_fields_that_stayed_with_a_colleague_are_named_as_kept_back() -> None:
    some = replace(theirs(), masked=("email", "who.phone"))
    assert "email, who.phone masked" in entry_lines(some, LIVE, UTC, 120).plain
    assert re.search(
        r"^masked +email, who.phone \(values not shared\)", entry_details(some, SCOPE, UTC).plain, re.MULTILINE
    )
    all_of_it = replace(theirs(before={}, after={}), masked=tuple(f"field{number}" for number in range(1_000)))
    assert "field7 and 992 more masked" in entry_lines(all_of_it, LIVE, UTC, 120).plain
    assert "not known" not in entry_details(all_of_it, SCOPE, UTC).plain


async def test_a_colleagues_run_says_whose_it_is_and_names_from_outside_harm_no_list() -> None:
    last = theirs(HOSTILE, batch="b-1")
    group = RunGroup(RunWrites("b-1", last, last, 3, {"done": 3}, {"PATCH": 3}), "grade of 3 lots")
    other = replace(HOSTILE, chain="c3")
    app = JournalStage([theirs(other, -9), group])
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "3 done" in "\n".join(picture(app)))
        shown = "\n".join(picture(app))
        assert shown.count("[/x]␛[2J⟨202e⟩eve") == 2
        await pilot.press("enter")
        await until(pilot, lambda: "eve [bold on ⟨009b⟩[/y]" in "\n".join(picture(app)))
        await pilot.press("escape", "down", "y")
        await until(pilot, lambda: bool(app.copied))
        assert re.search(r"^by +\[/x\]␛\[2J⟨202e⟩eve \[bold on ⟨009b⟩\[/y\]$", app.copied[0], re.MULTILINE)


async def test_the_list_of_what_can_be_undone_says_whose_each_write_is() -> None:
    app, choices = Stage(), [UndoableWrite(write, inverse_of(write)) for write in (theirs(HOSTILE), theirs(), entry())]
    async with app.run_test(size=(100, 30)) as pilot:
        await app.push_screen(UndoScreen("Undo", choices, AT))
        await until(pilot, lambda: "ada  Change" in "\n".join(picture(app)))
        assert "[/x]␛[2J⟨202e⟩eve" in "\n".join(picture(app))


async def test_why_a_write_cannot_be_undone_is_said_in_full_below_the_whole_id() -> None:
    write = entry(before={}, after={"note": "Weighed again"})
    app, choices = Stage(), [UndoableWrite(write, inverse_of(write))]
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(UndoScreen("Undo", choices, AT))
        await until(pilot, lambda: "lot-000001" in "\n".join(picture(app)))
        shown = " ".join("\n".join(picture(app)).replace("│", " ").split())
        assert "The record did not have these fields, and a change can't remove a field." in shown
