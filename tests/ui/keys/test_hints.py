"""Which hint is due: by where somebody is and how things stand, by what they did, by how often they saw it."""

import pytest

from svc_tui.ui.keys.focused_pane import FocusedPane
from svc_tui.ui.keys.hints import HINTS, MAX_SESSIONS, Hint, HintContext, HintProgress

TABLE, RECORD, CONSOLE = (
    HintContext(FocusedPane.TABLE),
    HintContext(FocusedPane.RECORD),
    HintContext(FocusedPane.CONSOLE),
)


def due(hinted: HintProgress, moment: HintContext) -> str:
    """The binding of the hint that is due; "" where none is."""
    hint = hinted.due(moment)
    return hint.binding if hint is not None else ""


def restarted(hinted: HintProgress) -> HintProgress:
    """The same in another session."""
    return HintProgress(hinted.sessions)


@pytest.mark.parametrize(
    ("moment", "binding"),
    [
        (TABLE, "go.find"),
        (RECORD, "record.next_tab"),
        (CONSOLE, "console.explain"),
        (HintContext(FocusedPane.SIDEBAR), ""),
        (HintContext(FocusedPane.RECORD, changed=True), "record.take_back"),
        (HintContext(FocusedPane.TABLE, written=True), "writes.journal"),
        (HintContext(FocusedPane.TABLE, changed=True, written=True), "record.take_back"),
        (HintContext(FocusedPane.CONSOLE, changed=True, written=True), "console.explain"),
    ],
)
def test_a_newcomer_is_told_what_fits_the_moment(moment: HintContext, binding: str) -> None:
    assert due(HintProgress(), moment) == binding


def test_what_was_done_is_told_no_more_and_the_next_is() -> None:
    hinted = HintProgress().shown("go.find").done("go.find")
    assert due(hinted, TABLE) == "marks.toggle"
    assert due(restarted(hinted), TABLE) == "marks.toggle"


def test_a_hint_that_is_told_to_be_shown_after_it_was_done_does_not_come_back() -> None:
    hinted = HintProgress().done("go.find")
    assert hinted.shown("go.find") == hinted
    assert due(hinted.shown("go.find"), TABLE) == "marks.toggle"


def test_what_was_done_before_it_was_told_is_never_told() -> None:
    assert due(HintProgress().done("record.next_tab"), RECORD) == "record.follow"


def test_a_hint_stands_until_the_end_of_its_last_session() -> None:
    hinted = HintProgress()
    for _ in range(MAX_SESSIONS):
        hinted = restarted(hinted)
        for _ in range(10):
            assert due(hinted, CONSOLE) == "console.explain"
            hinted = hinted.shown("console.explain")
    assert due(restarted(hinted), CONSOLE) == ""


def test_a_hint_that_is_done_in_its_last_session_goes_at_once() -> None:
    hinted = HintProgress({"console.explain": MAX_SESSIONS - 1}).shown("console.explain")
    assert due(hinted, CONSOLE) == "console.explain"
    assert due(hinted.done("console.explain"), CONSOLE) == ""


def test_nothing_is_kept_of_keys_that_no_hint_tells() -> None:
    assert HintProgress().done("table.down") == HintProgress()


def test_everything_comes_to_an_end() -> None:
    hinted = HintProgress()
    for hint in HINTS:
        hinted = hinted.done(hint.binding)
    moments = [HintContext(pane, changed, written=True) for pane in FocusedPane for changed in (False, True)]
    assert [hinted.due(moment) for moment in moments] == [None] * len(moments)


@pytest.mark.parametrize("hint", HINTS, ids=lambda hint: hint.binding)
def test_a_hint_leaves_room_for_keys(hint: Hint) -> None:
    assert len(hint.words) <= 36
