"""A record, a page of them, where one stands, which field is its id and what to call it."""

from collections.abc import Iterable, Mapping
from urllib.parse import quote

from msgspec import Struct, field

from svc_tui.core.catalog import Collection
from svc_tui.core.jsontext import Json, Number, repeated_names

ID_NAMES = ("id", "_id", "uuid")
"""Names, in lower case, that always are a record's own id; the first one counts."""

STAND_IN_NAMES = ("key", "code")
"""Names that address a record which has none of `ID_NAMES`; beside one, they are fields like any other."""

LABEL_NAMES = ("name", "title", "label", "fullname", "full_name", "number", "code", "reference")
"""Names, in lower case, of what people call a record, the best first."""


class Record(Struct, frozen=True):
    """One resource as the service gave it; `etag` is the answer's, "" where there was none."""

    fields: Mapping[str, Json]
    etag: str = ""

    @property
    def id(self) -> str | None:
        """The text that addresses the record in a path; None where no field looks like an id."""
        _, text = _find_id(self.fields) or (None, None)
        return text

    @property
    def repeated(self) -> tuple[str, ...]:
        """The names that stand twice in one of its objects: which of the values counts nobody can tell."""
        return repeated_names(self.fields)

    @property
    def label(self) -> str:
        """A short text that tells people which record it is: the first naming field that is not the id, or ""."""
        by_fold = _fold_names(self.fields)
        for wanted in LABEL_NAMES:
            value = self.fields[by_fold[wanted]] if wanted in by_fold else None
            if isinstance(value, str) and value and value != self.id:
                return value
        return ""


class Page(Struct, frozen=True):
    """One page of a list.

    `number` counts from 1; `limit` is what was asked for, or what the service said it really uses. `total` is
    the number of records in the collection and `pages` that of its pages where `meta` tells them, `last` whether this
    page is the last where that is known; None where nothing was said. `meta` is as the service sent it.
    """

    records: tuple[Record, ...]
    number: int
    limit: int
    total: int | None = None
    last: bool | None = None
    pages: int | None = None
    meta: Mapping[str, Json] = field(default_factory=dict)


class Place(Struct, frozen=True):
    """Where the user is: a collection, or one record of it."""

    collection: Collection
    record_id: str | None = None

    @property
    def id(self) -> str:
        """The id of the record; raises ValueError where the place is a collection."""
        if self.record_id is None:
            raise ValueError("this place is a collection and has no id")
        return self.record_id

    @property
    def key(self) -> str:
        """The name that people read: `operations/lots/lot-000001`; an id with a `/` in it reads like a longer one."""
        return self.collection.key if self.record_id is None else f"{self.collection.key}/{self.record_id}"

    @property
    def path(self) -> str:
        """The URL path, the id one percent-encoded segment; `routes.parse_place` reads every one that can be asked for.

        Which ids can't stand in a path, `routes.is_addressable` tells.
        """
        if self.record_id is None:
            return self.collection.path
        return f"{self.collection.path}/{quote(self.record_id, safe='', errors='surrogatepass')}"


def id_field(fields: Mapping[str, Json]) -> str | None:
    """The name of the field that addresses a record; source: the document shows `:id` and no field names."""
    name, _ = _find_id(fields) or (None, None)
    return name


def own_id(fields: Mapping[str, Json]) -> str | None:
    """The id under one of `ID_NAMES`, None where there is none: what stands in for it, two records may share."""
    name, text = _find_id(fields) or ("", None)
    return text if name.casefold() in ID_NAMES else None


def _find_id(fields: Mapping[str, Json]) -> tuple[str, str] | None:
    """The name of the field that addresses a record, and the id in it."""
    first = next(iter(fields), None)
    if first == ID_NAMES[0] and (text := _plain_id(fields[first])) is not None:
        # Most records begin with it: no name can come before, so the others need not be folded.
        return first, text
    by_fold = _fold_names(fields)
    for wanted in (*ID_NAMES, *STAND_IN_NAMES):
        name = by_fold.get(wanted)
        if name is not None and (text := _plain_id(fields[name])) is not None:
            return name, text
    return None


def _fold_names(fields: Iterable[str]) -> dict[str, str]:
    """The names by their lower case; of two that differ in case alone, the first."""
    names: dict[str, str] = {}
    for name in fields:
        names.setdefault(name.casefold(), name)
    return names


def _plain_id(value: Json) -> str | None:
    if isinstance(value, str):
        return value or None
    return value.text if isinstance(value, Number) else None
