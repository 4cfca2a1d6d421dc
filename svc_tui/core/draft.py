"""Edits to a record that are not yet sent: the minimal patch, and what a fresh reading means for it."""

from collections.abc import Collection, Mapping

from msgspec import Struct, field

from svc_tui.core.jsontext import ABSENT, Absent, Json, dumps, same_json
from svc_tui.core.records import Record
from svc_tui.core.values import replace


class FieldChange(Struct, frozen=True):
    """One field of a change: `old` is ABSENT where the record has no such field; `untaken` as in a draft."""

    name: str
    old: Json | Absent
    new: Json
    untaken: bool = False

    @property
    def caution(self) -> str:
        """Why the change can't be undone: no request removes a field; "" where it can."""
        return "This field is new. You can change it, but not remove it." if isinstance(self.old, Absent) else ""


def json_or_unset(value: Json | Absent) -> str:
    """A value as the request writes it, so that unset, null, "" and "null" can't be taken for each other."""
    return "not set" if isinstance(value, Absent) else dumps(value)


class Draft(Struct, frozen=True):
    """A record and the edits to it that are not yet sent, by the name of the field.

    `untaken` are those of them that were sent as they are, and that the service answered with another value.
    """

    base: Record
    edits: Mapping[str, Json] = field(default_factory=dict)
    untaken: frozenset[str] = frozenset()

    def with_value(self, name: str, value: Json) -> "Draft":
        """The draft with `name` set; setting the old value back is no edit, but 1.5 for 1.50 is one."""
        edits = {**self.edits, name: value}
        if name in self.base.fields and self.base.fields[name] == value:
            del edits[name]
        return replace(self, edits=edits, untaken=self.untaken - {name})

    def without(self, name: str) -> "Draft":
        """The draft with the edit of `name` taken back."""
        edits = {field: value for field, value in self.edits.items() if field != name}
        return replace(self, edits=edits, untaken=self.untaken - {name})

    def value(self, name: str) -> Json | Absent:
        """The field as edited."""
        if name in self.edits:
            return self.edits[name]
        return self.base.fields.get(name, ABSENT)

    @property
    def fields(self) -> Mapping[str, Json]:
        """The record's fields with the edits in place; new fields come last."""
        return {**self.base.fields, **self.edits}

    @property
    def changes(self) -> tuple[FieldChange, ...]:
        """What the edits change, in the record's order."""
        names = [name for name in self.base.fields if name in self.edits]
        names += [name for name in self.edits if name not in self.base.fields]
        return tuple(
            FieldChange(name, self.base.fields.get(name, ABSENT), self.edits[name], name in self.untaken)
            for name in names
        )

    def rebased(self, fresh: Record) -> "Draft":
        """The same edits on a newer reading of the record, without those that it already has."""
        draft_on_fresh = Draft(fresh)
        for name, value in self.edits.items():
            draft_on_fresh = draft_on_fresh.with_value(name, value)
        return replace(draft_on_fresh, untaken=self.untaken & draft_on_fresh.edits.keys())

    def sent(self, sent: "Draft", now: Record | None, untaken: Collection[str] = ()) -> "Draft":
        """What is left of the edits once `sent` was written and the record is as it is `now` (None: as far as known).

        What was typed, or taken back, while the request was on its way is a change of its own. The fields `untaken`
        were answered with another value, and stay.
        """
        left = Draft(now if now is not None else self.base)
        for name in (*sent.edits, *self.edits):
            value = self.value(name)
            if isinstance(value, Absent):
                continue
            if value != sent.edits.get(name, ABSENT):
                left = left.with_value(name, value)
            elif name in untaken:
                left = left.with_value(name, value)
                left = replace(left, untaken=left.untaken | {name})
        return left


class Freshness(Struct, frozen=True):
    """What a fresh reading of a record means for a draft of it.

    `conflicts`: fields that the draft changes and that have changed at the service meanwhile, to another value.
    `moved`: fields that only changed at the service. `draft`: the edits upon the fresh record.
    """

    draft: Draft
    conflicts: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()


def freshen(draft: Draft, fresh: Record) -> Freshness:
    """Compare the record that a draft was made on with the record as it is now."""
    # A base that was a row of a list may hold less than the record: what it never had has not moved.
    names = list(dict.fromkeys((*draft.base.fields, *draft.edits)))
    moved = [name for name in names if not is_same_field(draft.base.fields, fresh.fields, name)]
    conflicts = tuple(
        name
        for name in moved
        if name in draft.edits and not (name in fresh.fields and same_json(fresh.fields[name], draft.edits[name]))
    )
    return Freshness(draft.rebased(fresh), conflicts, tuple(name for name in moved if name not in draft.edits))


def is_same_field(left: Mapping[str, Json], right: Mapping[str, Json], name: str) -> bool:
    """Return True if both hold the same value under the name, or neither holds one."""
    if name not in left or name not in right:
        return name not in left and name not in right
    return same_json(left[name], right[name])
