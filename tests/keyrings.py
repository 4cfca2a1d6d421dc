"""Keyrings to test with: one that keeps its entries in a file, and one for each way in which a keyring fails."""

import json
import os
from pathlib import Path
from threading import Event
from typing import Any, cast

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError


class FileKeyring(KeyringBackend):
    """Entries in the file that TEST_KEYRING names; several processes use it one after the other."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the library's own has no types

    @property
    def _file(self) -> Path:
        return Path(os.environ["TEST_KEYRING"])

    def entries(self) -> dict[str, str]:
        """What is kept, by `service/name`."""
        return dict(json.loads(self._file.read_text())) if self._file.exists() else {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._file.write_text(json.dumps({**self.entries(), f"{service}/{username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        entries = self.entries()
        if entries.pop(f"{service}/{username}", None) is None:
            raise PasswordDeleteError("there is none")
        self._file.write_text(json.dumps(entries))


class LockedKeyring(FileKeyring):
    """A keyring that nobody unlocked."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("Failed to unlock the collection!")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked("Failed to unlock the collection!")


class BrokenKeyring(FileKeyring):
    """A keyring whose own library breaks, with the secret in what it says."""

    def get_password(self, service: str, username: str) -> str | None:
        raise ValueError("hidden")


class HangingKeyring(FileKeyring):
    """A keyring that never answers."""

    def get_password(self, service: str, username: str) -> str | None:
        Event().wait()
        return None


class HangingJournalKeyring(FileKeyring):
    """A keyring that gives the key and never answers about the journal's end."""

    def get_password(self, service: str, username: str) -> str | None:
        if username.startswith("journal "):
            Event().wait()
        return super().get_password(service, username)


class OddKeyring(FileKeyring):
    """A keyring that returns what it was made with, of any type."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def get_password(self, service: str, username: str) -> str | None:
        return cast("str | None", self.value)


class StubbornKeyring(FileKeyring):
    """A keyring that takes one entry and then no more."""

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.entries() and f"{service}/{username}" not in self.entries():
            raise KeyringLocked("Locked meanwhile.")
        super().set_password(service, username, password)


class HalfKeyring(FileKeyring):
    """A keyring that takes a new secret and no new key; what it held before it takes back."""

    def set_password(self, service: str, username: str, password: str) -> None:
        if not username.endswith("-secret") and self.entries().get(f"{service}/{username}") != password:
            raise KeyringLocked("Locked meanwhile.")
        super().set_password(service, username, password)
