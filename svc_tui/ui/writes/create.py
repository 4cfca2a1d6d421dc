"""Creating a record: its form, empty or filled from another record, the card, and sending."""

from functools import partial

from svc_tui.core.catalog import Collection
from svc_tui.core.field_forms import FieldForm, FormAction, FormTarget, fill_from_record, form_for, kind_seen
from svc_tui.core.jsontext import Absent
from svc_tui.core.records import Place, Record
from svc_tui.service.errors import SendResult
from svc_tui.storage.errors import StoreError
from svc_tui.ui.context import Context
from svc_tui.ui.dialogs.form import FormScreen
from svc_tui.ui.report import action_report
from svc_tui.ui.sending.write_controller import Write, WriteController, WriteRefusal, offer_again
from svc_tui.ui.text import styled
from svc_tui.ui.writes.unsent_forms import UnsentForms
from svc_tui.writes.approval_guard import Proposal, ProposedChange
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.write_requests import build_create_request


class CreateController:
    """The forms that create records; a form that was not sent opens again for the same purpose."""

    def __init__(self, context: Context, writes: WriteController, unsent_forms: UnsentForms) -> None:
        self._context, self._writes, self._unsent_forms = context, writes, unsent_forms

    async def new(self, collection: Collection) -> None:
        """Create a record in the collection."""
        await self._fill_in(FormTarget(FormAction.NEW, collection), form_for(self._loaded_records(collection)))

    async def copy(self, collection: Collection, record: Record) -> None:
        """Create a record from a copy of another, without its id and times."""
        form = fill_from_record(form_for(self._loaded_records(collection)), record)
        await self._fill_in(FormTarget(FormAction.COPY, collection, record.id or ""), form)

    async def again(self, collection: Collection, record: Record) -> None:
        """Create a deleted record again, with every field that can be sent."""
        form = fill_from_record(form_for([record]), record, times=True)
        await self._fill_in(FormTarget(FormAction.AGAIN, collection, record.id or ""), form)

    async def resume_form(self, purpose: FormTarget) -> None:
        """Continue a form that was not sent."""
        new = purpose.deed is FormAction.NEW
        await self._fill_in(purpose, form_for(self._loaded_records(purpose.collection)) if new else FieldForm())

    def _loaded_records(self, collection: Collection) -> list[Record]:
        """Return the loaded records of the collection, or of another one of its kind if there are none."""
        loaded = [(other, list(records)) for other, records in self._context.selection.held]
        own = [record for other, records in loaded if other == collection for record in records]
        return own or [
            record
            for other, records in loaded
            if other.under and collection.under and other.name == collection.name
            for record in records
        ]

    async def _fill_in(self, purpose: FormTarget, empty: FieldForm) -> None:
        """Ask for the fields in the saved form or the `empty` one, and create the record."""
        collection = purpose.collection
        saved = await self._unsent_forms.form(purpose)
        form = empty if saved is None else saved.beside(empty)
        if self._holds_masked(collection, form) and not await self._context.confirm_unmask("form"):
            return
        title = f"New record in {collection.key}"
        notes = [] if saved is None else [self._unsent_forms.age_note(purpose)]
        notes.append(_note(purpose, form))
        if not form.problems:
            try:
                unknown_writes = self._writes.pipeline.unknown_writes
                await unknown_writes.load(self._context.journal)
                similar = unknown_writes.describe_similar(build_create_request(collection, form.values))
                notes.append(similar.replace("\n", " "))
            except StoreError as error:
                notes.append(f"Could not load the journal: {error}.")
        records = self._loaded_records(collection)
        screen = FormScreen(
            self._writes.heading(title),
            form,
            styled(" ".join(filter(None, notes))),
            partial(self._unsent_forms.save, purpose, empty),
            empty=empty if empty.lines else None,
            kind_of=lambda name: kind_seen(name, records),
        )
        await self._context.screen.app.push_screen(screen)
        while (wanted := await screen.wanted()) is not None:
            report = await self._send(purpose, wanted, screen, title)
            if report is None:
                continue
            if report.result is SendResult.DONE:
                self._unsent_forms.discard(purpose)
                screen.dismiss(None)
                self._show_created(purpose, report)
                return
            if report.result is not SendResult.NOT_SENT:
                self._unsent_forms.set_outcome(purpose, is_unknown=report.result is SendResult.UNKNOWN)
            screen.say(action_report(report, "The record", "created").line)

    def _holds_masked(self, collection: Collection, form: FieldForm) -> bool:
        """Return True if the form holds a value that is masked now."""
        record = Record({
            line.name: line.text if isinstance(line.source, Absent) else line.source for line in form.lines
        })  # fmt: skip
        return self._context.privacy_mask.record(record, collection.domain) != record

    async def _send(self, purpose: FormTarget, form: FieldForm, screen: FormScreen, title: str) -> WriteReport | None:
        """Show the card of the record, and send it; return None for a cancel or a refusal, which the form shows."""
        collection, name, place = purpose.collection, purpose.record_id, Place(purpose.collection)
        try:
            other_key = await self._unsent_forms.is_of_other_key(purpose)
        except StoreError as error:
            screen.say(str(error))
            return None
        if other_key and not await self._writes.confirm_other_key("The form was filled in"):
            return None
        warning = (
            f"This creates a new record. Its id may differ from {name}." if purpose.deed is FormAction.AGAIN else ""
        )
        note = " ".join(filter(None, (self._unsent_forms.sent_note(purpose), warning)))
        outcome = await self._writes.carry_out(
            Write(
                Proposal(ProposedChange(("create",), place.key, build_create_request(collection, form.values)), place),
                lambda spec, ticket: self._writes.pipeline.create(collection, spec, ticket, purpose),
                self._writes.plain_card(title, place=place, note=note),
                retry=offer_again,
            )
        )
        if isinstance(outcome, WriteRefusal):
            lasts = self._writes.lock.lasting_refusal is not None
            screen.say(f"{outcome.line} Press esc to keep this form for later." if lasts else outcome.line)
            return None
        return outcome

    def _show_created(self, purpose: FormTarget, report: WriteReport) -> None:
        record = report.record
        name = record.id if record is not None and record.id else "The record"
        self._context.notify(action_report(report, name, "created", undoes=purpose.deed is FormAction.AGAIN))
        if record is not None and record.id is not None:
            self._context.go(Place(purpose.collection, record.id))
        self._context.workspace.panes.refresh_rows()


def _note(purpose: FormTarget, form: FieldForm) -> str:
    """Return the note above the form."""
    name = purpose.record_id or "the record"
    match purpose.deed:
        case FormAction.COPY:
            return f"A copy of {name}, without its id and times."
        case FormAction.AGAIN:
            return f"The values of {name}. The service may assign a new id; references to {name} then stay broken."
    return "Only filled fields are sent." if form.lines else "No fields are known yet. Add them by name."
