"""The first tour: what counts as done in each step, what is said where, and the way from step to step."""

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place
from svc_tui.core.values import replace
from svc_tui.ui.tour_steps import (
    CONCLUSION,
    INTRODUCTION,
    TOUR_STEPS,
    FocusedPane,
    OpenDialog,
    ScreenSnapshot,
    Tour,
    split_sentence,
)

LOTS, TUNNELS = COLLECTIONS[0], COLLECTIONS[1]
LOT, TUNNEL = Place(LOTS, "lot-000002"), Place(TUNNELS, "tun-13")

TABLE = ScreenSnapshot(here=Place(LOTS), rows=5000)
IN_RECORD = replace(TABLE, pane=FocusedPane.RECORD, record=True, here=LOT)
DRAFTED = replace(IN_RECORD, unsent=frozenset({("operations/lots/lot-000002", "name")}))
ON_CARD = replace(DRAFTED, dialog=OpenDialog.CARD)
IN_CONSOLE = replace(TABLE, pane=FocusedPane.CONSOLE)

WAY: list[tuple[str, list[ScreenSnapshot]]] = [
    ("Last record", [TABLE, replace(TABLE, at_end=True)]),
    (
        "Filter",
        [TABLE, replace(TABLE, typing_filter=True, filtered=True, rows=62), replace(TABLE, filtered=True, rows=62)],
    ),
    ("Record", [TABLE, IN_RECORD]),
    ("References", [IN_RECORD, replace(IN_RECORD, here=TUNNEL), replace(IN_RECORD, ahead=1)]),
    ("Edit", [IN_RECORD, replace(IN_RECORD, dialog=OpenDialog.EDITOR), DRAFTED]),
    ("Send", [DRAFTED, ON_CARD, replace(DRAFTED, busy=True), replace(IN_RECORD, written=1)]),
    (
        "Undo",
        [
            replace(IN_RECORD, written=1),
            replace(IN_RECORD, written=1, dialog=OpenDialog.UNDO),
            replace(ON_CARD, written=1),
            replace(IN_RECORD, written=2),
        ],
    ),
    (
        "Several records",
        [
            TABLE,
            replace(TABLE, marked=3),
            replace(TABLE, marked=3, dialog=OpenDialog.MENU),
            replace(TABLE, marked=3, dialog=OpenDialog.EDITOR),
            replace(TABLE, marked=3, dialog=OpenDialog.PLAN),
            replace(TABLE, marked=3, busy=True, written=2),
            replace(TABLE, written=3),
        ],
    ),
    (
        "Console",
        [TABLE, IN_CONSOLE, replace(IN_CONSOLE, answered=1), replace(IN_CONSOLE, dialog=OpenDialog.SIGNATURE)],
    ),
    (
        "Search and help",
        [replace(IN_CONSOLE, dialog=OpenDialog.SIGNATURE), TABLE, replace(TABLE, dialog=OpenDialog.HELP)],
    ),
]
"""For each step what is seen from its beginning to where it is done, in order."""


def at_step(title: str, since: ScreenSnapshot) -> Tour:
    number = [step.title for step in TOUR_STEPS].index(title)
    return Tour(since, number, feedback="")


def test_there_are_ten_steps_and_each_has_its_way_here() -> None:
    assert [step.title for step in TOUR_STEPS] == [title for title, _ in WAY]
    assert len(TOUR_STEPS) == 10


@pytest.mark.parametrize(("title", "sights"), WAY)
def test_a_step_is_done_by_the_last_of_what_it_takes_and_by_nothing_before(
    title: str, sights: list[ScreenSnapshot]
) -> None:
    first, *between, last = sights
    tour = at_step(title, first)
    for now in (first, *between):
        tour = tour.update(now)
        assert tour.title == title
    done = tour.update(last)
    assert done.at == tour.at + 1
    assert done.done
    assert done.feedback


@pytest.mark.parametrize(("title", "sights"), WAY)
def test_each_part_of_a_step_has_words_of_its_own(title: str, sights: list[ScreenSnapshot]) -> None:
    tour = at_step(title, sights[0])
    said: list[str] = []
    for now in sights[:-1]:
        tour = tour.update(now)
        if not now.busy:
            said.append(tour.words(now))
    assert len(set(said)) == len(said)


