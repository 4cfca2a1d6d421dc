"""Which records point at one: those that name its id in a field that is a reference to its collection."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from svc_tui.domain.collections.filters import Filter, SearchableRecord, Term
from svc_tui.domain.collections.search_index import SearchIndex
from svc_tui.domain.collections.sparse_rows import SparseRows
from svc_tui.domain.data.field_path import path_steps, paths, value_at
from svc_tui.domain.data.folded_text import fold
from svc_tui.domain.data.references import ReferenceResolver
from svc_tui.domain.data.search_text import fold_value
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.records import Place, Record


@dataclass(frozen=True, slots=True)
class Pointer:
    """A record that points at another, and the path of the field by which it does."""

    collection: Collection
    record: Record
    path: str

    @property
    def place(self) -> Place:
        """The place of the record."""
        return Place(self.collection, self.record.id)


@dataclass(frozen=True, slots=True)
class Referring:
    """What points at `place`; `resolver` gives for a collection what tells where values of its records point."""

    place: Place
    resolver: Callable[[Collection], ReferenceResolver]

    def narrowed(self, wanted: Filter) -> Filter:
        """The filter, for records that hold the id."""
        return Filter(wanted.text, (Term("", ":", fold(self.place.id)), *wanted.terms))

    def pointing(
        self, collection: Collection, entries: Sequence[SearchableRecord]
    ) -> Iterator[tuple[SearchableRecord, str]]:
        """Those of the entries of one page that name the place, each with the path of the field that does."""
        likely = [entry for entry in entries if self._may_name(collection, entry)]
        if not likely:
            return
        # The page is unpacked once for all of them.
        records, resolver = likely[0].values.records[:], self.resolver(collection)
        for entry in likely:
            if (path := self._path_in(records[entry.place].fields, resolver)) is not None:
                yield entry, path

    def pointers(self, collection: Collection, rows: SparseRows) -> Iterator[list[Pointer]]:
        """The records that name the place, of those of a collection that are held: page by page, in steps of one."""
        index = SearchIndex(rows)
        held, outdated = index.held(), index.outdated
        for number, page in held:
            entries = [entry for entry in index.page(number, page).entries if entry.row not in outdated]
            yield [Pointer(collection, entry.record, path) for entry, path in self.pointing(collection, entries)]
            # What was made ready takes more room than what it was made of.
            index.clear()

    def _may_name(self, collection: Collection, entry: SearchableRecord) -> bool:
        if (collection.key, entry.record_id) == (self.place.collection.key, self.place.record_id):
            return False
        # Most records that hold the text hold more around it: `tun-18` is not `tun-1`.
        text, wanted = f"\n{entry.text}\n", fold(self.place.id)
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
