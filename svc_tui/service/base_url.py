"""Where the service is: base URLs, one for each environment, and what is refused of them.

Source: service-interface, "API keys", and "Versioning" for the `/v1` that a base URL may or may not end in.
"""

import ipaddress
import re
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct

from svc_tui.core.catalog import VERSION_PREFIX
from svc_tui.core.credentials import Environment
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace

PATH_SAFE = "/!$&'()*+,;=:@-._~%"
"""What can stand in a path as it is."""

_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9.])?")
_ADDRESS_LIKE = re.compile(r".*:.*|(?:.*\.)?[0-9]+\.?")
"""What every reader takes for an address: with a colon in it, or with a last part of digits alone."""
_PORT = re.compile(r":[0-9]*$")


class BaseUrlError(ValueError):
    """A base URL that is missing or can't be used; the message names the setting and quotes no password."""


class BaseUrl(Struct, frozen=True):
    """Where the service is; `prefix` is a gateway's path before `/v1`, "" where there is none, and is not signed."""

    scheme: str
    host: str
    port: int | None = None
    prefix: str = ""

    @classmethod
    def parse(cls, text: str) -> "BaseUrl":
        """The base URL that `text` writes; a trailing slash and a trailing `/v1` are dropped; raises BaseUrlError."""
        text = text.strip()
        if not text:
            raise BaseUrlError("the base URL is empty")
        if "\\" in text or not all("!" <= character <= "~" for character in text):
            raise BaseUrlError("the base URL contains a space, a backslash or a character that is not ASCII; remove it")
        try:
            parts = urlsplit(text)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise BaseUrlError("the base URL is not valid; use the form https://api.example.com") from None
        if "@" in parts.netloc:
            raise BaseUrlError("the base URL contains a user name or a password; remove it. Only the API key is used")
        if parts.scheme not in ("https", "http") or not host:
            raise BaseUrlError("the base URL must begin with https:// and a host name")
        if "?" in text or "#" in text:
            raise BaseUrlError("the base URL contains a query or a fragment; remove everything from ? or # on")
        alone = _PORT.sub("", parts.netloc.lower())
        if not is_host(host) or alone != (f"[{host}]" if ":" in host else host) or port == 0:
            raise BaseUrlError("the base URL has an invalid host or port")
        if parts.scheme == "http" and not is_loopback(host):
            raise BaseUrlError(f"plain http to {host} would send the key unencrypted; use https")
        return cls(
            parts.scheme, host, None if port == _DEFAULT_PORTS[parts.scheme] else port, _parse_prefix(parts.path)
        )

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.prefix}"

    @property
    def authority(self) -> str:
        """Host, and port where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether requests stay on this machine."""
        return is_loopback(self.host)


_DEFAULT_PORTS = {"https": 443, "http": 80}


def base_url_of(profile: Profile, environment: Environment) -> BaseUrl:
    """The profile's base URL for keys of the environment; raises BaseUrlError naming what to set."""
    live = environment is Environment.LIVE
    setting, variable = ("base_url", "SVC_BASE_URL") if live else ("sandbox_base_url", "SVC_SANDBOX_BASE_URL")
    text, other = profile.base_url, profile.sandbox_base_url
    where = f"the profile {profile.name}" if profile.name else "the current profile"
    if not live:
        text, other = other, text
    if not text.strip():
        prefix = "svc_live_" if live else "svc_test_"
        raise BaseUrlError(f"no base URL for {prefix} keys: set {variable}, or {setting} in {where}")
    try:
        base = BaseUrl.parse(text)
    except BaseUrlError as error:
        raise BaseUrlError(f"{error} ({variable}, or {setting} in {where})") from None
    if not base.loopback and _is_path_of(base, other):
        raise BaseUrlError(
            f"live and test keys would both use {base}: correct SVC_BASE_URL or SVC_SANDBOX_BASE_URL "
            f"(base_url or sandbox_base_url in {where})"
        )
    return base


def is_host(text: str) -> bool:
    """Whether the text can name a host: a name in ASCII, or an address without a zone."""
    if _ADDRESS_LIKE.fullmatch(text):
        return _parse_address(text) is not None
    labels = text.removesuffix(".").split(".")
    return bool(_HOST.fullmatch(text)) and len(text) <= 253 and all(0 < len(label) < 64 for label in labels)


def is_loopback(host: str) -> bool:
    """Whether the host is this machine, by its name or its address."""
    if host.lower().removesuffix(".") == "localhost":
        return True
    address = _parse_address(host)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return address is not None and (mapped or address).is_loopback


def percent_encode(text: str, safe: str) -> str:
    """The text with every character percent-encoded that is not in `safe`; what is encoded already stays."""
    return quote(_BARE_PERCENT.sub("%25", text), safe=safe)


def _is_path_of(base: BaseUrl, text: str) -> bool:
    """Whether the other setting, as far as it can be understood, is the same place."""
    try:
        other = BaseUrl.parse(text)
    except BaseUrlError:
        return False
    return replace(other, host=other.host.removesuffix(".")) == replace(base, host=base.host.removesuffix("."))


def _parse_prefix(path: str) -> str:
    path = path.rstrip("/").removesuffix(VERSION_PREFIX).rstrip("/")
    if path.endswith(VERSION_PREFIX):
        raise BaseUrlError(f"the base URL ends in {VERSION_PREFIX} twice; remove one")
    if any(unquote(part) in ("", ".", "..") for part in path.split("/")[1:]) or percent_encode(path, PATH_SAFE) != path:
        raise BaseUrlError(
            "the path of the base URL contains an empty part, a . or .. part, or a character that is not allowed"
        )
    return path


def _parse_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        # A zone (`fe80::1%eth0`) names an interface of one machine, and no URL carries it unchanged.
        return None if "%" in host else ipaddress.ip_address(host)
    except ValueError:
        return None
