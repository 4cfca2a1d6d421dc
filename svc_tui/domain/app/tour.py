"""The first tour: ten small things to do by hand on the demo, each noticed by what has really happened.

Sentences name keys by the ids of their bindings, `{table.last}`, so that those somebody chose are shown. What is to be
typed stands in backticks.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Literal, TypeAlias

from svc_tui.domain.model.records import Place


class Pane(Enum):
    """Where keys go while no dialog is open."""

    SIDEBAR = auto()
    TABLE = auto()
    RECORD = auto()
    CONSOLE = auto()


class OpenDialog(Enum):
    """The dialog that is open."""

    COMING = auto()
    """One that was asked for, or what was decided in one is being carried out."""
    MENU = auto()
    EDITOR = auto()
    CARD = auto()
    UNLOCK = auto()
    UNDO = auto()
    SIGNATURE = auto()
    HELP = auto()
    PALETTE = auto()
    GO_TO = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class ScreenSnapshot:
    """What is on show and what has happened so far.

    `here` is the place opened last, `ahead` how many places there are to go forward to. `unsent` holds the place and
    the field of each edit. `written` counts the writes that were carried out, `answered` the console's answers.
    """

    pane: Pane = Pane.TABLE
    door: OpenDialog | None = None
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


Met: TypeAlias = Callable[[ScreenSnapshot], bool]


@dataclass(frozen=True, slots=True)
class Need:
    """What must be so before a deed can be done; `words` say how it comes to be."""

    met: Met
    words: str


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing to do: `done` is given the sight at its beginning and the one now.

    `over` are the dialogs in which its words hold; with `console` it is about the console, else about the panes that
    the console covers.
    """

    words: str
    done: Callable[[ScreenSnapshot, ScreenSnapshot], bool]
    needs: tuple[Need, ...] = ()
    over: frozenset[OpenDialog] = frozenset()
    console: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One of the ten: what it is about, the deeds it takes, and the sentence that tells that it was done."""

    title: str
    deeds: tuple[Deed, ...]
    told: Callable[[ScreenSnapshot], str]


# What has happened


def _arrived(now: ScreenSnapshot) -> bool:
    """Whether keys are about the record that was opened."""
    return now.pane is Pane.RECORD and now.here is not None and now.here.record_id is not None


def _followed(since: ScreenSnapshot, now: ScreenSnapshot) -> bool:
    """From one record to another; the first one that is opened is none that was followed."""
    if since.here is None or now.here is None or now.here.record_id is None:
        return False
    return now.here != since.here and (since.record or now.here.collection != since.here.collection)


def _opens(door: OpenDialog) -> frozenset[OpenDialog]:
    return frozenset({door, OpenDialog.COMING})


_EDITING, _REVIEWING, _UNDOING = _opens(OpenDialog.EDITOR), _opens(OpenDialog.CARD), _opens(OpenDialog.UNDO)
_WAYS = frozenset({OpenDialog.HELP, OpenDialog.PALETTE, OpenDialog.GO_TO})

_TO_TABLE = Need(lambda now: now.pane is Pane.TABLE, "{pane.table} leads to the table.")
_TO_RECORD = Need(lambda now: now.pane is Pane.RECORD, "{pane.record} leads to the record.")
_MAY_WRITE = Need(
    lambda now: not now.read_only, "Nothing can be written here, since --read-only says so. {tour.next} goes on."
)

STEPS = (
    Step(
        "The end",
        (
            Deed(
                "{table.last} goes to the last record there is, of thousands or of millions.",
                lambda since, now: now.at_end,
                (_TO_TABLE,),
            ),
        ),
        lambda now: (
            f"Row {now.rows:,} of {now.rows:,}"
            + (", without reading all before it." if now.held < now.rows else ", the true last one.")
        ),
    ),
    Step(
        "A filter",
        (
            Deed(
                "{filter.done} keeps it.",
                lambda since, now: now.filtered and not now.typing_filter,
                (
                    _TO_TABLE,
                    Need(
                        lambda now: now.filtered,
                        "{table.filter} filters the rows while you type: `grade>20`, or `status:open`.",
                    ),
                ),
            ),
        ),
        lambda now: f"{now.rows:,} of the loaded rows fit; {{table.unarrange}} takes it back.",
    ),
    Step(
        "A record",
        (
            Deed(
                "{table.open} opens the record under the cursor.",
                lambda since, now: now.record and _arrived(now),
                (_TO_TABLE,),
            ),
        ),
        lambda now: "Its fields; beside them JSON, raw answer, history.",
    ),
    Step(
        "References",
        (
            Deed(
                "Down to a value with an arrow, such as tunnelId: {record.follow} follows it.",
                _followed,
                (_TO_RECORD,),
            ),
            Deed(
                "{go.back} leads back to where you were.",
                lambda since, now: now.ahead > since.ahead and (_arrived(now) or not now.record),
            ),
        ),
        lambda now: "Back. {go.forward} would go there again, as in a browser.",
    ),
    Step(
        "An edit",
        (
            Deed(
                "Another value, then enter: it is kept and marked, and not sent.",
                lambda since, now: bool(now.unsent - since.unsent),
                (
                    Need(lambda now: now.pane in (Pane.RECORD, Pane.TABLE), "{pane.record} leads to the record."),
                    Need(
                        lambda now: now.door in _EDITING,
                        "On a name or a number: {record.edit} edits it. That sends nothing yet.",
                    ),
                ),
                over=frozenset({OpenDialog.EDITOR}),
            ),
        ),
        lambda now: "It waits here, marked; {record.take_back} takes it back.",
    ),
    Step(
        "Sending",
        (
            Deed(
                "This is all that leaves. {card.send} sends it, {dialog.cancel} goes back to the edit.",
                lambda since, now: now.written > since.written,
                (
                    _MAY_WRITE,
                    Need(lambda now: not now.locked, "LIVE is locked: {writes.lock} unlocks it, by a word to type."),
                    Need(
                        lambda now: bool(now.unsent) or now.busy or now.door in _REVIEWING,
                        "First an edit: {record.edit} on a name or a number.",
                    ),
                    Need(
                        lambda now: now.busy or now.door in _REVIEWING,
                        "{record.review} shows what would be sent, before it is.",
                    ),
                ),
                over=frozenset({OpenDialog.CARD, OpenDialog.UNLOCK}),
            ),
        ),
        lambda now: "Written. The journal, {writes.journal}, has what was and what is.",
    ),
    Step(
        "Undo",
        (
            Deed(
                "The old value, as a write like any other. {card.send} sends it.",
                lambda since, now: now.written > since.written,
                (
                    _MAY_WRITE,
                    Need(
                        lambda now: now.busy or now.door in _UNDOING | _REVIEWING,
                        "{writes.undo} lists what was written, to take some of it back.",
                    ),
                    Need(
                        lambda now: now.busy or now.door in _REVIEWING,
                        "enter shows what would take it back.",
                    ),
                ),
                over=frozenset({OpenDialog.UNDO, OpenDialog.CARD}),
            ),
        ),
        lambda now: "Taken back. The journal, {writes.journal}, chains both writes.",
    ),
    Step(
        "The console",
        (
            Deed(
                "`lots limit==1`, or any other path; {console.send} sends it.",
                lambda since, now: now.answered > since.answered,
                (
                    Need(
                        lambda now: now.pane is Pane.CONSOLE,
                        "{pane.console} opens the console: any request, by the same client.",
                    ),
                ),
                console=True,
            ),
        ),
        lambda now: "The answer as it came, every digit of it.",
    ),
    Step(
        "The signature",
        (
            Deed(
                "{console.explain} tells how that request was signed.",
                lambda since, now: now.door is OpenDialog.SIGNATURE,
                (Need(lambda now: now.pane is Pane.CONSOLE, "{pane.console} leads back to the console."),),
                console=True,
            ),
        ),
        lambda now: (
            "Time, method, path, body: that is what was signed."
            if now.signs
            else "This key signs nothing; that of `demo --tour` does."
        ),
    ),
    Step(
        "The rest",
        (
            Deed(
                "{app.help} has the keys, {app.palette} the commands, {go.to} the places. Open one.",
                lambda since, now: now.door in _WAYS and now.door is not since.door,
                over=_WAYS,
            ),
        ),
        lambda now: "That was all ten.",
    ),
)

INTRODUCTION = "Ten things to do by hand; nothing here is real."
END = "The guide is behind {app.help} and {help.guide}. {tour.end} takes this line away."
_CLOSE = "{dialog.cancel} closes this; then the tour goes on."
_CHOOSE = "enter takes the line with the cursor, {dialog.cancel} none."
_LEAVE_CONSOLE = "{console.leave} leaves the console; then the tour goes on."


@dataclass(frozen=True, slots=True)
class Tour:
    """How far somebody has come: the step and the deed in it, both from 0, and what was seen when that began.

    `told` confirms what was done last, or introduces the whole; "" where a step was skipped. `again` holds after a step
    back, until what was done there is no longer so: else it would be left at once.
    """

    since: ScreenSnapshot = ScreenSnapshot()
    at: int = 0
    deed: int = 0
    told: str = INTRODUCTION
    done: bool = False
    """Whether `told` is about something that was done."""
    again: bool = False

    @property
    def over(self) -> bool:
        """Whether all steps are behind."""
        return self.at >= len(STEPS)

    @property
    def title(self) -> str:
        """What the present step is about; "" after the last."""
        return "" if self.over else STEPS[self.at].title

    def seen(self, now: ScreenSnapshot) -> "Tour":
        """After a look at what is on show: on, past all that is done."""
        tour = self
        while not tour.over and tour._deed.done(tour.since, now):
            if tour.again:
                return tour
            tour = tour._on(now)
        return replace(tour, again=False) if tour.again else tour

    def skipped(self, now: ScreenSnapshot) -> "Tour":
        """The step after this one; none of this one is told."""
        return self if self.over else Tour(now, self.at + 1, told="")

    def back(self, now: ScreenSnapshot) -> "Tour":
        """The step before this one, to be done again."""
        return Tour(now, max(0, self.at - 1), told="", again=True)

    def words(self, now: ScreenSnapshot) -> str:
        """What is to be done next, from where somebody is."""
        if self.over:
            return END
        deed = self._deed
        if now.door not in (None, OpenDialog.COMING) and now.door not in deed.over:
            return _CHOOSE if now.door is OpenDialog.MENU else _CLOSE
        if now.door is None and now.pane is Pane.CONSOLE and not deed.console:
            return _LEAVE_CONSOLE
        return next((need.words for need in deed.needs if not need.met(now)), deed.words)

    @property
    def _deed(self) -> Deed:
        return STEPS[self.at].deeds[self.deed]

    def _on(self, now: ScreenSnapshot) -> "Tour":
        step = STEPS[self.at]
        if self.deed + 1 < len(step.deeds):
            return replace(self, since=now, deed=self.deed + 1)
        return Tour(now, self.at + 1, told=step.told(now), done=True)


Kind: TypeAlias = Literal["plain", "key", "typed"]

_MARKED = re.compile(r"\{([a-z_.]+)\}|`([^`]+)`")


def pieces(words: str) -> Iterator[tuple[Kind, str]]:
    """A sentence in parts: plain text, ids of bindings whose keys are to be shown, and what is to be typed."""
    end = 0
    for found in _MARKED.finditer(words):
        if found.start() > end:
            yield "plain", words[end : found.start()]
        yield ("key", found[1]) if found[1] else ("typed", found[2])
        end = found.end()
    if end < len(words):
        yield "plain", words[end:]
