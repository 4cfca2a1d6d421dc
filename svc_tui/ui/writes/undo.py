"""Undoing a write of the journal: the list to choose it from, and the inverse, sent like any other write."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.core.jsontext import Absent, Json
from svc_tui.core.phrases import counted
from svc_tui.core.records import Place, Record
from svc_tui.history.journal_rows import field_changes
from svc_tui.plans.journal_runs import RunGroup, RunStatus, group_runs
from svc_tui.service.errors import NotFound, ServiceError
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import JournalEntry, WrittenRecord, entry_result
from svc_tui.team.names import name_of, names_in
from svc_tui.ui.context import Context
from svc_tui.ui.dialogs.confirm import ConfirmScreen
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame, TitleText
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.text import field_label, measure, pad, shorten, styled, visible
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.record.journal_lines import outcome_text, shorten_place, who_content
from svc_tui.ui.widgets.record.run_lines import outcome_content
from svc_tui.ui.widgets.text.difference import diff_content, value_text
from svc_tui.ui.widgets.text.wrapping import wrap_text
from svc_tui.ui.writes.create import CreateController
from svc_tui.ui.writes.delete import DeleteController
from svc_tui.writes.undo import (
    SENT_ONLY,
    Inverse,
    LaterChanges,
    NotUndoable,
    RecreateRecord,
    RemoveRecord,
    RestoreValues,
    inverse_of,
    later_changes,
)

_MAX_CELLS = 70
"""Cells of a line at most: the dialog without its border, its padding, the bar of the cursor and a scroll bar."""
_BESIDE_CELLS = 6
_MAX_ROWS = 15
_OTHER_ROWS = 8
"""Rows of the screen beside the list: border, effect, buttons, status bar, line of keys."""
_TICKET_CELLS = 20
_MAX_REASON_ROWS = 3
"""Rows that say why a write can't be undone."""
_MAX_FIELDS = 3
"""Fields of a write whose values are shown."""
_VALUE_CELLS = 24
_EMPTY_TEXT = "No changes yet. Edits, new records and deletions can be undone here."


@dataclass(frozen=True, slots=True)
class UndoableWrite:
    """A write, and its inverse."""

    write: JournalEntry
    inverse: Inverse


Undoable: TypeAlias = UndoableWrite | RunGroup


