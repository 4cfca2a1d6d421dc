"""Which records point at one: those that name its id in a field that is a reference to its collection."""

from collections.abc import Callable
from dataclasses import dataclass

from svc_tui.domain.collections.filters import Filter, SearchableRecord, Term
from svc_tui.domain.data.field_path import path_steps, paths, value_at
from svc_tui.domain.data.references import ReferenceResolver
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.records import Place, Record


@dataclass(frozen=True, slots=True)
class Referring:
    """What points at `place`; `resolver` gives for a collection what tells where values of its records point."""

    place: Place
    resolver: Callable[[Collection], ReferenceResolver]

    def narrowed(self, wanted: Filter) -> Filter:
        """The filter, for records that hold the id."""
        return Filter(wanted.text, (Term("", ":", self.place.id.casefold()), *wanted.terms))

    def path_in(self, collection: Collection, entry: SearchableRecord) -> str | None:
        """The path of the field of a record that names the place; None where none does, or it is the record itself."""
        itself = (collection.key, entry.record_id) == (self.place.collection.key, self.place.record_id)
        # Most records that hold the text hold more around it: `tun-18` is not `tun-1`.
        text, wanted = f"\n{entry.text}\n", self.place.id.casefold()
        if itself or not (f"\n{wanted}\n" in text or f'"{wanted}"' in text or wanted.isdigit()):
            return None
        return self._path_in(collection, entry.record)

    def _path_in(self, collection: Collection, record: Record) -> str | None:
        resolver, fields = self.resolver(collection), record.fields
        for path in paths(fields):
            value = value_at(fields, path)
            if not isinstance(value, Absent) and self.place in resolver.references(path_steps(fields, path), value):
                return path
        return None
