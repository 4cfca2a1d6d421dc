"""The tables of this machine's copy of what a team shares."""

from svc_tui.store.database import DatabaseLayout

_LINES = (
    """
    CREATE TABLE chains (
        chain     TEXT PRIMARY KEY,
        name      TEXT NOT NULL,
        machine   TEXT NOT NULL,
        sequence  INTEGER NOT NULL,
        digest    TEXT NOT NULL,
        broken_at INTEGER NOT NULL DEFAULT 0,
        why       TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    # `made` is the place of the record that a write made; `at` is in UTC, so that texts are in the order of time.
    """
    CREATE TABLE lines (
        id       INTEGER PRIMARY KEY,
        chain    TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        kind     TEXT NOT NULL,
        service  TEXT NOT NULL,
        place    TEXT NOT NULL,
        made     TEXT NOT NULL,
        run      TEXT NOT NULL,
        entry    INTEGER NOT NULL,
        at       TEXT NOT NULL,
        received TEXT,
        text     TEXT NOT NULL,
        digest   TEXT NOT NULL,
        UNIQUE (chain, sequence)
    ) STRICT
    """,
    "CREATE INDEX lines_by_time ON lines (service, kind, at)",
    "CREATE INDEX lines_by_place ON lines (service, place, kind, at)",
    "CREATE INDEX lines_by_made ON lines (service, made) WHERE made > ''",
    "CREATE INDEX lines_by_run ON lines (service, run, at) WHERE run > ''",
    "CREATE INDEX lines_by_entry ON lines (chain, entry, kind, sequence)",
)

# With `>` in their place, SQLite searches the range and not the one value that is wanted.
_INDEXES_FOR_VALUES = (
    "DROP INDEX lines_by_made",
    "DROP INDEX lines_by_run",
    "CREATE INDEX lines_by_made ON lines (service, made) WHERE made <> ''",
    "CREATE INDEX lines_by_run ON lines (service, run, at) WHERE run <> ''",
)

MIRROR = DatabaseLayout((_LINES, _INDEXES_FOR_VALUES), copy=True)
