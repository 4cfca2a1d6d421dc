"""Ids read from what people paste: lines, a comma list, a column of a spreadsheet, links, with or without a header."""

from __future__ import annotations

import csv
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from collections.abc import Collection as Names
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from svc_tui.core.catalog import Collection
from svc_tui.core.records import Place
from svc_tui.service.errors import ServiceError
from svc_tui.service.records_by_id import read_by_id
from svc_tui.service.routes import PlaceError

if TYPE_CHECKING:
    from svc_tui.core.catalog import Collection
    from svc_tui.core.records import Page, Record
    from svc_tui.service.gateway import Gateway

MAX_IDS = 10_000
"""Ids that one list marks at most."""

_MAX_CHARACTERS = 2_000_000
"""Characters of a paste that are looked at."""

_LINE = re.compile(r"\r\n|\r|\n")
_DELIMITERS = "\t,;|"
"""What stands between cells, the surest sign of a table first."""
_BULLET = re.compile(r"^(?:[-*•]\s+|\[[ xX]?\]\s+)+")
_AROUND = " \t\u00a0\ufeff\"'`()[]{}"
"""What is put around an id by a spreadsheet, a program or a message."""
_LINK = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_ID = re.compile(r"(?![@#?])(?=\S*[0-9])[^\s<>]{1,500}")
"""An id, or a link to a record, as it looks: no spaces in it, and a digit somewhere."""
_ID_HEADERS = frozenset({"id", "ids", "key", "uuid", "guid", "identifier", "identifiers"})


def listed_words(text: str, names: Names[str] = ()) -> tuple[str, ...]:
    """The ids or links in a text, each once, in order; of a table, those in its column of ids.

    `names` are what a header may be called besides `id`, `lot_id` and the like: the name of the collection, say.
    """
    text = text[:_MAX_CHARACTERS]
    delimiter = next((sign for sign in _DELIMITERS if sign in text), "")
    rows = [cells for line in _LINE.split(text) if any(cells := _cells(line, delimiter))]
    if not rows:
        return ()
    column = _header_column(rows, names)
    if column is not None:
        words: Iterable[str] = (cells[column] for cells in rows[1:] if column < len(cells))
    elif (column := _id_column(rows)) is not None:
        words = (cells[column] for cells in rows)
    else:
        words = (cell for cells in rows for cell in cells)
    return tuple(dict.fromkeys(part for word in words if word for part in _parts(word)))


def is_id_list(words: Sequence[str]) -> bool:
    """Whether words of a text are several ids, as far as their looks tell: most of them have a digit and no space."""
    if len(words) < 2:
        return False
    alike = sum(_ID.fullmatch(word) is not None for word in words)
    return alike > 1 and alike * 2 > len(words)


def on_one_line(text: str) -> str:
    """A paste as it stands in a line: its ids one after the other where it has several, else its first line."""
    words = listed_words(text)
    if len(words) > 1 and is_id_list(words):
        # Quotes keep an id whole that has a comma in it; one more than can be marked tells that there are too many.
        return ", ".join(f'"{word}"' if "," in word else word for word in words[: MAX_IDS + 1])
    return next(filter(None, map(str.strip, _LINE.split(text))), "")


class IdList(Struct, frozen=True):
    """The ids of one collection that a list names, and the words in it that name something else or nothing."""

    collection: Collection
    ids: tuple[str, ...]
    others: tuple[str, ...] = ()


def ids_of(words: Iterable[str], collection: Collection, place: Callable[[str], Place]) -> IdList:
    """The ids that words name: as they stand, or as links and places of the collection, which `place` reads.

    Where all words lead to one other collection, the ids are of that one. `place` raises PlaceError.
    """
    words = tuple(words)
    found = [_named(word, collection, place) for word in words]
    homes = {home.key: home for home, _ in filter(None, found)}
    if len(homes) == 1 and None not in found:
        (collection,) = homes.values()
    ids: dict[str, None] = {}
    others: list[str] = []
    for word, named in zip(words, found, strict=True):
        if named is not None and named[0] == collection:
            ids[named[1]] = None
        else:
            others.append(word)
    return IdList(collection, tuple(ids), tuple(others))


def _named(word: str, collection: Collection, place: Callable[[str], Place]) -> tuple[Collection, str] | None:
    if "/" not in word:
        return collection, word
    try:
        there = place(word)
    except PlaceError:
        # An id may have a slash in it; a link that can't be read is no id.
        return None if _LINK.match(word) or word.startswith("/") else (collection, word)
    return None if there.record_id is None else (there.collection, there.record_id)


