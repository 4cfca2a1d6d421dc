"""How runs stand: under way elsewhere, cut short, done, given up, or undone by another run that still counts."""

from collections.abc import Iterable
from enum import Enum

from svc_tui.domain.plans.ports import Run


class Standing(Enum):
    """How a run stands; the value is the word for it."""

    ELSEWHERE = "running in another window"
    CUT_SHORT = "stopped"
    DONE = "done"
    GIVEN_UP = "cancelled"
    UNDONE = "undone"


def standing(run: Run, undoers: Iterable[Run]) -> Standing:
    """How a run stands; `undoers` are the undos that count, as `standing_undos` gives them."""
    if run.ended is None:
        return Standing.ELSEWHERE if run.elsewhere else Standing.CUT_SHORT
    if any(undo.undoes == run.id for undo in undoers):
        return Standing.UNDONE
    return Standing.GIVEN_UP if run.given_up else Standing.DONE


def standing_undos(runs: Iterable[Run]) -> tuple[Run, ...]:
    """The runs that took another one back and still count: each the last undo of its run, and not undone itself.

    One that was given up or cut short, or of which rows failed or are unknown, took back only a part, so the run
    that it was for is not undone. Rows that a person left out of it are decided.
    """
    last: dict[str, Run] = {}
    for run in sorted(runs, key=lambda run: run.begun):
        is_partial = run.given_up or (run.counts is not None and run.counts.failed + run.counts.unknown > 0)
        if run.undoes and run.ended is not None and not is_partial:
            last[run.undoes] = run

    def is_undone(run: str, seen: frozenset[str] = frozenset()) -> bool:
        undo = last.get(run)
        return undo is not None and undo.id not in seen and not is_undone(undo.id, seen | {run})

    return tuple(undo for undo in last.values() if not is_undone(undo.id))
