"""The tables of an index; there are no upgrades: it is a cache, and one of another version is built anew."""

APPLICATION_ID = 0x53564349
"""What `PRAGMA application_id` says of an index."""

VERSION = 2
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
    """
    CREATE TABLE records (
        number     INTEGER PRIMARY KEY,
        collection INTEGER NOT NULL,
        id         TEXT NOT NULL,
        folds      INTEGER NOT NULL,
        body       TEXT NOT NULL
    ) STRICT
    """,
    "CREATE UNIQUE INDEX records_by_id ON records (collection, id)",
    # Apart from the records: most readings find a record as it was, and write these few bytes alone.
    """
    CREATE TABLE readings (
        number   INTEGER PRIMARY KEY,
        position INTEGER,
        sweep    INTEGER NOT NULL,
        read_at  REAL NOT NULL,
        whole    INTEGER NOT NULL
    ) STRICT
    """,
    # Without positions: a record that holds all trigrams of a text nearly always holds the text, which is looked at
    # again anyway, and the index takes half the room.
    "CREATE VIRTUAL TABLE texts USING fts5 (text, content='', detail=none, tokenize='trigram case_sensitive 1')",
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
