"""The address of the PostgreSQL database of a team, and its validation."""

import re
from collections.abc import Mapping
from urllib.parse import SplitResult, quote, unquote, urlsplit

from msgspec import Struct, field

from svc_tui.service.base_url import is_host, is_loopback

PARAMETERS = ("sslmode", "sslrootcert", "sslcert", "sslkey", "host")
"""Allowed query parameters; `host` is the directory of a socket."""

VERIFIED = "verify-full"
"""The only `sslmode` that verifies the identity of a server on another computer."""

_SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", VERIFIED)
_EXAMPLE = "postgresql://me@db.example.com/journal"
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
_PORT = re.compile(r":[0-9]*$")


class TeamUrlError(ValueError):
    """An invalid address; the message repeats nothing of it that could be a password."""


class TeamUrl(Struct, frozen=True):
    """The address of a team's database; it holds no password."""

    user: str
    """The role; "" for the name of the system's user."""
    host: str
    """A name or an IP address; "" for a socket on this computer."""
    port: int | None
    """None for the default, 5432."""
    database: str
    """The name of the database."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Values by the names in `PARAMETERS`; always with `sslmode` for a server on another computer."""

    @classmethod
    def parse(cls, text: str) -> "TeamUrl":
        """Parse an address; raises TeamUrlError."""
        parts = _split(text.strip())
        user_info, _, place = parts.netloc.rpartition("@")
        if ":" in user_info or "password=" in unquote(parts.query).lower():
            raise TeamUrlError(
                "it contains a password, which others can read in the profile; remove it and set team_password"
            )
        if not _SCHEME.match(text.strip()):
            raise TeamUrlError(f"it must begin with postgresql://, for example {_EXAMPLE}")
        host, port = _host_and_port(parts, place)
        database = _decode(parts.path.removeprefix("/"))
        if not database:
            raise TeamUrlError(f"the database is missing; add it after the host, for example {_EXAMPLE}")
        if "/" in parts.path.removeprefix("/") or "@" in parts.path:
            raise TeamUrlError("the database name contains / or @; write them as %2F and %40")
        found = cls(_decode(user_info), host, port, database, _parameters(parts.query))
        return found._with_tls()

    def _with_tls(self) -> "TeamUrl":
        """Return the address with `sslmode` for a server on another computer; raises TeamUrlError."""
        if self.host and "host" in self.parameters:
            raise TeamUrlError("it has both a host and a socket directory; remove one of them")
        if self.is_local:
            return self
        mode = self.parameters.get("sslmode", VERIFIED)
        if mode != VERIFIED:
            raise TeamUrlError(
                f"sslmode must be {VERIFIED} because the host is another computer: otherwise others on the "
                "network could "
                f"read and change the journal; remove sslmode or set it to {VERIFIED}"
            )
        return TeamUrl(self.user, self.host, self.port, self.database, {**self.parameters, "sslmode": mode})

    @property
    def is_local(self) -> bool:
        """True if the server is on this computer."""
        return not self.host or is_loopback(self.host)

    @property
    def shown(self) -> str:
        """The address as a URL for users and for libpq, without a password."""
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port is None else f":{self.port}"
        behind = "&".join(f"{name}={quote(value, safe='/')}" for name, value in self.parameters.items())
        return f"postgresql://{user}{host}{port}/{quote(self.database, safe='')}{'?' if behind else ''}{behind}"


def _split(text: str) -> SplitResult:
    if not text:
        raise TeamUrlError("it is empty")
    if "\\" in text or not all("!" <= character <= "~" for character in text) or _BARE_PERCENT.search(text):
        raise TeamUrlError(
            "it contains a space, a backslash, an invalid % code or a non-ASCII character; percent-encode it "
            "(space: %20)"
        )
    if "#" in text:
        raise TeamUrlError("it contains a #; write it as %23")
    try:
        return urlsplit(text)
    except ValueError:
        raise TeamUrlError(f"not a valid URL; example: {_EXAMPLE}") from None


def _host_and_port(parts: SplitResult, place: str) -> tuple[str, int | None]:
    wrong = "invalid host or port; for a socket directory use postgresql:///journal?host=/run/postgresql"
    try:
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise TeamUrlError(wrong) from None
    alone = _PORT.sub("", place.lower())
    if port == 0 or alone != (f"[{host}]" if ":" in host else host) or (host and not is_host(host)):
        raise TeamUrlError(wrong)
    return host, port


def _parameters(query: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in query.split("&") if query else ():
        name, _, value = part.partition("=")
        # The messages do not repeat the name: it could be part of a password with a question mark.
        if name not in PARAMETERS:
            raise TeamUrlError(f"unknown parameter; allowed: {', '.join(PARAMETERS)}")
        if name in found or not value:
            raise TeamUrlError(f"{name} is {'set twice' if name in found else 'empty'}; set it once")
        found[name] = _decode(value)
    if found.get("sslmode", VERIFIED) not in _SSL_MODES:
        raise TeamUrlError(f"unknown sslmode; allowed: {', '.join(_SSL_MODES)}")
    if not found.get("host", "/").startswith("/"):
        raise TeamUrlError("the parameter host must be a socket directory, such as /run/postgresql")
    return found


def _decode(text: str) -> str:
    """Decode percent-encoding; raise TeamUrlError for characters that are not printable."""
    try:
        plain = unquote(text, errors="strict")
    except UnicodeDecodeError:
        plain = "\0"
    if not plain.isprintable():
        raise TeamUrlError("it contains a character that is not printable; remove it")
    return plain
