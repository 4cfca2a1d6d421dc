"""Editing the selected record: a field in its place, or the whole record as JSON in the user's own editor."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from enum import Enum
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Static
from textual.worker import Worker

from svc_tui.core.catalog import Collection
from svc_tui.core.field_entry import FieldEntry, ReferenceCandidate, ReferenceEntry, entry_among
from svc_tui.core.jsontext import Absent, Json
from svc_tui.core.nested_value import path_exists, with_value_at
from svc_tui.core.outline import Path, at_path, path_text
from svc_tui.core.records import Page, Place, Record, id_field
from svc_tui.core.references import target_of
from svc_tui.core.values import replace
from svc_tui.service.errors import ServiceError
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.ui.context import Context
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.dialogs.menu import SearchMenu
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.editing.external_editor import edit_externally
from svc_tui.ui.editing.field_editor import EditedField, FieldEditor
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.sending.colleagues import open_for_editing
from svc_tui.ui.text import field_label, styled, visible
from svc_tui.writes.whole_record import (
    RecordChanges,
    TextMistake,
    apply_changes,
    fields_left_out,
    parse_changes,
    record_text,
)

_MAX_CANDIDATES = 500
"""Records of a referenced collection that are loaded to search in."""

_EXCERPT_CHARS = 64
"""Characters of a line with a mistake that are shown."""

_FIELD_UNSET_PROBLEM = "A change can't remove a field. Press ctrl+n to set it to null."
_ITEM_UNSET_PROBLEM = "A list item can't be removed here. Edit the list, or press ctrl+n to set the item to null."


class EditingController:
    """The editors of one main screen, whose results become drafts; its methods run in workers."""

    def __init__(self, context: Context, drafting: DraftController) -> None:
        self._context, self._drafting = context, drafting
        self._edit_externally = partial(edit_externally, context)
        self._storing: Worker[None] | None = None
        """The worker that stores the last edit."""

    async def edit_value(self, path: Path, *, externally: bool = False) -> None:
        """Edit the value at `path` of the selected record, or `externally` in the user's editor.

        The value under the cursor is edited in its place, any other in a frame.
        """
        name = str(path[0])
        if self._context.selection.is_masked(name) and not await self._context.confirm_unmask("editor"):
            return
        if (selected := self._selected_record()) is None:
            return
        place, record = selected
        pane = self._context.selection.pane if path == self._context.selection.steps else None
        if self._storing is not None:
            # Until it is stored, its text is kept as an unfinished one.
            await self._storing.wait()
        draft = self._drafting.begin(place, record)
        if not path_exists(draft.fields, path):
            path = path[:1]
        if name == id_field(record.fields):
            self._context.notify(Report(availability.ITS_ID))
            return
        old, value = at_path(draft.base.fields, path), at_path(draft.fields, path)
        target = target_of(_field_name(path), self._context.session.collections)
        entry = self._entry(path, old, value, target)

        unfinished = await self._drafting.unfinished_text(place, path_text(path))

        def keep_text(text: str | None) -> None:
            self._drafting.keep_unfinished(place, path_text(path), text)

        editor = FieldEditor(
            EditedField(
                place.record_id or "",
                path_text(path),
                entry,
                old,
                value,
                _unset_problem(path, old),
                note=self._context.workspace.selection.marks_note(place),
                field=name,
            ),
            keep_text,
            pane=pane,
            unfinished=unfinished,
            now=self._context.local_now,
            look_up=self._candidates(entry, target) if isinstance(entry, ReferenceEntry) and target else None,
            edit_externally=self._edit_externally,
            start_externally=externally,
        )
        try:
            with open_for_editing(self._context, place):
                wants_review = await self._context.show(editor)
        finally:
            if pane is not None:
                pane.show_edited("")
        saving: Worker[None] | None = None
        if (new := editor.value) != value:
            # The record may have been written while the editor was open.
            current = self._drafting.draft(place)
            if len(path) > 1:
                whole = current.value(name) if path_exists(current.fields, path) else draft.value(name)
                new = with_value_at(whole, path[1:], new)
            edited = current.without(name) if isinstance(new, Absent) else current.with_value(name, new)
            saving = self._drafting.put(place, edited)

        async def store() -> None:
            if saving is not None:
                await saving.wait()
            # The typed text is kept until the edit is stored.
            await self._check_other_drafts(place)
            keep_text(None)

        # In a worker of its own, so that a dialog can be opened meanwhile.
        self._storing = self._context.screen.run_worker(store(), group="drafts")
        if wants_review:
            await self._storing.wait()
            await self._drafting.review(place)

    async def add_field(self) -> None:
        """Choose a field that only other loaded records have, and edit it in the selected record."""
        if (selected := self._selected_record()) is None:
            return
        place, record = selected
        fields = self._drafting.begin(place, record).fields
        listed = (name for row in self._context.table.rows.records() for name in row.fields)
        if not (names := [name for name in dict.fromkeys(listed) if name not in fields]):
            self._context.notify(Report(f"{place.record_id} has every field of the loaded records."))
            return
        menu = SearchMenu(f"Add a field to {visible(place.id)}", [(styled(field_label(name)), name) for name in names])
        name: str | None = await self._context.show(menu)
        if name is not None:
            await self.edit_value((name,))

    async def _check_other_drafts(self, place: Place) -> None:
        """Show notices about other programs' edits of the same fields."""
        if self._drafting.drafts.draft(place) is not None:
            await self._drafting.compare_with_disk(place)
            self._drafting.notify_of_others(place)

    async def edit_record(self) -> None:
        """Edit the whole selected record, with its draft, as JSON in the user's editor."""
        selection = self._context.selection
        if selection.seen != selection.shown and not await self._context.confirm_unmask("editor"):
            return
        if (selected := self._selected_record()) is None:
            return
        place, record = selected
        with open_for_editing(self._context, place):
            await self._edit_as_text(place, record)
        self._context.screen.run_worker(self._check_other_drafts(place), group="drafts")

    async def _edit_as_text(self, place: Place, record: Record) -> None:
        fields = self._drafting.begin(place, record).fields
        text = sent = record_text(fields)
        while True:
            edited = await self._edit_externally(text, "json")
            if edited is None and text == sent:
                return
            # Without saving, the text stays the one that was edited last.
            text = text if edited is None else edited
            changes = parse_changes(fields, text)
            if changes == RecordChanges():
                self._context.notify(Report("Nothing was changed."))
                return
            match await self._resolve(place, changes):
                case RecordChanges() as resolved:
                    self._drafting.put(place, apply_changes(self._drafting.draft(place), resolved))
                    return
                case TextDecision.DROP:
                    return

    async def _resolve(self, place: Place, changes: RecordChanges | TextMistake) -> "RecordChanges | TextDecision":
        """Return the changes to apply, or the decision to edit the text again or to discard it."""
        title = place.record_id or ""
        if isinstance(changes, TextMistake):
            screen = ReturnedTextScreen(f"{title} · invalid text", _mistake_content(changes))
            return await self._context.show(screen) or TextDecision.AGAIN
        missing = fields_left_out(self._drafting.draft(place), changes)
        if not missing:
            return changes
        screen = ReturnedTextScreen(f"{title} · missing fields", _missing_fields_content(missing), tuple(TextDecision))
        match await self._context.show(screen):
            case TextDecision.KEEP:
                return changes
            case TextDecision.NULL:
                return replace(changes, values={**changes.values, **dict.fromkeys(missing)})
            case decision:
                return decision or TextDecision.AGAIN

    def _selected_record(self) -> tuple[Place, Record] | None:
        workspace = self._context.workspace
        place, record = workspace.selection.place, workspace.selection.record
        if place is None or record is None or place.record_id is None:
            self._context.notify(Report(availability.NO_RECORD))
            return None
        if repeated := record.repeated:
            words = f"The service sent the field {repeated[0]} twice."
            self._context.notify(Report(words, f"{place.record_id} can't be edited", "warning"))
            return None
        return place, record

    def _entry(self, path: Path, old: Json | Absent, proposed: Json | Absent, target: Collection | None) -> FieldEntry:
        table = self._context.table
        if len(path) == 1:
            seen = table.rows.values(_field_name(path))
        else:
            values = (at_path(record.fields, path) for record in table.rows.records())
            seen = [value for value in values if not isinstance(value, Absent)]
        kind = table.kind_of(path_text(path))
        return entry_among(_field_name(path), old, seen, target, kind=kind, proposed=proposed, tz=self._context.tz)

    async def _candidates(self, entry: ReferenceEntry, target: Collection) -> AsyncIterator[FieldEntry]:
        """Return the entry again and again, with more and more records of the referenced collection."""
        yield (entry := replace(entry, is_searching=True))
        # By id, since a record can come twice if pages shift.
        candidates: dict[str, ReferenceCandidate] = {}
        walk = self._context.gateway.walk(target, most=_MAX_CANDIDATES, background=True)
        try:
            async with aclosing(walk) as pages:  # type: ignore[type-var]
                async for page in pages:
                    for candidate in _candidates_of(page, self._context.privacy_mask, target.domain):
                        candidates[candidate.id] = candidate
                    yield replace(entry, candidates=tuple(candidates.values()))
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not search {target.key}"))
            complete = False
        else:
            complete = len(candidates) < _MAX_CANDIDATES
        yield replace(entry, candidates=tuple(candidates.values()), complete=complete, is_searching=False)


