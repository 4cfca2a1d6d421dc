"""Which records point at one: those that name its id in a field that is a reference to its collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.field_path import path_steps, paths, value_at
from svc_tui.core.filters import Filter, FoundRow, Term
from svc_tui.core.folded_text import fold, fold_value
from svc_tui.core.jsontext import Absent, Json
from svc_tui.core.records import Place, Record
from svc_tui.core.references import ReferenceResolver
from svc_tui.search.sources import SearchedRows


class Pointer(Struct, frozen=True):
    """A record that points at another, and the path of the field by which it does."""

    collection: Collection
    record: Record
    path: str

    @property
    def place(self) -> Place:
        """The place of the record."""
        return Place(self.collection, self.record.id)


class Referring(Struct, frozen=True):
    """What points at `place`; `resolver` gives for a collection what tells where values of its records point."""

    place: Place
    resolver: Callable[[Collection], ReferenceResolver]

    def narrowed(self, wanted: Filter, collection: Collection) -> Filter:
        """Return the filter for records that hold the id; all match a word that begins their collection's name."""
        name = fold(collection.name)
        terms = [term for term in wanted.terms if term.field or term.inverted or not name.startswith(term.value)]
        return Filter(wanted.text, (Term("", ":", fold(self.place.id)), *terms))

    def pointing(self, source: SearchedRows, found: Sequence[FoundRow]) -> Iterator[tuple[FoundRow, str]]:
        """Those of some rows that name the place, each with the path of the field that does."""
        resolver = self.resolver(source.collection)
        for row in found:
            if not self._may_name(source.collection, row) or (record := source.record(row.position)) is None:
                continue
            if (path := self._path_in(record.fields, resolver)) is not None:
                yield row, path

    def pointers(self, source: SearchedRows) -> Iterator[list[Pointer]]:
        """The records of a source that name the place, some at a time."""
        for found in source.found(self.narrowed(Filter(), source.collection)):
            pointing = [(source.record(row.position), path) for row, path in self.pointing(source, found)]
            yield [Pointer(source.collection, record, path) for record, path in pointing if record is not None]

    def _may_name(self, collection: Collection, found: FoundRow) -> bool:
        if (collection.key, found.record_id) == (self.place.collection.key, self.place.record_id):
            return False
        # Most records that hold the text hold more around it: `tun-18` is not `tun-1`.
        text, wanted = found.text, fold(self.place.id)
        return f"\n{wanted}\n" in text or f'"{wanted}"' in text or wanted.isdigit()

    def _path_in(self, fields: Mapping[str, Json], resolver: ReferenceResolver) -> str | None:
        wanted = fold(self.place.id)
        for path in paths(fields):
            value = value_at(fields, path)
            # Where a value points may have to be told by all ids seen: not to be asked of each one.
            if isinstance(value, Absent) or wanted not in fold_value(value):
                continue
            if self._named_by(path_steps(fields, path), value, resolver):
                return path
        return None

    def _named_by(self, steps: tuple[str | int, ...], value: Json, resolver: ReferenceResolver) -> bool:
        """Whether a value names the place, or a field of an object in it does where it is a list."""
        if self.place in resolver.references(steps, value):
            return True
        if not isinstance(value, Sequence) or isinstance(value, str):
            return False
        return any(
            self._named_by((*steps, at, name), inner, resolver)
            for at, item in enumerate(value)
            if isinstance(item, Mapping)
            for name, inner in item.items()
        )
