"""The switches for what the document leaves open: each value of each does what the registry says of it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import quote

import pytest

from svc_tui.sandbox.errors import SandboxError
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import running_service
from svc_tui.sandbox.variants import OPEN_POINTS, Variants, parse_variants
from tests.sandbox.raw_client import LOT, RawAnswer, RawClient

LOTS = "/v1/operations/lots"

Check = Callable[[RawClient], object]


@contextmanager
def settled(name: str, value: str) -> Iterator[RawClient]:
    with running_service(SandboxOptions(records=60, variants=Variants({name: value}))) as service:
        yield RawClient(service.base_url, service.key("sandbox"))


def meta(client: RawClient) -> object:
    return client.say("GET", f"{LOTS}?page=2&limit=25").json["meta"]


def error(client: RawClient) -> object:
    said = client.say("GET", f"{LOTS}/none")
    assert said.status == 404
    if not said.body:
        return "content-type" in said.headers
    return said.headers["content-type"], set(said.json), said.json.get("code")


def first_id(client: RawClient) -> object:
    record = client.say("GET", f"{LOTS}?limit=1").json["items"][0]
    again = client.say("GET", f"{LOTS}/{quote(record['id'], safe='')}")
    assert again.json == record
    made = client.say("POST", LOTS, '{"name":"new"}')
    assert client.say("GET", made.headers["location"]).body == made.body
    attachments = client.say("POST", f"{LOTS}/{quote(record['id'], safe='')}/attachments", '{"fileName":"a.pdf"}')
    assert attachments.json["lotId"] == record["id"]
    assert client.say("DELETE", attachments.headers["location"]).status == 204
    verified = client.say("GET", f"/v1/operations/hash-chain/verify?tunnelId={quote(record['tunnelId'])}").json
    assert verified["valid"] or verified["broken"]["index"] == 7
    return record["id"]


def page_of(limit: int) -> Check:
    def size(client: RawClient) -> object:
        said = client.say("GET", f"{LOTS}?limit={limit}")
        return said.json["meta"]["limit"] if said.status == 200 else said.code

    return size


def filtered(client: RawClient) -> object:
    known = client.say("GET", f"{LOTS}?id=lot-000002")
    unknown = client.say("GET", f"{LOTS}?colour=red")
    verify = client.say("GET", "/v1/operations/hash-chain/verify?tunnelId=tun-01&colour=red")
    return (outcome(known), outcome(unknown), outcome(verify))


def outcome(said: RawAnswer) -> object:
    if said.status != 200:
        return said.code
    return said.json["meta"]["total"] if "meta" in said.json else "done"


def twice(client: RawClient) -> object:
    sent = [client.say("POST", LOTS, '{"name":"new"}', {"Idempotency-Key": "k"}) for _ in range(2)]
    return len({said.json["id"] for said in sent}), "idempotency-replayed" in sent[1].headers


def matched(client: RawClient) -> object:
    said = client.say("PATCH", LOT, '{"name":"new"}', {"If-Match": '"other"'})
    return said.status, "etag" in client.say("GET", LOT).headers


def plain_text(client: RawClient) -> object:
    said = client.say("PATCH", LOT, '{"name":"new"}', {"Content-Type": "text/plain"})
    merge = client.say("PATCH", LOT, '{"name":"new"}', {"Content-Type": "application/merge-patch+json; charset=utf-8"})
    assert merge.status == 200
    return said.status if said.status == 200 else (said.code, said.message)


def unknown_field(client: RawClient) -> object:
    said = client.say("PATCH", LOT, '{"name":"new","colour":"red"}')
    made = client.say("POST", LOTS, '{"colour":"red"}')
    return (said.code if said.status != 200 else said.json["name"], made.status)


def removed(client: RawClient) -> object:
    before = client.say("GET", LOT).body
    said = client.say("DELETE", LOT)
    assert client.say("GET", LOT).status == 404
    return said.status, "the record" if said.body == before else json.loads(said.body or "null")


EXPECTED: dict[str, tuple[Check, dict[str, object]]] = {
    "ids": (
        first_id,
        {
            "prefixed": "lot-000001",
            "uuid": "86d25bb0-ff74-8e53-830e-e536d0039d0d",
            "digits": "1",
            "awkward": "LOT/000001 é",
        },
    ),
    "meta": (
        meta,
        {
            "page": {"page": 2, "limit": 25, "total": 60, "pages": 3},
            "count": {"currentPage": 2, "perPage": 25, "totalItems": 60, "totalPages": 3},
            "snake": {"current_page": 2, "per_page": 25, "total_count": 60, "total_pages": 3},
            "next": {"page": 2, "limit": 25, "hasMore": True},
            "none": {},
        },
    ),
    "totals": (
        meta,
        {"exact": {"page": 2, "limit": 25, "total": 60, "pages": 3}, "none": {"page": 2, "limit": 25}},
    ),
    "page-cap": (page_of(2_000), {size: int(size) for size in ("200", "20", "50", "100", "500", "1000")}),
    "over-cap": (page_of(201), {"capped": 200, "refused": "invalid_parameter"}),
    "filters": (
        filtered,
        {
            "fields": (1, "invalid_parameter", "invalid_parameter"),
            "ignored": (60, 60, "done"),
            "refused": ("invalid_parameter",) * 3,
        },
    ),
    "errors": (
        error,
        {
            "nested": ("application/json", {"error"}, None),
            "flat": ("application/json", {"code", "message", "requestId"}, "not_found"),
            "list": ("application/json", {"errors", "requestId"}, None),
            "problem": (
                "application/problem+json",
                {"type", "title", "status", "detail", "code", "requestId"},
                "not_found",
            ),
            "empty": False,
        },
    ),
    "idempotency": (twice, {"honoured": (1, True), "ignored": (2, False)}),
    "if-match": (matched, {"checked": (412, True), "ignored": (200, False)}),
    "bodies": (
        plain_text,
        {
            "json": ("unsupported_media_type", "the body must be application/json, not 'text/plain'"),
            "any": 200,
        },
    ),
    "unknown-fields": (unknown_field, {"refused": ("validation_failed", 422), "ignored": ("new", 201)}),
    "removed": (
        removed,
        {
            "empty": (204, None),
            "record": (200, "the record"),
            "confirmed": (200, {"id": "lot-000001", "deleted": True}),
        },
    ),
}


@pytest.mark.parametrize(("name", "value"), [(point.name, way) for point in OPEN_POINTS.values() for way in point.ways])
def test_every_way_does_what_it_says(name: str, value: str) -> None:
    check, expected = EXPECTED[name]
    with settled(name, value) as client:
        assert check(client) == expected[value]


def test_a_page_cap_below_the_usual_size_is_the_usual_size() -> None:
    with settled("page-cap", "20") as client:
        assert len(client.say("GET", LOTS).json["items"]) == 20


def test_more_follows_until_the_last_page() -> None:
    with settled("meta", "next") as client:
        more = [client.say("GET", f"{LOTS}?limit=25&page={page}").json["meta"]["hasMore"] for page in (1, 2, 3, 4)]
        assert more == [True, True, False, False]


def test_what_is_not_said_is_as_usual() -> None:
    assert dict(Variants()) == {name: point.usual for name, point in OPEN_POINTS.items()}
    assert dict(parse_variants(("meta=count",)))["meta"] == "count"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("colour=red",), "unknown variant 'colour'; choose from ids, meta, "),
        (("meta=red",), "the variant meta can't be 'red'; choose from page, count, "),
        (("meta",), "the variant 'meta' has no value; write NAME=VALUE"),
        (("meta=count", "meta=page"), "the variant meta is set twice, to count and to page"),
    ],
)
def test_a_variant_that_there_is_not_is_refused_in_one_line(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(SandboxError) as refused:
        parse_variants(texts)
    assert str(refused.value).startswith(message)


def test_what_is_ignored_may_stand_twice() -> None:
    with running_service(SandboxOptions(records=5, variants=Variants({"filters": "ignored"}))) as service:
        client = RawClient(service.base_url, service.key("sandbox"))
        assert client.say("GET", f"{LOTS}?tag=a&tag=b").status == 200
        assert client.say("GET", f"{LOTS}?page=1&page=2").code == "invalid_parameter"
        assert client.say("GET", "/v1/operations/hash-chain/verify?tunnelId=tun-01&tag=a&tag=b").status == 200
