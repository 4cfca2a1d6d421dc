"""Makes the plan that gives all marked records the same values: a field is chosen, a value given, and further ones."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from svc_tui.core.jsontext import Absent, Json
from svc_tui.core.kinds import typical_value
from svc_tui.core.phrases import counted
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.plans.comparing import SeenValues, find_common_value, list_common_fields, make_marked_rows, with_values
from svc_tui.plans.planning import value_holds_secret
from svc_tui.storage.plan import MAX_ROWS, Plan
from svc_tui.ui.context import Context
from svc_tui.ui.report import SECRET_TYPED, Report
from svc_tui.ui.text import field_label, pad, styled
from svc_tui.ui.widgets.text.difference import value_text

if TYPE_CHECKING:
    from svc_tui.ui.plans.plan_review import PlanReview

_FIELD_CELLS = 26
"""Cells of a field's name in the menu of fields."""
_VALUE_CHARACTERS = 40


class MarkedRecords:
    """The marked records of one screen; its methods run in workers of the screen."""

    def __init__(self, context: Context, review: "PlanReview") -> None:
        self._context, self._review = context, review

    async def plan(self, plan_id: str) -> tuple[Plan, "Sequence[Record]"] | None:
        """A plan for the marked records, once a field and a value were chosen, and those records; None where not."""
        browse, notify = self._context.table, self._context.notify
        records, collection = tuple(browse.marking.records), browse.collection
        if collection is None or not records:
            notify(Report("No records are marked. Press space to mark one, v to mark a range."))
            return None
        if len(records) > MAX_ROWS:
            words = f"{len(records):,} records are marked. The limit for one change is {MAX_ROWS:,}."
            notify(Report(words, severity="warning"))
            return None
        values = await self._value_added(records, {})
        if values is None:
            return None
        rows = make_marked_rows(records, values, self._seen(values, records))
        unnamed = len(records) - len(rows)
        notices = (
            f"{counted(unnamed, 'record')} without an id can't be changed." if unnamed else "",
            browse.marking.out_of_view_note,
        )
        plan = Plan(plan_id, collection, rows, self._context.session.now(), notices=tuple(filter(None, notices)))
        if not any(row.edits for row in rows):
            notify(Report(f"All {len(rows):,} already have this {next(iter(values))}."))
            return None
        return plan, records

    async def with_another_field(self, plan: Plan, records: Sequence[Record]) -> Plan:
        """The plan with one more field changed, if the user gives it a value."""
        values = await self._value_added(records, _common_values(plan))
        if values is None:
            return plan
        by_id = {record.id: record for record in records}
        seen = self._seen(values, records)
        return replace(plan, rows=tuple(with_values(row, by_id[row.record_id], values, seen) for row in plan.rows))

    async def _value_added(self, records: Sequence[Record], values: dict[str, Json]) -> dict[str, Json] | None:
        """The value of one more field, or another one for one of `values`; None where none was given."""
        field = await self._field(records, values)
        if field is None:
            return None
        value = await self._value(records, field, values.get(field, find_common_value(records, field)))
        if isinstance(value, Absent):
            self._context.notify(Report("No value typed. Nothing to send."))
            return None
        if value_holds_secret(value, self._context.gateway.secrets):
            self._context.notify(Report(SECRET_TYPED, "Value discarded", "warning"))
            return None
        return {field: value}

    async def _field(self, records: Sequence[Record], values: dict[str, Json]) -> str | None:
        from svc_tui.ui.dialogs.menu import SearchMenu

        names = list_common_fields(records)
        here = self._context.selection.field
        lines = []
        for name in names:
            words = f"→ {value_text(values[name])}" if name in values else self._value_words(records, name)
            line = Content.assemble(
                pad(field_label(name), _FIELD_CELLS), styled(words[:_VALUE_CHARACTERS], "$role-muted")
            )
            lines.append((line, name))
        at = names.index(here) if here in names else 0
        chosen: str | None = await self._context.show(
            SearchMenu(f"Field to change in {counted(len(records), 'record')}", lines, at=at)
        )
        return chosen

    def _value_words(self, records: Sequence[Record], name: str) -> str:
        value = find_common_value(records, name)
        if isinstance(value, Absent):
            return "differs"
        return "hidden" if self._context.privacy_mask.hides(records[0], name, self._domain) else value_text(value)

    async def _value(self, records: Sequence[Record], field: str, value: Json | Absent) -> Json | Absent:
        """The value that all are to get; ABSENT where none was given."""
        hidden = any(self._context.privacy_mask.hides(record, field, self._domain) for record in records)
        old = find_common_value(records, field)
        return await self._review.value_for(
            counted(len(records), "record"),
            field,
            old,
            value,
            self._seen([field], records),
            like=typical_value(record.fields.get(field) for record in records),
            hidden=hidden,
            missing="differs",
            apply_label="Review",
        )

    def _seen(self, fields: Iterable[str], records: Sequence[Record]) -> SeenValues:
        """The values of the fields in the records that are loaded."""
        collection = self._context.table.collection
        assert collection is not None
        return self._review.seen_values(collection, fields, [record.fields for record in records])

    @property
    def _domain(self) -> str:
        collection = self._context.table.collection
        return collection.domain if collection is not None else ""


def _common_values(plan: Plan) -> dict[str, Json]:
    """The values that a plan gives all records that it gives one."""
    common: dict[str, Json] = {}
    for name in plan.fields:
        values = [row.edits[name] for row in plan.rows if name in row.edits]
        if values and all(value == values[0] for value in values):
            common[name] = values[0]
    return common
