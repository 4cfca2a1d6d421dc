"""The check of a chain: whatever was done to it is told, with the lines that it was done to."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from svc_tui.core.values import replace
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import ChainHead, SealedLine, seal
from svc_tui.team.chain_check import MAX_PROBLEMS, ChainVerifier, MachineChainCheck, lost_chain

ADA = Author("Ada", "desk-1", "5f0c0000-0000-4000-8000-000000000001")

Change = Callable[[list[SealedLine]], list[SealedLine]]


def chain(texts: Sequence[str], after: ChainHead | None = None) -> list[SealedLine]:
    """Lines that are sealed one behind the other."""
    head, lines = after or ChainHead(), list[SealedLine]()
    for text in texts:
        lines.append(seal(ADA.chain, head, text))
        head = ChainHead(lines[-1].sequence, lines[-1].digest)
    return lines


def anew(lines: Sequence[SealedLine], at: int, text: str) -> list[SealedLine]:
    """The chain written anew from one line on, as whoever owns the database could."""
    kept = list(lines[: at - 1])
    head = ChainHead(kept[-1].sequence, kept[-1].digest) if kept else ChainHead()
    return [*kept, *chain([text, *(line.text for line in lines[at:])], head)]


def verdict(lines: Sequence[SealedLine], known: Mapping[int, str], known_end: int, page: int = 2) -> MachineChainCheck:
    """What is found, a few lines at a time."""
    verifier = ChainVerifier(ADA)
    for start in range(0, len(lines), page):
        verifier.take(lines[start : start + page], known)
    return verifier.finish(known_end)


WHOLE = chain([f"line {number}" for number in range(1, 7)])
KNOWN = {line.sequence: line.digest for line in WHOLE}


def test_a_chain_that_is_as_it_was_written_has_no_problems_and_what_can_not_be_read_is_counted() -> None:
    assert verdict(WHOLE, KNOWN, 6) == MachineChainCheck(ADA, 6, unreadable=6)
    assert verdict(WHOLE, {}, 4).problems == ()
    assert verdict([], {}, 0) == MachineChainCheck(ADA, 0)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: [replace(lines[0], text="x"), *lines[1:]], ["entry 1 was changed after it was written"]),
        (lambda lines: [replace(line, text="x") for line in lines],
         ["entries 1 to 6 were changed after they were written"]),
        (lambda lines: [lines[0], *lines[3:]], ["entries 2 to 3 are missing"]),
        (lambda lines: lines[1:], ["entry 1 is missing"]),
        (lambda lines: lines[:5], ["entry 6 is missing at the end of the journal"]),
        (lambda lines: [], ["entries 1 to 6 are missing at the end of the journal"]),
        (lambda lines: anew(lines, 5, "x"),
         ["entries 5 to 6 differ from the copy on this computer: the journal was rewritten"]),
        (lambda lines: [*lines[:4], anew(lines, 5, "x")[4], lines[5]],
         ["entry 5 differs from the copy on this computer: the journal was rewritten",
          "entry 6 does not match the hash of the entry before it"]),
        (lambda lines: [replace(lines[0], chain="another"), *lines[1:]], ["entry 1 was changed after it was written"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("page", [1, 4])
def test_what_was_done_to_a_chain_is_told_with_its_lines(change: Change, told: list[str], page: int) -> None:
    assert [str(problem) for problem in verdict(change(WHOLE), KNOWN, 6, page).problems] == told


def test_of_a_chain_that_nobody_here_knows_only_what_is_in_itself_can_be_told() -> None:
    assert verdict(anew(WHOLE, 2, "x"), {}, 0).problems == ()
    (end,) = verdict(anew(WHOLE, 2, "x"), {6: KNOWN[6]}, 6).problems
    assert (end.first, end.last) == (6, 6)


def test_of_many_problems_the_first_are_told_and_that_there_are_more() -> None:
    lines = chain([str(number) for number in range(100)])
    found = verdict([line for line in lines if line.sequence % 2], {}, 0)
    assert (len(found.problems), found.more, found.lines) == (MAX_PROBLEMS, True, 50)
    assert str(lost_chain(ADA, 7).problems[0]) == "entries 1 to 7 are missing, and so is the name of the computer"
