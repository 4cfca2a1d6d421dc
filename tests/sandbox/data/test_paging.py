"""Pages, their meta, and filters."""

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.sandbox.raw_client import LOT, RawClient

LOTS = "/v1/operations/lots"


def ids(sandbox: RawClient, query: str) -> list[str]:
    return [item["id"] for item in sandbox.say("GET", f"{LOTS}?{query}").json["items"]]


def test_pages_cover_the_collection_once_and_in_order(sandbox: RawClient) -> None:
    pages = [ids(sandbox, f"page={page}&limit=25") for page in (1, 2, 3, 4)]
    assert [len(page) for page in pages] == [25, 25, 10, 0]
    assert [lot for page in pages for lot in page] == [f"lot-{number:06d}" for number in range(1, 61)]


def test_meta_describes_the_page(sandbox: RawClient) -> None:
    assert sandbox.say("GET", LOTS).json["meta"] == {"page": 1, "limit": 50, "total": 60, "pages": 2}
    assert sandbox.say("GET", f"{LOTS}?page=9&limit=7").json["meta"] == {
        "page": 9,
        "limit": 7,
        "total": 60,
        "pages": 9,
    }


def test_a_limit_above_the_cap_is_capped_and_meta_says_so(sandbox: RawClient) -> None:
    page = sandbox.say("GET", "/v1/workforce/workers?limit=1000").json
    assert (len(page["items"]), page["meta"]["limit"]) == (200, 200)


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=", "page"),
        ("page=1.0", "page"),
        ("page=%D9%A1", "page"),
        ("limit=0", "limit"),
        ("limit=ten", "limit"),
        ("limit=1e3", "limit"),
        ("page=99999999999999999999", "page"),
        ("limit=1&limit=2", "limit"),
        ("colour=red", "colour"),
        ("pageSize=10", "pageSize"),
    ],
)
def test_a_bad_parameter_is_named(sandbox: RawClient, query: str, named: str) -> None:
    said = sandbox.say("GET", f"{LOTS}?{query}")
    assert (said.status, said.code) == (400, "invalid_parameter")
    assert named in said.message


def test_a_query_that_is_not_utf8_is_refused(sandbox: RawClient) -> None:
    assert sandbox.say("GET", f"{LOTS}?note=%ff").code == "invalid_parameter"


def test_filters_are_equality_on_fields_and_follow_writes(sandbox: RawClient) -> None:
    everything = sandbox.say("GET", f"{LOTS}?limit=200").json["items"]
    wanted = [lot["id"] for lot in everything if lot["status"] == "open"]
    assert 0 < len(wanted) < 60
    assert ids(sandbox, "status=open&limit=200") == wanted
    assert sandbox.say("GET", f"{LOTS}?status=open&limit=2&page=2").json["meta"]["total"] == len(wanted)
    assert ids(sandbox, "status=open&limit=2&page=2") == wanted[2:4]

    sandbox.say("PATCH", f"{LOTS}/{wanted[0]}", '{"status":"closed"}')
    made = sandbox.say("POST", LOTS, "{}").json["id"]
    sandbox.say("DELETE", f"{LOTS}/{wanted[1]}")
    assert ids(sandbox, "status=open&limit=200") == [*wanted[2:], made]


def test_filters_join_and_compare_every_kind_of_value_by_its_text(sandbox: RawClient) -> None:
    sandbox.say("PATCH", LOT, '{"massKg":7.50,"sealed":true,"note":null,"name":"a b & c"}')
    assert ids(sandbox, "massKg=7.50") == ["lot-000001"]
    assert ids(sandbox, "massKg=7.5") == []
    assert "lot-000001" in ids(sandbox, "note=null&sealed=true&limit=200")
    assert ids(sandbox, "name=a+b%20%26%20c") == ["lot-000001"]
    assert ids(sandbox, "id=lot-000002") == ["lot-000002"]


def test_deleted_records_leave_no_gap_and_no_id_comes_again(service: RunningService, sandbox: RawClient) -> None:
    for number in (60, 1, 26, 25, 27):
        assert sandbox.say("DELETE", f"{LOTS}/lot-{number:06d}").status == 204
    left = [f"lot-{n:06d}" for n in range(1, 60) if n not in (1, 25, 26, 27)]
    assert [*ids(sandbox, "limit=20"), *ids(sandbox, "limit=20&page=2"), *ids(sandbox, "limit=20&page=3")] == left
    assert sandbox.say("POST", LOTS, "{}").json["id"] == "lot-000061"
