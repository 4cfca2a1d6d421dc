"""Records with values that spreadsheets are known to change, and what is left of them after a way there and back."""

from collections.abc import Iterator, Mapping

from svc_tui.core.export_formats import Format, encode_utf8
from svc_tui.core.field_path import value_at
from svc_tui.core.jsontext import Json, Number
from svc_tui.plans.cells import Cell, is_same_value
from svc_tui.plans.correction_file import Corrections
from svc_tui.plans.for_edit import EditLayout, ExportedVersion
from svc_tui.storage.plan import RowAction

NUMBERS = ("0.10", "12", "12.0", "-0.5", "23.9", "1e400", "-1e400", "1E-400", "12345678901234567890", "0", "1.2E+3")
TEXTS = (
    *("", "007", "1e5", "1E400", "0x1F", "1.50", "1,234", "1,5", "1.234,5", "12345678901234567890", "yes"),
    *("5%", "50.00%", "$5", "5 €", "3/4", "1-2", "'3/4", "05:12", "05:12:30", "MAR1", "2-Nov", "1 Nov 2026", "2026-11"),
    *("=1+1", "+49 30", "-", "-5", "@x", "=HYPERLINK(A1)", "x;=1", " =1", "\t=1", "=\n=1"),
    *("'quoted'", "'=1", "''", "'", "a;b", "a,b", 'say "so"', '"', "\\n", "<b>&amp;"),
    *("two\nlines", "two\r\nlines", "tab\there", " lead", "trail ", "  both  ", "a\u00a0b", "\x1b[1m"),
    *("2026-11-20", "2026-11-20T05:12:00Z", "2026-11-20T05:12:00.123Z", "2026-11-20T05:12:00+01:00"),
    *("2026-11-20 05:12:00", "2026-11-20T00:00:00Z", "20.11.2026", "11/20/2026", "1.2.2026"),
    *("true", "TRUE", "false", "NA", "N/A", "nan", "NaN", "inf", "-inf", "None", "null", "#REF!", "#N/A"),
    *("(null)", "(empty)", "😀 emoji", "größe", "日本語", "\u202ertl", "{not json", "[1, 2.50]", '{"a": 1.50}'),
)
OTHERS: list[Json] = [
    True,
    False,
    None,
    [],
    [Number("1.50"), "a;=1", None],
    {},
    ["two\nlines"],
    {"goldPpm": Number("1.50"), "lab": {"name": "=cmd", "tags": ["x", "y"]}, "empty": {}, "none": None},
    {"goldPpm": Number("1e400"), "lab": {"name": "007"}},
]

VALUES: tuple[Json, ...] = (*map(Number, NUMBERS), *TEXTS, *OTHERS)

RECORDS: dict[str, Mapping[str, Json]] = {
    id_: {"id": id_, "value": value, "mass.kg": Number("1.50"), "open": True}
    for id_, value in ((f"lot-{number:04}", value) for number, value in enumerate(VALUES, 1))
}
"""By id. All values stand in one column, where pandas takes every cell for a text."""

COLUMNS: dict[str, Mapping[str, Json]] = {
    f"{number}": {"id": Number(f"{number}"), **{f"c{at}": value for at, value in enumerate(VALUES)}}
    for number in range(1, 3)
}
"""By id. Each value has a column of its own, where pandas takes the cells for whatever they look like."""


def for_edit(records: Mapping[str, Mapping[str, Json]], form: Format = Format.CSV) -> bytes:
    """What `export --for-edit` writes of the records."""
    layout = EditLayout(form)
    writer = layout.writer(tuple(dict.fromkeys(layout.names(records.values()))))
    return encode_utf8(writer.head + writer.text(records.values(), after=0) + writer.tail(len(records)))


def changes(records: Mapping[str, Mapping[str, Json]], read: Corrections) -> Iterator[tuple[str, Cell, Json]]:
    """The cells that would change something: path, cell, and what stands there."""
    assert [row.record_id for row in read.rows] == list(records)
    for row in read.rows:
        assert row.action is RowAction.UPDATE
        record, version = records[row.record_id], ExportedVersion.parse(row.version)
        for path, cell in row.values.items():
            value = value_at(record, path)
            assert version.holds(path, value)
            assert isinstance(cell, Cell)
            if not is_same_value(cell, value) or not version.holds(path, cell):
                yield path, cell, value  # type: ignore[misc]
