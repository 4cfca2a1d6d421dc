"""Actions on a record besides editing: the `x` menu, the service's actions, nested collections, new records."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from textual.content import Content

from svc_tui.core.catalog import COLLECTIONS, VERIFY, Collection, Route
from svc_tui.core.draft import Draft
from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.field_forms import FieldForm, FormAction, FormTarget
from svc_tui.core.jsontext import Json, dumps
from svc_tui.core.phrases import counted
from svc_tui.core.records import Place, Record
from svc_tui.core.references import singular
from svc_tui.core.requests import RequestSpec
from svc_tui.service.errors import RequestRefused, SendResult, ServiceError, failure_of
from svc_tui.storage.errors import StoreError
from svc_tui.ui.context import Context
from svc_tui.ui.dialogs.form import FormScreen
from svc_tui.ui.dialogs.menu import SearchMenu
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report, action_report, error_report
from svc_tui.ui.sending.write_controller import Write, WriteRefusal, offer_again
from svc_tui.ui.text import pad, shorten, styled, visible
from svc_tui.ui.writes.action_response import show_response
from svc_tui.ui.writes.create import CreateController
from svc_tui.ui.writes.delete import DeleteController
from svc_tui.ui.writes.unsent_forms import UnsentForms
from svc_tui.writes.actions import (
    Action,
    actions_on,
    body_words,
    last_values,
    with_last_values,
)
from svc_tui.writes.approval_guard import Proposal
from svc_tui.writes.offered_actions import ActionChoice, ChoiceElsewhere, CopyRecord, DeleteRecord, OfferedAction
from svc_tui.writes.write_requests import RefreshedRequest, change_from_action, is_under_record, with_if_match

_KIND_CELLS = 8
_MISSING_SCOPE = "the key does not have the scope"

_MAX_BODY_CELLS = 120
"""Cells of the last body in the note of a form."""


class RecordActions:
    """The actions on the selected record; its methods run in workers of the screen."""

    def __init__(
        self,
        context: Context,
        drafting: DraftController,
        unsent_forms: UnsentForms,
        do_elsewhere: Callable[[ChoiceElsewhere], Awaitable[None]],
    ) -> None:
        """Store the parts; `do_elsewhere` carries out the choices of the menu that other features have."""
        self._context, self._writes, self._unsent_forms = context, drafting.writes, unsent_forms
        self._do_elsewhere = do_elsewhere
        self.creating = CreateController(context, drafting.writes, unsent_forms)
        self.deleting = DeleteController(context, drafting)

    def _selected_record(self) -> tuple[Place, Record] | None:
        """Return the selected record; without one, show a notice and return None."""
        workspace = self._context.workspace
        place, record = workspace.selection.place, workspace.selection.record
        if place is None or record is None or place.record_id is None:
            self._context.notify(Report(availability.NO_RECORD))
            return None
        return place, record

    async def do(self, action: str) -> None:
        """Create, copy or delete a record, or open the menu, as `action` says."""
        match action:
            case "create":
                if (place := self._context.selection.place) is not None:
                    await self.creating.new(place.collection)
            case "copy":
                if (selected := self._selected_record()) is not None:
                    place, record = selected
                    await self.creating.copy(place.collection, record)
            case "delete":
                # Never the marked records.
                if (selected := self._selected_record()) is not None:
                    await self.deleting.ask(*selected)
            case "menu":
                await self._menu()

    async def resume_form(self, purpose: FormTarget) -> None:
        """Continue a form that was not sent."""
        if purpose.route is None:
            await self.creating.resume_form(purpose)
            return
        place = Place(purpose.collection, purpose.record_id)
        try:
            record = await self._context.gateway.record(place.collection, purpose.record_id)
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not load {purpose.record_id}"))
            return
        self._context.go(place)
        action = next(iter(actions_on(place, record, (purpose.route,), self._context.session.collections)), None)
        if action is None:
            self._context.notify(
                Report("The record no longer has the field that this action needs.", purpose.words, "warning")
            )
        else:
            await self._act(place, record, action, purpose)

    async def _menu(self) -> None:
        """Ask for an action on the marked records or the selected one, and carry it out."""
        selection = self._context.workspace.selection
        marked, collection = selection.marked, selection.place.collection if selection.place is not None else None
        if marked and selection.record is None and collection is not None:
            await self._marked_menu(marked, collection)
            return
        if (selected := self._selected_record()) is None:
            return
        place, record = selected
        display = self._context.workspace.record_display
        of_marked, of_record = display.offering.menu(place, record, display.scopes, marked)
        offers = (*of_marked, *of_record)
        lines = [(_offer_line(offer), offer.choice) for offer in offers]
        about, these = visible(place.record_id or ""), _marked_words(marked, place.collection)
        headings = {0: styled(these, "bold"), len(of_marked): styled(f"This record: {about}", "bold")} if marked else {}
        title = f"Actions: {these}, or this record ({about})" if marked else f"Actions on {about}"
        menu = SearchMenu(title, lines, headings=headings, details=[_offer_details(offer) for offer in offers])
        choice = await self._context.show(menu)
        if choice is not None:
            await self._carry_out(choice, place, record)

    async def _marked_menu(self, marked: int, collection: Collection) -> None:
        """Ask for an action on the marked records, while the selected row is not loaded."""
        offered = self._context.workspace.record_display.offering.of_marked(marked)
        lines = [(_offer_line(offer), offer.choice) for offer in offered]
        choice = await self._context.show(SearchMenu(_marked_words(marked, collection), lines))
        if not (choice is None or isinstance(choice, Action | Collection | CopyRecord | DeleteRecord)):
            await self._do_elsewhere(choice)

    async def verify(self) -> None:
        """Ask for a tunnel, and show the verdict on its hash chain."""
        await self._act(Place(COLLECTIONS[0]), Record({}), Action(VERIFY, {}))

    async def _carry_out(self, choice: ActionChoice, place: Place, record: Record) -> None:
        match choice:
            case Action() as action:
                await self._act(place, record, action)
            case Collection() as collection:
                self._context.go(Place(collection))
            case CopyRecord():
                await self.creating.copy(place.collection, record)
            case DeleteRecord():
                await self.deleting.ask(place, record)
            case _:
                await self._do_elsewhere(choice)

    async def _act(self, place: Place, record: Record, action: Action, purpose: FormTarget | None = None) -> None:
        """Ask for the values that the action needs, and send it; `purpose` is the form to continue."""
        form = action.form
        if not form.lines:
            if problem := await self._send(place, record, action, FieldForm(), _form_target(place, action)):
                self._context.notify(Report(problem, action.route.name, "warning"))
            return
        route = action.route
        note = Content.assemble(styled(route.method.upper(), "bold"), " ", styled(route.path, "$role-reference"))
        said = [styled(words, "$role-muted") for words in (route.body, body_words(route)) if words]
        about = f" · {place.record_id}" if place.record_id is not None else ""
        purpose = purpose or _form_target(place, action)
        saved = await self._unsent_forms.form(purpose)
        last: Mapping[str, Json] = {}
        if saved is not None:
            said.append(styled(self._unsent_forms.age_note(purpose), "$role-muted"))
        elif action.writes and (last := await self._last_values(route)):
            said.append(styled(f"Last sent: {shorten(dumps(last), _MAX_BODY_CELLS)}", "$role-muted"))
        screen = FormScreen(
            self._writes.heading(f"{route.name}{about}"),
            saved or with_last_values(form, last),
            Content("\n").join([note, *said]),
            # The form of a read is not kept.
            partial(self._unsent_forms.save, purpose, form) if action.writes else None,
            empty=form,
        )
        await self._context.screen.app.push_screen(screen)
        while (wanted := await screen.wanted()) is not None:
            problem = await self._send(place, record, action, wanted, purpose)
            if problem is None:
                screen.dismiss(None)
                return
            screen.say(problem)

    async def _last_values(self, route: Route) -> Mapping[str, Json]:
        """Return the values that were last sent to this route, from the journal; none while values are masked."""
        if self._context.privacy_mask.on:
            return {}
        try:
            # Only the user's own: a form never starts with values of a colleague.
            entries = await self._context.journal.entries()
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return {}
        return last_values(route, entries)

    async def _send(
        self, place: Place, record: Record, action: Action, form: FieldForm, purpose: FormTarget
    ) -> str | None:
        """Send the action; return None if it was carried out, else the reason why not, "" for a cancel."""
        try:
            spec = action.request(form)
        except ValueProblem as problem:
            return str(problem)
        except RequestRefused as error:
            return error_report(error).line
        if spec.writes:
            return await self._write(place, record, action, spec, purpose)
        return await self._read(place, action, spec)

    async def _read(self, place: Place, action: Action, spec: RequestSpec) -> str | None:
        gateway = self._context.gateway
        try:
            exchange = await gateway.send(spec)
        except ServiceError as error:
            return error_report(error).line
        if (failure := failure_of(exchange, gateway.secrets)) is not None:
            return error_report(failure).line
        subjects = (*action.known.values(), *(value for _, value in spec.query))
        await show_response(self._context, next(iter(subjects), place.record_id or ""), action, exchange)
        return None

    async def _write(
        self, place: Place, record: Record, action: Action, spec: RequestSpec, purpose: FormTarget
    ) -> str | None:
        what = f"{action.route.name} · {place.record_id}"
        try:
            other_key = await self._unsent_forms.is_of_other_key(purpose)
        except StoreError as error:
            return str(error)
        if other_key and not await self._writes.confirm_other_key("The form was filled in"):
            return ""
        is_own = is_under_record(place, spec)

        async def complete(spec: RequestSpec) -> RefreshedRequest | None:
            return await self._writes.refresh(place, spec, Draft(record))

        spec = with_if_match(spec, record.etag) if is_own else spec
        outcome = await self._writes.carry_out(
            Write(
                Proposal(change_from_action(place, spec, self._context.session.collections), place, record),
                lambda spec, ticket: self._writes.pipeline.act(place, record, spec, ticket, purpose),
                self._writes.plain_card(
                    what,
                    place=place,
                    label=self._context.privacy_mask.record(record, place.collection.domain).label,
                    note=self._unsent_forms.sent_note(purpose),
                    complete=complete if is_own and not record.etag else None,
                ),
                place,
                retry=offer_again,
            )
        )
        if isinstance(outcome, WriteRefusal):
            return outcome.line
        if outcome is None:
            return ""
        report = action_report(outcome, what, "carried out")
        if outcome.result is not SendResult.DONE:
            if outcome.result is not SendResult.NOT_SENT:
                self._unsent_forms.set_outcome(purpose, is_unknown=outcome.result is SendResult.UNKNOWN)
            return report.line
        # Before the response is shown, so that the form is not offered again.
        self._unsent_forms.discard(purpose)
        self._context.notify(report)
        self._context.workspace.panes.refresh_rows()
        if outcome.exchange is not None:
            await show_response(self._context, place.record_id or "", action, outcome.exchange)
        return None


def _marked_words(marked: int, collection: Collection) -> str:
    name = visible(collection.name)
    return counted(marked, f"marked {singular(name)}", f"marked {name}")


def _form_target(place: Place, action: Action) -> FormTarget:
    """Return the key under which the action's form is kept."""
    return FormTarget(FormAction.ACTION, place.collection, place.record_id or "", action.route)


def _offer_line(offer: OfferedAction) -> Content:
    """Return the line of an action: its kind, its name, a value it uses, and whether the service refused it."""
    return Content.assemble(
        (pad(visible(offer.kind), _KIND_CELLS - 1), "$role-muted"),
        styled(offer.name),
        styled(f"  {offer.note}" if offer.note else "", "$role-reference"),
        (f"  ✕ {_MISSING_SCOPE}", "$role-warning") if offer.lacking else "",
    )


def _offer_details(offer: OfferedAction) -> Content:
    """Return what happens when an action is chosen, and its request."""
    parts = (styled(offer.does, "$role-muted"), styled(offer.request, "$role-reference"))
    return Content("\n").join(parts)
