"""Masks what must not be shown in the headers of a request: enough stays to tell which key it was."""

import re
from collections.abc import Iterable

from svc_tui.domain.credentials import PREFIXES

_SIGNATURE = re.compile(r"(t=[0-9]+,v1=)[0-9A-Fa-f]+")
_SCHEMED = frozenset({"authorization", "proxy-authorization"})
_WHOLE = frozenset({"cookie", "set-cookie"})


def masked_headers(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The headers fit to be shown: `Bearer svc_test_…`, `t=1700000000,v1=…`, the rest as it is."""
    return tuple((name, masked_value(name, value)) for name, value in headers)


def masked_value(name: str, value: str) -> str:
    """The header's value fit to be shown."""
    if name.lower() in _WHOLE:
        return "…"
    if name.lower() in _SCHEMED:
        scheme, _, rest = value.partition(" ")
        prefix = next((prefix for prefix in PREFIXES if rest.startswith(prefix)), "")
        return f"{scheme} {prefix}…" if rest else "…"
    return _SIGNATURE.sub(r"\1…", value)
