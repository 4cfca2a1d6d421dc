"""Everything the service keeps: collections, records, stored answers, and one transaction around them."""

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from svc_tui.sandbox.data.database import Database, SeedChoice
from svc_tui.sandbox.data.records import Records
from svc_tui.sandbox.data.resources import Resources


class SandboxStore:
    """The service's data, in a file of the user's or in one that goes with the service."""

    def __init__(self, path: Path | None, wanted: SeedChoice) -> None:
        """Raises SandboxError where the file cannot be used."""
        self.database = Database(path, wanted)
        self.resources = Resources(self.database.settings)
        self.records = Records(self.database)

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction over records and stored answers."""
        with self.database.transaction() as connection:
            try:
                yield connection
            except BaseException:
                self.records.reset_counts()
                raise

    def record(self, key: str, record_id: str) -> str | None:
        """The text of a record as it is stored now; None if there is none."""
        resource = self.resources.find(key)
        return None if resource is None else self.records.text(resource, record_id)

    def close(self) -> None:
        """Gives the file back."""
        self.database.close()


def etag(text: str) -> str:
    """The entity tag of a record: another text, another tag (RFC 9110, section 8.8.3)."""
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
