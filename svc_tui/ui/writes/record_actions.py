"""What can be done with a record besides editing it: the `x` menu, actions, nested collections, new records.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from textual.content import Content

from svc_tui.core.catalog import COLLECTIONS, VERIFY, Collection, Route
from svc_tui.core.draft import Draft
from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.field_forms import FieldForm, FormAction, FormTarget
from svc_tui.core.jsontext import Json, JsonError, dumps, loads
from svc_tui.core.phrases import counted
from svc_tui.core.records import Place, Record
from svc_tui.core.references import singular
from svc_tui.core.requests import Exchange, RequestSpec
from svc_tui.service.errors import RequestRefused, SendResult, ServiceError, failure_of
from svc_tui.storage.errors import StoreError
from svc_tui.ui.context import Context
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.keys import availability
from svc_tui.ui.report import Report, action_report, error_report
from svc_tui.ui.sending.write_controller import Write, WriteRefusal, offer_again
from svc_tui.ui.text import pad, shorten, styled, visible
from svc_tui.ui.writes.create import CreateController
from svc_tui.ui.writes.delete import DeleteController
from svc_tui.ui.writes.unsent_forms import UnsentForms
from svc_tui.writes.actions import (
    Action,
    actions_on,
    body_words,
    is_verification,
    last_values,
    with_last_values,
)
from svc_tui.writes.approval_guard import Proposal
from svc_tui.writes.chain_verdict import read_verdict
from svc_tui.writes.offered_actions import ActionChoice, ChoiceElsewhere, CopyRecord, DeleteRecord, OfferedAction
from svc_tui.writes.write_requests import RefreshedRequest, change_from_action, is_under_record, with_if_match

CHAIN_COLLECTION = "operations/custody"
"""Where the entries of hash chains are taken to be, unless ids seen tell otherwise."""

_KIND_CELLS = 8
_MISSING_SCOPE = "the key does not have the scope"

_MAX_BODY_CELLS = 120
"""Cells of a body that was sent before, in the note of a form."""


class RecordActions:
    """Does with the record under the cursor what is chosen for it; its methods run in workers of the screen."""

    def __init__(
        self,
        context: Context,
        drafting: DraftController,
        unsent_forms: UnsentForms,
        do_elsewhere: Callable[[ChoiceElsewhere], Awaitable[None]],
    ) -> None:
        """Make it; `do_elsewhere` does what the menu offers besides."""
        self._context, self._writes, self._unsent_forms = context, drafting.writes, unsent_forms
        self._do_elsewhere = do_elsewhere
        self.creating = CreateController(context, drafting.writes, unsent_forms)
        self.deleting = DeleteController(context, drafting)

    @property
    def _here(self) -> tuple[Place, Record] | None:
        """The record under the cursor; None, with a word, where there is none to act on."""
        workspace = self._context.workspace
        place, record = workspace.selection.place, workspace.selection.record
        if place is None or record is None or place.record_id is None:
            self._context.notify(Report(availability.NO_RECORD))
            return None
        return place, record

    async def do(self, what: str) -> None:
        """Do one of: create, copy, delete, menu."""
        doings = {
            "create": self._create,
            "copy": self._copy,
            "delete": self._delete,
            "menu": self._menu,
        }
        await doings[what]()

    async def resume_form(self, purpose: FormTarget) -> None:
        """Go on with a form that was begun and not sent."""
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

    async def _create(self) -> None:
        """A new record of the collection on show."""
        if (place := self._context.selection.place) is not None:
            await self.creating.new(place.collection)

    async def _copy(self) -> None:
        """A new record that begins as a copy of the one under the cursor."""
        if (here := self._here) is not None:
            await self.creating.copy(here[0].collection, here[1])

    async def _delete(self) -> None:
        """Delete the record under the cursor, never the marked ones."""
        if (here := self._here) is not None:
            await self.deleting.ask(*here)

    async def _menu(self) -> None:
        """Choose what to do with the marked records, or with the one under the cursor."""
        selection = self._context.workspace.selection
        marked, collection = selection.marked, selection.place.collection if selection.place is not None else None
        if marked and selection.record is None and collection is not None:
            await self._marked_menu(marked, collection)
            return
        if (here := self._here) is None:
            return
        from svc_tui.ui.dialogs.menu import SearchMenu

        place, record = here
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
        """Choose what to do with the marked records, where the row under the cursor has not come."""
        from svc_tui.ui.dialogs.menu import SearchMenu

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
        """Ask for what the action still wants, and send it; `purpose` is the form that is gone on with."""
        form = action.form
        if not form.lines:
            await self._send_plain(place, record, action)
            return
        from svc_tui.ui.dialogs.form import FormScreen

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
            # What only reads can be asked for again.
            partial(self._unsent_forms.save, purpose, form) if action.writes else None,
            empty=form,
        )
        await self._context.screen.app.push_screen(screen)
        while (wanted := await screen.wanted()) is not None:
            problem = await self._sent(place, record, action, wanted, purpose)
            if problem is None:
                screen.dismiss(None)
                return
            screen.say(problem)

    async def _last_values(self, route: Route) -> Mapping[str, Json]:
        """What the journal knows of the body that was sent to this route last; nothing while values are hidden."""
        if self._context.privacy_mask.on:
            return {}
        try:
            # One's own alone: a form never begins with what somebody else wrote.
            entries = await self._context.journal.entries()
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return {}
        return last_values(route, entries)

    async def _send_plain(self, place: Place, record: Record, action: Action) -> None:
        problem = await self._sent(place, record, action, FieldForm(), _form_target(place, action))
        if problem:
            self._context.notify(Report(problem, action.route.name, "warning"))

    async def _sent(
        self, place: Place, record: Record, action: Action, form: FieldForm, purpose: FormTarget
    ) -> str | None:
        """Send the action; gives why it was not done, "" where it was decided against, None where it was done."""
        try:
            spec = action.request(form)
        except ValueProblem as problem:
            return str(problem)
        except RequestRefused as error:
            return error_report(error).line
        if not spec.writes:
            return await self._read(place, action, spec)
        return await self._write(place, record, action, spec, purpose)

    async def _read(self, place: Place, action: Action, spec: RequestSpec) -> str | None:
        gateway = self._context.gateway
        try:
            exchange = await gateway.send(spec)
        except ServiceError as error:
            return error_report(error).line
        if (failure := failure_of(exchange, gateway.secrets)) is not None:
            return error_report(failure).line
        known = (*action.known.values(), *(value for _, value in spec.query))
        await self._show(next(iter(known), place.record_id or ""), action, exchange)
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
        own = is_under_record(place, spec)
        complete = partial(self._completed, place, record) if own and not record.etag else None
        spec = with_if_match(spec, record.etag) if own else spec
        outcome = await self._writes.carry_out(
            Write(
                Proposal(change_from_action(place, spec, self._context.session.collections), place, record),
                lambda spec, ticket: self._writes.pipeline.act(place, record, spec, ticket, purpose),
                self._writes.plain_card(
                    what,
                    place=place,
                    label=self._context.privacy_mask.record(record, place.collection.domain).label,
                    note=self._unsent_forms.sent_note(purpose),
                    complete=complete,
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
        # Before the answer is looked at: what was done is not offered again.
        self._unsent_forms.discard(purpose)
        self._context.notify(report)
        self._context.workspace.panes.refresh_rows()
        if outcome.exchange is not None:
            await self._show(place.record_id or "", action, outcome.exchange)
        return None

    async def _completed(self, place: Place, record: Record, spec: RequestSpec) -> RefreshedRequest | None:
        return await self._writes.refresh(place, spec, Draft(record))

    async def _show(self, what: str, action: Action, exchange: Exchange) -> None:
        """Show the answer about `what`: as a verdict where it is one that can be read, else as it is."""
        if is_verification(action):
            from svc_tui.ui.record.copy import CopyController
            from svc_tui.ui.writes.chain_verdict_screen import ChainVerdictScreen, verdict_proof

            try:
                verdict = read_verdict(loads(exchange.answer.body))
            except JsonError:
                verdict = None
            if verdict is not None:
                proof = verdict_proof(what, verdict, exchange, self._context.session.scope, self._context.local_now())
                copy = partial(CopyController(self._context).text, proof)
                if record_id := await self._context.show(ChainVerdictScreen(what, verdict, copy)):
                    self._go_to_entry(record_id)
                return
        from svc_tui.ui.dialogs.answer import AnswerScreen

        answer = self._context.privacy_mask.exchange(exchange).answer
        title = Content.assemble(styled(action.route.name), " · ", styled(f"{answer.status} {answer.reason}"))
        await self._context.show(AnswerScreen(title, answer))

    def _go_to_entry(self, record_id: str) -> None:
        collections = self._context.session.collections
        chained = next((collection for collection in collections if collection.key == CHAIN_COLLECTION), None)
        home = self._context.selection.home_of(record_id) or chained
        if home is not None:
            self._context.go(Place(home, record_id))


def _marked_words(marked: int, collection: Collection) -> str:
    name = visible(collection.name)
    return counted(marked, f"marked {singular(name)}", f"marked {name}")


def _form_target(place: Place, action: Action) -> FormTarget:
    """What the action's form is for."""
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
