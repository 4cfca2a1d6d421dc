"""Which proxy leads to the service, by `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` and the standard library's rules."""

from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from svc_tui.domain.errors import RequestRefused
from svc_tui.domain.routes import BaseUrl


def proxy_for(base: BaseUrl) -> str | None:
    """The proxy's URL; None goes straight. Loopback always does. Raises RequestRefused, its password unseen."""
    if base.loopback:
        return None
    proxies = getproxies_environment()
    proxy = proxies.get(base.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(base.authority):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    try:
        parts = urlsplit(proxy)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise unusable()
    return proxy


def unusable() -> RequestRefused:
    """The refusal of a proxy that can't be reached as it is written; it quotes nothing, for its password's sake."""
    return RequestRefused("the proxy of HTTPS_PROXY or ALL_PROXY can't be used: write http://host:port")
