"""What of a collection can be exported: all of it, what the filter lets through, what is loaded, what is marked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from svc_tui.domain.collections.filters import Filter
from svc_tui.domain.data.counted import counted
from svc_tui.domain.data.export_formats import Format
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.records import Record

_UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ExportScope:
    """A part of a collection: in words, and what it costs to get.

    `records` are those at hand; None where the pages of the collection have to be read, and `filter` then says which
    records on them are meant. `goal` is how many records will be looked at, None where nobody knows.
    """

    name: str
    cost: str = ""
    records: tuple[Record, ...] | None = None
    filter: Filter = field(default_factory=Filter)
    goal: int | None = None


def export_scopes(
    total: int | None, page_size: int, chosen: Filter, loaded: Sequence[Record], marked: Sequence[Record]
) -> tuple[ExportScope, ...]:
    """The shares there are, what is most likely wanted first.

    `total` counts the collection, where it is known; `loaded` are the records at hand that the filter lets through.
    """
    cost = f"1 request per {page_size} records" if total is None else counted(-(-total // page_size), "request")
    whole = ExportScope("all records" if total is None else f"all {counted(total, 'record')}", cost, goal=total)
    scopes = []
    if marked:
        scopes.append(ExportScope(counted(len(marked), "marked record"), records=tuple(marked), goal=len(marked)))
    if chosen:
        scopes.append(
            ExportScope(
                f"{counted(len(loaded), 'loaded record')} matching the filter", records=tuple(loaded), goal=len(loaded)
            )
        )
        scopes.append(ExportScope("all records matching the filter", cost, filter=chosen, goal=total))
        return (*scopes, whole)
    return (*scopes, whole, ExportScope(counted(len(loaded), "loaded record"), records=tuple(loaded), goal=len(loaded)))


def file_name(collection: Collection, now: datetime, form: Format) -> str:
    """A name for a file with records of the collection: `lots-20261120-0512.csv`."""
    return f"{_stem(collection)}-{now:%Y%m%d-%H%M}.{form.ending}"


def name_to_edit(collection: Collection, form: Format) -> str:
    """A name for a file that is to be edited, and read again as corrections: `lots-to-edit.csv`."""
    return f"{_stem(collection)}-to-edit.{form.ending}"


def _stem(collection: Collection) -> str:
    return _UNSAFE_CHARACTERS.sub("-", collection.name).strip("-.") or "records"
