"""The first tour: ten small things to do by hand on the demo, each noticed by what has really happened.

Sentences name keys by the ids of their bindings, `{table.last}`, so that those the user chose are shown. What is to be
typed stands in backticks.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Literal, TypeAlias

from svc_tui.domain.app.focused_pane import FocusedPane
from svc_tui.domain.model.records import Place


class OpenDialog(Enum):
    """The dialog that is open."""

    PENDING = auto()
    """One that was asked for, or what was decided in one is being carried out."""
    MENU = auto()
    EDITOR = auto()
    CARD = auto()
    UNLOCK = auto()
    UNDO = auto()
    PLAN = auto()
    SIGNATURE = auto()
    HELP = auto()
    PALETTE = auto()
    GO_TO = auto()
    FINDER = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class ScreenSnapshot:
    """What is on show and what has happened so far.

    `here` is the place opened last, `ahead` how many places there are to go forward to. `unsent` holds the place and
    the field of each edit. `written` counts the writes that were carried out, `answered` the console's answers.
    """

    pane: FocusedPane = FocusedPane.TABLE
    dialog: OpenDialog | None = None
    here: Place | None = None
    ahead: int = 0
    record: bool = False
    """Whether a record is open."""
    rows: int = 0
    """How many rows the table has, as far as is known."""
    held: int = 0
    """How many of the collection's records were read and are held."""
    at_end: bool = False
    """Whether the cursor is on the last record of the whole collection."""
    filtered: bool = False
    """Whether a filter is in force, or the service is asked to choose."""
    typing_filter: bool = False
    """Whether the line of the filter is open."""
    unsent: frozenset[tuple[str, str]] = frozenset()
    marked: int = 0
    """How many records are marked."""
    busy: bool = False
    """Whether a write is on its way."""
    locked: bool = False
    """Whether writes are refused until they are unlocked."""
    read_only: bool = False
    """Whether they are refused for good."""
    written: int = 0
    answered: int = 0
    signs: bool = True
    """Whether requests are signed."""


Condition: TypeAlias = Callable[[ScreenSnapshot], bool]


@dataclass(frozen=True, slots=True)
class Precondition:
    """A precondition of a task; `words` say how to meet it."""

    met: Condition
    words: str


@dataclass(frozen=True, slots=True)
class TourTask:
    """One thing to do: `done` is given the sight at its beginning and the one now.

    `over` are the dialogs in which its words hold; with `console` it is about the console, else about the panes that
    the console covers.
    """

    words: str
    done: Callable[[ScreenSnapshot, ScreenSnapshot], bool]
    needs: tuple[Precondition, ...] = ()
    over: frozenset[OpenDialog] = frozenset()
    console: bool = False


@dataclass(frozen=True, slots=True)
class TourStep:
    """One of the ten: what it is about, the deeds it takes, and the sentence that tells that it was done."""

    title: str
    tasks: tuple[TourTask, ...]
    feedback: Callable[[ScreenSnapshot], str]
    lasts: Condition = lambda now: True
    """Whether what was done still is so: else the sentence about it is no longer shown."""


# What has happened


def _on_record(now: ScreenSnapshot) -> bool:
    """Whether keys are about the record that was opened."""
    return now.pane is FocusedPane.RECORD and now.here is not None and now.here.record_id is not None


def _followed_reference(since: ScreenSnapshot, now: ScreenSnapshot) -> bool:
    """Whether a reference led from one record to another; the first record opened counts as none."""
    if since.here is None or now.here is None or now.here.record_id is None:
        return False
    return now.here != since.here and (since.record or now.here.collection != since.here.collection)


def _open_or_pending(dialog: OpenDialog) -> frozenset[OpenDialog]:
    return frozenset({dialog, OpenDialog.PENDING})


_EDITING, _REVIEWING, _UNDOING = (
    _open_or_pending(OpenDialog.EDITOR),
    _open_or_pending(OpenDialog.CARD),
    _open_or_pending(OpenDialog.UNDO),
)
_FINDER_DIALOGS = frozenset({OpenDialog.FINDER, OpenDialog.HELP, OpenDialog.PALETTE, OpenDialog.GO_TO})

_FEW_MARKED = 3
"""How many records are marked to see what can be done with them."""

_IN_TABLE = Precondition(lambda now: now.pane is FocusedPane.TABLE, "Press {pane.table} to go to the table.")
_IN_RECORD = Precondition(lambda now: now.pane is FocusedPane.RECORD, "Press {pane.record} to go to the record.")
_MAY_WRITE = Precondition(
    lambda now: not now.read_only, "This session is read-only. Press {tour.next} to skip this step."
)

