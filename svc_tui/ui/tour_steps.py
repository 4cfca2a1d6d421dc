"""The tour: ten steps with small tasks on the demo, and the user's progress, computed from snapshots of the screen.

Each sentence is beside the condition under which it is shown. `{table.last}` in a sentence is replaced by the key that
the user has for this binding; text to type is in backticks.
"""

import re
from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import Literal, TypeAlias

from msgspec import Struct

from svc_tui.core.records import Place
from svc_tui.core.values import replace


class FocusedPane(Enum):
    """The pane of the main screen that has the focus."""

    SIDEBAR = auto()
    TABLE = auto()
    RECORD = auto()
    CONSOLE = auto()


class OpenDialog(Enum):
    """The dialog that is open."""

    PENDING = auto()
    """A dialog that will open, or whose result is being carried out."""
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


class ScreenSnapshot(Struct, frozen=True):
    """The state of the screen and of the session, as far as the tour depends on it."""

    pane: FocusedPane = FocusedPane.TABLE
    dialog: OpenDialog | None = None
    here: Place | None = None
    """The place opened last."""
    ahead: int = 0
    """The number of places to go forward to."""
    record: bool = False
    """True if a record is open."""
    rows: int = 0
    """The number of rows of the table, as far as it is known."""
    loaded: int = 0
    """The number of loaded records of the collection."""
    at_end: bool = False
    """True if the cursor is on the last record of the whole collection."""
    filtered: bool = False
    """True if the table has a filter or a query."""
    typing_filter: bool = False
    """True if the filter line has the focus."""
    unsent: frozenset[tuple[str, str]] = frozenset()
    """The place and the field of each edit that is not sent."""
    marked: int = 0
    """The number of marked records."""
    busy: bool = False
    """True while a write is being sent."""
    locked: bool = False
    """True if writes must be unlocked first."""
    read_only: bool = False
    """True if writes can't be unlocked."""
    written: int = 0
    """The number of writes that the service accepted."""
    answered: int = 0
    """The number of responses to other requests."""
    signs: bool = True
    """True if requests are signed."""


class Precondition(Struct, frozen=True):
    """A precondition of a task, and a sentence that says how to meet it."""

    met: Callable[[ScreenSnapshot], bool]
    words: str


class TourTask(Struct, frozen=True):
    """One thing to do; `done` compares the snapshot at its beginning with the present one.

    In the `dialogs` its sentence is shown too. With `console` it is a task in the console, else in the panes that the
    console covers.
    """

    words: str
    done: Callable[[ScreenSnapshot, ScreenSnapshot], bool]
    needs: tuple[Precondition, ...] = ()
    dialogs: frozenset[OpenDialog] = frozenset()
    console: bool = False


class TourStep(Struct, frozen=True):
    """One of the ten steps: its title, its tasks, and the sentence that confirms it."""

    title: str
    tasks: tuple[TourTask, ...]
    feedback: Callable[[ScreenSnapshot], str]
    lasts: Callable[[ScreenSnapshot], bool] = lambda now: True
    """Returns False if what was done was taken back since; then `feedback` is no longer shown."""


def _on_record(now: ScreenSnapshot) -> bool:
    return now.pane is FocusedPane.RECORD and now.here is not None and now.here.record_id is not None


def _followed_reference(since: ScreenSnapshot, now: ScreenSnapshot) -> bool:
    """Return True if a reference led from one record to another; opening the first record does not count."""
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
"""The number of records to mark."""

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
            + (", without loading the rest." if now.loaded < now.rows else ", the last one.")
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
                dialogs=frozenset({OpenDialog.EDITOR}),
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
                    Precondition(lambda now: not now.locked, "LIVE is locked. Press {writes.lock} to unlock."),
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
                dialogs=frozenset({OpenDialog.EDITOR, OpenDialog.CARD, OpenDialog.UNLOCK}),
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
                dialogs=frozenset({OpenDialog.UNDO, OpenDialog.CARD}),
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
                dialogs=frozenset({OpenDialog.MENU, OpenDialog.EDITOR, OpenDialog.PLAN}),
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
                dialogs=_FINDER_DIALOGS,
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


class Tour(Struct, frozen=True):
    """The user's progress: the step and its task, both counted from 0, and the snapshot at the beginning of the task.

    `feedback` confirms the last step or introduces the tour; it is "" after a skipped step. `is_repeated` is True after
    a step back until the step is no longer done, so that the tour does not leave it at once.
    """

    since: ScreenSnapshot = ScreenSnapshot()
    at: int = 0
    task: int = 0
    feedback: str = INTRODUCTION
    done: bool = False
    """True if `feedback` confirms a step."""
    is_repeated: bool = False

    @property
    def is_finished(self) -> bool:
        """Return True after the last step."""
        return self.at >= len(TOUR_STEPS)

    @property
    def title(self) -> str:
        """The title of the present step; "" after the last."""
        return "" if self.is_finished else TOUR_STEPS[self.at].title

    def update(self, now: ScreenSnapshot) -> "Tour":
        """Return the tour after a look at the screen: past all tasks that are done."""
        tour = self
        while not tour.is_finished and tour._task.done(tour.since, now):
            if tour.is_repeated:
                return tour
            tour = tour._complete_task(now)
        if tour.done and not TOUR_STEPS[tour.at - 1].lasts(now):
            tour = replace(tour, feedback="", done=False)
        return replace(tour, is_repeated=False) if tour.is_repeated else tour

    def skip(self, now: ScreenSnapshot) -> "Tour":
        """Return the tour at the next step, without feedback."""
        return self if self.is_finished else Tour(now, self.at + 1, feedback="")

    def back(self, now: ScreenSnapshot) -> "Tour":
        """Return the tour at the step before, to be done again."""
        return Tour(now, max(0, self.at - 1), feedback="", is_repeated=True)

    def words(self, now: ScreenSnapshot) -> str:
        """Return the sentence that says what to do next."""
        if self.is_finished:
            return CONCLUSION
        task = self._task
        if now.dialog not in (None, OpenDialog.PENDING) and now.dialog not in task.dialogs:
            return _CHOOSE if now.dialog is OpenDialog.MENU else _CLOSE
        if now.dialog is None and now.pane is FocusedPane.CONSOLE and not task.console:
            return _LEAVE_CONSOLE
        return next((need.words for need in task.needs if not need.met(now)), task.words)

    @property
    def _task(self) -> TourTask:
        return TOUR_STEPS[self.at].tasks[self.task]

    def _complete_task(self, now: ScreenSnapshot) -> "Tour":
        step = TOUR_STEPS[self.at]
        if self.task + 1 < len(step.tasks):
            return replace(self, since=now, task=self.task + 1)
        return Tour(now, self.at + 1, feedback=step.feedback(now), done=True)


SentencePieceKind: TypeAlias = Literal["plain", "key", "typed"]

_MARKUP = re.compile(r"\{([a-z_.]+)\}|`([^`]+)`")


def split_sentence(words: str) -> Iterator[tuple[SentencePieceKind, str]]:
    """Yield the parts of a sentence: plain text, ids of bindings whose keys are shown, and text to type."""
    end = 0
    for match in _MARKUP.finditer(words):
        if match.start() > end:
            yield "plain", words[end : match.start()]
        yield ("key", match[1]) if match[1] else ("typed", match[2])
        end = match.end()
    if end < len(words):
        yield "plain", words[end:]