def _cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line without what is around them; a quote that nothing closes counts as any other sign."""
    cells = [line]
    if delimiter:
        cells = line.split(delimiter)
        if line.count('"') and not line.count('"') % 2 and len(line) < csv.field_size_limit():
            cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    return [_BULLET.sub("", cell.strip()).strip(_AROUND) for cell in cells]


def _parts(word: str) -> Sequence[str]:
    """The ids in one cell: several where spaces stand between what all look like ids."""
    parts = word.split()
    several = len(parts) > 1 and all(_ID.fullmatch(part) for part in parts)
    return [stripped for part in parts if (stripped := part.strip(_AROUND))] if several else [word]


def _header_column(rows: Sequence[Sequence[str]], names: Names[str]) -> int | None:
    """The column that the first row calls one of ids; None where that row is none of headers."""
    if len(rows) < 2 or any(re.search("[0-9]", cell) for cell in rows[0]):
        return None
    plain = [re.sub(r"[\W_]", "", cell).casefold() for cell in rows[0]]
    called = {name.casefold() for name in names} | {name.casefold().removesuffix("s") for name in names}
    of_these = {f"{name}{end}" for name in called for end in ("id", "ids")}
    for fits in (
        lambda name: name in _ID_HEADERS,
        lambda name: name in of_these,
        lambda name: name in called,
        lambda name: name.endswith(("id", "ids")),
    ):
        for column, name in enumerate(plain):
            below = next((cells[column] for cells in rows[1:] if column < len(cells) and cells[column]), "")
            if fits(name) and (_ID.fullmatch(below) or name in _ID_HEADERS or name in of_these):
                return column
    return None


def _id_column(rows: Sequence[Sequence[str]]) -> int | None:
    """The first column that is all ids, in a table whose other columns are something else; None where all are alike."""
    width = len(rows[0])
    if len(rows) < 2 or width < 2 or any(len(cells) != width for cells in rows):
        return None
    if any(not cells[-1] for cells in rows) and width == 2:
        # A comma at the end of every line.
        return 0
    columns = list(zip(*rows, strict=True))
    with_ids = [at for at, cells in enumerate(columns) if all(_ID.fullmatch(cell) for cell in cells)]
    if not with_ids:
        return None
    if len(with_ids) == width and len({_shape(cell) for cells in rows for cell in cells}) <= 1:
        return None
    if len(with_ids) == width and len({_lengths(cell) for cells in rows for cell in cells}) <= 1:
        return None
    return with_ids[0]


def _shape(word: str) -> str:
    """`lot-0` for `lot-000001`: words of one shape are ids of one kind."""
    return re.sub("[0-9]+", "0", word)


def _lengths(word: str) -> tuple[int, ...]:
    """The lengths of what stands between the signs of an id: of two UUIDs these are the same."""
    return tuple(len(part) for part in re.split(r"[^A-Za-z0-9]+", word))


_AT_ONCE = 20
"""Records that are given at once."""


async def listed_records(
    gateway: Gateway, collection: Collection, ids: Sequence[str], *, page_size: int, total: int | None
) -> AsyncGenerator[Mapping[str, Record | None], None]:
    """The records with these ids, some at a time, None for one that is not there.

    `total` is how many there are in all, `page_size` how many of them a page is likely to have.

    Raises ServiceError for what is not about a single record. Leave it early under `contextlib.aclosing`.
    """
    left = dict.fromkeys(ids)
    if total is not None and -(-total // page_size) < len(left):
        walk = gateway.walk(collection, background=True)
        async with aclosing(cast("AsyncGenerator[Page, None]", walk)) as pages:
            async for page in pages:
                met: dict[str, Record | None] = {}
                met.update((record.id, record) for record in page.records if record.id is not None)
                met = {record_id: record for record_id, record in met.items() if record_id in left}
                for record_id in met:
                    del left[record_id]
                yield met
                if not left:
                    return
    # A page may have shifted, or the list may leave out what can be read by its id: the service is asked about each.
    rest = list(left)
    for at in range(0, len(rest), _AT_ONCE):
        answers: dict[str, Record | None] = {}
        problem: ServiceError | None = None

        def take(record_id: str, answer: Record | ServiceError, answers: dict[str, Record | None] = answers) -> None:
            answers[record_id] = None if isinstance(answer, ServiceError) else answer

        try:
            await read_by_id(gateway, collection, rest[at : at + _AT_ONCE], take)
        except ServiceError as error:
            problem = error
        # In the order of the list, whichever answer came first.
        yield {record_id: answers[record_id] for record_id in rest[at : at + _AT_ONCE] if record_id in answers}
        if problem is not None:
            raise problem
