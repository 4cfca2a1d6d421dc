"""Records written to be edited and read again as corrections: the id first, then the fields, `_version` last.

In a table an object is spread into a column for each field inside it (`assay.auPpm`); lists stay JSON. Numbers keep
every digit. Fields of a record that are called `_action` or `_version` are left out: these columns say what is to be
done with it, and how it stood.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from svc_tui.domain.corrections.cell_text import cell_text, id_text
from svc_tui.domain.corrections.correction_file import VERSION, column_name_text, id_column, is_special
from svc_tui.domain.corrections.record_version import version_of
from svc_tui.domain.data.export_formats import Fields, Format, Writer, csv_line, writer_of
from svc_tui.domain.data.field_path import MAX_DEPTH_LISTED, path_steps, paths, value_at
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.records import id_field

_BYTE_ORDER_MARK = "\ufeff"
"""Without it Excel takes a table for one in the system's own encoding."""


@dataclass(frozen=True, slots=True)
class EditLayout:
    """How records are laid out in a file of that format; see `bootstrap.export.export_writer.Layout`."""

    form: Format

    def names(self, records: Iterable[Fields]) -> Iterable[str]:
        """The columns that the records need, in order of first sight; a name may come again."""
        for fields in records:
            yield from _spread(exported_fields(fields)) if self.form.tabular else exported_fields(fields)

    def writer(self, names: Sequence[str]) -> Writer:
        """The writer for records with these columns."""
        return EditTable(_with_id_first(names)) if self.form.tabular else _EditJson(writer_of(self.form))


@dataclass(frozen=True, slots=True)
class EditTable:
    """CSV as `export_formats.Csv`, with a column `_version`, a mark for Excel, and every formula told from a text."""

    columns: tuple[str, ...]

    @property
    def head(self) -> str:
        """The line of column names; without columns nothing."""
        if not self.columns:
            return ""
        return _BYTE_ORDER_MARK + csv_line([*map(column_name_text, self.columns), VERSION])

    def text(self, records: Iterable[Fields], *, after: int) -> str:
        """A line for each record."""
        return "".join(map(self._line, records)) if self.columns else ""

    def tail(self, count: int) -> str:
        """Nothing."""
        return ""

    def _line(self, fields: Fields) -> str:
        values = _spread(exported_fields(fields))
        first, *others = self.columns
        return csv_line(
            [
                id_text(values.get(first)),
                *(cell_text(values.get(name)) for name in others),
                version_of(exported_fields(fields)),
            ]
        )


@dataclass(frozen=True, slots=True)
class _EditJson:
    """One of the formats of JSON, whose records have their id first and `_version` last."""

    writer: Writer

    @property
    def head(self) -> str:
        return self.writer.head

    def text(self, records: Iterable[Fields], *, after: int) -> str:
        return self.writer.text(map(_with_version, records), after=after)

    def tail(self, count: int) -> str:
        return self.writer.tail(count)


def _with_version(fields: Fields) -> Fields:
    own = exported_fields(fields)
    name = id_field(own)
    first = {} if name is None else {name: own[name]}
    return {**first, **own, VERSION: version_of(own)}


def exported_fields(fields: Fields) -> Fields:
    """The fields of a record that are written: those that no column of ours takes the name of."""
    return {name: value for name, value in fields.items() if not is_special(name)}


def _spread(fields: Fields) -> Mapping[str, Json]:
    """The values by path; an object that holds something is known by what is in it, down to a certain depth."""
    values: dict[str, Json] = {}
    for path in paths(fields):
        value = value_at(fields, path)
        spread = isinstance(value, Mapping) and value and len(path_steps(fields, path)) < MAX_DEPTH_LISTED
        if not spread:
            values[path] = value  # type: ignore[assignment]  # what `paths` gives is there
    return values


def _with_id_first(names: Sequence[str]) -> tuple[str, ...]:
    first = id_column(names)
    return tuple(names) if first is None else (first, *(name for name in names if name != first))