TOUR_STEPS = (
    TourStep(
        "Last record",
        (
            TourTask(
                "Press {table.last} to go to the last record.",
                lambda since, now: now.at_end,
                (_IN_TABLE,),
            ),
        ),
        lambda now: (
            f"Row {now.rows:,} of {now.rows:,}"
            + (", without loading the rest." if now.held < now.rows else ", the last one.")
        ),
    ),
    TourStep(
        "Filter",
        (
            TourTask(
                "Press {filter.done} to apply the filter.",
                lambda since, now: now.filtered and not now.typing_filter,
                (
                    _IN_TABLE,
                    Precondition(
                        lambda now: now.filtered,
                        "Press {table.filter} and type a filter, such as `status:open`.",
                    ),
                ),
            ),
        ),
        lambda now: f"{now.rows:,} {'match' if now.rows == 1 else 'matches'}. {{table.unarrange}} clears the filter.",
        lambda now: now.filtered,
    ),
    TourStep(
        "Record",
        (
            TourTask(
                "Press {table.open} to open the record under the cursor.",
                lambda since, now: now.record and _on_record(now),
                (_IN_TABLE,),
            ),
        ),
        lambda now: "These are its fields. Tabs show JSON and history.",
    ),
    TourStep(
        "References",
        (
            TourTask(
                "Move down to a field marked →, such as tunnelId, and press {record.follow}.",
                _followed_reference,
                (_IN_RECORD,),
            ),
            TourTask(
                "Press {go.back} to go back.",
                lambda since, now: now.ahead > since.ahead and (_on_record(now) or not now.record),
            ),
        ),
        lambda now: "Back again. {go.forward} goes forward, as in a browser.",
    ),
    TourStep(
        "Edit",
        (
            TourTask(
                "Type a new value and press enter.",
                lambda since, now: bool(now.unsent - since.unsent),
                (
                    Precondition(
                        lambda now: now.pane in (FocusedPane.RECORD, FocusedPane.TABLE),
                        "Press {pane.record} to go to the record.",
                    ),
                    Precondition(
                        lambda now: now.dialog in _EDITING,
                        "Move to a text or number field and press {record.edit}.",
                    ),
                ),
                over=frozenset({OpenDialog.EDITOR}),
            ),
        ),
        lambda now: "A draft, not sent yet. {record.take_back} discards it.",
        lambda now: bool(now.unsent),
    ),
    TourStep(
        "Send",
        (
            TourTask(
                "This is the request. Press {card.send} to send it.",
                lambda since, now: now.written > since.written,
                (
                    _MAY_WRITE,
                    Precondition(lambda now: not now.locked, "Writes are locked. Press {writes.lock} to unlock."),
                    Precondition(
                        lambda now: bool(now.unsent) or now.busy or now.dialog in _EDITING | _REVIEWING,
                        "Move to a text or number field and press {record.edit} to edit it.",
                    ),
                    Precondition(
                        lambda now: now.dialog is not OpenDialog.EDITOR,
                        "Type a new value and press enter.",
                    ),
                    Precondition(
                        lambda now: now.busy or now.dialog in _REVIEWING,
                        "Press {record.review} to review the change.",
                    ),
                ),
                over=frozenset({OpenDialog.EDITOR, OpenDialog.CARD, OpenDialog.UNLOCK}),
            ),
        ),
        lambda now: "Saved. The journal ({writes.journal}) lists it.",
    ),
    TourStep(
        "Undo",
        (
            TourTask(
                "This restores the old value. Press {card.send} to send it.",
                lambda since, now: now.written > since.written,
                (
                    _MAY_WRITE,
                    Precondition(
                        lambda now: now.busy or now.dialog in _UNDOING | _REVIEWING,
                        "Press {writes.undo} to list the changes you can undo.",
                    ),
                    Precondition(
                        lambda now: now.busy or now.dialog in _REVIEWING,
                        "Press enter to review the undo.",
                    ),
                ),
                over=frozenset({OpenDialog.UNDO, OpenDialog.CARD}),
            ),
        ),
        lambda now: "Undone. The journal ({writes.journal}) lists both changes.",
    ),
    TourStep(
        "Several records",
        (
            TourTask(
                "Press {marks.toggle} three times to mark three records.",
                lambda since, now: now.marked >= _FEW_MARKED,
                (_IN_TABLE,),
            ),
            TourTask(
                "This is the plan, row by row. Press {plan.send} to send it.",
                lambda since, now: now.written >= since.written + _FEW_MARKED,
                (
                    _MAY_WRITE,
                    Precondition(
                        lambda now: now.dialog is not None or now.busy,
                        "Press {record.actions} and choose Change a field.",
                    ),
                    Precondition(
                        lambda now: now.dialog is not OpenDialog.MENU,
                        "Choose Change a field, then choose the field.",
                    ),
                    Precondition(
                        lambda now: now.busy or now.dialog is OpenDialog.PLAN,
                        "Type a new value for all and press enter.",
                    ),
                ),
                over=frozenset({OpenDialog.MENU, OpenDialog.EDITOR, OpenDialog.PLAN}),
            ),
        ),
        lambda now: "Saved one by one. {writes.undo} undoes all of them.",
    ),
    TourStep(
        "Console",
        (
            TourTask(
                "Type `lots limit==1` and press {console.send}.",
                lambda since, now: now.answered > since.answered,
                (
                    Precondition(
                        lambda now: now.pane is FocusedPane.CONSOLE,
                        "Press {pane.console} to open the console.",
                    ),
                ),
                console=True,
            ),
            TourTask(
                "Press {console.explain} to see how the request was signed.",
                lambda since, now: now.dialog is OpenDialog.SIGNATURE,
                (
                    Precondition(
                        lambda now: now.pane is FocusedPane.CONSOLE, "Press {pane.console} to go back to the console."
                    ),
                ),
                console=True,
            ),
        ),
        lambda now: (
            "Time, method, path and body are signed."
            if now.signs
            else "Requests with this key are not signed. In `svc-tui demo --tour` they are."
        ),
    ),
    TourStep(
        "Search and help",
        (
            TourTask(
                "Press {go.find} to search, {app.help} for help, or {app.palette} for all commands.",
                lambda since, now: now.dialog in _FINDER_DIALOGS and now.dialog is not since.dialog,
                over=_FINDER_DIALOGS,
            ),
        ),
        lambda now: "That was the last step.",
    ),
)

