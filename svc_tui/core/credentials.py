"""A key with its signing secret, and the environment that the key's prefix names.

Source: service-interface, "API keys" and "Request signing".
"""

from enum import Enum

from svc_tui.core.values import HidesFields


class Environment(Enum):
    """Where a key works; the value is the word used in links and files."""

    LIVE = "live"
    SANDBOX = "sandbox"

    @property
    def label(self) -> str:
        """The word people see: `LIVE`, `SANDBOX`."""
        return self.name


PREFIXES = {"svc_live_": Environment.LIVE, "svc_test_": Environment.SANDBOX}
"""What a key begins with, and the environment that it works in."""

MAX_CREDENTIAL_CHARACTERS = 4096
"""Characters that a key or a secret may have; servers take headers of twice that at most."""


class CredentialError(ValueError):
    """A key or a secret that can't be used; the message never quotes it."""


class KeyPair(HidesFields, frozen=True):
    """A key and its signing secret (None: requests go unsigned), checked when made, never shown.

    Raises CredentialError for anything that can't stand in a header: an empty value, one of more than LONGEST
    characters, a space, a control or non-ASCII character; or for a key whose prefix names no environment.
    """

    hidden_fields = frozenset({"api_key", "signing_secret"})

    api_key: str
    signing_secret: str | None = None

    def __post_init__(self) -> None:
        _check("API key", self.api_key)
        if self.signing_secret is not None:
            _check("signing secret", self.signing_secret)
        if not self.api_key.startswith(tuple(PREFIXES)):
            raise CredentialError(f"the API key must begin with {' or '.join(PREFIXES)}; copy the whole key")
        if self.api_key in PREFIXES:
            raise CredentialError("the API key is only a prefix; copy the whole key")

    @property
    def environment(self) -> Environment:
        """The environment that the key's prefix names."""
        return next(environment for prefix, environment in PREFIXES.items() if self.api_key.startswith(prefix))

    @property
    def signs(self) -> bool:
        """Whether requests are signed."""
        return self.signing_secret is not None

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must never be shown, stored or logged."""
        return (self.api_key,) if self.signing_secret is None else (self.api_key, self.signing_secret)


def _check(what: str, value: str) -> None:
    if not value:
        raise CredentialError(f"the {what} is empty")
    if len(value) > MAX_CREDENTIAL_CHARACTERS:
        raise CredentialError(f"the {what} has more than {MAX_CREDENTIAL_CHARACTERS} characters; copy only the {what}")
    odd = next((character for character in value if not "!" <= character <= "~"), None)
    if odd is None:
        return
    import unicodedata

    if unicodedata.category(odd) == "Cf":
        # Nobody can see it, so it is named; other characters may be part of the secret.
        name = "byte order mark" if odd == "\ufeff" else unicodedata.name(odd, "invisible character").lower()
        raise CredentialError(
            f"the {what} contains U+{ord(odd):04X} ({name}), an invisible character; copy the {what} again without it"
        )
    raise CredentialError(f"the {what} contains a space, a line break or a character that is not ASCII; paste it again")
