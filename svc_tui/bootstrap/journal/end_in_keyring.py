"""Where the journal ends, kept in the system's keyring as well, for those who keep their key there."""

import logging
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.storage.journal_entries import JournalEnd

if TYPE_CHECKING:
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.config.profiles.secrets import KeyringSource

PLACE = "the keyring"

_SECONDS = 10.0
"""How long each call of the keyring may take at the end of the program."""

_log = logging.getLogger("svc_tui.bootstrap")


def end_in_keyring(connection: "Connection", database: Path) -> JournalEnd | None:
    """Return the end that is kept in the keyring; None if none is, or if the connection's key is not in one."""
    if not connection.uses_keyring:
        return None
    try:
        return _read(database)
    except ValueError as error:
        _log.warning("the number and hash of the journal's last entry can't be read from the keyring: %s", error)
        return None


def keep_end_in_keyring(connections: Iterable["Connection"], database: Path) -> None:
    """Keep the journal's end in the keyring if the key of a connection is in one.

    An end that is kept there and is not in the journal any more stays.

    It is done at the very end of the program, when the outcome of every write has been shown: a keyring that gives no
    answer costs nothing but a short wait then.
    """
    from svc_tui.bootstrap.start import run_at_end

    if any(connection.uses_keyring for connection in connections):
        run_at_end(partial(_keep, database))


def _keep(database: Path) -> None:
    from svc_tui.core.credentials import CredentialError
    from svc_tui.storage.errors import StoreError
    from svc_tui.storage.journal_end import check_end, current_end

    try:
        try:
            kept = _read(database, _SECONDS)
        except CredentialError:
            raise
        except ValueError as error:
            _log.warning(
                "the number and hash of the journal's last entry in the keyring can't be read and are replaced: %s",
                error,
            )
            kept = None
        if check_end(database, {PLACE: kept} if kept else {}) is None:
            _write(current_end(database), database, _SECONDS)
    except (StoreError, CredentialError) as error:
        _log.warning("the number and hash of the journal's last entry can't be saved in the keyring: %s", error)


def accept_end(connection: "Connection", database: Path) -> None:
    """Take the journal as it is from now on, in every place where its end is kept; raises StoreError."""
    from svc_tui.core.credentials import CredentialError
    from svc_tui.storage.journal_end import accept_journal

    end = accept_journal(database)
    if connection.uses_keyring:
        try:
            _write(end or JournalEnd(0, "", 0), database)
        except CredentialError as error:
            _log.warning("the number and hash of the journal's last entry can't be saved in the keyring: %s", error)


def _read(database: Path, seconds: float | None = None) -> JournalEnd | None:
    """Return the end in the keyring; raises CredentialError, and ValueError if it is no end of a journal."""
    from svc_tui.config.profiles.secrets import read_keyring
    from svc_tui.storage.journal_end import read_end

    text = read_keyring(_entry(database), seconds)
    return read_end(text) if text else None


def _write(end: JournalEnd | None, database: Path, seconds: float | None = None) -> None:
    from svc_tui.config.profiles.secrets import keep_in_keyring
    from svc_tui.storage.journal_end import end_text

    if end is not None:
        keep_in_keyring(_entry(database), end_text(end), seconds)


def _entry(database: Path) -> "KeyringSource":
    from svc_tui.config.profiles.secrets import KeyringSource

    return KeyringSource("svc-tui", f"journal {database.absolute()}")
