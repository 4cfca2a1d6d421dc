"""The tables, as the steps that lead from one schema version to the next."""

_JOURNAL = (
    """
    CREATE TABLE journal (
        number   INTEGER PRIMARY KEY,
        shelf    TEXT NOT NULL,
        kind     TEXT NOT NULL CHECK (kind IN ('intent', 'outcome')),
        entry    INTEGER NOT NULL REFERENCES journal (number),
        said     TEXT NOT NULL,
        before   TEXT,
        after    TEXT,
        previous TEXT NOT NULL,
        hash     TEXT NOT NULL UNIQUE
    ) STRICT
    """,
    "CREATE INDEX journal_by_shelf ON journal (shelf, kind, number)",
    "CREATE INDEX journal_by_entry ON journal (entry, kind, number)",
    """
    CREATE TRIGGER journal_keeps_lines BEFORE UPDATE ON journal
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END
    """,
    """
    CREATE TRIGGER journal_loses_nothing BEFORE DELETE ON journal
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END
    """,
    # REPLACE deletes without asking the trigger above.
    """
    CREATE TRIGGER journal_replaces_nothing BEFORE INSERT ON journal
    WHEN EXISTS (SELECT 1 FROM journal WHERE number = NEW.number OR hash = NEW.hash)
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END
    """,
)

_DRAFTS = (
    """
    CREATE TABLE drafts (
        shelf   TEXT NOT NULL,
        place   TEXT NOT NULL,
        base    TEXT NOT NULL,
        etag    TEXT NOT NULL,
        edits   TEXT NOT NULL,
        changed TEXT NOT NULL,
        PRIMARY KEY (shelf, place)
    ) STRICT
    """,
)

PLACE_EXPRESSION = "json_extract(said, '$.place')"
"""The place of a journal line; a query must write it just so for SQLite to use the index."""

_JOURNAL_BY_PLACE = (
    f"CREATE INDEX journal_by_place ON journal (shelf, {PLACE_EXPRESSION}, number) WHERE kind = 'intent'",
)

_PRUNED = (
    """
    CREATE TABLE pruned (
        number INTEGER PRIMARY KEY,
        hash   TEXT NOT NULL,
        lines  INTEGER NOT NULL,
        at     TEXT NOT NULL
    ) STRICT
    """,
    # A line goes only once it is written down that it went, and with which hash the rest begins.
    "DROP TRIGGER journal_loses_nothing",
    """
    CREATE TRIGGER journal_loses_nothing BEFORE DELETE ON journal
    WHEN NOT EXISTS (SELECT 1 FROM pruned WHERE number >= OLD.number)
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END
    """,
    """
    CREATE TRIGGER pruned_keeps_lines BEFORE UPDATE ON pruned
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END
    """,
    """
    CREATE TRIGGER pruned_loses_nothing BEFORE DELETE ON pruned
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END
    """,
)

_BATCHES = (
    """
    CREATE TABLE batches (
        id    TEXT PRIMARY KEY,
        shelf TEXT NOT NULL,
        made  TEXT NOT NULL,
        plan  TEXT NOT NULL
    ) STRICT
    """,
)

_OWNERS = ("ALTER TABLE batches ADD COLUMN owner TEXT NOT NULL DEFAULT ''",)

_UNTAKEN = ("ALTER TABLE drafts ADD COLUMN untaken TEXT NOT NULL DEFAULT '[]'",)

MADE_PLACE_EXPRESSION = "CASE WHEN json_valid(said) THEN json_extract(said, '$.place') END"
"""The place of the record that a write made, in its outcome; a query must write it just so for the index."""

_JOURNAL_BY_MADE = (
    f"CREATE INDEX journal_by_made ON journal (shelf, {MADE_PLACE_EXPRESSION}, entry) WHERE kind = 'outcome'",
)

_HISTORY = (
    """
    CREATE TABLE history (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        shelf  TEXT NOT NULL,
        said   TEXT NOT NULL,
        body   BLOB NOT NULL,
        ended  TEXT,
        answer BLOB
    ) STRICT
    """,
    "CREATE INDEX history_by_shelf ON history (shelf, number)",
)