class UndoController:
    """The undo of a write or a run of the journal, after a card of its own."""

    def __init__(
        self,
        context: Context,
        drafting: DraftController,
        creating: CreateController,
        deleting: DeleteController,
        undo_run: Callable[[str], Awaitable[None]],
    ) -> None:
        """Store the features that undo; `undo_run` undoes the run of an id."""
        self._context, self._drafting, self._creating, self._deleting = context, drafting, creating, deleting
        self._writes, self._undo_run = drafting.writes, undo_run

    async def choose(self) -> None:
        """Ask for a write or a run of the journal, and undo it."""
        session, privacy_mask = self._context.session, self._context.privacy_mask
        try:
            items = group_runs(await session.writes.listed(), await session.run_store.runs())
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return
        choices = [
            item
            if isinstance(item, RunGroup)
            else UndoableWrite(privacy_mask.entry(item), inverse_of(item, session.collections))
            for item in items
        ]
        title = self._writes.heading("Undo")
        chosen = await self._context.show(UndoScreen(title, choices, self._context.local_now()))
        if isinstance(chosen, RunGroup):
            await self._undo_run(chosen.run.id)
        elif chosen is not None:
            await self.undo_write(chosen.write.number)

    async def undo_write(self, number: int) -> None:
        """Undo the write of this number in the journal."""
        writes = self._context.session.writes
        try:
            entry, written = await writes.find(number), await writes.record_after(number)
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return
        if entry is None:
            return
        undo = inverse_of(entry, self._context.session.collections)
        if isinstance(undo, NotUndoable):
            self._context.notify(Report(undo.why, "This change can't be undone", "warning"))
            return
        if entry.other_key and not await self._writes.confirm_other_key(f"Change {entry.number} was sent"):
            return
        match undo:
            case RestoreValues():
                await self._restore(entry, written, undo)
            case RecreateRecord(collection, record, certain=certain):
                if certain or await self._is_gone(Place(collection, record.id)):
                    await self._creating.again(collection, record)
            case RemoveRecord(place):
                await self._remove(entry, written, place)

    async def _is_gone(self, place: Place) -> bool:
        """Return True if a record no longer exists; else show a notice that it does, or that it could not be loaded."""
        try:
            await self._context.gateway.record(place.collection, place.id)
        except NotFound:
            return True
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not load {place.id}"))
        else:
            self._context.notify(
                Report("The record was not deleted, so there is nothing to undo.", f"{place.id} still exists")
            )
        return False

    async def _restore(self, entry: JournalEntry, written: WrittenRecord | None, undo: RestoreValues) -> None:
        """Put the old values into a draft of the record, and show its card."""
        place = undo.place
        if refusal := self._writes.lock.lasting_refusal:
            # Checked first, so that a refused undo leaves no draft.
            self._context.notify(Report(refusal, severity="warning"))
            return
        if self._drafting.drafts.draft(place) is not None:
            self._context.go(place)
            words = "Send or discard the draft, then undo."
            self._context.notify(Report(words, f"{place.id} has a draft", "warning"))
            return
        try:
            fresh = await self._context.gateway.record(place.collection, place.id)
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not load {place.id}"))
            return
        draft = undo.draft(fresh, written).rebased(fresh)
        if not draft.edits:
            self._context.notify(Report(f"{place.id} already has the old values."))
            return
        changes = later_changes(entry, written, fresh, self._context.gateway.secrets)
        replaced = [name for name in changes.names if name in draft.edits]
        if replaced:
            effect = f"Undo replaces the current {', '.join(replaced)}. Other fields are not changed."
        else:
            effect = "Undo does not change these fields."
        if not await self._accepts(place, changes, written, effect):
            return
        if self._context.selection.place != place:
            self._context.go(place)
        self._drafting.put(place, draft)
        if not await self._drafting.review(place, undoes=True):
            # A draft that stays would refuse the next undo.
            self._drafting.forget(place)

    async def _remove(self, entry: JournalEntry, written: WrittenRecord | None, place: Place) -> None:
        try:
            record = await self._context.gateway.record(place.collection, place.id)
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not load {place.id}"))
            return
        changes = later_changes(entry, written, record, self._context.gateway.secrets)
        if await self._accepts(place, changes, written, "Undo deletes the record and these changes."):
            await self._deleting.ask(place, record, undoes=True)

    async def _accepts(self, place: Place, changes: LaterChanges, written: WrittenRecord | None, effect: str) -> bool:
        """Return True if the record did not change since the write, or the user agrees to undo it anyway."""
        if not changes.names:
            if written is None:
                self._context.notify(Report(SENT_ONLY))
            return True
        seen = self._context.privacy_mask.draft(changes.draft, place.collection.domain)
        parts = [styled(f"{effect}{f' {SENT_ONLY}' if written is None else ''}", "$role-warning")]
        if seen.changes:
            parts.append(diff_content(seen.changes))
        if changes.removed:
            parts.append(styled(f"Removed: {', '.join(changes.removed)}"))
        if changes.unknown:
            parts.append(styled(f"May have changed (values not available): {', '.join(changes.unknown)}"))
        screen = ConfirmScreen(
            self._writes.heading(f"{place.id} changed later"),
            Content("\n\n").join(parts),
            "Undo anyway",
            danger=self._writes.live,
        )
        return bool(await self._context.show(screen))


