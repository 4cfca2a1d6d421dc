"""Opens the editors: for the field under the cursor, and for a whole record in the user's own editor.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

from collections.abc import AsyncIterator
from contextlib import aclosing

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
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.editing.external_editor import ExternalEditor
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.sending.colleagues import open_for_editing
from svc_tui.writes.whole_record import (
    RecordChanges,
    TextMistake,
    apply_changes,
    fields_left_out,
    parse_changes,
    record_text,
)

MAX_CANDIDATES = 500
"""Records of the collection that a reference points at, read to be searched."""

_FIELD_UNSET_PROBLEM = "A change can't remove a field. Press ctrl+n to set it to null."
_ITEM_UNSET_PROBLEM = "A list item can't be removed here. Edit the list, or press ctrl+n to set the item to null."


class FieldEditing:
    """Has fields and records edited for one screen; its methods run in workers of that screen."""

    def __init__(self, context: Context, drafting: DraftController, external_editor: ExternalEditor) -> None:
        self._context, self._drafting, self._external_editor = context, drafting, external_editor
        self._storing: Worker[None] | None = None
        """The worker that stores the last edit."""

    async def value(self, path: Path, *, edit_externally: bool = False) -> None:
        """Edit the value at `path` of the current record in its place, with `edit_externally` in the user's editor."""
        if self._context.selection.hidden and not await self._context.confirm_unmask("editor"):
            return
        here = self._at_hand()
        if here is None:
            return
        place, record = here
        pane = self._context.selection.pane
        if self._storing is not None:
            # Its text would be taken for unfinished.
            await self._storing.wait()
        draft = self._drafting.begin(place, record)
        if not path_exists(draft.fields, path):
            path = path[:1]
        if str(path[0]) == id_field(record.fields):
            self._context.notify(Report(availability.ITS_ID))
            return
        name = str(path[0])
        old, value = at_path(draft.base.fields, path), at_path(draft.fields, path)
        target = self._target(path)
        entry = self._entry(path, old, value, target)

        edited: list[Json | Absent] = [value]
        unfinished = await self._drafting.unfinished_text(place, path_text(path))

        def keep_text(text: str | None) -> None:
            self._drafting.keep_unfinished(place, path_text(path), text)

        from svc_tui.ui.editing.field_editor import EditedField, FieldEditor

        editor = FieldEditor(
            EditedField(
                place.record_id or "",
                path_text(path),
                entry,
                old,
                value,
                self._unset_problem(path, old),
                note=self._context.workspace.selection.marks_note(place),
                field=name,
            ),
            edited.append,
            keep_text,
            pane=pane,
            unfinished=unfinished,
            now=self._context.local_now,
            look_up=self._candidates(entry, target) if isinstance(entry, ReferenceEntry) and target else None,
            edit_externally=self._external_editor.edited,
            start_externally=edit_externally,
        )
        try:
            with open_for_editing(self._context, place):
                wants_review = await self._context.show(editor)
        finally:
            pane.show_edited("")
        saving: Worker[None] | None = None
        if edited[-1] != value:
            new = edited[-1]
            # A write that ends while the editor is open leaves another record than it began with.
            now = self._drafting.draft(place)
            if len(path) > 1:
                around = now.value(name) if path_exists(now.fields, path) else draft.value(name)
                new = with_value_at(around, path[1:], new)
            edit = now.without(name) if isinstance(new, Absent) else now.with_value(name, new)
            saving = self._drafting.put(place, edit)

        async def store() -> None:
            if saving is not None:
                await saving.wait()
            # This writes the edit to the disk: only then may its text go.
            await self._look_for_others(place)
            keep_text(None)

        # In a worker of its own: a dialog can be opened meanwhile.
        self._storing = self._context.screen.run_worker(store(), group="drafts")
        if wants_review:
            await self._storing.wait()
            await self._drafting.review(place)

    async def _look_for_others(self, place: Place) -> None:
        """Tell of edits that other programs made of the same fields."""
        if self._drafting.drafts.draft(place) is not None:
            await self._drafting.compare_with_disk(place)
            self._drafting.notify_of_others(place)

    async def whole(self) -> None:
        """Edit the whole record, with the edits not yet sent, as JSON in the user's editor."""
        selection = self._context.selection
        if selection.seen != selection.shown and not await self._context.confirm_unmask("editor"):
            return
        here = self._at_hand()
        if here is None:
            return
        place, record = here
        with open_for_editing(self._context, place):
            await self._edit_whole(place, record)
        self._context.screen.run_worker(self._look_for_others(place), group="drafts")

    async def _edit_whole(self, place: Place, record: Record) -> None:
        fields = self._drafting.begin(place, record).fields
        text = sent = record_text(fields)
        while True:
            edited = await self._external_editor.edited(text, "json")
            if edited is None and text == sent:
                return
            # An editor that is left without saving leaves the text as it was handed out.
            text = text if edited is None else edited
            changed = parse_changes(fields, text)
            if changed == RecordChanges():
                self._context.notify(Report("Nothing was changed."))
                return
            match await self._judged(place, changed):
                case RecordChanges() as wanted:
                    self._drafting.put(place, apply_changes(self._drafting.draft(place), wanted))
                    return
                case False:
                    return

    async def _judged(self, place: Place, changed: RecordChanges | TextMistake) -> RecordChanges | bool:
        """What is to be taken; False: nothing; True: the text is to be edited again."""
        from svc_tui.ui.dialogs.returned_text import ReturnedTextScreen, TextDecision, left_out_content, mistake_content

        title = place.record_id or ""
        if isinstance(changed, TextMistake):
            screen = ReturnedTextScreen(f"{title} · invalid text", mistake_content(changed))
            return await self._context.show(screen) is not TextDecision.DROP
        left_out = fields_left_out(self._drafting.draft(place), changed)
        if not left_out:
            return changed
        answers = (TextDecision.AGAIN, TextDecision.KEEP, TextDecision.NULL, TextDecision.DROP)
        match await self._context.show(
            ReturnedTextScreen(f"{title} · missing fields", left_out_content(left_out), answers)
        ):
            case TextDecision.KEEP:
                return changed
            case TextDecision.NULL:
                return replace(changed, values={**changed.values, **dict.fromkeys(left_out)})
            case TextDecision.DROP:
                return False
            case _:
                return True

    def _at_hand(self) -> tuple[Place, Record] | None:
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
        browse = self._context.table
        if len(path) == 1:
            seen = browse.rows.values(_field_name(path))
        else:
            values = (at_path(held.fields, path) for held in browse.rows.records())
            seen = [value_seen for value_seen in values if not isinstance(value_seen, Absent)]
        kind = browse.kind_of(path_text(path))
        name, tz = _field_name(path), self._context.tz
        return entry_among(name, old, seen, target, kind=kind, proposed=proposed, tz=tz)

    def _target(self, path: Path) -> Collection | None:
        return target_of(_field_name(path), self._context.session.collections)

    def _unset_problem(self, path: Path, old: Json | Absent) -> str:
        if isinstance(path[-1], int):
            return _ITEM_UNSET_PROBLEM
        return _FIELD_UNSET_PROBLEM if len(path) == 1 and not isinstance(old, Absent) else ""

    async def _candidates(self, entry: ReferenceEntry, target: Collection) -> AsyncIterator[FieldEntry]:
        """The entry with more and more records of the collection that the reference points at."""
        yield (entry := replace(entry, is_searching=True))
        candidates: dict[str, ReferenceCandidate] = {}  # by id: a page that shifted can come again
        walk = self._context.gateway.walk(target, most=MAX_CANDIDATES, background=True)
        try:
            async with aclosing(walk) as pages:  # type: ignore[type-var]
                async for page in pages:
                    found = _candidates_of(page, self._context.privacy_mask, target.domain)
                    candidates |= {candidate.id: candidate for candidate in found}
                    yield replace(entry, candidates=tuple(candidates.values()))
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not search {target.key}"))
            complete = False
        else:
            complete = len(candidates) < MAX_CANDIDATES
        yield replace(entry, candidates=tuple(candidates.values()), complete=complete, is_searching=False)


def _candidates_of(page: Page, privacy_mask: PrivacyMask, domain: str) -> list[ReferenceCandidate]:
    found_records: list[ReferenceCandidate] = []
    for record in page.records:
        name = id_field(record.fields)
        if name is not None and record.id is not None:
            found_records.append(
                ReferenceCandidate(record.id, record.fields[name], privacy_mask.record(record, domain).label)
            )
    return found_records


def _field_name(path: Path) -> str:
    """The name that the value at `path` goes by: its own, or that of the list it is in."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")
