"""The known answers, on the digest alone and through the whole service."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.access.signature import expected_signature
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
from tests.fixed_keys import fixed
from tests.sandbox.raw_client import HandClock, RawClient

KNOWN = json.loads((Path(__file__).parents[2] / "signing-vectors.json").read_text("utf-8"))
VECTORS: list[dict[str, Any]] = KNOWN["vectors"]
SECRET: str = KNOWN["secret"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_digest_is_the_known_one(vector: dict[str, Any]) -> None:
    body = base64.b64decode(vector["body_base64"])
    assert hashlib.sha256(body).hexdigest() == vector["body_sha256"]
    made = expected_signature(SECRET, str(vector["timestamp"]), vector["method"], vector["target"].encode(), body)
    assert made == vector["v1"]


def test_the_service_accepts_each_known_signature_and_no_other() -> None:
    clock = HandClock(1_700_000_000.0)
    live = IssuedKey("live", "svc_live_" + "k" * 40, SECRET)
    with running_service(SandboxOptions(records=1, keys=fixed(live)), clock) as service:
        client = RawClient(service.base_url, live, clock)
        for vector in VECTORS:
            body = base64.b64decode(vector["body_base64"])
            for v1, signed in ((vector["v1"], True), (vector["v1"][:-1] + "g", False), ("0" * 64, False)):
                header = {"x-svc-signature": f"t={vector['timestamp']},v1={v1}"}
                said = client.say(vector["method"], vector["target"], body, header)
                assert (said.status == 401) is not signed, vector["name"]
