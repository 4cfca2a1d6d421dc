"""Records written by `export --for-edit`, to be read again as corrections: id first, then the fields, `_version` last.

In a table an object is spread into a column for each field inside it (`assay.auPpm`); lists stay JSON. Numbers keep
every digit. Fields of a record that are called `_action` or `_version` are left out, since these columns have a
meaning of their own.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from msgspec import Struct

from svc_tui.core.export_formats import Fields, Format, Writer, csv_line, writer_of
from svc_tui.core.field_path import MAX_DEPTH_LISTED, path_steps, paths, value_at
from svc_tui.core.jsontext import Absent, Json
from svc_tui.core.records import id_field
from svc_tui.plans.cell_text import format_cell, format_id, to_plain_form
from svc_tui.plans.cells import Cell
from svc_tui.plans.correction_file import VERSION, find_id_column, format_column_name, is_special

_BYTE_ORDER_MARK = "\ufeff"
"""Without it Excel takes a table for one in the system's own encoding."""


class EditLayout(Struct, frozen=True):
    """The layout of records in a file of that format; see `bootstrap.export.export_writer.ExportLayout`."""

    form: Format

    def names(self, records: Iterable[Fields]) -> Iterable[str]:
        """Yield the columns that the records need, in their order; a name can come again."""
        for fields in records:
            yield from _spread(without_special_fields(fields)) if self.form.tabular else without_special_fields(fields)

    def writer(self, names: Sequence[str]) -> Writer:
        """Return the writer for records with these columns."""
        return EditTable(_with_id_first(names)) if self.form.tabular else _EditJson(writer_of(self.form))


class EditTable(Struct, frozen=True):
    """CSV like `export_formats.Csv`, with a column `_version`, a mark for Excel, and apostrophes against formulas."""

    columns: tuple[str, ...]

    @property
    def head(self) -> str:
        """The line of column names, "" without columns."""
        if not self.columns:
            return ""
        return _BYTE_ORDER_MARK + csv_line([*map(format_column_name, self.columns), VERSION])

    def text(self, records: Iterable[Fields], *, after: int) -> str:
        """Return a line for each record."""
        return "".join(map(self._line, records)) if self.columns else ""

    def tail(self, count: int) -> str:
        """Return "": a table has nothing at its end."""
        return ""

    def _line(self, fields: Fields) -> str:
        values = _spread(without_special_fields(fields))
        first, *others = self.columns
        return csv_line(
            [
                format_id(values.get(first)),
                *(format_cell(values.get(name)) for name in others),
                format_version(without_special_fields(fields)),
            ]
        )


class _EditJson(Struct, frozen=True):
    """A format of JSON with the id of each record first and `_version` last."""

    writer: Writer

    @property
    def head(self) -> str:
        return self.writer.head

    def text(self, records: Iterable[Fields], *, after: int) -> str:
        return self.writer.text(map(_with_version, records), after=after)

    def tail(self, count: int) -> str:
        return self.writer.tail(count)


def _with_version(fields: Fields) -> Fields:
    own = without_special_fields(fields)
    name = id_field(own)
    first = {} if name is None else {name: own[name]}
    return {**first, **own, VERSION: format_version(own)}


def without_special_fields(fields: Fields) -> Fields:
    """Return the fields of a record that are written: those without the name of a special column."""
    return {name: value for name, value in fields.items() if not is_special(name)}


def _spread(fields: Fields) -> Mapping[str, Json]:
    """Return the values by path; an object that is not empty is spread into its values, down to a certain depth."""
    values: dict[str, Json] = {}
    for path in paths(fields):
        value = value_at(fields, path)
        is_spread = isinstance(value, Mapping) and value and len(path_steps(fields, path)) < MAX_DEPTH_LISTED
        if not is_spread:
            values[path] = value  # type: ignore[assignment]  # what `paths` gives is there
    return values


def _with_id_first(names: Sequence[str]) -> tuple[str, ...]:
    first = find_id_column(names)
    return tuple(names) if first is None else (first, *(name for name in names if name != first))


# The version of a record

# Letters at both ends: no program takes the text for a number, a date or a formula, or counts it up when filled down.
_BEGIN, _END = "v1:", ":v"
_NAME_LENGTH, _VALUE_LENGTH = 4, 4
_LENGTH = _NAME_LENGTH + _VALUE_LENGTH


class ExportedVersion:
    """A record's fields at its export, as one short text that tells later which of them have changed.

    The text contains no value. For each path of the record, an object's and those inside it, it has eight characters:
    24 bits of a digest of the path and 24 of one of the value's plain form. As a set of these it needs no order, so
    columns may be moved and removed, and CSV and JSON of a record have the same text. Empty values are not listed.
    """

    def __init__(self, digests: frozenset[str]) -> None:
        self._digests = digests
        self._names = frozenset(digest[:_NAME_LENGTH] for digest in digests)

    @classmethod
    def parse(cls, text: str) -> "ExportedVersion":
        """Parse a text of `format_version`; raises ValueError for any other text, with a sentence."""
        digests = text.strip().removeprefix(_BEGIN).removesuffix(_END)
        if text.strip() != f"{_BEGIN}{digests}{_END}" or len(digests) % _LENGTH or ":" in digests:
            raise ValueError("_version was changed after the export. Export the record again or clear the cell.")
        return cls(frozenset(digests[at : at + _LENGTH] for at in range(0, len(digests), _LENGTH)))

    def holds(self, path: str, value: Json | Absent | Cell) -> bool:
        """Return True if the field at `path` had this value, of the record or of a cell in the file.

        For the path of the id, that tells if the version belongs to the record.
        """
        if isinstance(value, Cell):
            form = to_plain_form(value.text, decimal_comma=value.decimal_comma)
        else:
            form = to_plain_form(format_cell(value))
        return _digest(path, form) in self._digests if form else _name_digest(path) not in self._names


def format_version(fields: Mapping[str, Json]) -> str:
    """Return the text that `export --for-edit` writes beside a record."""
    forms = {path: to_plain_form(format_cell(value_at(fields, path))) for path in paths(fields)}
    return f"{_BEGIN}{''.join(sorted(_digest(path, form) for path, form in forms.items() if form))}{_END}"


def _digest(path: str, form: str) -> str:
    return _name_digest(path) + _short_digest(form, _VALUE_LENGTH)


def _name_digest(path: str) -> str:
    return _short_digest(path, _NAME_LENGTH)


def _short_digest(text: str, length: int) -> str:
    digest = blake2b(text.encode("utf-8", "backslashreplace"), digest_size=6).digest()
    return urlsafe_b64encode(digest).decode()[:length]
