"""Which addresses an allowlist lets in."""

import pytest

from svc_tui.sandbox.access.address import address_allowed, parse_networks


@pytest.mark.parametrize(
    ("address", "blocks", "allowed"),
    [
        ("198.51.100.1", (), True),
        ("2001:db8::1", (), True),
        ("10.0.0.1", ("10.0.0.0/8",), True),
        ("11.0.0.1", ("10.0.0.0/8",), False),
        ("10.0.0.1", ("10.0.0.1",), True),
        ("10.0.0.2", ("10.0.0.1",), False),
        ("10.1.2.3", ("10.9.9.9/8",), True),
        ("::ffff:10.0.0.1", ("10.0.0.0/8",), True),
        ("::ffff:11.0.0.1", ("10.0.0.0/8",), False),
        ("::ffff:a00:1", ("10.0.0.0/8",), True),
        ("2001:db8::1", ("2001:db8::/32",), True),
        ("2001:db9::1", ("2001:db8::/32",), False),
        ("::1", ("10.0.0.0/8",), False),
        ("10.0.0.1", ("2001:db8::/32", "10.0.0.0/8"), True),
        ("fe80::1%eth0", ("fe80::/10",), True),
        ("", ("10.0.0.0/8",), False),
        ("unix", ("0.0.0.0/0", "::/0"), False),
    ],
)
def test_allowlist(address: str, blocks: tuple[str, ...], *, allowed: bool) -> None:
    assert address_allowed(address, parse_networks(*blocks)) is allowed
