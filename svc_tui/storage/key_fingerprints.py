"""Fingerprints of API keys: they tell what was read or written with one key from what was with another.

A fingerprint is a keyed hash of the key with a random salt of this machine, so that nobody can test a guessed key on it
without the salt. A key that took another's place by a rotation has that one's fingerprint: it is the same tenant's.
"""

import hashlib
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from svc_tui.storage.database import DatabaseLayout, open_database, store_error, transaction
from svc_tui.storage.errors import StoreError
from svc_tui.storage.scope import StorageScope, scope_key

FILE_NAME = "key-fingerprints.db"
"""The file of the salt, beside the main database."""

_SALT_BYTES, _DIGEST_BYTES = 32, 8

_LAYOUT = DatabaseLayout(
    (
        (
            "CREATE TABLE salt (number INTEGER PRIMARY KEY CHECK (number = 1), bytes BLOB NOT NULL) STRICT",
            "CREATE TABLE rotations (new TEXT PRIMARY KEY, old TEXT NOT NULL) STRICT",
            "CREATE TABLE last_used (scope TEXT PRIMARY KEY, source TEXT NOT NULL, fingerprint TEXT NOT NULL) STRICT",
        ),
    )
)


class KeyFingerprints:
    """The fingerprints of this machine. Making it, and whatever writes, may block, and raises StoreError."""

    def __init__(self, path: Path) -> None:
        """Read the file at `path`, made with a new salt where there is none."""
        self._path = path
        self.notice = ""
        """How the file was found, in one line; "" if there is nothing to say."""
        self._salt = secrets.token_bytes(_SALT_BYTES)
        self._rotations: dict[str, str] = {}
        self._digests: dict[str, str] = {}
        with self._connection() as connection:
            self._read(connection)

    @classmethod
    def existing(cls, path: Path) -> "KeyFingerprints | None":
        """Read the file at `path`; None if there is none, since then nothing is kept under any fingerprint."""
        return cls(path) if path.exists() else None

    def of(self, api_key: str) -> str:
        """Return the fingerprint of a key."""
        digest = self._digests.get(api_key)
        if digest is None:
            if self._digests:
                # Another program may have put this key in the place of the one before. Where that can't be read, the
                # key is taken for another one, which is the safe side.
                with suppress(StoreError), self._connection() as connection:
                    self._read(connection)
            digest = hashlib.blake2b(api_key.encode(), key=self._salt, digest_size=_DIGEST_BYTES).hexdigest()
            self._digests[api_key] = digest
        return self.current(digest)

    def current(self, fingerprint: str) -> str:
        """Return the fingerprint that stands for this one: that of the first key of its rotations."""
        while (older := self._rotations.get(fingerprint)) is not None:
            fingerprint = older
        return fingerprint

    def add_rotation(self, old: str, new_key: str) -> None:
        """Have a key stand for the same tenant as the key of the fingerprint `old`, whose place it takes."""
        old, new = self.current(old), self.of(new_key)
        if old == new:
            return
        with self._connection() as connection, transaction(connection):
            connection.execute("INSERT OR REPLACE INTO rotations VALUES (?, ?)", (new, old))
            self._read(connection)

    def last_used(self, scope: StorageScope, source: str) -> str:
        """Return the fingerprint that a profile last connected with, if its key came from `source`; "" if unknown."""
        used = self._last_used.get(scope_key(scope))
        return self.current(used[1]) if used is not None and used[0] == source else ""

    def remember(self, scope: StorageScope, source: str, fingerprint: str) -> None:
        """Keep the fingerprint that a profile connects with now; `source` says where its key comes from."""
        scope_text = scope_key(scope)
        if self._last_used.get(scope_text) == (source, fingerprint):
            return
        with self._connection() as connection, transaction(connection):
            connection.execute("INSERT OR REPLACE INTO last_used VALUES (?, ?, ?)", (scope_text, source, fingerprint))
            self._read(connection)

    def _read(self, connection: sqlite3.Connection) -> None:
        if connection.execute("SELECT 1 FROM salt").fetchone() is None:
            # The file is new, or its predecessor was removed or damaged since the last reading. Of two programs that
            # begin at once, the first one's salt stays.
            connection.execute("INSERT OR IGNORE INTO salt VALUES (1, ?)", (self._salt,))
            connection.executemany("INSERT OR IGNORE INTO rotations VALUES (?, ?)", list(self._rotations.items()))
        (self._salt,) = connection.execute("SELECT bytes FROM salt").fetchone()
        self._rotations = dict(connection.execute("SELECT new, old FROM rotations").fetchall())
        rows = connection.execute("SELECT scope, source, fingerprint FROM last_used")
        self._last_used = {scope: (source, fingerprint) for scope, source, fingerprint in rows}

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        opened = open_database(self._path, _LAYOUT)
        self.notice = self.notice or opened.notice
        with closing(opened.connection) as connection:
            try:
                yield connection
            except sqlite3.Error as error:
                raise store_error(error, self._path) from None


class KeyInUse(Struct, frozen=True):
    """The key that a session works with; `read` returns it as it is now, since a source may give another one."""

    fingerprints: KeyFingerprints
    read: Callable[[], str]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key now."""
        return self.fingerprints.of(self.read())

    def is_other(self, fingerprint: str) -> bool:
        """Return whether a fingerprint is another key's; "" is that of lines from before 1.0.1, which count as ours."""
        return bool(fingerprint) and self.fingerprints.current(fingerprint) != self.fingerprint


def fingerprint_of(key: KeyInUse | None) -> str:
    """Return the fingerprint of the key in use, "" where none is known."""
    return "" if key is None else key.fingerprint


def is_other_key(key: KeyInUse | None, fingerprint: str) -> bool:
    """Return whether a line's fingerprint is another key's than the one in use."""
    return key is not None and key.is_other(fingerprint)
