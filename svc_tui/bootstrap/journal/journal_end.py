"""Where the journal ends, kept in the system's keyring as well, for those who keep their key there."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.domain.editing.journal import JournalEnd

if TYPE_CHECKING:
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.config.profiles.secrets import KeyringSource

PLACE = "the keyring"

_log = logging.getLogger("svc_tui.bootstrap")


def end_in_keyring(connection: "Connection", database: Path) -> JournalEnd | None:
    """The end that is kept in the keyring; None where none is, or the connection's key is not in one."""
    from svc_tui.config.profiles.secrets import read_keyring
    from svc_tui.store.journal_end import read_end

    if not connection.uses_keyring:
        return None
    try:
        text = read_keyring(_entry(database))
        return read_end(text) if text else None
    except ValueError as error:
        _log.warning("the journal's end could not be read from the keyring: %s", error)
        return None


def keep_end_in_keyring(connection: "Connection", database: Path) -> None:
    """Keep the journal's end in the keyring, unless the one that is kept there is not in the journal any more."""
    from svc_tui.domain.editing.ports import StoreError
    from svc_tui.store.journal_end import check_end, current_end

    if not connection.uses_keyring:
        return
    kept = end_in_keyring(connection, database)
    try:
        if check_end(database, {PLACE: kept} if kept else {}) is None:
            _write(current_end(database), database)
    except StoreError as error:
        _log.warning("the journal's end could not be kept in the keyring: %s", error)


def accept_end(connection: "Connection", database: Path) -> None:
    """Take the journal as it is from now on, in every place where its end is kept; raises StoreError."""
    from svc_tui.store.journal_end import accept_journal

    end = accept_journal(database)
    if connection.uses_keyring:
        _write(end or JournalEnd(0, ""), database)


def _write(end: JournalEnd | None, database: Path) -> None:
    from svc_tui.config.profiles.secrets import keep_in_keyring
    from svc_tui.store.journal_end import end_text

    if end is None:
        return
    try:
        keep_in_keyring(_entry(database), end_text(end))
    except ValueError as error:
        _log.warning("the journal's end could not be kept in the keyring: %s", error)


def _entry(database: Path) -> "KeyringSource":
    from svc_tui.config.profiles.secrets import KeyringSource

    return KeyringSource("svc-tui", f"journal {database.absolute()}")
