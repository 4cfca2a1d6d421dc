"""What is said of writes without a known outcome, where requests carry a key and where they carry none."""

from datetime import UTC, datetime, timedelta

import pytest

from svc_tui.domain.editing.ports import Intent
from svc_tui.domain.editing.unsettled import EarlierWrites, UnsettledWrites
from svc_tui.domain.editing.write_requests import body_digest
from svc_tui.domain.model.requests import RequestSpec

NOW = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)
LOTS = "/v1/operations/lots"


@pytest.mark.parametrize(("key", "same", "other"), [("k-1", " with this key", " (key k-1)"), ("", "", "")])
def test_the_same_request_is_told_from_another_body_with_and_without_a_key(key: str, same: str, other: str) -> None:
    unsettled = UnsettledWrites()
    sent = NOW - timedelta(hours=2)
    unsettled.recall(Intent(sent, "POST", LOTS, "operations/lots", key, body_bytes=1, body_digest=body_digest(b"a")))
    earlier = EarlierWrites(unsettled, lambda: NOW)
    end = ". Outcome unknown: check the record first."
    assert earlier.like(RequestSpec("POST", LOTS, body=b"a")) == f"Already sent 2 h ago{same}{end}"
    assert (
        earlier.like(RequestSpec("POST", LOTS, body=b"b"))
        == f"A POST to this path with a different body{other} was sent 2 h ago{end}"
    )
    assert earlier.like(RequestSpec("PATCH", LOTS, body=b"a")) == ""
