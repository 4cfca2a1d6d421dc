"""Which proxy leads to the service, by `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`."""

import re
from dataclasses import dataclass, field
from urllib.parse import unquote
from urllib.request import getproxies_environment

from svc_tui.service.base_url import BaseUrl, is_host
from svc_tui.service.errors import RequestRefused

_URL = re.compile(
    r"(?:(?P<scheme>https?)://)?(?:(?P<user>[^/?#:\ud800-\udfff]*)(?::(?P<password>[^/?#\ud800-\udfff]*))?@)?"
    r"(?:\[(?P<address>[^\]]*:[^\]]*)\]|(?P<host>[^/?#:@\[\]]*))(?::(?P<port>[0-9]{1,5}))?/?",
    re.IGNORECASE,
)
"""All of it, to the letter: what is left over may be part of a password that was not percent-encoded."""

_PORTS = {"http": 80, "https": 443}
_SEPARATORS = re.compile(r"[,\s]+")
_NAME_WITH_PORT = re.compile(r"(?P<name>\[[^\]]*\]|[^:\[\]/]*):(?P<port>[0-9]+)")
_WITHOUT_BRACKETS = str.maketrans("", "", "[]")


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy. It is told the service's host and port, and carries what it can't read.

    `variable` names it in the environment.
    """

    variable: str
    scheme: str
    host: str
    port: int
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def proxy_for(base: BaseUrl) -> Proxy | None:
    """The proxy on the way to the service; None goes straight, as to loopback always. Raises RequestRefused."""
    if base.loopback:
        return None
    proxies = getproxies_environment()
    variable = "HTTPS_PROXY" if "https" in proxies else "ALL_PROXY"
    written = proxies.get("https", proxies.get("all", "")).strip()
    if not written or _is_bypassed(base, proxies.get("no", "")):
        return None
    if base.scheme != "https":
        raise RequestRefused(f"the proxy in {variable} could read the requests to {base.authority}; use https")
    if written.lower().startswith("socks"):
        raise RequestRefused(
            f"{variable} is set to a SOCKS proxy, which is not supported. Set an HTTP proxy (http://host:port) in "
            f"HTTPS_PROXY, or add {base.host} to NO_PROXY to connect directly"
        )
    match = _URL.fullmatch(written)
    proxy = None if match is None else _parse_proxy(variable, match)
    if proxy is None:
        # It quotes nothing: where the parts can't be told apart, any of them may hold the password.
        raise RequestRefused(f"the proxy in {variable} is not valid; use http://host:port")
    return proxy


def _is_bypassed(base: BaseUrl, names: str) -> bool:
    """Whether `NO_PROXY` names the host: the rules that curl, Go and Python have in common, and those one of them has.

    Names are apart by commas or blanks: `*`, a domain with or without a dot or `*.` in front (its subdomains are
    meant too), an address, a network such as 10.0.0.0/8; each but a network with a port or without, IPv6 with brackets
    or without.
    """
    port = str(base.port or _PORTS[base.scheme])
    return any(_is_named(base.host.lower().rstrip("."), port, name) for name in _SEPARATORS.split(names) if name)


def _is_named(host: str, port: str, name: str) -> bool:
    if name == "*":
        return True
    if (match := _NAME_WITH_PORT.fullmatch(name)) is not None:
        if match["port"] != port:
            return False
        name = match["name"]
    name = name.translate(_WITHOUT_BRACKETS).lower().rstrip(".")
    from ipaddress import ip_address, ip_network

    try:
        address = ip_address(host)
    except ValueError:
        domain = name.removeprefix("*").lstrip(".")
        return bool(domain) and (host == domain or host.endswith(f".{domain}"))
    try:
        return address in ip_network(name, strict=False)
    except ValueError:
        return False


def _parse_proxy(variable: str, match: re.Match[str]) -> Proxy | None:
    scheme = (match["scheme"] or "http").lower()
    host, port = match["address"] or match["host"] or "", int(match["port"] or _PORTS[scheme])
    if not is_host(host) or not 0 < port < 65536:
        return None
    return Proxy(variable, scheme, host, port, unquote(match["user"] or ""), unquote(match["password"] or ""))