@pytest.mark.parametrize(
    ("title", "since", "now"),
    [
        ("Last record", TABLE, replace(TABLE, filtered=True)),
        ("Filter", TABLE, replace(TABLE, filtered=True, typing_filter=True)),
        ("Filter", TABLE, replace(TABLE, typing_filter=True)),
        ("Record", TABLE, replace(TABLE, record=True)),
        ("Record", TABLE, replace(TABLE, record=True, here=LOT)),
        ("References", TABLE, IN_RECORD),
        ("References", IN_RECORD, replace(IN_RECORD, here=Place(LOTS))),
        ("Edit", DRAFTED, DRAFTED),
        ("Edit", DRAFTED, IN_RECORD),
        ("Send", DRAFTED, IN_RECORD),
        ("Send", replace(DRAFTED, written=3), replace(DRAFTED, written=3, answered=9)),
        ("Undo", replace(IN_RECORD, written=1), replace(IN_RECORD, written=1, dialog=OpenDialog.PENDING)),
        ("Console", replace(IN_CONSOLE, answered=2), replace(IN_CONSOLE, answered=2, written=1)),
        ("Several records", TABLE, replace(TABLE, marked=2)),
        ("Search and help", replace(TABLE, dialog=OpenDialog.PALETTE), replace(TABLE, dialog=OpenDialog.PALETTE)),
    ],
)
def test_what_is_only_like_it_does_not_count(title: str, since: ScreenSnapshot, now: ScreenSnapshot) -> None:
    tour = at_step(title, since).update(now)
    assert (tour.title, tour.task) == (title, 0)


def test_a_reference_is_not_come_back_from_before_it_was_followed() -> None:
    tour = at_step("References", replace(IN_RECORD, ahead=0)).update(replace(IN_RECORD, ahead=1))
    assert (tour.title, tour.task) == ("References", 0)


@pytest.mark.parametrize(
    ("sights", "gone"),
    [(WAY[1][1], TABLE), (WAY[4][1], IN_RECORD)],
    ids=["filter cleared", "draft discarded"],
)
def test_what_was_done_is_no_longer_told_once_it_is_undone(sights: list[ScreenSnapshot], gone: ScreenSnapshot) -> None:
    first, *_, last = sights
    tour = next(at_step(title, first) for title, way in WAY if way is sights).update(last)
    assert tour.feedback
    assert tour.update(last) == tour
    later = tour.update(gone)
    assert (later.at, later.feedback, later.done) == (tour.at, "", False)


@pytest.mark.parametrize("before", [IN_RECORD, DRAFTED])
def test_an_edit_that_was_discarded_before_it_was_sent_is_made_again_in_the_editor(before: ScreenSnapshot) -> None:
    tour = at_step("Send", before)
    assert tour.words(replace(before, dialog=OpenDialog.EDITOR)) == "Type a new value and press enter."


def test_an_edit_that_was_begun_before_needs_another_one() -> None:
    more = replace(DRAFTED, unsent=DRAFTED.unsent | {("operations/lots/lot-000002", "grade")})
    assert at_step("Edit", DRAFTED).update(more).title == "Send"


def test_a_whole_tour_in_the_order_of_its_steps_comes_to_its_end() -> None:
    tour = Tour(TABLE)
    assert (tour.feedback, tour.done) == (INTRODUCTION, False)
    for title, sights in WAY:
        assert tour.title == title
        # What was counted before goes on being counted.
        tour = replace(tour, since=sights[0])
        for now in sights:
            tour = tour.update(now)
    assert tour.is_finished
    assert tour.words(TABLE) == CONCLUSION
    assert tour.update(TABLE) == tour


def test_a_step_back_waits_until_what_was_done_there_is_done_again() -> None:
    at_end = replace(TABLE, at_end=True)
    tour = at_step("Filter", at_end).back(at_end)
    assert tour.title == "Last record"
    tour = tour.update(at_end)
    assert tour.title == "Last record"
    assert tour.update(TABLE).update(at_end).title == "Filter"


