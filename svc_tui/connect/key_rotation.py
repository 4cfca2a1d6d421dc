"""A key pair that is to take another's place: what is typed for it, what stands against it, and who puts it there.

Source: service-interface, "Rotation": both key and signing secret change.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from svc_tui.connect.checks import CheckResult, CheckVerdict
from svc_tui.connect.diagnosis import SCOPE
from svc_tui.connect.new_connection import UnusableInput
from svc_tui.core.credentials import CredentialError, Environment, KeyPair


class RotationRefused(Exception):
    """A pair can't be put in another's place: one line for people, that says what to do. The old pair stays."""


class KeyRotation(Protocol):
    """Puts a new pair in the place of the one that a session works with, where its profile keeps it."""

    async def with_secret(self) -> bool:
        """Whether there is a signing secret beside the key; raises RotationRefused where neither can be replaced."""

    def check(self, pair: KeyPair) -> AsyncIterator[CheckResult]:
        """The doctor's checks of the new pair, each as soon as it is known; raises RotationRefused."""

    async def replace(self, pair: KeyPair) -> None:
        """Put the pair where the old one is kept, and have the session go on with it; raises RotationRefused."""


def parse_new_pair(key: str, secret: str | None, environment: Environment) -> KeyPair:
    """The pair that was typed for a profile that has one for `environment`; `secret` None: it has none, and gets none.

    Raises UnusableInput for the first field that stands in the way.
    """
    key = key.strip()
    if not key:
        raise UnusableInput("key", "enter the new API key")
    try:
        alone = KeyPair(key)
    except CredentialError as error:
        raise UnusableInput("key", str(error)) from None
    if alone.environment is not environment:
        raise UnusableInput(
            "key", f"this is a {alone.environment.label} key, but the profile is for {environment.label}"
        )
    if secret is None:
        return alone
    if not secret.strip():
        raise UnusableInput("secret", "enter the new signing secret; rotation changes both")
    try:
        return KeyPair(key, secret.strip())
    except CredentialError as error:
        raise UnusableInput("secret", str(error)) from None


def blocking_checks(checks: Sequence[CheckResult]) -> tuple[CheckResult, ...]:
    """The checks that keep a pair from being taken: those that failed, but what it may read is not one of them."""
    return tuple(check for check in checks if check.verdict is CheckVerdict.FAILED and check.name != SCOPE)