INTRODUCTION = "Ten short steps. All data is fictional."
CONCLUSION = "The guide: press {app.help}, then {help.guide}. Press {tour.end} to close the tour."
_CLOSE = "Press {dialog.cancel} to close this and continue the tour."
_CHOOSE = "Press enter to choose, or {dialog.cancel} to cancel."
_LEAVE_CONSOLE = "Press {console.leave} to leave the console and continue the tour."


@dataclass(frozen=True, slots=True)
class Tour:
    """How far the user has come: the step and the deed in it, both from 0, and what was seen when that began.

    `feedback` confirms what was done last, or introduces the whole; "" where a step was skipped. `again` holds after a
    step back, until what was done there is no longer so: else it would be left at once.
    """

    since: ScreenSnapshot = ScreenSnapshot()
    at: int = 0
    task: int = 0
    feedback: str = INTRODUCTION
    done: bool = False
    """Whether `feedback` is about something that was done."""
    again: bool = False

    @property
    def over(self) -> bool:
        """Whether all steps are behind."""
        return self.at >= len(TOUR_STEPS)

    @property
    def title(self) -> str:
        """What the present step is about; "" after the last."""
        return "" if self.over else TOUR_STEPS[self.at].title

    def after(self, now: ScreenSnapshot) -> "Tour":
        """After a look at what is on show: on, past all that is done."""
        tour = self
        while not tour.over and tour._task.done(tour.since, now):
            if tour.again:
                return tour
            tour = tour._on(now)
        if tour.done and not TOUR_STEPS[tour.at - 1].lasts(now):
            tour = replace(tour, feedback="", done=False)
        return replace(tour, again=False) if tour.again else tour

    def skipped(self, now: ScreenSnapshot) -> "Tour":
        """The step after this one; none of this one is told."""
        return self if self.over else Tour(now, self.at + 1, feedback="")

    def back(self, now: ScreenSnapshot) -> "Tour":
        """The step before this one, to be done again."""
        return Tour(now, max(0, self.at - 1), feedback="", again=True)

    def words(self, now: ScreenSnapshot) -> str:
        """What is to be done next, from where the user is."""
        if self.over:
            return CONCLUSION
        task = self._task
        if now.dialog not in (None, OpenDialog.PENDING) and now.dialog not in task.over:
            return _CHOOSE if now.dialog is OpenDialog.MENU else _CLOSE
        if now.dialog is None and now.pane is FocusedPane.CONSOLE and not task.console:
            return _LEAVE_CONSOLE
        return next((need.words for need in task.needs if not need.met(now)), task.words)

    @property
    def _task(self) -> TourTask:
        return TOUR_STEPS[self.at].tasks[self.task]

    def _on(self, now: ScreenSnapshot) -> "Tour":
        step = TOUR_STEPS[self.at]
        if self.task + 1 < len(step.tasks):
            return replace(self, since=now, task=self.task + 1)
        return Tour(now, self.at + 1, feedback=step.feedback(now), done=True)


SentencePieceKind: TypeAlias = Literal["plain", "key", "typed"]

_MARKUP = re.compile(r"\{([a-z_.]+)\}|`([^`]+)`")


def split_sentence(words: str) -> Iterator[tuple[SentencePieceKind, str]]:
    """A sentence in parts: plain text, ids of bindings whose keys are to be shown, and what is to be typed."""
    end = 0
    for match in _MARKUP.finditer(words):
        if match.start() > end:
            yield "plain", words[end : match.start()]
        yield ("key", match[1]) if match[1] else ("typed", match[2])
        end = match.end()
    if end < len(words):
        yield "plain", words[end:]