def test_a_step_that_is_skipped_confirms_nothing() -> None:
    tour = Tour(TABLE).skip(TABLE)
    assert (tour.title, tour.feedback, tour.done) == ("Filter", "", False)


def test_one_cannot_skip_past_the_end_nor_go_back_past_the_beginning() -> None:
    tour = Tour(TABLE)
    for _ in range(len(TOUR_STEPS) + 3):
        tour = tour.skip(TABLE)
    assert tour.is_finished
    assert tour.back(TABLE).title == "Search and help"
    assert Tour(TABLE).back(TABLE).title == "Last record"


@pytest.mark.parametrize("step", range(len(TOUR_STEPS)))
def test_a_dialog_that_the_step_is_not_about_is_to_be_closed_first(step: int) -> None:
    assert (
        Tour(TABLE, step)
        .words(replace(TABLE, dialog=OpenDialog.OTHER))
        .startswith("Press {dialog.cancel} to close this")
    )


@pytest.mark.parametrize("step", range(len(TOUR_STEPS)))
def test_where_the_console_covers_what_a_step_is_about_it_is_to_be_left_first(step: int) -> None:
    leaves = Tour(IN_CONSOLE, step).words(IN_CONSOLE).startswith("Press {console.leave} to leave")
    assert leaves == (TOUR_STEPS[step].title != "Console")


def test_who_is_elsewhere_is_told_the_way() -> None:
    aside = replace(TABLE, pane=FocusedPane.SIDEBAR)
    assert at_step("Last record", aside).words(aside) == "Press {pane.table} to go to the table."
    assert at_step("References", TABLE).words(TABLE) == "Press {pane.record} to go to the record."
    asked = at_step("Console", IN_CONSOLE).update(replace(IN_CONSOLE, answered=1))
    assert asked.words(replace(TABLE, answered=1)) == "Press {pane.console} to go back to the console."


def test_a_step_can_be_gone_on_with_after_the_dialog_was_closed_again() -> None:
    tour = at_step("Send", DRAFTED).update(ON_CARD)
    assert "{card.send}" in tour.words(ON_CARD)
    assert "{record.review}" in tour.update(DRAFTED).words(DRAFTED)


def test_without_an_edit_one_is_to_be_made_before_it_can_be_sent() -> None:
    assert at_step("Send", IN_RECORD).words(IN_RECORD).startswith("Move to a text or number field")


def test_on_live_the_lock_comes_before_the_card() -> None:
    locked = replace(DRAFTED, locked=True)
    assert at_step("Send", locked).words(locked).startswith("LIVE is locked")


@pytest.mark.parametrize("title", ["Send", "Undo"])
def test_where_nothing_may_be_written_the_step_is_to_be_skipped(title: str) -> None:
    refused = replace(DRAFTED, locked=True, read_only=True)
    assert at_step(title, refused).words(refused).endswith("Press {tour.next} to skip this step.")


def test_a_key_that_signs_nothing_is_not_said_to_have_signed() -> None:
    signed, unsigned = (
        at_step("Console", IN_CONSOLE)
        .update(replace(IN_CONSOLE, answered=1, signs=signs))
        .update(replace(IN_CONSOLE, dialog=OpenDialog.SIGNATURE, signs=signs))
        .feedback
        for signs in (True, False)
    )
    assert "are signed" in signed
    assert "are not signed" in unsigned


def test_what_was_read_on_the_way_to_the_end_is_told_as_it_is() -> None:
    few, all_of_them = (
        Tour(TABLE).update(replace(TABLE, at_end=True, rows=5000, loaded=loaded)).feedback for loaded in (150, 5000)
    )
    assert few == "Row 5,000 of 5,000, without loading the rest."
    assert all_of_them == "Row 5,000 of 5,000, the last one."


def test_a_sentence_is_taken_apart_into_words_keys_and_what_is_typed() -> None:
    assert list(split_sentence("`lots` or more; {console.send} sends it.")) == [
        ("typed", "lots"),
        ("plain", " or more; "),
        ("key", "console.send"),
        ("plain", " sends it."),
    ]
