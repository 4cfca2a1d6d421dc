"""The tables of an index; there are no upgrades: it is a cache, and one of another version is built again."""

from collections.abc import Iterable

from svc_tui.storage.record_tables import RECORD_TABLES

APPLICATION_ID = 0x53564349
"""What `PRAGMA application_id` says of an index."""

VERSION = 3
"""What `PRAGMA user_version` says of an index that this program understands."""

TABLES = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    """
    CREATE TABLE collections (
        number       INTEGER PRIMARY KEY,
        key          TEXT NOT NULL UNIQUE,
        records      INTEGER NOT NULL DEFAULT 0,
        fields       TEXT NOT NULL DEFAULT '[]',
        total        INTEGER,
        completed_at REAL,
        sweep        INTEGER NOT NULL DEFAULT 0,
        next_page    INTEGER,
        page_size    INTEGER NOT NULL DEFAULT 0,
        without_id   INTEGER NOT NULL DEFAULT 0,
        repeated_ids INTEGER NOT NULL DEFAULT 0,
        problem      TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    *RECORD_TABLES,
    # All records of a collection, numbered as they are: those that were added later come last.
    "CREATE VIEW positions AS SELECT collection AS query, number AS position, number AS record, 0 AS is_repeated "
    "FROM records",
    # Apart from the records: most readings find a record as it was, and write these few bytes alone. A record that has
    # changed gets a new number, never one that was used: other programs keep columns by it.
    """
    CREATE TABLE readings (
        number   INTEGER PRIMARY KEY AUTOINCREMENT,
        position INTEGER,
        sweep    INTEGER NOT NULL,
        read_at  REAL NOT NULL,
        whole    INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE changes (
        number      INTEGER PRIMARY KEY,
        collection  INTEGER NOT NULL,
        id          TEXT NOT NULL,
        label       TEXT NOT NULL,
        kind        TEXT NOT NULL,
        path        TEXT NOT NULL,
        said        TEXT NOT NULL,
        read_before REAL NOT NULL,
        read_after  REAL NOT NULL
    ) STRICT
    """,
    "CREATE INDEX changes_by_record ON changes (collection, id)",
    "CREATE INDEX changes_by_time ON changes (read_after)",
)

TRIGRAMS = "CREATE VIRTUAL TABLE {} USING fts5 (text, content='', detail=none, tokenize='trigram case_sensitive 1')"
"""The table of trigrams of a collection's texts.

Without positions: a record that has all trigrams of a text nearly always has the text, which is looked at again anyway,
and the table takes half the room.
"""


def trigrams_of(collection: int) -> str:
    """Return the name of the table of trigrams of a collection."""
    return f"trigrams_{collection}"


_TRIGRAM = 3

_MAX_TRIGRAMS = 24
"""Trigrams that are asked for at most: a record that holds so many of a text nearly always holds all."""


def match_expression(texts: Iterable[str]) -> str:
    """Return the FTS5 query for records that may hold all of these texts; "" if they are too short."""
    trigrams = dict.fromkeys(
        text[at : at + _TRIGRAM] for text in map(storable, texts) for at in range(len(text) - _TRIGRAM + 1)
    )
    step = -(-len(trigrams) // _MAX_TRIGRAMS) or 1
    return " AND ".join(f'"{_escaped(trigram)}"' for trigram in list(trigrams)[::step])


def storable(text: str) -> str:
    """A text without what SQLite takes for the end of it, or can't store: half a character."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def _escaped(text: str) -> str:
    return text.replace('"', '""')
