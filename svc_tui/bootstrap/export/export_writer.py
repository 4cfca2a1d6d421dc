"""Puts records on their way out through a format: as they come, or, for a table, once every column is known."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, cast

from svc_tui.bootstrap.output import Spool
from svc_tui.core.export_formats import Fields, Format, JsonLines, Writer, encode_utf8, writer_of
from svc_tui.core.jsontext import loads

_CHUNK_RECORDS = 200
"""Records that are brought into their format between two chances for an interrupt to count."""


class ByteSink(Protocol):
    """Where the text goes."""

    async def write(self, data: bytes) -> None:
        """Take all of `data`."""


class ExportWriter(Protocol):
    """Takes records in order, and in the end has written all of them."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """The fields of records that found no column."""

    async def add(self, records: Sequence[Fields]) -> None:
        """Take the next records."""

    async def finish(self) -> None:
        """End the export: no more records come."""


class ExportLayout(Protocol):
    """What of records is written, in which order."""

    def names(self, records: Sequence[Fields]) -> Iterable[str]:
        """The columns that a table of the records needs, in order of first sight; a name may come again."""

    def writer(self, names: Sequence[str]) -> Writer:
        """The writer for records with these columns."""


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """The fields of records as they came, each a column."""

    form: Format

    def names(self, records: Sequence[Fields]) -> Iterable[str]:
        """The names of all fields."""
        return (name for fields in records for name in fields)

    def writer(self, names: Sequence[str]) -> Writer:
        """The writer of the format."""
        return writer_of(self.form, names)


def edit_layout(form: Format) -> ExportLayout:
    """The layout of records that are to be edited in that format, and read again as corrections."""
    from svc_tui.plans.for_edit import EditLayout

    return EditLayout(form)


class StreamingWriter:
    """Records written at once; the columns of a table are given, or those of the records that come first."""

    def __init__(
        self, out: ByteSink, form: Format, columns: Sequence[str] | None = None, layout: ExportLayout | None = None
    ) -> None:
        self._out, self._form, self._columns = out, form, columns
        self._layout: ExportLayout = FieldLayout(form) if layout is None else layout
        self._writer: Writer | None = None
        self._left_out: dict[str, None] = {}
        self._count = 0

    @property
    def left_out(self) -> tuple[str, ...]:
        """The names of fields left out, in the order in which they came."""
        return tuple(self._left_out)

    async def add(self, records: Sequence[Fields]) -> None:
        """Write the records."""
        writer, head = self._begin(records)
        if self._form.tabular:
            self._left_out.update(
                dict.fromkeys(name for name in self._layout.names(records) if name not in self._known)
            )
        await self._out.write(encode_utf8(head + writer.text(records, after=self._count)))
        self._count += len(records)

    async def finish(self) -> None:
        """Write what ends the whole."""
        writer, head = self._begin(())
        await self._out.write(encode_utf8(head + writer.tail(self._count)))

    def _begin(self, records: Sequence[Fields]) -> tuple[Writer, str]:
        """The writer, and what it begins with where nothing was written yet; these are the next records."""
        if self._writer is not None:
            return self._writer, ""
        columns = tuple(dict.fromkeys(self._layout.names(records)) if self._columns is None else self._columns)
        self._known = frozenset(columns)
        self._writer = self._layout.writer(columns)
        return self._writer, self._writer.head


class SpoolingWriter:
    """Records of a table, kept on the disk until all have come, so that every field of any of them has its column.

    Columns stand in order of first sight.
    """

    left_out = ()
    """None ever is."""

    def __init__(self, out: ByteSink, form: Format, spool: Spool, layout: ExportLayout | None = None) -> None:
        self._out, self._form, self._spool = out, form, spool
        self._layout: ExportLayout = FieldLayout(form) if layout is None else layout
        self._columns: dict[str, None] = {}

    async def add(self, records: Sequence[Fields]) -> None:
        """Keep the records."""
        self._columns.update(dict.fromkeys(self._layout.names(records)))
        self._spool.add(encode_utf8(JsonLines().text(records, after=0)))

    async def finish(self) -> None:
        """Write all of them."""
        table = StreamingWriter(self._out, self._form, tuple(self._columns), self._layout)
        spooled: Iterator[Fields] = (cast("Fields", loads(line)) for line in self._spool.lines())
        while records := tuple(islice(spooled, _CHUNK_RECORDS)):
            await table.add(records)
            await asyncio.sleep(0)
        await table.finish()
