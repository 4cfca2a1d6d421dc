"""Address allowlists (service-interface, "IP allowlists")."""

import ipaddress
from collections.abc import Sequence

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def parse_networks(*blocks: str) -> tuple[Network, ...]:
    """Addresses and CIDR blocks; a block may be written from any address inside it. Raises ValueError."""
    return tuple(ipaddress.ip_network(block, strict=False) for block in blocks)


def address_allowed(address: str, allowed: Sequence[Network]) -> bool:
    """Whether a request from `address` passes; an empty list lets everyone in.

    An IPv4-mapped IPv6 address counts as the IPv4 address in it, and an IPv6 zone (`%eth0`) is left aside.
    """
    if not allowed:
        return True
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed.version == network.version and parsed in network for network in allowed)