def _unset_problem(path: Path, old: Json | Absent) -> str:
    if isinstance(path[-1], int):
        return _ITEM_UNSET_PROBLEM
    return _FIELD_UNSET_PROBLEM if len(path) == 1 and not isinstance(old, Absent) else ""


def _field_name(path: Path) -> str:
    """Return the name of the value at `path`, or of the list it is in."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _candidates_of(page: Page, privacy_mask: PrivacyMask, domain: str) -> list[ReferenceCandidate]:
    candidates: list[ReferenceCandidate] = []
    for record in page.records:
        name = id_field(record.fields)
        if name is not None and record.id is not None:
            label = privacy_mask.record(record, domain).label
            candidates.append(ReferenceCandidate(record.id, record.fields[name], label))
    return candidates


class TextDecision(Enum):
    """A decision about a text that came back from the editor; the value is its key."""

    AGAIN = "e"
    KEEP = "k"
    NULL = "n"
    DROP = "d"


_BUTTON_LABELS = {
    TextDecision.AGAIN: "Edit again",
    TextDecision.KEEP: "Keep values",
    TextDecision.NULL: "Set to null",
    TextDecision.DROP: "Discard",
}


class ReturnedTextScreen(Dialog[TextDecision]):
    """A question about a text that can't be applied as it is; Esc edits it again, so that no text is lost."""

    AUTO_FOCUS = "#AGAIN"

    BINDINGS = [
        Binding("escape,e", "answer('e')", "Edit again", id="returned.again", tooltip="Edit the text again"),
        Binding("k", "answer('k')", "Keep values", id="returned.keep", tooltip="Keep the values of the missing fields"),
        Binding("n", "answer('n')", "Set to null", id="returned.null", tooltip="Set the missing fields to null"),
        Binding("d", "answer('d')", "Discard", id="returned.drop", tooltip="Discard the text"),
    ]

    def __init__(
        self, title: str, body: Content, decisions: Sequence[TextDecision] = (TextDecision.AGAIN, TextDecision.DROP)
    ) -> None:
        super().__init__()
        self._title, self._body, self._decisions = title, body, tuple(decisions)

    def compose(self) -> ComposeResult:
        """Compose the problem, and a button for each decision."""
        with DialogFrame(styled(self._title)):
            yield Static(self._body)
            with Horizontal(classes="buttons"):
                for decision in self._decisions:
                    label = f"{decision.value} {_BUTTON_LABELS[decision]}"
                    yield DialogButton(label, f"answer({decision.value!r})", button_id=decision.name)

    def on_key(self, event: events.Key) -> None:
        """Go to the next or the previous button with left and right."""
        if event.key in ("left", "right"):
            event.stop()
            (self.focus_next if event.key == "right" else self.focus_previous)(Button)

    def action_answer(self, key: str) -> None:
        """Close with the decision, if it is offered."""
        if (decision := TextDecision(key)) in self._decisions:
            self.dismiss(decision)


def _mistake_content(mistake: TextMistake) -> Content:
    """Return the mistake, and its line with a mark below the place."""
    if not mistake.line:
        return styled(mistake.reason, "$role-danger")
    place = mistake.column - 1
    start = max(0, place - _EXCERPT_CHARS // 2)
    before, after = visible(mistake.text[start:place]), visible(mistake.text[place : start + _EXCERPT_CHARS])
    number = f"{mistake.line:>4}  "
    return Content("\n").join([
        styled(f"Line {mistake.line}, column {mistake.column}: {mistake.reason}.", "$role-danger"),
        Content.assemble((number, "$role-muted"), Content(before), Content(after)),
        Content.assemble(" " * (len(number) + Content(before).cell_length), ("^", "$role-danger bold")),
        Content.styled("No changes are applied yet.", "$role-muted"),
    ])  # fmt: skip


def _missing_fields_content(names: Sequence[str]) -> Content:
    """Return the names of missing fields, and the possible decisions."""
    names_text = ", ".join(visible(name) for name in names[:8]) + (", …" if len(names) > 8 else "")
    are = "is" if len(names) == 1 else "are"
    return Content.assemble(
        Content(names_text),
        f" {are} missing in the text. A change can't remove a field: keep the value, or set it to null.",
    )