class UndoScreen(Dialog[Undoable]):
    """A list of writes and runs; the result is the chosen one. Those that can't be undone say why and are disabled."""

    TOUR_NAME = OpenDialog.UNDO

    DEFAULT_CSS = """
    UndoScreen OptionList { height: auto; }
    UndoScreen OptionList > .option-list--option { padding: 0 0 0 1; }
    UndoScreen #effect { margin-top: 1; color: $role-accent; }
    UndoScreen .buttons { margin-top: 0; }
    """

    AUTO_FOCUS = "OptionList, #back"

    def __init__(self, title: TitleText, choices: Sequence[Undoable], now: datetime) -> None:
        """Show times in the zone of `now`, those of its day without the date."""
        super().__init__()
        self._title, self._choices, self._now = title, choices, now
        self._names = names_in(_newest(choice) for choice in choices)
        self._cells = _MAX_CELLS
        is_old = any(self._local(choice).date() != now.date() for choice in choices)
        self._time_cells = len("11-20 05:12") if is_old else len("05:12")

    def compose(self) -> ComposeResult:
        """Compose the writes, and below them the effect of undoing the chosen one."""
        with DialogFrame(self._title):
            if self._choices:
                yield ChangingList(*map(self._option, self._choices), markup=False)
                yield Static(id="effect")
            else:
                yield Static(f"{_EMPTY_TEXT}\n", classes="hint", markup=False)
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Cancel", "cancel", button_id="back")
                if self._choices:
                    yield DialogButton("⏎ Review the undo", "choose", button_id="review")

    def on_mount(self) -> None:
        """Highlight the newest one that can be undone."""
        for options in self.query(OptionList):
            options.highlighted = next((at for at, choice in enumerate(self._choices) if not _refusal(choice)), None)

    def on_resize(self, event: events.Resize) -> None:
        """Fit the list to the screen."""
        self._cells = min(_MAX_CELLS, event.size.width - _BESIDE_CELLS)
        for options in self.query(OptionList):
            options.styles.max_height = max(2, min(_MAX_ROWS, event.size.height - _OTHER_ROWS))
        self._show_lines()

    @on(OptionList.OptionHighlighted)
    def _show_lines(self) -> None:
        for options in self.query(OptionList):
            for at, choice in enumerate(self._choices):
                options.replace_option_prompt_at_index(at, self._prompt(choice, chosen=at == options.highlighted))
            chosen = self._chosen
            self.query_one("#effect", Static).update("" if chosen is None else styled(_effect(chosen, self._cells)))
            self.query_one("#review", Button).disabled = chosen is None

    @property
    def _chosen(self) -> Undoable | None:
        at = self.query_one(OptionList).highlighted
        return None if at is None else self._choices[at]

    def _option(self, choice: Undoable) -> Option:
        return Option(self._prompt(choice, chosen=False), disabled=bool(_refusal(choice)))

    def _prompt(self, choice: Undoable, *, chosen: bool) -> Content:
        """Return the line of a write or run; below that of the chosen one, its values."""
        newest, refusal = _newest(choice), _refusal(choice)
        end = styled(shorten(visible(newest.intent.ticket), _TICKET_CELLS))
        if not refusal and (state := _state(choice)):
            end = Content("  ").join(part for part in (state, end) if part)
        end = end.truncate(self._cells * 2 // 3, ellipsis=True)
        at = self._local(choice)
        time = f"{at:%H:%M}" if at.date() == self._now.date() else f"{at:%m-%d %H:%M}"
        start = Content.assemble(
            (time.rjust(self._time_cells), "$role-time"), "  ", who_content(name_of(newest, self._names))
        )
        room = max(1, self._cells - start.cell_length - end.cell_length - 2)
        description = _description(choice, room, with_values=not chosen).truncate(room, ellipsis=True)
        line = Content.assemble(start, description, " " * (room - description.cell_length + 2), end)
        indent = Content(" " * (self._time_cells + 2))
        if refusal:
            rows, _ = wrap_text(refusal, self._cells - indent.cell_length, _MAX_REASON_ROWS)
            return Content("\n").join([Content(line.plain), *(indent + row for row in rows)]).stylize("$role-muted")
        values = _values(choice, self._cells - indent.cell_length) if chosen else []
        return Content("\n").join([line, *(Content.assemble(indent, value) for value in values)])

    def _local(self, choice: Undoable) -> datetime:
        return _newest(choice).intent.at.astimezone(self._now.tzinfo)

    @on(OptionList.OptionSelected)
    def action_choose(self) -> None:
        """Close with the write or run under the cursor."""
        if (chosen := self._chosen) is not None:
            self.dismiss(chosen)


def _newest(choice: Undoable) -> JournalEntry:
    return choice.run.last if isinstance(choice, RunGroup) else choice.write


def _state(choice: Undoable) -> Content:
    """Return the state of a write or run; empty if it is simply done."""
    if isinstance(choice, UndoableWrite):
        return Content.styled(*outcome_text(choice.write)) if entry_result(choice.write) == "unknown" else Content()
    if choice.status in (None, RunStatus.DONE):
        return Content()
    return Content.styled(choice.status.value, "$role-warning")


def _description(choice: Undoable, cells: int, *, with_values: bool) -> Content:
    """Return what the write or run did, to which record, and if `with_values` the values of a change of one field."""
    if isinstance(choice, RunGroup):
        return Content.assemble((counted(choice.run.writes, "change"), "bold"), f" · {visible(choice.title)}")
    intent = choice.write.intent
    label = Record({**(intent.before or {}), **(intent.after or {})}).label
    match choice.inverse:
        case RestoreValues(place):
            changes = field_changes(intent)
            done, label = f"Change {place.id}", ", ".join(change.name for change in changes)
            if with_values and len(changes) == 1:
                label = f"{label}  {_short(changes[0].old)} → {_short(changes[0].new)}"
        case RecreateRecord(_, record):
            done = f"Delete {record.id}"
        case RemoveRecord(place):
            done = f"Add {place.id}"
        case NotUndoable():
            done, label = f"{intent.method} {shorten_place(intent, max(1, cells - measure(intent.method) - 1))}", ""
    other = "other API key · " if choice.write.other_key else ""
    return Content.assemble(styled(done, "bold"), styled(f"  {other}{label}", "$role-muted"))


def _values(choice: Undoable, cells: int) -> list[Content]:
    """Return the changes of a write in lines of `cells` cells, or how the writes of a run ended."""
    if isinstance(choice, RunGroup):
        return [outcome_content(choice)]
    changes = field_changes(choice.write.intent) if isinstance(choice.inverse, RestoreValues) else ()
    label = max((measure(field_label(change.name)) for change in changes[:_MAX_FIELDS]), default=0)
    # The gaps and the arrow take five cells.
    room = max(_VALUE_CELLS, (cells - label - 5) // 2)
    lines = [
        Content.assemble(
            (f"{pad(field_label(change.name), label)}  ", "$role-muted"),
            styled(_short(change.old, room), "$role-danger"),
            " → ",
            styled(_short(change.new, room), "$role-ok"),
        )
        for change in changes[:_MAX_FIELDS]
    ]
    if (more := len(changes) - _MAX_FIELDS) > 0:
        lines.append(styled(f"and {counted(more, 'more field')}", "$role-muted"))
    return lines


def _short(value: Json | Absent, cells: int = _VALUE_CELLS) -> str:
    return shorten(visible(value_text(value)), cells)


def _refusal(choice: Undoable) -> str:
    """Return why it can't be undone, in a sentence; "" if it can."""
    if isinstance(choice, UndoableWrite):
        return choice.inverse.why if isinstance(choice.inverse, NotUndoable) else ""
    if not choice.undo_words:
        return "This run changed nothing."
    return f"This run is {choice.status.value}." if choice.status is RunStatus.ELSEWHERE else ""


def _effect(choice: Undoable, cells: int) -> str:
    """Return the effect of the undo, in about `cells` cells."""
    if isinstance(choice, RunGroup):
        return f"{choice.undo_words}, {_run_note(choice)}"
    match choice.inverse:
        case RestoreValues(stay=stay):
            changes = [change for change in field_changes(choice.write.intent) if change.name not in stay]
            words = "Restores the old values"
            if len(changes) == 1:
                words = f"Restores {field_label(changes[0].name)} to "
                words += _short(changes[0].old, max(_VALUE_CELLS, cells - measure(words)))
            if stay:
                words += f"; {', '.join(stay)} can't be removed"
        case RecreateRecord():
            words = "Creates it again (new id possible)"
        case RemoveRecord():
            words = "Deletes the new record"
        case NotUndoable(why):
            return why
    return f"{words}, if the change was saved" if entry_result(choice.write) == "unknown" else words


def _run_note(group: RunGroup) -> str:
    match group.status:
        case RunStatus.CUT_SHORT:
            return "or resume the run"
        case RunStatus.UNDONE:
            return "only rows that are not undone yet"
        case _:
            return f"checks {'the' if sum(group.run.changed.values()) == 1 else 'each'} record first"
