"""The key in use by its fingerprint, remembered for the commands that read no key from a keyring."""

from contextlib import suppress
from typing import TYPE_CHECKING

from svc_tui.core.credentials import CredentialError
from svc_tui.storage.errors import StoreError

if TYPE_CHECKING:
    from svc_tui.client.client import SignedClient
    from svc_tui.config.paths import Locations
    from svc_tui.config.profiles.active_profile import ScopedProfile
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.storage.key_fingerprints import KeyFingerprints, KeyInUse

UNKNOWN_KEY = "unknown"
"""Stands for the fingerprint of a key that nothing is kept under: where there are none yet, or the key is not known."""


def use_key(connection: "Connection", fingerprints: "KeyFingerprints", client: "SignedClient") -> "KeyInUse":
    """Return the key that a client works with, and remember it as the last one of its profile; raises StoreError."""
    from svc_tui.storage.key_fingerprints import KeyInUse

    if connection.filed_under:
        # The service of the demo makes new keys at each start, all of them for one database.
        return KeyInUse(fingerprints, lambda: connection.key_origin)
    key = KeyInUse(fingerprints, lambda: client.keys.api_key)

    def remember() -> None:
        fingerprints.remember(connection.scope, connection.key_origin, key.fingerprint)

    def remember_new() -> None:
        # The session goes on all the same; the next one remembers it.
        with suppress(StoreError):
            remember()

    remember()
    client.on_new_keys(remember_new)
    return key


def note_key(locations: "Locations", connection: "Connection") -> None:
    """Remember the key of a connection that keeps nothing here, where no command could read that key by itself."""
    if not connection.key_is_asked_for or not locations.key_fingerprints.exists():
        # Before SQLite is loaded, which most reads do without.
        return
    # A read does not fail for what would be remembered of it.
    with suppress(StoreError):
        connected_key(locations, connection)


def connected_key(locations: "Locations", connection: "Connection") -> str:
    """Remember the key of a connection, and return its fingerprint; raises StoreError."""
    from svc_tui.storage.key_fingerprints import KeyFingerprints

    fingerprints = KeyFingerprints.existing(locations.key_fingerprints)
    if fingerprints is None:
        return UNKNOWN_KEY
    fingerprint = fingerprints.of(connection.keys.api_key)
    fingerprints.remember(connection.scope, connection.key_origin, fingerprint)
    return fingerprint


def located_key(locations: "Locations", scoped: "ScopedProfile") -> str:
    """Return the fingerprint of a profile's key: of the key itself where nobody is asked for it, else the last one.

    Raises StoreError.
    """
    from svc_tui.storage.key_fingerprints import KeyFingerprints

    fingerprints = KeyFingerprints.existing(locations.key_fingerprints)
    if fingerprints is None:
        return UNKNOWN_KEY
    if scoped.read_key is not None:
        try:
            return fingerprints.of(scoped.read_key())
        except CredentialError:
            # A variable or a file that is not there now: what the profile last connected with stands.
            pass
    return fingerprints.last_used(scoped.scope, scoped.key_origin) or UNKNOWN_KEY
