"""The bytes of each write, and by what two requests are known to be the same."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Number
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import RequestSpec
from svc_tui.service.errors import RequestRefused
from svc_tui.storage.journal_entries import Intent
from svc_tui.writes.write_requests import (
    build_create_request,
    build_delete_request,
    build_update_request,
    hash_body,
    identify_intent,
    identify_request,
    is_under_record,
    parse_fields,
    with_if_match,
)

LOTS = COLLECTIONS[0]
LOT = Place(LOTS, "lot/1")
PATH = "/v1/operations/lots"
JSON = ("Content-Type", "application/json")
A_SHA256 = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
"""The SHA-256 of `a`."""


def test_a_change_sends_its_edits_alone_for_the_record_that_was_read() -> None:
    draft = Draft(Record({"id": "lot/1", "name": "x", "massKg": Number("1.50")}, '"v1"'), {"massKg": Number("2.0")})
    assert build_update_request(LOT, draft) == RequestSpec(
        "PATCH", f"{PATH}/lot%2F1", headers=(JSON, ("If-Match", '"v1"')), body=b'{"massKg":2.0}'
    )


def test_a_new_record_has_its_fields_and_a_deletion_has_no_body() -> None:
    assert build_create_request(LOTS, {"name": "x"}) == RequestSpec("POST", PATH, headers=(JSON,), body=b'{"name":"x"}')
    assert build_delete_request(LOT) == RequestSpec("DELETE", f"{PATH}/lot%2F1")
    with pytest.raises(RequestRefused):
        build_delete_request(Place(LOTS, ".."))


@pytest.mark.parametrize("etag", ["", 'W/"1"', "v1", '"a b"', '"ü"', '"a" , "b"'])
def test_a_tag_that_can_not_be_matched_is_not_sent(etag: str) -> None:
    assert with_if_match(RequestSpec("PATCH", PATH, headers=(JSON,)), etag).headers == (JSON,)


def test_a_request_is_for_one_version_of_the_record_alone() -> None:
    spec = RequestSpec("DELETE", PATH, headers=(("If-Match", '"old"'), JSON))
    assert with_if_match(spec, '"new"').headers == (JSON, ("If-Match", '"new"'))
    assert with_if_match(spec, "").headers == (JSON,)
    assert with_if_match(spec, '""').headers == (JSON, ("If-Match", '""'))


def test_a_path_is_under_that_of_a_record_or_it_is_not() -> None:
    assert is_under_record(LOT, RequestSpec("POST", f"{PATH}/lot%2F1"))
    assert is_under_record(LOT, RequestSpec("POST", f"{PATH}/lot%2F1/split"))
    assert not is_under_record(LOT, RequestSpec("POST", f"{PATH}/lot%2F10"))
    assert not is_under_record(LOT, RequestSpec("POST", PATH))


@pytest.mark.parametrize(
    ("body", "fields"), [(b'{"a":null}', {"a": None}), (b"[1]", None), (b'"a"', None), (b"", None), (b"{", None)]
)
def test_the_fields_of_a_body_are_those_of_a_json_object(body: bytes, fields: object) -> None:
    assert parse_fields(body) == fields


def test_two_requests_are_the_same_by_method_target_and_body() -> None:
    spec = RequestSpec("post", "operations/lots", (("dry", "a b"),), headers=(JSON,), body=b"a")
    assert hash_body(b"a") == A_SHA256
    assert identify_request(spec) == f"POST {PATH}?dry=a%20b {A_SHA256}"
    # It is refused before it is sent, and so none that was sent is the same.
    assert identify_request(RequestSpec("POST", "../lots", body=b"a")) == f"POST  {A_SHA256}"


def an_intent(**parts: object) -> Intent:
    """The intent of a POST."""
    at = datetime(2026, 11, 20, tzinfo=UTC)
    return Intent(at, "POST", PATH, "operations/lots", "key", **parts)  # type: ignore[arg-type]


def test_an_intent_is_known_by_the_request_that_it_was_written_for() -> None:
    spec = RequestSpec("POST", PATH, body=b"a")
    assert identify_intent(an_intent(body_digest=A_SHA256, body_bytes=1)) == identify_request(spec)
    created = build_create_request(LOTS, {"name": "x"})
    assert identify_intent(an_intent(after={"name": "x"})) == identify_request(created)
    assert identify_intent(an_intent()) == identify_request(RequestSpec("POST", PATH))
    assert identify_intent(an_intent(body_bytes=1)) == ""
