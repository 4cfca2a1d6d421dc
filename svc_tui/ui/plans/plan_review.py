"""Shows a plan before it is carried out: its rows and their cards, the values edited in it, the count typed on LIVE."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial

from textual.content import Content

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import json_or_unset
from svc_tui.core.field_entry import ChoiceEntry, entry_among
from svc_tui.core.jsontext import ABSENT, Absent, Json, same_json
from svc_tui.core.kinds import MASKED
from svc_tui.core.phrases import capitalize_first, counted
from svc_tui.core.records import LABEL_NAMES
from svc_tui.core.references import ReferenceResolver, target_of
from svc_tui.core.requests import RequestSpec
from svc_tui.core.values import replace
from svc_tui.plans.cell_text import to_json_number
from svc_tui.plans.cells import DecimalMark
from svc_tui.plans.comparing import SeenValues
from svc_tui.plans.plan_view import PlanLine
from svc_tui.plans.planning import PlanError, Planner
from svc_tui.plans.run import RowOutcome
from svc_tui.service.errors import ServiceError
from svc_tui.storage.errors import StoreError
from svc_tui.storage.plan import Plan, PlanRow, RowAction, format_title
from svc_tui.ui.context import Context
from svc_tui.ui.plans.plan_guard import plan_guard
from svc_tui.ui.report import SECRET_TYPED, Report
from svc_tui.ui.sending.write_controller import ASKED_WORDS, WriteController
from svc_tui.ui.text import field_label, styled, visible
from svc_tui.writes.approval_guard import Unguarded
from svc_tui.writes.write_requests import build_create_request, build_delete_request, build_update_request

UNSET_PROBLEM = "A plan can't remove a field. Type a value or null."

_MAY_BE_A_PERSON = ("name", "email")
"""Fields of a record of which nothing is known: a name may be a person's."""

_ANY_TEXT = "any"
"""A text that is hidden only where its field is."""


