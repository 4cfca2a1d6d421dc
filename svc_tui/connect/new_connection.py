"""A connection that the user is about to make: what was typed, what the checks say of it, where it can be kept."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, Protocol

from msgspec import Struct

from svc_tui.connect.checks import CheckResult, CheckVerdict
from svc_tui.connect.diagnosis import ADDRESS, KEY, SCOPE, SIGNATURE
from svc_tui.core.credentials import PREFIXES, CredentialError, Environment, KeyPair
from svc_tui.service.base_url import BaseUrl, BaseUrlError

MASK_CHARACTER = "•"
"""Stands for a character of a secret."""

_PAIR_CHECKS = frozenset({KEY, ADDRESS, SIGNATURE, SCOPE})
"""The checks that fail because the service does not take the key, as it is or from here."""


class CredentialStorage(Enum):
    """Where key and secret are kept."""

    KEYRING = "keyring"
    FILE = "file"
    COMMAND = "command"
    VARIABLE = "env"

    @property
    def named(self) -> bool:
        """Whether the user must tell where it is, since the program can't put anything there."""
        return self in (CredentialStorage.COMMAND, CredentialStorage.VARIABLE)


class PairStatus(Enum):
    """What the checks say of a pair."""

    WORKS = "works"
    UNKNOWN = "unknown"
    """Nothing that was found is the pair's fault, and it may be wrong all the same."""
    REFUSED = "refused"


ConnectionField = Literal["key", "secret", "url", "name", "keeping", "key_from", "secret_from"]
"""Where something is typed or chosen."""


class UnusableInput(ValueError):
    """What was typed in `field` can't be used; the message is one line and quotes no secret."""

    def __init__(self, field: ConnectionField, line: str) -> None:
        super().__init__(line)
        self.field = field


@dataclass(slots=True)
class ConnectionInput:
    """What was typed and chosen so far; it stays while one goes back and forth."""

    key: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    url: str = ""
    name: str = ""
    """The profile's name; "" for the one that is proposed."""
    storage: CredentialStorage | None = None
    sources: dict[tuple[CredentialStorage, ConnectionField], str] = field(default_factory=dict, repr=False)
    """Where key and secret are, as it was told; a secret may have been put there by mistake."""

    def access(self) -> "ServiceAccess":
        """The access to check; raises UnusableInput for the first field that can't be used."""
        key, secret = self.key.strip(), self.secret.strip()
        if not key:
            raise UnusableInput("key", "enter the API key")
        try:
            alone = KeyPair(key)
        except CredentialError as error:
            raise UnusableInput("key", str(error)) from None
        try:
            pair = KeyPair(key, secret or None)
        except CredentialError as error:
            raise UnusableInput("secret", str(error)) from None
        if not self.url.strip():
            raise UnusableInput(
                "url", f"enter the base URL of {alone.environment.label}, such as https://api.example.com"
            )
        if begins_like_key(self.url):
            raise UnusableInput("url", "this is a key, not a base URL")
        try:
            return ServiceAccess(pair, str(BaseUrl.parse(self.url)))
        except BaseUrlError as error:
            raise UnusableInput("url", str(error)) from None


class ServiceAccess(Struct, frozen=True):
    """A pair, and the base URL of its environment."""

    pair: KeyPair
    base_url: str


@dataclass(frozen=True, slots=True)
class NewConnection:
    """What to save under `name`; `key_from` and `secret_from` are commands, or names of variables."""

    name: str
    access: ServiceAccess
    storage: CredentialStorage
    key_from: str = field(default="", repr=False)
    secret_from: str = field(default="", repr=False)


class ConnectionSetup(Protocol):
    """Tries a connection, and keeps it."""

    async def keyring_problem(self) -> str:
        """Why the system's keyring can't be used; "" where it can."""

    def check(self, access: ServiceAccess) -> AsyncIterator[CheckResult]:
        """The doctor's checks, each as soon as it is known."""

    async def keep(self, new: NewConnection) -> None:
        """Write the profile, and key and secret where they are kept; raises UnusableInput, and then leaves nothing."""


def begins_like_key(text: str) -> bool:
    """Whether a key was put where none belongs."""
    return text.strip().startswith(tuple(PREFIXES))


def environment_of(key: str) -> Environment | None:
    """The environment that a key names by its beginning, also while it is being typed."""
    return next((environment for prefix, environment in PREFIXES.items() if key.strip().startswith(prefix)), None)


def typing_problem(field: ConnectionField, text: str) -> str:
    """What is wrong with a text that is still being typed, and no more typing mends; "" where nothing is."""
    text = text.strip()
    if not text or (field == "key" and any(prefix.startswith(text) for prefix in PREFIXES)):
        return ""
    if field == "url":
        if begins_like_key(text):
            return "this is a key, not a base URL"
        scheme, separator, _ = text.partition("://")
        if separator and scheme.lower() not in ("http", "https"):
            return "the base URL must begin with https://"
        return "the base URL can't contain spaces" if len(text.split()) > 1 else ""
    try:
        KeyPair(text) if field == "key" else KeyPair(f"{next(iter(PREFIXES))}x", text)
    except CredentialError as error:
        return str(error)
    return ""


def refused_field(checks: Sequence[CheckResult]) -> ConnectionField | None:
    """The field whose value the service refused, as the checks say; None where they name none."""
    failed = {check.name for check in checks if check.verdict is CheckVerdict.FAILED}
    if SIGNATURE in failed:
        return "secret"
    return "key" if failed & _PAIR_CHECKS else None


def mask_secret(text: str) -> str:
    """The text with a dot for each character behind the prefix of a key; a text that has none is all dots."""
    prefix = next((prefix for prefix in PREFIXES if text.startswith(prefix)), "")
    return prefix + MASK_CHARACTER * (len(text) - len(prefix))


def pair_status(checks: Sequence[CheckResult]) -> PairStatus:
    """What the checks say of the pair."""
    failed = {check.name for check in checks if check.verdict is CheckVerdict.FAILED}
    if not failed:
        return PairStatus.WORKS
    return PairStatus.REFUSED if failed & _PAIR_CHECKS else PairStatus.UNKNOWN


def propose_name(environment: Environment) -> str:
    """What a profile is called unless the user calls it otherwise."""
    return environment.value


def propose_source(storage: CredentialStorage, which: ConnectionField, name: str) -> str:
    """The variable that is proposed for a profile's key or secret; "" for a command, which nobody can guess."""
    if storage is not CredentialStorage.VARIABLE:
        return ""
    word = re.sub(r"[^A-Z0-9]", "_", name.upper())
    return f"SVC_{word}_{'KEY' if which == 'key_from' else 'SECRET'}"


def check_source(storage: CredentialStorage, which: ConnectionField, text: str) -> str:
    """The command or the name as it is to be kept; raises UnusableInput, and quotes nothing."""
    text = text.strip()
    what = "key" if which == "key_from" else "secret"
    if not text:
        problem = (
            f"the command that prints the {what}"
            if storage is CredentialStorage.COMMAND
            else f"the name of the variable with the {what}"
        )
        raise UnusableInput(which, f"enter {problem}")
    if any(prefix in text for prefix in PREFIXES):
        raise UnusableInput(which, f"this is the {what} itself; enter where it is stored")
    if storage is CredentialStorage.VARIABLE and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise UnusableInput(which, "use letters, digits and underscores; the first can't be a digit")
    return text
