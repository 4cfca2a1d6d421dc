"""ETag and If-Match: a write that names another state of the record than there is changes nothing."""

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.sandbox.raw_client import LOT, RawClient

WRITES = [("PATCH", LOT, '{"note":"x"}'), ("DELETE", LOT, ""), ("POST", f"{LOT}/split", '{"parts":2}')]


@pytest.mark.parametrize(("method", "target", "body"), WRITES)
@pytest.mark.parametrize("tag", ['"another"', "", "another", '"another", "and another"'])
def test_another_tag_is_a_412_and_nothing_changes(
    service: RunningService, sandbox: RawClient, method: str, target: str, body: str, tag: str
) -> None:
    before = service.record("operations/lots", "lot-000001")
    said = sandbox.say(method, target, body, {"if-match": tag})
    assert (said.status, said.code) == (412, "precondition_failed")
    assert service.record("operations/lots", "lot-000001") == before


@pytest.mark.parametrize("form", ["{}", '"another", {}', "*"])
def test_the_tag_of_the_record_as_it_is_lets_the_write_through(sandbox: RawClient, form: str) -> None:
    tag = sandbox.say("GET", LOT).headers["etag"]
    said = sandbox.say("PATCH", LOT, '{"note":"x"}', {"if-match": form.format(tag)})
    assert said.status == 200
    assert said.headers["etag"] == sandbox.say("GET", LOT).headers["etag"] != tag


def test_a_weak_tag_never_matches(sandbox: RawClient) -> None:
    tag = sandbox.say("GET", LOT).headers["etag"]
    assert sandbox.say("PATCH", LOT, '{"note":"x"}', {"if-match": f"W/{tag}"}).status == 412


def test_a_write_sent_again_with_its_key_gets_its_answer_though_the_tag_is_another_now(sandbox: RawClient) -> None:
    headers = {"if-match": sandbox.say("GET", LOT).headers["etag"], "idempotency-key": "once"}
    first = sandbox.say("PATCH", LOT, '{"note":"x"}', headers)
    again = sandbox.say("PATCH", LOT, '{"note":"x"}', headers)
    assert (again.status, again.body) == (first.status, first.body)
    assert again.headers["idempotency-replayed"] == "true"