_FORMS = (
    """
    CREATE TABLE forms (
        shelf   TEXT NOT NULL,
        purpose TEXT NOT NULL,
        form    TEXT NOT NULL,
        changed TEXT NOT NULL,
        PRIMARY KEY (shelf, purpose)
    ) STRICT
    """,
)

_RUNS = (
    "ALTER TABLE batches ADD COLUMN title TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE batches ADD COLUMN undoes TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE batches ADD COLUMN ended TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE batches ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0",
)

BATCH_EXPRESSION = "CASE WHEN json_valid(said) THEN json_extract(said, '$.batch') END"
"""The run that a write is part of, NULL for none; a query must write it just so for SQLite to use the index."""

_JOURNAL_BY_BATCH = (
    f"CREATE INDEX journal_by_batch ON journal (shelf, {BATCH_EXPRESSION}, number) WHERE kind = 'intent'",
)

_TEAM = (
    """
    CREATE TABLE team_chains (
        team     TEXT PRIMARY KEY,
        chain    TEXT NOT NULL UNIQUE,
        key      BLOB NOT NULL,
        sequence INTEGER NOT NULL,
        digest   TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE team_outbox (
        team     TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        previous TEXT NOT NULL,
        text     TEXT NOT NULL,
        digest   TEXT NOT NULL,
        PRIMARY KEY (team, sequence)
    ) STRICT
    """,
    """
    CREATE TABLE team_collected (
        team   TEXT NOT NULL,
        shelf  TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (team, shelf)
    ) STRICT
    """,
)

_TEAM_ASKS = (
    """
    CREATE TABLE team_asks (
        number INTEGER PRIMARY KEY,
        shelf  TEXT NOT NULL,
        id     TEXT NOT NULL,
        kept   TEXT NOT NULL,
        plan   TEXT NOT NULL DEFAULT '',
        told   TEXT NOT NULL DEFAULT '',
        UNIQUE (shelf, id)
    ) STRICT
    """,
)

_TEAM_FORMER = (
    """
    CREATE TABLE team_former_chains (
        team     TEXT NOT NULL,
        chain    TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (team, chain)
    ) STRICT
    """,
)

_EDITS_BY_PROGRAM = "ALTER TABLE drafts ADD COLUMN edits_by_program TEXT NOT NULL DEFAULT '{}'"

_VERSION_1_0_1 = (
    # The number of the journal entry that the row was last sent with.
    "ALTER TABLE drafts ADD COLUMN intent INTEGER",
    "ALTER TABLE forms ADD COLUMN intent INTEGER",
    # Other programs' edits of the same fields to other values: [[field, value, old value], …].
    "ALTER TABLE drafts ADD COLUMN others TEXT NOT NULL DEFAULT '[]'",
    # The edits that each program made itself: {program: {field: value}}; the names are those of `ProcessLock`.
    _EDITS_BY_PROGRAM,
    # The fingerprint of the key that a line was made with; "" in lines from before.
    "ALTER TABLE drafts ADD COLUMN key_fingerprint TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE forms ADD COLUMN key_fingerprint TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE batches ADD COLUMN key_fingerprint TEXT NOT NULL DEFAULT ''",
)

SCHEMA: tuple[tuple[str, ...], ...] = (
    (*_JOURNAL, *_DRAFTS),
    _JOURNAL_BY_PLACE,
    (*_PRUNED, *_BATCHES),
    _HISTORY,
    (*_OWNERS, *_UNTAKEN, *_JOURNAL_BY_MADE),
    _FORMS,
    _RUNS,
    _JOURNAL_BY_BATCH,
    _TEAM,
    _TEAM_ASKS,
    _TEAM_FORMER,
    _VERSION_1_0_1,
)
"""Step n leads from version n to version n + 1."""

LATE_COLUMNS = (("drafts", "edits_by_program", _EDITS_BY_PROGRAM),)
"""Columns that a store of the newest version may lack, with what adds them: the first commit of 1.0.1 had fewer."""

FIRST_PRUNING_VERSION = 3
"""The version from which on the oldest lines of a journal may be gone."""

FIRST_RUNS_VERSION = 7
"""The version from which on runs are kept with what they are called."""

VERSION = len(SCHEMA)
"""What `PRAGMA user_version` says of a database that this program understands."""
