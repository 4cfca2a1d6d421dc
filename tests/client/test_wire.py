"""What stands on the wire: targets, signatures, headers and bodies, byte for byte."""

import hashlib
import hmac
import time

import pytest

from svc_tui.domain.catalog import COLLECTIONS, Collection
from svc_tui.domain.credentials import KeyPair
from svc_tui.domain.errors import RequestRefused
from svc_tui.domain.gateway import Gateway
from svc_tui.domain.jsontext import Number
from svc_tui.domain.requests import RequestSpec
from svc_tui.domain.routes import nested
from .conftest import KEYS, SECRET, Connect, RawService, Received, reply

LOTS = COLLECTIONS[0]


def assert_signed(came: Received, secret: str = SECRET) -> None:
    """The signature, reckoned anew from the bytes that arrived."""
    stamp = came.header("x-svc-timestamp")
    assert stamp.isdecimal()
    assert abs(int(stamp) - time.time()) < 5
    text = ".".join((stamp, came.method, came.target, hashlib.sha256(came.body).hexdigest()))
    expected = hmac.new(secret.encode(), text.encode(), "sha256").hexdigest()
    assert came.header("x-svc-signature") == f"t={stamp},v1={expected}"


async def test_a_page_is_asked_for_signed_and_understood(service: RawService, connect: Connect) -> None:
    service.rest = reply(200, '{"items": [{"id": "L-1", "massKg": 1.50}], "meta": {"total": 7, "page": 1}}')
    async with connect() as client:
        gateway: Gateway = client
        page = await gateway.page(LOTS, 1, 50)
    assert [record.fields["massKg"] for record in page.records] == [Number("1.50")]
    assert (page.number, page.limit, page.total, page.last) == (1, 50, 7, False)
    (came,) = service.received
    assert (came.method, came.target, came.body) == ("GET", "/v1/operations/lots?page=1&limit=50", b"")
    assert came.header("authorization") == f"Bearer {KEYS.api_key}"
    assert came.header("host") == f"127.0.0.1:{service.port}"
    assert came.header("idempotency-key") == ""
    assert came.header("cookie") == ""
    assert_signed(came)