class PlanReview:
    """The screens over plans of one main screen; its methods run in workers of the screen."""

    def __init__(self, context: Context, writes: WriteController) -> None:
        self._context, self._writes = context, writes

    async def agreed(
        self,
        plan: Plan,
        *,
        planner: Planner | None = None,
        add_field: Callable[[Plan], Awaitable[Plan]] | None = None,
    ) -> Plan | None:
        """The plan as it was agreed to, on LIVE once its number was typed; None where it was not, or may not be.

        `planner` made the plan, if it compared a file; `add_field` gives it with one more field changed.
        """
        if refusal := self._writes.lock.lasting_refusal:
            self._context.notify(Report(refusal, severity="warning"))
            return None
        from svc_tui.ui.plans.plan_screen import PlanHelp, PlanScreen

        plan_help = PlanHelp(
            lambda plan: self._writes.heading(plan_title(plan)),
            lambda row: self.seen(plan, row),
            lambda row: self._show_card(plan, row),
            partial(self._edited, planner),
            partial(self._decimal_mark_chosen, planner),
            self._confirmed,
            self._writes.lock.toggle,
            add_field,
        )
        line = self._writes.tickets.plan_line(plan.ticket)
        screen = PlanScreen(plan, plan_help, line, self._context.tz, danger=self._writes.live)
        agreed: Plan | None = await self._context.show(screen)
        self._writes.tickets.remember(line)
        return agreed

    async def _confirmed(self, plan: Plan) -> bool:
        """Whether it may be sent: approved where it has to be, not locked, and on LIVE once the number was typed."""
        if not await self._approved(plan):
            return False
        if refusal := self._writes.lock.refusal():
            self._context.notify(Report(refusal, severity="warning"))
            return False
        if not self._writes.live:
            return True
        from svc_tui.ui.plans.run_dialogs import ConfirmCountScreen

        screen = ConfirmCountScreen(len(plan.ready), plan.collection.name, self._context.gateway.host)
        return bool(await self._context.show(screen))

    async def _approved(self, plan: Plan) -> bool:
        """Whether a second person approved all of it, or none has to; where not, colleagues can be asked."""
        session = self._context.session
        guard = plan_guard(session, plan)
        if isinstance(guard, Unguarded):
            return True
        from svc_tui.plans.approval import PlanApproval, rule_for_plan

        rule = rule_for_plan(guard, plan)
        if not rule:
            return True
        if not isinstance(guard, PlanApproval):
            words = f"On LIVE this requires approval (rule {rule}), but the profile has no team."
            self._context.notify(Report(words, severity="warning"))
            return False
        from svc_tui.team.asks import AskError
        from svc_tui.ui.plans.ask_plan_dialog import AskPlanScreen

        try:
            ask, standing = await guard.find_approval()
            if ask is not None:
                return True
            screen = AskPlanScreen(self._writes.heading(f"Request approval: {plan.current_title}"), rule, standing)
            word: str | None = await self._context.show(screen)
            if word is not None:
                await guard.ask(plan.ticket, word, session.gateway.secrets)
                self._context.notify(Report(ASKED_WORDS, "Approval requested"))
        except (AskError, StoreError) as error:
            self._context.notify(Report(str(error), "Approval not requested", "warning"))
        return False

    def seen(self, plan: Plan, row: PlanRow) -> PlanRow:
        """The row as it may be seen."""
        if not self._context.privacy_mask.on:
            return row
        mask, domain, names = self._context.privacy_mask.mask, plan.collection.domain, self._field_names(plan, row)
        problems = tuple(
            # Its sentence may hold a value of the field.
            replace(problem, text=f"{problem.field}: {problem.kind.value}.")
            if problem.field and self._hides(plan, row, problem.field)
            else replace(problem, text=mask.text(problem.text))
            for problem in row.problems
        )
        is_personal = any(mask.hides(name, names, domain) for name in names if name.casefold() in LABEL_NAMES)
        return replace(
            row,
            label=MASKED if row.label and is_personal else mask.text(row.label),
            base=mask.fields(row.base, domain, names),
            edits=mask.fields(row.edits, domain, names),
            problems=problems,
        )

    def seen_outcome(self, plan: Plan, outcome: RowOutcome) -> RowOutcome:
        """What became of a row, as it may be seen."""
        if not self._context.privacy_mask.on:
            return outcome
        mask, names = self._context.privacy_mask.mask, self._field_names(plan, outcome.row)
        conflicts = tuple(
            (name, mask.value_at(name, value, plan.collection.domain, names)) for name, value in outcome.conflicts
        )
        return replace(outcome, row=self.seen(plan, outcome.row), conflicts=conflicts)

    def _field_names(self, plan: Plan, row: PlanRow) -> tuple[str, ...]:
        """The fields that the record of a row has, by which it is told whether a name is a person's.

        A row holds some of them alone, so they are those of a record of its collection that is at hand.
        """
        here = (
            records for collection, records in self._context.workspace.selection.held if collection == plan.collection
        )
        fields = next((record.fields for records in here for record in records), _MAY_BE_A_PERSON)
        return tuple(dict.fromkeys((*fields, *row.base, *row.edits)))

    async def _show_card(self, plan: Plan, row: PlanRow) -> None:
        """Show one row whole: what changes, what stands against it, the request as it would leave."""
        from svc_tui.ui.dialogs.entry_list import EntryScreen
        from svc_tui.ui.widgets.request.request_preview import request_content
        from svc_tui.ui.widgets.text.difference import diff_content

        seen = self.seen(plan, row)
        parts = [Content.assemble(styled(seen.name, "bold"), styled(f"  {seen.label}"))]
        parts += [styled(f"! {problem.text}", "$role-warning", lines=True) for problem in seen.problems]
        if seen.unchanged:
            values = ", ".join(
                f"{field_label(change.name)} is {json_or_unset(change.old)}" for change in seen.unchanged
            )
            parts.append(styled(f"Nothing to change: {values} already."))
        elif row.action is not RowAction.DELETE:
            parts.append(diff_content(seen.changes))
        if (spec := self._request(plan, row)) is not None:
            try:
                request = self._context.gateway.preview(spec)
            except ServiceError as error:
                parts.append(styled(str(error), "$role-danger"))
            else:
                masked = self._context.privacy_mask.request(request, beside=self._field_names(plan, row))
                parts.append(request_content(masked, headers_shown=True))
        await self._context.show(EntryScreen(f"{plan.collection.name}: {seen.name}", Content("\n\n").join(parts)))

    def _request(self, plan: Plan, row: PlanRow) -> RequestSpec | None:
        """The request that a row comes to; None where it comes to none."""
        try:
            match row.action:
                case RowAction.CREATE:
                    return build_create_request(plan.collection, row.edits)
                case RowAction.DELETE:
                    return build_delete_request(plan.place(row))
                case RowAction.UPDATE if row.edits:
                    return build_update_request(plan.place(row), row.draft)
        except ServiceError:
            # No path can name the record, which is one of the row's problems already.
            return None
        return None

    def planner(self, collection: Collection, seen: SeenValues | None = None) -> Planner:
        """Return what plans changes of the collection; `seen` are the values that edits are compared with."""
        session = self._context.session
        references = ReferenceResolver(collection, session.collections, session.profile.references(collection))
        return Planner(session.gateway, references, session.now, seen, find_creations=session.journal.creations)

    def seen_values(
        self, collection: Collection, paths: Iterable[str], otherwise: Iterable[Mapping[str, Json]]
    ) -> SeenValues:
        """Return the values at `paths` of the collection's records that are loaded, or else of `otherwise`."""
        seen = SeenValues(paths)
        loaded = [
            record.fields
            for held, records in self._context.workspace.selection.held
            if held == collection
            for record in records
        ]
        for fields in loaded or otherwise:
            seen.add(fields)
        return seen

    async def _edited(self, planner: Planner | None, plan: Plan, line: PlanLine) -> Plan:
        """The plan once a person has changed the new value of a line; `planner` made it, if it compared a file."""
        assert line.change is not None
        change, path = line.change, line.change.name
        planner = planner or self._editing_planner(plan, path)
        hidden = self._hides(plan, line.row, path)
        value = await self.value_for(line.row.name, path, change.old, change.new, planner.seen, hidden=hidden)
        if isinstance(value, Absent) or same_json(value, change.new):
            # Whoever only looks at a value has decided nothing about it: what is in doubt stays so.
            return plan
        return await self._compared(plan, planner.edit(plan, {line.row.number: value}, path))

    async def _compared(self, plan: Plan, edited: Awaitable[Plan]) -> Plan:
        """The plan as it is `edited`; as it was, which is reported, where the edit can't be compared."""
        try:
            return await edited
        except PlanError:
            self._context.notify(Report(SECRET_TYPED, "Edit discarded", "warning"))
        except StoreError as error:
            self._context.notify(Report(str(error), "Edit discarded: could not load the journal", "error"))
        return plan

    def _editing_planner(self, plan: Plan, path: str) -> Planner:
        """Return what compares edits at `path` of a plan that was not made from a file here."""
        bases = [row.base for row in plan.rows]
        return self.planner(plan.collection, self.seen_values(plan.collection, [path], bases))

    async def _decimal_mark_chosen(self, planner: Planner | None, plan: Plan, line: PlanLine) -> Plan:
        """The plan once a person has said how the numbers of a line's column are written."""
        from svc_tui.ui.dialogs.menu import SearchMenu

        problem = next(problem for problem in line.problems if problem.cell)
        path = problem.field
        count = sum(p.field == path and p.cell != "" for row in plan.rows for p in row.problems)
        lines = []
        for mark in DecimalMark:
            read = to_json_number(problem.cell.strip(), decimal_comma=mark is DecimalMark.COMMA)
            shown = "" if self._hides(plan, line.row, path) else f"{problem.cell.strip()} is {read or 'not a number'}"
            lines.append((Content.assemble(f"Decimal {mark}  ", styled(shown, "$role-muted")), mark))
        title = f"Decimal separator of {counted(count, 'number')} in {path}"
        mark_chosen: DecimalMark | None = await self._context.show(SearchMenu(visible(title), lines))
        if mark_chosen is None:
            return plan
        planner = planner or self._editing_planner(plan, path)
        return await self._compared(plan, planner.with_decimal_mark(plan, path, mark_chosen))

    def _hides(self, plan: Plan, row: PlanRow, path: str) -> bool:
        """Whether the value at a path is hidden now."""
        privacy = self._context.privacy_mask
        names = self._field_names(plan, row)
        return privacy.on and privacy.mask.value_at(path, _ANY_TEXT, plan.collection.domain, names) != _ANY_TEXT

    async def value_for(
        self,
        title: str,
        field: str,
        old: Json | Absent,
        value: Json | Absent,
        seen: SeenValues,
        *,
        like: Json | Absent = ABSENT,
        hidden: bool = False,
        missing: str = "unset",
        apply_label: str = "Apply",
    ) -> Json | Absent:
        """The value that a person gives a field of what `title` names; ABSENT where none was given.

        The editor begins with `value`; what is typed gets the type of the `old` value, and where that has none, of
        `like` or those `seen`. `missing` stands for an old value that is absent.
        """
        from svc_tui.ui.editing.field_editor import EditedField, FieldEditor

        target = target_of(field, self._context.session.collections)
        typed_like = like if isinstance(old, Absent) else old
        entry = entry_among(
            field, typed_like, seen.values(field), target, kind=seen.kind(field), proposed=value, tz=self._context.tz
        )
        if hidden and isinstance(entry, ChoiceEntry):
            entry = replace(entry, frequent_values=())
        shown_old = ABSENT if hidden else old
        edited = EditedField(
            title,
            field,
            entry,
            shown_old,
            ABSENT if hidden else value,
            unset_problem=UNSET_PROBLEM,
            missing_text="hidden" if hidden else missing,
            apply_label=apply_label,
        )
        editor = FieldEditor(edited)
        await self._context.show(editor)
        return editor.value if editor.is_edited else value


def plan_title(plan: Plan) -> str:
    """What a plan is about, for the title of its screen."""
    now = format_title(plan.subject, len(plan.ready), plan.collection.name, len(plan.rows))
    if not plan.ready:
        words = "Nothing to send"
    elif plan.undoes:
        words = f"Undo {plan.title}"
    else:
        words = f"Change {now}" if plan.is_update_only else capitalize_first(now)
    return f"{words} · {plan.source.name}" if plan.source is not None else words
